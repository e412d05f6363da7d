"""Flights and contacts of a driven oscillator in closed form.

In flight and in contact alike x'' + 2 β x' + ω² x = A sin(Ω t) + B. The response from rest to e^(iΩt) is the divided
difference of e^(zt) over the two roots of the oscillator and iΩ; where root and iΩ coincide it is the confluent one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import mpmath
from mpmath import mpc, mpf

from veridyn.references.second_routes.roots import Jet

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
