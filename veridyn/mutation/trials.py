"""Trials of mutation analysis: one mutant on one variant of a case, and the search for the smallest size detected."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from veridyn.mutation.mutants import Fault
from veridyn.solver.errors import SolverInputError
from veridyn.solver.problem.mechanical import MechanicalProblem, Problem
from veridyn.solver.problem.time_scales import shortest_period
from veridyn.solver.response import output_instants
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.checks import checks_of
from veridyn.validation_cases.core.judge import Check, Record, judge
from veridyn.validation_cases.core.runner import Runner, Statement

FAILED = ("fail", "error")
REFUSED = "the solver refuses its own settings"
MOST_SIZES = 16  # tried in a search; one that finds its way by the ratios needs four or five


@dataclass(frozen=True)
class Place:
    """A variant of a case by name."""

    case: str
    variant: str

    @property
    def statement(self) -> Statement:
        """The variant, with its problem."""
        case = load_case(self.case)
        return Statement(case, case.variant(self.variant))


@dataclass(frozen=True)
class Trial:
    """What the checks said of a mutant, or of a solver without fault (``fault`` empty), on one variant.

    Attributes
    ----------
    found
        By name of the check that failed: layer (``error`` where there was no response) and error over tolerance, None
        if that is no number.
    broken
        By name of the check in which a measure of ours failed: how.
    judged
        How many checks were judged, by layer.
    """

    host: str
    solver: str
    fault: str
    size: float | None
    place: Place
    found: Mapping[str, tuple[str, float | None]]
    broken: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, int] = field(default_factory=dict)

    @property
    def detected(self) -> bool:
        """Whether a check failed."""
        return bool(self.found)

    @property
    def worst(self) -> float:
        """Largest error over tolerance, 0 if nothing failed; infinite where no failure has such a number."""
        ratios = [ratio for _, ratio in self.found.values() if ratio is not None]
        return max(ratios, default=math.inf if self.found else 0.0)


def places(cases: Sequence[str]) -> list[Place]:
    """Return the variants of cases with something to measure, cheapest first: by the periods that a solver passes."""
    every = [Place(name, variant.name) for name in cases for variant in load_case(name).variants]
    costs = {place: _cost(place.statement) for place in every}
    if not any(costs.values()):
        raise SolverInputError("nothing is asked of a solver in these cases; name another")
    return sorted((place for place, cost in costs.items() if cost), key=lambda place: costs[place])


def _cost(statement: Statement) -> float:
    """Return the number of periods in the time span, times how much is measured; 0 if nothing is."""
    problem: Problem = statement.problem
    return len(statement.quantities) * _periods(problem)


SAMPLES = 40  # about, in a period of an initial value problem


def _periods(problem: Problem) -> float:
    if isinstance(problem, MechanicalProblem):
        return (problem.end - problem.start) / shortest_period(problem)
    return output_instants(problem).size / SAMPLES


def is_touched(fault: Fault, capabilities: frozenset[str], place: Place) -> bool:
    """Tell whether a variant has what a fault damages, and nothing that the host cannot solve."""
    problem = place.statement.problem
    return problem.needs <= capabilities and fault.touches(problem)


def judged(runner: Runner, place: Place, wanted: Callable[[Check], bool]) -> Iterator[Record]:
    """Yield the records of the wanted checks of a variant, for all schemes of a solver."""
    statement = place.statement
    for scheme in runner.subject.schemes:
        for check in filter(wanted, checks_of(statement, runner.subject, scheme)):
            yield judge(check, runner)


def trial(records: Iterable[Record], known: Trial | None, **named: Any) -> Trial:
    """Return the trial that the records of a variant amount to.

    A solver that refuses its own settings fails; any other exception on the way is a fault of ours. What fails in the
    ``known`` trial of the solver without fault, too, is not detected; what is broken there is not new.
    """
    found: dict[str, tuple[str, float | None]] = {}
    broken: dict[str, str] = {}
    count: dict[str, int] = {}
    try:
        for record in records:
            _take(record, known, found, broken, count)
    except SolverInputError as refused:
        if not (known and any(name.startswith(REFUSED) for name in known.found)):
            found[f"{REFUSED}: {refused}"] = ("error", None)
    except Exception as error:  # noqa: BLE001 - one mutant must not end the study
        broken["exception"] = f"{type(error).__name__}: {error}"
    return Trial(found=found, broken=broken, judged=count, **named)


def _take(
    record: Record,
    known: Trial | None,
    found: dict[str, tuple[str, float | None]],
    broken: dict[str, str],
    count: dict[str, int],
) -> None:
    if record.verdict == "not applicable":
        return
    count[record.layer] = count.get(record.layer, 0) + 1
    if record.verdict == "harness error" and not (known and record.id in known.broken):
        broken[record.id] = record.detail
    if record.verdict in FAILED and not (known and record.id in known.found):
        found[record.id] = ("error" if record.verdict == "error" else record.layer, _ratio(record))


def _ratio(record: Record) -> float | None:
    if record.error is None or not record.tolerance or record.error_kind == "exact":
        return None
    ratio = record.error / record.tolerance
    return ratio if math.isfinite(ratio) else None


# ---- sizes


def number_of(size: float) -> int:
    """Return the number of the largest size of 1, 3, 10, 30, … that is not above a size; 1 has number 0."""
    decade = math.floor(math.log10(size * (1 + 1e-9)))
    return 2 * decade + (size * (1 + 1e-9) >= 3 * 10.0**decade)


def sized(number: int) -> float:
    """Return the size of a number, see `number_of`."""
    return float(f"{3 if number % 2 else 1}e{number // 2}")


@dataclass(frozen=True)
class Resolution:
    """Smallest size of a fault that was detected, and by which check; largest one below that was not (None: none)."""

    detected: float
    survived: float | None
    check: str


def resolve(attempt: Callable[[float], Trial], seen: Trial, smallest: float) -> Resolution:
    """Look for the smallest size that is detected, in steps of 1, 3, 10.

    The ratio of error and tolerance says how far below a detected size the limit should lie; the step above and the
    step below the limit are both tried. It begins with a trial that detected the fault, and ends at the smallest size.
    """
    assert seen.size is not None
    above, survived = seen, None
    bottom, top = number_of(smallest) - 1, number_of(seen.size * (1 - 1e-6)) + 1
    for _ in range(MOST_SIZES):
        if top - bottom <= 1:
            break
        guess = (bottom + top) // 2 if survived else _expected(above)
        number = min(max(guess, bottom + 1), top - 1)
        tried = attempt(sized(number))
        if tried.detected:
            above, top = tried, number
        else:
            survived, bottom = sized(number), number
    assert above.size is not None
    worst = max(above.found, key=lambda name: above.found[name][1] or 0.0)
    return Resolution(above.size, survived, worst)


def _expected(above: Trial) -> int:
    """Return the number of the smallest size that is detected if error is proportional to size."""
    assert above.size is not None
    ratio = above.worst if math.isfinite(above.worst) else 3.0
    return number_of(above.size / max(ratio, 1.0)) + 1
