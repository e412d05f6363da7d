"""Requirements traced to checks and verdicts, and checks to requirements: the chapter of the manual on both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from veridyn.reports import numbers
from veridyn.reports.manual_blocks import Block, ManualSection, ManualTable, Paragraph, listed
from veridyn.reports.tally import TRUTH, margin_of, tally
from veridyn.results import ErrorKind, Record, Value, Verdict
from veridyn.results.grouping import group
from veridyn.results.quality import AdmissibleError, UserRequirement

NO_CHECK = "no check"
UNSTATED = (
    "No requirements were stated (option --requirements). Each case then stands for one: that the solver solves it."
)
RULE = (
    "A requirement is met if every check that verifies it passes and, where it has a tolerance, every value that is "
    "compared with the reference lies within that, too. Accepted failures make it an expected failure; without a "
    "check, or with none that could be judged, it is open."
)
HEAD = ("Id", "Requirement", "Verified by", "Tolerance", "Passed", "Margin", "Verdict")
BACKWARD = ("Case", "Quantities", "Passed", "Requirements")
NONE = "none"
MOST = 12  # names in a cell


@dataclass(frozen=True)
class TracedRequirement:
    """A requirement with its checks: those whose value exceeds its tolerance, the smallest margin, the verdict."""

    requirement: UserRequirement
    records: Sequence[Record]
    beyond: Sequence[Record]
    margin: float | None
    verdict: str


def trace(requirements: Iterable[UserRequirement], results: Sequence[Record]) -> list[TracedRequirement]:
    """Return each requirement with its checks and what they amount to."""
    return [_trace(one, [record for record in results if one.covers(record)]) for one in requirements]


def _trace(requirement: UserRequirement, records: list[Record]) -> TracedRequirement:
    admissible = requirement.tolerance
    own = [] if admissible is None else [(r, find_margin(r, admissible)) for r in records if is_value(r)]
    beyond = [record for record, margin in own if margin < 1.0]
    judged = [margin_of(r) for r in records if r.verdict in (Verdict.PASS, Verdict.FAIL)] + [m for _, m in own]
    finite = [margin for margin in judged if margin != float("inf")]
    verdict = Verdict.FAIL if beyond and not tally(records).trouble else _judge(records)
    return TracedRequirement(requirement, records, beyond, min(finite, default=None), verdict)


def list_unmet(requirements: Sequence[UserRequirement] | None, results: Sequence[Record]) -> list[str]:
    """Return the identifiers of requirements that are not met: failed, or without anything that was judged."""
    met = (Verdict.PASS, Verdict.EXPECTED_FAILURE)
    return [one.requirement.id for one in trace(requirements or (), results) if one.verdict not in met]


def _judge(records: Sequence[Record]) -> str:
    """Return the verdict that a requirement gets from its checks."""
    if not records:
        return NO_CHECK
    total = tally(records)
    is_excused = total.counts[Verdict.EXPECTED_FAILURE] > 0 and not total.trouble
    return Verdict.EXPECTED_FAILURE if is_excused else total.verdict


def is_value(record: Record) -> bool:
    """Tell whether a check compares a number with the reference, and was judged."""
    numbers_there = make_decimal(record.value) is not None and make_decimal(record.reference) is not None
    return record.layer in TRUTH and record.verdict is not Verdict.NOT_APPLICABLE and numbers_there


def find_margin(record: Record, admissible: AdmissibleError) -> float:
    """Return what a requirement admits over the error of a value; infinite without an error.

    Relative to a reference of zero nothing but zero is admissible.
    """
    value, reference = make_decimal(record.value), make_decimal(record.reference)
    assert value is not None
    assert reference is not None
    error = abs(value - reference)
    limit = Decimal(admissible.value) * (abs(reference) if admissible.kind is ErrorKind.RELATIVE else 1)
    return float(limit / error) if error else float("inf")


def make_decimal(value: Value) -> Decimal | None:
    """Return a value as an exact decimal; None if it is no finite number."""
    try:
        number = None if value is None else Decimal(value)
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


# ---- sections


def make_trace_sections(
    requirements: Sequence[UserRequirement] | None, results: Sequence[Record]
) -> list[ManualSection]:
    """Return the sections that trace requirements to checks, and checks to requirements."""
    if requirements is None:
        return [ManualSection("Requirements of the user", [Paragraph(UNSTATED)])]
    traced = trace(requirements, results)
    rows = [_forward(one) for one in traced]
    table = ManualTable("Requirements, with the checks that verify them", HEAD, "sttsnns", rows, [r[-1] for r in rows])
    lacking = [f"{one.requirement.id}: {one.requirement.text}" for one in traced if one.verdict == NO_CHECK]
    return [
        ManualSection("Requirements of the user", [Paragraph(RULE), table]),
        ManualSection("Values beyond the tolerance of a requirement", _beyond(traced)),
        ManualSection("Requirements without a check", listed(lacking) or [Paragraph("There are none.")]),
        ManualSection("Checks and the requirements that they verify", _backward(requirements, results)),
    ]


def _forward(one: TracedRequirement) -> Sequence[str]:
    requirement = one.requirement
    named = " ".join([*requirement.quantities, *(["in"] if requirement.cases else []), *requirement.cases])
    tolerance = requirement.tolerance.text if requirement.tolerance else "of the checks"
    return (
        *(requirement.id, requirement.text, named.removeprefix("in "), tolerance),
        *(_share(one.records), numbers.margin(one.margin), one.verdict),
    )


def _share(records: Sequence[Record]) -> str:
    """Return passed of all checks."""
    return f"{tally(records).counts[Verdict.PASS]}/{len(records)}"


def _beyond(traced: Sequence[TracedRequirement]) -> list[Block]:
    rows = [
        (one.requirement.id, " ".join(filter(None, (r.case, r.variant))), f"{r.quantity} ({r.layer})",
         numbers.value(r.value), numbers.value(r.reference), one.requirement.tolerance.text, Verdict.FAIL)
        for one in traced if one.requirement.tolerance for r in one.beyond
    ]  # fmt: skip
    head = ("Id", "Case and variant", "Quantity", "Computed", "Reference", "Tolerance", "Verdict")
    return [ManualTable("Values beyond a requirement", head, "sttnnss", rows, [r[-1] for r in rows])] if rows else []


def _backward(requirements: Sequence[UserRequirement], results: Sequence[Record]) -> list[Block]:
    """Return, case by case, the quantities that verify the same requirements; what verifies none comes last."""
    named = group(results, lambda r: (r.case, " ".join(one.id for one in requirements if one.covers(r)) or NONE))
    lines = sorted(named.items(), key=lambda line: (line[0][1] == NONE, line[0][0]))
    rows = [(case, shorten(r.quantity for r in members), _share(members), ids) for (case, ids), members in lines]
    idle = sum(len(members) for (_, ids), members in named.items() if ids == NONE)
    said = f"{numbers.plural(idle, 'check')} of {len(results)} {'verifies' if idle == 1 else 'verify'} no requirement"
    place = "; the lines that say none name them" if idle else ""
    return [Paragraph(f"{said}{place}."), ManualTable("Checks and requirements", BACKWARD, "stns", rows)]


def shorten(names: Iterable[str]) -> str:
    """Return names, each once, in a line that ends with how many more there are."""
    distinct = list(dict.fromkeys(names))
    more = [f"and {len(distinct) - MOST} more"] if len(distinct) > MOST else []
    return ", ".join([*distinct[:MOST], *more])
