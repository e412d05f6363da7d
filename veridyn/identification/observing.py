"""What a solver shows where it states nothing: its step and its order, a tolerance that its errors follow, or digits.

They are measured before a run and stand in for claims. The order is that of a free vibration without damping
(displacement and velocity together), or of rates without the time, by the weights of single steps where those tell, and
a whole number: nothing stronger is taken for granted. So a solver that loses its order elsewhere, with dampers or where
the time is explicit, is told where. Who has neither a step nor a tolerance, and solves so exactly that a restart
changes nothing, is asked for digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from veridyn.identification.adaptive import list_errors
from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.linear_step import find_linear_control
from veridyn.identification.one_step import OneStep, read_one_step
from veridyn.identification.orders import MOTIONS, find_order
from veridyn.identification.refinement import COUNTS, FLOOR, find_power, fit_power, measure_errors
from veridyn.identification.restarting import DIGITS, is_undisturbed
from veridyn.identification.smooth import OSCILLATOR, SMALL, SMALL_OSCILLATOR, SPIRAL
from veridyn.identification.step_control import find_step_control
from veridyn.identification.stepping import StepControl
from veridyn.identification.trials import Bench
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.output_grid import OUTPUT_INTERVAL
from veridyn.solver.contract.statements import TOLERANCES, Claims, ObservedClaims, Settings, list_tolerances
from veridyn.validation_cases.judgement.subject import Request, has_stated_levels

ROUNDING = 1e-11  # of a state after some hundred steps in doubles; with fewer digits no order is seen
PLAIN = 2.0  # order that no usual method exceeds in free vibrations alone
PROPORTIONAL = 0.8  # power of a tolerance from which errors follow it: cases admit half of the slope 1
WHOLE = 0.3  # how near an order is to a whole number


def observe_claims(gate: Gate, request: Request) -> Request:
    """Return a request with what is seen of the schemes whose claims could not be judged as they are stated."""
    introduction = gate.introduction
    schemes = [scheme for scheme in request.schemes or introduction.schemes if scheme in introduction.schemes]
    lacking = [scheme for scheme in schemes if _lacks(introduction, scheme, request)]
    seen = {scheme: _observe(gate, scheme, request) for scheme in lacking}
    observed = {scheme: one for scheme, one in seen.items() if one.refinement or one.claims}
    return replace(request, observed=observed) if observed else request


def _lacks(introduction: Introduction, scheme: str, request: Request) -> bool:
    """Tell whether nobody states claims, or a refinement that they need."""
    claims = introduction.claims[scheme]
    is_claimed = bool(request.claims) or bool(claims)
    is_exact = bool(claims.digits) or "digits" in request.claims
    return not (is_claimed and (is_exact or has_stated_levels(introduction, request)))


def _observe(gate: Gate, scheme: str, request: Request) -> ObservedClaims:
    """Return what is seen; of a solver of both kinds of problems what holds for both.

    That is the lower order, if the same setting is the step; digits are seen in motions of masses alone.
    """
    declared, offered = gate.introduction.settings[scheme], gate.introduction.capabilities
    settings = {name: value for name, value in request.settings.items() if name in declared}
    examinee, seen = Examinee(gate, scheme, settings), []
    if "mechanical" in offered:
        seen.append(_observe_mechanical(Bench(examinee)))
    if "initial-value" in offered:
        seen.append(_observe_initial_value(examinee))
    if len({(one.refinement, one.absolute, one.claims.digits) for one in seen}) != 1:
        return ObservedClaims()
    return min(seen, key=lambda one: one.claims.order or 0.0)


def _observe_mechanical(bench: Bench) -> ObservedClaims:
    control = find_linear_control(bench)
    if isinstance(control, str):
        followed = _observe_tolerance(bench.examinee, _list_mechanical_errors)
        return followed if followed.refinement else _observe_digits(bench.examinee)
    bench = bench.controlled(control)
    order = find_order(bench, MOTIONS["order"], ROUNDING)
    # Above 2 an order may be an accident of free vibration, as with Fox and Goodwin's method: then all motions count.
    if isinstance(order, float) and order > PLAIN + WHOLE:
        others = [find_order(bench, motion, ROUNDING) for motion in MOTIONS.values()]
        order = min(each for each in others if isinstance(each, float))
    return _observe_refinement(None if isinstance(order, str) else order, control.refined)


def _observe_digits(examinee: Examinee) -> ObservedClaims:
    """Return the claim of digits of a solver to whose answers a restart changes nothing."""
    return ObservedClaims(Claims(digits=DIGITS)) if is_undisturbed(examinee) else ObservedClaims()


def _observe_initial_value(examinee: Examinee) -> ObservedClaims:
    control = find_step_control(examinee)
    if control is None:
        return _observe_tolerance(examinee, _list_initial_value_errors)
    try:
        measured = read_one_step(examinee, control)[1]
        order = _read_weights(measured) if measured else _find_lowest_order(examinee, control)
    except REFUSED:
        order = None
    return _observe_refinement(order, control.refined)


def _read_weights(measured: OneStep) -> float | None:
    """Return the order by weights; None if all trees agree: a solver with steps of its own within one looks so."""
    return None if measured.order >= measured.limit else float(measured.order)


def _find_lowest_order(examinee: Examinee, control: StepControl) -> float | None:
    """Return the lower order of two problems without the time in their rates, of a method that is no one-step method.

    None if errors follow no power of the step in one of them. Raises what `Examinee.solve` raises.
    """
    sizes = [SPIRAL.end / count for count in COUNTS]
    settings = [control.make_settings(size) for size in sizes]
    errors = (measure_errors(examinee, problem, settings, COUNTS) for problem in (OSCILLATOR, SPIRAL))
    powers = [find_power(sizes, each, floor=ROUNDING) for each in errors]
    return min((power.value for power in powers if power), default=None) if all(powers) else None


Measure = Callable[[Examinee, Sequence[Settings]], Iterable[Sequence[float] | str]]
"""Yields the errors of motions over their size at levels of a tolerance, or why one has none."""


def _observe_tolerance(examinee: Examinee, measure: Measure) -> ObservedClaims:
    """Return the claim of a tolerance that errors of all motions follow, over the levels by which cases are judged.

    Small motions are among them: what an absolute tolerance of its own limits follows none. So an absolute tolerance
    that is a setting becomes smaller with the relative one; where errors do not follow both, the relative one is alone.
    """
    name, absolute = examinee.find_tolerance(), examinee.find_absolute()
    if not name or (examinee.claims and examinee.claims.tolerance != name):
        return ObservedClaims()
    for beside in dict.fromkeys((absolute, "")):
        if _is_followed(examinee, measure, list_tolerances(name, beside)):
            return ObservedClaims(Claims(tolerance=name), name, beside)
    return ObservedClaims()


def _is_followed(examinee: Examinee, measure: Measure, levels: Sequence[Settings]) -> bool:
    """Tell whether errors of all motions follow a tolerance from level to level."""
    try:
        measured = list(measure(examinee, levels))
    except REFUSED:
        return False
    return all(not isinstance(errors, str) and _follow(errors) for errors in measured)


def _follow(errors: Sequence[float]) -> bool:
    """Tell whether errors fall with the tolerances, and nearly in proportion."""
    falls = all(fine < coarse for coarse, fine in pairwise(errors))
    power = fit_power(TOLERANCES, errors, FLOOR)
    return falls and power is not None and power.value >= PROPORTIONAL


def _list_mechanical_errors(examinee: Examinee, levels: Sequence[Settings]) -> Iterator[Sequence[float] | str]:
    yield from (list_errors(examinee, levels, amplitude) for amplitude in (1.0, SMALL))


def _list_initial_value_errors(examinee: Examinee, levels: Sequence[Settings]) -> Iterator[Sequence[float] | str]:
    counts = [1] * len(levels)
    for problem in (OSCILLATOR, SPIRAL, SMALL_OSCILLATOR):
        size = float(np.abs(problem.truth(np.zeros(1))).max())
        yield [error / size for error in measure_errors(examinee, problem, levels, counts)]


def _observe_refinement(order: float | None, setting: str) -> ObservedClaims:
    """Return the claim of an order with the setting that is the step, or with the output grid where none is.

    A solver that chooses its steps anew in each output interval answers otherwise on a finer grid, too: only where
    errors fall with an order is the grid its step.
    """
    claims = _claim_order(order)
    return ObservedClaims(claims, setting or OUTPUT_INTERVAL) if setting or claims else ObservedClaims()


def _claim_order(order: float | None) -> Claims:
    """Return the claim of an order that is a whole number, one at least; no claim of another."""
    if order is None or not math.isfinite(order) or abs(order - round(order)) > WHOLE or round(order) < 1:
        return Claims()
    return Claims(order=float(round(order)))
