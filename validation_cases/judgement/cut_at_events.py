"""What relations ask about events: several in one mode, and a motion that is cut just after one."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.responses import Trajectory
from veridyn.validation_cases.judgement.case import Floats
from veridyn.validation_cases.judgement.restated_initial_value import can_be_restarted, continued, followed

Solve = Callable[[InitialValueProblem], Trajectory]

APART = 1e-6  # of the span: events that are nearer to each other count as one


def _changes(problem: InitialValueProblem) -> Iterator[Change]:
    """Yield the events that change anything."""
    return (change for mode in problem.modes for change in mode.events if not change.is_marker)


def has_several_changes(problem: InitialValueProblem) -> bool:
    """Tell whether a mode has several events that change anything."""
    return any(sum(not change.is_marker for change in mode.events) > 1 for mode in problem.modes)


def can_be_cut_after_event(problem: InitialValueProblem) -> bool:
    """Tell whether a motion has events that it goes on after, and that do not accumulate."""
    return any(_changes(problem)) and problem.accumulation is None and can_be_restarted(problem)


def restarted_after_event(solve: Solve, problem: InitialValueProblem) -> Trajectory:
    """Return the motion in two parts, the second started between an event and the one that follows it soonest.

    Raises
    ------
    CapabilityError
        If the solver reports no events, or not the modes where there are several.
    """
    cut = _after_event(problem, solve(problem))
    first = solve(_part(problem, problem.start, cut))
    place = int(np.argmin(np.abs(first.time - cut)))
    begin = float(first.time[place])
    second = solve(continued(_part(problem, begin, problem.end), first, place))
    return _without_sample(followed(first, second), begin)


def _after_event(problem: InitialValueProblem, response: Trajectory) -> float:
    """Return the instant (s) in the middle between an event and what follows it soonest: an event, or the end."""
    names = {change.name for change in _changes(problem)}
    instants = [at for name, at in response.events.items() if name in names]
    inside = np.unique(np.concatenate([[], *instants]))
    inside = inside[(inside > problem.start) & (inside < problem.end)]
    gaps = [(b - a, a) for a, b in pairwise([*inside, problem.end]) if b - a > APART * (problem.end - problem.start)]
    if not gaps:
        raise CapabilityError("the solver reports no event after which the motion could be cut")
    length, event = min(gaps)
    return float(event + length / 2)


def _part(problem: InitialValueProblem, begin: float, end: float) -> InitialValueProblem:
    """Return the problem on a part of its span, both ends output instants."""
    times = problem.output_times
    outputs = None if times is None else np.union1d(times[(times > begin) & (times < end)], [begin, end])
    return replace(problem, start=begin, end=end, output_times=outputs)


def _without_sample(response: Trajectory, instant: float) -> Trajectory:
    """Return a trajectory without its sample at an instant, which the run in one piece does not have."""
    kept: Floats = response.time != instant
    modes = tuple(mode for mode, keep in zip(response.modes, kept, strict=True) if keep) if response.modes else ()
    return replace(response, time=response.time[kept], states=response.states[kept], modes=modes)
