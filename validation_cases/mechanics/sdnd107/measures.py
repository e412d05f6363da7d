"""SDND107: what is measured in a response."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import zener
from veridyn.references.parameters import Exact
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.core.case import Observation, Values

Floats = NDArray[np.float64]

DEVICE = "device"
DIGITS = 30  # of motions, so that they share what the certified values have computed
SAMPLES = 400  # of the true motion, for its amplitudes


@dataclass(frozen=True)
class Amplitudes:
    """Largest magnitudes of the true motion: displacement (m), velocity (m/s), force of the device (N)."""

    displacement: float
    velocity: float
    force: float


def amplitudes(values: Values) -> Amplitudes:
    """Return the amplitudes for a parameter set."""
    return _amplitudes(tuple(sorted(values.items())))


@lru_cache(maxsize=64)
def _amplitudes(values: tuple[tuple[str, Exact], ...]) -> Amplitudes:
    motion, end = zener.motion(**dict(values), digits=DIGITS), float(dict(values)["end"])
    times = np.linspace(0.0, end, SAMPLES).tolist()
    return Amplitudes(*(max(abs(float(motion(name, t))) for t in times) for name in Amplitudes.__annotations__))


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


def _work(force: Floats, path: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(path))))


def device_energy_residual(o: Observation) -> float:
    """Return the largest |work - stored - dissipated| of the device over its largest stored energy.

    Raises
    ------
    MissingHistory
        If the solver reports no elongation, or nothing of the dashpot.
    SolverFailure
        If the device stores no energy.
    """
    k1, k2, k3 = (o[name] for name in ("k1", "k2", "k3"))
    force, u = history(o, "force"), history(o, "elongation")
    dashpot, path = history(o, "dashpot_force"), history(o, "dashpot_path")
    stored = 0.5 * (force**2 / k1 + k2 * (u - force / k1) ** 2 + dashpot**2 / k3)
    if not stored.any():
        raise SolverFailure("the device stores no energy at any instant")
    residual = _work(force, u) - (stored - stored[0]) - _work(dashpot, path)
    return float(np.abs(residual).max() / stored.max())
