"""What a solver claims of itself against what was measured: a contradiction is a deviation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from veridyn.identification.families import compare
from veridyn.identification.free import Free
from veridyn.identification.orders import MOTIONS
from veridyn.identification.reading import Reading
from veridyn.references.methods.integrators import read_method
from veridyn.references.parameters import ParameterError
from veridyn.solver.contract.statements import Claims

COUPLED = ("order with two masses", "order with gyroscopic forces")
WHOLE = 0.3  # how near an order is to a whole number
LESS = 0.5  # of an order: the observed one is that much below what is claimed
MORE_DAMPING = 1e-9  # ratio of critical damping beyond a claim
LIMIT = 1e-3  # of a limit of stability


def contradict(reading: Reading, claims: Claims, free: Free) -> Reading:
    """Return a reading with the deviations from the claims."""
    lines = (*_check_order(reading, claims), *_check_method(claims, free), *_check_stability(reading, claims),
             *_check_damping(reading, claims))  # fmt: skip
    return replace(reading, deviations=(*reading.deviations, *lines))


def _find_number(reading: Reading, name: str) -> float | None:
    values = (figure.value for figure in reading.figures if figure.name == name)
    return next((value for value in values if not isinstance(value, str)), None)


def _check_order(reading: Reading, claims: Claims) -> Iterator[str]:
    """Yield where an order is less than what is claimed, and where a damper or a load costs one."""
    free = _find_number(reading, "order")
    claimed = min(claims.order, 1.0) if claims.order and claims.lag else claims.order
    if free is not None and claimed and free < claimed - LESS:
        yield f"order {free:.2f} was seen: {claimed:g} is claimed"
    usual = free if free is not None else claimed
    if usual is None or abs(usual - round(usual)) > WHOLE:
        return  # an error that does not vanish has no order to compare with
    for name in (name for name in MOTIONS if name != "order"):
        seen = _find_number(reading, name)
        if seen is not None and seen < min(usual, _limit_order(name, claims)) - LESS:
            yield f"{name} {seen:.2f}: it is {usual:.2f} without"


def _limit_order(name: str, claims: Claims) -> float:
    """Return the order that the claims leave to a motion: dampers that see late velocities cost orders."""
    if name in COUPLED and claims.force_lag:
        return 1.0
    return claims.damped_order or math.inf if name in (*COUPLED, "order with a damper") else math.inf


def _check_method(claims: Claims, free: Free) -> Iterator[str]:
    """Yield whether free vibrations are not those of the method that is claimed."""
    if not claims.method:
        return
    try:
        rule = read_method(claims.method, claims.parameters).rule()
    except ParameterError as error:
        yield f"the claimed method cannot be read: {error}"
        return
    misfit, difference = compare(rule, free.all_motions)
    if misfit > 1:
        words = ", ".join([claims.method, *(f"{name} {value}" for name, value in claims.parameters.items())])
        yield f"{words} is claimed: free vibrations differ by {difference:.1e} of the state"


def _check_stability(reading: Reading, claims: Claims) -> Iterator[str]:
    limit = _find_number(reading, "limit of stability")
    if limit is not None and claims.stability is not None and limit < claims.stability * (1 - LIMIT):
        claimed = "any step" if math.isinf(claims.stability) else f"w h = {claims.stability:g}"
        yield f"free vibrations grow above w h = {limit:.6g}: {claimed} is claimed to be stable"


def _check_damping(reading: Reading, claims: Claims) -> Iterator[str]:
    most = claims.numerical_damping
    damping = next((figure for figure in reading.figures if figure.name == "numerical damping"), None)
    if most is None or damping is None or isinstance(damping.value, str):
        return
    if abs(damping.value) > most + max(MORE_DAMPING, damping.uncertainty or 0.0):
        yield f"numerical damping {damping.value:.3g}: at most {most:g} is claimed"
