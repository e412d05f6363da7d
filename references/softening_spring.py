"""Mass on a softening spring whose support moves such that the mass follows a chosen sine (a manufactured solution).

The spring pulls with k0 x (1 - |x|/x0). With ω² = k0/m the support accelerates by

    γ(t) = -(x'' + ω² x (1 - |x|/x0)) taken at x = a0 sin(w0 t),

so that the relative displacement is a0 sin(w0 t) for all times. A dead zone d changes the softening term alone, from
k0 x |x|/x0 to k0 x (|x| - d)/x0 for |x| > d and nothing below, while the support moves as before: the motion is then
known only as the solution of an equation that is analytic between the passages through ±d and the zeros of sin(w0 t).

Source: Code_Aster test sdnd103a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import CertificationError, Certified, Route, certify, exact_zero, per_precision
from veridyn.references.parameters import Exact, Number, Parameter, ParameterError, checked, exact, resolve

PARAMETERS = (
    Parameter("m", "kg", "mass", "450"),
    Parameter("k0", "N/m", "stiffness of the spring at small elongation", "1e5"),
    Parameter("x0", "m", "elongation at which the spring has softened to nothing", "0.1"),
    Parameter("a0", "m", "amplitude of the chosen motion, below x0/2", "0.01"),
    Parameter("w0", "rad/s", "circular frequency of the chosen motion", "pi/4"),
    Parameter("d", "m", "dead zone of the softening term, below a0", "0", "non-negative"),
)
TIME = Parameter("time", "s", "instant", "0", "non-negative")

EXTRAPOLATED = 25  # digits that the second route promises
MOST = 60  # columns of its extrapolation

State = tuple[mpf, mpf]


class Constants(NamedTuple):
    """The parameters at some precision, with ω² = k0/m in rad²/s²."""

    w2: mpf
    x0: mpf
    a0: mpf
    w0: mpf
    d: mpf


class Piece(Protocol):
    """The motion from some instant on, over one step, as long as neither spring nor support changes its formula."""

    def at(self, time: mpf) -> State:
        """Displacement and velocity after a time."""

    def crossing(self, displacement: mpf) -> mpf:
        """Time after which the displacement is reached."""


@dataclass(frozen=True)
class Oscillator:
    """The parameters, and what follows from them at the current precision."""

    m: Exact
    k0: Exact
    x0: Exact
    a0: Exact
    w0: Exact
    d: Exact

    @property
    def constants(self) -> Constants:
        """Numbers at the current precision."""
        return _constants(self)

    @property
    def longest(self) -> mpf:
        """Longest step (s): a radian of the faster of spring and support."""
        return 1 / max(mpmath.sqrt(self.constants.w2), 2 * self.constants.w0)

    def branch(self, x: mpf, v: mpf) -> int:
        """Return the sign of x where the spring softens, 0 in the dead zone; on its edge where the mass goes."""
        d = self.constants.d
        if x > d or (x == d and v > 0):
            return 1
        return -1 if x < -d or (x == -d and v < 0) else 0

    def passed(self, branch: int, x: mpf) -> mpf | None:
        """Return the edge of the dead zone through which x has left a branch, None if it has not."""
        d = self.constants.d
        if branch == 0:
            return None if -d <= x <= d else mpmath.sign(x) * d
        return branch * d if branch * x < d else None

    def load(self, sign: int, t: mpf) -> mpf:
        """Return -γ (m/s²) where sin(w0 t) has a sign."""
        c = self.constants
        s = mpmath.sin(c.w0 * t)
        return c.a0 * s * (c.w2 - c.w0**2 - sign * c.w2 * c.a0 / c.x0 * s)

    def acceleration(self, sign: int, branch: int, t: mpf, x: mpf) -> mpf:
        """Return x'' (m/s²)."""
        c = self.constants
        softening = x * (branch * x - c.d) / c.x0 if branch else 0
        return self.load(sign, t) + c.w2 * (softening - x)


@per_precision
def _constants(o: Oscillator) -> Constants:
    return Constants((o.k0 / o.m).mpf(), o.x0.mpf(), o.a0.mpf(), o.w0.mpf(), o.d.mpf())


def oscillator(**given: Number) -> Oscillator:
    """Read the parameters.

    Raises
    ------
    ParameterError
        If a parameter is unknown or not positive, 2 a0 is not below x0, or d not below a0.
    """
    o = Oscillator(**resolve(PARAMETERS, given))
    if 2 * o.a0.mpf() >= o.x0.mpf():
        raise ParameterError(f"a0 must be below x0/2, where the spring still resists, got {o.a0}")
    if o.d.mpf() >= o.a0.mpf():
        raise ParameterError(f"d must be below the amplitude a0, got {o.d}")
    return o


@dataclass(frozen=True)
class _Expansion:
    """Taylor series of the motion over one step."""

    series: taylor.Series

    def at(self, time: mpf) -> State:
        x, v = self.series.at(time)
        return x, v

    def crossing(self, displacement: mpf) -> mpf:
        return taylor.crossing(self.series, 0, displacement)


def _expanded(o: Oscillator, sign: int, branch: int, t: mpf, state: State, step: mpf) -> Piece:
    """Expand the motion; term n of all series is multiplied by step^n."""
    x, load = [state[0], state[1] * step], _load_terms(o, sign, t, step)
    w2, x0, _, _, d = o.constants
    quiet = 0
    while quiet < 3:  # single terms vanish by symmetry; three in a row do not
        n = len(x) - 2
        square = mpmath.fdot(x[: n + 1], x[n::-1])
        softening = (branch * square - d * x[n]) / x0 if branch else 0
        term = step**2 * (next(load) + w2 * (softening - x[n])) / ((n + 1) * (n + 2))
        x.append(term)
        quiet = quiet + 1 if abs(term) <= mpmath.eps * max(abs(x[0]), abs(x[1])) else 0
        if n > 8 * mpmath.mp.prec:
            raise CertificationError("the series of the motion does not converge")
    v = [n * term / step for n, term in enumerate(x)][1:]
    return _Expansion(taylor.Series(step, tuple(zip(x[:-1], v, strict=True))))


def _load_terms(o: Oscillator, sign: int, t: mpf, step: mpf) -> Iterator[mpf]:
    """Yield the terms of -γ: of a sine, and of its square as (1 - cos(2 w0 t))/2."""
    w2, x0, a, w0, _ = o.constants
    s, c = mpmath.sin(w0 * t), mpmath.cos(w0 * t)
    waves, doubled = (s, c, -s, -c), (c * c - s * s, -2 * s * c, s * s - c * c, 2 * s * c)
    linear, quadratic = a * (w2 - w0**2), -sign * w2 * a**2 / x0 / 2
    constant, n, factor, double = quadratic, 0, mpmath.mpf(1), mpmath.mpf(1)
    while True:
        yield constant + linear * factor * waves[n % 4] - quadratic * double * doubled[n % 4]
        n += 1
        constant, factor, double = 0, factor * w0 * step / n, double * 2 * w0 * step / n


@dataclass(frozen=True)
class _Extrapolation:
    """The motion by leapfrog with ever more substeps, extrapolated to none (Gragg, Bulirsch and Stoer)."""

    o: Oscillator
    sign: int
    branch: int
    t: mpf
    state: State

    def _leapfrog(self, time: mpf, count: int) -> State:
        h, (x, v) = time / count, self.state
        rate = self.o.acceleration(self.sign, self.branch, self.t, x)
        for i in range(1, count + 1):
            v += h / 2 * rate
            x += h * v
            rate = self.o.acceleration(self.sign, self.branch, self.t + i * h, x)
            v += h / 2 * rate
        return x, v

    def at(self, time: mpf) -> State:
        before = [self._leapfrog(time, 1)]
        for count in range(2, MOST):
            row = [self._leapfrog(time, count)]
            for k, old in enumerate(before, start=1):
                weight = mpmath.mpf(count * count) / ((count - k) ** 2) - 1
                row.append(tuple(new + (new - less) / weight for new, less in zip(row[-1], old, strict=True)))
            change = max(abs(a - b) / (abs(a) + abs(b) + 1e-30) for a, b in zip(row[-1], row[-2], strict=True))
            if change < mpmath.mpf(10) ** -(EXTRAPOLATED + 10):
                return row[-1]
            before = row
        raise CertificationError("the extrapolation of the motion does not converge")

    def crossing(self, displacement: mpf) -> mpf:
        time = (displacement - self.state[0]) / self.state[1]
        for _ in range(MOST):
            x, v = self.at(time)
            time, last = time - (x - displacement) / v, time
            if abs(time - last) <= mpmath.mpf(10) ** -(EXTRAPOLATED + 10):
                return time
        raise CertificationError("the passage through the edge of the dead zone was not found")


def _extrapolated(o: Oscillator, sign: int, branch: int, t: mpf, state: State, step: mpf) -> Piece:  # noqa: ARG001
    return _Extrapolation(o, sign, branch, t, state)


Stepper = Callable[[Oscillator, int, int, mpf, State, mpf], Piece]
STEPPERS: dict[str, Stepper] = {"series": _expanded, "extrapolation": _extrapolated}


def _followed(o: Oscillator, method: str, sign: int, start: mpf, end: mpf, state: State) -> State:
    """Follow the motion while the support keeps its formula, from one passage through ±d to the next."""
    t, (x, v) = start, state
    while t < end:
        step, branch = min(o.longest, end - t), o.branch(x, v)
        piece = STEPPERS[method](o, sign, branch, t, (x, v), step)
        after = piece.at(step)
        edge = o.passed(branch, after[0])
        if edge is None:
            t, (x, v) = t + step, after
        else:
            passage = piece.crossing(edge)
            t, x, v = t + passage, edge, piece.at(passage)[1]
    return x, v


@per_precision
def _state(o: Oscillator, method: str, half_periods: int, time: Exact | None) -> State:
    """Return x and x' at an instant of the half-period after so many, or at its start."""
    half = mpmath.pi / o.constants.w0
    if time is not None:
        before, start = _state(o, method, half_periods, None), half_periods * half
        return _followed(o, method, (-1) ** half_periods, start, time.mpf(), before)
    if half_periods == 0:
        return mpmath.mpf(0), o.constants.a0 * o.constants.w0
    before, end = _state(o, method, half_periods - 1, None), half_periods * half
    return _followed(o, method, -((-1) ** half_periods), end - half, end, before)


