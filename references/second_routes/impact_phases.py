"""Flights and contacts of a driven oscillator in closed form, one after the other: the second route of its contacts.

    m x'' + c x' + k x = (F - m a) sin(Ω t) - N,    N = kc max(0, y - gap),    c = 2 ξ sqrt(k m)

from rest at t = 0. F is a force on the mass, a the acceleration of the support; x is relative to the support. The
stop sees y = x + d for a wall that stands still (wall = 1), where d = -a/Ω² sin(Ω t) is the motion of the support, and
y = x for one that moves with the support (wall = 0).

In flight and in contact alike x'' + 2 β x' + ω² x = A sin(Ω t) + B. The response from rest to e^(iΩt) is the divided
difference of e^(zt) over the two roots of the oscillator and iΩ; where root and iΩ coincide it is the confluent one. An
instant of contact is the next root of y - gap, proved by bounds of the curvature.
Source: EDF validation manual V5.01.102 (SDND102), V5.01.121 (SDND121).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.second_routes.roots import Jet, sign_changes

Matrix = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Law:
    """x'' + 2 β x' + ω² x = A sin(Ω t) + B, observed as y = x + S sin(Ω t): SI units, β < ω."""

    beta: mpf
    omega: mpf
    A: mpf
    B: mpf
    Omega: mpf
    S: mpf


@dataclass(frozen=True)
class ImpactPhase:
    """A flight or a contact: its law, whether the stop is touched, when and how it starts."""

    law: Law
    touching: bool
    start: mpf
    x0: mpf
    v0: mpf

    @cached_property
    def _start(self) -> tuple[mpc, mpc, mpf, mpc]:
        """Return root and drive, displacement from the equilibrium under B, and e^(iΩt) at the start."""
        law = self.law
        root = mpmath.mpc(-law.beta, mpmath.sqrt(law.omega**2 - law.beta**2))
        drive = mpmath.expj(law.Omega * self.start)
        return root, mpmath.mpc(0, law.Omega), self.x0 - law.B / law.omega**2, drive

    def state(self, tau: mpf) -> tuple[mpf, mpf]:
        """Displacement (m) and velocity (m/s), relative to the supports, tau (s) after the start."""
        return self._moved(tau)[:2]

    def _moved(self, tau: mpf) -> tuple[mpf, mpf, mpc]:
        """Displacement, velocity and e^(iΩt), tau after the start."""
        law = self.law
        root, drive, x0, start = self._start
        free, turn = mpmath.exp(root * tau), mpmath.expj(law.Omega * tau)
        above = (free - turn) / (root - drive) if root != drive else tau * turn
        below = (free.conjugate() - turn) / (root.conjugate() - drive)
        s, unit, wave = free.imag / root.imag, (above - below) / mpmath.mpc(0, 2 * root.imag), law.A * start
        c, lost = free.real, law.beta * s
        x = x0 * (c + lost) + self.v0 * s + (wave * unit).imag
        v = self.v0 * (c - lost) - law.omega**2 * x0 * s + (wave * (s + drive * unit)).imag
        return x + law.B / law.omega**2, v, start * turn

    def observed(self, tau: mpf) -> Jet:
        """Return y, its rate and its acceleration: what the stop sees."""
        law = self.law
        x, v, drive = self._moved(tau)
        sine, cosine = drive.imag, drive.real
        a = law.A * sine + law.B - 2 * law.beta * v - law.omega**2 * x
        return x + law.S * sine, v + law.S * law.Omega * cosine, a - law.S * law.Omega**2 * sine

    def propagator(self, tau: float) -> Matrix:
        """Return what a small deviation (x, v) is multiplied by in tau (s); the drive does not enter."""
        beta, omega = float(self.law.beta), float(self.law.omega)
        wd = math.sqrt(omega**2 - beta**2)
        c, s, decay = math.cos(wd * tau), math.sin(wd * tau) / wd, math.exp(-beta * tau)
        return (decay * (c + beta * s), decay * s), (-decay * omega**2 * s, decay * (c - beta * s))

    def bounds(self, tau: mpf, h: mpf) -> tuple[mpf, mpf, mpf]:
        """Return bounds of the second, third and fourth derivative of y on [tau, tau + h].

        U = sqrt(x'² + ω² (x - B/ω²)²) falls by damping and grows by at most |A| per second.
        """
        law = self.law
        x, v = self.state(tau)
        U = mpmath.hypot(v, law.omega * (x - law.B / law.omega**2)) + abs(law.A) * h
        derivatives, W = [U], law.Omega
        previous = U / law.omega
        for n in range(3):
            derivatives.append(2 * law.beta * derivatives[-1] + law.omega**2 * previous + abs(law.A) * W**n)
            previous = derivatives[-2]
        second, third, fourth = (d + abs(law.S) * W**n for n, d in zip((2, 3, 4), derivatives[1:], strict=True))
        return second, third, fourth


