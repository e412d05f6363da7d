"""The squeezing mechanism at an angle of its crank: geometry, masses and forces of the seven bodies.

All functions take balls, pairs of a number with its derivative, and series alike. Angles in rad, lengths in m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flint import arb

from veridyn.references.engine.jets import Ball

Plane = tuple[Any, Any]  # along and across; cosine and sine


class Squeezer(NamedTuple):
    """What the quantities are read from: angles, velocities, accelerations (7 each), multipliers (6)."""

    angles: Sequence[Any]
    velocities: Sequence[Any]
    accelerations: Sequence[Any]
    multipliers: Sequence[Any]


# ---- geometry, of balls, pairs and series alike


class Bars(NamedTuple):
    """Two bars from one joint to another: a (cos p, sin p) + b (sin q, -cos q), with the sine and cosine of q - p."""

    a: Any
    b: Any
    sine: Any
    cosine: Any
    p: Plane
    q: Plane

    def turning(self, velocity: Plane) -> Plane:
        """Return the rates of p and q where the second joint moves against the first."""
        x, y = velocity
        (cp, sp), (cq, sq) = self.p, self.q
        return (y * cq - x * sq) / (self.a * self.cosine), (x * cp + y * sp) / (self.b * self.cosine)

    def pull(self, along: Any, across: Any) -> Plane:
        """Return the force whose moments are a (sin p, -cos p) and -b (cos q, sin q) times it."""
        first, second = -across / self.b, along / self.a
        (cp, sp), (cq, sq) = self.p, self.q
        return (cp * first + sq * second) / self.cosine, (sp * first - cq * second) / self.cosine

    def drawn(self, rates: Plane) -> Plane:
        """Return what the squares of rates of p and q add to the acceleration that the angles' own must give."""
        p, q = self.a * rates[0] * rates[0], self.b * rates[1] * rates[1]
        return p * self.p[0] + q * self.q[1], p * self.p[1] - q * self.q[0]


def _bars(x: Any, y: Any, a: Any, b: Any) -> Bars:
    square = x * x + y * y
    sine = (square - a * a - b * b) / (2 * a * b)
    cosine = (1 - sine * sine).sqrt()
    along, across = a + b * sine, b * cosine
    cp, sp = (x * along - y * across) / square, (y * along + x * across) / square
    return Bars(a, b, sine, cosine, (cp, sp), ((a * sp - y) / b, (x - a * cp) / b))


