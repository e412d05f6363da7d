"""Counts, worst margins, flags and groups of result records. Pure functions."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from veridyn.reports.numbers import plural

Record = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

VERDICTS = ("error", "fail", "expected failure", "not applicable", "pass")
"""Worst first: the order of every table."""

TROUBLE = ("error", "fail")
"""The verdicts that make a run fail."""

KINDS = {
    "truth": "against the certified reference",
    "events": "the list of events: how many, in which order, when",
    "balance": "energy and impulse",
    "order": "observed order of convergence",
    "parity": "against the digits that Code_Aster printed for the same scheme and settings",
    "frozen": "against the recorded value of the same solver",
}

MEANINGS = {
    "error": "the solver crashed or returned nothing usable",
    "fail": "the error exceeds the tolerance",
    "expected failure": "fails for a known reason, which stands beside it",
    "not applicable": "the solver lacks a capability that the problem needs",
    "pass": "the error is within the tolerance",
}

FRAGILE = 2.0
ASLEEP = 1000.0


@dataclass(frozen=True)
class Tally:
    """What a set of records amounts to.

    Attributes
    ----------
    counts
        Number of records per verdict, worst first, zeros included.
    worst
        Smallest margin among the passed and failed, None if there is none.
    fragile, asleep
        Number of passed checks with a margin below 2, above 1000.
    """

    counts: dict[str, int]
    worst: float | None
    fragile: int
    asleep: int

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
        return self.counts["fail"] + self.counts["error"]

    @property
    def verdict(self) -> str:
        """Worst verdict; a set in which nothing was judged has not passed."""
        if self.trouble:
            return "error" if self.counts["error"] else "fail"
        if self.counts["pass"]:
            return "pass"
        return "expected failure" if self.counts["expected failure"] else "not applicable"

    @property
    def words(self) -> str:
        """Counts in words, zeros left out: '2 fail, 48 pass'."""
        said = [f"{number} {verdict}" for verdict, number in self.counts.items() if number]
        return ", ".join(said) or "no checks"


def tally(records: Iterable[Record]) -> Tally:
    """Count records."""
    listed = list(records)
    counter = Counter(record["verdict"] for record in listed)
    margins = [margin for record in listed if (margin := judged_margin(record)) is not None]
    flags = Counter(flag(record) for record in listed)
    counts = {verdict: counter[verdict] for verdict in VERDICTS}
    return Tally(counts, min(margins, default=None), flags["fragile"], flags["asleep"])


def judged_margin(record: Record) -> float | None:
    """Return the margin of a passed or failed check; an expected failure would hide all others."""
    margin: float | None = record["margin"]
    return margin if record["verdict"] in ("pass", "fail") else None


def flag(record: Record) -> str:
    """Return 'fragile' for a check that barely passes, 'asleep' for one that hardly can fail, else ''.

    Parity and frozen values are neither: half a unit of the last printed digit is what it is, and on
    the machine that froze a value its error is zero.
    """
    margin = record["margin"]
    if record["verdict"] != "pass" or margin is None or record["kind"] in ("parity", "frozen"):
        return ""
    if margin < FRAGILE:
        return "fragile"
    return "asleep" if margin > ASLEEP else ""


def headline(total: Tally) -> str:
    """Say in one sentence how a run went, trouble first."""
    if total.trouble:
        failed = _sentence(total.counts["fail"], "failed")
        crashed = _sentence(total.counts["error"], "ended in an error")
        return f"{' and '.join(filter(None, (failed, crashed)))}, of {total.total}"
    if not total.total:
        return "Nothing was checked"
    if not total.judged:
        return f"No check could be judged: {total.words}"
    every = "The only check passed" if total.judged == 1 else f"All {total.judged} checks passed"
    others = {verdict: total.counts[verdict] for verdict in ("expected failure", "not applicable")}
    return "; ".join([every, *(f"{number} {verdict}" for verdict, number in others.items() if number)])


def _sentence(count: int, what: str) -> str:
    return f"{plural(count, 'check')} {what}" if count else ""


def subject(record: Record, runs: int = 1) -> str:
    """Name what is under test: solver, scheme, and the run if there are several."""
    return _named(record["solver"], record["scheme"], f"run {record['run']}" if runs > 1 else "")


@cache  # few names, asked for at every record
def _named(*parts: str) -> str:
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


def by_kind(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group records by kind, in the order of `KINDS`, the worst first in each."""
    groups = group(worst_first(records), lambda record: str(record["kind"]))
    return {kind: groups[kind] for kind in KINDS if kind in groups}


def common_settings(records: Sequence[Record]) -> dict[str, float | str]:
    """Return the settings that all records share."""
    first: dict[str, float | str] = records[0]["settings"] if records else {}
    missing = object()
    return {
        name: value
        for name, value in first.items()
        if all(record["settings"].get(name, missing) == value for record in records)
    }


def anchors(names: Iterable[str], prefix: str = "") -> list[str]:
    """Make each name an identifier for links and file names; equal ones get a number."""
    taken: dict[str, int] = {}
    made = []
    for name in names:
        stem = prefix + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "unnamed")
        taken[stem] = taken.get(stem, 0) + 1
        made.append(stem if taken[stem] == 1 else f"{stem}--{taken[stem]}")
    return made