def _at(o: Oscillator, method: str, time: Exact) -> tuple[mpf, mpf, mpf]:
    """Return displacement, velocity and acceleration at an instant, by one of the methods."""
    half_periods = int(mpmath.floor(time.mpf() * o.constants.w0 / mpmath.pi))
    x, v = _state(o, method, half_periods, time)
    return x, v, o.acceleration((-1) ** half_periods, o.branch(x, v), time.mpf(), x)


def _chosen(o: Oscillator, time: Exact) -> tuple[mpf, mpf, mpf]:
    """Return displacement, velocity and acceleration of the chosen motion."""
    a, w, t = o.constants.a0, o.constants.w0, time.mpf()
    return a * mpmath.sin(w * t), a * w * mpmath.cos(w * t), -a * w * w * mpmath.sin(w * t)


def _quarters(o: Oscillator, time: Exact) -> Fraction | None:
    """Return w0 t in quarters of a turn, None if it is no rational multiple of them."""
    angle = o.w0 * time
    return 2 * angle.rational if angle.pi == 1 or angle.rational == 0 else None


def _certified(o: Oscillator, place: int, time: Number, digits: int, name: str) -> Certified:
    t = checked(TIME, exact(time, "time"))

    def by(method: str) -> Callable[[], mpf]:
        return lambda: _at(o, method, t)[place]

    def capped() -> mpf:
        with mpmath.workdps(min(mpmath.mp.dps, EXTRAPOLATED + 15) + 15):
            return _at(o, "extrapolation", t)[place]

    series = Route("Taylor series of the motion, from one passage through the edges to the next", by("series"))
    if o.d.rational == 0:
        quarters = _quarters(o, t)
        if quarters is not None and quarters.denominator == 1 and (quarters % 2 == 0) == (place != 1):
            return exact_zero("the chosen sine or cosine is zero", digits)
        closed = Route("the chosen motion", lambda: _chosen(o, t)[place])
        return certify(closed, series, digits=digits, kind="closed form", name=name)
    other = Route("extrapolated leapfrog, from one passage to the next", capped, EXTRAPOLATED)
    return certify(series, other, digits=digits, kind="quasi-analytical", name=name)


