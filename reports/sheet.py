"""The sheet of a case: problem, reference, modelling, results, figures, published values, summary."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from veridyn.reports import drawing, numbers
from veridyn.reports.checks import LISTED, Group, make_group
from veridyn.reports.comparison import Matrix, matrices, truth_digits
from veridyn.reports.drawing import Diagram, ReportFigure
from veridyn.reports.studio import HERE
from veridyn.reports.tally import TROUBLE, Tally, anchors, judged_margin, margin_of, subject, tally
from veridyn.results import CaseSheet, Document, PrintedVerdict, PublishedValue, Record, ReferenceRow
from veridyn.results.grouping import group

NOT_DESCRIBED = "The file has results of this case, but no description."

ERRATA = (PrintedVerdict.MISPRINT, PrintedVerdict.INACCURATE)
COMPARED = 12  # variants whose solvers stand side by side; those with trouble come first


@dataclass(frozen=True)
class RunSummary:
    """One line of a case's summary: a variant solved by a subject, the fewest digits, the time of the run in s."""

    variant: str
    subject: str
    tally: Tally
    digits: float | None
    seconds: float | None


@dataclass(frozen=True)
class Truth:
    """A reference as it is printed: uncertainty and number of its route, empty where there is none."""

    reference: ReferenceRow
    uncertainty: str
    route: str


@dataclass(frozen=True)
class Sheet:
    """Everything about one case; `case` is its description in the document.

    `truths` are its references with the number of the route in `routes`, kind and steps, by which each was found.
    """

    anchor: str
    name: str
    case: CaseSheet
    system: ReportFigure | None
    truths: list[Truth]
    routes: list[tuple[str, tuple[str, ...]]]
    tally: Tally
    runs: list[RunSummary]
    runs_left_out: int
    groups: list[Group]
    matrices: list[Matrix]
    matrices_left_out: int
    diagrams: list[Diagram]
    drawings: list[ReportFigure]
    published: list[PublishedValue]
    errata: list[PublishedValue]
    summary: list[str]

    def group_of(self, name: str) -> Group | None:
        """Return the group of a subject, None if the case was not run with it."""
        return next((group for group in self.groups if group.subject == name), None)

    @property
    def drawn(self) -> list[ReportFigure]:
        """All its figures."""
        system = [self.system] if self.system else []
        return [*system, *(one.drawing for one in self.diagrams if one.drawing), *self.drawings]


def make_sheets(document: Document, runs: int, share: int, studio: Executor = HERE) -> list[Sheet]:
    """Make a sheet of every case that is described, has results or figures, in this order; the studio draws them."""
    described = {case.case: case for case in document.cases}
    results = group(document.results, lambda record: record.case)
    drawings, compared = drawing.of_cases(document.figures, studio), drawing.compared(document, studio)
    names = list(dict.fromkeys([*described, *results, *compared, *drawings]))
    return [
        _sheet(
            anchor,
            described.get(name, CaseSheet(case=name, title="", summary=NOT_DESCRIBED)),
            results.get(name, []),
            (compared.get(name, []), drawings.get(name, [])),
            runs,
            share,
        )
        for name, anchor in zip(names, anchors(names, "case-"), strict=True)
    ]


def _sheet(
    anchor: str,
    case: CaseSheet,
    results: list[Record],
    drawn: tuple[list[Diagram], list[ReportFigure]],
    runs: int,
    share: int,
) -> Sheet:
    by_subject = group(results, lambda record: subject(record, runs))
    by_run = group(results, lambda record: (record.variant, subject(record, runs)))
    keys = anchors(by_subject, f"{anchor}-by-")
    lines = _worst_runs_first(by_run)
    side_by_side, more = matrices(results, runs, COMPARED)
    total = tally(results)
    routes = [way for way in dict.fromkeys(map(_route, case.references)) if any(way)]
    return Sheet(
        anchor=anchor,
        name=case.case,
        case=case,
        system=drawing.system(case, anchor),
        truths=_truths(case.references, routes),
        routes=routes,
        tally=total,
        runs=[_run(*names, members) for names, members in lines[:LISTED]],
        runs_left_out=max(0, len(lines) - LISTED),
        groups=[
            make_group(key, name, members, runs, share)
            for key, (name, members) in zip(keys, by_subject.items(), strict=True)
        ],
        matrices=side_by_side,
        matrices_left_out=more,
        diagrams=drawn[0],
        drawings=drawn[1],
        # what needs no word of its own comes last
        published=sorted(case.published, key=lambda p: p.verdict is PrintedVerdict.REPRODUCED and not p.explanation),
        errata=[value for value in case.published if value.verdict in ERRATA],
        summary=_summary(results, total, case, runs),
    )


def _worst_runs_first(by_run: dict[tuple[str, str], list[Record]]) -> list[tuple[tuple[str, str], list[Record]]]:
    """Put runs with trouble first if the page cannot show all; otherwise keep the order of the run."""
    lines = list(by_run.items())
    if len(lines) <= LISTED:
        return lines
    return sorted(lines, key=lambda line: all(record.verdict not in TROUBLE for record in line[1]))


def _route(truth: ReferenceRow) -> tuple[str, tuple[str, ...]]:
    """Return kind and steps of the way in which a reference was found, with the independent routes that agree."""
    return truth.kind, tuple(truth.routes)


def _truths(references: Sequence[ReferenceRow], routes: Sequence[tuple[str, tuple[str, ...]]]) -> list[Truth]:
    numbered = {route: str(number) for number, route in enumerate(routes, start=1)}
    return [Truth(reference, reference.radius or "", numbered.get(_route(reference), "")) for reference in references]


def _run(variant: str, name: str, records: list[Record]) -> RunSummary:
    # All quantities of a run carry the time of that run; of several runs of a variant, the longest.
    longest = max((record.wall_time for record in records if record.wall_time is not None), default=None)
    return RunSummary(variant, name, tally(records), min(truth_digits(records), default=None), longest)


def _summary(results: list[Record], total: Tally, case: CaseSheet, runs: int) -> list[str]:
    """Say in a few sentences what the sheet found."""
    if not results:
        return ["No check of this case was recorded."]
    errata = sum(value.verdict in ERRATA for value in case.published)
    flags = [(total.fragile, "fragile (margin below 2)"), (total.loose, "loose (margin above 1000)")]
    result = [
        f"{numbers.plural(count, 'check')} {'is' if count == 1 else 'are'} {word}." for count, word in flags if count
    ]
    judged = numbers.plural(len(case.published), "published value")
    said = f"{judged} judged, {numbers.plural(errata, 'erratum', 'errata')}."
    return [f"{numbers.plural(total.total, 'check')}: {total.words}.", *_worst(results, runs), *result, said]


def _worst(results: list[Record], runs: int) -> list[str]:
    margins = [record for record in results if judged_margin(record) is not None]
    if not margins:
        return []
    worst = min(margins, key=margin_of)
    where = f"{worst.quantity} ({worst.layer}), {' '.join(filter(None, (worst.variant, subject(worst, runs))))}"
    return [f"The smallest margin is {numbers.margin(worst.margin)}: {where}."]
