"""SDLD29: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from veridyn.references import damped_chain
from veridyn.references.damped_chain import LOADED, MASSES
from veridyn.solver.balance import energy_residual
from veridyn.solver.basis import modal_basis
from veridyn.solver.interpolation import value_at
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import pulse
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    Observation,
    Published,
    Run,
    Settings,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import residuals, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, order_check, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdld29 import theory
from veridyn.validation_cases.sdld29.chain import loaded_by
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, from_theory, roundoff

Floats = NDArray[np.float64]

ASTER = {  # step (s) of the test file, how much longer than 1 s its load stands (s), end of the run (s)
    "non-proportional": (1e-5, 0.0, 0.19),
    "proportional": (1e-3, 5e-4, 1.5),
}
BEFORE, AFTER = (0.25, 0.5, 0.75), (1.25, 1.375, 1.5)  # s; while the load acts, and when it has ended
COARSE, LEVELS = 2.0**-10, 4
FINE = 2.0**-13  # s, where errors are compared with their leading terms
COUPLED = "non-proportional"


def mode_tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - no step enters
    """Return the tolerance of complex modes: eigenvalues of a 16 x 16 problem; the ratios are a hundredth of them."""
    if not scheme:
        return cited("1e-3 of Code_Aster's test SDLD27", 1e-3)
    return roundoff(20_000, what="eigenvalues of a 16 x 16 problem; the ratios are a hundredth of them")


def modes(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the complex modes of our modal equations, coupling included."""
    if not subject.ours:
        return
    scheme = subject.schemes[0]
    run = case.run(subject, variant, scheme)
    for quantity in case.asked(variant):
        if quantity.measure is None:
            name, number = quantity.name.split("_")
            yield check_of(
                case,
                variant,
                "",
                run,
                quantity=quantity.name,
                kind="truth",
                unit=quantity.unit,
                measure=reading(run, partial(_mode, name, int(number))),
                reference=partial(quantity.truth, run.values),
                tolerance=partial(quantity.tolerance, run.values, scheme, run.settings),
            )


