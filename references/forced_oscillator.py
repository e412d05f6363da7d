"""Damped oscillator under a sine force, at resonance and beside it, from rest or let go.

m (x'' + 2 ξ w0 x' + w0² x) = F sin(Ω t). With the roots s1, s2 of s² + 2 ξ w0 s + w0² the response to F e^{iΩt} from
rest is F/m times the divided difference of z → e^{zt} over iΩ, s1, s2, whatever the damping; where nodes coincide
(critical damping, undamped resonance) it is the confluent one. The response to the sine is the imaginary part.

Let go at x0, the oscillator adds x0 (h' + 2 ξ w0 h), where h, its response to a unit impulse, is the divided difference
over s1, s2 alone.

Source: EDF validation manual V2.01.031 (SDLD31), Code_Aster test SDLD321; Duhamel's integral, any textbook.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mpc, mpf

from veridyn.references import taylor
from veridyn.references.certified import (
    CertificationError,
    Certified,
    Route,
    certify,
    certify_all,
    exact_zero,
    per_precision,
    undefined,
)
from veridyn.references.parameters import Exact, Number, Parameter, checked, resolve

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("omega0", "rad/s", "natural frequency", "18.8495559215"),
    Parameter("xi", "1", "damping ratio", "1e-3", "non-negative"),
    Parameter("F", "N", "amplitude of the force", "1", "non-negative"),
    Parameter("omega", "rad/s", "frequency of the force", "20.73451151365"),
    Parameter("T", "s", "time span", "1"),
    Parameter("x0", "m", "displacement at which the oscillator is let go", "0", "any"),
)

_TIME = Parameter("time", "s", "instant", "0", "non-negative")
RADIANS_PER_STEP = 4  # of the faster oscillation, in the Taylor series
CELL = 0.25  # radians; length of the first cells in which the peak is sought
SEARCH_DIGITS = 20
MOST_HALVINGS = 30


@dataclass(frozen=True)
class Oscillator:
    """The parameters."""

    m: Exact
    omega0: Exact
    xi: Exact
    F: Exact
    omega: Exact
    T: Exact
    x0: Exact

    @property
    def critical(self) -> bool:
        """Whether s1 and s2 coincide."""
        return self.xi.rational == 1 and not self.xi.pi

    @property
    def roots(self) -> tuple[mpc, mpc]:
        """Return s1 and s2."""
        w, xi = self.omega0.mpf(), self.xi.mpf()
        root = w * mpmath.sqrt(mpmath.mpc(xi**2 - 1))
        return -xi * w + root, -xi * w - root

    @property
    def nodes(self) -> tuple[tuple[mpc, ...], bool]:
        """Return iΩ, s1, s2, those that coincide last, and whether two do."""
        drive, (s1, s2) = mpmath.mpc(0, self.omega.mpf()), self.roots
        if self.critical:
            return (drive, s1, s1), True
        if not self.xi.rational and self.omega == self.omega0:
            return (s2, drive, drive), True
        return (drive, s1, s2), False

    @property
    def fastest(self) -> mpf:
        """Return the faster of the two frequencies (rad/s), that of a strong damper included."""
        return max(self.omega0.mpf() * max(1, 2 * self.xi.mpf()), self.omega.mpf())


def _oscillator(**given: Number) -> Oscillator:
    return Oscillator(**resolve(PARAMETERS, given))


def _motion(o: Oscillator, t: mpf, order: int) -> mpf:
    """Return a derivative of the displacement: what the force does, and what is left of the start."""
    free = _impulse_response(o, t, order + 1) + 2 * o.xi.mpf() * o.omega0.mpf() * _impulse_response(o, t, order)
    return _divided(o, t, order) + o.x0.mpf() * free


def _impulse_response(o: Oscillator, t: mpf, order: int) -> mpf:
    """Return a derivative of the response to a unit impulse: the divided difference of z^order e^{zt} over s1, s2."""
    s1, s2 = o.roots
    if o.critical:
        return mpmath.re((_slope_of_power(s1, order) + t * s1**order) * mpmath.exp(s1 * t))
    return mpmath.re((s1**order * mpmath.exp(s1 * t) - s2**order * mpmath.exp(s2 * t)) / (s1 - s2))


def _slope_of_power(z: mpc, order: int) -> mpc:
    return order * z ** (order - 1) if order else 0


def _divided(o: Oscillator, t: mpf, order: int) -> mpf:
    """Return a derivative of the response to the force: F/m Im of the divided difference of z^order e^{zt}."""

    def f(z: mpc) -> mpc:
        return z**order * mpmath.exp(z * t)

    (a, b, c), coincide = o.nodes
    if coincide:
        slope = _slope_of_power(b, order) * mpmath.exp(b * t) + t * f(b)
        difference = (f(a) - f(b) - (a - b) * slope) / (a - b) ** 2
    else:
        difference = sum(f(x) / ((x - y) * (x - z)) for x, y, z in ((a, b, c), (b, c, a), (c, a, b)))
    return o.F.mpf() / o.m.mpf() * mpmath.im(difference)


def _equations(o: Oscillator) -> tuple[list[list[tuple[int, mpf]]], tuple[mpf, ...]]:
    """Rows and start of (x, v, sin Ωt, cos Ωt)."""
    w, W = o.omega0.mpf(), o.omega.mpf()
    one = mpmath.mpf(1)
    rows = [[(1, one)], [(0, -(w**2)), (1, -2 * o.xi.mpf() * w), (2, o.F.mpf() / o.m.mpf())], [(3, W)], [(2, -W)]]
    return rows, (o.x0.mpf(), mpmath.mpf(0), mpmath.mpf(0), one)


@per_precision
def _followed(o: Oscillator, time: Exact) -> taylor.State:
    rows, start = _equations(o)
    return taylor.advance(rows, start, time.mpf(), RADIANS_PER_STEP / o.fastest)


def _at(name: str, order: int, o: Oscillator, time: Number, digits: int) -> Certified:
    instant = checked(_TIME, time)
    if not instant.rational and (order or not o.x0.rational):
        return exact_zero("at rest at t = 0", digits)
    return certify(
        Route("divided difference of the exponential", lambda: _motion(o, instant.mpf(), order)),
        Route("Taylor series of the motion", lambda: _followed(o, instant)[order]),
        digits=digits,
        kind="closed form",
        name=f"{name}@{time}",
    )


def displacement(
    *, time: Number, m: Number, omega0: Number, xi: Number, F: Number, omega: Number, x0: Number = 0, digits: int = 30
) -> Certified:
    """Displacement at an instant, in m.

    Parameters
    ----------
    time
        Instant, in s.
    m, omega0, xi, F, omega, x0
        Mass (kg), natural frequency (rad/s), damping ratio, amplitude (N) and frequency (rad/s) of the force,
        displacement at the start (m).
    digits
        Digits wanted.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    """
    return _at("displacement", 0, _oscillator(m=m, omega0=omega0, xi=xi, F=F, omega=omega, x0=x0), time, digits)


def velocity(
    *, time: Number, m: Number, omega0: Number, xi: Number, F: Number, omega: Number, x0: Number = 0, digits: int = 30
) -> Certified:
    """Velocity at an instant, in m/s; parameters and errors as `displacement`."""
    return _at("velocity", 1, _oscillator(m=m, omega0=omega0, xi=xi, F=F, omega=omega, x0=x0), time, digits)


def peak(
    *, m: Number, omega0: Number, xi: Number, F: Number, omega: Number, T: Number, x0: Number = 0, digits: int = 30
) -> tuple[Certified, Certified]:
    """Largest magnitude of the displacement up to T (m) and its instant (s); undefined without force.

    The instant is found by branch and bound: a cell of length h whose ends are at |x| cannot hold more than
    |x| + h²/8 max|x''|. What is left is one cell in which the velocity has one root.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    CertificationError
        If two peaks are too close to tell which is the larger, or the larger lies at T or at the start.
    """
    o = _oscillator(m=m, omega0=omega0, xi=xi, F=F, omega=omega, T=T, x0=x0)
    if not o.F.rational:
        none = undefined("without force no displacement exceeds that of the start")
        return none, none
    found = certify_all(
        Route("branch and bound, root of the velocity", lambda: _bounded_peak(o)),
        Route("Taylor series of the motion, all turning points located", lambda: _followed_peak(o)),
        digits=digits,
        kind="quasi-analytical",
        name="peak",
    )
    return found[0], found[1]


@per_precision
def _bounded_peak(o: Oscillator) -> tuple[mpf, mpf]:
    low, high = _cell(o)
    t = _root_of_velocity(o, mpmath.mpf(low), mpmath.mpf(high))
    return abs(_motion(o, t, 0)), t


@lru_cache(maxsize=64)
def _cell(o: Oscillator) -> tuple[mpf, mpf]:
    """Return an interval that holds the peak and in which the acceleration keeps its sign."""
    with mpmath.workdps(SEARCH_DIGITS):
        count = int(mpmath.ceil(o.T.mpf() * o.fastest / CELL))
        width = o.T.mpf() / count
        cells = [k * width for k in range(count)]
        for _ in range(MOST_HALVINGS):
            cells = list(_halves(o, cells, width))
            width /= 2
            low, high = cells[0], cells[-1] + width
            if high - low < CELL / o.fastest and _turns_once(o, low, high):
                return low, high
    raise CertificationError(
        "peak: two peaks are too close to tell which is the larger, or it lies at T or at the start"
    )


def _turns_once(o: Oscillator, low: mpf, high: mpf) -> bool:
    """Whether the velocity changes its sign and its slope cannot: |x'''| is below three times w max|x''|."""
    slack = (high - low) / 2 * 3 * o.fastest * _largest_acceleration(o)
    turns = _motion(o, low, 1) * _motion(o, high, 1) < 0
    return bool(turns and abs(_motion(o, (low + high) / 2, 2)) > slack)


def _halves(o: Oscillator, cells: list[mpf], width: mpf) -> Iterator[mpf]:
    """Yield the halves of the cells that may hold the peak."""
    half = width / 2
    starts = [start for cell in cells for start in (cell, cell + half)]
    values = {t: abs(_motion(o, t, 0)) for start in starts for t in (start, start + half)}
    best, slack = max(values.values()), half**2 / 8 * _largest_acceleration(o)
    yield from (start for start in starts if max(values[start], values[start + half]) + slack >= best)


def _largest_acceleration(o: Oscillator) -> mpf:
    """Bound |x''|: the force does at most F |v| of work, so that |v| and w |x| are at most w |x0| + F T/m."""
    w, xi, push = o.omega0.mpf(), o.xi.mpf(), o.F.mpf() / o.m.mpf()
    return push + (1 + 2 * xi) * w * (w * abs(o.x0.mpf()) + push * o.T.mpf())


def _root_of_velocity(o: Oscillator, low: mpf, high: mpf) -> mpf:
    """Find the root of the velocity in an interval where it is monotone (Newton)."""
    t = (low + high) / 2
    for _ in range(mpmath.mp.prec.bit_length() + 4):
        t = t - _motion(o, t, 1) / _motion(o, t, 2)
    if not low <= t <= high:
        raise CertificationError("peak: no convergence")
    return t


@per_precision
def _followed_peak(o: Oscillator) -> tuple[mpf, mpf]:
    return max(_turning_points(o))


def _turning_points(o: Oscillator) -> Iterator[tuple[mpf, mpf]]:
    """Yield magnitude and instant of every turning point, one at most per radian."""
    rows, state = _equations(o)
    end = o.T.mpf()
    steps = int(mpmath.ceil(end * o.fastest))
    step = end / steps
    for k in range(steps):
        solution = taylor.series(rows, state, step)
        after = solution.end()
        if state[1] * after[1] < 0:
            t = taylor.crossing(solution, 1)
            yield abs(solution.of(0, t)), k * step + t
        state = after


@dataclass(frozen=True)
class Motion:
    """The motion at any instant, for figures and histories, to about `digits` digits."""

    oscillator: Oscillator
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement in m."""
        with mpmath.workdps(self.digits + 15):
            return _motion(self.oscillator, checked(_TIME, t).mpf(), 0)


def motion(
    *, m: Number, omega0: Number, xi: Number, F: Number, omega: Number, x0: Number = 0, digits: int = 20
) -> Motion:
    """Motion for figures; parameters and errors as `displacement`."""
    return Motion(_oscillator(m=m, omega0=omega0, xi=xi, F=F, omega=omega, x0=x0), digits)
