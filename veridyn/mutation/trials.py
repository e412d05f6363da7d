"""Seeded faults, the solvers they sit in, and trials: one mutant on one variant, the smallest size detected."""

from __future__ import annotations

import importlib
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from veridyn.mutation.defects import all_defects
from veridyn.mutation.defects.defect import Defect, Foreign, undamaged
from veridyn.nearest import nearest
from veridyn.solver.errors import SolverInputError
from veridyn.solver.problem.mechanical import MechanicalProblem, Problem
from veridyn.solver.problem.time_scales import shortest_period
from veridyn.solver.response import output_instants
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.checks import checks_of
from veridyn.validation_cases.core.judge import Check, Record, judge
from veridyn.validation_cases.core.runner import Runner, Statement

INTEGRATOR, EXACT = "integrator", "exact"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "hosts"
RECORD = ("name", "kind", "what", "size", "meaning", "smallest", "make", "touches")


@dataclass(frozen=True)
class Fault:
    """A fault that can be seeded into a solver.

    Attributes
    ----------
    name, kind, what
        How it is called; what part of a code it damages; what is wrong, in one sentence.
    size, meaning, smallest
        How large it is, what that number means, and the smallest size that is tried; None and empty where a fault has
        no size.
    make
        Returns the solver with the fault of a size in it.
    touches
        Whether a problem has anything that it damages.
    undamaged
        Name of the solver without fault that the mutant is compared with, see `Host.undamaged`.
    unseen
        Why no check can detect it, if so; empty otherwise.
    """

    name: str
    kind: str
    what: str
    size: float | None
    meaning: str
    smallest: float | None
    make: Callable[[Any], Any]
    touches: Callable[[Any], bool]
    undamaged: str
    unseen: str = ""


@dataclass(frozen=True)
class Host:
    """A solver, or several schemes of one, into which faults are seeded.

    ``place`` is what finds it again in another process, ``undamaged`` the solvers without fault by name.
    """

    name: str
    place: str
    faults: Mapping[str, Fault]
    undamaged: Mapping[str, Any]


def hosts() -> tuple[str, ...]:
    """Return the hosts that are known by name: our two solvers, and the examples where there is a checkout."""
    files = sorted(EXAMPLES.glob("faults_*.py")) if EXAMPLES.is_dir() else []
    named = [file.stem.removeprefix("faults_") for file in files]
    return INTEGRATOR, EXACT, *(name for name in named if name != "common")


@cache
def load_host(place: str) -> Host:
    """Return a host by name, or from a file that defines ``FAULTS`` and ``SOLVER``.

    Raises SolverInputError if there is none, or the file does not define what is needed.
    """
    if place in (INTEGRATOR, EXACT):
        return _integrator() if place == INTEGRATOR else _exact()
    file = Path(place) if place.endswith(".py") else EXAMPLES / f"faults_{place}.py"
    if not file.is_file():
        raise SolverInputError(
            f"unknown host {place!r}: {nearest(place, hosts())}, or name a file with FAULTS and SOLVER"
        )
    return _from_file(file)


def _integrator() -> Host:
    from veridyn.solver.integrators.schemes import SCHEMES

    found = {defect.name: _sizeless(defect, defect.scheme) for defect in all_defects().values()}
    return Host(INTEGRATOR, INTEGRATOR, found, {scheme: undamaged(scheme) for scheme in SCHEMES})


def _exact() -> Host:
    from veridyn.solver.exact import solver as exact

    outside = [defect for defect in all_defects().values() if defect.outside]
    found = {defect.name: _sizeless(Foreign(defect), EXACT) for defect in outside}
    return Host(EXACT, EXACT, found, {EXACT: exact.SOLVER})


def _sizeless(mutant: Defect | Foreign, compared: str) -> Fault:
    defect = mutant.defect if isinstance(mutant, Foreign) else mutant
    return Fault(
        defect.name, defect.kind, defect.what, None, "", None, lambda _: mutant, defect.touches, compared, defect.unseen
    )


def _from_file(file: Path) -> Host:
    """Load a file as Python runs one: modules beside it can be imported."""
    sys.path.insert(0, str(file.parent))
    try:
        module = importlib.import_module(file.stem)
    except Exception as error:
        raise SolverInputError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
    faults = getattr(module, "FAULTS", ())
    missing = [name for name in ("FAULTS", "SOLVER") if not hasattr(module, name)]
    missing += [f"{name} of {fault!r}" for fault in faults for name in RECORD if not hasattr(fault, name)]
    if missing:
        raise SolverInputError(
            f"{file} lacks {missing[0]}; docs/mutation-analysis.md says what a file of faults defines"
        )
    solver = module.SOLVER
    found = {fault.name: _sized(fault, solver.name) for fault in faults}
    return Host(solver.name, str(file), found, {solver.name: solver})


def _sized(given: Any, compared: str) -> Fault:
    said = {name: getattr(given, name) for name in RECORD}
    return Fault(**said, undamaged=compared, unseen=getattr(given, "unseen", ""))


def chosen(places: Sequence[str], names: Sequence[str]) -> list[tuple[Host, Fault]]:
    """Return the faults of these names in these hosts; all where nothing is named.

    Raises SolverInputError if there is none of a name; the message suggests the nearest.
    """
    loaded = [load_host(place) for place in dict.fromkeys(places or hosts())]
    known = {name for host in loaded for name in host.faults}
    for name in names:
        if name not in known:
            raise SolverInputError(f"unknown fault {name!r}: {nearest(name, sorted(known))}")
    return [(host, fault) for host in loaded for name, fault in host.faults.items() if not names or name in names]


# ---- trials

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
    counted: list[Record] = []
    refusal: dict[str, tuple[str, float | None]] = {}
    exception: dict[str, str] = {}
    try:
        for record in records:
            counted += [record] if record.verdict != "not applicable" else []
    except SolverInputError as refused:
        if not (known and any(name.startswith(REFUSED) for name in known.found)):
            refusal = {f"{REFUSED}: {refused}": ("error", None)}
    except Exception as error:  # noqa: BLE001 - one mutant must not end the study
        exception = {"exception": f"{type(error).__name__}: {error}"}
    failed = [r for r in counted if r.verdict in FAILED and not (known and r.id in known.found)]
    broken = [r for r in counted if r.verdict == "harness error" and not (known and r.id in known.broken)]
    return Trial(
        found={r.id: ("error" if r.verdict == "error" else r.layer, _ratio(r)) for r in failed} | refusal,
        broken={r.id: r.detail for r in broken} | exception,
        judged=dict(Counter(r.layer for r in counted)),
        **named,
    )


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
