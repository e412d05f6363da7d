"""Accelerations of a support that starts at rest, and what an undamped oscillator makes of them.

Each term gives, for the first route, a linear system that generates its acceleration a(t); for the second,
displacement from rest, and the Duhamel integral q(t) = 1/ω ∫ sin ω(t-s) a(s) ds.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.enclosure import ball
from veridyn.references.flows import Row
from veridyn.references.parameters import Exact, Number, ParameterError, exact

Generator = tuple[list[Row], list[arb], list[arb]]


@dataclass(frozen=True)
class Polynomial:
    """Acceleration Σ c_j t^j, in m/s²; `coefficients` start with the constant."""

    coefficients: tuple[Exact, ...]

    def displacement(self, t: mpf) -> mpf:
        """∬ a, in m."""
        return mpmath.fsum(c.mpf() * t ** (j + 2) / ((j + 1) * (j + 2)) for j, c in enumerate(self.coefficients))

    def duhamel(self, omega: mpf, t: mpf) -> mpf:
        """Response of an oscillator at rest, in m, from ω² D_j = t^j - j (j-1) D_{j-2} for t^j, by parts."""
        found = [2 * (mpmath.sin(omega * t / 2) / omega) ** 2, (t - mpmath.sin(omega * t) / omega) / omega**2]
        for j in range(2, len(self.coefficients)):
            found.append((t**j - j * (j - 1) * found[j - 2]) / omega**2)
        return mpmath.fsum(c.mpf() * response for c, response in zip(self.coefficients, found, strict=False))

    def generator(self) -> Generator:
        """Return the rows of z' = B z, the start of z, and c in a = c·z: the powers t^j drive each other."""
        size = len(self.coefficients)
        rows: list[Row] = [{i - 1: arb(i)} if i else {} for i in range(size)]
        return rows, [arb(not i) for i in range(size)], [ball(c) for c in self.coefficients]


@dataclass(frozen=True)
class Harmonic:
    """Acceleration A sin(Ω t + φ), in m/s²: amplitude (m/s²), circular frequency (rad/s), phase (rad)."""

    amplitude: Exact
    omega: Exact
    phase: Exact

    def displacement(self, t: mpf) -> mpf:
        """∬ a, in m."""
        A, W, phi = self._numbers()
        return A / W * (t * mpmath.cos(phi) - (mpmath.sin(W * t + phi) - mpmath.sin(phi)) / W)

    def duhamel(self, omega: mpf, t: mpf) -> mpf:
        """Response q(t) of an oscillator at rest, in m; finite at resonance."""
        A, W, phi = self._numbers()
        slow, fast = (omega - W) * t / 2, (omega + W) * t / 2
        summed = mpmath.cos(omega * t - phi - fast) * mpmath.sinc(fast)
        return A * t / (2 * omega) * (summed - mpmath.cos(omega * t + phi - slow) * mpmath.sinc(slow))

    def _numbers(self) -> tuple[mpf, mpf, mpf]:
        return self.amplitude.mpf(), self.omega.mpf(), self.phase.mpf()

    def generator(self) -> Generator:
        """Return the rows of z' = B z, the start of z, and c in a = c·z: sine and cosine drive each other."""
        A, W, phi = ball(self.amplitude), ball(self.omega), ball(self.phase)
        return [{1: W}, {0: -W}], [phi.sin(), phi.cos()], [A, arb(0)]


Term = Polynomial | Harmonic
Acceleration = tuple[Term, ...]  # the sum of its terms; () is a fixed support


def polynomial(*coefficients: Number) -> Acceleration:
    """Make Σ c_j t^j from its coefficients, constant first (m/s², m/s³, ...)."""
    return (Polynomial(tuple(exact(c, f"coefficient {j}") for j, c in enumerate(coefficients))),)


def harmonic(amplitude: Number, omega: Number, phase: Number = 0) -> Acceleration:
    """Make A sin(Ω t + φ); sums are written ``harmonic(...) + polynomial(...)``.

    Raises
    ------
    ParameterError
        If a number cannot be read or the frequency is not positive.
    """
    frequency = exact(omega, "omega")
    if frequency.rational <= 0:
        raise ParameterError(f"omega must be positive, got {omega}; a constant is a polynomial")
    return (Harmonic(exact(amplitude, "amplitude"), frequency, exact(phase, "phase")),)
