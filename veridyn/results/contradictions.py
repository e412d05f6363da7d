"""What a result file says of itself, computed anew: a verdict counts only if its own numbers give it."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation, localcontext

from veridyn.results.record import Record, Value
from veridyn.results.words import ErrorKind, Layer, Verdict

PRECISION = 60  # digits: those of a reference, and more
ROUNDED = Decimal("0.05")  # relative; files of others may print errors with one or two digits
COMPARING = (Layer.CRITERION, Layer.CONVERGENCE)  # layers whose error is the distance of value and reference
JUDGED = (Verdict.PASS, Verdict.FAIL, Verdict.EXPECTED_FAILURE)


def find_contradictions(records: Iterable[Record]) -> Iterator[tuple[Record, str]]:
    """Yield records that contradict themselves or each other, and how."""
    seen = set()
    for record in records:
        name = _identify(record)
        if name in seen:
            yield record, "stands there twice; remove one of them"
        seen.add(name)
        yield from ((record, fault) for look in LOOKS if (fault := look(record)))


def _identify(record: Record) -> tuple[str | int | None, ...]:
    """Return what tells checks apart."""
    place = (record.case, record.variant, record.solver, record.scheme)
    return *place, record.layer, record.quantity, record.id, record.run


def _contradict_verdict(record: Record) -> str:
    """Return how a verdict contradicts error and tolerance."""
    error, tolerance, verdict = record.error, record.tolerance, record.verdict
    if verdict not in JUDGED or tolerance is None:
        return ""
    passes = error is not None and error <= tolerance
    if passes == (verdict is Verdict.PASS):
        return ""
    return f"has verdict '{verdict}' with error {error} and tolerance {tolerance}"


def _contradict_error(record: Record) -> str:
    """Return how an error contradicts value and reference."""
    error, kind = record.error, record.error_kind
    if record.layer not in COMPARING or kind not in (ErrorKind.RELATIVE, ErrorKind.ABSOLUTE) or error is None:
        return ""
    relative = kind is ErrorKind.RELATIVE
    with localcontext(prec=PRECISION):
        value, reference = _make_decimal(record.value), _make_decimal(record.reference)
        if value is None or reference is None or (relative and not reference):
            return ""
        digits = record.reference_digits
        printed = Decimal(10) ** (1 - digits) if digits is not None else Decimal(0)
        unit = abs(reference) if relative else Decimal(1)
        distance = abs(value - reference) / unit
        slack = ROUNDED * max(distance, Decimal(error)) + (printed + Decimal("1e-15")) * abs(reference) / unit
        if abs(distance - Decimal(error)) <= slack:
            return ""
    return f"has error {error}, but value and reference differ by {float(distance):.6g} ({kind})"


LOOKS: tuple[Callable[[Record], str], ...] = (_contradict_error, _contradict_verdict)


def _make_decimal(number: Value) -> Decimal | None:
    try:
        return None if number is None else Decimal(str(number))
    except InvalidOperation:
        return None
