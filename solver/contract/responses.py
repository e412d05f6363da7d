"""What a solver returns: arrays over time, checked once on arrival."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.solver.contract.errors import SolverFailure

if TYPE_CHECKING:
    from veridyn.problem.initial_value import InitialValueProblem

ElementHistories = Mapping[str, Mapping[str, Floats]]

OUTPUTS = 2000  # where a problem asks for no instants
COARSE = 10  # largest spacing of samples, in spacings of the requested output
EMPTY: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Response:
    """Response of a mechanical problem.

    ``time`` (m,), ``displacement`` and ``velocity`` (m, n) relative to the supports;
    ``elements[name][history]`` (m,) for stops (``normal_force``, ``normal_velocity``, ``gap``) and frictions
    (``force``, ``sliding_velocity``, ``stuck``; with a second tangent ``force_2``, ``sliding_velocity_2``) and
    devices (``force``, ``elongation``, internal variables);
    ``events[name]`` (k,) instants at which an element changes its state, each of them also in ``time``, with the
    state that begins there; ``counters`` such as steps and evaluations; ``quantities[name]``: numbers that the solver
    took over all steps itself. Elements, events, counters and quantities are optional.
    """

    time: Floats
    displacement: Floats
    velocity: Floats
    elements: ElementHistories = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    events: Mapping[str, Floats] = field(default_factory=dict)
    quantities: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def instants(self) -> Floats:
        """Instants (k,) of all events, in order."""
        return _instants(self.events)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Response of an initial value problem.

    ``time`` (m,) and ``states`` (m, n), the unknowns in the order of the problem; ``events[name]`` (k,) instants, each
    of them also in ``time``, with the state that begins there, and ``before[name]`` (k, n) the states just before;
    ``modes`` (m,) names of the mode that holds from each sample on; ``counters`` such as steps and evaluations.
    All but time and states is optional.
    """

    time: Floats
    states: Floats
    events: Mapping[str, Floats] = field(default_factory=dict)
    before: Mapping[str, Floats] = field(default_factory=dict)
    modes: tuple[str, ...] = ()
    counters: Mapping[str, float] = field(default_factory=dict)

    @property
    def instants(self) -> Floats:
        """Instants (k,) of all events, in order."""
        return _instants(self.events)


AnyResponse = Response | Trajectory


def _instants(events: Mapping[str, Floats]) -> Floats:
    return np.unique(np.concatenate([np.empty(0), *events.values()]))


def output_instants(problem: Problem) -> Floats:
    """Return the instants (m,) in s at which to answer."""
    times = problem.output_times
    return np.linspace(problem.start, problem.end, OUTPUTS + 1) if times is None else times


@overload
def read_response(problem: MechanicalProblem, answer: object, solver: str) -> Response: ...


@overload
def read_response(problem: Problem, answer: object, solver: str) -> AnyResponse: ...


def read_response(problem: Problem, answer: object, solver: str) -> AnyResponse:
    """Check what a solver returned and bring it into one form.

    Parameters
    ----------
    problem
        What was to be solved.
    answer
        A `Response` or a `Trajectory`, by the kind of the problem, or a mapping with the same names; what has one
        component may be a vector.
    solver
        Name of the solver, for messages.

    Raises
    ------
    SolverFailure
        If a history is missing, has the wrong shape, holds NaN, or time does not increase over the
        whole span of the problem.
    """
    source = vars(answer) if isinstance(answer, Response | Trajectory) else answer
    reader = READERS[problem.kind]
    if not isinstance(source, Mapping):
        raise SolverFailure(
            f"{solver} returned {type(answer).__name__}; a {reader.kind.__name__} or a dict of arrays is needed"
        )
    missing = [name for name in reader.needed if name not in source]
    if missing:
        raise SolverFailure(f"{solver} returned no {' and no '.join(missing)}")
    time = read_history(solver, "time", source["time"])
    counters = source.get("counters", EMPTY)
    if not isinstance(counters, Mapping):
        raise SolverFailure(f"{solver} returned counters that are not numbers by name")
    return reader.read(problem, time, source, dict(counters), solver)


def _response(
    problem: MechanicalProblem, time: Floats, source: Mapping[str, object], counters: dict[str, float], solver: str
) -> Response:
    _check_time(problem, time, solver)
    x, v = (read_matrix(solver, name, source[name], time.size, problem.size) for name in ("displacement", "velocity"))
    reported = source.get("elements", EMPTY)
    if not isinstance(reported, Mapping) or not all(isinstance(h, Mapping) for h in reported.values()):
        raise SolverFailure(f"{solver} returned elements that are not histories by element and name")
    elements = {
        name: {key: read_matrix(solver, f"{name}.{key}", value, time.size, 1)[:, 0] for key, value in histories.items()}
        for name, histories in reported.items()
    }
    names = {element.name for element in problem.elements}
    events = _events(names, time, source.get("events", EMPTY), solver)
    quantities = source.get("quantities", EMPTY)
    if not isinstance(quantities, Mapping):
        raise SolverFailure(f"{solver} returned quantities that are not numbers by element and name")
    return Response(time, x, v, elements, counters, events, quantities)


