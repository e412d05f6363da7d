"""Derivatives of values with respect to one parameter, and second ones with respect to two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from veridyn.references.certified import CertificationError, Certified, exact_zero, undefined
from veridyn.references.engine.enclosure import THRICE, mix
from veridyn.references.parameters import Exact, ParameterError, unknown

SPARE = 5  # digits beyond those wanted, of what a difference is taken of
Numbers = Mapping[str, Exact]
Compute = Callable[[Numbers, int], Certified]  # a value at parameters, to some digits


def check_names(derivative: str | Sequence[str], values: Numbers) -> tuple[str, ...]:
    """Return the parameters that derivatives are taken to; raises `ParameterError` for unknown ones, or over two."""
    names = (derivative,) if isinstance(derivative, str) else tuple(derivative)
    for name in names:
        if name not in values:
            raise ParameterError(unknown(name, list(values)))
    if len(names) > 2:
        raise ParameterError(f"derivatives are taken to two parameters at most, got {', '.join(names)}")
    return names


def differentiate(compute: Compute, values: Numbers, names: tuple[str, ...], digits: int) -> Certified:
    """Return the derivative of a value with respect to one parameter, or to two; undefined with the reason."""
    try:
        if len(names) == 1:
            return _differentiate_once(compute, values, names[0], digits)
        first, second = names
        return (
            _differentiate_twice(compute, values, first, digits)
            if first == second
            else _differentiate_both(compute, values, first, second, digits)
        )
    except CertificationError as reason:  # a boundary of regimes, met before anything is enclosed
        return undefined(str(reason))


def _differentiate_once(compute: Compute, values: Numbers, name: str, digits: int) -> Certified:
    return _take(compute({**values, name: values[name].varied()}, digits), (name,))


def _differentiate_twice(compute: Compute, values: Numbers, name: str, digits: int) -> Certified:
    """Return the second derivative with respect to one parameter."""
    # Where the value is proportional to a power of the parameter, its share tells which; with the power one or none, no
    # precision would tell the second derivative from zero.
    once = compute({**values, name: values[name].varied()}, digits)
    power = None if once.share is None else once.share * values[name].plain
    if power is not None and (power.rational == 0 or (power.rational == 1 and power.pi == 0)):
        return exact_zero(f"the value is proportional to {name}, or does not depend on it", digits)
    if once.value is not None and once.derivative is None:
        return _take(once, (name,))
    return _take(compute({**values, name: values[name].varied(2)}, digits), (name, name))


def _differentiate_both(compute: Compute, values: Numbers, first: str, second: str, digits: int) -> Certified:
    """Return the mixed second derivative."""
    # With one parameter alone, the other is a number that varies by nothing: what is zero only because the other one is
    # zero here counts as dependent.
    for name, other in ((first, second), (second, first)):
        alone = compute({**values, name: values[name].varied(), other: values[other].resting()}, digits)
        if alone.value is not None and alone.derivative is None:
            return _take(alone, (name,))
        if alone.share is not None and not alone.share.rational:
            return exact_zero(f"the value does not depend on {name}", digits)
    return _difference(compute, values, first, second, digits)


def _difference(compute: Compute, values: Numbers, first: str, second: str, digits: int) -> Certified:
    """Return the mixed second derivative from those along two ways, on which both parameters vary."""
    # Along p = a exp(s), q = b exp(s) and along p = a exp(s), q = b exp(-s) the second derivatives to s are
    # a² f_pp ± 2 a b f_pq + b² f_qq + a f_p + b f_q. The shares of all numbers stay what they are on such ways, see
    # `shares`; on straight ones p q would have the share zero, and a second derivative.
    a, b = (values[name].plain if values[name].rational else Exact(Fraction(1)) for name in (first, second))
    times, working = Exact(Fraction(4)) * a * b, digits + SPARE
    while True:
        plus, minus = (
            _take(
                compute({**values, first: values[first].grown(1), second: values[second].grown(rate)}, working),
                (first, second),
            )
            for rate in (1, -1)
        )
        if plus.value is None or minus.value is None:
            return plus if plus.value is None else minus
        result, lost = mix(plus, minus, times, digits)
        if result is not None:
            return result
        working += lost + SPARE
        if working > THRICE * (digits + SPARE):
            return undefined(f"the derivative is zero, or so small that {working} digits do not tell")


def _take(truth: Certified, names: tuple[str, ...]) -> Certified:
    """Return the derivative that a value carries, or why there is none."""
    derivative = truth.derivative if len(names) == 1 else truth.curvature
    if derivative is not None or truth.value is None:
        return derivative or truth
    if len(names) > 1 and truth.derivative is not None:
        return undefined("the formula that gives this value carries first derivatives only")
    return undefined(f"{names[0]} does not enter the formula that holds here: no derivative is given")
