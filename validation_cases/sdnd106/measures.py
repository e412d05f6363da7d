"""SDND106: what is measured in a response."""

from __future__ import annotations

import math

import numpy as np

from veridyn.solver.interpolation import value_at
from veridyn.solver.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.case import Observation, Values

STIFFNESS_NUMBER = 9e6  # k_T T²/m1, T the period of m2 on the spring
SHORTEST = 20 / math.sqrt(STIFFNESS_NUMBER)  # in T; what a penalised law shows at a change of phase is shorter
RUBBING = "shoe"
COORDINATES = {"x1": 0, "x2": 1, "v1": 0, "v2": 1}


def period(values: Values) -> float:
    """Period T of m2 on the spring while m1 sticks (s)."""
    return 2 * math.pi * math.sqrt(float(values["m2"]) / float(values["k"]))


def state_at(o: Observation, what: str, time: float) -> float:
    """Displacement (m) or velocity (m/s) of a mass at an instant (s)."""
    response, column = o.response, COORDINATES[what]
    x = response.displacement[:, column]
    if what.startswith("x"):
        return value_at(response.time, x, time)
    if RUBBING in response.events:
        return value_at(response.time, response.velocity[:, column], time)
    return _slope_at(response.time, x, time)


def _slope_at(time: np.ndarray, x: np.ndarray, t: float) -> float:
    """Return the slope at t: some schemes keep their velocity half a step away."""
    i = int(np.clip(np.searchsorted(time, t), 1, time.size - 2))
    i -= abs(time[i - 1] - t) < abs(time[i] - t) and i > 1
    window = slice(i - 1, i + 2)
    return float(np.polyval(np.polyder(np.polyfit(time[window] - t, x[window], 2)), 0.0))


def motion_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of m1."""
    shoe = o.response.elements.get(RUBBING, {})
    shortest = SHORTEST * period(o.values)
    return phases(o.response.time, o.response.velocity[:, 0], shoe.get("stuck"), shortest_stick=shortest)


def slips(o: Observation) -> list[Phase]:
    """Slips of m1; what a penalised law slides while its spring of stick settles is none."""
    shortest = SHORTEST * period(o.values)
    return [phase for phase in motion_phases(o) if phase.direction and phase.end - phase.start > shortest]


def count_slips(o: Observation) -> float:
    """Count the slips of m1."""
    return float(len(slips(o)))


def slip_start(o: Observation) -> float | None:
    """Instant of the first break-away (s)."""
    return next((slip.start for slip in slips(o)), None)


def slip_end(o: Observation) -> float | None:
    """End of the last slip (s)."""
    return next((slip.end for slip in reversed(slips(o))), None)


def final_position(o: Observation) -> float:
    """Displacement of m1 at the end (m)."""
    return float(o.response.displacement[-1, 0])


def dissipated_energy(o: Observation) -> float:
    """Friction force times the path slid (J)."""
    response = o.response
    stuck, located = response.elements.get(RUBBING, {}).get("stuck"), RUBBING in response.events
    path = sliding_distance(response.time, response.displacement[:, 0], stuck, 0.0, o.problem.end, located=located)
    return o["mu_d"] * o["normal"] * path
