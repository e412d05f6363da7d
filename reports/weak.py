"""The weakest points of a run, and what it does not cover: what a reader who signs must have seen. Pure functions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veridyn.reports import numbers
from veridyn.reports.document import Document
from veridyn.reports.numbers import plural
from veridyn.reports.tally import FRAGILE, LAYERS, TRUTH, Record, margin_of, subject

FEW = 1.0  # correct digits; a check that passes with fewer deserves a look
LOST = 0.1  # of an order; smaller differences are scatter
LISTED = 4  # points of a kind; the pages of the cases have all
ORDERS = ("order", "slope")


@dataclass(frozen=True)
class Point:
    """One weak point: what is weak about it in numbers, the check that it is, its subject."""

    said: str
    record: Record
    subject: str


@dataclass(frozen=True)
class Kind:
    """The weak points of one kind, the worst first; ``total`` counts those that are not listed too."""

    title: str
    total: int
    points: list[Point]


def weakest(results: Sequence[Record], runs: int) -> list[Kind]:
    """Return the weak points of a run, kind by kind; kinds without any are left out."""
    passed = [record for record in results if record["verdict"] == "pass"]
    kinds = (
        ("Claims not held", [r for r in results if r["layer"] == "claim" and r["verdict"] in NOT_HELD], _margin),
        ("Orders and slopes lost within the tolerance", [r for r in passed if _lost(r) > LOST], _order),
        (f"Passed with a margin below {FRAGILE:g}", [r for r in passed if margin_of(r) < FRAGILE], _margin),
        (f"Passed with fewer than {FEW:g} correct digits", [r for r in passed if _digits(r) < FEW], _correct),
    )
    return [
        Kind(title, len(found), [Point(say(record), record, subject(record, runs)) for record in found[:LISTED]])
        for title, members, say in kinds
        if (found := sorted(members, key=RANKS[say]))
    ]


NOT_HELD = ("fail", "expected failure")


def _digits(record: Record) -> float:
    """Return the digits against the truth, infinite where none are counted."""
    counted = record["layer"] in TRUTH and record["digits"] is not None
    return float(record["digits"]) if counted else float("inf")


def is_order(record: Record) -> bool:
    """Whether the value is an observed order, or the slope of errors over the tolerance."""
    return record["layer"] == "claim" and str(record["quantity"]).partition(":")[0] in ORDERS


def _lost(record: Record) -> float:
    """Return by how much an observed order stays below the claimed one."""
    numeric = isinstance(record["value"], int | float) and isinstance(record["reference"], int | float)
    return float(record["reference"] - record["value"]) if is_order(record) and numeric else 0.0


def _margin(record: Record) -> str:
    return f"margin {numbers.margin(record['margin'])}"


def _order(record: Record) -> str:
    what = record["quantity"].partition(":")[0]
    return f"{what} {numbers.value(record['value'], 3)} of {numbers.value(record['reference'], 3)}"


def _correct(record: Record) -> str:
    return f"{numbers.correct_digits(record['digits'])} digits"


RANKS = {_margin: margin_of, _order: lambda record: -_lost(record), _correct: _digits}
"""How the points of a kind are ordered, by what is said of them."""

ABSENT = {
    "criterion": "no acceptance criterion was applied at default settings",
    "convergence": "convergence to the truth was not checked: no refinement levels",
    "claim": "no claim was checked: the observed order of the solver is not verified",
    "invariance": "invariance was not checked",
    "baseline": "no earlier run of the solver was compared with (baseline)",
}


def uncovered(document: Document, scope: str) -> list[str]:
    """Say what a run does not cover, a line each: parts that were not asked for, layers, cases, checks not judged."""
    results = document["results"]
    found = {record["layer"] for record in results if record["verdict"] not in ("not applicable", "harness error")}
    return [
        *([f"{scope}: the others were not run"] if scope else []),
        *(said for layer, said in ABSENT.items() if layer not in found and results),
        *_not_judged(results),
        *(text for text in document["messages"] if any(sign in text for sign in SIGNS)),
    ]


SIGNS = ("never tested", "no solver of this run takes")
"""What messages about missing coverage say."""


def _not_judged(results: Sequence[Record]) -> Iterator[str]:
    """Count checks that were not judged by layer, with the commonest reason."""
    for layer in LAYERS:
        left = [r for r in results if r["layer"] == layer and r["verdict"] == "not applicable"]
        if left:
            reason, often = Counter(str(record["detail"]) for record in left).most_common(1)[0]
            most = f", {'all' if often == len(left) else f'{often} of them'}: {reason}" if reason else ""
            yield f"{plural(len(left), f'check of {layer}', f'checks of {layer}')} not applicable{most}"
