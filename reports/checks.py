"""Checks as a report prints them: rows, by layer, by subject. A page holds only so many; the CSV file has all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from veridyn.reports import comparison
from veridyn.reports.comparison import Score, score
from veridyn.reports.levels import LevelTable, Term, level_table, plot, terms
from veridyn.reports.tally import Excerpt, Flag, Tally, by_layer, common_settings, flag, subject, tally, weakest_first
from veridyn.results import Layer, Record
from veridyn.results.grouping import group

ALL = 10**9  # checks of a group, none is left out
SINGLE = 3000  # checks in a report of one file; more are slow to open
PAGE = 500  # checks on a page of its own; the next page has the next ones
FEWEST = 3  # per subject and case, however many there are
LISTED = 200  # lines of a list of runs
FAILURES = 25  # checks on the first page; the pages of the cases have all


@dataclass(frozen=True)
class CheckRow:
    """One check and its notes; what is printed of it besides is printed from its record."""

    record: Record
    subject: str
    notes: tuple[str, ...]

    @property
    def flag(self) -> Flag:
        """Whether the check is fragile or loose; empty if neither."""
        return flag(self.record)

    @property
    def measure(self) -> str:
        """What the error is measured in; empty if there is none."""
        return measure(self.record) if self.record.error is not None else ""

    @cached_property
    def terms(self) -> list[Term]:
        """The parts of the tolerance."""
        return terms(self.record)

    @cached_property
    def levels(self) -> LevelTable | None:
        """The table from which the verdict can be recomputed."""
        return level_table(self.record)

    @property
    def plot(self) -> str:
        """Error and difference over the levels, drawn; empty if there are too few."""
        return plot(self.record)

    @property
    def basis(self) -> str:
        """What there is to see when the check is opened; empty if nothing."""
        parts = [
            f"{len(self.terms)} parts of the tolerance" if self.terms else "",
            self.levels.title if self.levels else "",
        ]
        return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class CheckSection:
    """Checks of one layer within a group; `reason` is that of all their tolerances, if they share one."""

    layer: Layer
    reason: str
    tally: Tally
    rows: list[CheckRow]


@dataclass(frozen=True)
class Group:
    """All checks of one subject in a case."""

    anchor: str
    subject: str
    tally: Tally
    score: Score
    settings: str
    sections: list[CheckSection]

    @property
    def left_out(self) -> int:
        """How many are only in the CSV file."""
        return self.tally.total - sum(len(section.rows) for section in self.sections)

    @property
    def leaves(self) -> list[list[CheckSection]]:
        """Its checks in portions for a page each, at least one."""
        rows = [(section, row) for section in self.sections for row in section.rows]
        parts = [rows[start : start + PAGE] for start in range(0, len(rows), PAGE)] or [[]]
        return [_portion(part) for part in parts]

    def page(self, number: int) -> str:
        """Return the name of the page with a portion, counted from 0."""
        return self.anchor if number == 0 else f"{self.anchor}-page-{number + 1}"


def _portion(rows: Sequence[tuple[CheckSection, CheckRow]]) -> list[CheckSection]:
    """Gather rows under their sections again."""
    by_section = group(rows, lambda pair: pair[0].layer)
    return [replace(members[0][0], rows=[row for _, row in members]) for members in by_section.values()]


def share(total: int, groups: int, most: int) -> int:
    """Return how many checks a page that holds so many shows of each group."""
    return total if total <= most else max(FEWEST, most // groups)


def listed(title: str, records: Sequence[Record], runs: int) -> Excerpt[CheckRow]:
    """Print the first of a list that may be long."""
    rows = [row(record, runs, said=record.reason) for record in records[:FAILURES]]
    return Excerpt(title, len(records), rows)


def make_group(anchor: str, name: str, records: list[Record], runs: int, most: int) -> Group:
    """Print the checks of a subject in a case, the worst `most` of them."""
    common = common_settings(records)
    shown = by_layer(weakest_first(records)[:most])
    sections = [
        _section(layer, members, shown.get(layer, []), runs, common) for layer, members in by_layer(records).items()
    ]
    return Group(anchor, name, tally(records), score(records), comparison.settings(common), sections)


def _section(
    layer: Layer, members: list[Record], shown: list[Record], runs: int, common: Collection[str]
) -> CheckSection:
    reasons = {record.reason for record in members}
    shared = reasons.pop() if len(reasons) == 1 and len(members) > 1 else ""
    rows = [row(record, runs, common, shared) for record in shown]
    return CheckSection(layer, shared, tally(members), rows)


ADMISSIBLE = "× admissible"
"""Measure of an error of invariance."""


def measure(record: Record) -> str:
    """Return what the error of a record is measured in, besides its unit."""
    return ADMISSIBLE if record.layer is Layer.INVARIANCE else record.error_kind


def row(record: Record, runs: int, common: Collection[str] = (), said: str = "") -> CheckRow:
    """Print a record; settings that are named in `common` and the reason `said` stand elsewhere."""
    own = {name: value for name, value in record.settings.items() if name not in common}
    reason = record.reason if record.reason != said else ""
    notes = filter(None, (record.detail, reason, comparison.settings(own)))
    return CheckRow(record, subject(record, runs), tuple(notes))
