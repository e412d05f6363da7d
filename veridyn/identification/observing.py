"""What a solver shows where it states nothing: the setting that refines it, and its order on a smooth motion.

Both are measured before a run and stand in for claims. The order is that of displacement and velocity together, of a
free vibration without damping, and a whole number: nothing stronger is taken for granted. So a solver that loses its
order elsewhere, with dampers or in contact, is told where.
"""

from __future__ import annotations

import math
from dataclasses import replace

from veridyn.identification.orders import MOTIONS, find_order
from veridyn.identification.stepping import find_control
from veridyn.identification.trials import Bench
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.statements import Claims, ObservedClaims
from veridyn.validation_cases.judgement.subject import Request

ROUNDING = (
    1e-11  # of a state after some hundred steps in doubles; of fewer digits no order is seen, and none is claimed
)
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
    is_refined = bool(request.refinement) or introduction.refinement is None or bool(introduction.refinement)
    claims = introduction.claims[scheme]
    is_claimed = bool(request.claims) or bool(claims)
    is_exact = bool(claims.digits) or "digits" in request.claims
    return bool(introduction.settings[scheme]) and not (is_claimed and (is_refined or is_exact))


def _observe(gate: Gate, scheme: str, request: Request) -> ObservedClaims:
    if "mechanical" not in gate.introduction.capabilities:
        return ObservedClaims()
    declared = gate.introduction.settings[scheme]
    bench = Bench(gate, scheme, {name: value for name, value in request.settings.items() if name in declared})
    control = find_control(bench)
    if isinstance(control, str) or not control.setting:
        return ObservedClaims()
    order = find_order(bench.controlled(control), MOTIONS["order"], ROUNDING)
    return ObservedClaims(_claim_order(order), control.setting)


def _claim_order(order: float | str) -> Claims:
    """Return the claim of an order that is a whole number, one at least; no claim of another."""
    if isinstance(order, str) or not math.isfinite(order) or abs(order - round(order)) > WHOLE or round(order) < 1:
        return Claims()
    return Claims(order=float(round(order)))
