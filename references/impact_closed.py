"""The second route of the driven oscillator with a stop: closed forms in mpmath, instants as roots proved by bounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.impact_phases import Law, Phase
from veridyn.references.parameters import Exact, ParameterError, Record
from veridyn.references.roots import sign_changes


class Oscillator(Record):
    """The parameters, and the laws of motion at the current precision."""

    def check(self) -> None:
        """Refuse overdamped oscillators and other walls."""
        if self.xi.rational >= 1:
            raise ParameterError(f"xi must be below 1, got {self.xi}")
        if self.wall.rational not in (0, 1):
            raise ParameterError(f"wall must be 0 or 1, got {self.wall}")

    def law(self, touching: bool) -> Law:
        """Return the law of a flight or of a contact, where the stop adds -kc/m (y - gap)."""
        omega0, W = mpmath.sqrt((self.k / self.m).mpf()), self.Omega.mpf()
        A, S = (self.F / self.m).mpf() - self.a.mpf(), -self.wall.mpf() * self.a.mpf() / W**2
        kappa = (self.kc / self.m).mpf() if touching else mpmath.mpf(0)
        omega = mpmath.sqrt(omega0**2 + kappa)
        return Law(self.xi.mpf() * omega0, omega, A - kappa * S, kappa * self.gap.mpf(), W, S)


@per_precision
def phases(o: Oscillator, until: Exact) -> tuple[Phase, ...]:
    """Return the phases up to an instant, at the current precision."""
    gap, limit = o.gap.mpf(), until.mpf()
    found = [Phase(o.law(False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))]
    while (end := _end(found[-1], gap, limit)) is not None:
        last = found[-1]
        start, law = last.start + end, o.law(not last.touching)
        x0 = gap - law.S * mpmath.sin(law.Omega * start)  # on the stop, to the last digit
        found.append(Phase(law, not last.touching, start, x0, last.state(end)[1]))
    return tuple(found)


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


def contacts(o: Oscillator) -> list[tuple[Phase, Phase]]:
    """Return every contact that has ended by t_end, with the flight that follows it."""
    return [(phase, after) for phase, after in pairwise(phases(o, o.t_end)) if phase.touching]


@per_precision
def penetration(o: Oscillator, number: int) -> mpf:
    """Return the largest penetration of a contact, counted from 1 (m): y at the largest of its turning points."""
    contact, after = contacts(o)[number - 1]
    slope = sign_changes(
        lambda tau: contact.observed(tau)[1:3],
        lambda tau, h: contact.bounds(tau, h)[1:],
        mpmath.mpf(0),
        after.start - contact.start,
        contact.observed(mpmath.mpf(0))[1:3],
        "largest penetration",
    )
    return max(contact.observed(tau)[0] for tau in slope) - o.gap.mpf()


def observed(o: Oscillator, t: Exact, until: Exact) -> mpf:
    """Return y at an instant up to the end of the observed span."""
    time = t.mpf()
    phase = next(p for p in reversed(phases(o, until)) if p.start <= time)
    return phase.observed(time - phase.start)[0]


def between(o: Oscillator, starts: Sequence[mpf], rates: Sequence[mpf]) -> tuple[Phase, ...]:
    """Return the phases that begin at known instants of contact (s) with known rates of y (m/s), at this precision."""
    found = [Phase(o.law(False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))]
    for start, rate in zip(starts, rates, strict=True):
        law, angle = o.law(not found[-1].touching), o.Omega.mpf() * start
        x0, v0 = o.gap.mpf() - law.S * mpmath.sin(angle), rate - law.S * law.Omega * mpmath.cos(angle)
        found.append(Phase(law, not found[-1].touching, start, x0, v0))
    return tuple(found)