def _trajectory(
    problem: InitialValueProblem, time: Floats, source: Mapping[str, object], counters: dict[str, float], solver: str
) -> Trajectory:
    events = _events(set(problem.event_names), time, source.get("events", EMPTY), solver)
    ended = any(events[name].size for name in problem.terminal_events & events.keys())
    _check_time(replace(problem, end=float(time[-1]), output_times=None) if ended else problem, time, solver)
    states = read_matrix(solver, "states", source["states"], time.size, problem.size)
    reported, named = source.get("before", EMPTY), source.get("modes", ())
    if not isinstance(reported, Mapping):
        raise SolverFailure(f"{solver} returned states before events that are not states by event")
    if not isinstance(named, Iterable):
        raise SolverFailure(f"{solver} returned modes that are no names")
    before = {
        name: read_matrix(solver, f"states before {name}", value, events[name].size, problem.size)
        for name, value in reported.items()
        if name in events
    }
    modes = tuple(named)
    known = {mode.name for mode in problem.modes}
    wrong = [str(mode) for mode in modes if mode not in known]
    if wrong or len(modes) not in (0, time.size):
        what = f"the unknown mode {wrong[0]!r}" if wrong else f"{len(modes)} modes for {time.size} samples"
        raise SolverFailure(f"{solver} returned {what}; the modes are {', '.join(sorted(known))}, one for each sample")
    return Trajectory(time, states, events, before, modes, counters)


@dataclass(frozen=True)
class ResponseReader:
    """How a response to problems of a kind is read: its class, the names that it must have, the function."""

    kind: type[AnyResponse]
    needed: tuple[str, ...]
    read: Callable[[Any, Floats, Mapping[str, object], dict[str, float], str], AnyResponse]  # Any: of that kind


READERS: Mapping[str, ResponseReader] = {
    "mechanical": ResponseReader(Response, ("time", "displacement", "velocity"), _response),
    "initial value": ResponseReader(Trajectory, ("time", "states"), _trajectory),
}
"""By the kind of the problem."""


def _events(names: Set[str], time: Floats, reported: object, solver: str) -> dict[str, Floats]:
    if not isinstance(reported, Mapping):
        raise SolverFailure(f"{solver} returned events that are not instants by element")
    events = {}
    for name, value in reported.items():
        if name not in names:
            raise SolverFailure(f"{solver} returned events of {name!r}; the events are {sorted(names)}")
        instants = read_history(solver, f"events of {name}", value)
        absent = instants[~np.isin(instants, time)] if instants.ndim == 1 else instants
        if instants.ndim != 1 or np.any(np.diff(instants) <= 0):
            raise SolverFailure(f"{solver} returned events of {name} that are no increasing vector of instants")
        if absent.size:
            raise SolverFailure(
                f"{solver} returned an event of {name} at t = {absent[0]:.9g} s, where time has no sample; add one"
            )
        events[name] = instants
    return events


def read_history(solver: str, name: str, value: object) -> Floats:
    """Return numbers of a solver as an array; raises `SolverFailure` if they are none, or not finite."""
    try:
        array = _real(value)
    except (TypeError, ValueError):
        raise SolverFailure(f"{solver} returned a {name} that is not numeric; real numbers are needed") from None
    if not np.all(np.isfinite(array)):
        first = np.argwhere(~np.isfinite(array))[0]
        raise SolverFailure(f"{solver} returned {name} with NaN or infinity, first at index {first.tolist()}")
    return array


def _real(value: object) -> Floats:
    array = np.asarray(value)
    if array.dtype.kind not in "biufO":  # complex numbers would lose a part, text would be read
        raise TypeError(array.dtype)
    return array.astype(float)


def read_matrix(solver: str, name: str, value: object, m: int, n: int) -> Floats:
    """Return a history as rows (m, n); raises `SolverFailure` if it is none."""
    array = read_history(solver, name, value)
    if array.ndim == 1 and (n == 1 or array.size == m == 0):  # a list of no rows has no columns
        array = array.reshape(-1, n)
    if array.shape != (m, n):
        raise SolverFailure(f"{solver} returned {name} of shape {array.shape}; ({m}, {n}) is needed")
    return array


def _check_time(problem: Problem, time: Floats, solver: str) -> None:
    if time.ndim != 1 or time.size < 2:
        raise SolverFailure(f"{solver} returned time of shape {time.shape}; a vector of instants is needed")
    back = np.flatnonzero(np.diff(time) <= 0)
    if back.size:
        raise SolverFailure(f"{solver} returned time that does not increase, first after index {back[0]}")
    slack = 1e-6 * (problem.end - problem.start)
    if problem.output_times is None:
        if time[0] > problem.start + slack or time[-1] < problem.end - slack:
            raise SolverFailure(
                f"{solver} returned [{time[0]:.6g}, {time[-1]:.6g}] s of the span [{problem.start:.6g}, "
                f"{problem.end:.6g}] s"
            )
    else:
        _check_outputs(problem.output_times, time, slack, solver)


def _check_outputs(wanted: Floats, time: Floats, slack: float, solver: str) -> None:
    """Refuse a history that stops early or is much coarser than asked for: what is measured lies between samples."""
    if time[0] > wanted[0] + slack or time[-1] < wanted[-1] - slack:
        raise SolverFailure(
            f"{solver} returned [{time[0]:.6g}, {time[-1]:.6g}] s; the requested output instants go from "
            f"{wanted[0]:.6g} to {wanted[-1]:.6g} s"
        )
    largest = COARSE * float(np.diff(wanted).max(initial=0.0))
    steps = np.diff(time)
    gaps = np.flatnonzero((steps > max(largest, slack)) & (time[:-1] < wanted[-1] - slack))
    if wanted.size > 2 and gaps.size:
        i = int(gaps[0])
        raise SolverFailure(
            f"{solver} returned no sample between {time[i]:.6g} and {time[i + 1]:.6g} s, though output is requested "
            f"every {largest / COARSE:.3g} s; return the response at output_times"
        )
