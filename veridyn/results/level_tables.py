"""Level tables, computed anew: each row follows from its answers, the check from its rows."""

from collections.abc import Mapping
from decimal import Decimal, localcontext

from veridyn.results.recomputing import AGREEMENT, PRECISION, Range, compute_share, make_decimal
from veridyn.results.record import LevelRow, Number, Record, Value
from veridyn.results.words import ErrorKind, Layer, Verdict

Truths = Mapping[tuple[str, str, str], Value]
"""True values by case, variant and quantity."""


def contradict_table(record: Record, truths: Truths) -> str:
    """Return how a level table contradicts itself, its record or the truth; empty if it does not."""
    if record.layer is Layer.INVARIANCE:
        return _contradict_changes(record) if record.error is not None else ""
    if record.layer is Layer.CONVERGENCE and record.error_kind is ErrorKind.ABSOLUTE:
        return _contradict_convergence(record)
    if record.layer is Layer.CLAIM and record.quantity.startswith("order:"):
        truth = truths.get((record.case, record.variant, record.quantity.partition(":")[2]))
        return _contradict_rows(record.levels, truth) if record.error is not None else ""
    return ""


def _contradict_convergence(record: Record) -> str:
    if record.error is None and record.verdict is not Verdict.PASS:
        return ""
    if not record.levels or not record.terms:
        return "states no levels, or no parts of its tolerance"
    if record.levels[-1].value != record.value:
        return f"has value {record.value}, but its finest level {record.levels[-1].value}"
    return _contradict_rows(record.levels, record.reference)


def _contradict_rows(levels: tuple[LevelRow, ...], truth: Value) -> str:
    """Return how differences and errors of levels contradict their values."""
    true = make_decimal(truth)
    earlier: tuple[LevelRow | None, ...] = (None, *levels)
    for number, (before, row) in enumerate(zip(earlier, levels, strict=False), start=1):
        if row.value is None:
            return f"has no value on level {number}"
        here, there = make_decimal(row.value), make_decimal(before.value) if before else None
        if here is None:
            return ""
        apart = None if there is None else _measure_distance(here, there)
        off, size = (None, 0.0) if true is None else (_measure_distance(here, true), float(true.copy_abs()))
        if apart is not None and not _agree(row.difference, apart):
            return f"has difference {row.difference} on level {number}, but the answers differ by {apart:.6g}"
        if off is not None and not _agree(row.error, off, size):
            return f"has error {row.error} on level {number}, but answer and truth differ by {off:.6g}"
    return ""


def _measure_distance(a: Decimal, b: Decimal) -> float:
    with localcontext(prec=PRECISION):
        return float((a - b).copy_abs())


def _agree(number: Number | None, expected: float, size: float = 0.0) -> bool:
    slack = 1e-15 * size  # a difference of two doubles is rounded as they are
    return Range(max(0.0, expected - slack), expected + slack).holds(number)


def _contradict_changes(record: Record) -> str:
    """Return how the table of a relation contradicts the largest change over its admissible one."""
    worst = 0.0
    for row in record.levels:
        if row.change is None or row.admissible is None or row.change < 0:
            return f"states no change of {row.quantity}"
        change = _measure_change(row)
        if abs(row.change - change) > AGREEMENT * max(change, row.change):
            return f"has change {row.change} of {row.quantity}, but the answers differ by {change:.6g}"
        worst = max(worst, compute_share(row.change, row.admissible))
    if not record.levels or record.error is None or abs(worst - record.error) > AGREEMENT * max(worst, record.error):
        return f"has error {record.error}, but its largest change is {worst:.6g} times the admissible one"
    return ""


def _measure_change(row: LevelRow) -> float:
    before, after = make_decimal(row.before), make_decimal(row.after)
    if before is None or after is None or isinstance(row.before, str) or isinstance(row.after, str):
        return float(row.before != row.after)
    with localcontext(prec=PRECISION):
        return float(abs(after - before))
