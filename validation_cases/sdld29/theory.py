"""SDLD29: what theory allows our schemes.

Errors of order 1 have three causes. Damping that sees a velocity λ h back acts as if the mass were M - λ h C (C being
the part that sees it: all of it where states lag too, the coupling of the modes alone otherwise). A scheme that is
started with a velocity half a step back gets an impulse F h/2 too much. A load that ends at the end of a step loses
the share w h F that the step takes at its end. All three are solved for with the matrix exponential.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.basis import modal_basis
from veridyn.solver.scheme import Scheme
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.sdld29.chain import direction, problem
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Linear:
    """M x'' + C x' + K x = F(t) on mass 4, from rest."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    force: float
    duration: float

    def after_step(self, t: float) -> float:
        """Displacement (m) of mass 4, t (s) after a standing force began."""
        static = np.linalg.solve(self.stiffness, self.force * direction())
        return float(direction() @ (static - self._free(np.append(static, 0 * static), t))) if t > 0 else 0.0

    def after_impulse(self, t: float) -> float:
        """Displacement (m) of mass 4 over h, t (s) after an impulse F h."""
        speed = np.linalg.solve(self.mass, self.force * direction())
        return float(direction() @ self._free(np.append(0 * speed, speed), t)) if t > 0 else 0.0

    def response(self, t: float) -> float:
        """Displacement (m) of mass 4 under the force."""
        return self.after_step(t) - self.after_step(t - self.duration)

    def _free(self, state: Floats, t: float) -> Floats:
        from scipy.linalg import expm

        n = self.mass.shape[0]
        rates = np.block(
            [
                [np.zeros((n, n)), np.eye(n)],
                [-np.linalg.solve(self.mass, self.stiffness), -np.linalg.solve(self.mass, self.damping)],
            ]
        )
        return np.asarray((expm(t * rates) @ state)[:n])


def first_order(values: Values, scheme: Scheme, step: float, t: float, weight: float) -> tuple[float, float, float]:
    """Return the errors of order 1 (m): of the velocity that dampers see, of the start, of the load that ends.

    ``weight``: share of a step that the load loses at its end.
    """
    chain = problem(values)
    assert chain.mass is not None
    assert chain.damping is not None
    assert chain.stiffness is not None
    force, duration = float(values["F"]), float(values["duration"])
    true = Linear(chain.mass, chain.damping, chain.stiffness, force, duration)
    lagging = chain.damping if scheme.lag else _coupling(values)
    lighter = chain.mass - scheme.force_lag * step * lagging
    seen = Linear(lighter, chain.damping, chain.stiffness, force, duration).response(t) - true.response(t)
    return seen, scheme.lag * step * true.after_impulse(t), -weight * step * true.after_impulse(t - duration)


def _coupling(values: Values) -> Floats:
    """Return the part (8, 8) of the damping matrix that couples the modes."""
    chain = problem(values)
    modes = modal_basis(chain)
    if modes.coupling is None:
        return np.zeros_like(modes.shapes)
    back = np.linalg.inv(modes.shapes)
    return np.asarray(back.T @ modes.coupling @ back)


def displacement(values: Values, scheme: str, chosen: Settings, t: float) -> Tolerance:
    """Return the tolerance of a displacement (m), absolute.

    Adaptive steps may meet the end of the load anywhere inside a step, which costs up to half of it more or less.
    """
    s, step = SCHEMES[scheme], float(chosen["step"])
    weight = 1 / 2 if s.adaptive else s.end_weight
    parts = _first_order_parts(tuple(values.items()), scheme, step, t, weight)
    whole = sum(abs(part) for part in parts)
    what = "velocity that dampers see, start, end of the load inside or at the end of a step; twice, for the next order"
    first = from_theory(1, 2 * whole / step, step, what=what, kind="absolute")
    return combined(first, smooth(values, s, step, t))


@lru_cache(maxsize=1024)
def _first_order_parts(given: tuple, scheme: str, step: float, t: float, weight: float) -> tuple[float, float, float]:  # type: ignore[type-arg]
    return first_order(dict(given), SCHEMES[scheme], step, t, weight)


def smooth(values: Values, s: Scheme, step: float, t: float) -> Tolerance:
    """Return the error of the undamped modes, and of reading on cubics."""
    modes = modal_basis(problem(values))
    w = modes.omega
    swing = 2 * float(values["F"]) * (modes.shapes.T @ direction()) ** 2 / w**2
    cubic = from_theory(
        4, float(np.sum(swing * w**4)) * 3 / 128, step, what="cubic interpolation, 3/128 (w h)⁴", kind="absolute"
    )
    radians = w * t + 2 * np.pi
    if s.phase is None:  # exact but for the coupling, a force that it takes for a line
        loss = 2 * float(np.abs(_coupling(values)).max()) / float(values["m"])
        constant = float(np.sum(swing * loss * t * w**2)) / 12
        return combined(cubic, from_theory(2, constant, step, what="coupling taken for a line", kind="absolute"))
    error = s.error_per_radian()
    factor = abs(error.constant)
    constant = float(np.sum(swing * factor * w**error.order * radians))
    what = f"error (w h)^{error.order}/{1 / factor:.3g} per radian of each mode, one period more for the start"
    return combined(cubic, from_theory(error.order, constant, step, what=what, kind="absolute"))
