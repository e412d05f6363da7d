"""Half cycles of a mass that friction brings to rest: how many, from where to where, by two routes.

Source: EDF validation manual V5.01.100 (SDND100); J.P. Den Hartog, Transactions ASME 53 (1931) 107-115.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Exact, Number, ParameterError, exact

MOST_HALF_CYCLES = 300
GUARD = 15


@dataclass(frozen=True)
class Slider:
    """The parameters, and the constants of the motion at the current precision."""

    m: Exact
    k: Exact
    mu: Exact
    g: Exact
    x0: Exact
    angle: Exact
    directions: Exact

    @property
    def omega(self) -> mpf:
        """ω in rad/s."""
        return mpmath.sqrt((self.k / self.m).mpf())

    @property
    def half_period(self) -> mpf:
        """π/ω in s."""
        return mpmath.pi / self.omega

    @property
    def cosine(self) -> mpf:
        """Part of a displacement along the line that lies along x."""
        return mpmath.cos(self.angle.mpf())

    @property
    def friction(self) -> mpf:
        """Friction force R along the line in N."""
        full = (self.mu * self.m * self.g).mpf()
        return full if self.isotropic else full * self.cosine

    @property
    def held(self) -> mpf:
        """C = R/k in m: friction holds the mass between -C and C."""
        return self.friction / self.k.mpf()

    @property
    def isotropic(self) -> bool:
        """Whether friction acts along the line with all its force."""
        return self.directions == Exact(Fraction(2)) or self.angle.rational == 0


def count(slider: Slider) -> int:
    """Return the number of half cycles: how many odd numbers lie below |x0|/C; raises CertificationError near one."""
    for dps in (50, 500):
        with mpmath.workdps(dps):
            ratio = abs(slider.x0.mpf()) / slider.held
            nearest = mpmath.nint((ratio - 1) / 2)
            distance = (ratio - 1) / 2 - nearest
            if abs(distance) > mpmath.mpf(10) ** (10 - dps):
                return _allowed(max(0, int(mpmath.ceil((ratio - 1) / 2))))
    if not slider.isotropic:
        raise CertificationError("half_cycles: a turning point is too close to ±R/k to tell whether it holds")
    return _allowed(max(0, int(nearest)))  # exactly on the border, where friction holds


def _allowed(count: int) -> int:
    if count > MOST_HALF_CYCLES:
        raise ParameterError(f"{count} half cycles, at most {MOST_HALF_CYCLES} are followed: raise mu or lower x0")
    return count


def turning(slider: Slider, n: int) -> mpf:
    """Return x_n by the closed form."""
    x0 = slider.x0.mpf()
    return (-1) ** n * mpmath.sign(x0) * (abs(x0) - 2 * n * slider.held)


def is_slack(slider: Slider, n: int) -> bool:
    """Tell whether x_n is the place where the spring is slack, exactly zero."""
    with mpmath.workdps(50):
        return bool(abs(turning(slider, n)) <= mpmath.mpf(10) ** -40 * abs(slider.x0.mpf()))


def state_at(slider: Slider, time: mpf) -> tuple[mpf, mpf]:
    """Return displacement and velocity at a time, from the half cosine that it falls in."""
    n = int(mpmath.floor(time / slider.half_period))
    if n >= count(slider):
        return turning(slider, count(slider)), mpmath.mpf(0)
    start, phase = turning(slider, n), slider.omega * (time - n * slider.half_period)
    centre = mpmath.sign(start) * slider.held
    amplitude = start - centre
    return centre + amplitude * mpmath.cos(phase), -amplitude * slider.omega * mpmath.sin(phase)


Turn = tuple[mpf, mpf]  # instant (s) and place (m)


@per_precision
def followed(slider: Slider, until: Exact | None = None) -> tuple[tuple[Turn, ...], taylor.State]:
    """Follow the motion by Taylor series to its end, or to an instant: turning points, last state (1, x, v, path)."""
    stop = mpmath.inf if until is None else until.mpf()
    t, turns = mpmath.mpf(0), [(mpmath.mpf(0), slider.x0.mpf())]
    state: taylor.State = (mpmath.mpf(1), slider.x0.mpf(), mpmath.mpf(0), mpmath.mpf(0))
    step = 1 / slider.omega  # a radian: the mass turns in the fourth step
    for _ in range(count(slider)):
        rows = _rows(slider, -mpmath.sign(state[1]))
        while True:
            solution = taylor.series(rows, state, min(step, stop - t))
            end = solution.end()
            if end[2] * turns[-1][1] > 0:  # it moves away from the centre again
                break
            t, state = t + solution.step, end
            if t >= stop:
                return tuple(turns), state
        lapse = taylor.crossing(solution, 2)
        one, x, _, path = solution.at(lapse)
        t, state = t + lapse, (one, x, mpmath.mpf(0), path)
        turns.append((t, x))
    return tuple(turns), state


def _rows(slider: Slider, sign: mpf) -> taylor.Rows:
    """Equations of a half cycle towards `sign`; the path grows with the speed."""
    friction = -sign * (slider.friction / slider.m.mpf())
    one = mpmath.mpf(1)
    return ((), ((2, one),), ((0, friction), (1, -(slider.k / slider.m).mpf())), ((2, sign),))


def instant_of(time: Number) -> Exact:
    """Read an instant (s); raises `ParameterError` if it is negative."""
    instant = exact(time, "time")
    if instant.rational < 0:
        raise ParameterError(f"time must be non-negative, got {time}")
    return instant


@dataclass(frozen=True)
class Motion:
    """The motion at any instant, to `digits` digits of its amplitude."""

    slider: Slider
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement along the line in m."""
        return self._evaluate(t)[0]

    def velocity(self, t: Number) -> mpf:
        """Velocity along the line in m/s."""
        return self._evaluate(t)[1]

    def held(self) -> mpf:
        """Half-width R/k in m of the places where friction holds the mass."""
        with mpmath.workdps(self.digits):
            return self.slider.held

    def turns(self) -> tuple[Turn, ...]:
        """Instants (s) and places (m) of all turning points, from the release to the last stop."""
        with mpmath.workdps(self.digits):
            turns = range(count(self.slider) + 1)
            return tuple((n * self.slider.half_period, turning(self.slider, n)) for n in turns)

    def _evaluate(self, t: Number) -> tuple[mpf, mpf]:
        instant = instant_of(t)
        with mpmath.workdps(self.digits + GUARD):
            x, v = state_at(self.slider, instant.mpf())
        with mpmath.workdps(self.digits):
            return +x, +v
