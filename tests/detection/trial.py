"""One trial: the checks of one variant of a case, judged for a solver with a fault."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_scales import shortest_period
from veridyn.results import Record
from veridyn.solver.contract.responses import output_instants
from veridyn.validation_cases.judgement.catalogue import case_names, load_case
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import Check, judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement

from .fault import Fault

FAILED = ("fail", "error")
REFUSED = "the solver refuses its own settings"
SAMPLES = 40  # about, in a period of an initial value problem


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


CARD = Place("card", "")
"""No case: the small problems of the identity card, which are posed before all cases."""


@dataclass(frozen=True)
class Trial:
    """What the checks say of a solver on one variant.

    Attributes
    ----------
    host, fault, size, place
        Which solver; ``fault`` is empty for a sound one. On which variant.
    failures
        By name of the check that failed: layer (``error`` where there was no response) and error over tolerance, None
        if that is no number.
    broken
        By name of the check in which a measure of the suite failed: how.
    judged
        How many checks were judged, by layer.
    """

    host: str
    fault: str
    size: float | None
    place: Place
    failures: Mapping[str, tuple[str, float | None]]
    broken: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, int] = field(default_factory=dict)

    @property
    def detected(self) -> bool:
        """Whether a check failed."""
        return bool(self.failures)

    @property
    def layers(self) -> set[str]:
        """The layers in which checks failed."""
        return {layer for layer, _ in self.failures.values()}

    @property
    def worst(self) -> float:
        """Largest error over tolerance, 0 if nothing failed; infinite where no failure has such a number."""
        ratios = [ratio for _, ratio in self.failures.values() if ratio is not None]
        return max(ratios, default=math.inf if self.failures else 0.0)


def read_trial(entry: Mapping[str, Any]) -> Trial:
    """Return a trial from what JSON carries of it."""
    failures = {name: (layer, ratio) for name, (layer, ratio) in entry["failures"].items()}
    return Trial(**{**entry, "place": Place(**entry["place"]), "failures": failures})


@cache
def find_places(cases: Sequence[str] = ()) -> tuple[Place, ...]:
    """Return the variants of cases (default all) that measure something, cheapest first.

    Raises SolverInputError if there is none.
    """
    places = [Place(name, variant.name) for name in cases or case_names() for variant in load_case(name).variants]
    costs = {place: estimate_cost(place.statement) for place in places}
    if not any(costs.values()):
        raise SolverInputError("nothing is asked of a solver in these cases; name another")
    return tuple(sorted((place for place, cost in costs.items() if cost), key=lambda place: costs[place]))


def estimate_cost(statement: Statement) -> float:
    """Return the number of periods in the time span, times how much is measured; 0 if nothing is."""
    problem = statement.problem
    if isinstance(problem, MechanicalProblem):
        periods = (problem.end - problem.start) / shortest_period(problem)
    else:
        periods = output_instants(problem).size / SAMPLES
    return len(statement.quantities) * periods


def is_touched(fault: Fault, capabilities: frozenset[str], place: Place) -> bool:
    """Return whether a variant has what a fault damages, and nothing that the host cannot solve."""
    problem = place.statement.problem
    return problem.needs <= capabilities and bool(fault.touches(problem))


def judge_place(runner: Runner, place: Place, selects: Callable[[Check], bool] = lambda _: True) -> Iterator[Record]:
    """Yield the records of the selected checks of a variant, for all schemes of a solver."""
    statement = place.statement
    for scheme in runner.subject.schemes:
        for check in filter(selects, checks_of(statement, runner.subject, scheme)):
            yield judge(check, runner)


def summarise(
    records: Iterable[Record], sound: Trial | None, *, host: str, fault: str, size: float | None, place: Place
) -> Trial:
    """Return the trial that the records of a variant amount to.

    A solver that refuses its own settings fails; any other exception on the way is a fault of the suite. What fails in
    the trial of the ``sound`` solver, too, is not detected; what is broken there is not new.
    """
    judged: list[Record] = []
    refusal: dict[str, tuple[str, float | None]] = {}
    exception: dict[str, str] = {}
    try:
        for record in records:
            judged += [record] if record.verdict != "not applicable" else []
    except SolverInputError as error:
        if not (sound and any(name.startswith(REFUSED) for name in sound.failures)):
            refusal = {f"{REFUSED}: {error}": ("error", None)}
    except Exception as error:  # noqa: BLE001 - one solver must not end the study
        exception = {"exception": f"{type(error).__name__}: {error}"}
    failed = [r for r in judged if r.verdict in FAILED and not (sound and r.id in sound.failures)]
    broken = [r for r in judged if r.verdict == "harness error" and not (sound and r.id in sound.broken)]
    return Trial(
        host=host,
        fault=fault,
        size=size,
        place=place,
        failures={r.id: ("error" if r.verdict == "error" else r.layer, _ratio(r)) for r in failed} | refusal,
        broken={r.id: r.detail for r in broken} | exception,
        judged=dict(Counter(r.layer for r in judged)),
    )


def _ratio(record: Record) -> float | None:
    if record.error is None or not record.tolerance or record.error_kind == "exact":
        return None
    ratio = record.error / record.tolerance
    return ratio if math.isfinite(ratio) else None
