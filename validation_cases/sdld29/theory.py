"""SDLD29: what theory allows our schemes.

Errors of order 1 have three causes. Damping that sees a velocity λ h back acts as if the mass were M - λ h C (C being
the part that sees it: all of it where states lag too, the coupling of the modes alone otherwise). A scheme that is
started with a velocity half a step back gets an impulse F h/2 too much. A load that ends at the end of a step loses
the share w h F that the step takes at its end. All three are solved for with the matrix exponential.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references.damped_chain import MASSES
from veridyn.solver.basis import modal_basis
from veridyn.solver.problem import MechanicalProblem, Modes
from veridyn.solver.scheme import Scheme
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.sdld29.chain import direction, problem
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory

SAME = 1e-6  # of a step
KINK = 1 / 28  # largest error of a cubic through four samples where the second derivative jumps, over jump × spacing²

Floats = NDArray[np.float64]
Given = tuple[tuple[str, Any], ...]  # names and values of parameters


@dataclass(frozen=True, eq=False)
class Linear:
    """M x'' + C x' + K x = F(t) on mass 4, from rest."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    force: float
    duration: float

    @cached_property
    def rates(self) -> Floats:
        """Rates (16, 16) of the state (x, v) in free motion."""
        zero, one = np.zeros_like(self.mass), np.eye(MASSES)
        below = -np.linalg.solve(self.mass, np.hstack((self.stiffness, self.damping)))
        return np.vstack((np.hstack((zero, one)), below))

    def after_step(self, t: float) -> float:
        """Displacement (m) of mass 4, t (s) after a standing force began."""
        static = np.linalg.solve(self.stiffness, self.force * direction())
        return float(direction() @ (static - _propagator(self, t) @ np.append(static, 0 * static))) if t > 0 else 0.0

    def after_impulse(self, t: float) -> float:
        """Displacement (m) of mass 4 over h, t (s) after an impulse F h."""
        speed = np.linalg.solve(self.mass, self.force * direction())
        return float(direction() @ _propagator(self, t) @ np.append(0 * speed, speed)) if t > 0 else 0.0

    def response(self, t: float) -> float:
        """Displacement (m) of mass 4 under the force."""
        return self.after_step(t) - self.after_step(t - self.duration)


@lru_cache(maxsize=1024)
def _propagator(system: Linear, t: float) -> Floats:
    """Return the displacements (8, 16) that the free system has t (s) after a state (x, v)."""
    from scipy.linalg import expm

    return np.asarray(expm(t * system.rates)[:MASSES])


@lru_cache(maxsize=64)
def _system(given: Given, force_lag: float, lag: float) -> Linear:
    """Return the chain; with lags (s) the one that a scheme moves whose dampers see an earlier velocity."""
    chain = _chain(given)
    assert chain.mass is not None
    assert chain.damping is not None
    assert chain.stiffness is not None
    lighter = chain.mass - force_lag * (chain.damping if lag else _coupling(given))
    force, duration = (float(dict(given)[name]) for name in ("F", "duration"))
    return Linear(lighter, chain.damping, chain.stiffness, force, duration)


@lru_cache(maxsize=1024)
def _first_order(given: Given, force_lag: float, lag: float, t: float) -> tuple[float, float, float]:
    """Return the errors of order 1 (m) of a scheme that lags by these times (s), the last over the time lost."""
    true, seen = _system(given, 0.0, 0.0), _system(given, force_lag, lag)
    difference = seen.response(t) - true.response(t) if force_lag else 0.0
    return difference, lag * true.after_impulse(t), -true.after_impulse(t - true.duration)


def first_order(values: Values, scheme: Scheme, step: float, t: float, weight: float) -> tuple[float, float, float]:
    """Return the errors of order 1 (m): of the velocity that dampers see, of the start, of the load that ends.

    ``weight``: share of a step that the load loses at its end.
    """
    seen, start, end = _first_order(tuple(values.items()), scheme.force_lag * step, scheme.lag * step, t)
    return seen, start, weight * step * end


@lru_cache(maxsize=16)
def _chain(given: Given) -> MechanicalProblem:
    return problem(dict(given))


@lru_cache(maxsize=16)
def _basis(given: Given) -> Modes:
    return modal_basis(_chain(given))


def _coupling(given: Given) -> Floats:
    """Return the part (8, 8) of the damping matrix that couples the modes."""
    modes = _basis(given)
    if modes.coupling is None:
        return np.zeros_like(modes.shapes)
    back = np.linalg.inv(modes.shapes)
    return np.asarray(back.T @ modes.coupling @ back)


def displacement(values: Values, scheme: str, chosen: Settings, t: float) -> Tolerance:
    """Return the tolerance of a displacement (m), absolute.

    A load that ends inside a step costs up to half of it more or less. The next order is taken for as much as the
    first, or for a shift by a step, where the first passes through zero.
    """
    s, step = SCHEMES[scheme], float(chosen["step"])
    weight = s.end_weight if _meets_the_end(values, s, step) else 1 / 2
    around = (sum(map(abs, first_order(values, s, step, near, weight))) for near in (t - step, t, t + step))
    what = "velocity that dampers see, start, end of the load inside or at the end of a step; twice, for the next order"
    first = from_theory(1, 2 * max(around) / step, step, what=what, kind="absolute")
    return combined(first, smooth(values, s, step, t), _across_the_end(values, step, t))


def _meets_the_end(values: Values, s: Scheme, step: float) -> bool:
    steps = float(values["duration"]) / step
    return not s.adaptive and abs(steps - round(steps)) < SAME


def _across_the_end(values: Values, step: float, t: float) -> Tolerance:
    """Return the error of a cubic through samples before and after the end of the load, where x'' jumps."""
    across = abs(t - float(values["duration"])) < 2 * step
    jump = float(values["F"]) / float(values["m"]) if across else 0.0
    return from_theory(2, jump * KINK, step, what="cubic across the end of the load, h² F/(28 m)", kind="absolute")


def smooth(values: Values, s: Scheme, step: float, t: float) -> Tolerance:
    """Return the error of the undamped modes, and of reading on cubics."""
    modes = _basis(tuple(values.items()))
    w = modes.omega
    swing = 2 * float(values["F"]) * (modes.shapes.T @ direction()) ** 2 / w**2
    cubic = from_theory(
        4, float(np.sum(swing * w**4)) * 3 / 128, step, what="cubic interpolation, 3/128 (w h)⁴", kind="absolute"
    )
    radians = w * t + 2 * np.pi
    if s.phase is None:  # exact but for the coupling, a force that it takes for a line
        loss = 2 * float(np.abs(_coupling(tuple(values.items()))).max()) / float(values["m"])
        constant = float(np.sum(swing * loss * t * w**2)) / 12
        return combined(cubic, from_theory(2, constant, step, what="coupling taken for a line", kind="absolute"))
    error = s.error_per_radian()
    factor = abs(error.constant)
    constant = float(np.sum(swing * factor * w**error.order * radians))
    what = f"error (w h)^{error.order}/{1 / factor:.3g} per radian of each mode, one period more for the start"
    return combined(cubic, from_theory(error.order, constant, step, what=what, kind="absolute"))
