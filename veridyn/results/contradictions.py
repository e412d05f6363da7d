"""What a result file says of itself, computed anew: a verdict counts only if its own numbers give it.

Each look at a record computes one statement of it from others that stand in the same file, and says how the two differ.
What cannot be computed from the file (a reference, the criterion of a case) `veridyn.run.evidence` computes from the
library on request.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from veridyn.results.level_tables import Truths, contradict_table
from veridyn.results.plan import ExpectedFailure
from veridyn.results.recomputing import (
    AGREEMENT,
    compares_with_truth,
    recompute_digits,
    recompute_error,
    recompute_margin,
)
from veridyn.results.record import Record
from veridyn.results.sheet import CaseSheet, ReferenceRow
from veridyn.results.words import Verdict

JUDGED = (Verdict.PASS, Verdict.FAIL, Verdict.EXPECTED_FAILURE)
MEASURED = ("value", "error", "tolerance", "margin", "digits", "levels", "terms")


@dataclass(frozen=True)
class Context:
    """What a record is held against: the true values of the sheets, the failures that are expected."""

    references: dict[tuple[str, str, str], ReferenceRow]
    truths: Truths
    expected: Sequence[ExpectedFailure]


def make_context(sheets: Iterable[CaseSheet], expected: Sequence[ExpectedFailure]) -> Context:
    """Return what the records of a document are held against."""
    rows = {(sheet.case, row.variant, row.quantity): row for sheet in sheets for row in sheet.references}
    return Context(rows, {place: row.value for place, row in rows.items()}, expected)


def find_contradictions(records: Iterable[Record], context: Context) -> Iterator[tuple[Record, str]]:
    """Yield records that contradict themselves, each other or the sheets of their cases, and how."""
    seen = set()
    for record in records:
        name = _identify(record)
        if name in seen:
            yield record, "stands there twice; remove one of them"
        seen.add(name)
        yield from ((record, fault) for look in LOOKS if (fault := look(record, context)))


def _identify(record: Record) -> tuple[str | int | None, ...]:
    """Return what tells checks apart."""
    place = (record.case, record.variant, record.solver, record.scheme)
    return *place, record.layer, record.quantity, record.id, record.run


def _contradict_unjudged(record: Record, _: Context) -> str:
    """Return what was measured in a check that was not judged."""
    if record.verdict in JUDGED:
        return ""
    measured = [name for name in MEASURED if getattr(record, name) not in (None, (), {})]
    if measured:
        return f"has verdict '{record.verdict}', but states {', '.join(measured)}"
    return "" if record.detail else f"has verdict '{record.verdict}' without a reason"


def _contradict_verdict(record: Record, context: Context) -> str:
    """Return how a verdict contradicts error and tolerance."""
    error, tolerance, verdict = record.error, record.tolerance, record.verdict
    if verdict not in JUDGED:
        return ""
    if tolerance is None:
        crashed = verdict is not Verdict.PASS and error is None and record.value is None and record.detail
        return "" if crashed else f"has verdict '{verdict}' without a tolerance"
    passes = error is not None and error <= tolerance
    if passes == (verdict is Verdict.PASS):
        return ""
    if verdict is Verdict.FAIL and _is_expected(record, context):  # it passes, though it is listed as failing
        return ""
    return f"has verdict '{verdict}' with error {error} and tolerance {tolerance}"


def _contradict_expectation(record: Record, context: Context) -> str:
    """Return that a failure is called expected though no line of the list covers it."""
    if record.verdict is not Verdict.EXPECTED_FAILURE or _is_expected(record, context):
        return ""
    return "has verdict 'expected failure', but no expected failure of the document covers it"


def _is_expected(record: Record, context: Context) -> bool:
    return any(line.covers(record.case, record.id, record.solver) for line in context.expected)


def _contradict_error(record: Record, _: Context) -> str:
    """Return how an error contradicts value and reference."""
    error = recompute_error(record)
    if error is None or record.verdict not in JUDGED or (record.value is None and record.error is None):
        return ""
    if error.holds(record.error):
        return ""
    return f"has error {record.error}, but value and reference give {error} ({record.error_kind})"


def _contradict_missing_value(record: Record, _: Context) -> str:
    """Return that an error is stated without the value that it is the error of."""
    if record.error is None or record.value is not None or record.reference is None:
        return ""
    return f"has error {record.error} without a value" if record.error != 1.0 else ""


def _contradict_margin(record: Record, _: Context) -> str:
    """Return how a margin contradicts tolerance and error."""
    margin = recompute_margin(record)
    if (margin is None) != (record.margin is None):
        return f"has margin {record.margin}, but tolerance/error is {margin}"
    if margin is None or record.margin is None or abs(margin - record.margin) <= AGREEMENT * margin:
        return ""
    return f"has margin {record.margin}, but tolerance/error is {margin:.6g}"


def _contradict_digits(record: Record, _: Context) -> str:
    """Return how correct digits contradict value and reference."""
    digits = recompute_digits(record)
    if digits is None:
        is_lost = record.value is None and record.digits == 0.0  # an answer that was not finite
        return "" if record.digits is None or is_lost else f"has {record.digits} digits where none are counted"
    if record.verdict not in JUDGED or digits.holds(record.digits):
        return ""
    return f"has {record.digits} digits, but value and reference agree to {digits}"


def _contradict_terms(record: Record, _: Context) -> str:
    """Return how a tolerance contradicts its parts."""
    if not record.terms or record.tolerance is None:
        return ""
    total = math.fsum(record.terms.values())
    if min(record.terms.values()) >= 0 and abs(total - record.tolerance) <= AGREEMENT * total:
        return ""
    return f"has tolerance {record.tolerance}, but its parts add up to {total:.6g}"


def _contradict_reference(record: Record, context: Context) -> str:
    """Return how a reference contradicts the true value that the sheet of the case states."""
    row = context.references.get((record.case, record.variant, record.quantity.removeprefix("digits:")))
    if row is None or record.tolerance is None or not compares_with_truth(record):
        return ""
    stated = None if record.reference is None else str(record.reference)
    if (stated, record.reference_digits) == (row.value, row.digits):
        return ""
    return f"has reference {stated}, but the sheet of its case {row.value}"


def _contradict_table(record: Record, context: Context) -> str:
    return contradict_table(record, context.truths) if record.verdict in JUDGED else ""


LOOKS: tuple[Callable[[Record, Context], str], ...] = (
    _contradict_unjudged,
    _contradict_missing_value,
    _contradict_error,
    _contradict_verdict,
    _contradict_expectation,
    _contradict_terms,
    _contradict_margin,
    _contradict_digits,
    _contradict_reference,
    _contradict_table,
)
