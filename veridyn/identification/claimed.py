"""What a solver claims of itself against what was measured: what does not hold by more than is uncertain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from veridyn.identification.families import compare
from veridyn.identification.free import LARGEST_RATIO, Free, StabilityLimit
from veridyn.identification.orders import MOTIONS
from veridyn.identification.reading import Contradiction, Reading
from veridyn.references.methods.integrators import read_method
from veridyn.references.parameters import ParameterError
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.precision import Precision

COUPLED = ("order with two masses", "order with gyroscopic forces")
WHOLE = 0.3  # how near an order is to a whole number
LESS = 0.5  # of an order: the observed one is that much below what is claimed
MORE_DAMPING = 1e-9  # ratio of critical damping beyond a claim
ROUNDINGS = 20.0  # of all motions, and not of one: less is no other method
LIMIT = 1e-3  # of a limit of stability
ROUNDED = 0.5  # of a digit: what the last printed one may be off, and a factor of three in an error
SLOPE = 0.5  # of the slope of the error over the tolerance
LARGE = 1e-9  # errors below it may be as small as a method gets
LARGEST = 1e300  # a difference that is not finite
STILL = 3.0  # errors that fall by less while a tolerance falls by decades do not follow it
DECADES = 3.0  # of a tolerance, from which that is read


def compare_claims(reading: Reading, claims: Claims, free: Free, limit: StabilityLimit | None) -> Reading:
    """Return what contradicts the claims of a solver whose steps are set, and orders that a damper or a load costs."""
    contradictions = (
        *_check_order(reading, claims),
        *_check_method(reading, claims, free),
        *_check_stability(limit, claims),
        *_check_damping(reading, claims),
    )
    explained = {each.line for each in contradictions}
    lines = (line for line in _compare_motions(reading, claims) if line not in explained)
    return Reading(deviations=tuple(lines)).with_contradictions(contradictions)


def _find_number(reading: Reading, name: str) -> float | None:
    values = (figure.value for figure in reading.figures if figure.name == name)
    return next((value for value in values if not isinstance(value, str)), None)


def contradict_order(claims: Claims, seen: float, line: str) -> Iterator[Contradiction]:
    """Yield that a claimed order is not reached."""
    if claims.order:
        yield from _lose("order", stated=claims.order, measured=seen, allowed=LESS, line=line)


def _lose(claim: str, *, stated: float, measured: float, allowed: float, line: str) -> Iterator[Contradiction]:
    """Yield that less than what is stated was measured, by more than is allowed."""
    lost = stated - measured
    if lost > allowed:
        yield Contradiction(claim=claim, stated=stated, measured=measured, error=lost, allowed=allowed, line=line)


def _check_order(reading: Reading, claims: Claims) -> Iterator[Contradiction]:
    """Yield the first motion that falls short of the claimed order: the free vibration, else one with more forces."""
    if claims.order:
        yield from islice(_list_losses(reading, claims, claims.order), 1)


def _list_losses(reading: Reading, claims: Claims, order: float) -> Iterator[Contradiction]:
    """Yield all motions that fall short of an order."""
    free, usual = _find_number(reading, "order"), min(order, 1.0) if claims.lag else order
    if free is not None:
        line = f"order {free:.2f} was seen: {usual:g} is claimed"
        yield from _lose("order", stated=usual, measured=free, allowed=LESS, line=line)
    for name, seen, limit in _list_orders(reading, claims):
        stated = min(usual, limit)
        line = _say_loss(name, seen, free or stated)
        yield from _lose("order", stated=stated, measured=seen, allowed=LESS, line=line)


def _list_orders(reading: Reading, claims: Claims) -> Iterator[tuple[str, float, float]]:
    """Yield the orders of motions with more forces than a spring, and the one that the claims leave to each."""
    for name in (name for name in MOTIONS if name != "order"):
        seen = _find_number(reading, name)
        if seen is not None:
            yield name, seen, _limit_order(name, claims)


def _limit_order(name: str, claims: Claims) -> float:
    """Return the order that the claims leave to a motion: dampers that see late velocities cost orders."""
    if name in COUPLED and claims.force_lag:
        return 1.0
    return claims.damped_order or math.inf if name in (*COUPLED, "order with a damper") else math.inf


def _say_loss(name: str, seen: float, usual: float) -> str:
    return f"{name} {seen:.2f}: it is {usual:.2f} without"


def _compare_motions(reading: Reading, claims: Claims) -> Iterator[str]:
    """Yield where a damper or a load costs an order."""
    free = _find_number(reading, "order")
    usual = free if free is not None else claims.order
    if usual is None or abs(usual - round(usual)) > WHOLE:
        return  # an error that does not vanish has no order to compare with
    for name, seen, limit in _list_orders(reading, claims):
        if seen < min(usual, limit) - LESS:
            yield _say_loss(name, seen, usual)


def _check_method(reading: Reading, claims: Claims, free: Free) -> Iterator[Contradiction]:
    """Yield that free vibrations are not those of the method that is claimed."""
    if not claims.method:
        return
    words = say_claimed_method(claims)
    try:
        rule = read_method(claims.method, claims.parameters).rule()
    except ParameterError:
        return  # whoever judges by the claim refuses it
    misfit, difference = compare(rule, free.all_motions)
    if difference <= ROUNDINGS * free.rounding:
        return
    nearest = next((str(figure.value) for figure in reading.figures if figure.name == "nearest family"), "")
    seen = reading.method or (f"nearest is {nearest}" if nearest else "no known method")
    line = f"{words} is claimed: free vibrations differ by {difference:.1e} of the state; measured: {seen}"
    yield from contradict_method(misfit, line)


def say_claimed_method(claims: Claims) -> str:
    """Return a claimed method with its parameters, in words."""
    return ", ".join([claims.method, *(f"{name} {value}" for name, value in claims.parameters.items())])


def contradict_method(misfit: float, line: str) -> Iterator[Contradiction]:
    """Yield that answers differ from those of the claimed method by ``misfit`` times what rounding explains."""
    error = min(misfit, LARGEST)
    if error > 1:
        yield Contradiction(claim="method", stated=0.0, measured=error, error=error, allowed=1.0, line=line)


def _check_stability(limit: StabilityLimit | None, claims: Claims) -> Iterator[Contradiction]:
    if limit is None or limit.refused or claims.stability is None or math.isinf(limit.growing):
        return
    stated = min(claims.stability, LARGEST_RATIO)
    words = "any step" if math.isinf(claims.stability) else f"w h = {claims.stability:g}"
    line = f"free vibrations grow above w h = {limit.growing:.6g}: {words} is claimed to be stable"
    yield from _lose("stability_limit", stated=stated, measured=limit.growing, allowed=LIMIT * stated, line=line)


def _check_damping(reading: Reading, claims: Claims) -> Iterator[Contradiction]:
    most = claims.numerical_damping
    damping = next((figure for figure in reading.figures if figure.name == "numerical damping"), None)
    if most is None or damping is None or isinstance(damping.value, str):
        return
    error, allowed = abs(damping.value), most + max(MORE_DAMPING, damping.uncertainty or 0.0)
    line = f"numerical damping {damping.value:.3g}: at most {most:g} is claimed"
    if error > allowed:
        yield Contradiction(
            claim="numerical_damping", stated=most, measured=damping.value, error=error, allowed=allowed, line=line
        )


def contradict_digits(claims: Claims, precision: Precision, error: float = 0.0) -> Iterator[Contradiction]:
    """Yield that answers hold fewer digits than are claimed, or are more wrong: by ``error``, over their size."""
    if claims.digits:
        exact = math.inf if error <= 0 else -math.log10(error)
        why = f"numbers are {precision.words}" if precision.digits <= exact else f"an error of {error:.1e} was seen"
        line = f"{claims.digits:g} digits are claimed: {why}"
        yield from _lose(
            "digits", stated=claims.digits, measured=min(precision.digits, exact), allowed=ROUNDED, line=line
        )
    if claims.printed:
        line = f"{claims.printed:g} printed digits are claimed: numbers are {precision.words}"
        yield from _lose("printed", stated=claims.printed, measured=precision.printed, allowed=ROUNDED, line=line)


@dataclass(frozen=True)
class Followed:
    """Errors by motion, at tolerances from coarse to fine of the setting ``key``; below ``floor`` they are rounding."""

    key: str
    tolerances: Sequence[float]
    errors: Mapping[str, Sequence[float]]
    floor: float

    def list_still(self) -> Iterator[tuple[str, str]]:
        """Yield motions whose errors, which are not small, stay where they are while the tolerance falls by decades."""
        first, last = self.tolerances[0], self.tolerances[-1]
        for name, errors in self.errors.items():
            has_room = errors[-1] > max(LARGE, self.floor, 1e3 * last)
            if has_room and math.log10(first / last) >= DECADES and errors[0] < STILL * errors[-1]:
                yield name, f"errors do not follow {self.key}: {errors[-1]:.1g} at {last:g}, {name}"


def contradict_slope(claims: Claims, followed: Followed, slopes: Mapping[str, float]) -> Iterator[Contradiction]:
    """Yield that the errors of a motion, whose slopes over the tolerance are given, do not follow the claimed one."""
    if followed.key == claims.tolerance:
        for name, line in followed.list_still():
            yield from _lose("slope", stated=1.0, measured=slopes[name], allowed=SLOPE, line=line)


def contradict_factor(claims: Claims, key: str, ratio: float) -> Iterator[Contradiction]:
    """Yield that the largest error over the tolerance is more than is claimed."""
    if claims.factor is not None and key == claims.tolerance and ratio > claims.factor:
        line = f"error over {key} of {ratio:.3g}; at most {claims.factor:g} is claimed"
        yield Contradiction(
            claim="error_over_tolerance",
            stated=claims.factor,
            measured=ratio,
            error=ratio,
            allowed=claims.factor,
            line=line,
        )
