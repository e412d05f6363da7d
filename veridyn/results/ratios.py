"""Answers over the truth: which of them share a factor, and what a factor stands for."""

import math
from collections.abc import Sequence

from veridyn.results.record import Record
from veridyn.results.words import ErrorKind, Layer

Records = Sequence[Record]

ALIKE = 0.02  # of the distance of a factor from 1: answers that share it
MOST_ALIKE = 0.2  # of that distance, where tolerances are wider
CANDIDATES = 100  # answers whose factor is looked for among the others

FACTORS = (
    (-1.0, "a sign"),
    (1e3, "mm in place of m, or g in place of kg"),
    (1e-3, "mm in place of m, or kN in place of N"),
    (2 * math.pi, "a frequency in Hz in place of rad/s"),
    (1 / (2 * math.pi), "a frequency in rad/s in place of Hz"),
    (180 / math.pi, "degrees in place of rad"),
    (math.pi / 180, "rad in place of degrees"),
    (9.81, "gravity"),
    (1 / 9.81, "gravity"),
    (2.0, "a factor 2, as where something is counted twice"),
    (0.5, "a factor 1/2, as where something is counted once in place of twice"),
)


def name_factor(factor: float) -> str:
    """Return what an answer of so many times the truth may come from; empty if that is not known."""
    return next((name for usual, name in FACTORS if abs(factor / usual - 1) < 1e-3), "")


def find_alike(records: Records) -> Records:
    """Return the most of some records that share the factor of one of them.

    Not each record is tried: a factor that a third of them share is that of some among evenly spread ones.
    """
    ordered = sorted(records, key=get_ratio)
    tried = ordered[:: max(1, len(ordered) // CANDIDATES)]
    groups = ([other for other in records if is_alike(get_ratio(record), other)] for record in tried)
    return max(groups, key=count_quantities, default=[])


def compute_ratio(record: Record) -> float | None:
    """Return answer over truth; None where one is no number, or the truth is 0."""
    if not isinstance(record.value, int | float) or record.reference is None:
        return None
    try:
        truth = float(record.reference)
    except ValueError:
        return None
    return record.value / truth if truth and math.isfinite(record.value / truth) else None


def get_ratio(record: Record) -> float:
    """Return answer over truth of a record that has both."""
    return compute_ratio(record) or 0.0


def is_alike(ratio: float, record: Record) -> bool:
    """Tell whether an answer shares a factor, within the tolerance of its check, or two hundredths of its distance."""
    relative = (record.tolerance or 0.0) / (1.0 if record.error_kind is ErrorKind.RELATIVE else read_size(record))
    apart = abs(ratio - 1.0)
    return abs(get_ratio(record) - ratio) <= max(ALIKE * apart, min(relative, MOST_ALIKE * apart))


def read_size(record: Record) -> float:
    """Return the size of the truth; 0 without one."""
    return abs(float(record.reference)) if record.reference is not None else 0.0


def count_quantities(records: Records) -> int:
    """Return of how many quantities some records are."""
    return len({name_quantity(record) for record in records})


def name_quantity(record: Record) -> tuple[str, str, str]:
    """Return case, variant and quantity; of a claim, the quantity that it is about."""
    is_claim = record.layer is Layer.CLAIM and ":" in record.quantity
    return record.case, record.variant, record.quantity.partition(":")[2] if is_claim else record.quantity
