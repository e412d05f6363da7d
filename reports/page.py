"""What a report says, independent of markup: the pages, the manual's summary and the summary of a job render it.

To the first page belong the weakest points of a run and what it does not cover, which who signs must have seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from veridyn.reports import drawing, numbers
from veridyn.reports.against import RunComparison
from veridyn.reports.checks import ALL, SINGLE, CheckRow, listed, share
from veridyn.reports.comparison import Standing, standings
from veridyn.reports.drawing import ReportFigure
from veridyn.reports.numbers import plural
from veridyn.reports.sheet import Sheet, make_sheets
from veridyn.reports.studio import HERE
from veridyn.reports.tally import (
    CAUSES,
    FRAGILE,
    LAYERS,
    TROUBLE,
    TRUTH,
    Excerpt,
    Tally,
    count_apart,
    headline,
    judged_margin,
    margin_of,
    subject,
    tally,
    worst_first,
)
from veridyn.results import (
    Document,
    Environment,
    FingerprintKind,
    Layer,
    MessageKind,
    Profile,
    Record,
    Verdict,
    describe_scope,
    find_gaps,
)
from veridyn.results.cause import Cause
from veridyn.results.causes import find_causes
from veridyn.results.grouping import group
from veridyn.results.unjudged import list_unjudged_claims

TITLE = "Verification report"
TITLES = {Profile.COMPARISON: "Comparison of solvers"}

COMPARED = {
    Layer.CONVERGENCE: (
        "Convergence",
        "proved reference, within 3 times the change between the last refinement levels",
    ),
    Layer.CLAIM: ("Claims", "order, error per tolerance, digits or method that the solver states of itself"),
    Layer.INVARIANCE: (
        "Invariance",
        "its answer to the same problem put otherwise, to rounding or numerical uncertainty",
    ),
    Layer.CRITERION: ("Criterion", "proved reference, within what the source document or the user asks for"),
    Layer.BASELINE: ("Baseline", "digits and cost of an earlier run"),
}
"""Layers in the order of the first page: name, what the answer is compared with and how strictly."""

HEAD = ("Compared with", "", "Passed", "Failed", "Not judged", "Worst margin")


@dataclass(frozen=True)
class LayerSummary:
    """The checks of one layer, counted: what they compare with and how strictly, how they ended."""

    name: str
    meaning: str
    tally: Tally

    @property
    def others(self) -> int:
        """How many were not judged, or fail for a known reason."""
        return self.tally.total - self.tally.counts[Verdict.PASS] - self.tally.trouble

    @property
    def cells(self) -> tuple[str, ...]:
        """The layer as a row below `HEAD`."""
        counts = (self.tally.counts[Verdict.PASS], self.tally.trouble, self.others)
        return self.name, self.meaning, *map(str, counts), self.tally.margin


@dataclass(frozen=True)
class Page:
    """The whole report; `gaps` says what is missing, `digest` is the checksum of the results file beside it, if any.

    `signatures` say who signed which of the files that it was made from.

    `judged` are names and SHA-256 of solvers and files.

    `causes` group the failures, `unjudged` are claims that were judged nowhere; `hints` say where failures may come
    from, `messages` what stands nowhere else. `deviations` are on the identity cards of solvers.
    `against` is what changed since an earlier run, if there is one to compare with; `single`: all in one file.
    """

    title: str
    headline: str
    verdict: Verdict
    tally: Tally
    gaps: list[str]
    causes: Excerpt[Cause]
    unjudged: list[str]
    hints: list[str]
    messages: list[str]
    deviations: list[str]
    solvers: list[str]
    compared: list[LayerSummary]
    failures: Excerpt[CheckRow]
    weakest: list[Excerpt[Point]]
    uncovered: list[str]
    subjects: list[str]
    standings: list[Standing]
    sheets: list[Sheet]
    overview: ReportFigure | None
    environments: tuple[Environment, ...]
    runs: list[Tally]
    judged: list[tuple[str, str]]
    digest: str = ""
    signatures: Sequence[str] = ()
    against: RunComparison | None = None
    single: bool = False

    @property
    def drawn(self) -> list[ReportFigure]:
        """All figures."""
        return [*([self.overview] if self.overview else []), *(one for sheet in self.sheets for one in sheet.drawn)]


def make_page(
    document: Document, against: RunComparison | None = None, studio: Executor = HERE, *, single: bool = False
) -> Page:
    """Arrange a checked document as a report, whose figures are drawn in a studio.

    The page needs the studio until its drawings were looked at. Raises ReportError if matplotlib is not installed.
    """
    results, places, missing = document.results, document.runs, find_gaps(document)
    runs = count_apart(document)
    groups = {(record.case, subject(record, runs)) for record in results}
    most = share(len(results), len(groups), SINGLE) if single else ALL
    sheets = make_sheets(document, runs, most, studio)  # first: they give the studio work
    total, scope, causes = tally(results), describe_scope(document), find_causes(document)
    return Page(
        title=_title(document.profile),
        headline=headline(total, missing, scope),
        verdict=Verdict.ERROR if missing else total.verdict,
        tally=total,
        gaps=missing,
        causes=Excerpt("Causes", len(causes), list(causes[:CAUSES])),
        unjudged=list(list_unjudged_claims(document)),
        hints=_sentences(document, MessageKind.HINT),
        messages=_sentences(document, MessageKind.NOTE),
        deviations=[message.text for message in document.messages if message.kind is MessageKind.CARD],
        solvers=solvers(document),
        compared=compared(results),
        failures=listed("Failures and errors", failures(results), runs),
        weakest=weakest(results, runs),
        uncovered=uncovered(document, scope),
        subjects=list(group(results, lambda record: subject(record, runs))),
        standings=standings(results, runs),
        sheets=sheets,
        overview=drawing.overview(results),
        environments=places,
        runs=[tally(r for r in results if r.run_number == number) for number in range(1, len(places) + 1)],
        judged=list_judged(document),
        against=against,
        single=single,
    )


def _title(profile: Profile | None) -> str:
    return TITLES.get(profile, TITLE) if profile else TITLE


def _sentences(document: Document, *kinds: MessageKind) -> list[str]:
    """Return what the messages of some kinds say."""
    return [message.sentence for message in document.messages if message.kind in kinds]


def solvers(document: Document) -> list[str]:
    """Name the solvers under test with their versions, as far as recorded, and their schemes."""
    versions = {one.name: one.version for one in document.solvers}
    schemes = group(document.results, lambda record: record.solver)
    return [
        " ".join(filter(None, (name, versions.get(name, ""), _schemes(records)))) for name, records in schemes.items()
    ]


def _schemes(records: list[Record]) -> str:
    result = list(dict.fromkeys(record.scheme for record in records if record.scheme))
    return f"({', '.join(result)})" if result else ""


JUDGED = (FingerprintKind.SOLVER, FingerprintKind.ANSWERS)


def list_judged(document: Document) -> list[tuple[str, str]]:
    """Return names and SHA-256 of the solvers and files that were judged, each once."""
    judged = ((mark.name, mark.sha256) for mark in document.fingerprints if mark.kind in JUDGED)
    return list(dict.fromkeys(judged))


def compared(results: Sequence[Record]) -> list[LayerSummary]:
    """Count the checks of each layer, the truth first."""
    result = group(results, lambda record: record.layer)
    totals = {layer: tally(result.get(layer, [])) for layer in COMPARED}
    return [LayerSummary(*COMPARED[layer], total) for layer, total in totals.items()]


def failures(results: Sequence[Record]) -> list[Record]:
    """Return checks in trouble: errors first, then by margin, the worst first."""
    result = worst_first(record for record in results if record.verdict in TROUBLE)
    return sorted(result, key=lambda record: (record.verdict is Verdict.FAIL, judged_margin(record) or 0.0))


# ---- weakest points, and what is not covered

FEW = 1.0  # correct digits; a check that passes with fewer deserves a look
LOST = 0.1  # of an order; smaller differences are scatter
POINTS = 4  # points of a kind; the pages of the cases have all
ORDERS = ("order", "slope")


@dataclass(frozen=True)
class Point:
    """One weak point: what is weak about it in numbers, the check that it is, its subject."""

    said: str
    record: Record
    subject: str


def weakest(results: Sequence[Record], runs: int) -> list[Excerpt[Point]]:
    """Return the weak points of a run, kind by kind; kinds without any are left out."""
    passed = [record for record in results if record.verdict is Verdict.PASS]
    kinds = (
        ("Claims not held", [r for r in results if r.layer is Layer.CLAIM and r.verdict in NOT_HELD], _margin),
        ("Orders and slopes lost within the tolerance", [r for r in passed if _lost(r) > LOST], _order),
        (f"Passed with a margin below {FRAGILE:g}", [r for r in passed if margin_of(r) < FRAGILE], _margin),
        (f"Passed with fewer than {FEW:g} correct digits", [r for r in passed if _digits(r) < FEW], _correct),
    )
    return [
        Excerpt(title, len(result), [Point(say(record), record, subject(record, runs)) for record in result[:POINTS]])
        for title, members, say in kinds
        if (result := sorted(members, key=RANKS[say]))
    ]


NOT_HELD = (Verdict.FAIL, Verdict.EXPECTED_FAILURE)


def _digits(record: Record) -> float:
    """Return the digits against the truth, infinite where none are counted."""
    counted = record.digits if record.layer in TRUTH else None
    return float("inf") if counted is None else float(counted)


def is_order(record: Record) -> bool:
    """Whether the value is an observed order, or the slope of errors over the tolerance."""
    return record.layer is Layer.CLAIM and record.quantity.partition(":")[0] in ORDERS


def _lost(record: Record) -> float:
    """Return by how much an observed order stays below the claimed one."""
    value, reference = record.value, record.reference
    if is_order(record) and isinstance(value, int | float) and isinstance(reference, int | float):
        return float(reference - value)
    return 0.0


def _margin(record: Record) -> str:
    return f"margin {numbers.margin(record.margin)}"


def _order(record: Record) -> str:
    what = record.quantity.partition(":")[0]
    return f"{what} {numbers.value(record.value, 3)} of {numbers.value(record.reference, 3)}"


def _correct(record: Record) -> str:
    return f"{numbers.correct_digits(record.digits)} digits"


RANKS = {_margin: margin_of, _order: lambda record: -_lost(record), _correct: _digits}
"""How the points of a kind are ordered, by what is said of them."""

ABSENT = {
    Layer.CRITERION: "no acceptance criterion was applied at default settings",
    Layer.CONVERGENCE: "convergence to the truth was not checked: no refinement levels",
    Layer.CLAIM: "no claim was checked: the observed order of the solver is not verified",
    Layer.INVARIANCE: "invariance was not checked",
    Layer.BASELINE: "no earlier run of the solver was compared with (baseline)",
}


def uncovered(document: Document, scope: str) -> list[str]:
    """Say what a run does not cover, a line each: parts that were not asked for, layers, cases, checks not judged."""
    results = document.results
    result = {record.layer for record in results if record.verdict not in UNJUDGED}
    return [
        *([f"{scope}: the others were not run"] if scope else []),
        *(said for layer, said in ABSENT.items() if layer not in result and results),
        *_not_judged(results),
        *_sentences(document, MessageKind.GAP, MessageKind.UNTESTED),
    ]


UNJUDGED = (Verdict.NOT_APPLICABLE, Verdict.HARNESS_ERROR)


def _not_judged(results: Sequence[Record]) -> Iterator[str]:
    """Count checks that were not judged by layer, with the commonest reason."""
    for layer in LAYERS:
        left = [r for r in results if r.layer == layer and r.verdict is Verdict.NOT_APPLICABLE]
        if left:
            reason, often = Counter(record.detail for record in left).most_common(1)[0]
            most = f", {'all' if often == len(left) else f'{often} of them'}: {reason}" if reason else ""
            yield f"{plural(len(left), f'check of {layer}', f'checks of {layer}')} not applicable{most}"