def _mode(name: str, number: int, o: Observation) -> float:
    basis = modal_basis(o.problem)
    zero, one = np.zeros((MASSES, MASSES)), np.eye(MASSES)
    roots = np.linalg.eigvals(np.block([[zero, one], [-np.diag(basis.omega**2), -basis.damping_matrix]]))
    upper = sorted(roots[roots.imag > 0], key=lambda z: z.imag)
    z = upper[number - 1]
    return float(z.imag / (2 * np.pi) if name == "frequency" else -z.real / abs(z))


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every displacement that the test files hold for our schemes."""

    def make_run(case: Case, cell: Published) -> Run:
        step, longer, end = ASTER[cell.variant]

        def build(values: Values) -> MechanicalProblem:
            return loaded_by(pulse(float(values["F"]), 0.0, float(values["duration"]) + longer), values, end)

        values = case.values(case.variant(cell.variant).changes)
        return Run(f"{case.name}/aster/{cell.variant}", values, build, {"scheme": cell.scheme, "step": step})

    yield from parity_checks(case, subject, variant, make_run, lambda cell, o: _at(o, float(cell.quantity[3:])))


def _at(o: Observation, time: float) -> float:
    return value_at(o.response.time, o.response.displacement[:, LOADED - 1], time)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order while the load acts and when it has ended, and the errors of order 1 themselves."""
    if not subject.own or subject.overrides:
        return
    for scheme in subject.schemes:
        base, s = case.run(subject, variant, scheme), SCHEMES[scheme]
        lags = s.force_lag and (s.lag or variant.name == COUPLED)
        for name, instants, first in (("under_load", BEFORE, lags), ("after_load", AFTER, lags or s.end_weight)):
            if first:
                yield _leading(case, variant, base, name, instants)
            elif not s.damped and (s.phase or name == "after_load" or variant.name == COUPLED):
                # left out: two powers of the step, that of the scheme and ξ times a lower one; and what is exact
                levels = min(LEVELS, 16 // s.order - 1)
                allowed = Tolerance(0.25, "absolute", f"smooth on each side of the jump, {levels} halvings")
                measure = partial(_observed_order, base, instants, levels)
                yield order_check(case, variant, base, f"displacement_{name}", measure, float(s.order), allowed)


def _errors(base: Run, instants: Sequence[float], bench: Bench, step: float) -> Floats:
    motion = damped_chain.motion(**dict[str, Any](base.values))
    o = bench.observe(constant_step(base, step))
    return np.array([_at(o, t) - float(motion.displacement(t)) for t in instants])


def _observed_order(base: Run, instants: Sequence[float], levels: int, bench: Bench) -> float:
    def worst(step: float) -> float:
        return float(np.abs(_errors(base, instants, bench, step)).max())

    return observed_order(errors_over_steps(worst, 0.0, halvings(COARSE, levels)))


def _leading(case: Case, variant: Variant, base: Run, name: str, instants: Sequence[float]) -> Check:
    """Return the comparison of the errors with those of order 1, as the factor between both (least squares)."""
    scheme = str(base.settings["scheme"])
    s = SCHEMES[scheme]
    expected = np.array([sum(theory.first_order(base.values, s, FINE, t, s.end_weight)) for t in instants])

    def factor(bench: Bench) -> float:
        return float(_errors(base, instants, bench, FINE) @ expected / (expected @ expected))

    return check_of(
        case,
        variant,
        scheme,
        base,
        quantity=f"first_order_error_{name}",
        kind="order",
        unit="of the predicted error",
        measure=factor,
        reference=always(1.0),
        tolerance=always(_next_order(base, s.order, expected)),
    )


def _next_order(base: Run, order: int, expected: Floats) -> Tolerance:
    """Return what the next order adds: the smooth part of the tolerance, over the errors of order 1."""
    scheme = str(base.settings["scheme"])
    smooth = theory.smooth(base.values, SCHEMES[scheme], FINE, max(AFTER)).value
    fastest = 2 * (float(base.values["k"]) / float(base.values["m"])) ** 0.5 * FINE
    what = f"errors of order {order} beside those of order 1, and w h of these"
    return Tolerance(fastest + smooth / float(np.abs(expected).max()), "absolute", what)


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance while the load acts: stored + dissipated = work of the force."""
    cite = cited("twice the 1e-2 of Code_Aster's test SDLD29A for displacements", 2e-2, kind="absolute")
    yield from residuals(case, subject, variant, "energy_residual", "of F²/k", _residual, _read_energy, cite)


def _residual(o: Observation) -> float:
    residual = energy_residual(o.problem, o.response)
    acting = o.response.time[2:] < o["duration"]
    return float(np.abs(residual[acting]).max()) / (o["F"] ** 2 / o["k"])


def _read_energy(run: Run, scheme: str) -> Tolerance:
    """Return the error with which energies are read from displacements.

    Differenced velocities miss (w h)²/6, the phase error e (w h)² of the scheme counts twice: (w h)² (1/3 + 2 e) of the
    kinetic energy of each mode. Dampers that see a velocity λ h back give back λ h c v² of it, and a start half a step
    off gives each mode the energy of an impulse F h/2.
    """
    problem = cast(MechanicalProblem, run.problem)
    basis = modal_basis(problem)
    s, step = SCHEMES[scheme], float(run.settings["step"])
    force = float(run.values["F"]) * (basis.shapes.T @ problem.loads[0].direction)
    energy = force**2 / basis.omega**2 / 2  # the largest kinetic energy of an undamped mode
    scale = float(run.values["F"]) ** 2 / float(run.values["k"])
    ahead = abs(s.phase.constant) if s.phase and s.phase.order == 2 else 0.0
    second = float(np.sum(energy * basis.omega**2)) * (1 / 3 + 2 * ahead + 1 / 12) / scale
    c = float(np.linalg.eigvalsh(basis.damping_matrix)[-1])
    first = 2 * float(np.sum(energy * (s.force_lag * c + s.lag * basis.omega))) / scale
    return combined(
        from_theory(2, second, step, what="differenced velocities, phase error, trapezoidal work", kind="absolute"),
        from_theory(1, first, step, what="velocity that dampers see, start half a step off", kind="absolute"),
    )


MAKERS = (modes, parity, order, balance, velocities)
