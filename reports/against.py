"""Two runs held against each other: what became better, what worse, what appeared, what vanished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from veridyn.reports import numbers
from veridyn.reports.tally import VERDICTS, Excerpt, named
from veridyn.results import Document, ErrorKind, Layer, Record

Turn = Literal["worse", "vanished", "better", "appeared"]

TURNS: dict[Turn, str] = {
    "worse": "became worse",
    "vanished": "vanished",
    "better": "became better",
    "appeared": "appeared",
}
FACTOR = 2.0  # errors within this factor count as equal
ROUNDING = 1e-14  # relative; two errors below it are rounding both
SHOWN = 50  # rows of a table; the rest is counted
HEAD = ("Case", "Variant", "Solver", "Quantity", "Verdict before", "Verdict now", "Error before", "Error now")


@dataclass(frozen=True)
class CheckChange:
    """One check in both runs; None where it is in one only."""

    turn: Turn
    before: Record | None
    now: Record | None

    @property
    def record(self) -> Record:
        """The record that there is, that of now if there are two."""
        record = self.now or self.before
        assert record is not None
        return record

    @property
    def of_verdict(self) -> bool:
        """Whether the verdict differs, and not the error alone."""
        verdicts = [side.verdict if side else None for side in (self.before, self.now)]
        return verdicts[0] != verdicts[1]


@dataclass(frozen=True)
class RunComparison:
    """All changes between two runs, and how many checks stayed as they were."""

    changes: tuple[CheckChange, ...]
    unchanged: int
    remarks: tuple[str, ...] = field(default=())

    def of(self, turn: Turn) -> tuple[CheckChange, ...]:
        """Return the changes of one kind, those of verdicts first."""
        return tuple(sorted((c for c in self.changes if c.turn == turn), key=lambda c: not c.of_verdict))

    @property
    def turned(self) -> list[Excerpt[Sequence[str]]]:
        """The changes as rows below `HEAD`, the worst kind first; kinds without any are left out."""
        result = {words: self.of(turn) for turn, words in TURNS.items()}
        return [Excerpt(words, len(of), [cells(one) for one in of[:SHOWN]]) for words, of in result.items() if of]

    @property
    def is_worse(self) -> bool:
        """Whether a verdict became worse, or a check vanished."""
        return any(c.turn == "vanished" or (c.turn == "worse" and c.of_verdict) for c in self.changes)

    @property
    def headline(self) -> str:
        """One sentence with the counts."""
        counts = Counter(change.turn for change in self.changes)
        return ", ".join([*(f"{counts[turn]} {words}" for turn, words in TURNS.items()), f"{self.unchanged} unchanged"])


def compare(now: Document, before: Document) -> RunComparison:
    """Hold a checked result document against an earlier one.

    A verdict is worse if it comes earlier in the order of `tally.VERDICTS`. With the same verdict, errors count if they
    differ by more than a factor of 2 and are not both rounding. Checks are the same if case, variant, solver, scheme,
    layer and quantity are; a check that occurs several times is compared in order.
    """
    old, new = _by_key(before), _by_key(now)
    changes, unchanged = [], 0
    for key in {**old, **new}:
        change = _change(old.get(key), new.get(key))
        unchanged += change is None
        changes += [change] if change else []
    return RunComparison(tuple(changes), unchanged, tuple(_remarks(now, before)))


Key = tuple[str, str, str, str, Layer, str]


def _by_key(document: Document) -> dict[tuple[Key, int], Record]:
    seen: Counter[Key] = Counter()
    records = {}
    for record in document.results:
        key = (record.case, record.variant, record.solver, record.scheme, record.layer, record.quantity)
        records[key, seen[key]] = record
        seen[key] += 1
    return records


def _change(before: Record | None, now: Record | None) -> CheckChange | None:
    if before is None:
        return CheckChange("appeared", None, now)
    if now is None:
        return CheckChange("vanished", before, None)
    ranks = [VERDICTS.index(record.verdict) for record in (before, now)]
    if ranks[0] != ranks[1]:
        return CheckChange("worse" if ranks[1] < ranks[0] else "better", before, now)
    turn = _turn_of_error(before, now)
    return CheckChange(turn, before, now) if turn else None


def _turn_of_error(before: Record, now: Record) -> Turn | None:
    old, new = before.error, now.error
    if old is None or new is None or before.error_kind != now.error_kind:
        return None
    floor = ROUNDING * _size(now)
    if new > FACTOR * max(old, floor):
        return "worse"
    return "better" if old > FACTOR * max(new, floor) else None


def _size(record: Record) -> float:
    """Return the size with which rounding of an error goes: 1 for relative errors."""
    if record.error_kind is not ErrorKind.ABSOLUTE or record.reference is None:
        return 1.0
    try:
        return abs(float(record.reference))
    except ValueError:
        return 1.0


def _remarks(now: Document, before: Document) -> Iterator[str]:
    """Yield what differs between the environments and makes a comparison lame."""
    for name, words in (("machine", "machines"), ("veridyn", "versions of veridyn"), ("python", "versions of Python")):
        values = [document.environment.facts.get(name, "") for document in (before, now)]
        if values[0] != values[1]:
            yield f"The {words} differ: {values[0] or 'unknown'} before, {values[1] or 'unknown'} now."


def cells(change: CheckChange) -> Sequence[str]:
    """Return a change as a row below `HEAD`."""
    record, sides = change.record, (change.before, change.now)
    quantity = record.quantity if record.layer is Layer.CRITERION else f"{record.layer}: {record.quantity}"
    verdicts = [side.verdict if side else numbers.NONE for side in sides]
    errors = [numbers.error(side.error) if side else numbers.NONE for side in sides]
    return [record.case, record.variant, named(record.solver, record.scheme), quantity, *verdicts, *errors]
