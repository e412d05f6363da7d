"""Damped oscillator under a sine force, at resonance and beside it, from rest or let go.

m (x'' + 2 ξ w0 x' + w0² x) = F sin(Ω t) is one linear system of x, x', sin Ωt and cos Ωt, whatever the damping.
The second route: with the roots s1, s2 of s² + 2 ξ w0 s + w0² the response to F e^{iΩt} from rest is F/m times the
divided difference of z → e^{zt} over iΩ, s1, s2; where nodes coincide (critical damping, undamped resonance) it is the
confluent one. The response to the sine is the imaginary part. Let go at x0, the oscillator adds x0 (h' + 2 ξ w0 h),
where h, its response to a unit impulse, is the divided difference over s1, s2 alone.

Source: EDF validation manual V2.01.031 (SDLD31), Code_Aster test SDLD321; Duhamel's integral, any textbook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mpmath
from flint import arb
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Absent, Exactly, Undecided, ball, less, per_bits
from veridyn.references.engine.events import roots
from veridyn.references.engine.flows import Course, LinearFlow
from veridyn.references.engine.jets import Ball, largest
from veridyn.references.engine.motion import Motion
from veridyn.references.engine.quantities import References, Terms
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import TIME
from veridyn.references.second_routes.roots import sign_changes

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("omega0", "rad/s", "natural frequency", "18.8495559215"),
    Parameter("xi", "1", "damping ratio", "1e-3", "non-negative"),
    Parameter("F", "N", "amplitude of the force", "1", "non-negative"),
    Parameter("omega", "rad/s", "frequency of the force", "20.73451151365"),
    Parameter("T", "s", "time span", "1"),
    Parameter("x0", "m", "displacement at which the oscillator is let go", "0", "any"),
)

X, RATE, SINE, COSINE = range(4)
MOST_RADIANS = 20_000  # of the faster oscillation up to T, in which the peak is sought: some seconds
PARTS = 8  # of a piece, told apart by bounds of |x| on them
CELL = 0.25  # radians, of the cells in which the second route seeks the peak
SEARCH_DIGITS = 20


class ForcedOscillator(ParameterSet):
    """The parameters, and roots at the current precision of mpmath."""

    @property
    def roots(self) -> tuple[mpc, mpc]:
        """Return s1 and s2; equal where the damping is critical."""
        w, xi = self.omega0.mpf(), self.xi.mpf()
        root = w * mpmath.sqrt(mpmath.mpc(xi**2 - 1))
        return -xi * w + root, -xi * w - root

    @property
    def nodes(self) -> tuple[mpc, mpc, mpc]:
        """Return iΩ, s1, s2, those that coincide last."""
        drive, (s1, s2) = mpmath.mpc(0, self.omega.mpf()), self.roots
        resonant = not self.xi.rational and self.omega == self.omega0
        return (s2, drive, drive) if resonant else (drive, s1, s2)

    @property
    def fastest(self) -> mpf:
        """Return the faster of the two frequencies (rad/s), that of a strong damper included."""
        return max(self.omega0.mpf() * max(1, 2 * self.xi.mpf()), self.omega.mpf())


@per_bits
def _course(o: ForcedOscillator) -> Course:
    """Return the motion of (x, x', sin Ωt, cos Ωt) from t = 0 on."""
    w, W, zero, one = ball(o.omega0), ball(o.omega), arb(0), arb(1)
    motion = {X: -(w**2), RATE: -2 * ball(o.xi) * w, SINE: ball(o.F / o.m)}
    return Course(LinearFlow(({RATE: one}, motion, {COSINE: W}, {SINE: -W})), (ball(o.x0), zero, zero, one))


@per_bits
def _peaks(o: ForcedOscillator) -> list[tuple[Ball, Ball]]:
    """Return magnitude and instant of all turning points up to T that may be the largest."""
    if (radians := float(o.fastest * o.T.mpf())) > MOST_RADIANS:
        raise ParameterError(f"T spans {radians:.3g} rad, a peak is sought in {MOST_RADIANS} at most: shorten T")
    if not o.F.rational:
        raise Absent("without force no displacement exceeds that of the start")
    course, end = _course(o), ball(o.T)
    times = [t for a, b in _high(o.plain) for t in _turning_points(o, a, end if b > end else b)]
    result = [(abs(course.at(t)[X]), t) for t in times]
    height = largest([arb(0), *(h for h, _ in result)])
    rivals = (abs(ball(o.x0)), abs(course.at(end)[X]))
    if not all(less(rival, height, "displacements at the peak and at an end of the span differ") for rival in rivals):
        raise Absent("the largest displacement lies at T or at the start, at no turning point between")
    return [(h, t) for h, t in result if not h < height]


def _turning_points(o: ForcedOscillator, a: Ball, b: Ball) -> Iterator[Ball]:
    """Yield the instants from a to b at which the velocity is zero."""
    course, zeros = _course(o), 0
    if a > 0:
        course = Course(course.flow, course.at(a))
    else:
        zeros = 1 if o.x0.rational else 2  # at the start the acceleration is -w0² x0, without which its rate is F Ω/m
    yield from (a + t for t in roots(course, {RATE: arb(1)}, b - a, zeros=zeros, name="a turning point"))


def _high(o: ForcedOscillator) -> list[tuple[Ball, Ball]]:
    """Return the stretches of time up to T beyond which |x| is surely less than somewhere up to T."""
    end, half = ball(o.T), arb(1) / (2 * PARTS)
    floor, parts = arb(0), []
    for begins, piece in _course(o).pieces():
        if begins > end:
            break
        x = piece.polynomial({X: arb(1)})
        slope = x.derivative()
        for k in range(PARTS):
            middle = arb(2 * k + 1) / (2 * PARTS)
            a, t, b = (begins + piece.length * s for s in (middle - half, middle, middle + half))
            height = abs(x(middle) + slope(arb(middle, half)) * arb(0, half))
            floor = floor.max(abs(x(middle)).lower()) if t < end else floor
            parts.append((a, b, height))
    return _joined([(a, b) for a, b, height in parts if not (height < floor or a > end)])


def _joined(parts: list[tuple[Ball, Ball]]) -> list[tuple[Ball, Ball]]:
    """Return stretches that do not touch."""
    result: list[tuple[Ball, Ball]] = []
    for a, b in parts:
        result.append((result.pop()[0] if result and result[-1][1] == a else a, b))
    return result


def _motion(o: ForcedOscillator, t: mpf, order: int) -> mpf:
    """Return a derivative of the displacement: what the force does, and what is left of the start."""
    forced = o.F.mpf() / o.m.mpf() * _divided(o.nodes, t, order).imag
    if not o.x0.rational:
        return forced
    free = _divided(o.roots, t, order + 1) + 2 * o.xi.mpf() * o.omega0.mpf() * _divided(o.roots, t, order)
    return forced + o.x0.mpf() * free.real


def _divided(nodes: Sequence[mpc], t: mpf, order: int) -> mpc:
    """Return the divided difference of z^order e^{zt} over nodes, of which two may coincide."""
    first, last = nodes[0], nodes[-1]
    if len(nodes) == 1:
        return first**order * mpmath.exp(first * t)
    if first == last:
        return (t * first**order + (order * first ** (order - 1) if order else 0)) * mpmath.exp(first * t)
    return (_divided(nodes[:-1], t, order) - _divided(nodes[1:], t, order)) / (first - last)


@per_precision
def _searched_peak(o: ForcedOscillator) -> tuple[mpf, mpf]:
    """Return the peak and its instant: the largest at the turning points of those cells that may hold it."""
    result: list[tuple[mpf, mpf]] = []
    for a, b in _cells(o):

        def slope(t: mpf) -> tuple[mpf, mpf]:
            return _motion(o, t, 1), _motion(o, t, 2)

        turns = sign_changes(slope, lambda t, h: _bounds(o, t, h)[1:], a, b, slope(a), "turning point")
        result += [(abs(_motion(o, t, 0)), t) for t in turns]
    return max(result)


def _cells(o: ForcedOscillator) -> Iterator[tuple[mpf, mpf]]:
    """Yield the cells that may hold the peak: one of length h holds at most its ends and max|x''| h²/8."""
    with mpmath.workdps(SEARCH_DIGITS):
        count = int(mpmath.ceil(o.T.mpf() * o.fastest / CELL))
        width = o.T.mpf() / count
        values = [abs(_motion(o, k * width, 0)) for k in range(count + 1)]
        floor = max(values) * (1 - mpmath.mpf(10) ** (5 - SEARCH_DIGITS))
        most = [max(values[k : k + 2]) + width**2 / 8 * _bounds(o, k * width, width)[0] for k in range(count)]
    yield from ((k * width, (k + 1) * width) for k in range(count) if most[k] >= floor)


def _bounds(o: ForcedOscillator, t: mpf, h: mpf) -> tuple[mpf, mpf, mpf]:
    """Bound the second to fourth derivative of x on [t, t + h]; the force adds at most F h/m to |x'| and w |x|."""
    w, W, xi, push = o.omega0.mpf(), o.omega.mpf(), o.xi.mpf(), o.F.mpf() / o.m.mpf()
    speed = mpmath.hypot(_motion(o, t, 1), w * _motion(o, t, 0)) + push * h
    second = push + (1 + 2 * xi) * w * speed
    third = push * W + 2 * xi * w * second + w**2 * speed
    return second, third, push * W**2 + 2 * xi * w * third + w**2 * second


reference = References(
    PARAMETERS,
    ForcedOscillator,
    kind="closed form",
    proof="linear motion enclosed",
    how="divided difference of the exponential",
)
OF_PEAK: Terms = {
    "kind": "quasi-analytical",
    "proof": "linear motion enclosed, all turning points that may be the largest proved",
    "how": "divided differences, branch and bound",
}


@reference(lambda o, time: _motion(o, time.mpf(), 0), takes=(TIME,))
def displacement(o: ForcedOscillator, time: Exact) -> Ball:
    """Displacement at an instant, in m."""
    if not time.rational and not o.x0.rational:
        raise Exactly(0, "at rest at t = 0")
    return _course(o).at(ball(time))[X]


@reference(lambda o, time: _motion(o, time.mpf(), 1), takes=(TIME,))
def velocity(o: ForcedOscillator, time: Exact) -> Ball:
    """Velocity at an instant, in m/s."""
    if not time.rational:
        raise Exactly(0, "at rest at t = 0")
    return _course(o).at(ball(time))[RATE]


@reference(lambda o: _searched_peak(o)[0], **OF_PEAK)
def peak(o: ForcedOscillator) -> Ball:
    """Largest magnitude of the displacement up to T (m), at a turning point after the start.

    Undefined without force, and where the displacement at T or at the start is larger. It raises `ParameterError` if
    there are too many radians up to T.
    """
    return largest(height for height, _ in _peaks(o))


@reference(lambda o: _searched_peak(o)[1], **OF_PEAK)
def peak_time(o: ForcedOscillator) -> Ball:
    """Instant of the peak (s); undefined too where two are equally high."""
    if len(peaks := _peaks(o)) > 1:
        raise Undecided("two peaks are equally high, or nearly")
    return peaks[0][1]


@reference.function(digits=20)
def motion(o: ForcedOscillator, digits: int) -> Motion:
    """Return the motion for figures and comparison of histories: displacement, velocity."""
    readings = {"displacement": lambda t: _course(o).at(t)[X], "velocity": lambda t: _course(o).at(t)[RATE]}
    return Motion(readings, lambda: (), digits)
