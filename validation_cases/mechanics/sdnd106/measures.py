"""SDND106: what is measured in a response."""

from __future__ import annotations

import math

import numpy as np

from veridyn.references import pulled_pair
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.solver.postprocessing.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.core.case import Observation, Values, once

STIFFNESS_NUMBER = 9e6  # k_T T²/m1, T the period of m2 on the spring
SHORTEST = 20 / math.sqrt(STIFFNESS_NUMBER)  # in T; what a penalised law shows at a change of phase is shorter
RUBBING = "shoe"
COORDINATES = {"x1": 0, "x2": 1, "v1": 0, "v2": 1}


def period(values: Values) -> float:
    """Period T of m2 on the spring while m1 sticks (s)."""
    return 2 * math.pi * math.sqrt(float(values["m2"]) / float(values["k"]))


def changes(values: Values) -> list[tuple[float, str]]:
    """Return the true changes of phase: instant (s), and the phase that begins."""
    return [(float(change.time), change.kind) for change in pulled_pair.phase_changes(**values, digits=15)]


def last_change(values: Values) -> float:
    """Return the instant of the last change of phase, 0 without any (s)."""
    return max((time for time, _ in changes(values)), default=0.0)


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
    """Return the slope at t: some schemes keep their velocity half a step away; the pull may end at t, not before."""
    i = int(np.clip(np.searchsorted(time, t), 2, time.size - 1))
    i -= abs(time[i - 1] - t) < abs(time[i] - t) and i > 2
    window = slice(i - 2, i + 1)
    return float(np.polyval(np.polyder(np.polyfit(time[window] - t, x[window], 2)), 0.0))


@once
def motion_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of m1."""
    shoe = o.response.elements.get(RUBBING, {})
    shortest = SHORTEST * period(o.values)
    return phases(o.response.time, o.response.velocity[:, 0], shoe.get("stuck"), shortest_stick=shortest)


def slips(o: Observation) -> list[Phase]:
    """Slips of m1; what a penalised law slides while its spring of stick settles is none."""
    shortest = SHORTEST * period(o.values)
    return [phase for phase in motion_phases(o) if phase.direction and phase.end - phase.start > shortest]


def seen_changes(o: Observation) -> list[tuple[float, str]]:
    """Return the changes of phase in a response: instant (s), and the phase that begins.

    A slip is followed by stick, unless the slip back begins at once: the spring exceeds what friction holds at rest.
    """
    seen: list[tuple[float, str]] = []
    for slip in slips(o):
        if seen and seen[-1][0] == slip.start:
            seen.pop()
        seen += [(slip.start, "slip+" if slip.direction > 0 else "slip-"), (slip.end, "stick")]
    return seen


def phase_order(o: Observation) -> str:
    """Return the phases that begin, in order of time."""
    return " ".join(kind for _, kind in seen_changes(o))


def phase_time(o: Observation, number: int) -> float:
    """Return the instant of a change of phase, counted from 0 (s); raises SolverFailure if there are fewer."""
    seen = seen_changes(o)
    if len(seen) <= number:
        raise SolverFailure(f"the response shows {len(seen)} changes of phase, {number + 1} are needed")
    return seen[number][0]


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
