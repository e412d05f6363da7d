"""What single steps tell of a one-step method: its order, its row sums, the tableau, and the entry that is off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from veridyn.identification.claimed import contradict_method, contradict_order, say_claimed_method
from veridyn.identification.examinee import Examinee, Floats
from veridyn.identification.reading import CardFigure, Contradiction, Gap, Reading
from veridyn.identification.step_control import measure_effect, measure_memory
from veridyn.identification.stepping import StepControl
from veridyn.identification.tableau_match import Misprint, find_misprints, find_tableau, measure_gap
from veridyn.identification.trees import count_nodes
from veridyn.identification.weights import FEW_SCALES, Step, Weight, find_order, measure_weights
from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.references.methods.tableaux import TABLEAUX, Tableau, read_tableau
from veridyn.solver.contract.statements import Claims

ORDER = 6  # of the largest trees that are looked at, and
HIGHEST = 8  # where all conditions hold so far
SMALL = (2, 3)  # numbers of nodes of the trees that are measured again: at another start, with states turned round
START = Fraction(16, 3)  # steps after 0: an instant that single precision rounds
ROUNDING = 256 * 2.0**-52  # of a weight, which is a sum of some dozen products
MARGIN = 16.0  # over the largest scatter that was seen
NEAR = 0.05  # of an entry to the printed one
CLOCK = 1e-5  # a clock in single precision shifts weights by less
NO_WEIGHTS = 1e-3  # scatter: the step is not what was set
NO_DEVIATION = 1e-5  # scatter: too few digits to name a method, or to say that a number is off
MEMORY = 1e-3  # of what a step half as long changes: a multistep method keeps about as much from step to step


@dataclass(frozen=True, kw_only=True)
class OneStep:
    """Weights of a one-step method, and what arithmetic and tolerances leave of them.

    ``rounding`` is the largest residual that is none; ``order`` and ``timed_order`` hold for rates without and with the
    time; ``shift`` is by how much weights of the first instant differ from those of a later one.
    """

    weights: tuple[Weight, ...]
    scatter: float
    rounding: float
    order: int
    timed_order: int
    shift: float

    @property
    def limit(self) -> int:
        """Number of nodes of the largest trees that were measured."""
        return max(count_nodes(w.tree) for w in self.weights)


def read_one_step(examinee: Examinee, control: StepControl) -> tuple[Reading, OneStep | None]:
    """Return what single steps tell, and the weights; None if it is no one-step method of the steps that are set.

    Raises what `Examinee.solve` raises.
    """
    step = make_step(examinee, control)
    plain, timed = (
        measure_weights(step, orders=range(1, ORDER + 1), explicit_time=e, size=control.size) for e in (False, True)
    )
    scatter = max(w.scatter for w in (*plain, *timed))
    turn = _measure_turn(step, control, plain)
    if turn > NO_WEIGHTS:
        reason = f"states that are listed the other way round differ by {turn:.1g}: they are not all treated alike"
        return Reading(gaps=(Gap(name="weights", reason=reason),)), None
    if not scatter <= NO_WEIGHTS:
        reason = f"single steps of scaled systems differ by {scatter:.1g}: the solver takes other steps than were set"
        return Reading(gaps=(Gap(name="weights", reason=reason),)), None
    memory, effect = measure_memory(examinee, control), measure_effect(examinee, control)
    if memory > max(MARGIN * scatter, ROUNDING, MEMORY * effect):
        words = "multistep, or with steps of its own"
        meaning = f"a late step differs by {memory:.1g} from a first step that begins where it does"
        gap = Gap(name="weights", reason="single steps do not tell a multistep method")
        return Reading(figures=(CardFigure(name="kind", value=words, meaning=meaning),), gaps=(gap,)), None
    scatter = max(scatter, memory)
    rounding = max(MARGIN * scatter, ROUNDING)
    plain = _extend(step, control, plain, timed, rounding)
    measured = OneStep(
        weights=(*plain, *timed),
        scatter=scatter,
        rounding=rounding,
        order=find_order(plain, rounding=rounding),
        timed_order=min(find_order(timed, rounding=rounding), find_order(plain, rounding=rounding)),
        shift=_measure_shift(step, control, timed),
    )
    return describe_one_step(measured, control, examinee.claims), measured


def make_step(examinee: Examinee, control: StepControl) -> Step:
    """Return the function that takes one step over the span of a problem."""

    def step(problem: InitialValueProblem) -> Floats:
        return examinee.end_state(problem, control.make_settings(problem.end - problem.start))

    return step


def _extend(
    step: Step, control: StepControl, plain: tuple[Weight, ...], timed: tuple[Weight, ...], rounding: float
) -> tuple[Weight, ...]:
    """Return the weights with those of larger trees, as long as all conditions hold."""
    for nodes in range(ORDER + 1, HIGHEST + 1):
        if find_order((*plain, *timed), rounding=rounding) < ORDER or find_order(plain, rounding=rounding) < nodes - 1:
            break
        plain += measure_weights(step, orders=(nodes,), explicit_time=False, scales=FEW_SCALES, size=control.size)
    return plain


def _measure_turn(step: Step, control: StepControl, plain: Collection[Weight]) -> float:
    """Return by how much weights differ where states are listed the other way round.

    Methods that are partitioned take the first half of the states for positions, or one state after the other.
    """
    first = {w.tree: w.residual for w in plain}
    turned = measure_weights(
        step, orders=SMALL, explicit_time=False, scales=FEW_SCALES, size=control.size, backwards=True
    )
    return max(abs(w.residual - first[w.tree]) for w in turned)


def _measure_shift(step: Step, control: StepControl, timed: Collection[Weight]) -> float:
    """Return by how much weights with explicit time differ where the problem begins at another instant than 0."""
    first = {w.tree: w.residual for w in timed}
    start = Fraction(float(START * control.size))
    later = measure_weights(step, orders=SMALL, explicit_time=True, scales=FEW_SCALES, start=start, size=control.size)
    return max(abs(w.residual - first[w.tree]) for w in later)


# ---- words


def describe_one_step(measured: OneStep, control: StepControl, claims: Claims) -> Reading:
    """Return figures, the tableau and deviations of a one-step method."""
    tableaux = {**_list_claimed(claims), **TABLEAUX}
    has_digits = measured.scatter <= NO_DEVIATION
    name = find_tableau(measured.weights, tableaux, rounding=measured.rounding) if has_digits else ""
    misprints = _find_misprints(measured, tableaux, claims) if has_digits and not name else ()
    deviations = (
        *dict.fromkeys(each.line for each in misprints),
        *_list_deviations(measured, bool(misprints)),
    )
    reading = Reading(
        method=f"Runge-Kutta, {name}" if name else "",
        figures=_list_figures(measured, control),
        deviations=deviations if has_digits else (),
    )
    return reading.with_contradictions(_contradict(measured, claims, name) if has_digits else ())


def _find_misprints(measured: OneStep, tableaux: Mapping[str, Tableau], claims: Claims) -> tuple[Misprint, ...]:
    """Return the entries that are off.

    Of a tableau with two stages the entry must be near to the printed one, unless a higher order is claimed: there are
    sound methods of two stages and order 1 (Runge, Kutta and Chebyshev) that share the other numbers with it.
    """
    seen = min(measured.order, measured.timed_order)
    is_claimed = claims.order is not None and claims.order > seen
    return tuple(
        each
        for each in find_misprints(measured.weights, tableaux, rounding=measured.rounding)
        if is_claimed or each.stages > 2 or abs(each.shift) <= NEAR
    )


def _list_claimed(claims: Claims) -> Mapping[str, Tableau]:
    """Return the tableau that is claimed, under its name or as the claimed one; nothing if none can be read."""
    parameters = claims.parameters
    if claims.method != "runge-kutta":
        return {}
    if parameters.get("tableau") in TABLEAUX:
        return {str(parameters["tableau"]): TABLEAUX[str(parameters["tableau"])]}
    try:
        return {"the tableau that is claimed": read_tableau(parameters["A"], parameters["b"], parameters.get("c"))}  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError, SolverInputError):
        return {}


def _list_figures(measured: OneStep, control: StepControl) -> tuple[CardFigure, ...]:
    count = len(measured.weights)
    meaning = f"conditions of Butcher's trees, {count} of them measured, hold up to it"
    return (
        CardFigure(name="step set by", value=control.description, meaning="found by its effect on answers"),
        CardFigure(name="kind", value=_describe_kind(measured), meaning="a step follows from the state before it"),
        CardFigure(name="order", value=_print_order(measured.order, measured.limit), meaning=meaning),
        CardFigure(
            name="order with explicit time",
            value=_print_order(measured.timed_order, ORDER),
            meaning="the same where rates hold the time",
        ),
        CardFigure(
            name="row sums",
            value="nodes" if has_row_sums(measured) else "other than the nodes",
            meaning="whether stages are taken at the instants that their states belong to",
        ),
        CardFigure(
            name="clock",
            value=measured.shift,
            meaning=f"by how much weights with explicit time change at {float(START * control.size):.3g} s",
        ),
        CardFigure(
            name="scatter of weights",
            value=measured.scatter,
            meaning="what rounding, tolerances of equations and printed digits leave of single steps",
        ),
    )


def _describe_kind(measured: OneStep) -> str:
    """Tell a method of one step; what meets every condition may take steps of its own within it."""
    return "one-step" if measured.order < HIGHEST else "one-step, maybe of many steps inside"


def has_row_sums(measured: OneStep) -> bool:
    """Tell whether weights with leaves as states agree with those with leaves as the time."""
    plain = {w.tree: w.residual for w in measured.weights if not w.explicit_time}
    timed = [w for w in measured.weights if w.explicit_time]
    return all(abs(w.residual - plain[w.tree]) <= 2.0 * measured.rounding for w in timed)


def _print_order(order: int, limit: int) -> float | str:
    return f"{limit} or more" if order == limit else float(order)


def _list_deviations(measured: OneStep, explained: bool) -> tuple[str, ...]:
    lines = []
    if measured.timed_order < min(measured.order, ORDER) and not explained:
        lines.append(
            f"order {measured.order}, but order {measured.timed_order} where the rates hold the time: "
            "stages are not taken at the instants that their row sums say"
        )
    if measured.shift > max(measured.rounding, CLOCK):
        lines.append(
            "a problem with the time in its rates that begins later than 0 s is answered otherwise than at 0 s"
        )
    return tuple(lines)


def _contradict(measured: OneStep, claims: Claims, name: str) -> Iterator[Contradiction]:
    """Yield that order or tableau are not those that are claimed; ``name`` is that of the tableau that agrees."""
    timed = min(measured.order, measured.timed_order)
    seen = timed if timed < ORDER else measured.order  # explicit time is not measured beyond
    is_measured = timed < ORDER or measured.order < measured.limit
    if claims.order and is_measured:
        line = f"order {claims.order:g} is claimed; order {seen} is seen" + (f": {name}" if name else "")
        yield from contradict_order(claims, float(seen), line)
    for tableau in _list_claimed(claims).values():
        gap = measure_gap(measured.weights, tableau) / measured.rounding
        what = f"Runge-Kutta, {name}" if name else "no tableau that is known here"
        yield from contradict_method(gap, f"{say_claimed_method(claims)} is claimed; measured: {what}")
