"""A free rigid body in its principal axes: Jacobi's functions, and the attitude by Euler's angles.

It is the second route of the cases of free bodies.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import mpmath

from veridyn.references.certified import CertificationError, per_precision

SHARES = 10  # of the span: smooth pieces of a quadrature
Numbers = tuple[Any, ...]


class Frame(NamedTuple):
    """Axes of the body as others: for each, which of the old ones it is, and the side; together a rotation."""

    order: tuple[int, ...]
    sides: tuple[int, ...]

    def turn(self, vector: Numbers) -> Numbers:
        """Return the components along these axes, from those along the old ones."""
        return tuple(side * vector[axis] for axis, side in zip(self.order, self.sides, strict=True))

    def turn_back(self, vector: Numbers) -> Numbers:
        """Return the components along the old axes."""
        places = map(self.order.index, range(3))
        return tuple(self.sides[place] * vector[place] for place in places)


def principal_frame(p: Numbers) -> Frame:
    """Return the axes from the smallest moment of inertia to the largest.

    The body runs about the last or the first of them, in its positive direction.
    """
    order = tuple(sorted(range(3), key=lambda axis: p[axis]))
    is_even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    twice, square = (mpmath.fsum(i**k * w**2 for i, w in zip(p[:3], p[3:], strict=True)) for k in (1, 2))
    runs = 2 if square > twice * p[order[1]] else 0
    half = -1 if p[3 + order[runs]] < 0 else 1  # half a turn about the middle axis turns both others round
    return Frame(order, (half, 1 if is_even else -1, half))


class Top:
    """The motion in Jacobi's functions: sn about the middle axis, cn and dn about the others, as energy has it."""

    def __init__(self, p: Numbers) -> None:
        self.frame = principal_frame(p)
        (self.I1, self.I2, self.I3), start = (p[i] for i in self.frame.order), self.frame.turn(p[3:])
        self.twice = mpmath.fsum(i * w**2 for i, w in zip(p[:3], p[3:], strict=True))
        self.square = mpmath.fsum((i * w) ** 2 for i, w in zip(p[:3], p[3:], strict=True))
        low, high = self.square - self.twice * self.I1, self.twice * self.I3 - self.square
        slow, fast = (self.I2 - self.I1) * high, (self.I3 - self.I2) * low
        self.about3 = self.square > self.twice * self.I2
        self.m = slow / fast if self.about3 else fast / slow
        self.rate = mpmath.sqrt(max(slow, fast) / (self.I1 * self.I2 * self.I3))
        self.most1 = mpmath.sqrt(high / (self.I1 * (self.I3 - self.I1)))
        self.most3 = mpmath.sqrt(low / (self.I3 * (self.I3 - self.I1)))
        self.most2 = mpmath.sqrt(high / (self.I3 - self.I2) if self.about3 else low / (self.I2 - self.I1))
        self.most2 /= mpmath.sqrt(self.I2)
        whole = start[0] / self.most1 if self.about3 else start[2] / self.most3
        self.begin = mpmath.ellipf(mpmath.atan2(start[1] / self.most2, whole), self.m)

    @property
    def names(self) -> tuple[str, str, str]:
        """The functions of the axes from the smallest moment of inertia to the largest."""
        return ("cn", "sn", "dn") if self.about3 else ("dn", "sn", "cn")

    def about(self, axis: int, time: Any) -> Any:
        """Return the angular velocity about an axis, by its moment of inertia."""
        most = (self.most1, self.most2, self.most3)[axis - 1]
        return most * mpmath.ellipfun(self.names[axis - 1], self.rate * time + self.begin, m=self.m)

    def turning(self, axis: int, time: Any) -> Any:
        """Return the angular velocity about an axis as the parameters count them."""
        return self.frame.turn_back(tuple(self.about(k, time) for k in (1, 2, 3)))[axis - 1]

    def flip(self, number: int) -> Any:
        """Return the instant at which w2 falls through zero: sn does at 2 K, cn at K, in the sense of its axis.

        Raises CertificationError if it never does.
        """
        place, quarter = self.frame.order.index(1), mpmath.ellipk(self.m)
        if self.names[place] == "dn":
            raise CertificationError("the body runs about axis 2: it never flips")
        first = (2 if self.names[place] == "sn" else 1) + (0 if self.frame.sides[place] > 0 else 2)
        whole = mpmath.floor((self.begin / quarter - first) / 4) + number
        return ((4 * whole + first) * quarter - self.begin) / self.rate

    def precession(self, time: Any) -> Any:
        """Return the rate at which the body turns about its angular momentum."""
        spin = self.I3 * self.about(3, time) ** 2
        return mpmath.sqrt(self.square) * (self.twice - spin) / (self.square - self.I3 * spin)

    def tilt(self, time: Any) -> tuple[Any, Any]:
        """Return Euler's angles between axis 3 and the angular momentum, and about axis 3, without whole turns."""
        first, second = self.I1 * self.about(1, time), self.I2 * self.about(2, time)
        return mpmath.acos(self.I3 * self.about(3, time) / mpmath.sqrt(self.square)), mpmath.atan2(first, second)


def turned(top: Top, end: int) -> Any:
    """Return the angle about axis 3 at the end, whole turns counted: it moves by less than half a turn a sample."""
    angles = [top.tilt(mpmath.mpf(end) * k / (4 * SHARES))[1] for k in range(4 * SHARES + 1)]
    turns = sum(int(mpmath.nint((a - b) / (2 * mpmath.pi))) for a, b in pairwise(angles))
    return angles[-1] + 2 * mpmath.pi * turns


def quaternion(precession: Any, tilt: Any, spin: Any) -> Numbers:
    """Return the quaternion of Euler's angles."""
    c, s = mpmath.cos(tilt / 2), mpmath.sin(tilt / 2)
    plus, minus = (precession + spin) / 2, (precession - spin) / 2
    return c * mpmath.cos(plus), s * mpmath.cos(minus), s * mpmath.sin(minus), c * mpmath.sin(plus)


def product(p: Numbers, q: Numbers) -> Numbers:
    """Return the product of two quaternions."""
    (a, b, c, d), (e, f, g, h) = p, q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


@per_precision
def attitude(numbers: Numbers, end: int) -> Numbers:
    """Return the attitude at the end, by Euler's angles against the angular momentum, which stays."""
    top = Top(numbers)
    precession = mpmath.quad(top.precession, mpmath.linspace(0, end, SHARES + 1), method="gauss-legendre")
    tilt, spin = top.tilt(mpmath.mpf(0))
    a, b, c, d = quaternion(mpmath.mpf(0), tilt, spin)
    there = quaternion(precession, top.tilt(mpmath.mpf(end))[0], turned(top, end))
    whole, *vector = product((a, -b, -c, -d), there)
    return whole, *top.frame.turn_back(tuple(vector))
