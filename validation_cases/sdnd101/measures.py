"""SDND101: what is measured in a response."""

from __future__ import annotations

import math

from veridyn.solver.balance import stop_gap
from veridyn.solver.errors import SolverFailure
from veridyn.solver.impacts import Impact, interpolated_impacts, located_impacts
from veridyn.validation_cases.case import Observation, Values

MANY = 100  # impacts of the long run


def frequencies(values: Values) -> tuple[float, float]:
    """Circular frequencies (rad/s) in flight and in contact."""
    m, k, kc = (float(values[name]) for name in ("m", "k", "kc"))
    return math.sqrt(k / m), math.sqrt((k + kc) / m)


def impacts(o: Observation) -> list[Impact]:
    """Impacts at the events that the solver reports, or located between the samples."""
    stop, response = o.problem.stops[0], o.response
    gap = stop_gap(o.problem, response, stop)
    if stop.name in response.events:
        rate = -response.velocity @ stop.normal
        return located_impacts(response.time, gap, rate, response.events[stop.name], stop.stiffness)
    return interpolated_impacts(response.time, gap, stop.stiffness)


def impact(o: Observation, number: int) -> Impact:
    """One impact, counted from 1; raises SolverFailure if the response has fewer."""
    found = impacts(o)
    if len(found) < number:
        raise SolverFailure(f"the response shows {len(found)} complete impacts, {number} are needed")
    return found[number - 1]


def peak_time_1(o: Observation) -> float:
    """Instant of the largest force of impact 1 (s)."""
    return impact(o, 1).peak_time


def peak_time_2(o: Observation) -> float:
    """Instant of the largest force of impact 2 (s)."""
    return impact(o, 2).peak_time


def peak_force(o: Observation) -> float:
    """Largest force of impact 2 (N)."""
    return impact(o, 2).peak_force


def contact_duration(o: Observation) -> float:
    """Duration of contact of impact 1 (s)."""
    return impact(o, 1).duration


def flight_duration(o: Observation) -> float:
    """Duration of flight between impacts 1 and 2 (s)."""
    return impact(o, 2).start - impact(o, 1).end


def impulse(o: Observation) -> float:
    """Impulse of the stop in impact 2 (N s)."""
    return impact(o, 2).impulse


def impact_velocity(o: Observation) -> float:
    """Rate of the gap when impact 2 begins (m/s)."""
    return impact(o, 2).velocity
