"""Counts, worst margins, flags and groups of result records. Pure functions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Generic, TypeVar

from veridyn.reports import numbers
from veridyn.reports.numbers import plural
from veridyn.results import Document, Layer, Record, Settings, Verdict, WorkPrecisionPoint
from veridyn.results.grouping import group

Item = TypeVar("Item")
Row = Record | WorkPrecisionPoint

VERDICTS = tuple(Verdict)
"""Worst first: the order of every table."""

TROUBLE = (Verdict.ERROR, Verdict.HARNESS_ERROR, Verdict.FAIL)
"""The verdicts that make a run fail."""

LAYERS = {
    Layer.CRITERION: "default settings against the reference, by what a document or the user asks for",
    Layer.CONVERGENCE: "the finest level against the reference, within numerical uncertainty",
    Layer.CLAIM: "what the solver claims of itself: order, slope over the tolerance, digits, a known method",
    Layer.INVARIANCE: "the same problem put otherwise: no reference is needed",
    Layer.BASELINE: "digits and cost of the same solver in an earlier run",
}
"""What a check compares with, in the order of every list."""

TRUTH = (Layer.CRITERION, Layer.CONVERGENCE)
"""The layers that compare an answer with the truth."""

SEVERAL = {Layer.CRITERION: "criteria", Layer.CLAIM: "claims"}
"""What checks of a layer are called where that is not its name."""

MEANINGS = {
    Verdict.ERROR: "the solver crashed or returned nothing usable",
    Verdict.HARNESS_ERROR: "a measure of the suite failed: no verdict about the solver",
    Verdict.FAIL: "the error exceeds the tolerance",
    Verdict.EXPECTED_FAILURE: "fails for a known reason, which stands beside it",
    Verdict.NOT_APPLICABLE: "the solver lacks a capability, or there is nothing to judge; the note says which",
    Verdict.PASS: "the error is within the tolerance",
}

CAUSES = 3
"""How many causes of failures a reader begins with; the results file has all."""

FRAGILE = 2.0
LOOSE = 1000.0


class Flag(StrEnum):
    """What a passed check is suspected of."""

    FRAGILE = "fragile"
    LOOSE = "loose"
    NONE = ""


@dataclass(frozen=True)
class Excerpt(Generic[Item]):
    """The first of a list that may be long: what it is called, how many there are, those that are shown."""

    title: str
    total: int
    shown: list[Item]

    @property
    def left_out(self) -> int:
        """How many are not shown."""
        return self.total - len(self.shown)


@dataclass(frozen=True)
class Tally:
    """What a set of records amounts to.

    Attributes
    ----------
    counts
        Number of records per verdict, worst first, zeros included.
    worst
        Smallest margin among the passed and failed, None if there is none.
    fragile, loose
        Number of passed checks with a margin below 2, of criteria with one above 1000.
    layers
        Number of records per layer and verdict, in the order of `LAYERS`, layers without any left out.
    """

    counts: dict[Verdict, int]
    worst: float | None
    fragile: int
    loose: int
    layers: dict[Layer, dict[Verdict, int]]

    @property
    def total(self) -> int:
        """Number of records."""
        return sum(self.counts.values())

    @property
    def judged(self) -> int:
        """Number of records that passed or failed."""
        return self.counts[Verdict.PASS] + self.counts[Verdict.FAIL]

    @property
    def trouble(self) -> int:
        """Number of records that make a run fail."""
        return sum(self.counts[verdict] for verdict in TROUBLE)

    @property
    def verdict(self) -> Verdict:
        """Worst verdict; a set in which nothing was judged has not passed."""
        if self.trouble:
            return next(verdict for verdict in TROUBLE if self.counts[verdict])
        if self.counts[Verdict.PASS]:
            return Verdict.PASS
        return Verdict.EXPECTED_FAILURE if self.counts[Verdict.EXPECTED_FAILURE] else Verdict.NOT_APPLICABLE

    @property
    def margin(self) -> str:
        """The worst margin, printed."""
        return numbers.margin(self.worst)

    @property
    def words(self) -> str:
        """Counts in words, zeros left out: '2 fail, 48 pass'."""
        said = [f"{number} {verdict}" for verdict, number in self.counts.items() if number]
        return ", ".join(said) or "no checks"

    @property
    def of_trouble(self) -> str:
        """Count the records that make a run fail, layer by layer."""
        return self.of_layers(*TROUBLE)

    def of_layers(self, *verdicts: Verdict) -> str:
        """Count the records with some verdicts, layer by layer: '410 criteria, 1 claim'."""
        result = {layer: sum(counts[verdict] for verdict in verdicts) for layer, counts in self.layers.items()}
        return ", ".join(counted(layer, number) for layer, number in result.items() if number)


def tally(records: Iterable[Record]) -> Tally:
    """Count records."""
    listed = list(records)
    counter = Counter(record.verdict for record in listed)
    margins = [margin for record in listed if (margin := judged_margin(record)) is not None]
    flags = Counter(flag(record) for record in listed)
    return Tally(
        counts={verdict: counter[verdict] for verdict in VERDICTS},
        worst=min(margins, default=None),
        fragile=flags[Flag.FRAGILE],
        loose=flags[Flag.LOOSE],
        layers=_by_layer_and_verdict(listed),
    )


def _by_layer_and_verdict(records: Iterable[Record]) -> dict[Layer, dict[Verdict, int]]:
    result = Counter((record.layer, record.verdict) for record in records)
    present = {layer for layer, _ in result}
    return {layer: {verdict: result[layer, verdict] for verdict in VERDICTS} for layer in LAYERS if layer in present}


def counted(layer: Layer, number: int) -> str:
    """Count checks of a layer: '1 criterion', '2 criteria', '3 convergence'."""
    return f"{number} {layer if number == 1 else SEVERAL.get(layer, str(layer))}"


def margin_of(record: Record) -> float:
    """Return the margin of a check; one without is as good as infinite."""
    return float("inf") if record.margin is None else float(record.margin)


def judged_margin(record: Record) -> float | None:
    """Return the margin of a passed or failed check; an expected failure would hide all others."""
    return record.margin if record.verdict in (Verdict.PASS, Verdict.FAIL) else None


def flag(record: Record) -> Flag:
    """Tell a check that barely passes, and a criterion that hardly can fail.

    The other layers allow what a solver's own levels show: there a large margin is no weakness of the check.
    """
    margin = record.margin
    if record.verdict is not Verdict.PASS or margin is None:
        return Flag.NONE
    if margin < FRAGILE:
        return Flag.FRAGILE
    return Flag.LOOSE if margin > LOOSE and record.layer is Layer.CRITERION else Flag.NONE


def headline(total: Tally, gaps: Sequence[str] = (), scope: str = "") -> str:
    """Say in one sentence how a run went, trouble first; it begins with what is missing, or was never asked for."""
    incomplete = f"Incomplete: {'; '.join(gaps)}" if gaps else ""
    return ". ".join(part for part in (scope, incomplete, _went(total)) if part)


def _went(total: Tally) -> str:
    others = {verdict: total.counts[verdict] for verdict in (Verdict.EXPECTED_FAILURE, Verdict.NOT_APPLICABLE)}
    unjudged = [f"{number} {verdict}" for verdict, number in others.items() if number]
    if total.trouble:
        said = [
            f"{plural(total.counts[verdict], 'check')} {ENDS[verdict]}" for verdict in ENDS if total.counts[verdict]
        ]
        judged = total.counts[Verdict.PASS] + total.trouble
        return "; ".join([f"{' and '.join(said)}, of {judged} judged: {total.of_trouble}", *unjudged])
    if not total.total:
        return "Nothing was checked"
    if not total.judged:
        return f"No check could be judged: {total.words}"
    every = "The only check passed" if total.judged == 1 else f"All {total.judged} checks passed"
    return "; ".join([f"{every}: {total.of_layers(Verdict.PASS)}", *unjudged])


ENDS = {
    Verdict.FAIL: "failed",
    Verdict.ERROR: "ended in an error",
    Verdict.HARNESS_ERROR: "ended in a harness error",
}
"""What is said of checks with trouble."""


def count_apart(document: Document) -> int:
    """Return how many runs the names of subjects must tell apart: 1 where no check was made in two of them.

    So files of one code, a document a case, are one subject.
    """
    checks = {(r.solver, r.scheme, r.case, r.variant, r.id) for r in document.results}
    return len(document.runs) if len(checks) < len(document.results) else 1


def subject(record: Row, runs: int = 1) -> str:
    """Name what is under test: solver, scheme, and the run if there are several."""
    return named(record.solver, record.scheme, f"run {record.run_number}" if runs > 1 else "")


@cache  # few names, asked for at every record
def named(*parts: str) -> str:
    """Join the parts of a name, empty ones left out: 'scipy · BDF'."""
    return " · ".join(filter(None, parts))


def worst_first(records: Iterable[Record]) -> list[Record]:
    """Order records by verdict, the worst first; otherwise as they came."""
    return sorted(records, key=lambda record: VERDICTS.index(record.verdict))


def weakest_first(records: Iterable[Record]) -> list[Record]:
    """Order records for reading: trouble first, then by margin, the smallest first, what was not judged last."""
    return sorted(worst_first(records), key=lambda record: (record.verdict is Verdict.NOT_APPLICABLE, _passes(record)))


def _passes(record: Record) -> float:
    """Return the margin of a check that passes, none as infinity; the others come before them."""
    if record.verdict is not Verdict.PASS:
        return float("-inf")
    return margin_of(record)


def by_layer(records: Iterable[Record]) -> dict[Layer, list[Record]]:
    """Group records by layer, in the order of `LAYERS`, the weakest first in each."""
    groups = group(weakest_first(records), lambda record: record.layer)
    return {layer: groups[layer] for layer in LAYERS if layer in groups}


def own_settings(settings: Settings, scheme: str) -> Settings:
    """Return settings without the scheme that the name of a subject holds; one that a user states is none."""
    return {name: value for name, value in settings.items() if (name, value) != ("scheme", scheme)}


def common_settings(records: Sequence[Row]) -> Settings:
    """Return the settings that all records share."""
    first = records[0].settings if records else {}
    missing = object()
    return {
        name: value
        for name, value in first.items()
        if all(record.settings.get(name, missing) == value for record in records)
    }


LONGEST = 80  # characters of a name in a file name


def anchors(names: Iterable[str], prefix: str = "") -> list[str]:
    """Make each name an identifier for links and file names; equal ones get a number."""
    taken: dict[str, int] = {}
    made = []
    for name in names:
        stem = prefix + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST] or "unnamed")
        taken[stem] = taken.get(stem, 0) + 1
        made.append(stem if taken[stem] == 1 else f"{stem}--{taken[stem]}")
    return made
