"""Impacts on the stops of a problem, as a response shows them."""

import math

import numpy as np

from veridyn.problem.basis import driven_velocity
from veridyn.problem.elements import Stop
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.balance import section, stop_gap
from veridyn.solver.postprocessing.impacts import Impact, interpolated_impacts, located_impacts
from veridyn.validation_cases.judgement.case import Floats, Observation, Values, floats, read_once


def contact_frequency(values: Values) -> float:
    """Return ω_c = sqrt((k + k_c)/m) (rad/s)."""
    m, k, kc = floats(values, "m", "k", "kc")
    return math.sqrt((k + kc) / m)


@read_once
def impacts(o: Observation) -> list[Impact]:
    """Return the impacts on all stops in order, at the events that the solver reports, or between the samples."""
    return sorted((impact for stop in o.problem.stops for impact in _on(stop, o)), key=lambda impact: impact.start)


def _on(stop: Stop, o: Observation) -> list[Impact]:
    response, velocity = o.response, o.response.velocity
    gap, *normal = section(o.problem, response, stop)
    if stop.name not in response.events:
        return interpolated_impacts(response.time, gap, stop.stiffness)
    if stop.frame == "absolute":
        velocity = velocity + driven_velocity(o.problem, response.time)
    rate = sum(part * (velocity @ along) for part, along in zip(normal, stop.directions, strict=False))
    return located_impacts(response.time, gap, np.asarray(rate), response.events[stop.name], stop.stiffness)


def impact(o: Observation, number: int) -> Impact:
    """Return one impact, counted from 1; raises SolverFailure if the response has fewer."""
    result = impacts(o)
    if len(result) < number:
        raise SolverFailure(f"the response shows {len(result)} complete impacts, {number} are needed")
    return result[number - 1]


def part(o: Observation, number: int, field: str) -> float:
    """Return a part of one impact, counted from 1: its ``start``, ``end``, ``peak_force`` and so on."""
    return float(getattr(impact(o, number), field))


def count(o: Observation) -> float:
    """Count the impacts."""
    return float(len(impacts(o)))


def instants(o: Observation) -> Floats:
    """Return the instants of all contacts (s): touch, release, touch, ..."""
    return np.array([[i.start, i.end] for i in impacts(o)]).ravel()


def worst_instant(o: Observation, true: Floats) -> float:
    """Return the largest difference of touches and releases from the true ones (s), each from its own.

    Raises
    ------
    SolverFailure
        If the response shows another number of impacts.
    """
    seen = instants(o)
    if seen.size // 2 != true.size // 2:
        raise SolverFailure(f"the response shows {seen.size // 2} complete impacts, there are {true.size // 2}")
    return float(np.abs(seen - true[: seen.size]).max(initial=0.0))


def force(o: Observation) -> Floats:
    """Return the force of the first stop (m,) in N, as reported, or stiffness times penetration where none is."""
    stop = o.problem.stops[0]
    reported = o.response.elements.get(stop.name, {}).get("normal_force")
    if reported is not None:
        return np.asarray(reported)
    return np.asarray(stop.stiffness * np.maximum(0.0, -stop_gap(o.problem, o.response, stop)))