def displacement(
    *, m: Number, k0: Number, x0: Number, a0: Number, w0: Number, d: Number, time: Number, digits: int = 30
) -> Certified:
    """Return the displacement relative to the support (m) at an instant (s).

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, 2 a0 >= x0 or d >= a0.
    """
    o = oscillator(m=m, k0=k0, x0=x0, a0=a0, w0=w0, d=d)
    return _certified(o, 0, time, digits, "displacement")


def velocity(
    *, m: Number, k0: Number, x0: Number, a0: Number, w0: Number, d: Number, time: Number, digits: int = 30
) -> Certified:
    """Return the velocity relative to the support (m/s) at an instant (s); raises as `displacement`."""
    o = oscillator(m=m, k0=k0, x0=x0, a0=a0, w0=w0, d=d)
    return _certified(o, 1, time, digits, "velocity")


def acceleration(
    *, m: Number, k0: Number, x0: Number, a0: Number, w0: Number, d: Number, time: Number, digits: int = 30
) -> Certified:
    """Return the acceleration relative to the support (m/s²) at an instant (s); raises as `displacement`."""
    o = oscillator(m=m, k0=k0, x0=x0, a0=a0, w0=w0, d=d)
    return _certified(o, 2, time, digits, "acceleration")


def frequency(*, m: Number, k0: Number, digits: int = 30) -> Certified:
    """Return the natural frequency (Hz) at small elongation, sqrt(k0/m)/2π; raises as `displacement`."""
    o = oscillator(m=m, k0=k0)

    def returning() -> mpf:
        rows = (((1, mpmath.mpf(1)),), ((0, -o.constants.w2),))
        step = 4 / mpmath.sqrt(o.constants.w2)  # four radians: one return inside
        return 1 / (2 * taylor.crossing(taylor.series(rows, (mpmath.mpf(0), mpmath.mpf(1)), step), 0))

    return certify(
        Route("sqrt(k0/m)/2π", lambda: mpmath.sqrt(o.constants.w2) / (2 * mpmath.pi)),
        Route("Taylor series of the free motion, with its root", returning),
        digits=digits,
        kind="closed form",
        name="frequency",
    )


