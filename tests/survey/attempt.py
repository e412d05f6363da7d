"""One parameter set: all quantities by the command's way, and what solvers say of those that have a value."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from veridyn.api import front
from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact, ParameterError
from veridyn.validation_cases.judgement.case import ANOTHER_MOTION, Case, Quantity
from veridyn.validation_cases.judgement.catalogue import load_case

from .holding import Item, hold

DIGITS = 30
LATE = "not within"  # how a value that took too long begins
SPARE = 1.5  # times the seconds that a value has: who takes longer does not look at the clock
SETS = 3  # times the seconds that a value has: then the others of a set are not tried

SOLVERS = "solvers"  # what is tried after the quantities

# ways of a quantity to end
VALUE, OTHER, UNDEFINED, DISAGREE, OUT_OF_TIME, ERROR = (
    "value", "another motion", "undefined", "routes disagree", "out of time", "error",
)  # fmt: skip


def attempt(name: str, parameters: Mapping[str, str], seconds: float, digits: int = DIGITS) -> Iterator[Item]:
    """Yield what there is to say of a set, as it comes: what is tried, how each quantity ended, what solvers say."""
    case = load_case(name)
    yield {"trying": "parameters"}
    try:
        values = case.values(parameters)
    except ParameterError as reason:
        yield {"refused": str(reason)}
        return
    except Exception as fault:  # noqa: BLE001 - what is no refusal is an entry
        yield {"quantity": "", "end": ERROR, "text": describe_fault(fault)}
        return
    truths, doubted = dict[str, Certified](), dict[str, Certified]()
    begin = time.monotonic()
    for quantity in case.quantities:
        yield {"trying": quantity.name}
        if time.monotonic() - begin > SETS * seconds:
            yield {"quantity": quantity.name, "end": OUT_OF_TIME, "text": "not tried: the others had taken the time"}
            continue
        try:
            item, truth = _try_quantity(case, quantity, values, seconds, digits)
        except ParameterError as reason:
            yield {"refused": str(reason)}
            return
        yield item
        if truth is not None:
            (truths if item["end"] == VALUE else doubted)[quantity.name] = truth
    yield {"trying": SOLVERS}
    yield from hold(case, parameters, truths, seconds)
    for item in hold(case, parameters, doubted, seconds):
        if "held" in item:  # which of two routes is right
            yield {"doubted": item["held"], "quantity": item["quantity"], "differs": item["differs"]}


def _try_quantity(
    case: Case, quantity: Quantity, values: Mapping[str, Exact], seconds: float, digits: int
) -> tuple[Item, Certified | None]:
    """Return how a quantity ended, and its value, that of the first route where the second one has another.

    Raises ParameterError.
    """
    begin = time.monotonic()
    try:
        alone = replace(case, quantities=(quantity,))
        truth = front.references(alone, values, digits, seconds=seconds)[quantity.name]
    except ParameterError:
        raise
    except Exception as fault:  # noqa: BLE001 - what is no refusal is an entry
        return _make_item(quantity, ERROR, describe_fault(fault), begin), None
    end, text = tell_end(truth)
    if end != OUT_OF_TIME and time.monotonic() - begin > SPARE * seconds:
        return _make_item(quantity, OUT_OF_TIME, f"looked at no clock; then {end}: {text}", begin), None
    first = quantity.truth(values, digits) if end == DISAGREE else truth  # computed before
    return _make_item(quantity, end, text, begin), first if end in (VALUE, DISAGREE) else None


def _make_item(quantity: Quantity, end: str, text: str, begin: float) -> Item:
    return {"quantity": quantity.name, "end": end, "text": text, "seconds": round(time.monotonic() - begin, 2)}


def tell_end(truth: Certified) -> tuple[str, str]:
    """Return how a quantity ended, and its value or the reason."""
    if truth.value is not None:
        return VALUE, truth.text()
    text = truth.routes[0]
    if text == ANOTHER_MOTION:
        return OTHER, text
    if text.startswith("two routes disagree"):
        return DISAGREE, text
    return OUT_OF_TIME if text.startswith(LATE) else UNDEFINED, text


def describe_fault(fault: Exception) -> str:
    """Return what was raised, and where, in a line."""
    where: Any = fault.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    line = f" in {where.tb_frame.f_code.co_name}, line {where.tb_lineno}" if where else ""
    return f"{type(fault).__name__}: {str(fault)[:200]}{line}"