class Posture(NamedTuple):
    """Where everything is: the crank, and the loops of bars d and ss, zt and e, zf and u."""

    crank: Plane
    middle: Bars
    upper: Bars
    lower: Bars

    def turning(self, o: Any) -> tuple[Any, ...]:
        """Return the rates of all angles as the crank turns with 1 rad/s."""
        cosine, sine = self.crank
        middle = self.middle.turning((-o.rr * sine, o.rr * cosine))
        swing = o.ss * middle[1]
        joint = swing * self.middle.q[0], swing * self.middle.q[1]
        return _relative(1, middle, self.upper.turning(joint), self.lower.turning(joint))

    def bending(self, o: Any, v: Sequence[Any]) -> tuple[Any, ...]:
        """Return the accelerations of all angles as the crank turns with 1 rad/s, from the rates."""
        middle, upper, lower = (v[1] + 1, v[2]), (v[4], v[3] + v[4]), (v[5] + v[6], v[6])
        more = self.middle.drawn(middle)
        first = self.middle.turning((more[0] - o.rr * self.crank[0], more[1] - o.rr * self.crank[1]))
        (cosine, sine), swing, square = self.middle.q, o.ss * first[1], o.ss * middle[1] * middle[1]
        joint = swing * cosine - square * sine, swing * sine + square * cosine

        def of(bars: Bars, rates: Plane) -> Plane:
            drawn = bars.drawn(rates)
            return bars.turning((joint[0] + drawn[0], joint[1] + drawn[1]))

        return _relative(0, first, of(self.upper, upper), of(self.lower, lower))

    @property
    def relative(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Cosine and sine of Theta, Phi, Omega."""
        (cb, sb), (cp, sp) = self.crank, self.middle.p
        theta = cp * cb + sp * sb, sp * cb - cp * sb
        return *theta, self.upper.cosine, self.upper.sine, self.lower.cosine, -self.lower.sine


def _relative(crank: Any, middle: Plane, upper: Plane, lower: Plane) -> tuple[Any, ...]:
    """Return the angles that the problem counts, or their rates, from those against the frame."""
    return (
        *(crank, middle[0] - crank, middle[1]),
        *(upper[1] - upper[0], upper[0]),
        *(lower[0] - lower[1], lower[1]),
    )


def find_posture(o: Any, crank: Plane) -> Posture:
    """Return the posture with the crank at an angle, given by its cosine and sine."""
    middle = _bars(o.rr * crank[0] - o.xb, o.rr * crank[1] - o.yb, o.d, o.ss)
    x, y = o.xb + o.ss * middle.q[1] - o.xa, o.yb - o.ss * middle.q[0] - o.ya
    return Posture(crank, middle, _bars(x, y, o.zt, o.e), _bars(x, y, o.zf, o.u))


def _spring(o: Any, gamma: Plane) -> tuple[Any, Any, Any]:
    """Return the spring from its fixed end to body 3, and its length."""
    x = o.sd * gamma[0] + o.sc * gamma[1] + o.xb - o.xc
    y = o.sd * gamma[1] - o.sc * gamma[0] + o.yb - o.yc
    return x, y, (x * x + y * y).sqrt()


# ---- mechanics


def _mass(o: Any, posture: Posture) -> dict[tuple[int, int], Any]:
    """Return the entries of the mass matrix on and above its diagonal that are not zero."""
    ct, _, _, sphi, _, som = posture.relative
    e, f = o.e - o.ea, o.zf - o.fa
    two, four, six = o.m2 * o.da * o.da + o.I2, o.m4 * e * e + o.I4, o.m6 * f * f + o.I6
    turned, up, down = o.m2 * o.da * o.rr * ct, o.m4 * o.zt * e * sphi, o.m6 * o.u * f * som
    return {
        (0, 0): o.m1 * o.ra * o.ra + o.I1 + o.m2 * o.rr * o.rr + two - 2 * turned,
        (0, 1): two - turned,
        (1, 1): two,
        (2, 2): o.m3 * (o.sa * o.sa + o.sb * o.sb) + o.I3,
        (3, 3): four,
        (3, 4): four + up,
        (4, 4): four + 2 * up + o.m4 * o.zt * o.zt + o.m5 * (o.ta * o.ta + o.tb * o.tb) + o.I5,
        (5, 5): six,
        (5, 6): six - down,
        (6, 6): six - 2 * down + o.m6 * o.u * o.u + o.m7 * (o.ua * o.ua + o.ub * o.ub) + o.I7,
    }


def _times(mass: Mapping[tuple[int, int], Any], v: Sequence[Any]) -> list[Any]:
    """Return the product of the mass matrix and a vector."""
    result: list[Any] = [arb(0)] * len(v)
    for (i, j), entry in mass.items():
        result[i] = entry * v[j] + result[i]
        if i != j:
            result[j] = entry * v[i] + result[j]
    return result


def _forces(o: Any, posture: Posture, w: Sequence[Any]) -> list[Any]:
    """Return the forces on all angles where they turn with velocities w: torque, spring, centrifugal ones."""
    _, st, cphi, _, com, _ = posture.relative
    (cosine, sine), (x, y, length) = posture.middle.q, _spring(o, posture.middle.q)
    pull = -o.c0 * (length - o.l0) / length
    turned, up = o.m2 * o.da * o.rr * st, o.m4 * o.zt * (o.e - o.ea) * cphi
    down = o.m6 * o.u * (o.zf - o.fa) * com
    return [
        o.mom - turned * w[1] * (w[1] + 2 * w[0]),
        turned * w[0] * w[0],
        pull * (x * (o.sc * cosine - o.sd * sine) + y * (o.sd * cosine + o.sc * sine)),
        up * w[4] * w[4],
        -up * w[3] * (w[3] + 2 * w[4]),
        -down * w[6] * w[6],
        down * w[5] * (w[5] + 2 * w[6]),
    ]


def find_inertia_and_energy(o: Any, posture: Posture) -> tuple[Any, Any]:
    """Return J (kg m²) and U (J)."""
    v, (_, _, length) = posture.turning(o), _spring(o, posture.middle.q)
    terms = ((1 if i == j else 2) * entry * v[i] * v[j] for (i, j), entry in _mass(o, posture).items())
    drawn = length - o.l0
    return sum(terms, arb(0)), o.c0 / 2 * drawn * drawn


def find_state(o: Any, beta: Ball, speed: Ball) -> Squeezer:
    """Return the state in which the crank has an angle and a velocity."""
    posture = find_posture(o, (beta.cos(), beta.sin()))
    v, mass = posture.turning(o), _mass(o, posture)
    bent = [x * speed * speed for x in posture.bending(o, v)]
    w = [x * speed for x in v]
    left = [f - m for f, m in zip(_forces(o, posture, w), _times(mass, bent), strict=True)]
    inertia = sum((x * y for x, y in zip(v, _times(mass, v), strict=True)), arb(0))
    spin = sum((x * y for x, y in zip(v, left, strict=True)), arb(0)) / inertia
    accelerations = [x * spin + y for x, y in zip(v, bent, strict=True)]
    rest = [f - m * spin for f, m in zip(left, _times(mass, v), strict=True)]
    return Squeezer(_angles(posture, beta), w, accelerations, _multipliers(posture, rest))


def _angles(posture: Posture, beta: Ball) -> tuple[Any, ...]:
    """Return all angles: gamma, Phi + delta and epsilon are within a right angle, and so are those between bars."""
    loops = (posture.middle, posture.upper, posture.lower)
    second = [(bars.q[1] / bars.q[0]).atan() for bars in loops]
    middle, upper, lower = ((q - bars.sine.asin(), q) for q, bars in zip(second, loops, strict=True))
    return _relative(beta, middle, upper, lower)


def _multipliers(posture: Posture, rest: Sequence[Any]) -> tuple[Any, ...]:
    """Return what the loops transmit, from what of the forces no acceleration takes."""
    _, middle, upper, lower = posture
    up, down = upper.pull(rest[4] - rest[3], rest[3]), lower.pull(rest[5], rest[6] - rest[5])
    x, y = up[0] + down[0], up[1] + down[1]
    moment = middle.a * (middle.p[1] * x - middle.p[0] * y)
    return *middle.pull(rest[1] - moment, rest[2]), *up, *down
