"""What a result file says of itself, computed anew: a verdict counts only if its own numbers give it."""

from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

from veridyn.reports.tally import Record

PRECISION = 60  # digits: those of a reference, and more
ROUNDED = Decimal("0.05")  # relative; files of others may print errors with one or two digits
COMPARING = ("criterion", "convergence")  # layers whose error is the distance of value and reference
WHICH = ("case", "variant", "solver", "scheme", "layer", "quantity", "id", "run")  # what tells checks apart
JUDGED = ("pass", "fail", "expected failure")


def contradictions(records: list[Record]) -> Iterator[tuple[Record, str]]:
    """Yield records that contradict themselves or each other, and how."""
    seen = set()
    for record in records:
        name = tuple(str(record.get(key)) for key in WHICH)
        if name in seen:
            yield record, "stands there twice; remove one of them"
        seen.add(name)
        yield from ((record, said) for look in LOOKS if (said := look(record)))


def _verdict(record: Record) -> str:
    """Return how a verdict contradicts error and tolerance."""
    error, allowed, verdict = record["error"], record["tolerance"], record["verdict"]
    if verdict not in JUDGED or allowed is None:
        return ""
    passes = error is not None and error <= allowed
    if passes == (verdict == "pass"):
        return ""
    return f"has verdict {verdict!r} with error {error} and tolerance {allowed}"


def _error(record: Record) -> str:
    """Return how an error contradicts value and reference."""
    error, kind = record["error"], record["error_kind"]
    if record["layer"] not in COMPARING or kind not in ("relative", "absolute") or error is None:
        return ""
    with localcontext(prec=PRECISION):
        value, reference = _decimal(record["value"]), _decimal(record["reference"])
        if value is None or reference is None or (kind == "relative" and not reference):
            return ""
        digits = record["reference_digits"]
        printed = Decimal(10) ** (1 - digits) if digits is not None else Decimal(0)
        unit = abs(reference) if kind == "relative" else Decimal(1)
        found = abs(value - reference) / unit
        slack = ROUNDED * max(found, Decimal(error)) + (printed + Decimal("1e-15")) * abs(reference) / unit
        if abs(found - Decimal(error)) <= slack:
            return ""
    return f"has error {error}, but value and reference differ by {float(found):.6g} ({kind})"


LOOKS: tuple[Callable[[Record], str], ...] = (_error, _verdict)


def _decimal(number: Any) -> Decimal | None:
    try:
        return None if number is None else Decimal(str(number))
    except InvalidOperation:
        return None
