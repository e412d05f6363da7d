"""One result held against the library: its criterion, what is admissible, and what was read from its levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from veridyn.results import ErrorKind, Layer, Record
from veridyn.results.recomputing import AGREEMENT, compares_with_truth
from veridyn.run.baseline import COST_GROWTH, DIGITS_LOST
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement import methods
from veridyn.validation_cases.judgement.case import Quantity
from veridyn.validation_cases.judgement.invariance import REPEATED
from veridyn.validation_cases.judgement.judge import required, state_reference
from veridyn.validation_cases.judgement.levels import FEW_DIGITS, of_reference
from veridyn.validation_cases.judgement.moved import MOVED, admissible_change, list_compared, make_copy
from veridyn.validation_cases.judgement.orders import claimed_order, leave_out_cut
from veridyn.validation_cases.judgement.relations import RELATIONS
from veridyn.validation_cases.judgement.runner import NotJudged
from veridyn.validation_cases.judgement.stated import STATED
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Subject
from veridyn.validation_cases.judgement.uncertainty import (
    ORDER_LOST,
    ROUNDING,
    SLOPE_LOST,
    Level,
    Observed,
    fitted_order,
    numerical_uncertainty,
    observed_order,
    slope,
)

TO_ROUNDING = frozenset(relation.name for relation in RELATIONS if relation.to_rounding)


@dataclass(frozen=True)
class Judged:
    """A result with what was solved, and by whom."""

    record: Record
    statement: Statement
    subject: Subject

    @property
    def quantity(self) -> Quantity | None:
        """The quantity that is judged; None where it is no single one."""
        name = self.record.quantity.partition(":")[2] or self.record.quantity
        return next((each for each in self.statement.quantities if each.name == name), None)

    @property
    def claims(self) -> Claims:
        """What the solver claims."""
        return self.subject.claims.get(self.record.scheme, Claims())

    @property
    def levels(self) -> list[Level]:
        """The level table as numbers."""
        return [Level(float(r.size or 0), _number(r.value), _number(r.error)) for r in self.record.levels]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def recheck(judged: Judged) -> Iterator[str]:
    """Yield how a result differs from what the library makes of the same answers."""
    record, quantity = judged.record, judged.quantity
    if compares_with_truth(record):
        if quantity is None:
            yield "the library has no such quantity"
            return
        truth = judged.statement.truth(quantity)
        if (record.reference, record.reference_digits) != (state_reference(truth), truth.digits):
            yield f"has reference {record.reference}, the library {state_reference(truth)}"
    yield from LAYERS[record.layer](judged)


def _recheck_criterion(judged: Judged) -> Iterator[str]:
    record, quantity = judged.record, judged.quantity
    assert quantity is not None
    tolerance = required(quantity, judged.statement, judged.subject.request.require)
    if record.error_kind != tolerance.kind:
        yield f"has a criterion of kind {record.error_kind}, the library {tolerance.kind}"
    yield from _compare("criterion", record.terms.get("criterion", record.tolerance), tolerance.value)
    if record.terms and quantity.converges:
        yield "has parts of its criterion, the library none"


def _recheck_convergence(judged: Judged) -> Iterator[str]:
    record, quantity = judged.record, judged.quantity
    assert quantity is not None
    if record.error_kind is ErrorKind.EXACT:
        yield from _compare("tolerance", record.tolerance, 0.0)
        return
    terms = {"rounding": ROUNDING * judged.statement.size(quantity), **of_reference(judged.statement, quantity)}
    terms["numerical uncertainty"] = numerical_uncertainty(judged.levels)
    yield from _compare_terms(record, terms)


def _recheck_digits(judged: Judged) -> Iterator[str]:
    record, quantity, digits = judged.record, judged.quantity, judged.claims.digits
    assert quantity is not None
    if digits is None:
        yield "judges claimed digits, the solver claims none"
    elif record.error_kind is ErrorKind.EXACT:
        yield from _compare("tolerance", record.tolerance, 0.0)
    else:
        terms = {"claimed digits": 10.0**-digits * judged.statement.size(quantity)}
        if quantity.rounded:
            terms["rounding"] = quantity.rounded(judged.statement.values, 0.0)
        yield from _compare_terms(record, terms | of_reference(judged.statement, quantity))


def _compare_terms(record: Record, terms: Mapping[str, float]) -> Iterator[str]:
    """Yield how the parts of a tolerance differ; sampling and digits are of the answer, which is not here."""
    for name in sorted({*record.terms, *terms} - {"sampling", FEW_DIGITS}):
        yield from _compare(name, record.terms.get(name), terms.get(name))


def _recheck_claim(judged: Judged) -> Iterator[str]:
    what = judged.record.quantity.partition(":")[0]
    known = CLAIMS.get(what)
    if known is None:
        yield f"judges a claim that the library does not have: {what}"
    else:
        yield from known(judged)


def _recheck_order(judged: Judged) -> Iterator[str]:
    record, quantity, claims = judged.record, judged.quantity, judged.claims
    yield from _compare("tolerance", record.tolerance, ORDER_LOST)
    if claims.order is None:
        yield "judges an order, the solver claims none"
    elif quantity is None:  # of all quantities together, which one by one are smooth to different orders
        orders = {each.smooth_to(judged.statement.values) for each in judged.statement.quantities}
        yield from _compare_any("reference", record.reference, [order for order in orders if math.isfinite(order)])
        yield from _compare("order", record.value, fitted_order(judged.levels))
    else:
        smooth = quantity.smooth_to(judged.statement.values)
        expected = min(claimed_order(claims, judged.statement.problem, quantity), smooth)
        yield from _compare("reference", record.reference, expected)
        yield from _compare_any("order", record.value, _read_orders(leave_out_cut(judged.levels), observed_order))


def _recheck_slope(judged: Judged) -> Iterator[str]:
    yield from _compare("tolerance", judged.record.tolerance, SLOPE_LOST)
    yield from _compare("reference", judged.record.reference, 1.0)
    yield from _compare_any("slope", judged.record.value, _read_orders(judged.levels, slope))


def _read_orders(levels: Sequence[Level], read: Callable[[Sequence[Level], float], Observed]) -> list[float]:
    """Return the orders that levels show, whichever of their errors are taken for rounding: that is of the answers."""
    observed = [read(levels, smallest).order for smallest in (0.0, *(level.error for level in levels))]
    return [order for order in observed if order is not None]


def _recheck_factor(judged: Judged) -> Iterator[str]:
    levels = judged.levels
    yield from _compare("tolerance", judged.record.tolerance, judged.claims.factor)
    resolved = ([level for level in levels if level.error > small] for small in (0.0, *(each.error for each in levels)))
    ratios = [max((level.error / level.size for level in some), default=0.0) for some in resolved]
    yield from _compare_any("ratio", judged.record.value, ratios)


def _recheck_method(judged: Judged) -> Iterator[str]:
    if judged.record.terms:
        yield from _compare_terms(judged.record, {"rounding": methods.DISCRETE})
    else:
        yield from _compare("tolerance", judged.record.tolerance, methods.DISCRETE)
    yield from _compare("reference", judged.record.reference, 0.0)


def _recheck_damping(judged: Judged) -> Iterator[str]:
    claimed = judged.claims.numerical_damping
    yield from _compare("reference", judged.record.reference, claimed)
    yield from _compare("tolerance", judged.record.tolerance, (claimed or 0.0) + methods.FREE_ERROR)


def _recheck_lag(judged: Judged) -> Iterator[str]:
    yield from _compare("tolerance", judged.record.tolerance, methods.LAG_ERROR)
    yield from _compare("reference", judged.record.reference, judged.claims.lag)


def _recheck_stability(judged: Judged) -> Iterator[str]:
    yield from _compare("tolerance", judged.record.tolerance, methods.GROWTH)


def _recheck_invariance(judged: Judged) -> Iterator[str]:
    record = judged.record
    yield from _compare("tolerance", record.tolerance, 1.0)
    if record.quantity == MOVED:
        yield from _recheck_copy(judged)
    if record.quantity in TO_ROUNDING:
        sizes = {each.name: judged.statement.size(each) for each in judged.statement.quantities}
        for row in record.levels:
            if isinstance(row.before, int | float):
                expected = REPEATED * sizes.get(row.quantity or "", 0.0)
                yield from _compare(f"admissible change of {row.quantity}", row.admissible, expected)


def _recheck_copy(judged: Judged) -> Iterator[str]:
    """Yield how truth and criteria at moved parameters differ from those that the seed gives."""
    request = judged.subject.request
    if request.seed is None:
        yield "judges a copy at moved parameters, without a seed"
        return
    try:
        copy = make_copy(judged.statement.case, request.seed)
        compared = {quantity.name: quantity for quantity in list_compared(copy)}
    except NotJudged as reason:
        yield f"judges a copy at moved parameters, the library has none: {reason}"
        return
    for row in judged.record.levels:
        quantity = compared.get(row.quantity or "")
        if quantity is None:
            yield f"compares {row.quantity} at moved parameters, the library does not"
            continue
        admissible = admissible_change(copy, quantity, request.require)
        yield from _compare(f"true value of {row.quantity}", row.before, float(copy.truth(quantity)))
        yield from _compare(f"admissible change of {row.quantity}", row.admissible, admissible)


def _recheck_baseline(judged: Judged) -> Iterator[str]:
    lost = judged.record.quantity.startswith("digits:")
    yield from _compare("tolerance", judged.record.tolerance, DIGITS_LOST if lost else COST_GROWTH - 1.0)


def recheck_card(record: Record, claims: Claims) -> Iterator[str]:
    """Yield how a claim that a card contradicts is not as the solver states it; what was measured is of its answers."""
    stated = STATED.get(record.quantity)
    if stated is None:
        yield f"judges a claim that the library does not have: {record.quantity}"
    elif (most := stated(claims)) is None:
        yield "contradicts a claim that the solver does not state"
    elif not isinstance(record.reference, int | float) or record.reference > most * (1 + AGREEMENT):
        yield f"has reference {record.reference}, the claim is {most:g}"


def _compare(what: str, stated: object, expected: float | None) -> Iterator[str]:
    if expected is None or not isinstance(stated, int | float):
        if stated is not expected:
            yield f"has {what} {stated}, the library {expected}"
    elif abs(stated - expected) > AGREEMENT * abs(expected):
        yield f"has {what} {stated}, the library {expected:.6g}"


def _compare_any(what: str, stated: object, expected: Sequence[float]) -> Iterator[str]:
    number = stated if isinstance(stated, int | float) else math.nan
    if not any(abs(number - each) <= AGREEMENT * abs(each) for each in expected):
        listed = ", ".join(f"{each:.6g}" for each in sorted(set(expected)))
        yield f"has {what} {stated}, its levels give {listed or 'none'}"


CLAIMS: Mapping[str, Callable[[Judged], Iterator[str]]] = {
    "digits": _recheck_digits,
    "order": _recheck_order,
    "slope": _recheck_slope,
    "error_over_tolerance": _recheck_factor,
    "method": _recheck_method,
    "numerical_damping": _recheck_damping,
    "lag": _recheck_lag,
    "stability": _recheck_stability,
}
LAYERS: Mapping[Layer, Callable[[Judged], Iterator[str]]] = {
    Layer.CRITERION: _recheck_criterion,
    Layer.CONVERGENCE: _recheck_convergence,
    Layer.CLAIM: _recheck_claim,
    Layer.INVARIANCE: _recheck_invariance,
    Layer.BASELINE: _recheck_baseline,
}
