"""Mass on a spring, launched against an elastic stop: contact and flight alternate for ever.

A mass m on a spring k moves at v0 towards a stop of stiffness kc that touches it at rest (gap 0).
In contact the two springs act together: half a sine of ωc = √((k+kc)/m). In flight the spring acts
alone: half a sine of ω0 = √(k/m). Displacements are positive into the stop.

Source: EDF validation manual V5.01.101 (SDND101).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import Certified, Route, certify, per_precision
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_count,
    check_digits,
    exact,
    resolve,
)

PARAMETERS = (
    Parameter("m", "kg", "mass", "100"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e6"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)

GUARD = 15


@dataclass(frozen=True)
class Oscillator:
    """The parameters, and the constants of the motion at the current precision."""

    m: Exact
    k: Exact
    kc: Exact
    v0: Exact

    @property
    def omega_contact(self) -> mpf:
        """ωc in rad/s."""
        return mpmath.sqrt((self.k.mpf() + self.kc.mpf()) / self.m.mpf())

    @property
    def omega_flight(self) -> mpf:
        """ω0 in rad/s."""
        return mpmath.sqrt((self.k / self.m).mpf())

    @property
    def contact(self) -> mpf:
        """Duration of a contact in s."""
        return mpmath.pi / self.omega_contact

    @property
    def flight(self) -> mpf:
        """Duration of a flight in s."""
        return mpmath.pi / self.omega_flight


def _oscillator(**given: Number) -> Oscillator:
    return Oscillator(**resolve(PARAMETERS, given))


@dataclass(frozen=True)
class _HalfCycle:
    """What Taylor series find between two passages through the contact point."""

    duration: mpf  # s, until the mass is back
    turning: mpf  # s, until it stops
    peak: mpf  # m, displacement there
    velocity: mpf  # m/s, on return
    integral: mpf  # m s, of the displacement


def _half_cycle(stiffness: mpf, m: mpf, v: mpf) -> _HalfCycle:
    """Follow m x'' = -stiffness x from x = 0 with velocity v, until x = 0 again."""
    rows = (((1, mpmath.mpf(1)),), ((0, -stiffness / m),), ((0, mpmath.mpf(1)),))
    step = mpmath.sqrt(m / stiffness)  # one radian: the mass turns in the second step, is back in the fourth
    x, velocity = 0, 1
    start, state, marks = mpmath.mpf(0), (mpmath.mpf(0), v, mpmath.mpf(0)), {}
    for watched in (velocity, x):
        while True:
            solution = taylor.series(rows, state, step)
            end = solution.end()
            if end[watched] * v < 0:
                break
            start, state = start + step, end
        time = taylor.crossing(solution, watched)
        marks[watched] = (start + time, solution.at(time))
    turning, at_turning = marks[velocity]
    back, at_back = marks[x]
    return _HalfCycle(back, turning, at_turning[x], at_back[velocity], at_back[2])


@per_precision
def _followed_contact(o: Oscillator) -> _HalfCycle:
    return _half_cycle(o.k.mpf() + o.kc.mpf(), o.m.mpf(), o.v0.mpf())


@per_precision
def _followed_flight(o: Oscillator) -> _HalfCycle:
    """Follow the flight after the first contact, with the velocity that it left."""
    return _half_cycle(o.k.mpf(), o.m.mpf(), _followed_contact(o).velocity)


def _certified(
    name: str, digits: int, formula: str, value: Callable[[], mpf], followed: Callable[[], mpf], *more: Route
) -> Certified:
    routes = (
        Route(formula, value),
        Route("Taylor series of the motion, with located events", followed),
        *more,
    )
    return certify(*routes, digits=digits, kind="closed form", name=name)


def _start(o: Oscillator, shock: int) -> mpf:
    return (shock - 1) * (o.contact + o.flight)


def _followed_start(o: Oscillator, shock: int) -> mpf:
    return (shock - 1) * (_followed_contact(o).duration + _followed_flight(o).duration)


def contact_start(*, shock: int = 1, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Instant at which a shock begins.

    Parameters
    ----------
    shock
        Which shock, counted from 1; the first begins at t = 0.
    m, k, kc, v0
        Mass (kg), stiffnesses of spring and stop (N/m), launch velocity (m/s).
    digits
        Digits wanted.

    Returns
    -------
    Certified
        (shock - 1) (π/ωc + π/ω0), in s. Source: EDF V5.01.101.

    Raises
    ------
    ParameterError
        If a parameter is not positive or `shock` is not a positive integer.
    """
    o, shock = _oscillator(m=m, k=k, kc=kc, v0=v0), check_count(shock, "shock")
    return _certified(
        "contact_start",
        digits,
        "(shock - 1) (π/ωc + π/ω0)",
        lambda: _start(o, shock),
        lambda: _followed_start(o, shock),
    )


