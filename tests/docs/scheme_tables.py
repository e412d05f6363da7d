"""Tables of the page on schemes, measured: ``python tests/docs/scheme_tables.py`` prints them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.elements import Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import constant
from veridyn.solver.contract.errors import DivergenceError
from veridyn.solver.contract.responses import Response
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.scheme import Scheme
from veridyn.solver.integrators.schemes import SCHEMES

Floats = NDArray[np.float64]

HERTZ = 2 * math.pi  # circular frequency of 1 Hz (rad/s)
COARSE = 1 / 200  # s, the longer of two steps
COUPLED_RATIO = 0.05  # damping ratio of the oscillator of 1 Hz in a pair
UNLIMITED = 1000.0  # a limit above this is none


def oscillator(omega: float, xi: float, x0: float, v0: float, end: float, *, in_contact: bool) -> MechanicalProblem:
    """Return an oscillator of unit mass; in contact its spring and damper are a stop that never opens."""
    stiffness, damping = omega**2, 2 * xi * omega
    one = np.ones(1)
    stop = Stop("wall", one, gap=-1.0, stiffness=stiffness, damping=damping)
    modal = 0.0 if in_contact else 1.0
    return MechanicalProblem(
        name="oscillator",
        mass=np.eye(1),
        stiffness=modal * stiffness * np.eye(1),
        damping=modal * damping * np.eye(1),
        initial_displacement=x0 * one,
        initial_velocity=v0 * one,
        end=end,
        stops=(stop,) if in_contact else (),
        loads=(Load(one, constant(stiffness)),) if in_contact else (),
    )


def solve(scheme: Scheme, problem: MechanicalProblem, step: float) -> Response:
    """Integrate with a constant step."""
    settings = {"scheme": scheme.name, "step": step, "check_step": False, **scheme.constant_step}
    return SOLVER.solve(problem, settings)


def order(scheme: Scheme, xi: float, x0: float, v0: float, *, in_contact: bool = False) -> str:
    """Return the observed order of the displacement over a second at 1 Hz, steps 1/200 and 1/400 s."""
    problem = oscillator(HERTZ, xi, x0, v0, 1.0, in_contact=in_contact)
    wd = HERTZ * math.sqrt(1 - xi**2)

    def error(step: float) -> float:
        r = solve(scheme, problem, step)
        t = r.time
        free = x0 * np.cos(wd * t) + (v0 + xi * HERTZ * x0) / wd * np.sin(wd * t)
        return float(np.abs(r.displacement[:, 0] - np.exp(-xi * HERTZ * t) * free).max())

    coarse, fine = error(COARSE), error(COARSE / 2)
    return "exact" if coarse < 1e-12 else f"{math.log2(coarse / fine):.1f}"


def coupled_order(scheme: Scheme) -> str:
    """Return the order of two oscillators (1 and 2 Hz, ξ = 0.05) that share a damper; the first is struck."""
    from scipy.linalg import expm

    damping = 2 * COUPLED_RATIO * HERTZ * np.array([[1.0, -1.0], [-1.0, 1.0]])
    stiffness = HERTZ**2 * np.diag([1.0, 4.0])
    struck = np.array([1.0, 0.0])
    problem = MechanicalProblem(
        name="two oscillators",
        mass=np.eye(2),
        stiffness=stiffness,
        damping=damping,
        initial_displacement=np.zeros(2),
        initial_velocity=struck,
        end=1.0,
    )
    rates = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]])
    true = (expm(rates) @ np.append(np.zeros(2), struck))[:2]
    coarse, fine = (np.abs(solve(scheme, problem, h).displacement[-1] - true).max() for h in (COARSE, COARSE / 2))
    return f"{math.log2(coarse / fine):.1f}"


def is_stable(scheme: Scheme, xi: float, wh: float) -> bool:
    """Whether a released oscillator grows no more in the second half of 3000 steps than in the first."""
    try:
        r = solve(scheme, oscillator(1.0, xi, 1.0, 0.0, 3000 * wh, in_contact=False), wh)
    except DivergenceError:
        return False
    first, second = np.array_split(np.abs(r.displacement[:, 0]), 2)
    return bool(second.max() < 1.01 * first.max())


def limit(scheme: Scheme, xi: float) -> str:
    """Return the largest stable w h."""
    if is_stable(scheme, xi, UNLIMITED):
        return "none"
    low, high = 0.05, 10.0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_stable(scheme, xi, middle) else (low, middle)
    return f"{low:.2f}"


def per_radian(scheme: Scheme, wh: float, *, in_contact: bool) -> tuple[str, str]:
    """Return phase error and decay per radian, from the three-term recurrence that the displacement obeys."""
    problem = oscillator(1.0, 0.0, 0.5, 0.0, 200 * wh, in_contact=in_contact)
    x = solve(scheme, problem, wh).displacement[20:, 0]
    (trace, determinant), *_ = np.linalg.lstsq(np.column_stack((x[1:-1], -x[:-2])), x[2:], rcond=None)
    phase = math.acos(trace / (2 * math.sqrt(determinant))) / wh - 1
    return _small(phase), _small(-math.log(determinant) / (2 * wh))


def _small(number: float) -> str:
    return "0" if abs(number) < 1e-10 else f"{number:.1e}"


def table(head: tuple[str, ...], row: Callable[[Scheme], tuple[str, ...]]) -> str:
    """Return a Markdown table with one row per scheme."""
    lines = [("scheme", *head), ("---",) * (len(head) + 1)]
    lines += [(f"`{scheme.name}`", *row(scheme)) for scheme in SCHEMES.values()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _stated(scheme: Scheme) -> tuple[str, ...]:
    rule = str(scheme.points_per_period or "no rule")
    return scheme.aster, str(scheme.order), rule, scheme.evaluations, "adaptive" if scheme.adaptive else "fixed"


LISTED = ("order", "damped_order", "lag", "force_lag", "numerical_damping", "stability")


def _claims(scheme: Scheme) -> tuple[str, ...]:
    claims, empty = scheme.claims, ""
    numbers = [f"{claims[name]:.4g}" if name in claims else empty for name in LISTED]
    parameters = [f"{name} {value}" for name, value in claims.items() if name not in (*LISTED, "method")]
    method = f"`{claims['method']}`" if "method" in claims else empty
    return *numbers, ", ".join([method, *parameters])


def _resolution(scheme: Scheme) -> tuple[str, ...]:
    counts = (getattr(scheme.resolution, each.name) for each in fields(scheme.resolution))
    return tuple(f"{count:,}".replace(",", " ") for count in counts)


def _orders(scheme: Scheme) -> tuple[str, ...]:
    free = [order(scheme, xi, x0, v0) for xi in (0.0, 0.05) for x0, v0 in ((0.0, 1.0), (0.5, 0.0))]
    touching = [order(scheme, xi, 0.0, 1.0, in_contact=True) for xi in (0.0, 0.05)]
    return (*free, *touching, coupled_order(scheme))


def _behaviour(scheme: Scheme) -> tuple[str, ...]:
    limits = [limit(scheme, xi) for xi in (0.0, 0.1, 1.0)]
    return (*limits, *per_radian(scheme, 0.2, in_contact=False), *per_radian(scheme, 0.2, in_contact=True))


def tables() -> dict[str, str]:
    """Return the tables of the page by name."""
    released, struck = "released", "struck"
    damped = ("ξ = 0.05, struck", "ξ = 0.05, released", "stop, struck", "damped stop, struck", "shared damper")
    limits = ("limit of w h, ξ = 0", "ξ = 0.1", "ξ = 1")
    errors = ("phase error", "decay", "phase error, stop", "decay, stop")
    return {
        "stated": table(("Code_Aster", "order", "steps per shortest period", "evaluations per step", "step"), _stated),
        "claims": table((*(f"`{name}`" for name in LISTED), "method"), _claims),
        "resolution": table(("in a period", "with stops", "over the time span", "with jumps"), _resolution),
        "orders": table((struck, released, *damped), _orders),
        "behaviour": table((*limits, *errors), _behaviour),
    }


def renewed(page: str, found: dict[str, str]) -> str:
    """Return a page with its tables replaced; each stands between its own pair of marks."""
    for name, text in found.items():
        before, mark, rest = page.partition(f"<!-- table: {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        page = f"{before}{mark}\n{text}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    print("\n\n".join(tables().values()))
