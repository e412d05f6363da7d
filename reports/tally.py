"""Counts, worst margins, flags and groups of result records. Pure functions."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from veridyn.reports import numbers
from veridyn.reports.numbers import plural

Record = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

VERDICTS = ("error", "harness error", "fail", "expected failure", "not applicable", "pass")
"""Worst first: the order of every table."""

TROUBLE = ("error", "harness error", "fail")
"""The verdicts that make a run fail."""

LAYERS = {
    "criterion": "default settings against the reference, by what a document or the user asks for",
    "convergence": "the finest level against the reference, within numerical uncertainty",
    "claim": "what the solver claims of itself: order, slope over the tolerance, digits, a known method",
    "invariance": "the same problem put otherwise: no reference is needed",
    "baseline": "digits and cost of the same solver in an earlier run",
}
"""What a check compares with, in the order of every list."""

TRUTH = ("criterion", "convergence")
"""The layers that compare an answer with the truth."""

SEVERAL = {"criterion": "criteria", "claim": "claims"}
"""What checks of a layer are called where that is not its name."""

MEANINGS = {
    "error": "the solver crashed or returned nothing usable",
    "harness error": "a measure of the suite failed: no verdict about the solver",
    "fail": "the error exceeds the tolerance",
    "expected failure": "fails for a known reason, which stands beside it",
    "not applicable": "the solver lacks a capability, or there is nothing to judge; the note says which",
    "pass": "the error is within the tolerance",
}

FRAGILE = 2.0
LOOSE = 1000.0


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

    counts: dict[str, int]
    worst: float | None
    fragile: int
    loose: int
    layers: dict[str, dict[str, int]]

    @property
    def total(self) -> int:
        """Number of records."""
        return sum(self.counts.values())

    @property
    def judged(self) -> int:
        """Number of records that passed or failed."""
        return self.counts["pass"] + self.counts["fail"]

    @property
    def trouble(self) -> int:
        """Number of records that make a run fail."""
        return sum(self.counts[verdict] for verdict in TROUBLE)

    @property
    def verdict(self) -> str:
        """Worst verdict; a set in which nothing was judged has not passed."""
        if self.trouble:
            return next(verdict for verdict in TROUBLE if self.counts[verdict])
        if self.counts["pass"]:
            return "pass"
        return "expected failure" if self.counts["expected failure"] else "not applicable"

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

    def of_layers(self, *verdicts: str) -> str:
        """Count the records with some verdicts, layer by layer: '410 criteria, 1 claim'."""
        found = {layer: sum(counts[verdict] for verdict in verdicts) for layer, counts in self.layers.items()}
        return ", ".join(counted(layer, number) for layer, number in found.items() if number)


def tally(records: Iterable[Record]) -> Tally:
    """Count records."""
    listed = list(records)
    counter = Counter(record["verdict"] for record in listed)
    margins = [margin for record in listed if (margin := judged_margin(record)) is not None]
    flags = Counter(flag(record) for record in listed)
    return Tally(
        counts={verdict: counter[verdict] for verdict in VERDICTS},
        worst=min(margins, default=None),
        fragile=flags["fragile"],
        loose=flags["loose"],
        layers=_by_layer_and_verdict(listed),
    )


def _by_layer_and_verdict(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    found = Counter((record["layer"], record["verdict"]) for record in records)
    present = {layer for layer, _ in found}
    return {layer: {verdict: found[layer, verdict] for verdict in VERDICTS} for layer in LAYERS if layer in present}


def counted(layer: str, number: int) -> str:
    """Count checks of a layer: '1 criterion', '2 criteria', '3 convergence'."""
    return f"{number} {layer if number == 1 else SEVERAL.get(layer, layer)}"


def margin_of(record: Record) -> float:
    """Return the margin of a check; one without is as good as infinite."""
    return float("inf") if record["margin"] is None else float(record["margin"])


def judged_margin(record: Record) -> float | None:
    """Return the margin of a passed or failed check; an expected failure would hide all others."""
    margin: float | None = record["margin"]
    return margin if record["verdict"] in ("pass", "fail") else None


def flag(record: Record) -> str:
    """Return 'fragile' for a check that barely passes, 'loose' for a criterion that hardly can fail, else ''.

    The other layers allow what a solver's own levels show: there a large margin is no weakness of the check.
    """
    margin = record["margin"]
    if record["verdict"] != "pass" or margin is None:
        return ""
    if margin < FRAGILE:
        return "fragile"
    return "loose" if margin > LOOSE and record["layer"] == "criterion" else ""


def headline(total: Tally, gaps: Sequence[str] = (), scope: str = "") -> str:
    """Say in one sentence how a run went, trouble first; it begins with what is missing, or was never asked for."""
    incomplete = f"Incomplete: {'; '.join(gaps)}" if gaps else ""
    return ". ".join(part for part in (scope, incomplete, _went(total)) if part)


def _went(total: Tally) -> str:
    others = {verdict: total.counts[verdict] for verdict in ("expected failure", "not applicable")}
    unjudged = [f"{number} {verdict}" for verdict, number in others.items() if number]
    if total.trouble:
        said = [
            f"{plural(total.counts[verdict], 'check')} {ENDS[verdict]}" for verdict in ENDS if total.counts[verdict]
        ]
        judged = total.counts["pass"] + total.trouble
        return "; ".join([f"{' and '.join(said)}, of {judged} judged: {total.of_trouble}", *unjudged])
    if not total.total:
        return "Nothing was checked"
    if not total.judged:
        return f"No check could be judged: {total.words}"
    every = "The only check passed" if total.judged == 1 else f"All {total.judged} checks passed"
    return "; ".join([f"{every}: {total.of_layers('pass')}", *unjudged])


ENDS = {"fail": "failed", "error": "ended in an error", "harness error": "ended in a harness error"}
"""What is said of checks with trouble."""


def subject(record: Record, runs: int = 1) -> str:
    """Name what is under test: solver, scheme, and the run if there are several."""
    return named(record["solver"], record["scheme"], f"run {record['run']}" if runs > 1 else "")


@cache  # few names, asked for at every record
def named(*parts: str) -> str:
    """Join the parts of a name, empty ones left out: 'scipy · BDF'."""
    return " · ".join(filter(None, parts))


def group(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Sort records, or what was made of them, into lists by key, in the order of first appearance."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def worst_first(records: Iterable[Record]) -> list[Record]:
    """Order records by verdict, the worst first; otherwise as they came."""
    return sorted(records, key=lambda record: VERDICTS.index(record["verdict"]))


def weakest_first(records: Iterable[Record]) -> list[Record]:
    """Order records for reading: trouble first, then by margin, the smallest first, what was not judged last."""
    return sorted(worst_first(records), key=lambda record: (record["verdict"] == "not applicable", _passes(record)))


def _passes(record: Record) -> float:
    """Return the margin of a check that passes, none as infinity; the others come before them."""
    if record["verdict"] != "pass":
        return float("-inf")
    return margin_of(record)


def by_layer(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group records by layer, in the order of `LAYERS`, the weakest first in each."""
    groups = group(weakest_first(records), lambda record: str(record["layer"]))
    return {layer: groups[layer] for layer in LAYERS if layer in groups}


def common_settings(records: Sequence[Record]) -> dict[str, float | str]:
    """Return the settings that all records share."""
    first: dict[str, float | str] = records[0]["settings"] if records else {}
    missing = object()
    return {
        name: value
        for name, value in first.items()
        if all(record["settings"].get(name, missing) == value for record in records)
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
