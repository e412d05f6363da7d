"""The Zener device and its load, exact; its equations in two forms.

Spring K1 in series with [K2 beside (K3 in series with a dashpot)]; the dashpot carries D = C sign(w) |w|^α at the rate
w. With S = K1 + K2 + K3, the stretch x of the device and the path z of the dashpot,

    F = K1 ((K2 + K3) x - K3 z)/S,      D = K3 (K1 x - (K1 + K2) z)/S,      z' = sign(D) |D/C|^n,      n = 1/α,

and without z: F' = E0 x' - K1 K3/S sign(D) |D/C|^n with D = F (1 + K2/K1) - K2 x, E0 = K1 (K2 + K3)/S.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.parameters import Exact


class Numbers(NamedTuple):
    """The parameters, rounded, and what follows from them."""

    m: mpf
    k1: mpf
    k2: mpf
    k3: mpf
    c: mpf
    k: mpf
    p: mpf
    omega: mpf
    instantaneous: mpf  # E0, stiffness of the device before the dashpot moves (N/m)
    relaxing: mpf  # K1 K3/S: force that a path of the dashpot takes away (N/m)
    yielding: mpf  # K3 (K1 + K2)/S: force of the dashpot that its path takes away (N/m)


@dataclass(frozen=True)
class Oscillator:
    """A mass on the device and a spring k, m x'' = -F - k x - p sin(ωt) while t < until, at rest at x0 with z = 0."""

    m: Exact
    k1: Exact
    k2: Exact
    k3: Exact
    c: Exact
    power: int  # n = 1/α
    k: Exact
    x0: Exact
    p: Exact
    omega: Exact
    until: Exact

    def numbers(self) -> Numbers:
        """Round to the current precision."""
        m, k1, k2, k3, c, k, p, omega = (
            value.mpf() for value in (self.m, self.k1, self.k2, self.k3, self.c, self.k, self.p, self.omega)
        )
        total = k1 + k2 + k3
        return Numbers(m, k1, k2, k3, c, k, p, omega, k1 * (k2 + k3) / total, k1 * k3 / total, k3 * (k1 + k2) / total)

    @property
    def loaded(self) -> bool:
        """Whether there is a load."""
        return self.p.rational != 0 and self.until.rational > 0


def dashpot_force(n: Numbers, x: mpf, force: mpf) -> mpf:
    """Force D of the dashpot."""
    return force * (1 + n.k2 / n.k1) - n.k2 * x


class State(NamedTuple):
    """Displacement (m), velocity (m/s), force of the device (N)."""

    x: mpf
    v: mpf
    force: mpf


def force_rate(o: Oscillator, state: State) -> mpf:
    """Rate of the force of the device, in N/s."""
    n = o.numbers()
    d = dashpot_force(n, state.x, state.force)
    return n.instantaneous * state.v - n.relaxing * mpmath.sign(d) * (abs(d) / n.c) ** o.power
