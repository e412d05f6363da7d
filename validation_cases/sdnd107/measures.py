"""SDND107: what is measured in a response."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.balance import element_history
from veridyn.solver.interpolation import value_at
from veridyn.validation_cases.case import Observation

Floats = NDArray[np.float64]

DEVICE = "device"


def history(o: Observation, name: str) -> Floats:
    """Return a history (m,) of the device; raises MissingHistory if the solver does not report it."""
    return element_history(o.response, DEVICE, name, of="zener")


def displacement(o: Observation, time: float) -> float:
    """Displacement at an instant (m), between the samples."""
    return value_at(o.response.time, o.response.displacement[:, 0], time)


def force(o: Observation, time: float) -> float:
    """Force of the device at an instant (N), between the samples."""
    return value_at(o.response.time, history(o, "force"), time)


def reader(kind: str, time: str) -> partial[float]:
    """Return the measurement of one displacement or force."""
    return partial(displacement if kind == "displacement" else force, time=float(time))


def initial_force(o: Observation) -> float:
    """Force of the device at t = 0 (N)."""
    return float(history(o, "force")[0])


def _peak(o: Observation) -> tuple[float, float] | tuple[None, None]:
    """Instant and value of the largest extreme of the force, on a polynomial through five samples; None without one."""
    f, time = history(o, "force"), o.response.time
    rising = np.diff(f) > 0
    turns = np.flatnonzero(rising[1:] != rising[:-1]) + 1
    turns = turns[(turns >= 2) & (turns < f.size - 2)]
    if not turns.size:
        return None, None
    i = int(turns[np.argmax(np.abs(f[turns]))])
    near = slice(i - 2, i + 3)
    p = np.polynomial.Polynomial.fit(time[near] - time[i], f[near], 4)
    lapse = 0.0
    for _ in range(20):
        lapse -= float(p.deriv()(lapse) / p.deriv(2)(lapse))
    return float(time[i]) + lapse, float(p(lapse))


def peak_time(o: Observation) -> float | None:
    """Instant of the largest extreme of the force after t = 0 (s)."""
    return _peak(o)[0]


def peak_force(o: Observation) -> float | None:
    """Force there (N)."""
    return _peak(o)[1]
