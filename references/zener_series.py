"""A mass on a power-law Zener device by Taylor series of (x, v, F), from zero to zero of the force of its dashpot.

Between these zeros D^n is a power of a series and the motion is analytic; at a zero sign(D) |D|^n has a kink, in its
derivative of order n. The step follows from the last coefficients.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Exact
from veridyn.references.zener_device import Numbers, Oscillator, State, dashpot_force

LOOKS = 8  # instants of a step at which the sign of D is looked at


class Segment(NamedTuple):
    """Series on one step: coefficients over powers of the time since its start."""

    start: mpf
    x: tuple[mpf, ...]
    v: tuple[mpf, ...]
    force: tuple[mpf, ...]

    def at(self, lapse: mpf) -> State:
        """State a time after the start."""
        return State(*(_value(c, lapse) for c in (self.x, self.v, self.force)))


def _value(coefficients: Sequence[mpf], t: mpf) -> mpf:
    value = mpmath.mpf(0)
    for coefficient in reversed(coefficients):
        value = value * t + coefficient
    return value


def _load(n: Numbers, time: mpf, order: int) -> list[mpf]:
    """Coefficients of p sin(ω t) around an instant."""
    sine, cosine = mpmath.sin(n.omega * time), mpmath.cos(n.omega * time)
    turns = (sine, cosine, -sine, -cosine)
    return [n.p * turns[j % 4] * n.omega**j / mpmath.factorial(j) for j in range(order)]


def _expand(n: Numbers, power: int, sign: int, state: State, load: Sequence[mpf]) -> tuple[list[mpf], ...]:
    """Coefficients of x, v, F and D while D has a sign; as many as the load has, and one more."""
    x, v, force, d = [state.x], [state.v], [state.force], []
    powers: list[list[mpf]] = [[] for _ in range(power)]
    flow = (sign if power % 2 == 0 else 1) * n.relaxing / n.c**power  # sign(D) |D|^n is sign^(n+1) D^n
    for j, pushed in enumerate(load):
        d.append(dashpot_force(n, x[j], force[j]))
        powers[0].append(d[j])
        for lower, higher in pairwise(powers):
            higher.append(mpmath.fdot(zip(d, reversed(lower), strict=True)))
        x.append(v[j] / (j + 1))
        v.append(-(force[j] + n.k * x[j] + pushed) / n.m / (j + 1))
        force.append((n.instantaneous * v[j] - flow * powers[-1][j]) / (j + 1))
    return x, v, force, d


def _reach(columns: Sequence[Sequence[mpf]]) -> mpf:
    """Longest step at which the last two terms of all series vanish beside the first ones."""
    reach = mpmath.inf
    for column in columns:
        size = max(map(abs, column[:3]))
        for back in (1, 2):
            j = len(column) - back
            if column[j] and size:
                reach = min(reach, mpmath.root(mpmath.eps * size / abs(column[j]), j))
    return reach


def _first_sign(d: Sequence[mpf]) -> int:
    """Sign that D takes from the start: that of its first term, which sign(D) |D|^n does not reach."""
    return next((int(mpmath.sign(c)) for c in d if c), 1)


def _zero(d: Sequence[mpf], sign: int, step: mpf) -> mpf | None:
    """First zero of D within a step, where it leaves its sign."""
    before = mpmath.mpf(0)
    for look in range(1, LOOKS + 1):
        time = step * look / LOOKS
        if _value(d, time) * sign < 0:
            tolerance = 4 * mpmath.eps * step
            return mpmath.findroot(
                lambda t: _value(d, t), (before, time), solver="anderson", tol=tolerance, maxsteps=400, verify=False
            )
        before = time
    return None


@per_precision
def march(o: Oscillator, end: Exact) -> tuple[Segment, ...]:
    """Follow the motion from 0 to `end` (s); raises `CertificationError` if that takes too many steps."""
    n, order = o.numbers(), int(1.2 * mpmath.mp.dps) + 10
    time, stop, load_end = mpmath.mpf(0), end.mpf(), o.until.mpf() if o.loaded else mpmath.mpf(0)
    state = State(o.x0.mpf(), mpmath.mpf(0), n.instantaneous * o.x0.mpf())
    segments: list[Segment] = []
    sign = 0
    while time < stop:
        loaded = time < load_end
        load = _load(n, time, order) if loaded else [mpmath.mpf(0)] * order
        sign = sign or _first_sign(_expand(n, o.power, 1, state, load)[3])
        x, v, force, d = _expand(n, o.power, sign, state, load)
        limit = min(stop, load_end) if loaded else stop
        step = min(_reach((x, v, force)), limit - time)
        if step <= mpmath.sqrt(mpmath.eps) * stop and step < limit - time:
            raise CertificationError(f"the series of the Zener device come to a halt at t = {mpmath.nstr(time, 6)} s")
        zero = _zero(d, sign, step) if o.power > 1 else None
        segments.append(Segment(time, tuple(x), tuple(v), tuple(force)))
        lapse, sign = (step, sign) if zero is None else (zero, -sign)
        state = segments[-1].at(lapse)
        time = limit if lapse == limit - time else time + lapse
    return tuple(segments)


def state(o: Oscillator, time: mpf, end: Exact) -> State:
    """State at an instant of [0, end]."""
    segments = march(o, end)
    segment = segments[max(0, bisect_right(segments, time, key=lambda s: s.start) - 1)]
    return segment.at(time - segment.start)
