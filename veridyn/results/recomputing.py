"""The numbers of a record, computed anew from its value and reference: error, margin, digits."""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext

from veridyn.results.record import LevelRow, Number, Record, Value
from veridyn.results.words import ErrorKind, Layer

PRECISION = 60  # digits: those of a reference, and more
AGREEMENT = 1e-6  # relative, of a number of the file and the same one computed anew
BITS = Decimal("1e-15")  # relative: rounding of a reference that has the digits of a double
DOUBLE_DIGITS = 15.95  # -log10 of half a unit in the last place of a double: more digits no value has
DIGITS_KEPT = 12.0  # of a baseline: beyond that, digits are rounding
TRUTH = (Layer.CRITERION, Layer.CONVERGENCE)  # layers that compare with the truth; so do claims of digits
LOST = ("order", "slope", "digits", "printed", "stability_limit")  # claims whose error is what is lost of the reference
SIZES = ("numerical_damping", "stability", "error_over_tolerance")  # claims whose value is itself the error
INADMISSIBLE = 1e300  # how many times too large a change is where none is admissible


@dataclass(frozen=True)
class Range:
    """Where a number of a file must lie: a reference is printed with so many digits, a double has so many bits."""

    least: float
    most: float

    def holds(self, number: Number | None) -> bool:
        """Tell whether a number lies there, but for the last digits of a double."""
        if number is None:
            return False
        slack = AGREEMENT * max(abs(self.least), abs(self.most)) if math.isfinite(self.most) else 0.0
        return self.least - slack <= number <= self.most + slack

    def __str__(self) -> str:
        return f"{(self.least + self.most) / 2:.6g}"


def compares_with_truth(record: Record) -> bool:
    """Tell whether the reference of a record is the true value of its quantity."""
    return record.layer in TRUTH or (record.layer is Layer.CLAIM and record.quantity.startswith("digits:"))


def recompute_error(record: Record) -> Range | None:
    """Return the error that value and reference give; None if they are no numbers, or other data decide."""
    if record.error_kind is ErrorKind.EXACT:
        error = 0.0 if _are_equal(record.value, record.reference) else 1.0
        return Range(error, error)
    value, reference = make_decimal(record.value), make_decimal(record.reference)
    if value is None or reference is None or record.error_kind is ErrorKind.NONE:
        return None
    if compares_with_truth(record):
        return _measure_distance(record, value, reference)
    other = _measure_otherwise(record, float(value), float(reference))
    return None if other is None else Range(other, other)


def _measure_distance(record: Record, value: Decimal, reference: Decimal) -> Range | None:
    with localcontext(prec=PRECISION):
        distance, printed = abs(value - reference), _bound_printing(record, reference)
        unit = abs(reference) if record.error_kind is ErrorKind.RELATIVE else Decimal(1)
        if not unit:
            return None
        least, most = max(Decimal(0), distance - printed) / unit, (distance + printed) / unit
        return Range(float(least), float(most))


def _bound_printing(record: Record, reference: Decimal) -> Decimal:
    """Return how far the truth may lie from the reference as it is printed."""
    digits = record.reference_digits
    return abs(reference) * (BITS if digits is None else Decimal(10) ** (1 - digits))


def _measure_otherwise(record: Record, value: float, reference: float) -> float | None:
    """Return the error of a claim that is no claim of digits, or of what was lost since a baseline."""
    what = record.quantity.partition(":")[0]
    if record.layer is Layer.BASELINE:
        if what == "digits":
            return max(0.0, min(reference, DIGITS_KEPT) - value)
        return max(0.0, value / reference - 1.0) if reference else None
    if record.layer is Layer.INVARIANCE or what in SIZES:
        return abs(value)
    if what == "slope" and record.levels and all(map(_is_admissible, record.levels)):
        return 0.0
    return max(0.0, reference - value) if what in LOST else abs(value - reference)


def _is_admissible(level: LevelRow) -> bool:
    return level.error is not None and level.admissible is not None and level.error <= level.admissible


def compute_share(change: float, admissible: float) -> float:
    """Return a change over what is admissible; `INADMISSIBLE` where any change is and nothing is admissible."""
    if change == 0:
        return 0.0
    return change / admissible if admissible > 0 else INADMISSIBLE


def recompute_margin(record: Record) -> float | None:
    """Return tolerance over error; None if there is no error, or it is zero or so small that nothing is finite."""
    if not record.error or record.tolerance is None:
        return None
    margin = record.tolerance / record.error
    return margin if math.isfinite(margin) else None


def recompute_digits(record: Record) -> Range | None:
    """Return the correct digits of a value, -log10 of its relative error; None where none are counted."""
    counts = record.layer is Layer.CRITERION or (
        compares_with_truth(record) and record.error_kind is not ErrorKind.EXACT
    )
    value, reference = make_decimal(record.value), make_decimal(record.reference)
    if not counts or value is None or reference is None:
        return None
    most = DOUBLE_DIGITS if record.reference_digits is None else min(DOUBLE_DIGITS, float(record.reference_digits))
    with localcontext(prec=PRECISION):
        distance, printed = abs(value - reference), _bound_printing(record, reference)
        if not reference:
            return None if distance else Range(most, most)
        shares = (distance + printed) / abs(reference), max(Decimal(0), distance - printed) / abs(reference)
    least, largest = (max(0.0, min(most, float(-share.log10()))) if share else most for share in shares)
    return Range(least, largest)


def make_decimal(number: Value) -> Decimal | None:
    """Return a number, or a text that is one, without rounding; None for words and nothing."""
    try:
        exact = None if number is None else Decimal(number)
    except InvalidOperation:
        return None
    return exact if exact is not None and exact.is_finite() else None


def _are_equal(value: Value, reference: Value) -> bool:
    numbers = make_decimal(value), make_decimal(reference)
    return value == reference if None in numbers else numbers[0] == numbers[1]
