"""What single steps tell of a method that treats positions and velocities in different ways.

Mechanical problems cannot state these systems: their forces are symmetric, so that what acts on a parent acts on the
child as well. Initial value problems in the form ``u' = v, v' = f(t, u)`` can.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from veridyn.identification.claimed import contradict_order
from veridyn.identification.coloured import SECOND_ORDER, SEPARABLE, WITH_VELOCITY, Colouring
from veridyn.identification.coloured_weights import ColouredWeight, has_time, measure_coloured
from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.nystrom_match import find_nystrom, find_wrong_entries
from veridyn.identification.one_step import MARGIN, NO_DEVIATION, NO_WEIGHTS, ROUNDING, make_step
from veridyn.identification.reading import CardFigure, Contradiction, Gap, Reading
from veridyn.identification.step_control import build_duffing, find_step_control, measure_memory
from veridyn.identification.stepping import StepControl
from veridyn.references.methods.nystrom import NYSTROM
from veridyn.solver.contract.statements import Claims

PLAIN_ORDER, TIMED_ORDER = "order, second-order problems", "order with explicit time"
ORDER, OTHERS = 6, 4  # of the largest trees: of forces without velocities, and of what else is tried
MEMORY = 1e-8  # of a state: a late step that differs by more follows from more than the state, unless weights scatter
LARGEST_MEMORY = MARGIN * NO_WEIGHTS  # whatever they scatter by
NO_FIRST_STEP = "a late step is no first step: multistep, or with steps of its own"


@dataclass(frozen=True, kw_only=True)
class ColouredOrders:
    """Orders by weights without and with the time, and what rounding leaves of a residual."""

    plain: int
    timed: int
    rounding: float


def read_second_order(examinee: Examinee) -> Reading:
    """Return what single steps of second-order problems tell; empty if the solver refuses those as well.

    Raises what `Examinee.solve` raises where it answers some of them.
    """
    control = find_step_control(examinee, build_duffing)
    if control is None:
        return Reading()
    memory = measure_memory(examinee, control, build_duffing)
    if memory > LARGEST_MEMORY:
        return Reading(gaps=(Gap(name="weights of second-order problems", reason=NO_FIRST_STEP),))
    weights = measure_coloured(make_step(examinee, control), SECOND_ORDER, ORDER, size=control.size, timed=True)
    scatter = max(w.scatter for w in weights)
    if memory > max(MEMORY, MARGIN * scatter) or not scatter <= NO_WEIGHTS:
        return Reading(gaps=(Gap(name="weights of second-order problems", reason=NO_FIRST_STEP),))
    orders = _find_orders(weights, max(MARGIN * scatter, ROUNDING))
    name = find_nystrom(weights, NYSTROM, rounding=orders.rounding)
    has_digits = scatter <= NO_DEVIATION
    reading = Reading(
        method=name,
        figures=(*_list_figures(control, weights, orders, scatter), *_read_others(examinee, control)),
        deviations=tuple(_list_deviations(weights, orders, name)) if has_digits else (),
    )
    return reading.with_contradictions(_contradict(examinee.claims, orders, name) if has_digits else ())


def explain_lost_order(reading: Reading, claims: Claims) -> str:
    """Return where a claimed order holds that is lost on rates of any form, and what to do about it.

    ``reading`` is that of second-order problems, of a solver that answers others as well. Empty if the order does not
    hold there either, or is not measured.
    """
    orders = [figure.value for figure in reading.figures if figure.name in (PLAIN_ORDER, TIMED_ORDER)]
    claimed = claims.order or math.inf
    if not orders or any(claimed > (ORDER if isinstance(order, str) else order) for order in orders):
        return ""
    return (
        f"; order {claimed:g} holds for {SECOND_ORDER.name}, not for rates of any form: "
        "refuse what has another form, or claim the order that is seen"
    )


def _find_orders(weights: Collection[ColouredWeight], rounding: float) -> ColouredOrders:
    plain = [w for w in weights if not has_time(w.tree)]
    return ColouredOrders(plain=_find_order(plain, rounding), timed=_find_order(weights, rounding), rounding=rounding)


def _find_order(weights: Collection[ColouredWeight], rounding: float) -> int:
    """Return the order up to which all residuals are within ``rounding``: at most that of the largest tree."""
    failed = [w.tree.nodes for w in weights if not abs(w.residual) <= rounding]  # not a number fails as well
    return min(failed) - 1 if failed else max(w.tree.nodes for w in weights)


def _list_figures(
    control: StepControl, weights: Collection[ColouredWeight], orders: ColouredOrders, scatter: float
) -> Iterator[CardFigure]:
    yield CardFigure(name="step set by", value=control.description, meaning="found by its effect on answers")
    yield CardFigure(
        name=PLAIN_ORDER,
        value=_print_order(orders.plain, ORDER),
        meaning=f"conditions of Nystrom's trees, {len(weights)} of them measured, hold up to it",
    )
    yield CardFigure(
        name=TIMED_ORDER,
        value=_print_order(orders.timed, ORDER),
        meaning="of second-order problems whose forces hold the time",
    )
    yield CardFigure(
        name="scatter of weights", value=scatter, meaning="what rounding and printed digits leave of single steps"
    )


def _read_others(examinee: Examinee, control: StepControl) -> Iterator[CardFigure]:
    """Yield the orders of problems of other forms, if they are accepted."""
    for colouring, meaning in (
        (WITH_VELOCITY, "forces that hold velocities"),
        (SEPARABLE, "rates of displacements that are products of velocities, and the other way round"),
    ):
        value = _read_order(examinee, control, colouring)
        yield CardFigure(name=f"order, {colouring.name}", value=value, meaning=meaning)


def _read_order(examinee: Examinee, control: StepControl, colouring: Colouring) -> float | str:
    try:
        weights = measure_coloured(make_step(examinee, control), colouring, OTHERS, size=control.size)
    except REFUSED:
        return "refused"
    scatter = max(w.scatter for w in weights)
    if not scatter <= NO_WEIGHTS:
        return f"not measured: single steps of scaled systems differ by {scatter:.1g}"
    rounding = max(MARGIN * scatter, ROUNDING)
    return _print_order(_find_order(weights, rounding), OTHERS)


def _print_order(order: int, limit: int) -> float | str:
    return f"{limit} or more" if order == limit else float(order)


def _list_deviations(weights: Collection[ColouredWeight], orders: ColouredOrders, name: str) -> Iterator[str]:
    wrong = () if name else find_wrong_entries(weights, NYSTROM, rounding=orders.rounding)
    yield from dict.fromkeys(wrong)
    if orders.timed < orders.plain and not wrong:
        yield f"order {orders.plain}, but order {orders.timed} where forces hold the time: other instants are taken"


def _contradict(claims: Claims, orders: ColouredOrders, name: str) -> Iterator[Contradiction]:
    if claims.order and orders.timed < ORDER:
        line = f"order {claims.order:g} is claimed; order {orders.timed} is seen" + (f": {name}" if name else "")
        yield from contradict_order(claims, float(orders.timed), line)
