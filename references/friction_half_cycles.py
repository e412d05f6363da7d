"""Second route of the friction decay: turning points one after the other by the balance of energy, time by quadrature.

From a turning point x to the next, y, on the other side, the spring loses k (x² - y²)/2 = R |x - y|; on the way
v² = ω² (x - z)(z - y) at z, so that the time is an integral of 1/|v|, half of it to the middle.
"""

from __future__ import annotations

from itertools import pairwise

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact, Record

COARSE = 40  # digits, at most, at which Newton's iteration begins
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


def _until(o: Record, w: mpf) -> mpf:
    """Return the time (s) from x to z = x - (x - y) w², w up to √½: dz/|v| = 2 dw/(ω √(1 - w²))."""
    return 2 * mpmath.quad(lambda u: 1 / mpmath.sqrt(1 - u * u), [0, w]) / mpmath.sqrt((o.k / o.m).mpf())


@per_precision
def half_cycle(o: Record) -> mpf:
    """Return how long every half cycle lasts (s): twice the time to its middle, wherever it begins."""
    return 2 * _until(o, mpmath.sqrt(mpmath.mpf(1) / 2))


def displacement(o: Record, time: Exact) -> mpf:
    """Return the place on the line at an instant (s)."""
    left, places = time.mpf(), turns(o)
    for x, y in pairwise(places):
        if left < half_cycle(o):
            return _within(o, x, y, left)
        left -= half_cycle(o)
    return places[-1]


def _within(o: Record, x: mpf, y: mpf, lapse: mpf) -> mpf:
    """Return the place after a while of a half cycle from x to y, whose second half mirrors the first."""
    if 2 * lapse > half_cycle(o):
        return _within(o, y, x, half_cycle(o) - lapse)
    w = _share(o, lapse)
    return x - (x - y) * w * w


def _share(o: Record, lapse: mpf) -> mpf:
    """Return w after a while, by Newton's iteration that begins with half the digits."""
    omega = mpmath.sqrt((o.k / o.m).mpf())
    if mpmath.mp.dps > COARSE:
        with mpmath.workdps(mpmath.mp.dps // 2 + 5):
            w = _share(o, lapse)
        return w - (_until(o, w) - lapse) * omega * mpmath.sqrt(1 - w * w) / 2
    w, step = omega * lapse / 2, mpmath.mpf(1)  # above the root, to which the iteration falls as the integrand grows
    while abs(step) > mpmath.eps ** mpmath.mpf("0.75"):  # the next one has all digits
        step = (_until(o, w) - lapse) * omega * mpmath.sqrt(1 - w * w) / 2
        w -= step
    return w
