"""What is measured at rigid stops: instants of impacts, their limit, how far a body goes beyond."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.problem.elements import Stop
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.balance import element_history, stop_gap
from veridyn.validation_cases.judgement.case import Floats, Observation, Quantity, Values, read_once
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.measures.consistency import residual

RESOLVED = 1e-2  # of the span: intervals between impacts that a limit is read from are longer
TOUCH = 0.03  # of the largest rate of the gap: a slower touch between samples is no impact
BEYOND = Tolerance(1e-2, "absolute", "what steps over an impact goes as far beyond as it moves in a step")


@read_once
def instants(o: Observation) -> Floats:
    """Return the instants (k,) of impacts on the first stop: events, or read between the samples.

    A release is an event of a stop too, and no impact.

    Raises
    ------
    MissingHistory
        If the solver reports neither events nor forces of the stop.
    """
    stop, r = o.problem.stops[0], o.response
    if stop.name not in r.events:
        return _between(o, stop)
    rate, events = r.velocity @ stop.normal, r.events[stop.name]
    before = np.searchsorted(r.time, events) - 1
    return np.asarray(events[(before >= 0) & (rate[before] > 0)])


def _between(o: Observation, stop: Stop) -> Floats:
    """Return where the way of the last two samples before forces begin, as a cubic, leads to the stop.

    Touches at less than a share of the largest rate are what steps make of a contact that goes on.
    """
    r = o.response
    pushes, rate = element_history(r, stop.name, "normal_force", of="stop") > 0, r.velocity @ stop.normal
    gap = stop_gap(o.problem, r, stop)
    last = np.flatnonzero(pushes[1:] & (rate[:-1] > TOUCH * np.abs(rate).max()) & ~pushes[:-1])
    return np.array([_reached(r.time[i - 1 : i + 2], gap[i - 1 : i + 1], -rate[i - 1 : i + 1]) for i in last if i > 0])


def _reached(times: Floats, gap: Floats, rate: Floats) -> float:
    """Return where the cubic through two gaps with their rates falls to zero, up to the third of the instants."""
    from scipy.interpolate import CubicHermiteSpline  # late: listing cases must not wait for it

    later = [t for t in CubicHermiteSpline(times[:2], gap, rate).roots() if times[1] <= t]
    return float(min([*later, times[2]]))


def hit(o: Observation, number: int) -> float:
    """Return the instant of an impact (s), counted from 1; raises `SolverFailure` if there are fewer."""
    found = instants(o)
    if found.size < number:
        raise SolverFailure(f"the response shows {found.size} impacts, not {number}")
    return float(found[number - 1])


def hits(o: Observation) -> float:
    """Count the impacts."""
    return float(instants(o).size)


def limit_of_hits(o: Observation) -> float:
    """Return the instant (s) at which impacts accumulate; raises `SolverFailure` if they do not."""
    found = instants(o)
    apart = np.diff(found)
    coarse = np.flatnonzero(apart > RESOLVED * (o.problem.end - o.problem.start))
    if coarse.size < 2:
        raise SolverFailure("the impacts do not accumulate")
    last, ratio = coarse[-1], apart[coarse[-1]] / apart[coarse[-1] - 1]
    return float(found[last + 1] + apart[last] * ratio / (1.0 - ratio))


def beyond(size: Callable[[Values], float]) -> Quantity:
    """Return how far a body goes beyond a rigid stop, over a size (m)."""
    words = "largest way beyond a rigid stop, of the gap"
    found = residual("beyond", "1", words, lambda o: _beyond(o) / size(o.values), BEYOND, converges=True)
    return replace(found, regularity=1.0)


def _beyond(o: Observation) -> float:
    rigid = [stop for stop in o.problem.stops if stop.rigid]
    return max(0.0, *(-float(stop_gap(o.problem, o.response, stop).min()) for stop in rigid))
