"""What a solver shows where it states nothing: the setting that is its step, and its order on a smooth motion.

Both are measured before a run and stand in for claims. The order is that of a free vibration without damping
(displacement and velocity together), or of rates without the time, by the weights of single steps where those tell, and
a whole number: nothing stronger is taken for granted. So a solver that loses its order elsewhere, with dampers or where
the time is explicit, is told where.
"""

from __future__ import annotations

import math
from dataclasses import replace

from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.one_step import OneStep, read_one_step
from veridyn.identification.orders import MOTIONS, find_order
from veridyn.identification.refinement import COUNTS, find_power, measure_errors
from veridyn.identification.smooth import OSCILLATOR, SPIRAL
from veridyn.identification.step_control import StepControl, find_step_control
from veridyn.identification.stepping import find_control
from veridyn.identification.trials import Bench
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.statements import Claims, ObservedClaims
from veridyn.validation_cases.judgement.subject import Request, has_stated_levels

ROUNDING = 1e-11  # of a state after some hundred steps in doubles; with fewer digits no order is seen
PLAIN = 2.0  # order that no usual method exceeds in free vibrations alone
WHOLE = 0.3  # how near an order is to a whole number


def observe_claims(gate: Gate, request: Request) -> Request:
    """Return a request with what is seen of the schemes whose claims could not be judged as they are stated."""
    introduction = gate.introduction
    schemes = [scheme for scheme in request.schemes or introduction.schemes if scheme in introduction.schemes]
    lacking = [scheme for scheme in schemes if _lacks(introduction, scheme, request)]
    seen = {scheme: _observe(gate, scheme, request) for scheme in lacking}
    observed = {scheme: one for scheme, one in seen.items() if one.refinement}
    return replace(request, observed=observed) if observed else request


def _lacks(introduction: Introduction, scheme: str, request: Request) -> bool:
    """Tell whether nobody states claims, or a refinement that they need, of a scheme with settings."""
    claims = introduction.claims[scheme]
    is_claimed = bool(request.claims) or bool(claims)
    is_exact = bool(claims.digits) or "digits" in request.claims
    return bool(introduction.settings[scheme]) and not (
        is_claimed and (is_exact or has_stated_levels(introduction, request))
    )


def _observe(gate: Gate, scheme: str, request: Request) -> ObservedClaims:
    """Return what is seen; of a solver of both kinds of problems the lower order, if the same setting is the step."""
    declared, offered = gate.introduction.settings[scheme], gate.introduction.capabilities
    settings = {name: value for name, value in request.settings.items() if name in declared}
    examinee, seen = Examinee(gate, scheme, settings), []
    if "mechanical" in offered:
        seen.append(_observe_mechanical(Bench(examinee)))
    if "initial-value" in offered:
        seen.append(_observe_initial_value(examinee))
    if len({one.refinement for one in seen}) != 1:
        return ObservedClaims()
    return min(seen, key=lambda one: one.claims.order or 0.0)


def _observe_mechanical(bench: Bench) -> ObservedClaims:
    control = find_control(bench)
    if isinstance(control, str) or not control.setting:
        return ObservedClaims()
    bench = bench.controlled(control)
    order = find_order(bench, MOTIONS["order"], ROUNDING)
    # Above 2 an order may be an accident of free vibration, as with Fox and Goodwin's method: then all motions count.
    if isinstance(order, float) and order > PLAIN + WHOLE:
        others = [find_order(bench, motion, ROUNDING) for motion in MOTIONS.values()]
        order = min(each for each in others if isinstance(each, float))
    return ObservedClaims(_claim_order(None if isinstance(order, str) else order), control.setting)


def _observe_initial_value(examinee: Examinee) -> ObservedClaims:
    control = find_step_control(examinee)
    if control is None or not control.setting:
        return ObservedClaims()
    try:
        measured = read_one_step(examinee, control)[1]
        order = _read_weights(measured) if measured else _find_lowest_order(examinee, control)
    except REFUSED:
        order = None
    return ObservedClaims(_claim_order(order), control.setting)


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


def _claim_order(order: float | None) -> Claims:
    """Return the claim of an order that is a whole number, one at least; no claim of another."""
    if order is None or not math.isfinite(order) or abs(order - round(order)) > WHOLE or round(order) < 1:
        return Claims()
    return Claims(order=float(round(order)))