def contact_end(*, shock: int = 1, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Instant at which a shock ends, in s; parameters and errors as `contact_start`."""
    o, shock = _oscillator(m=m, k=k, kc=kc, v0=v0), check_count(shock, "shock")
    return _certified(
        "contact_end",
        digits,
        "(shock - 1) (π/ωc + π/ω0) + π/ωc",
        lambda: _start(o, shock) + o.contact,
        lambda: _followed_start(o, shock) + _followed_contact(o).duration,
    )


def peak_time(*, shock: int = 1, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Instant of the greatest force of a shock, in s; parameters and errors as `contact_start`."""
    o, shock = _oscillator(m=m, k=k, kc=kc, v0=v0), check_count(shock, "shock")
    return _certified(
        "peak_time",
        digits,
        "(shock - 1) (π/ωc + π/ω0) + π/(2 ωc)",
        lambda: _start(o, shock) + o.contact / 2,
        lambda: _followed_start(o, shock) + _followed_contact(o).turning,
    )


def peak_force(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Greatest force of the stop, kc v0/ωc, in N; the same for every shock.

    Parameters and errors as `contact_start`. Source: EDF V5.01.101.
    """
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    balance = Route(
        "energy: ½ (k+kc) x² = ½ m v0² at the turning point",
        lambda: o.kc.mpf() * mpmath.sqrt(o.m.mpf() * o.v0.mpf() ** 2 / (o.k.mpf() + o.kc.mpf())),
    )
    return _certified(
        "peak_force",
        digits,
        "kc v0/ωc",
        lambda: o.kc.mpf() * o.v0.mpf() / o.omega_contact,
        lambda: o.kc.mpf() * _followed_contact(o).peak,
        balance,
    )


def contact_duration(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Duration of each shock, π/ωc, in s; parameters and errors as `contact_start`."""
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    return _certified("contact_duration", digits, "π/ωc", lambda: o.contact, lambda: _followed_contact(o).duration)


def flight_duration(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Duration of each flight, π/ω0, in s; parameters and errors as `contact_start`."""
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    return _certified("flight_duration", digits, "π/ω0", lambda: o.flight, lambda: _followed_flight(o).duration)


def impulse(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Impulse of the stop alone during a shock, 2 kc v0/ωc², in N s.

    The mass receives 2 m v0 in all; the spring gives its share 2 k v0/ωc², so that the stop gives
    slightly less than 2 m v0. Parameters and errors as `contact_start`. Source: EDF V5.01.101, whose
    printed value is the one of a solver and not this.
    """
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    momentum = Route(
        "momentum: 2 m v0 less the impulse of the spring",
        lambda: 2 * o.m.mpf() * o.v0.mpf() - o.k.mpf() * _followed_contact(o).integral,
    )
    return _certified(
        "impulse",
        digits,
        "2 kc v0/ωc²",
        lambda: 2 * o.kc.mpf() * o.v0.mpf() / o.omega_contact**2,
        lambda: o.kc.mpf() * _followed_contact(o).integral,
        momentum,
    )


def impact_velocity(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Velocity at each impact, -v0, in m/s: an approach counts as negative.

    Parameters and errors as `contact_start`. Source: EDF V5.01.101.
    """
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    return _certified("impact_velocity", digits, "-v0", lambda: -o.v0.mpf(), lambda: -_followed_flight(o).velocity)


def energy(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    """Total energy, ½ m v0², in J; nothing dissipates it. Parameters and errors as `contact_start`."""
    o = _oscillator(m=m, k=k, kc=kc, v0=v0)
    return _certified(
        "energy",
        digits,
        "½ m v0²",
        lambda: o.m.mpf() * o.v0.mpf() ** 2 / 2,
        lambda: (o.k.mpf() + o.kc.mpf()) * _followed_contact(o).peak ** 2 / 2,
    )


@dataclass(frozen=True)
class Motion:
    """The motion at any instant, to `digits` digits of its amplitude."""

    oscillator: Oscillator
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement in m, positive into the stop."""
        return self._evaluate(t)[0]

    def velocity(self, t: Number) -> mpf:
        """Velocity in m/s, positive towards the stop."""
        return self._evaluate(t)[1]

    def stop_force(self, t: Number) -> mpf:
        """Force of the stop on the mass in N, as a magnitude; zero in flight."""
        with mpmath.workdps(self.digits):
            return max(self._evaluate(t)[0], mpmath.mpf(0)) * self.oscillator.kc.mpf()

    def _evaluate(self, t: Number) -> tuple[mpf, mpf]:
        time = exact(t, "t")
        if time.rational < 0:
            raise ParameterError(f"t must be non-negative, got {t}")
        magnitude = max(0, len(str(int(time.rational))))
        with mpmath.workdps(self.digits + GUARD + magnitude):
            x, v = _phase(self.oscillator, time.mpf())
        with mpmath.workdps(self.digits):
            return +x, +v


def _phase(o: Oscillator, time: mpf) -> tuple[mpf, mpf]:
    """Displacement and velocity from the half sine that `time` falls in."""
    local = time % (o.contact + o.flight)
    sign, omega = (1, o.omega_contact) if local < o.contact else (-1, o.omega_flight)
    local -= 0 if sign > 0 else o.contact
    return (
        sign * o.v0.mpf() / omega * mpmath.sin(omega * local),
        sign * o.v0.mpf() * mpmath.cos(omega * local),
    )


def motion(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Motion:
    """Motion through any number of shocks, for figures and comparison of histories.

    Parameters and errors as `contact_start`; the methods raise `ParameterError` for a negative time.
    """
    return Motion(_oscillator(m=m, k=k, kc=kc, v0=v0), check_digits(digits))
