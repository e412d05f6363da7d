"""Elastic bar that strikes a rigid wall: a chain of N equal masses, with the truth for the given N.

The bar (ρ, A, E, L) is cut into N cells of length L/N with a mass m = ρAL/N in the middle of each; neighbours are
joined by k = EAN/L, and between the first mass and the wall lies half a cell, a spring 2k that pushes and does
not pull. The bar comes with -v0 from a distance h0, unstrained, so that it touches at h0/v0.

The chain that touches is fixed at one end, the chain that has left is free; both have closed modes,

    w_j = 2 sqrt(k/m) sin(θ_j/2),  φ_j(i) = sin(θ_j (i - 1/2)), θ_j = (2j - 1) π/(2N)   in contact,
                                   φ_j(i) = cos(θ_j (i - 1/2)), θ_j = j π/N             in flight,

which are the second route. The bar as a continuum (d'Alembert) stays 2L/c on the wall, c² = E/ρ, pushes with ρcAv0
all the time and leaves with v0, at rest in itself.

Sources: S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, McGraw-Hill 1970, longitudinal impact of bars;
modes of chains, any textbook of vibrations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from flint import arb
from mpmath import mpc, mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.engine.enclosure import Exactly, Undecided, ball, per_bits
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, largest
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet
from veridyn.references.reference import NUMBER
from veridyn.references.second_routes.waves import Waves

PARAMETERS = (
    Parameter("N", "1", "number of masses", "4", "positive"),
    Parameter("E", "Pa", "Young's modulus", "900", "positive"),
    Parameter("rho", "kg/m^3", "density", "1", "positive"),
    Parameter("A", "m^2", "area of the section", "1", "positive"),
    Parameter("L", "m", "length of the bar", "10", "positive"),
    Parameter("v0", "m/s", "velocity of the bar, towards the wall", "10", "positive"),
    Parameter("h0", "m", "distance of the bar from the wall at the start", "4", "positive"),
)
MOST_MASSES = 32
TRANSITS = 3  # of a wave through the bar, after the touch, at which the motion ends
RIGID = "one mass does not vibrate after it has left: it leaves as fast as it came"
AFTER = "the bar has left the wall once, and is watched for three transits of a wave"


class Bar(ParameterSet):
    """The parameters."""

    def check(self) -> None:
        """Refuse numbers of masses that are not whole or too large."""
        if self.N.pi or self.N.rational.denominator != 1 or self.N.rational > MOST_MASSES:
            raise ParameterError(f"N must be a whole number from 1 to {MOST_MASSES}, got {self.N}")

    @property
    def size(self) -> int:
        """Return the number of masses."""
        return int(self.N.rational)


# ---- enclosures: matrices in the places of the masses


def _transit(b: Bar) -> Ball:
    """Return L/c (s)."""
    return ball(b.L) * (ball(b.rho) / ball(b.E)).sqrt()


def _touch(b: Bar) -> Ball:
    return ball(b.h0) / ball(b.v0)


def _after(b: Bar, transits: int) -> Ball:
    """Return an instant (s), in transits of a wave after the touch."""
    return _touch(b) + transits * _transit(b)


def _spring(b: Bar) -> Ball:
    """Return the stiffness of half a cell (N/m)."""
    return 2 * ball(b.E) * ball(b.A) * b.size / ball(b.L)


def _pulls(n: int, closed: bool) -> list[Row]:
    """Return the forces on the masses per stiffness of a cell: factors of the displacements."""
    result: list[Row] = []
    for i in range(n):
        row = {j: arb(1) for j in (i - 1, i + 1) if 0 <= j < n}
        result.append({**row, i: -arb(len(row) + (2 if closed and i == 0 else 0))})
    return result


@per_bits
def _flow(b: Bar, closed: bool) -> LinearFlow:
    n, rate = b.size, ball(b.E) / ball(b.rho) * (b.size / ball(b.L)) ** 2
    rows: list[Row] = [{n + i: arb(1)} for i in range(n)]
    rows += [{j: rate * factor for j, factor in row.items()} for row in _pulls(n, closed)]
    return LinearFlow(rows, _transit(b))


@per_bits
def _phases(b: Bar) -> tuple[PhaseEnd, PhaseEnd]:
    """Return contact and flight; displacements are those from the touch."""
    n, closed = b.size, {0: arb(-1)}

    def following(phase: Phase, event: Event | None, time: Ball, state: State) -> Phase | None:
        if event is None or phase.kind == "flight":
            return None
        return Phase("flight", _flow(b, False), time, state, (Guard("touch", {0: arb(1)}, 1),))

    start = (*[arb(0)] * n, *[-ball(b.v0)] * n)
    first = Phase("contact", _flow(b, True), _touch(b), start, (Guard("release", closed, 1),))
    result = follow(first, following, _after(b, TRANSITS))
    if len(result) != 2 or result[1].end is not None:
        raise Undecided(f"not so: {AFTER}")
    return result[0], result[1]


def _release(b: Bar) -> Ball:
    return _phases(b)[0].end


def _velocity(b: Bar) -> Ball:
    """Return the velocity of the centre after the contact."""
    state = _phases(b)[1].phase.state
    return sum(state[b.size :], arb(0)) / b.size


def _impulse(b: Bar) -> Ball:
    """Return the impulse of the wall: what it changed the momentum by."""
    return ball(b.rho) * ball(b.A) * ball(b.L) * (ball(b.v0) + _velocity(b))


def _peak(b: Bar) -> Ball:
    """Return the largest force (N), at a turning point of the first mass."""
    contact = _phases(b)[0]
    return largest([contact.phase.read({0: -_spring(b)}, t) for t in contact.extremes({b.size: arb(1)})])


# ---- the second route: sums over modes


@dataclass(frozen=True)
class _Modes:
    """Frequencies (rad/s), shapes (mode by mode) and squares of their lengths, in the number of masses."""

    omegas: tuple[mpf, ...]
    shapes: tuple[tuple[mpf, ...], ...]
    lengths: tuple[mpf, ...]

    def shares(self, field: list[mpf]) -> list[mpf]:
        """Return what the modes have of a field over the masses."""
        return [mpmath.fdot(s, field) / square for s, square in zip(self.shapes, self.lengths, strict=True)]


@per_precision
def _modes(b: Bar, closed: bool) -> _Modes:
    n, rate = b.size, 2 * b.size / b.L.mpf() * mpmath.sqrt(b.E.mpf() / b.rho.mpf())
    wave: Callable[[mpf], mpf] = mpmath.sin if closed else mpmath.cos
    angles = [(mpf(j) + (mpf(1) / 2 if closed else 0)) * mpmath.pi / n for j in range(n)]
    shapes = tuple(tuple(wave(a * (mpf(i) + mpf(1) / 2)) for i in range(n)) for a in angles)
    lengths = tuple(mpf(n) if a == 0 else mpf(n) / 2 for a in angles)
    return _Modes(tuple(rate * mpmath.sin(a / 2) for a in angles), shapes, lengths)


def _swing(modes: _Modes, mass: int, places: list[mpf], speeds: list[mpf]) -> Waves:
    """Return the motion of one mass; a rigid mode drifts."""
    shares = zip(modes.omegas, (s[mass] for s in modes.shapes), modes.shares(places), modes.shares(speeds), strict=True)
    terms = [(w, mpc(x * c, -x * s / w if w else 0), x * s) for w, x, c, s in shares]
    drift = mpmath.fsum(v for w, _, v in terms if not w)
    return Waves(mpf(0), tuple(mpc(0, w) for w, *_ in terms), tuple(share for _, share, _ in terms), drift)


@per_precision
def _waves(b: Bar, closed: bool) -> tuple[Waves, ...]:
    """Return the motions of all masses from the touch, or from the release on."""
    n = b.size
    places, speeds = [mpf(0)] * n, [-b.v0.mpf()] * n
    if not closed:
        before, lapse = _waves(b, True), _lapse(b)
        places, speeds = [u(lapse) for u in before], [u(lapse, 1) for u in before]
    modes = _modes(b, closed)
    return tuple(_swing(modes, mass, places, speeds) for mass in range(n))


def _transit_mpf(b: Bar) -> mpf:
    return b.L.mpf() * mpmath.sqrt(b.rho.mpf() / b.E.mpf())


@per_precision
def _lapse(b: Bar) -> mpf:
    """Return the duration of the contact."""
    result = next(_waves(b, True)[0].roots(TRANSITS * _transit_mpf(b), from_zero=True), None)
    if result is None:
        raise CertificationError("the bar does not leave the wall")
    return result


def _spring_mpf(b: Bar) -> mpf:
    return 2 * b.E.mpf() * b.A.mpf() * b.size / b.L.mpf()


def _impulse_mpf(b: Bar) -> mpf:
    """Return the integral of the force."""
    return -_spring_mpf(b) * _waves(b, True)[0].integral(_lapse(b))


def _velocity_mpf(b: Bar) -> mpf:
    """Return the velocity of the centre after the contact: the rigid mode of a free chain."""
    return _waves(b, False)[0].drift


def _vibration_mpf(b: Bar) -> mpf:
    """Return the energy of the modes of the free chain over that at the start."""
    n, lapse, modes = b.size, _lapse(b), _modes(b, False)
    before = _waves(b, True)
    parts = zip(
        modes.omegas, modes.lengths, *(modes.shares([u(lapse, k) for u in before]) for k in (0, 1)), strict=True
    )
    return mpmath.fsum(s * ((w * x) ** 2 + v**2) for w, s, x, v in parts if w) / (n * b.v0.mpf() ** 2)


def _peak_mpf(b: Bar) -> mpf:
    u = _waves(b, True)[0]
    return max(-_spring_mpf(b) * u(t) for t in u.roots(_lapse(b), from_zero=False, order=1))


def _displacement_mpf(b: Bar, mass: int, transits: int) -> mpf:
    lapse = transits * _transit_mpf(b)
    closed = lapse < _lapse(b)
    return _waves(b, closed)[mass](lapse if closed else lapse - _lapse(b)) - b.h0.mpf()


# ---- quantities


reference = References(
    PARAMETERS,
    Bar,
    proof="linear phases enclosed; the release is the first root of the gap, no touch follows",
    how="sums over the closed modes of the chain, roots proved by bounds of the curvature",
    effort=lambda b, **_: proved(_phases(b)),
)
continuum = References(PARAMETERS, Bar, "closed form", "d'Alembert", "the formula in mpmath")


@reference(lambda b: b.h0.mpf() / b.v0.mpf(), kind="closed form", proof="distance over velocity", effort="")
def touch(b: Bar) -> Ball:
    """Return the instant of the touch (s)."""
    return _touch(b)


@reference(lambda b: b.h0.mpf() / b.v0.mpf() + _lapse(b))
def release(b: Bar) -> Ball:
    """Return the instant at which the chain leaves the wall (s)."""
    return _release(b)


@reference(_lapse)
def duration(b: Bar) -> Ball:
    """Return the duration of the contact (s)."""
    return _release(b) - _touch(b)


@reference(_peak_mpf)
def peak_force(b: Bar) -> Ball:
    """Return the largest force of the wall (N)."""
    return _peak(b)


@reference(_impulse_mpf)
def impulse(b: Bar) -> Ball:
    """Return the impulse of the wall (N s)."""
    return _impulse(b)


@reference(lambda b: _impulse_mpf(b) / _lapse(b))
def mean_force(b: Bar) -> Ball:
    """Return the mean force of the wall during the contact (N)."""
    return _impulse(b) / (_release(b) - _touch(b))


@reference(_velocity_mpf)
def rebound(b: Bar) -> Ball:
    """Return the velocity of the centre of the bar after the contact (m/s)."""
    return _velocity(b)


@reference(lambda b, number: _displacement_mpf(b, b.size - 1, number), takes=(NUMBER,))
def tip(b: Bar, number: int) -> Ball:
    """Return the displacement of the last mass (m) after so many transits of a wave since the touch, at most 3.

    Raises
    ------
    ParameterError
        If there are more.
    """
    if number > TRANSITS:
        raise ParameterError(f"number must be at most {TRANSITS}, got {number}")
    return value_at(_phases(b), {b.size - 1: arb(1)}, _after(b, number)) - ball(b.h0)


@reference(_vibration_mpf)
def vibration(b: Bar) -> Ball:
    """Return the share of the energy that stays in the chain as vibration (1): 1 - (V/v0)²."""
    if b.size == 1:
        raise Exactly(0, RIGID)
    return 1 - (_velocity(b) / ball(b.v0)) ** 2


@continuum(lambda b: 2 * _transit_mpf(b))
def wave_duration(b: Bar) -> Ball:
    """Return how long the continuum stays on the wall (s): 2L/c."""
    return 2 * _transit(b)


@continuum(lambda b: b.A.mpf() * b.v0.mpf() * mpmath.sqrt(b.rho.mpf() * b.E.mpf()))
def wave_force(b: Bar) -> Ball:
    """Return the force of the continuum on the wall (N): ρcAv0."""
    return ball(b.rho) * ball(b.A) * ball(b.v0) * ball(b.L) / _transit(b)


@reference(lambda b: _lapse(b) / (2 * _transit_mpf(b)) - 1)
def excess_duration(b: Bar) -> Ball:
    """Return the modelling error of the duration, of 2L/c."""
    return (_release(b) - _touch(b)) / (2 * _transit(b)) - 1


@reference(lambda b: _peak_mpf(b) / (b.A.mpf() * b.v0.mpf() * mpmath.sqrt(b.rho.mpf() * b.E.mpf())) - 1)
def excess_peak(b: Bar) -> Ball:
    """Return the modelling error of the largest force, of ρcAv0."""
    return _peak(b) * _transit(b) / (ball(b.rho) * ball(b.A) * ball(b.v0) * ball(b.L)) - 1


@reference(lambda b: _velocity_mpf(b) / b.v0.mpf() - 1)
def excess_rebound(b: Bar) -> Ball:
    """Return the modelling error of the rebound, of v0."""
    if b.size == 1:
        raise Exactly(0, RIGID)
    return _velocity(b) / ball(b.v0) - 1


@reference.function(digits=20)
def motion(b: Bar, digits: int) -> Motion:
    """Return the motion from the touch on for figures: end (struck) and tip, displacements from the start (m)."""

    def place(mass: int, t: Ball) -> Any:
        if t < _touch(b):
            return -ball(b.v0) * t
        return value_at(_phases(b), {mass: arb(1)}, t) - ball(b.h0)

    readings = {"end": lambda t: place(0, t), "tip": lambda t: place(b.size - 1, t)}
    return Motion(readings, lambda: [(_touch(b), "contact"), (_release(b), "flight")], digits)
