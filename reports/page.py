"""What a report says, independent of markup: the HTML and the Markdown page are two renderings of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from veridyn.reports import figures, numbers
from veridyn.reports.document import Document, environments
from veridyn.reports.tally import (
    KINDS,
    Record,
    Tally,
    anchors,
    by_kind,
    common_settings,
    flag,
    group,
    headline,
    subject,
    tally,
    worst_first,
)

NO_CASE: Record = {
    "title": "",
    "document": "",
    "summary": "The file has results of this case, but no description.",
    "statement": [],
    "parameters": [],
    "quantities": [],
    "references": [],
    "modelling": [],
    "published": [],
    "remarks": [],
}


@dataclass(frozen=True)
class Row:
    """One check, printed; `record` is what it was made from."""

    record: Record
    subject: str
    flag: str
    value: str
    reference: str
    error: str
    tolerance: str
    margin: str
    digits: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """Checks of one kind within a group."""

    kind: str
    meaning: str
    tally: Tally
    rows: list[Row]


@dataclass(frozen=True)
class Group:
    """All checks of one subject in a case."""

    anchor: str
    subject: str
    tally: Tally
    settings: str
    sections: list[Section]


@dataclass(frozen=True)
class Run:
    """One line of a case's summary: a variant solved by a subject."""

    variant: str
    subject: str
    tally: Tally
    margin: str
    digits: str
    time: str


@dataclass(frozen=True)
class Drawing:
    """A drawn figure."""

    anchor: str
    title: str
    caption: str
    svg: str

    @property
    def file(self) -> str:
        """Name of its file, relative to the report."""
        return f"figures/{self.anchor}.svg"


@dataclass(frozen=True)
class Sheet:
    """Everything about one case; `case` is its description in the document."""

    anchor: str
    name: str
    case: Record
    tally: Tally
    runs: list[Run]
    groups: list[Group]
    drawings: list[Drawing]
    margin: str
    errata: int

    def group_of(self, name: str) -> Group | None:
        """Return the group of a subject, None if the case was not run with it."""
        return next((group for group in self.groups if group.subject == name), None)


@dataclass(frozen=True)
class Page:
    """The whole report."""

    headline: str
    tally: Tally
    messages: list[str]
    failures: list[Row]
    fragile: list[Row]
    subjects: list[str]
    sheets: list[Sheet]
    overview: Drawing | None
    environments: list[dict[str, Any]]
    runs: list[Tally]


def make_page(document: Document) -> Page:
    """Arrange a checked document as a page; draws the figures.

    Raises
    ------
    ReportError
        If matplotlib is not installed.
    """
    results = document["results"]
    places = environments(document)
    rows = _row_maker(len(places))
    total = tally(results)
    return Page(
        headline=headline(total),
        tally=total,
        messages=document["messages"],
        failures=[rows(record) for record in worst_first(results) if record["verdict"] in ("error", "fail")],
        fragile=[rows(record) for record in results if flag(record) == "fragile"],
        subjects=list(group(results, lambda record: subject(record, len(places)))),
        sheets=_sheets(document, rows),
        overview=_overview(results),
        environments=places,
        runs=[
            tally(record for record in results if record.get("run", 1) == run + 1)
            for run in range(len(places))
        ],
    )


def _overview(results: list[Record]) -> Drawing | None:
    figure = figures.scatter(results)
    has_points = any(series["marker"] for series in figure["panels"][0]["series"])
    return _drawing(figure, "overview") if has_points else None


def _drawing(figure: Record, anchor: str) -> Drawing:
    return Drawing(anchor, figure["title"] or figure["id"], figure["caption"], figures.draw(figure, anchor))


def _sheets(document: Document, rows: Callable[[Record], Row]) -> list[Sheet]:
    """Make a sheet of every case that is described, has results or figures, in this order."""
    described = {case["case"]: case for case in document["cases"]}
    results = group(document["results"], lambda record: str(record["case"]))
    drawings = _drawings(document["figures"])
    names = list(dict.fromkeys([*described, *results, *drawings]))
    return [
        _sheet(
            anchor,
            described.get(name, NO_CASE | {"case": name}),
            results.get(name, []),
            drawings.get(name, []),
            rows,
        )
        for name, anchor in zip(names, anchors(names, "case-"), strict=True)
    ]


def _drawings(listed: list[Record]) -> dict[str, list[Drawing]]:
    keys = anchors([f"{figure['case']}-{figure['id']}" for figure in listed], "figure-")
    drawn: dict[str, list[Drawing]] = {}
    for figure, key in zip(listed, keys, strict=True):
        drawn.setdefault(figure["case"], []).append(_drawing(figure, key))
    return drawn


def _sheet(
    anchor: str, case: Record, results: list[Record], drawings: list[Drawing], rows: Callable[[Record], Row]
) -> Sheet:
    made = [rows(record) for record in results]
    by_subject = _rows_by(made, lambda row: row.subject)
    by_run = _rows_by(made, lambda row: (row.record["variant"], row.subject))
    keys = anchors(by_subject, f"{anchor}-by-")
    return Sheet(
        anchor=anchor,
        name=case["case"],
        case=case,
        tally=tally(results),
        runs=[_run(variant, name, members) for (variant, name), members in by_run.items()],
        groups=[_group(key, *item) for key, item in zip(keys, by_subject.items(), strict=True)],
        drawings=drawings,
        margin=numbers.margin(tally(results).worst),
        errata=sum(value["verdict"] != "reproduced" for value in case["published"]),
    )


def _rows_by(rows: Sequence[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _run(variant: str, name: str, rows: list[Row]) -> Run:
    records = [row.record for row in rows]
    counted = tally(records)
    digits = [
        record["digits"] for record in records if record["kind"] == "truth" and record["digits"] is not None
    ]
    # All quantities of a run carry the time of that run; several runs of a variant: the longest.
    times = [record["wall_time"] for record in records if record["wall_time"] is not None]
    return Run(
        variant=variant,
        subject=name,
        tally=counted,
        margin=numbers.margin(counted.worst),
        digits=numbers.correct_digits(min(digits, default=None)),
        time=numbers.time(max(times, default=None)),
    )


def _group(anchor: str, name: str, rows: list[Row]) -> Group:
    by_record = {id(row.record): row for row in rows}
    records = [row.record for row in rows]
    common = common_settings(records)
    sections = [
        Section(
            kind,
            KINDS[kind],
            tally(members),
            [_with_settings(by_record[id(record)], common) for record in members],
        )
        for kind, members in by_kind(records).items()
    ]
    return Group(anchor, name, tally(records), _settings(common), sections)


def _with_settings(row: Row, common: dict[str, Any]) -> Row:
    """Add the settings by which a check differs from the others of its group."""
    own = {name: value for name, value in row.record["settings"].items() if name not in common}
    return replace(row, notes=(*row.notes, _settings(own))) if own else row


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {numbers.value(value)}" for name, value in settings.items())


def _row_maker(runs: int) -> Callable[[Record], Row]:
    """Return the function that prints a record, given the number of runs in the document."""

    def make(record: Record) -> Row:
        printed = f"printed: {record['published']}" if record["published"] else ""
        return Row(
            record=record,
            subject=subject(record, runs),
            flag=flag(record),
            value=numbers.value(record["value"]),
            reference=numbers.value(record["reference"]),
            error=numbers.error(record["error"]),
            tolerance=numbers.error(record["tolerance"]),
            margin=numbers.margin(record["margin"]),
            digits=numbers.correct_digits(record["digits"]),
            notes=tuple(filter(None, (record["reason"], printed, record["detail"]))),
        )

    return make
