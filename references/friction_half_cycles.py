"""Second route of the friction decay: turning points one after the other by the balance of energy.

From a turning point x to the next, y, on the other side, the spring loses k (x² - y²)/2 = R |x - y|; on the way
v² = ω² (x - z)(z - y) at z, so that the time is an integral of 1/|v|; between them a matrix exponential leads.
"""

from __future__ import annotations

from itertools import pairwise

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact, Record

NOISE = 1e9  # roundings: turning points as near as that to where friction holds, or the spring is slack, are there


def cosine(o: Record) -> mpf:
    """Return the part of a displacement along the line that lies along x."""
    return mpmath.cos(o.angle.mpf())


def friction(o: Record) -> mpf:
    """Return the force of friction along the line (N)."""
    full = (o.mu * o.m * o.g).mpf()
    return full if o.directions.rational == 2 else full * cosine(o)


@per_precision
def turns(o: Record) -> tuple[mpf, ...]:
    """Return the places of the release and of all turning points (m)."""
    R, k = friction(o), o.k.mpf()
    noise = NOISE * mpmath.eps * abs(o.x0.mpf())
    places = [o.x0.mpf()]
    while abs(places[-1]) > R / k + noise:
        y = 2 * mpmath.sign(places[-1]) * R / k - places[-1]  # the balance of energy over x - y
        places.append(y if abs(y) > noise else mpmath.mpf(0))
    return tuple(places)


@per_precision
def half_cycle(o: Record) -> mpf:
    """Return how long every half cycle lasts (s): twice the time to its middle, where z = x - (x - y)/2.

    With z = x - (x - y) w² the time is that of dz/|v| = 2 dw/(ω √(1 - w²)).
    """
    middle = mpmath.sqrt(mpmath.mpf(1) / 2)
    return 4 * mpmath.quad(lambda w: 1 / mpmath.sqrt(1 - w * w), [0, middle]) / mpmath.sqrt((o.k / o.m).mpf())


def displacement(o: Record, time: Exact) -> mpf:
    """Return the place on the line at an instant (s)."""
    left, places = time.mpf(), turns(o)
    for x, y in pairwise(places):
        if left < half_cycle(o):
            swing = mpmath.expm(mpmath.matrix([[0, left], [-left * (o.k / o.m).mpf(), 0]]))
            return (x + y) / 2 + (x - y) / 2 * swing[0, 0]
        left -= half_cycle(o)
    return places[-1]
