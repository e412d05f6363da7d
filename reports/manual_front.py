"""What a reader of the manual needs first: conclusion, deviations with their assessment, the code and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from veridyn.reports import comparison, numbers
from veridyn.reports.manual_blocks import Block, Chapter, ManualSection, ManualTable, Paragraph, listed
from veridyn.reports.manual_trace import NO_CHECK, list_unmet, shorten, trace
from veridyn.reports.page import list_judged
from veridyn.reports.tally import TROUBLE, Tally, margin_of
from veridyn.results import Document, Record, SolverVersion, Verdict
from veridyn.results.grouping import group
from veridyn.results.quality import QualityRecord

DEVIATING = (*TROUBLE, Verdict.EXPECTED_FAILURE)
NOT_ASSESSED = "not assessed"
DEVIATIONS = ("Case", "Checks", "Smallest margin", "What is known of it", "Assessment", "Verdict")
FEW = 6  # files on the title page; the annex has all


def conclude(document: Document, total: Tally, gaps: Sequence[str], quality: QualityRecord) -> str:
    """Return the conclusion in one paragraph, which follows from the verdicts."""
    code = " and ".join(name_solvers(document)) or "No solver"
    cases = numbers.plural(len({record.case for record in document.results}), "case")
    variants = numbers.plural(len({(r.solver, r.case, r.variant) for r in document.results}), "problem")
    said = f"{code} was judged by {numbers.plural(total.total, 'check')} on {cases} ({variants}): {total.words}."
    deviations = [record for record in document.results if record.verdict in DEVIATING]
    open_ones = [record for record in deviations if not _assess(record, quality)]
    required, deviate = _count_requirements(document, quality), _count_open(deviations, open_ones)
    unmet = list_unmet(quality.requirements, document.results)
    return " ".join(filter(None, (said, required, deviate, _end(total, gaps, unmet))))


def _count_requirements(document: Document, quality: QualityRecord) -> str:
    """Return how many requirements are met, and which are not."""
    if quality.requirements is None:
        return "No requirements were stated."
    traced = trace(quality.requirements, document.results)
    ids = {verdict: [one.requirement.id for one in traced if one.verdict == verdict] for verdict in _ENDS}
    counted = Counter(one.verdict for one in traced)
    rest = [f"{said}: {', '.join(ids[verdict])}" for verdict, said in _ENDS.items() if ids[verdict]]
    head = f"{counted[Verdict.PASS]} of {numbers.plural(len(traced), 'requirement')} are met"
    return f"{'; '.join([head, *rest])}."


_ENDS = {
    Verdict.FAIL: "not met",
    Verdict.ERROR: "ended in an error",
    Verdict.HARNESS_ERROR: "could not be measured",
    Verdict.EXPECTED_FAILURE: "met but for accepted failures",
    Verdict.NOT_APPLICABLE: "not judged",
    NO_CHECK: "without a check",
}


def _count_open(deviations: Sequence[Record], open_ones: Sequence[Record]) -> str:
    if not deviations:
        return "No check deviates."
    assessed = len(deviations) - len(open_ones)
    return f"Of {numbers.plural(len(deviations), 'deviation')} {assessed} are assessed."


def _end(total: Tally, gaps: Sequence[str], unmet: Sequence[str]) -> str:
    if gaps:
        return "The run is incomplete: it allows no conclusion."
    if total.trouble:
        return "The solver is not verified as it stands: each deviation is to be repaired, or assessed for the use."
    if not total.judged:
        return "Nothing was judged: there is no conclusion."
    if unmet:
        return f"The solver is not verified for {', '.join(unmet)}; for the rest it is, within the limitations."
    return "Within the acceptance criteria and the limitations of this manual the solver is verified on these cases."


def name_solvers(document: Document) -> list[str]:
    """Return solvers under test with their versions, each once."""
    versions = {one.name: one.version for one in document.solvers}
    names = dict.fromkeys(record.solver for record in document.results)
    return [" ".join(filter(None, (name, versions.get(name, "")))) for name in names]


# ---- deviations


def make_deviations(document: Document, quality: QualityRecord) -> Chapter:
    """Return the chapter on checks that did not pass, by case, verdict and assessment of the user."""
    deviating = [record for record in document.results if record.verdict in DEVIATING]
    alike = group(deviating, lambda record: (record.case, record.verdict, _assess(record, quality), _explain(record)))
    rows = [_row(members, assessment) for (_, _, assessment, _), members in alike.items()]
    caption = "Deviations, and their assessment by the user"
    table = ManualTable(caption, DEVIATIONS, "stntts", rows, [row[-1] for row in rows])
    idle = [one.checks for one in quality.assessments if not any(map(one.covers, deviating))]
    return Chapter(
        "Deviations",
        "",
        [
            ManualSection("Checks that did not pass", [table] if rows else [Paragraph("No check failed.")]),
            ManualSection("Assessments that no deviation needs", listed(idle)),
        ],
    )


def _row(members: Sequence[Record], assessment: str) -> Sequence[str]:
    margin = min(map(margin_of, members))
    names = shorten(record.id or record.quantity for record in members)
    counted = f"{names} ({numbers.plural(len(members), 'check')})"
    shown = numbers.margin(None if margin == float("inf") else margin)
    first = members[0]
    return first.case, counted, shown, _explain(first) or numbers.NONE, assessment or NOT_ASSESSED, first.verdict


def _explain(record: Record) -> str:
    return record.detail


def _assess(record: Record, quality: QualityRecord) -> str:
    """Return what the user says of a deviation; empty if nothing."""
    return " ".join(one.text for one in quality.assessments if one.covers(record))


# ---- the code, and hashes


def describe_codes(document: Document) -> list[tuple[str, str]]:
    """Return what results state of the solvers under test, for the title page: name, version, settings, run by hand."""
    return [pair for alike in group(document.solvers, lambda one: one.name).values() for pair in _describe(alike)]


def _describe(alike: Sequence[SolverVersion]) -> Iterable[tuple[str, str]]:
    yield "Code", " ".join(filter(None, (alike[0].name, alike[0].version)))
    for label, values in (
        ("Settings", (comparison.settings(one.settings) for one in alike)),
        ("Ran on", (one.date for one in alike)),
        ("Machine", (one.machine for one in alike)),
    ):
        if said := ", ".join(dict.fromkeys(filter(None, values))):
            yield label, said


def describe_judged(document: Document, quality: QualityRecord) -> list[tuple[str, str]]:
    """Return, for the title page, names and SHA-256 of what was judged and of the user's files, or how many."""
    every = dict.fromkeys([*list_judged(document), *quality.files])
    if len(every) > FEW:
        return [("Judged", f"{len(every)} files and solvers, with their SHA-256 in the annex on hashes")]
    return [(f"SHA-256 of {name}", digest) for name, digest in every]


HASHES = (
    "Of answers and of the files of the user it is the SHA-256 of the file itself; of all else, of the lines that "
    "sha256sum prints for its files."
)


def list_hashes(document: Document, quality: QualityRecord) -> list[Block]:
    """Return the hashes of what was judged, of the judge, and of what was read."""
    marks = dict.fromkeys((mark.kind, mark.name, mark.sha256) for mark in document.fingerprints)
    rows = [*marks, *(("user", name, digest) for name, digest in quality.files)]
    table = ManualTable("What was judged, by what, and what was read", ("Kind", "Name", "SHA-256"), "ssn", rows)
    return [Paragraph(HASHES), table] if rows else []
