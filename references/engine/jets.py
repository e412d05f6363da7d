"""A number with its derivative with respect to one parameter: what is computed with such pairs is differentiated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, TypeAlias

from flint import arb

from veridyn.references.engine import shares
from veridyn.references.engine.shares import NONE, Share

Ball: TypeAlias = Any  # a ball, or a `Jet` of two: what is computed with them is written once for both


@dataclass(frozen=True, eq=False)
class Jet:
    """A value and its derivative, both balls; comparisons are those of the values.

    ``share`` is the factor between them where it is known exactly, see `shares`: the derivative is zero if it is.
    """

    # Numbers a + b ε with ε² = 0: each rule of calculus is a rule of arithmetic, without a difference quotient and so
    # without its error. With balls as parts, value and derivative are enclosed for all points of the operands.
    value: Any
    slope: Any
    share: Share | None = None

    def __post_init__(self) -> None:
        if self.share == NONE:
            object.__setattr__(self, "slope", arb(0))

    def __add__(self, other: Any) -> Jet:
        """Add; so do the operators below, as their names say."""
        return Jet(self.value + value(other), self.slope + slope(other), self._common(other))

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope, self.share)

    def __sub__(self, other: Any) -> Jet:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Jet:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Jet:
        both = shares.add(self.share, share(other))
        return Jet(self.value * value(other), self.slope * value(other) + self.value * slope(other), both)

    def __truediv__(self, other: Any) -> Jet:
        quotient, both = self.value / value(other), shares.subtract(self.share, share(other))
        return Jet(quotient, (self.slope - quotient * slope(other)) / value(other), both)

    def __rtruediv__(self, other: Any) -> Jet:
        return Jet(other, arb(0), NONE) / self

    def __pow__(self, power: Any) -> Jet:
        """Return a power: by products where it is 0, 1, 2 …, since a ball around zero has none in the library."""
        if isinstance(power, int) and power >= 0:
            return prod([self] * power, start=Jet(arb(1), arb(0), NONE))
        if isinstance(power, Jet):
            return (power * self.log()).exp()
        raised = self.value**power
        times = None if self.share is None else _fraction(power)
        return Jet(
            raised,
            raised / self.value * power * self.slope,
            None if times is None else shares.scale(self.share, times),
        )

    def _common(self, other: Any) -> Share | None:
        """Return the share of a sum."""
        if self.share is None or shares.is_zero(other) or self.share == share(other):
            return self.share
        return None

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> Jet:
        """Return the magnitude; where the sign is undecided, with both derivatives."""
        # Where the sign is open, the derivative is that of one side or the other: their union holds it. To take one
        # side by the midpoint would be wrong for half of the points of the ball.
        if self.value > 0:
            return self
        return -self if self.value < 0 else Jet(abs(self.value), self.slope.union(-self.slope), self.share)

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
            return self if self > other else Jet(value(other), slope(other), share(other))
        return Jet(self.value.max(value(other)), self.slope.union(slope(other)), self._common(other))

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
        return lambda: Jet(
            getattr(self.value, name)(), DERIVATIVES[name](self.value) * self.slope, self._share_of(name)
        )

    def _share_of(self, name: str) -> Share | None:
        """Return the share of an elementary function."""
        if name == "sqrt":
            return shares.scale(self.share, Fraction(1, 2))
        return NONE if self.share == NONE else None


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
}


def value(x: Any) -> Any:
    """Return the value of a pair, and of a plain number the number."""
    return x.value if isinstance(x, Jet) else x


def slope(x: Any) -> Any:
    """Return the derivative of a pair, zero for a plain number."""
    return x.slope if isinstance(x, Jet) else arb(0)


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
    """Tell whether any of the numbers is a pair."""
    return any(isinstance(x, Jet) for x in numbers)


def stacked(numbers: Iterable[Ball]) -> tuple[Any, ...]:
    """Return all values, then all derivatives."""
    numbers = tuple(numbers)
    return (*map(value, numbers), *map(slope, numbers))


def paired(column: Sequence[Any]) -> tuple[Jet, ...]:
    """Return pairs of what `stacked` returned."""
    n = len(column) // 2
    return tuple(map(Jet, column[:n], column[n:]))


def rooted(root: arb, off: Ball, rate: Ball) -> Ball:
    """Give a root its derivative, if a function has one there, from its value and its rate: -(∂g/∂p)/(∂g/∂t)."""
    return Jet(root, -slope(off) / value(rate)) if differentiated(off) else root


def hull(first: Ball, *others: Ball) -> Ball:
    """Return what holds all."""
    if differentiated(first, *others):
        balls = (first, *others)
        common = share(first) if all(share(x) == share(first) for x in others) else None
        return Jet(hull(*map(value, balls)), hull(*map(slope, balls)), common)
    return reduce(arb.union, others, first)


def largest(balls: Iterable[Ball]) -> Ball:
    """Return the largest, at least one being given; where that is undecided, what holds all that it may be."""
    return reduce(lambda a, b: b.max(a) if differentiated(b) else a.max(b), balls)
