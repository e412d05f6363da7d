"""A chain of equal masses that strikes a wall, by sums over its modes: the second route of bar_impact.

The chain that touches is fixed at one end, the chain that has left is free; both have closed modes,

    w_j = 2 sqrt(k/m) sin(θ_j/2),  φ_j(i) = sin(θ_j (i - 1/2)), θ_j = (2j - 1) π/(2N)   in contact,
                                   φ_j(i) = cos(θ_j (i - 1/2)), θ_j = j π/N             in flight.

Parameters are attributes in mpmath: N, E, rho, A, L, v0, h0. Source: modes of chains, any textbook of vibrations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.second_routes.waves import Waves

LONG = 3  # transits of a wave within which the chain leaves the wall


@dataclass(frozen=True)
class _Modes:
    """Frequencies (rad/s), shapes (mode by mode) and squares of their lengths, in the number of masses."""

    omegas: tuple[mpf, ...]
    shapes: tuple[tuple[mpf, ...], ...]
    lengths: tuple[mpf, ...]

    def shares(self, field: Sequence[mpf]) -> list[mpf]:
        """Return what the modes have of a field over the masses."""
        return [mpmath.fdot(s, field) / square for s, square in zip(self.shapes, self.lengths, strict=True)]


def transit(p: Any) -> mpf:
    """Return how long a wave takes through the bar, L/c (s)."""
    return p.L * mpmath.sqrt(p.rho / p.E)


def _spring(p: Any) -> mpf:
    """Return the stiffness of half a cell (N/m)."""
    return 2 * p.E * p.A * p.N / p.L


@per_precision
def _modes(p: Any, closed: bool) -> _Modes:
    n, rate = int(p.N), 2 * p.N / p.L * mpmath.sqrt(p.E / p.rho)
    wave: Callable[[mpf], mpf] = mpmath.sin if closed else mpmath.cos
    angles = [(mpf(j) + (mpf(1) / 2 if closed else 0)) * mpmath.pi / n for j in range(n)]
    shapes = tuple(tuple(wave(a * (mpf(i) + mpf(1) / 2)) for i in range(n)) for a in angles)
    lengths = tuple(mpf(n) if a == 0 else mpf(n) / 2 for a in angles)
    return _Modes(tuple(rate * mpmath.sin(a / 2) for a in angles), shapes, lengths)


def _swing(modes: _Modes, mass: int, places: Sequence[mpf], speeds: Sequence[mpf]) -> Waves:
    """Return the motion of one mass; a rigid mode drifts."""
    shares = zip(modes.omegas, (s[mass] for s in modes.shapes), modes.shares(places), modes.shares(speeds), strict=True)
    terms = [(w, mpc(x * c, -x * s / w if w else 0), x * s) for w, x, c, s in shares]
    drift = mpmath.fsum(v for w, _, v in terms if not w)
    return Waves(mpf(0), tuple(mpc(0, w) for w, *_ in terms), tuple(share for _, share, _ in terms), drift)


@per_precision
def _waves(p: Any, closed: bool) -> tuple[Waves, ...]:
    """Return the motions of all masses from the touch, or from the release on."""
    n = int(p.N)
    places, speeds = [mpf(0)] * n, [-p.v0] * n
    if not closed:
        before, lapse = _waves(p, True), duration(p)
        places, speeds = [u(lapse) for u in before], [u(lapse, 1) for u in before]
    modes = _modes(p, closed)
    return tuple(_swing(modes, mass, places, speeds) for mass in range(n))


@per_precision
def duration(p: Any) -> mpf:
    """Return the duration of the contact (s); raises `CertificationError` if the bar does not leave the wall."""
    result = next(_waves(p, True)[0].roots(LONG * transit(p), from_zero=True), None)
    if result is None:
        raise CertificationError("the bar does not leave the wall")
    return result


def peak(p: Any) -> mpf:
    """Return the largest force (N), at a turning point of the first mass."""
    u = _waves(p, True)[0]
    return max(-_spring(p) * u(t) for t in u.roots(duration(p), from_zero=False, order=1))


def impulse(p: Any) -> mpf:
    """Return the integral of the force (N s)."""
    return -_spring(p) * _waves(p, True)[0].integral(duration(p))


def rebound(p: Any) -> mpf:
    """Return the velocity of the centre after the contact (m/s): the rigid mode of a free chain."""
    return _waves(p, False)[0].drift


def vibration(p: Any) -> mpf:
    """Return the energy of the modes of the free chain over that at the start."""
    lapse, modes, before = duration(p), _modes(p, False), _waves(p, True)
    shares = (modes.shares([u(lapse, k) for u in before]) for k in (0, 1))
    parts = zip(modes.omegas, modes.lengths, *shares, strict=True)
    return mpmath.fsum(s * ((w * x) ** 2 + v**2) for w, s, x, v in parts if w) / (p.N * p.v0**2)


def tip(p: Any, transits: int) -> mpf:
    """Return the displacement of the last mass (m) so many transits of a wave after the touch."""
    lapse = transits * transit(p)
    closed = lapse < duration(p)
    return _waves(p, closed)[-1](lapse if closed else lapse - duration(p)) - p.h0
