"""SDND101: what is measured in a response."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import elastic_stop
from veridyn.references.parameters import Exact
from veridyn.solver.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.balance import stop_gap
from veridyn.solver.postprocessing.impacts import Impact, interpolated_impacts, located_impacts
from veridyn.validation_cases.core.case import Observation, Values, once

FEW, MANY = 2, 100  # impacts of the short and of the long run


def frequencies(values: Values) -> tuple[float, float]:
    """Circular frequencies (rad/s) in flight and in contact."""
    m, k, kc = (float(values[name]) for name in ("m", "k", "kc"))
    return math.sqrt(k / m), math.sqrt((k + kc) / m)


def given(values: Values) -> dict[str, Any]:
    """Return the parameters that the reference knows."""
    return {name: values[name] for name in ("m", "k", "kc", "v0")}


def true_instants(values: Values, count: int) -> NDArray[np.float64]:
    """Return touch and release of the first impacts, one after the other (s)."""
    cycle, duration = _cycle(tuple(given(values).items()))
    starts = np.arange(count) * cycle
    return np.column_stack((starts, starts + duration)).ravel()


@lru_cache(maxsize=16)
def _cycle(parameters: tuple[tuple[str, Exact], ...]) -> tuple[float, float]:
    known: dict[str, Any] = dict(parameters)
    second = elastic_stop.contact_start(shock=2, **known, digits=20)
    return float(second), float(elastic_stop.contact_duration(**known, digits=20))


@once
def impacts(o: Observation) -> list[Impact]:
    """Impacts at the events that the solver reports, or located between the samples."""
    response, stop = o.response, o.problem.stops[0]
    gap = stop_gap(o.problem, response, stop)
    if stop.name in response.events:
        rate = -response.velocity @ stop.normal
        return located_impacts(response.time, gap, rate, response.events[stop.name], stop.stiffness)
    return interpolated_impacts(response.time, gap, stop.stiffness)


def must_reach(o: Observation, number: int) -> None:
    """Raise CapabilityError where the problem ends before an impact: parameter sets of users have the short run."""
    if (number - 1) * float(true_instants(o.values, 2)[2]) >= o.problem.end:
        raise CapabilityError(f"the problem ends before impact {number}")


def impact(o: Observation, number: int) -> Impact:
    """One impact, counted from 1; raises SolverFailure if the response has fewer, or as `must_reach`."""
    must_reach(o, number)
    found = impacts(o)
    if len(found) < number:
        raise SolverFailure(f"the response shows {len(found)} complete impacts, {number} are needed")
    return found[number - 1]


def count(o: Observation, number: int) -> float:
    """Count the complete impacts; raises as `must_reach` for that number."""
    must_reach(o, number)
    return float(len(impacts(o)))


def worst_instant(o: Observation, number: int) -> float:
    """Return the largest difference of touches and releases from the true ones (s), each from its own.

    Raises
    ------
    SolverFailure
        If the response shows another number of impacts.
    CapabilityError
        As `must_reach`.
    """
    must_reach(o, number)
    found = impacts(o)
    if len(found) != number:
        raise SolverFailure(f"the response shows {len(found)} complete impacts, there are {number}")
    seen = np.array([[i.start, i.end] for i in found]).ravel()
    return float(np.abs(seen - true_instants(o.values, number)).max())


def peak_time(o: Observation, number: int) -> float:
    """Instant of the largest force of an impact (s)."""
    return impact(o, number).peak_time


def peak_force(o: Observation, number: int) -> float:
    """Largest force of an impact (N)."""
    return impact(o, number).peak_force


def contact_duration(o: Observation, number: int) -> float:
    """Duration of contact of an impact (s)."""
    return impact(o, number).duration


def flight_duration(o: Observation) -> float:
    """Duration of flight between impacts 1 and 2 (s)."""
    return impact(o, 2).start - impact(o, 1).end


def impulse(o: Observation, number: int) -> float:
    """Impulse of the stop in an impact (N s)."""
    return impact(o, number).impulse


def impact_velocity(o: Observation) -> float:
    """Rate of the gap when impact 2 begins (m/s)."""
    return impact(o, 2).velocity


def energy(o: Observation, number: int) -> float:
    """Return the energy of the flight before an impact (J), from its largest distance on a parabola.

    Raises
    ------
    SolverFailure
        If the response has fewer impacts, or no turning between them.
    """
    after, before, time = impact(o, number), impact(o, number - 1), o.response.time
    flying = np.flatnonzero((time > before.end) & (time < after.start))
    if flying.size < 3:
        raise SolverFailure(f"the response shows {flying.size} samples between impacts {number - 1} and {number}")
    top = flying[0] + int(np.argmin(o.response.displacement[flying, 0]))
    top = int(np.clip(top, flying[1], flying[-2]))
    near = slice(top - 1, top + 2)
    x = o.response.displacement[near, 0]
    c, b, a = np.polynomial.polynomial.polyfit(time[near] - time[top], x, 2)
    if not a > 0:
        raise SolverFailure(f"the mass does not turn between impacts {number - 1} and {number}")
    return float(0.5 * o["k"] * (c - b**2 / (4 * a)) ** 2)


def impulse_residual(o: Observation) -> float:
    """Return the largest difference of stop impulse and change of momentum over the impacts, in 2 m v0.

    During contact the spring k takes the same displacement as the stop, hence k/k_c of its impulse.

    Raises
    ------
    SolverFailure
        If the response shows no complete impact.
    """
    m, k, kc, v0 = (o[name] for name in ("m", "k", "kc", "v0"))
    impact(o, 1)
    return max(abs(i.impulse * (1 + k / kc) + 2 * m * i.velocity) for i in impacts(o)) / (2 * m * v0)