def write_law(p: Any, touching: bool) -> Law:
    """Return the law of a flight or of a contact, where the stop adds -kc/m (y - gap); parameters are attributes."""
    omega0, A, S = mpmath.sqrt(p.k / p.m), p.F / p.m - p.a, -p.wall * p.a / p.Omega**2
    kappa = p.kc / p.m if touching else mpmath.mpf(0)
    return Law(p.xi * omega0, mpmath.sqrt(omega0**2 + kappa), A - kappa * S, kappa * p.gap, p.Omega, S)


def _start(p: Any) -> ImpactPhase:
    """Return the flight from rest."""
    return ImpactPhase(write_law(p, False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))


def _follow(p: Any, last: ImpactPhase, start: mpf, v0: mpf) -> ImpactPhase:
    """Return the phase after another, from its start (s) and velocity (m/s): on the stop, to the last digit."""
    law = write_law(p, not last.touching)
    return ImpactPhase(law, not last.touching, start, p.gap - law.S * mpmath.sin(law.Omega * start), v0)


def join_phases(p: Any, starts: Sequence[mpf], velocities: Sequence[mpf]) -> tuple[ImpactPhase, ...]:
    """Return the phases that begin at given instants of contact (s) with given velocities (m/s)."""
    result = [_start(p)]
    for start, v0 in zip(starts, velocities, strict=True):
        result.append(_follow(p, result[-1], start, v0))
    return tuple(result)


@per_precision
def march(p: Any) -> tuple[ImpactPhase, ...]:
    """Return the phases up to t_end, at the current precision."""
    result = [_start(p)]
    while (lapse := _find_end(result[-1], p.gap, p.t_end)) is not None:
        last = result[-1]
        result.append(_follow(p, last, last.start + lapse, last.state(lapse)[1]))
    return tuple(result)


def _find_end(phase: ImpactPhase, gap: mpf, until: mpf) -> mpf | None:
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
        if (result := next(roots, None)) is not None:
            return result
        a, first = b, distance(b)
    return None


def list_contacts(p: Any) -> list[tuple[ImpactPhase, ImpactPhase]]:
    """Return every contact that has ended by t_end, with the flight that follows it."""
    return [(phase, after) for phase, after in pairwise(march(p)) if phase.touching]


@per_precision
def find_penetration(p: Any, number: int) -> mpf:
    """Return the largest penetration of a contact, counted from 1 (m): y at the largest of its turning points."""
    contact, after = list_contacts(p)[number - 1]
    turns = sign_changes(
        lambda tau: contact.observed(tau)[1:3],
        lambda tau, h: contact.bounds(tau, h)[1:],
        mpmath.mpf(0),
        after.start - contact.start,
        contact.observed(mpmath.mpf(0))[1:3],
        "largest penetration",
    )
    return max(contact.observed(tau)[0] for tau in turns) - p.gap


def find_largest_penetration(p: Any) -> mpf:
    """Return the largest penetration of all contacts that end by t_end (m)."""
    return max(find_penetration(p, number + 1) for number in range(len(list_contacts(p))))


def observe(p: Any, t: str) -> mpf:
    """Return what the stop sees at an instant up to t_end (m)."""
    time = mpmath.mpf(t)
    phase = next(phase for phase in reversed(march(p)) if phase.start <= time)
    return phase.observed(time - phase.start)[0]


def growth(propagators: Sequence[Matrix], omega: float) -> float:
    """Return by how much deviations grow at most over any stretch of phases; (x, v/omega) measures them."""
    largest = 1.0
    for first in range(len(propagators)):
        columns = [(1.0, 0.0), (0.0, omega)]
        for matrix in propagators[first:]:
            (a, b), (c, d) = matrix
            columns = [(a * x + b * v, c * x + d * v) for x, v in columns]
            largest = max(largest, math.sqrt(sum(x**2 + (v / omega) ** 2 for x, v in columns)))
    return largest