def half_period(*, m: Number, k0: Number, x0: Number, reach: Number, digits: int = 30) -> Certified:
    """Return the time (s) between two zeros of the free vibration that reaches a displacement (m).

    With A = reach and x = A s, s = sin φ, energy gives half of it as the integral over a quarter of a turn of
    sqrt((1 + s)/(1 + s - 2 A (1 + s + s²)/(3 x0)))/ω.

    Raises
    ------
    ParameterError
        If a parameter is not positive, or reach not below x0, where the spring ends.
    """
    given = resolve(PARAMETERS, {"m": m, "k0": k0, "x0": x0})
    far = checked(Parameter("reach", "m", "largest displacement", "1"), reach)
    if far.mpf() >= given["x0"].mpf():
        raise ParameterError(f"reach must be below x0, got {far}")
    free = Oscillator(given["m"], given["k0"], given["x0"], Exact(Fraction(0)), Exact(Fraction(1)), Exact(Fraction(0)))

    def integral() -> mpf:
        ratio = 2 * far.mpf() / (3 * free.constants.x0)

        def pace(angle: mpf) -> mpf:
            s = mpmath.sin(angle)
            return mpmath.sqrt((1 + s) / (1 + s - ratio * (1 + s + s * s)))

        return 2 * mpmath.quad(pace, [0, mpmath.pi / 2]) / mpmath.sqrt(free.constants.w2)

    def followed() -> mpf:
        w2, x0 = free.constants.w2, free.constants.x0
        t, state = mpmath.mpf(0), (mpmath.mpf(0), mpmath.sqrt(w2 * far.mpf() ** 2 * (1 - 2 * far.mpf() / (3 * x0))))
        while True:
            piece = _expanded(free, 1, 1, t, state, free.longest)
            after = piece.at(free.longest)
            if after[0] < 0:
                return t + piece.crossing(mpmath.mpf(0))
            t, state = t + free.longest, after

    return certify(
        Route("integral of 1/velocity from the energy", integral),
        Route("Taylor series of the motion, with its root", followed),
        digits=digits,
        kind="quasi-analytical",
        name="half_period",
    )
