"""What failed checks resemble: the patterns that seeded faults leave, as hints and never as verdicts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from veridyn.results import Record, Verdict
from veridyn.results.grouping import group

FEWEST = 3  # failed checks, below which nothing is said
LEAST = 0.5  # similarity of a part, below which nothing is said
AHEAD = 0.2  # share by which the nearest part must be nearer than the next
NEAREST = 2  # faults of a part whose mean similarity is that of the part
FILE = "patterns.json"
SCHEMA_VERSION = "4.0"

ANSWERED = {Verdict.PASS, Verdict.FAIL}
FAILED = {Verdict.FAIL, Verdict.ERROR}

Failures = frozenset[str]  # case, layer and quantity without its numbers, e.g. "sdnd101 criterion peak_force"

NUMBERS = re.compile(r"[@\[(]*[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?[\])]*")


@dataclass(frozen=True)
class Pattern:
    """What a seeded fault makes fail in the cases on which it was tried."""

    host: str
    fault: str
    part: str
    what: str
    failures: Failures
    cases: frozenset[str]


@dataclass(frozen=True)
class Hint:
    """The part of a code that failed checks point to, how much (0 to 1), and the fault in it that is nearest."""

    part: str
    similarity: float
    nearest: Pattern


def hints(records: Iterable[Record]) -> Iterator[str]:
    """Yield a sentence for each solver (and scheme) whose failures resemble those of faults in one part of a code.

    A solver that never answered resembles nothing: its error says why. Nothing is said where hints of that part, at
    that similarity, have been right in fewer than nine of ten trials.
    """
    for (solver, scheme), mine in group(records, lambda r: (r.solver, r.scheme)).items():
        verdicts = {record.verdict for record in mine}
        answered, failed = verdicts & ANSWERED, verdicts & FAILED
        result = diagnosis(mine, load_patterns()) if answered and failed else None
        if result and result.similarity >= load_learnt().least.get(result.part, math.inf):
            subject = " ".join(filter(None, (solver, scheme)))
            nearest = result.nearest.what.rstrip(".")
            yield (
                f"what fails with {subject} resembles faults of the part {result.part} "
                f"(similarity {result.similarity:.2f}), most of all: {nearest}"
            )


def diagnosis(records: Iterable[Record], patterns: Sequence[Pattern]) -> Hint | None:
    """Return the part of a code that the failed checks of a subject point to; None if too few fail or parts tie.

    Patterns are compared where both are known: in the cases on which a fault was tried, in the checks that were judged
    here. What fails in other cases lowers the similarity by its share.
    """
    judged: set[str] = set()
    failed: list[str] = []
    for record in records:
        place = name_failure(record.case, record.layer, record.quantity)
        if record.verdict is Verdict.ERROR:
            failed.append(name_failure(record.case, Verdict.ERROR, record.quantity))
        elif record.verdict is Verdict.FAIL:
            failed.append(place)
        if record.verdict in ANSWERED | FAILED:
            judged |= {place, name_failure(record.case, Verdict.ERROR, record.quantity)}
    if len(failed) < FEWEST:
        return None
    return find_nearest(frozenset(failed), patterns, judged.__contains__)


def find_nearest(
    seen: Failures, patterns: Sequence[Pattern], is_judged: Callable[[str], bool] = lambda _: True
) -> Hint | None:
    """Return the part whose patterns are nearest to what failed; None if they are far, or those of another as near."""
    weights = weights_of(patterns)
    return _choose_nearest((similarity(seen, pattern, weights, is_judged), pattern) for pattern in patterns)


def name_failure(case: str, layer: str, quantity: str) -> str:
    """Return what a failed check is called in a pattern; numbers in the name of a quantity do not count."""
    return f"{case} {layer} {NUMBERS.sub('', quantity).strip('_')}"


def weights_of(patterns: Sequence[Pattern]) -> Callable[[str], float]:
    """Return the weight of a failure: the rarer among the patterns, the more it says."""
    counts = Counter(failure for pattern in patterns for failure in pattern.failures)
    return lambda failure: math.log(1 + len(patterns) / max(counts[failure], 1))


def similarity(
    seen: Failures, pattern: Pattern, weights: Callable[[str], float], is_judged: Callable[[str], bool] = lambda _: True
) -> float:
    """Return the weight of common failures over that of all, times the share of what failed that is comparable."""
    mine = {failure for failure in seen if failure.partition(" ")[0] in pattern.cases}
    theirs = {failure for failure in pattern.failures if is_judged(failure)}
    everything = math.fsum(map(weights, mine | theirs))
    if not mine or not everything:
        return 0.0
    return (
        math.fsum(map(weights, mine & theirs))
        / everything
        * math.fsum(map(weights, mine))
        / math.fsum(map(weights, seen))
    )


def _choose_nearest(similar: Iterable[tuple[float, Pattern]]) -> Hint | None:
    by_part = group(sorted(similar, key=lambda pair: -pair[0]), lambda pair: pair[1].part)
    means = {part: sum(s for s, _ in pairs[:NEAREST]) / len(pairs[:NEAREST]) for part, pairs in by_part.items()}
    first, second = sorted([*means.values(), 0.0, 0.0], reverse=True)[:2]
    if first < LEAST or first - second <= AHEAD * first:
        return None
    part = max(means, key=lambda name: means[name])
    return Hint(part, first, by_part[part][0][1])


# ---- patterns


@cache
def load_learnt() -> Learnt:
    """Return what comes with the package."""
    return msgspec.json.decode((files("veridyn.reports") / FILE).read_text(encoding="utf-8"), type=Learnt)


@cache
def load_patterns() -> tuple[Pattern, ...]:
    """Return the patterns that come with the package."""
    return tuple(patterns_of(load_learnt()))


class LearntPattern(Struct, frozen=True, kw_only=True):
    """A pattern as the file has it: failures by their number."""

    host: str
    fault: str
    part: str
    what: str
    failures: tuple[int, ...]
    cases: tuple[str, ...]


class Learnt(Struct, frozen=True, kw_only=True):
    """What a study of seeded faults has written: names of failures, and the patterns that they make.

    ``least`` is the similarity, by part, from which on nine of ten hints were right where each pattern was diagnosed by
    those of other solvers; of parts without one nothing is said.
    """

    failures: tuple[str, ...]
    patterns: tuple[LearntPattern, ...]
    least: dict[str, float]


def patterns_of(learnt: Learnt) -> Iterator[Pattern]:
    """Yield the patterns of a file that a study of seeded faults has written."""
    for row in learnt.patterns:
        failed = frozenset(learnt.failures[number] for number in row.failures)
        yield Pattern(row.host, row.fault, row.part, row.what, failed, frozenset(row.cases))
