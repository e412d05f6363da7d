"""Mass on a spring, launched against a stop with spring and dashpot: each contact takes the same share of the speed.

A mass m on a spring k moves at v0 towards a stop that touches it at rest (gap 0). The stop pushes with kc x + cc x' as
long as that is positive: it never pulls, so that it lets go while it is still compressed (x = xr > 0) and the mass
leaves it on the spring k alone. In contact x'' + 2 β x' + ω² x = 0 with β = cc/(2m), ω² = (k + kc)/m; with
ωd² = ω² - β² and the velocity v of the touch

    x = v/ωd exp(-βt) sin ωd t,    the force vanishes at tr = (π - atan2(cc ωd, kc - cc β))/ωd,
    from (xr, vr) half a sine of ω0 = sqrt(k/m) leads back to the stop at e v = sqrt(vr² + ω0² xr²).

All is proportional to v, so that e is a coefficient of restitution, the same for every contact, and every cycle lasts
as long as the first. Displacements are positive into the stop.

Source: derived here; the law of the stop is that of DIS_CHOC in Code_Aster (R5.06.03).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import Certified, Route, certify, exact_zero, per_precision
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
    Parameter("kc", "N/m", "stiffness of the stop", "2.4e5"),
    Parameter("cc", "N s/m", "damping of the stop; light enough to swing in contact", "1000"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)

GUARD = 15
X, V, FORCE, RATE = range(4)  # states of the second route in contact


@dataclass(frozen=True)
class Cycle:
    """A contact with the flight that follows, for a touch at 1 m/s: instants (s) from the touch, and what is there.

    ``released``: the force vanishes, at displacement ``x`` (m) and velocity ``v`` (m/s); ``opened``: the mass leaves
    the place of the stop; ``lasts``: it is back. ``peak``: largest force (N); ``e``: speed of the return (m/s).
    """

    released: mpf
    x: mpf
    v: mpf
    opened: mpf
    lasts: mpf
    peak: mpf
    e: mpf


@dataclass(frozen=True)
class Oscillator:
    """The parameters, and the constants of the motion at the current precision."""

    m: Exact
    k: Exact
    kc: Exact
    cc: Exact
    v0: Exact

    @property
    def omega_flight(self) -> mpf:
        """ω0 in rad/s."""
        return mpmath.sqrt((self.k / self.m).mpf())

    @property
    def beta(self) -> mpf:
        """β in 1/s."""
        return self.cc.mpf() / (2 * self.m.mpf())

    @property
    def omega_damped(self) -> mpf:
        """ωd in rad/s."""
        return mpmath.sqrt((self.k.mpf() + self.kc.mpf()) / self.m.mpf() - self.beta**2)

    @property
    def sine_of_force(self) -> mpf:
        """What multiplies v exp(-βt) sin ωd t in the force (N s/m); the cosine has cc."""
        return (self.kc.mpf() - self.cc.mpf() * self.beta) / self.omega_damped

    def in_contact(self, t: mpf) -> tuple[mpf, mpf, mpf]:
        """Displacement (m), velocity (m/s) and force (N), t (s) after a touch at 1 m/s."""
        wd, decay = self.omega_damped, mpmath.exp(-self.beta * t)
        c, s = mpmath.cos(wd * t), mpmath.sin(wd * t)
        force = decay * (self.sine_of_force * s + self.cc.mpf() * c)
        return decay * s / wd, decay * (c - self.beta / wd * s), force


def _oscillator(**given: Number) -> Oscillator:
    values = resolve(PARAMETERS, given)
    m, k, kc, cc = (values[name].mpf() for name in ("m", "k", "kc", "cc"))
    if cc**2 >= 4 * m * (k + kc):
        raise ParameterError(f"cc must be below 2 sqrt((k + kc) m), got {given['cc']}: the mass would creep in contact")
    return Oscillator(**values)


@per_precision
def _cycle(o: Oscillator) -> Cycle:
    """Return the cycle in closed form."""
    wd, w0 = o.omega_damped, o.omega_flight
    angle = mpmath.atan2(o.cc.mpf(), o.sine_of_force)  # of the force at the touch
    released = (mpmath.pi - angle) / wd
    x, v, _ = o.in_contact(released)
    top = (mpmath.atan2(wd, o.beta) - angle) / wd
    opened = released + mpmath.atan2(w0 * x, -v) / w0
    return Cycle(
        released=released,
        x=x,
        v=v,
        opened=opened,
        lasts=opened + mpmath.pi / w0,
        peak=o.in_contact(max(top, mpmath.mpf(0)))[2],
        e=mpmath.sqrt(v**2 + (w0 * x) ** 2),
    )


@per_precision
def _followed(o: Oscillator) -> Cycle:
    """Return the cycle that Taylor series find, the force and its rate being states."""
    m, k, kc, cc = (p.mpf() for p in (o.m, o.k, o.kc, o.cc))
    one, zero, radian = mpmath.mpf(1), mpmath.mpf(0), 1 / mpmath.sqrt((k + kc) / m)
    flight = (((V, one),), ((X, -k / m),))
    contact = (
        ((V, one),),
        ((X, -k / m), (FORCE, -1 / m)),
        ((RATE, one),),
        ((X, -kc * k / m), (FORCE, -kc / m), (V, -cc * k / m), (RATE, -cc / m)),
    )
    touch = (zero, one, cc, kc - cc**2 / m)
    released, state = _until(contact, touch, radian, FORCE)
    peak = _until(contact, touch, radian, RATE)[1][FORCE] if touch[RATE] > 0 else cc
    opens, opened = _until(flight, state[:2], radian, X)
    back, end = _until(flight, (zero, opened[V]), 1 / mpmath.sqrt(k / m), X)
    return Cycle(
        released=released,
        x=state[X],
        v=state[V],
        opened=released + opens,
        lasts=released + opens + back,
        peak=peak,
        e=end[V],
    )


def _until(rows: taylor.Rows, state: taylor.State, step: mpf, watched: int) -> tuple[mpf, taylor.State]:
    """Follow the motion until a state leaves the sign that it has, at the start or just after it."""
    passed = mpmath.mpf(0)
    solution = taylor.series(rows, state, step)
    sign = mpmath.sign(state[watched]) or mpmath.sign(solution.end()[watched])
    while solution.end()[watched] * sign > 0:
        passed, solution = passed + step, taylor.series(rows, solution.end(), step)
    lapse = taylor.crossing(solution, watched)
    return passed + lapse, solution.at(lapse)


def _certified(name: str, digits: int, formula: str, value: Callable[[Cycle], mpf], o: Oscillator) -> Certified:
    routes = (
        Route(formula, lambda: value(_cycle(o))),
        Route("Taylor series of the motion, with located events", lambda: value(_followed(o))),
    )
    return certify(*routes, digits=digits, kind="closed form", name=name)


def touch(*, contact: int = 1, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30) -> Certified:
    """Instant at which a contact begins.

    Parameters
    ----------
    contact
        Which contact, counted from 1; the first begins at t = 0.
    m, k, kc, cc, v0
        Mass (kg), stiffnesses of spring and stop (N/m), damping of the stop (N s/m), launch velocity (m/s).
    digits
        Digits wanted.

    Returns
    -------
    Certified
        The instant, in s.

    Raises
    ------
    ParameterError
        If a parameter is not positive, cc is not below 2 sqrt((k + kc) m), or `contact` is not a positive integer.
    """
    o, n = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0), check_count(contact, "contact")
    if n == 1:
        return exact_zero("launched at the stop", digits)
    formula = "(contact - 1) cycles: contact, opening, half a period of flight"
    return _certified("touch", digits, formula, lambda cycle: (n - 1) * cycle.lasts, o)


def opening(
    *, contact: int = 1, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30
) -> Certified:
    """Instant at which the mass leaves the place of the stop (x = 0), in s; parameters and errors as `touch`."""
    o, n = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0), check_count(contact, "contact")
    formula = "cycles before, tr + atan2(ω0 xr, -vr)/ω0"
    return _certified("opening", digits, formula, lambda cycle: (n - 1) * cycle.lasts + cycle.opened, o)


def force_duration(*, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30) -> Certified:
    """Time that the stop pushes in each contact, in s; parameters and errors as `touch`."""
    o = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0)
    formula = "(π - atan2(cc ωd, kc - cc β))/ωd"
    return _certified("force_duration", digits, formula, lambda cycle: cycle.released, o)


def restitution(*, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30) -> Certified:
    """Velocity of a touch over that of the touch before; parameters and errors as `touch`."""
    o = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0)
    return _certified("restitution", digits, "sqrt(vr² + ω0² xr²)/v", lambda cycle: cycle.e, o)


def rebound(
    *, contact: int = 1, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30
) -> Certified:
    """Largest distance from the stop after a contact, v0 e^contact/ω0, in m; parameters and errors as `touch`."""
    o, n = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0), check_count(contact, "contact")
    return _certified("rebound", digits, "v0 e^contact/ω0", lambda cycle: o.v0.mpf() * cycle.e**n / o.omega_flight, o)


def peak_force(
    *, contact: int = 1, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30
) -> Certified:
    """Largest force of a contact, in N; parameters and errors as `touch`."""
    o, n = _oscillator(m=m, k=k, kc=kc, cc=cc, v0=v0), check_count(contact, "contact")
    formula = "v0 e^(contact - 1) times the force where its rate vanishes, or at the touch if it never grows"
    return _certified("peak_force", digits, formula, lambda cycle: o.v0.mpf() * cycle.e ** (n - 1) * cycle.peak, o)


@dataclass(frozen=True)
class Motion:
    """The motion at any instant, to `digits` digits of its amplitude."""

    oscillator: Oscillator
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement in m, positive into the stop."""
        return self._evaluate(t)[0]

    def stop_force(self, t: Number) -> mpf:
        """Force of the stop on the mass in N, as a magnitude; zero where the stop is not touched or lets go."""
        return self._evaluate(t)[1]

    def _evaluate(self, t: Number) -> tuple[mpf, mpf]:
        time = exact(t, "t")
        if time.rational < 0:
            raise ParameterError(f"t must be non-negative, got {t}")
        with mpmath.workdps(self.digits + GUARD):
            x, force = _state(self.oscillator, time.mpf())
        with mpmath.workdps(self.digits):
            return +x, +force


def _state(o: Oscillator, time: mpf) -> tuple[mpf, mpf]:
    """Displacement and force of the stop."""
    cycle = _cycle(o)
    before = mpmath.floor(time / cycle.lasts)
    local, speed = time - before * cycle.lasts, o.v0.mpf() * cycle.e**before
    if local < cycle.released:
        x, _, force = o.in_contact(local)
        return speed * x, speed * force
    w0, tau = o.omega_flight, local - cycle.released
    return speed * (cycle.x * mpmath.cos(w0 * tau) + cycle.v / w0 * mpmath.sin(w0 * tau)), mpmath.mpf(0)


def motion(**given: Any) -> Motion:
    """Motion through any number of contacts, for figures; parameters as `touch`, and ``digits`` (30).

    Raises
    ------
    ParameterError
        As `touch`; by the methods, for a negative time.
    """
    digits = check_digits(given.pop("digits", 30))
    return Motion(_oscillator(**given), digits)
