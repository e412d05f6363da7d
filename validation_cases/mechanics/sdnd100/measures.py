"""SDND100: what is measured in a response."""

from __future__ import annotations

import math

from veridyn.references import CertificationError, friction_decay
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.solver.postprocessing.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.core.case import Observation, Values, once

SHORTEST = 1 / 150  # periods; what a penalised law shows at a turn is shorter
SLIDER = "shoe"
SMOOTH = 6  # samples of an interpolation within a half cycle


def period(values: Values) -> float:
    """Period 2 pi/omega of the free oscillation (s)."""
    return 2 * math.pi * math.sqrt(float(values["m"]) / float(values["k"]))


def half_cycles_of(values: Values) -> int:
    """Return the true number of half cycles; raises `CertificationError` if it is not known."""
    found = friction_decay.half_cycles(**values, digits=15)
    if found.value is None:
        raise CertificationError(found.routes[0])
    return int(found.value)


def component_at(o: Observation, time: float) -> float:
    """Displacement along the axis x (m) at an instant (s), from the samples of its half cycle if turns are reported."""
    t, x = o.response.time, o.response.displacement[:, 0]
    turns = o.response.events.get(SLIDER)
    if turns is None:
        return math.cos(o["angle"]) * value_at(t, x, time)
    first, last = max(turns[turns <= time], default=-math.inf), min(turns[turns > time], default=math.inf)
    inside = (t >= first) & (t <= last)
    return math.cos(o["angle"]) * value_at(t[inside], x[inside], time, SMOOTH)


def component_after(o: Observation, number: int) -> float:
    """Displacement along the axis x (m) after a number of half periods."""
    return component_at(o, 0.5 * number * period(o.values))


def final_position(o: Observation) -> float:
    """Displacement along the line at the end (m)."""
    return float(o.response.displacement[-1, 0])


@once
def motion_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of the response."""
    slider = o.response.elements.get(SLIDER, {})
    return phases(
        o.response.time,
        o.response.velocity[:, 0],
        slider.get("stuck"),
        shortest_stick=SHORTEST * period(o.values),
    )


def slips(o: Observation) -> list[Phase]:
    """Slips of the response; what a penalised law slides while its spring of stick settles is none."""
    shortest = SHORTEST * period(o.values)
    return [phase for phase in motion_phases(o) if phase.direction and phase.end - phase.start > shortest]


def half_cycles(o: Observation) -> float:
    """Count the phases of slip."""
    return float(len(slips(o)))


def slip_order(o: Observation) -> str:
    """Return the directions of the slips in order of time."""
    return " ".join("+" if slip.direction > 0 else "-" for slip in slips(o))


def turning_time(o: Observation, number: int) -> float:
    """Return the end of a slip (s), counted from 1.

    Raises
    ------
    SolverFailure
        If the response shows fewer slips.
    """
    seen = slips(o)
    if len(seen) < number:
        raise SolverFailure(f"the response shows {len(seen)} slips, {number} are needed")
    return seen[number - 1].end


def stop_time(o: Observation) -> float:
    """End of the last slip (s); 0 if there is none."""
    return max((slip.end for slip in slips(o)), default=0.0)


def dissipated_energy(o: Observation) -> float:
    """Friction force along the line times the path slid (J)."""
    response = o.response
    stuck, located = response.elements.get(SLIDER, {}).get("stuck"), SLIDER in response.events
    path = sliding_distance(response.time, response.displacement[:, 0], stuck, 0.0, o.problem.end, located=located)
    return friction_of(o.values) * path


def share_of(values: Values) -> float:
    """Return the part of friction that acts along the line."""
    return 1.0 if float(values["directions"]) == 2 else math.cos(float(values["angle"]))


def friction_of(values: Values) -> float:
    """Return the friction force along the line (N)."""
    mu, m, g = (float(values[name]) for name in ("mu", "m", "g"))
    return mu * m * g * share_of(values)
