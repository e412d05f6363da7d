"""How the truth of what any problem is asked follows from proved queries: ends, extremes, means, work, events.

Each rule takes a `Prover` and returns a value whose radius bounds what the parts leave; it raises `CertificationError`
where a part has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import mpmath
from mpmath import mpf

from veridyn.api.prover import DIGITS, Prover
from veridyn.references.certified import Certified, undefined
from veridyn.references.problems.queries import CountOf, EventNumber, Extreme, InstantOf, Integral, Stretch, ValueAt

Rule = Callable[[Prover], Certified]


@dataclass(frozen=True)
class Proof:
    """Rules for a value, and for the size to which errors of it are related."""

    value: Rule
    size: Rule


def prove_end(name: str) -> Proof:
    """Return the rule for a state at the end of the motion, related to its largest absolute value."""

    def find(prover: Prover) -> Certified:
        last = prover.last_event
        return prover.prove(ValueAt(name, last, before=last is not None))

    return Proof(find, prove_largest(name).value)


def prove_largest(name: str) -> Proof:
    """Return the rule for the largest absolute value of a state."""

    def find(prover: Prover) -> Certified:
        stretch = Stretch(end=prover.last_event)
        above, below = (prover.prove(Extreme(name, side, stretch)) for side in (1, -1))
        larger, smaller = _number(above), -_number(below)
        return replace(above if larger > smaller else below, value=max(larger, smaller), radius=_widest(above, below))

    return Proof(find, find)


def prove_mean(name: str) -> Proof:
    """Return the rule for the root mean square of a state over the motion."""

    def find(prover: Prover) -> Certified:
        last = prover.last_event
        squares = prover.prove(Integral(f"({name})**2", Stretch(end=last)))
        end = mpf(prover.problem.end) if last is None else _number(prover.prove(InstantOf(last)))
        apart = mpf(0) if last is None else _radius(prover.prove(InstantOf(last)))
        return _take_root_mean(squares, end - mpf(prover.problem.start), apart)

    return Proof(find, prove_largest(name).value)


def prove_top(reading: str) -> Proof:
    """Return the rule for the largest value of a reading."""
    return _alone(lambda prover: prover.prove(Extreme(reading, 1)))


def prove_sum(reading: str) -> Proof:
    """Return the rule for the integral of a reading."""
    return _alone(lambda prover: prover.prove(Integral(reading)))


def prove_count(event: str) -> Proof:
    """Return the rule for the number of events of a name."""
    return Proof(lambda prover: prover.prove(CountOf(event)), lambda _: _exactly(mpf(1)))


def prove_instant(event: str, *, last: bool = False) -> Proof:
    """Return the rule for the first instant of an event, or the last one, related to the span of the problem."""

    def find(prover: Prover) -> Certified:
        number = round(float(prover.prove(CountOf(event))))
        if not number:
            return undefined(f"{event} does not happen")
        return prover.prove(InstantOf(EventNumber(event, number if last else 1)))

    return Proof(find, lambda prover: _exactly(mpf(prover.problem.end) - mpf(prover.problem.start)))


def _alone(rule: Rule) -> Proof:
    return Proof(rule, rule)


def _number(value: Certified) -> mpf:
    assert isinstance(value.value, mpf)  # what a prover returns has one
    return value.value


def _radius(value: Certified) -> mpf:
    return value.radius or mpf(0)


def _widest(*values: Certified) -> mpf:
    return max(map(_radius, values))


def _exactly(number: mpf) -> Certified:
    return Certified(number, DIGITS, "closed form", ("by the statement of the problem",), mpf(0))


def _take_root_mean(integral: Certified, span: mpf, apart: mpf) -> Certified:
    """Return the root of an integral over a span that is known but for some seconds.

    For x and y not below zero |sqrt(x) - sqrt(y)| is at most |x - y|/sqrt(y), and at most sqrt|x - y|.
    """
    with mpmath.workdps(2 * DIGITS):
        mean = _number(integral) / span
        doubt = (_radius(integral) + abs(mean) * apart) / (span - apart)
        value = mpmath.sqrt(max(mean, 0))
        radius = min(mpmath.sqrt(doubt), doubt / value if value else mpmath.inf)
        rounding = value * mpf(10) ** (1 - 2 * DIGITS)
        return replace(integral, value=value, radius=radius + rounding)
