"""A driven mass on a spring that strikes an elastic stop: every contact, in order, to any number of digits.

    m x'' + c x' + k x = (F - m a) sin(Ω t) - N,    N = kc max(0, y - gap),    c = 2 ξ sqrt(k m)

from rest at t = 0. F is a force on the mass, a the acceleration of the support; x is relative to the support. The
stop sees y = x + d for a wall that stands still (wall = 1), where d = -a/Ω² sin(Ω t) is the motion of the support, and
y = x for one that moves with the support (wall = 0).

Flights and contacts have a closed form; instants of contact are roots that are proved to be the next ones.

Conditioning: the force is continuous where stop and mass meet, so that a small deviation is carried by the linear
propagators of the phases alone. Their product says how many digits the contacts cost; so many are carried as guard.

Source: EDF validation manual V5.01.102 (SDND102), V5.01.121 (SDND121).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mpf

from veridyn.references.certified import GUARDS, Certified, Route, certify, certify_all, per_precision, undefined
from veridyn.references.impact_phases import Law, Phase, growth, sign_changes
from veridyn.references.impact_series import Followed, U, follow
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
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m", "stiffness of the spring", "1"),
    Parameter("xi", "-", "damping ratio, below 1", "0", "non-negative"),
    Parameter("kc", "N/m", "stiffness of the stop", "1"),
    Parameter("gap", "m", "gap at rest", "1"),
    Parameter("F", "N", "amplitude of the force on the mass", "0", "any"),
    Parameter("a", "m/s²", "amplitude of the acceleration of the support", "0", "any"),
    Parameter("Omega", "rad/s", "circular frequency of force and support", "1"),
    Parameter("wall", "-", "1: the stop stands still; 0: it moves with the support", "1", "non-negative"),
    Parameter("t_end", "s", "end of the observed span", "1"),
)

GUARD = 10  # digits beyond those that the contacts cost


def parameters(**defaults: str) -> tuple[Parameter, ...]:
    """Return the parameters that a case names, with its defaults; raises KeyError for an unknown one."""
    known = {p.name: p for p in PARAMETERS}
    return tuple(Parameter(n, known[n].unit, known[n].help, d, known[n].rule) for n, d in defaults.items())


@dataclass(frozen=True)
class Oscillator:
    """The parameters, and the laws of motion at the current precision."""

    m: Exact
    k: Exact
    xi: Exact
    kc: Exact
    gap: Exact
    F: Exact
    a: Exact
    Omega: Exact
    wall: Exact
    t_end: Exact

    @property
    def kappa(self) -> mpf:
        """Stiffness of the stop per mass (1/s²)."""
        return (self.kc / self.m).mpf()

    def law(self, touching: bool) -> Law:
        """Return the law of a flight or of a contact, where the stop adds -kc/m (y - gap)."""
        omega0, W = mpmath.sqrt((self.k / self.m).mpf()), self.Omega.mpf()
        A, S = (self.F / self.m).mpf() - self.a.mpf(), -self.wall.mpf() * self.a.mpf() / W**2
        kappa = self.kappa if touching else mpmath.mpf(0)
        omega = mpmath.sqrt(omega0**2 + kappa)
        return Law(self.xi.mpf() * omega0, omega, A - kappa * S, kappa * self.gap.mpf(), W, S)


def _oscillator(given: dict[str, Number]) -> Oscillator:
    values = resolve(PARAMETERS, given)
    if values["xi"].rational >= 1:
        raise ParameterError(f"xi must be below 1, got {given['xi']}")
    if values["wall"].rational not in (0, 1):
        raise ParameterError(f"wall must be 0 or 1, got {given['wall']}")
    return Oscillator(**values)


def _march(o: Oscillator, until: mpf) -> tuple[Phase, ...]:
    """Return the phases up to an instant, at the current precision."""
    gap = o.gap.mpf()
    phases = [Phase(o.law(False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))]
    while (end := _end(phases[-1], gap, until)) is not None:
        last = phases[-1]
        start, law = last.start + end, o.law(not last.touching)
        x0 = gap - law.S * mpmath.sin(law.Omega * start)  # on the stop, to the last digit
        phases.append(Phase(law, not last.touching, start, x0, last.state(end)[1]))
    return tuple(phases)


def _end(phase: Phase, gap: mpf, until: mpf) -> mpf | None:
    """Return how long a phase lasts (s); None if beyond the instant."""

    def distance(tau: mpf) -> tuple[mpf, mpf]:
        y, rate, *_ = phase.observed(tau)
        return y - gap, rate

    at_start = distance(mpmath.mpf(0))
    first = (at_start[0] if phase.start == 0 else mpmath.mpf(0), at_start[1])  # an event is exactly on the stop
    a, window, last = mpmath.mpf(0), 1 / phase.law.omega, until - phase.start
    while a < last:  # not phase.start + a < until: rounded, it may stay below for ever
        b = min(a + window, last)
        roots = sign_changes(distance, lambda t, h: phase.bounds(t, h)[:2], a, b, first, "contact instant")
        if (found := next(roots, None)) is not None:
            return found
        a, first = b, distance(b)
    return None


@per_precision
def _phases(o: Oscillator, until: Exact) -> tuple[Phase, ...]:
    """Return the phases to the current precision; what the contacts magnify asks for guard digits until they do."""
    guard = GUARD
    while True:
        with mpmath.workdps(mpmath.mp.dps + guard):
            phases = _march(o, until.mpf())
        if (needed := _lost(phases, until)) <= guard:
            return phases
        guard = needed


def _lost(phases: tuple[Phase, ...], until: Exact) -> int:
    """Return the digits to carry beyond the current precision, with half of `GUARD` to spare."""
    ends = [*(float(phase.start) for phase in phases[1:]), float(until)]
    matrices = [phase.propagator(end - float(phase.start)) for phase, end in zip(phases, ends, strict=True)]
    return GUARD // 2 + math.ceil(math.log10(growth(matrices, float(phases[0].law.omega))))


@per_precision
def _followed(o: Oscillator, until: Exact) -> Followed:
    with mpmath.workdps(mpmath.mp.dps + max(GUARD, _lost(_phases(o, until), until))):
        return follow(o.law(False), o.gap.mpf(), o.kappa, until.mpf())


def _contacts(o: Oscillator) -> list[tuple[Phase, Phase]]:
    """Return every contact that has ended by t_end, with the flight that follows it."""
    return [(phase, after) for phase, after in pairwise(_phases(o, o.t_end)) if phase.touching]


@per_precision
def _penetration(o: Oscillator, number: int) -> mpf:
    """Return the largest penetration of a contact, counted from 1 (m): y at the largest of its turning points."""
    contact, after = _contacts(o)[number - 1]
    slope = sign_changes(
        lambda tau: contact.observed(tau)[1:3],
        lambda tau, h: contact.bounds(tau, h)[1:],
        mpmath.mpf(0),
        after.start - contact.start,
        contact.observed(mpmath.mpf(0))[1:3],
        "largest penetration",
    )
    return max(contact.observed(tau)[0] for tau in slope) - o.gap.mpf()


def _found(o: Oscillator, digits: int) -> tuple[Phase, ...]:
    """Return the phases at the precision at which certification begins, so that it finds them known."""
    with mpmath.workdps(check_digits(digits) + GUARDS[0]):
        return _phases(o, o.t_end)


def _certified(name: str, digits: int, value: Callable[[], Any], followed: Callable[[], Any]) -> Certified:
    return certify(*_routes(value, followed), digits=digits, kind="quasi-analytical", name=name)


def _routes(value: Callable[[], Any], followed: Callable[[], Any]) -> tuple[Route, Route]:
    return (
        Route("closed form of every flight and contact, instants as proved roots", value),
        Route("Taylor series of the motion, from event to event", followed),
    )


def instants(*, digits: int = 30, **given: Number) -> tuple[Certified, ...]:
    """Return all instants of contact up to t_end, in s: touch, release, touch, ...

    Parameters
    ----------
    digits
        Digits wanted.
    given
        Parameters, see `PARAMETERS`; those that are not given have their default.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, xi is not below 1, or wall is neither 0 nor 1.
    CertificationError
        If the stop is grazed, so that no precision tells whether it was touched.
    """
    o = _oscillator(given)
    if len(_found(o, digits)) == 1:
        return ()
    routes = _routes(lambda: tuple(p.start for p in _phases(o, o.t_end)[1:]), lambda: _followed(o, o.t_end).instants)
    return certify_all(*routes, digits=digits, kind="quasi-analytical", name="instants")


def instant(*, number: int, digits: int = 30, **given: Number) -> Certified:
    """Return one instant of contact, counted from 1 (s): odd numbers touch, even ones release.

    Parameters and errors as `instants`; undefined if there are fewer before t_end.
    """
    check_count(number, "number")
    found = instants(digits=digits, **given)
    return found[number - 1] if number <= len(found) else undefined(f"only {len(found)} instants before t_end")


def peak_force(*, contact: int, digits: int = 30, **given: Number) -> Certified:
    """Return the largest force of one contact, counted from 1 (N), if it ends before t_end; as `instants`."""
    o, number = _oscillator(given), check_count(contact, "contact")
    if (ended := (len(_found(o, digits)) - 1) // 2) < number:
        return undefined(f"only {ended} contacts end before t_end")
    return _certified(
        "peak_force",
        digits,
        lambda: o.kc.mpf() * _penetration(o, number),
        lambda: o.kc.mpf() * _followed(o, o.t_end).peaks[number - 1],
    )


def largest_force(*, digits: int = 30, **given: Number) -> Certified:
    """Return the largest force of all contacts that end before t_end (N); as `instants`."""
    o = _oscillator(given)
    if len(_found(o, digits)) < 3:
        return undefined("no contact ends before t_end")
    return _certified(
        "largest_force",
        digits,
        lambda: o.kc.mpf() * max(_penetration(o, n + 1) for n in range(len(_contacts(o)))),
        lambda: o.kc.mpf() * max(_followed(o, o.t_end).peaks),
    )


def _horizon(o: Oscillator, t: Exact) -> Exact:
    """Return the instant up to which phases are needed: t_end if that is late enough, where they are known already."""
    return max(t, o.t_end, key=lambda e: e.mpf())


def _observed(o: Oscillator, t: Exact) -> tuple[mpf, mpf]:
    """Return y and its rate at an instant."""
    time = t.mpf()
    phase = next(p for p in reversed(_phases(o, _horizon(o, t))) if p.start <= time)
    return phase.observed(time - phase.start)[:2]


def _instant_of(t: Number) -> Exact:
    time = exact(t, "t")
    if time.rational <= 0:
        raise ParameterError(f"t must be positive, got {t}")
    return time


def displacement(*, t: Number, digits: int = 30, **given: Number) -> Certified:
    """Return y at an instant (m): absolute before a wall that stands still, relative before one that moves along.

    Parameters and errors as `instants`; `ParameterError` too if t is not positive.
    """
    o, time = _oscillator(given), _instant_of(t)
    return _certified(
        "displacement",
        digits,
        lambda: _observed(o, time)[0],
        lambda: o.gap.mpf() + _followed(o, time).state[U],
    )


def force(*, t: Number, digits: int = 30, **given: Number) -> Certified:
    """Return the force of the stop at an instant (N), zero in flight; as `displacement`."""
    o, time = _oscillator(given), _instant_of(t)
    with mpmath.workdps(check_digits(digits) + GUARDS[0]):
        touched = _observed(o, time)[0] > o.gap.mpf()
    if not touched:
        return undefined(f"the stop is not touched at t = {t} s")
    return _certified(
        "force",
        digits,
        lambda: o.kc.mpf() * (_observed(o, time)[0] - o.gap.mpf()),
        lambda: o.kc.mpf() * _followed(o, time).state[U],
    )


@dataclass(frozen=True)
class Motion:
    """The motion at any instant up to t_end, to `digits` digits of its amplitude."""

    oscillator: Oscillator
    digits: int

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Flights and contacts up to t_end."""
        with mpmath.workdps(self.digits + GUARD):
            return _phases(self.oscillator, self.oscillator.t_end)

    def displacement(self, t: Number) -> mpf:
        """Y (m)."""
        return self._at(t)[0]

    def rate(self, t: Number) -> mpf:
        """Rate of y (m/s)."""
        return self._at(t)[1]

    def force(self, t: Number) -> mpf:
        """Force of the stop (N), zero in flight."""
        with mpmath.workdps(self.digits):
            return self.oscillator.kc.mpf() * max(self._at(t)[0] - self.oscillator.gap.mpf(), mpmath.mpf(0))

    def _at(self, t: Number) -> tuple[mpf, mpf]:
        time = exact(t, "t")
        with mpmath.workdps(self.digits + GUARD):
            y, rate = _observed(self.oscillator, time)
        with mpmath.workdps(self.digits):
            return +y, +rate


def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Return the motion for figures and comparison of histories; parameters and errors as `instants`."""
    return Motion(_oscillator(given), check_digits(digits))
