"""What a report says, independent of markup: the HTML and the Markdown page are two renderings of it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from veridyn.reports import diagrams, figures, numbers
from veridyn.reports.comparison import Matrix, Score, matrices, score, truth_digits
from veridyn.reports.diagrams import Ladder, Price
from veridyn.reports.document import Document, environments
from veridyn.reports.tally import (
    KINDS,
    TROUBLE,
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
    measure: str
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
    score: Score
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
class Diagram:
    """Work and precision in one variant: the drawing, if any point can be shown, and the rungs behind it."""

    variant: str
    drawing: Drawing | None
    ladders: list[Ladder]
    prices: list[Price]


@dataclass(frozen=True)
class Sheet:
    """Everything about one case; `case` is its description in the document."""

    anchor: str
    name: str
    case: Record
    tally: Tally
    runs: list[Run]
    groups: list[Group]
    matrices: list[Matrix]
    diagrams: list[Diagram]
    drawings: list[Drawing]
    margin: str
    errata: int
    notable: list[dict[str, Any]]
    plain: list[dict[str, Any]]

    def group_of(self, name: str) -> Group | None:
        """Return the group of a subject, None if the case was not run with it."""
        return next((group for group in self.groups if group.subject == name), None)

    @property
    def drawn(self) -> list[Drawing]:
        """All its figures."""
        return [*(one.drawing for one in self.diagrams if one.drawing), *self.drawings]


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
    results, places = document["results"], environments(document)
    runs = len(places)
    total = tally(results)
    return Page(
        headline=headline(total),
        tally=total,
        messages=document["messages"],
        failures=[_row(record, runs) for record in worst_first(results) if record["verdict"] in TROUBLE],
        fragile=[_row(record, runs) for record in results if flag(record) == "fragile"],
        subjects=list(_by_subject(results, runs)),
        sheets=_sheets(document, runs),
        overview=_overview(results),
        environments=places,
        runs=[tally(_of_run(results, number)) for number in range(1, runs + 1)],
    )


def _of_run(results: list[Record], number: int) -> list[Record]:
    return [record for record in results if record.get("run", 1) == number]


def _by_subject(results: list[Record], runs: int) -> dict[str, list[Record]]:
    return group(results, lambda record: subject(record, runs))


def _overview(results: list[Record]) -> Drawing | None:
    figure = figures.scatter(results)
    has_points = any(series["marker"] for series in figure["panels"][0]["series"])
    return _drawing(figure, figure["id"]) if has_points else None


def _drawing(figure: Record, anchor: str) -> Drawing:
    return Drawing(anchor, figure["title"] or figure["id"], figure["caption"], figures.draw(figure, anchor))


def _sheets(document: Document, runs: int) -> list[Sheet]:
    """Make a sheet of every case that is described, has results or figures, in this order."""
    described = {case["case"]: case for case in document["cases"]}
    results = group(document["results"], lambda record: str(record["case"]))
    drawings, compared = _drawings(document["figures"]), _diagrams(document)
    names = list(dict.fromkeys([*described, *results, *compared, *drawings]))
    sheets = []
    for name, anchor in zip(names, anchors(names, "case-"), strict=True):
        case = described.get(name, NO_CASE | {"case": name})
        sheets.append(_sheet(anchor, case, results.get(name, []), drawings.get(name, []), compared.get(name, []), runs))
    return sheets


def _diagrams(document: Document) -> dict[str, list[Diagram]]:
    """Make the work-precision diagrams of every case."""
    points = document["work_precision"]
    machines = [environment["machine"] for environment in environments(document)]
    order = list(_by_subject(points, len(machines)))
    made: dict[str, list[Diagram]] = {}
    by_variant = group(points, _place)
    results = group(document["results"], _place)
    keys = anchors([f"{case}-{variant}" for case, variant in by_variant], "work-precision-")
    for (place, members), key in zip(by_variant.items(), keys, strict=True):
        figure = diagrams.figure(members, results.get(place, []), order, machines)
        drawing = _drawing(figure, key) if figure else None
        listed = diagrams.ladders(members, len(machines)), diagrams.prices(members, len(machines))
        made.setdefault(place[0], []).append(Diagram(place[1], drawing, *listed))
    return made


def _place(record: Record) -> tuple[str, str]:
    return str(record["case"]), str(record["variant"])


def _drawings(listed: list[Record]) -> dict[str, list[Drawing]]:
    """Draw the figures of every case."""
    keys = anchors([f"{figure['case']}-{figure['id']}" for figure in listed], "figure-")
    drawn: dict[str, list[Drawing]] = {}
    for figure, key in zip(listed, keys, strict=True):
        drawn.setdefault(figure["case"], []).append(_drawing(figure, key))
    return drawn


def _sheet(
    anchor: str,
    case: Record,
    results: list[Record],
    drawings: list[Drawing],
    compared: list[Diagram],
    runs: int,
) -> Sheet:
    by_run = group(results, lambda record: (str(record["variant"]), subject(record, runs)))
    by_subject = _by_subject(results, runs)
    keys = anchors(by_subject, f"{anchor}-by-")
    total = tally(results)
    return Sheet(
        anchor=anchor,
        name=case["case"],
        case=case,
        tally=total,
        runs=[_run(*names, members) for names, members in by_run.items()],
        groups=[_group(key, name, by_subject[name], runs) for key, name in zip(keys, by_subject, strict=True)],
        matrices=matrices(results, runs),
        diagrams=compared,
        drawings=drawings,
        margin=numbers.margin(total.worst),
        errata=sum(value["verdict"] in ("misprint", "inaccurate") for value in case["published"]),
        notable=[value for value in case["published"] if _notable(value)],
        plain=[value for value in case["published"] if not _notable(value)],
    )


def _notable(value: dict[str, Any]) -> bool:
    """Whether a published value needs a word of its own."""
    return value["verdict"] != "reproduced" or bool(value["explanation"])


def _run(variant: str, name: str, records: list[Record]) -> Run:
    counted = tally(records)
    # All quantities of a run carry the time of that run; of several runs of a variant, the longest.
    times = [record["wall_time"] for record in records if record["wall_time"] is not None]
    return Run(
        variant=variant,
        subject=name,
        tally=counted,
        margin=numbers.margin(counted.worst),
        digits=numbers.correct_digits(min(truth_digits(records), default=None)),
        time=numbers.time(max(times, default=None)),
    )


def _group(anchor: str, name: str, records: list[Record], runs: int) -> Group:
    common = common_settings(records)
    sections = [
        Section(kind, KINDS[kind], tally(members), [_row(record, runs, common) for record in members])
        for kind, members in by_kind(records).items()
    ]
    return Group(anchor, name, tally(records), score(records), diagrams.settings(common), sections)


def _row(record: Record, runs: int, common: Collection[str] = ()) -> Row:
    """Print a record; settings that are named in `common` are said elsewhere."""
    own = {name: value for name, value in record["settings"].items() if name not in common}
    printed = f"printed: {record['published']}" if record["published"] else ""
    return Row(
        record=record,
        subject=subject(record, runs),
        flag=flag(record),
        value=numbers.value(record["value"]),
        reference=numbers.value(record["reference"]),
        error=numbers.error(record["error"]),
        measure=record["error_kind"] if record["error"] is not None else "",
        tolerance=numbers.tolerance(record["tolerance"]),
        margin=numbers.margin(record["margin"]),
        digits=numbers.correct_digits(record["digits"]),
        notes=tuple(filter(None, (record["detail"], record["reason"], printed, diagrams.settings(own)))),
    )
