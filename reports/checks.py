"""Checks as a report prints them: rows, by layer, by subject. A page holds only so many; the CSV file has all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from veridyn.reports import diagrams, numbers
from veridyn.reports.comparison import Score, score
from veridyn.reports.levels import LevelTable, Term, level_table, terms
from veridyn.reports.tally import LAYERS, Record, Tally, by_layer, common_settings, flag, subject, tally, worst_first

PAGE = 3000  # checks on a page, all subjects together; more are slow to open and nobody reads them
FEWEST = 3  # per subject and case, however many there are
LISTED = 200  # lines of a list of failures, fragile checks or runs


@dataclass(frozen=True)
class Row:
    """One check, printed; `record` is what it was made from.

    `terms` are the parts of its tolerance, `levels` is the table from which the verdict can be recomputed.
    """

    record: Record
    subject: str
    flag: str
    value: str
    reference: str
    error: str
    measure: str
    tolerance: str
    margin: str
    digits: str
    notes: tuple[str, ...]
    terms: list[Term]
    levels: LevelTable | None

    @property
    def basis(self) -> str:
        """What there is to see when the check is opened; empty if nothing."""
        parts = [
            f"{len(self.terms)} parts of the tolerance" if self.terms else "",
            self.levels.title if self.levels else "",
        ]
        return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class Rows:
    """A list of checks, of which the page shows the first."""

    shown: list[Row]
    total: int

    @property
    def left_out(self) -> int:
        """How many are only in the CSV file."""
        return self.total - len(self.shown)


@dataclass(frozen=True)
class Section:
    """Checks of one layer within a group; `reason` is that of all their tolerances, if they share one."""

    layer: str
    meaning: str
    reason: str
    tally: Tally
    rows: list[Row]


@dataclass(frozen=True)
class Group:
    """All checks of one subject in a case."""

    anchor: str
    subject: str
    tally: Tally
    score: Score
    settings: str
    sections: list[Section]

    @property
    def left_out(self) -> int:
        """How many are only in the CSV file."""
        return self.tally.total - sum(len(section.rows) for section in self.sections)


def share(total: int, groups: int, most: int = PAGE) -> int:
    """Return how many checks a page that holds so many shows of each group."""
    return total if total <= most else max(FEWEST, most // groups)


def listed(records: Sequence[Record], runs: int) -> Rows:
    """Print a list that may be long."""
    return Rows([row(record, runs) for record in records[:LISTED]], len(records))


def make_group(anchor: str, name: str, records: list[Record], runs: int, most: int) -> Group:
    """Print the checks of a subject in a case, the worst `most` of them."""
    common = common_settings(records)
    shown = by_layer(worst_first(records)[:most])
    sections = [
        _section(layer, members, shown.get(layer, []), runs, common) for layer, members in by_layer(records).items()
    ]
    return Group(anchor, name, tally(records), score(records), diagrams.settings(common), sections)


def _section(layer: str, members: list[Record], shown: list[Record], runs: int, common: Collection[str]) -> Section:
    reasons = {record["reason"] for record in members}
    shared = reasons.pop() if len(reasons) == 1 and len(members) > 1 else ""
    rows = [row(record, runs, common, shared) for record in shown]
    return Section(layer, LAYERS[layer], shared, tally(members), rows)


ADMISSIBLE = "× admissible"
"""Measure of an error of invariance."""


def measure(record: Record) -> str:
    """Return what the error of a record is measured in, besides its unit."""
    return ADMISSIBLE if record["layer"] == "invariance" else str(record["error_kind"])


def row(record: Record, runs: int, common: Collection[str] = (), said: str = "") -> Row:
    """Print a record; settings that are named in `common` and the reason `said` stand elsewhere."""
    own = {name: value for name, value in record["settings"].items() if name not in common}
    reason = record["reason"] if record["reason"] != said else ""
    return Row(
        record=record,
        subject=subject(record, runs),
        flag=flag(record),
        value=numbers.value(record["value"]),
        reference=numbers.value(record["reference"]),
        error=numbers.error(record["error"]),
        measure=measure(record) if record["error"] is not None else "",
        tolerance=numbers.tolerance(record["tolerance"]),
        margin=numbers.margin(record["margin"]),
        digits=numbers.correct_digits(record["digits"]),
        notes=tuple(filter(None, (record["detail"], reason, diagrams.settings(own)))),
        terms=terms(record),
        levels=level_table(record),
    )
