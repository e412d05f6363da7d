"""Metamorphic relations: what must not change when a problem is stated or solved in another way.

No reference is needed. Each relation changes a problem, solves it, and maps the answer back to the problem as it was,
so that any measure of a case can read both. A solver that is right about the mechanics answers the same: to rounding
where nothing but rounding differs, within its numerical uncertainty otherwise.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib import import_module
from typing import Protocol, cast

import numpy as np

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem, as_mechanical
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import AnyResponse, Response, Trajectory
from veridyn.validation_cases.judgement.changed_units import SI, Units, in_si, in_units, is_expressible
from veridyn.validation_cases.judgement.cut_at_events import (
    can_be_cut_after_event,
    has_several_changes,
    restarted_after_event,
)

Solve = Callable[[Problem], AnyResponse]  # returns a checked response

# Lengths shrink to a thousandth: an absolute tolerance that was harmless is not any more. Time grows, so that a step
# that a solver fixes in seconds gets finer, not unstable. Mass takes a power of four: a root of it rounds nothing.
UNITS = Units(length=2.0**-10, mass=2.0**-4, time=2.0)
# Lengths alone: steps and stiffnesses of settings stay right, and an absolute tolerance asks for more than before.
LENGTHS = Units(length=4.0)
CLOSE = 0.75  # of the usual distance of output instants: a nearer one was put between
FEWEST = 4  # output instants: of fewer none can be left out, or the parts of a span would have a single one
LAST_BITS = 4  # roundings of an instant that was shifted and shifted back


def _always(problem: Problem) -> bool:  # noqa: ARG001 - as relations ask
    return True


def _not_later(problem: Problem) -> float:  # noqa: ARG001 - as relations ask
    return 0.0


@dataclass(frozen=True)
class Relation:
    """One change of a problem and what must stay.

    Parameters
    ----------
    name
        Stable name.
    what
        One sentence for people: what was changed and what must stay.
    answer
        Solves the changed problems and returns the response of the problem as it was.
    applies
        Whether a problem can be changed in this way.
    to_rounding
        Whether it holds to rounding for every deterministic method; otherwise within its numerical uncertainty.
    forbids_changes
        Whether a solver fails that changes the problem which it is given, in its own process, too.
    later
        By how much a problem starts later (s).
    units
        Units in which the solver is asked: settings with a dimension (a step, an absolute tolerance) belong to them.
    kind
        The only kind of problems that can be changed so: of a solver that does not offer them nothing is asked. Empty:
        both.
    """

    name: str
    what: str
    answer: Callable[[Solve, Problem], AnyResponse]
    applies: Callable[[Problem], bool] = _always
    to_rounding: bool = False
    forbids_changes: bool = False
    later: Callable[[Problem], float] = _not_later
    units: Units = SI
    kind: str = ""


def _is_mechanical(problem: Problem) -> bool:
    return problem.kind == MechanicalProblem.kind


class Restating(Protocol):
    """What a module does that restates problems of one kind: all problems and responses are of that kind."""

    def halved(self, problem: Problem, /) -> Problem:
        """Return the problem with half its initial values."""

    def can_be_restarted(self, problem: Problem, /) -> bool:
        """Tell whether a motion may be cut."""

    def continued(self, problem: Problem, response: AnyResponse, place: int, /) -> Problem:
        """Return a problem that starts with the state of a sample."""

    def followed(self, first: AnyResponse, second: AnyResponse, /) -> AnyResponse:
        """Return the first response until the second begins, then the second."""

    def shifted(self, problem: Problem, by: float, /) -> Problem:
        """Return what happens by some seconds later."""

    def mirrored(self, solve: Solve, problem: Problem, /) -> AnyResponse:
        """Solve with every direction of opposite sign; mechanical problems alone have any."""

    def permuted(self, solve: Solve, problem: Problem, /) -> AnyResponse:
        """Solve with the coordinates in reverse order."""

    def renamed(self, solve: Solve, problem: Problem, /) -> AnyResponse:
        """Solve with names that say nothing."""


ROOM = "veridyn.validation_cases.judgement"
RESTATING = {"mechanical": f"{ROOM}.restated_mechanical", "initial value": f"{ROOM}.restated_initial_value"}
"""The module that restates problems of a kind; imported when one is restated, since some take SymPy."""


def _of(problem: Problem) -> Restating:
    """Return the module that restates problems of this kind."""
    return cast(Restating, import_module(RESTATING[problem.kind]))


def _spanning(problem: Problem, start: float, end: float) -> Problem:
    """Return the problem on a part of its span."""
    times = problem.output_times
    outputs = None if times is None else times[(times >= start) & (times <= end)]
    return replace(problem, start=start, end=end, output_times=outputs)


def _copy(problem: Problem) -> Problem:
    """Return a copy that shares nothing, so that a solver that changes it leaves the problem of others alone."""
    return type(problem).from_dict(problem.to_dict())


# ---- the same problem again


def _repeated(solve: Solve, problem: Problem) -> AnyResponse:
    same = _copy(problem)
    solve(same)
    return solve(same)


def _after_another(solve: Solve, problem: Problem) -> AnyResponse:
    short = _spanning(problem, problem.start, next(iter(_cuts(problem, 3)), problem.end))
    solve(_of(short).halved(short))
    return solve(_copy(problem))


def _unchanged(solve: Solve, problem: Problem) -> AnyResponse:
    given = _copy(problem)
    before = given.to_dict()
    response = solve(given)
    after = given.to_dict()
    changed = [name for name, value in before.items() if after[name] != value]
    refuse_changes(problem, changed)
    return response


def refuse_changes(problem: Problem, changed: Sequence[str]) -> None:
    """Raise SolverFailure if a solver has changed something of a problem."""
    if changed:
        raise SolverFailure(f"{problem.name}: the solver changed the problem that it was given: {', '.join(changed)}")


# ---- another span, another grid


def _cuts(problem: Problem, parts: int) -> list[float]:
    """Return the instants (s) that cut the span into about equal parts, output instants where there are any.

    Every part has two output instants at least, its ends; empty where that cannot be.
    """
    wanted = np.linspace(problem.start, problem.end, parts + 1)[1:-1]
    if problem.output_times is None:
        return cast(list[float], wanted.tolist())
    # A part that ends between outputs would give the whole a sample that the run in one piece does not have, and
    # measures that read samples would differ without any fault of the solver.
    inner = problem.output_times[1:-1]
    if not inner.size:
        return []
    result = np.unique([inner[np.argmin(np.abs(inner - instant))] for instant in wanted])
    return cast(list[float], result.tolist()) if result.size == parts - 1 else []


def _can_be_restarted(parts: int, problem: Problem) -> bool:
    return bool(_cuts(problem, parts)) and _of(problem).can_be_restarted(problem)


def _restarted(parts: int, solve: Solve, problem: Problem) -> AnyResponse:
    kind, part = _of(problem), problem
    responses: list[AnyResponse] = []
    for end in (*_cuts(problem, parts), problem.end):
        response = solve(_spanning(part, part.start, end))
        responses.append(response)
        # the sample there, whose instant a solver with a step of its choice may miss by a little
        i = int(np.argmin(np.abs(response.time - end)))
        if end < problem.end:
            part = kind.continued(_spanning(problem, float(response.time[i]), problem.end), response, i)
    return reduce(kind.followed, responses)


def _has_outputs(problem: Problem) -> bool:
    return problem.output_times is not None and problem.output_times.size >= FEWEST


def _half_output(solve: Solve, problem: Problem) -> AnyResponse:
    assert problem.output_times is not None
    return solve(replace(problem, output_times=_halved(problem.output_times)))


def _halved(times: Floats) -> Floats:
    """Return every second instant, the last, and those put between the others, as values are asked for there."""
    # A quantity may be read at an instant of its own, which was put between even ones for that. Without it the measure
    # would interpolate, and the change would be one of the measure.
    short = np.diff(times) < CLOSE * np.median(np.diff(times))
    between = times[np.append(short, False) | np.append(False, short)]
    return np.union1d(times[::2], [*between, times[-1]])


# ---- another origin of time


def _shift(problem: Problem) -> float:
    # A power of two about as long as the span. An instant loses a bit or two by it, so that what fails is the handling
    # of time. A shift of 10^6 spans would lose six digits of every instant, and test rounding alone.
    return float(2.0 ** round(math.log2(problem.end - problem.start)))


def _later_origin(solve: Solve, problem: Problem) -> AnyResponse:
    by = _shift(problem)
    response = solve(_of(problem).shifted(problem, by))
    known = _known_instants(problem)
    rounding = LAST_BITS * float(np.spacing(by + np.abs(known).max()))
    time = response.time - by
    snapped = _snapped(time, known, rounding)
    if np.all(np.diff(snapped) > 0):  # else an event lies within the last bits of an output instant: neither moves
        time = snapped
    events = {name: time[np.searchsorted(response.time, instants)] for name, instants in response.events.items()}
    return replace(response, time=time, events=events)


def _known_instants(problem: Problem) -> Floats:
    outputs = () if problem.output_times is None else problem.output_times
    return np.union1d([problem.start, problem.end], outputs)


def _snapped(instants: Floats, known: Floats, within: float) -> Floats:
    """Return the instants, those that are known ones but for rounding as they are known."""
    after = np.clip(np.searchsorted(known, instants), 1, known.size - 1)
    nearest = np.where(instants - known[after - 1] < known[after] - instants, known[after - 1], known[after])
    return np.where(np.abs(nearest - instants) <= within, nearest, instants)


# ---- other units, other coordinates


def _other_units(solve: Solve, problem: Problem) -> AnyResponse:
    mechanical = as_mechanical(problem)
    response = solve(in_units(mechanical, UNITS))
    assert isinstance(response, Response)
    return in_si(mechanical, response, UNITS)


def _disguised(solve: Solve, problem: Problem) -> AnyResponse:
    """Solve with nothing as it was: names, order of coordinates, origin of time, and lengths where units are known."""
    kind = _of(problem)

    def rename(stated: Problem) -> AnyResponse:
        return kind.renamed(solve, stated)

    def permute(stated: Problem) -> AnyResponse:
        return kind.permuted(rename, stated) if len(stated.unknowns) > 1 else rename(stated)

    def begin_later(stated: Problem) -> AnyResponse:
        return _later_origin(permute, stated)

    if not (_is_mechanical(problem) and is_expressible(as_mechanical(problem))):
        return begin_later(problem)
    mechanical = as_mechanical(problem)
    response = begin_later(in_units(mechanical, LENGTHS))
    assert isinstance(response, Response)
    return in_si(mechanical, response, LENGTHS)


# ---- events of initial value problems


def _events_reordered(solve: Solve, problem: Problem) -> AnyResponse:
    assert isinstance(problem, InitialValueProblem)
    modes = tuple(replace(mode, events=mode.events[::-1]) for mode in problem.modes)
    return solve(replace(problem, modes=modes))


def _restarted_after_event(solve: Solve, problem: Problem) -> AnyResponse:
    assert isinstance(problem, InitialValueProblem)
    return restarted_after_event(cast(Callable[[InitialValueProblem], Trajectory], solve), problem)


# Each relation is a symmetry of the equations of motion or of the interface: a later origin, other units, a
# mirror, another order of coordinates; a motion cut in parts (the state at an instant determines what follows);
# other outputs, which are no steps. A wrong law that respects a symmetry passes it; so there are several, and
# truth is for other layers.
RELATIONS: tuple[Relation, ...] = (
    Relation("repeated", "The same problem solved twice gives the same answer.", _repeated, to_rounding=True),
    Relation(
        "after_another",
        "A problem that was solved before, with half of the initial values and a shorter span, leaves no trace.",
        _after_another,
        to_rounding=True,
    ),
    Relation(
        "problem_unchanged",
        "The solver leaves the problem that it is given as it is.",
        _unchanged,
        to_rounding=True,
        forbids_changes=True,
    ),
    Relation(
        "restarted",
        "The motion stopped half-way and started again from its displacement and velocity goes on as without the stop.",
        partial(_restarted, 2),
        applies=partial(_can_be_restarted, 2),
    ),
    Relation(
        "restarted_twice",
        "The motion in three parts, each started from the end of the one before, is that in one piece.",
        partial(_restarted, 3),
        applies=partial(_can_be_restarted, 3),
    ),
    Relation(
        "half_output", "Half as many output instants do not change the motion.", _half_output, applies=_has_outputs
    ),
    Relation(
        "later_origin",
        "Everything some seconds later, loads and supports with it, gives the same motion later.",
        _later_origin,
        later=_shift,
    ),
    Relation(
        "other_units",
        "The same structure with its numbers in other units of length, mass and time moves in the same way.",
        _other_units,
        applies=lambda problem: _is_mechanical(problem) and is_expressible(as_mechanical(problem)),
        units=UNITS,
    ),
    Relation(
        "mirrored",
        "With every direction and initial value of opposite sign displacement and velocity change sign, forces do not.",
        lambda solve, problem: _of(problem).mirrored(solve, problem),
        applies=_is_mechanical,
    ),
    Relation(
        "permuted",
        "The coordinates in reverse order give the same motion in reverse order.",
        lambda solve, problem: _of(problem).permuted(solve, problem),
        applies=lambda problem: len(problem.unknowns) > 1,
    ),
    Relation(
        "events_reordered",
        "The events of every mode listed in reverse order happen at the same instants.",
        _events_reordered,
        applies=lambda problem: isinstance(problem, InitialValueProblem) and has_several_changes(problem),
        kind="initial-value",
    ),
    Relation(
        "restarted_after_event",
        "The motion stopped just after an event, before the next one, and started again goes on as without the stop.",
        _restarted_after_event,
        applies=lambda problem: isinstance(problem, InitialValueProblem) and can_be_cut_after_event(problem),
        kind="initial-value",
    ),
)

STRUCTURAL: tuple[Relation, ...] = (
    *(relation for relation in RELATIONS if relation.name in ("permuted", "events_reordered")),
    Relation(
        "renamed",
        "The same problem with other names of states, parameters, events and modes moves in the same way.",
        lambda solve, problem: _of(problem).renamed(solve, problem),
    ),
)
"""Relations that change nothing but names and order: what they do to a response they do to a derivative."""

TELLING = "restarted"
"""The relation that asks most of a problem: whether its state says all. Who asks a single one asks this."""

DISGUISED = Relation(
    "disguised",
    "The same problem by names that say nothing, in other lengths, later, with its coordinates in reverse order.",
    _disguised,
    later=_shift,
)
"""How a solver is asked for a copy that it must not recognise; it is no check of its own (`moved.py`)."""
