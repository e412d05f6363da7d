"""A number with its derivative with respect to one parameter, and its second one where that is asked for.

What is computed with such numbers is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, TypeAlias

from flint import acb, arb

from veridyn.references.engine import shares
from veridyn.references.engine.shares import NONE, Share

Ball: TypeAlias = Any  # a ball, or a `Jet` of two: what is computed with them is written once for both


@dataclass(frozen=True, eq=False)
class Jet:
    """A value and its derivative, both balls; comparisons are those of the values.

    ``share`` is the factor between them where it is known exactly, see `shares`: the derivatives are zero if it is.
    ``curve`` is the second derivative; None where none is carried, and what is computed with such a number has none.
    """

    # Numbers a + b ε + c ε²/2 with ε³ = 0: each rule of calculus is a rule of arithmetic, without a difference quotient
    # and so without its error. With balls as parts, all of them are enclosed for all points of the operands.
    value: Any
    slope: Any
    share: Share | None = None
    curve: Any = None

    def __post_init__(self) -> None:
        if self.share == NONE:
            object.__setattr__(self, "slope", arb(0))
            object.__setattr__(self, "curve", arb(0))

    def __add__(self, other: Any) -> Jet:
        """Add; so do the operators below, as their names say."""
        bend = None if _lacks_curve(self, other) else self.curve + curve(other)
        return Jet(self.value + value(other), self.slope + slope(other), self._common(other), bend)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope, self.share, None if self.curve is None else -self.curve)

    def __sub__(self, other: Any) -> Jet:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Jet:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Jet:
        a, b, moves = self.value, value(other), slope(other)
        bend = None if _lacks_curve(self, other) else self.curve * b + 2 * self.slope * moves + a * curve(other)
        return Jet(a * b, self.slope * b + a * moves, shares.add(self.share, share(other)), bend)

    def __truediv__(self, other: Any) -> Jet:
        divisor, moves = value(other), slope(other)
        quotient, both = self.value / divisor, shares.subtract(self.share, share(other))
        rate = (self.slope - quotient * moves) / divisor
        if _lacks_curve(self, other):
            return Jet(quotient, rate, both)
        return Jet(quotient, rate, both, (self.curve - 2 * rate * moves - quotient * curve(other)) / divisor)

    def __rtruediv__(self, other: Any) -> Jet:
        return Jet(other, arb(0), NONE) / self

    def __pow__(self, power: Any) -> Jet:
        """Return a power: by products where it is 0, 1, 2 …, since a ball around zero has none in the library."""
        if isinstance(power, int) and power >= 0:
            return prod([self] * power, start=Jet(arb(1), arb(0), NONE))
        if isinstance(power, Jet):
            return (power * self.log()).exp()
        raised = self.value**power
        rate = raised / self.value * power
        bend = None if self.curve is None else rate * (self.curve + (power - 1) * self.slope * self.slope / self.value)
        return Jet(raised, rate * self.slope, self._share_of_power(power), bend)

    def _share_of_power(self, power: Any) -> Share | None:
        if self.share is None or self.share == NONE:
            return self.share
        times = _fraction(power)
        return None if times is None else shares.scale(self.share, times)

    def _common(self, other: Any) -> Share | None:
        """Return the share of a sum."""
        if self.share is None or shares.is_zero(other) or self.share == share(other):
            return self.share
        return None

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> Jet:
        """Return the magnitude; where the sign is undecided, with the derivatives of both signs."""
        # Where the sign is open, the derivative is that of one side or the other: their union holds it. To take one
        # side by the midpoint would be wrong for half of the points of the ball.
        if self.value > 0:
            return self
        if self.value < 0:
            return -self
        bend = None if self.curve is None else self.curve.union(-self.curve)
        return Jet(abs(self.value), self.slope.union(-self.slope), self.share, bend)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < value(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > value(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= value(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= value(other))

    def max(self, other: Any) -> Jet:
        """Return the larger; where that is undecided, what holds both."""
        if self > other or self < other:
            return self if self > other else Jet(value(other), slope(other), share(other), curve(other))
        bend = None if _lacks_curve(self, other) else self.curve.union(curve(other))
        return Jet(self.value.max(value(other)), self.slope.union(slope(other)), self._common(other), bend)

    def min(self, other: Any) -> Jet:
        """Return the smaller; as `max`."""
        return -((-self).max(-other))

    def sin_cos(self) -> tuple[Jet, Jet]:
        """Return sine and cosine."""
        return self.sin(), self.cos()

    def __getattr__(self, name: str) -> Callable[[], Jet]:
        """Return an elementary function as a method, by its name."""
        if name not in DERIVATIVES:
            raise AttributeError(name)
        return lambda: chain(self, getattr(self.value, name)(), DERIVATIVES[name], self._share_of(name))

    def _share_of(self, name: str) -> Share | None:
        """Return the share of an elementary function."""
        if name == "sqrt":
            return shares.scale(self.share, Fraction(1, 2))
        return NONE if self.share == NONE else None


def chain(x: Ball, result: Any, rate: Callable[[Any], Any], own: Share | None = None) -> Ball:
    """Return the value of a function at a number with its derivatives, from that value and from the rate, a function.

    The rate is differentiated itself, where second derivatives are carried.
    """
    if not isinstance(x, Jet):
        return result
    if x.curve is None:
        return Jet(result, rate(x.value) * x.slope, own)
    there = rate(Jet(x.value, arb(1)))  # f'' is the slope of f' along x
    bend = slope(there) * x.slope * x.slope + value(there) * x.curve
    return Jet(result, value(there) * x.slope, own, bend)


def polygamma(order: int, x: Ball) -> Ball:
    """Return a derivative of the digamma function."""
    return chain(x, acb(value(x)).polygamma(order).real, lambda at: polygamma(order + 1, at))


DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda x: 1 / (2 * x.sqrt()),
    "exp": lambda x: x.exp(),
    "log": lambda x: 1 / x,
    "sin": lambda x: x.cos(),
    "cos": lambda x: -x.sin(),
    "asin": lambda x: 1 / (1 - x * x).sqrt(),
    "acos": lambda x: -1 / (1 - x * x).sqrt(),
    "atan": lambda x: 1 / (1 + x * x),
    "tan": lambda x: 1 + x.tan() ** 2,
    "sinh": lambda x: x.cosh(),
    "cosh": lambda x: x.sinh(),
    "tanh": lambda x: 1 - x.tanh() ** 2,
    "gamma": lambda x: x.gamma() * x.digamma(),
    "digamma": lambda x: polygamma(1, x),
}


def value(x: Any) -> Any:
    """Return the value of a pair, and of a plain number the number."""
    return x.value if isinstance(x, Jet) else x


def slope(x: Any) -> Any:
    """Return the derivative of a pair, zero for a plain number."""
    return x.slope if isinstance(x, Jet) else arb(0)


def curve(x: Any) -> Any:
    """Return the second derivative of a number, zero for a plain one; None where it carries none."""
    return x.curve if isinstance(x, Jet) else arb(0)


def share(x: Any) -> Share | None:
    """Return the share of a pair; a plain number does not depend on the parameter."""
    return x.share if isinstance(x, Jet) else NONE


def _fraction(power: Any) -> Fraction | None:
    """Return an exact number as a fraction; None for a ball."""
    if isinstance(power, arb):
        if not power.is_exact():
            return None
        mantissa, exponent = power.man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return Fraction(power)


def differentiated(*numbers: Any) -> bool:
    """Tell whether any of the numbers has derivatives."""
    return any(isinstance(x, Jet) for x in numbers)


def find_order(*numbers: Any) -> int:
    """Return the order of the derivatives that all carry which have any: 0 (none has), 1 or 2."""
    curves = [x.curve for x in numbers if isinstance(x, Jet)]
    return 0 if not curves else 1 if any(bend is None for bend in curves) else 2


def _lacks_curve(*numbers: Any) -> bool:
    return any(isinstance(x, Jet) and x.curve is None for x in numbers)


def stack(numbers: Iterable[Ball], order: int) -> tuple[Any, ...]:
    """Return all values, then all derivatives of an order after the other."""
    numbers = tuple(numbers)
    return tuple(part(x) for part in (value, slope, curve)[: order + 1] for x in numbers)


def unstack(column: Sequence[Any], order: int) -> tuple[Jet, ...]:
    """Return the numbers of which `stack` returned the parts; of order 1 or 2."""
    n = len(column) // (order + 1)
    bends = column[2 * n :] if order > 1 else [None] * n
    return tuple(Jet(x, s, None, c) for x, s, c in zip(column[:n], column[n : 2 * n], bends, strict=True))


def rooted(root: Any, function: Callable[[Ball], Ball], own: Share | None = None) -> Ball:
    """Give a root of a function its derivatives with respect to the parameter, if the function has any there."""
    off = function(root)
    if not differentiated(off):
        return root
    if off.share == NONE:
        return Jet(root, arb(0), NONE)
    # From g(t(p), p) = 0 for all p follows t' = -(∂g/∂p)/(∂g/∂t); the root is simple, so that the divisor is not zero.
    # The slope of ``off`` is ∂g/∂p at a fixed place. At one whose own derivative is 1 it is ∂g/∂p + ∂g/∂t. Of the
    # second derivative of g(t(p), p), which is zero, only ∂g/∂t t'' is left out where t moves with t' alone.
    rate = slope(function(Jet(root, arb(1)))) - slope(off)
    moves = -slope(off) / rate
    if curve(off) is None:
        return Jet(root, moves, own)
    bend = curve(function(Jet(root, moves, None, arb(0))))
    return Jet(root, moves, own, None if bend is None else -bend / rate)


def drift(rate: Ball, acceleration: Ball, instant: Ball) -> Ball:
    """Return what the derivatives of a moving instant add to those of a number that has a rate there.

    The rate has the derivative at a fixed instant; the acceleration is its own rate, a plain ball.
    """
    if not isinstance(instant, Jet):
        return arb(0)
    moves = instant.slope
    first = value(rate) * moves
    if instant.curve is None:
        return Jet(arb(0), first)
    # d²/dp² y(t(p), p) = ∂²y/∂p² + 2 ∂²y/∂t∂p t' + ∂²y/∂t² t'² + ∂y/∂t t''
    bend = 2 * slope(rate) * moves + acceleration * moves * moves + value(rate) * instant.curve
    return Jet(arb(0), first, None, bend)


def lift(x: Ball, rate: Ball) -> Jet:
    """Return a number whose parts have their rates in time as derivatives: a function of it has, too; see `lowered`."""
    bend = None if _lacks_curve(x, rate) else Jet(curve(x), curve(rate))
    return Jet(Jet(value(x), value(rate)), Jet(slope(x), slope(rate)), None, bend)


def lowered(x: Ball) -> Ball:
    """Return the rate in time of what was computed with numbers of `lift`."""
    bend = curve(x)
    return Jet(slope(value(x)), slope(slope(x)), None, None if bend is None else slope(bend))


def hull(first: Ball, *others: Ball) -> Ball:
    """Return what holds all."""
    if differentiated(first, *others):
        balls = (first, *others)
        common = share(first) if all(share(x) == share(first) for x in others) else None
        bend = None if _lacks_curve(*balls) else hull(*map(curve, balls))
        return Jet(hull(*map(value, balls)), hull(*map(slope, balls)), common, bend)
    return reduce(arb.union, others, first)


def largest(balls: Iterable[Ball]) -> Ball:
    """Return the largest, at least one being given; where that is undecided, what holds all that it may be."""
    return reduce(lambda a, b: b.max(a) if differentiated(b) else a.max(b), balls)
