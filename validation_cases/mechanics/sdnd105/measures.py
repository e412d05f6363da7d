"""SDND105: what is measured in a response. Lengths and velocities are those of one mass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from veridyn.references import buckling_stop
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.solver.problem.devices import BucklingStop
from veridyn.validation_cases.core.case import Observation, Values

Floats = NDArray[np.float64]

STOP = "stop"
NEAR = 6  # samples from which the buckling is extrapolated


@dataclass(frozen=True)
class Truth:
    """Instants (s) of the motion: changes of phase before the masses turn, with the way of each then (m), and after."""

    changes: tuple[tuple[float, float], ...]
    turning: float
    release: float


def truth(values: Values) -> Truth:
    """Return the true history of a parameter set."""
    return _truth(tuple(sorted(values.items())))


@lru_cache(maxsize=64)
def _truth(values: tuple[tuple[str, object], ...]) -> Truth:
    motion = buckling_stop.motion(**dict(values), digits=15)
    *loading, turning, release = (time for time, _ in motion.events()[1:])
    changes = tuple((float(time), float(motion("displacement", time))) for time in loading)
    return Truth(changes, float(turning), float(release))


def stop(o: Observation) -> BucklingStop:
    """Return the stop of the problem."""
    (found,) = (device for device in o.problem.devices if isinstance(device, BucklingStop))
    return found


def path(o: Observation) -> Floats:
    """Way of one mass (m,): the crush over the number of bodies."""
    return np.asarray(o.response.displacement @ stop(o).direction / o["bodies"])


def buckling_time(o: Observation) -> float | None:
    """Instant of buckling (s), extrapolated from the samples before it: those after it feel the collapse.

    None if the stop is not crushed enough. Raises SolverFailure.
    """
    crush = stop(o).buckling_crush
    beyond = np.flatnonzero(path(o) * o["bodies"] > crush)
    if not beyond.size:
        return None
    last = int(beyond[0])
    if last < NEAR:
        raise SolverFailure(f"the response shows {last} samples before buckling, {NEAR} are needed")
    near = slice(last - NEAR, last)
    t, y = o.response.time[near], path(o)[near] * o["bodies"] - crush
    step = t[-1] - t[-2]
    p = np.polynomial.Polynomial.fit(t - t[-1], y, t.size - 1)
    lapse = 0.0
    with np.errstate(all="ignore"):  # samples that do not lead to buckling are refused below
        for _ in range(20):
            lapse -= p(lapse) / p.deriv()(lapse)
    if not -1e-6 * step <= lapse <= 2 * (o.response.time[last] - t[-1]):
        raise SolverFailure("the samples before buckling do not lead to it")
    return float(t[-1] + lapse)


def _turning(o: Observation) -> tuple[float, float]:
    """Instant and value of the largest way, on the parabola through three samples."""
    y = path(o)
    i = int(np.argmax(y))
    if not 0 < i < y.size - 1:
        raise SolverFailure("the masses do not turn")
    t = o.response.time[i - 1 : i + 2] - o.response.time[i]
    c, b, a = np.polynomial.polynomial.polyfit(t, y[i - 1 : i + 2], 2)
    return float(o.response.time[i] - b / (2 * a)), float(c - b**2 / (4 * a))


def largest_crush(o: Observation) -> float:
    """Largest way (m)."""
    return _turning(o)[1]


def largest_time(o: Observation) -> float:
    """Instant of the largest way (s)."""
    return _turning(o)[0]


def residual_crush(o: Observation) -> float:
    """Residual crush at the end, over the number of bodies (m)."""
    history = element_history(o.response, STOP, "residual_crush", of="buckling-stop")
    return float(history[-1]) / o["bodies"]


def _back(o: Observation, level: float) -> float:
    """Instant at which the way comes back to a level (s)."""
    turned = int(np.argmax(path(o)))
    time, y = o.response.time[turned:], path(o)[turned:]
    found = [t for t, side in crossings(time, y - level) if side < 0]
    if not found:
        raise SolverFailure(f"the masses do not come back to {level:.6g} m")
    return found[0]


def release_time(o: Observation) -> float:
    """Instant at which the masses are back at the residual crush (s)."""
    return _back(o, residual_crush(o))


def return_time(o: Observation) -> float:
    """Instant at which the masses are back where they started (s)."""
    return _back(o, 0.0)


def exit_velocity(o: Observation) -> float:
    """Mean velocity from a sample after release to the end (m/s); nothing acts then. Raises SolverFailure."""
    free = int(np.searchsorted(o.response.time, release_time(o))) + 1
    if free >= o.response.time.size - 1:
        raise SolverFailure("the motion ends with the contact")
    y = path(o)
    return float((y[-1] - y[free]) / (o.response.time[-1] - o.response.time[free]))


def velocity_at(o: Observation, time: float) -> float:
    """Velocity at an instant (m/s), from the displacement: some schemes keep theirs half a step away."""
    i = int(np.clip(np.searchsorted(o.response.time, time), 3, o.response.time.size - 3))
    near = slice(i - 3, i + 3)
    p = np.polynomial.Polynomial.fit(o.response.time[near] - time, path(o)[near], 5)
    return float(p.deriv()(0.0))


def velocity_9(o: Observation) -> float:
    """Velocity at 9 s (m/s)."""
    return velocity_at(o, 9.0)


def return_stiffness(o: Observation) -> float:
    """Stiffness of the return (N/m) from its duration, a quarter of a period."""
    return o["m"] / o["bodies"] * (math.pi / 2 / (release_time(o) - largest_time(o))) ** 2


def dissipated_energy(o: Observation) -> float:
    """Kinetic energy of all bodies before less after (J)."""
    return o["bodies"] * (o["energy"] - 0.5 * o["m"] * exit_velocity(o) ** 2)


def passages(o: Observation) -> list[float]:
    """Return the instants at which the crush passes the ends of true phases for the first time (s)."""
    y = path(o)
    turned = int(np.argmax(y)) + 1
    marks = [mark for _, mark in truth(o.values).changes]
    found = ([t for t, side in crossings(o.response.time[:turned], y[:turned] - mark) if side > 0] for mark in marks)
    return [instants[0] for instants in found if instants]


def changes_of_phase(o: Observation) -> float:
    """Count the true phases of the loading whose ends the crush passes."""
    return float(len(passages(o)))


def phase_instants(o: Observation) -> float:
    """Return the largest difference of the instants at which phases of the loading begin from the true ones (s).

    Raises
    ------
    SolverFailure
        If the crush does not reach all of them.
    """
    seen = np.array(passages(o))
    true = np.array([time for time, _ in truth(o.values).changes])
    if seen.size != true.size:
        raise SolverFailure(f"the crush passes {seen.size} changes of phase, there are {true.size}")
    return float(np.abs(seen - true).max(initial=0.0))
