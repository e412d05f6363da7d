"""Phases of a mass that crushes a buckling stop: in each the force is a line in the crush, F + k s.

The crush s counts from the start of the phase. Two routes lead through the phases: closed forms (energy for where the
mass stops, inverse trigonometric functions and logarithms for how long it takes) and Taylor series with located events.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact

CRUSH, VELOCITY = 1, 2  # states of the series, after the constant one


class Piece(NamedTuple):
    """A line of the force: at its start, its slope (N/m), its length (infinite for the last)."""

    force: mpf
    slope: mpf
    length: mpf

    @property
    def work(self) -> mpf:
        """Work that it takes, in J."""
        flat = self.force * self.length
        return flat + self.slope * self.length**2 / 2 if self.slope else flat


class Phase(NamedTuple):
    """A phase of the motion: when and where it starts, how fast, under which force; all of the crush of the stop."""

    start: mpf
    crush: mpf
    velocity: mpf
    force: mpf
    slope: mpf


class History(NamedTuple):
    """The motion: phases, and what happens when (lengths and velocities of the crush of the stop)."""

    phases: tuple[Phase, ...]
    buckling: mpf | None  # s
    turning: mpf  # s, when the crush is largest
    largest: mpf
    residual: mpf
    stiffness: mpf  # of the return
    release: mpf  # s
    exit: mpf  # speed


@dataclass(frozen=True)
class Stop:
    """Exact parameters; `rows` of the table are residual crush and stiffness."""

    m: Exact
    energy: Exact
    bodies: Exact
    k: Exact
    f_crit: Exact
    f_post: Exact
    plateau: Exact
    softening: Exact
    rows: tuple[tuple[Exact, Exact], ...]

    @property
    def mass(self) -> mpf:
        """Mass that moves with the crush: m, or m/2 between two."""
        return (self.m / self.bodies).mpf()

    @property
    def launched(self) -> mpf:
        """Kinetic energy at the start in J, of all bodies."""
        return (self.energy * self.bodies).mpf()

    @property
    def buckled(self) -> mpf:
        """Crush x_b at which the stop buckles."""
        return (self.f_crit / self.k).mpf()

    def pieces(self) -> tuple[Piece, ...]:
        """Lines of the force of a first loading."""
        critical, post = self.f_crit.mpf(), self.f_post.mpf()
        flat, soft, zero = self.plateau.mpf(), self.softening.mpf(), mpmath.mpf(0)
        lines = [Piece(zero, self.k.mpf(), self.buckled)]
        lines += [Piece(critical, zero, flat)] if flat else []
        lines += [Piece(critical, (post - critical) / soft, soft)] if soft else []
        return (*lines, Piece(post, zero, mpmath.inf))

    def returns(self) -> list[tuple[mpf, mpf]]:
        """Points (largest crush, residual crush), increasing."""
        end, post = self.plateau.mpf(), self.f_post.mpf()
        points = [(self.buckled, mpmath.mpf(0)), (self.buckled + end, end)]
        return points + [(d.mpf() + post / k.mpf(), d.mpf()) for d, k in self.rows]

    def residual(self, largest: mpf) -> mpf:
        """Crush that remains after the largest crush."""
        points = self.returns()
        if largest <= points[0][0]:
            return mpmath.mpf(0)
        for (x, d), (x_next, d_next) in pairwise(points):
            if largest < x_next:
                return d + (largest - x) / (x_next - x) * (d_next - d)
        return points[-1][1] + largest - points[-1][0]


def buckles(stop: Stop) -> bool:
    """Tell whether the energy suffices for the elastic crush x_b: bodies × energy > f_crit²/(2 k), exactly."""
    work = stop.f_crit * stop.f_crit / stop.k
    with mpmath.workdps(100):
        return bool(2 * stop.launched > work.mpf())


class _Leg(NamedTuple):
    """How a phase ended: how long, how far, how fast then."""

    duration: mpf
    path: mpf
    velocity: mpf


def _pass_closed(mass: mpf, piece: Piece, velocity: mpf) -> _Leg:
    """Go along a piece, to its end or to where the energy is used up."""
    energy = mass * velocity**2 / 2
    if energy > piece.work:
        path, left = piece.length, mpmath.sqrt(2 * (energy - piece.work) / mass)
    else:
        path = 2 * energy / (piece.force + mpmath.sqrt(piece.force**2 + 2 * piece.slope * energy))
        left = mpmath.mpf(0)
    return _Leg(_duration(mass, piece, path, velocity, left), path, left)


def _duration(mass: mpf, piece: Piece, path: mpf, before: mpf, after: mpf) -> mpf:
    """Time from velocity to velocity along a piece."""
    if piece.slope == 0:
        return 2 * path / (before + after)
    rate, centre = mpmath.sqrt(abs(piece.slope) / mass), piece.force / piece.slope
    if piece.slope > 0:
        return (mpmath.atan2(rate * (path + centre), after) - mpmath.atan2(rate * centre, before)) / rate
    return mpmath.log((before - rate * centre) / (after - rate * (path + centre))) / rate


def _rows(mass: mpf, force: mpf, slope: mpf) -> taylor.Rows:
    return ((), ((VELOCITY, mpmath.mpf(1)),), ((0, -force / mass), (CRUSH, -slope / mass)))


def _pass_followed(mass: mpf, piece: Piece, velocity: mpf) -> _Leg:
    """Go along a piece by series: to its end or to rest, whichever comes first."""
    rows, elapsed = _rows(mass, piece.force, piece.slope), mpmath.mpf(0)
    state: taylor.State = (mpmath.mpf(1), mpmath.mpf(0), velocity)
    # a constant force gives a parabola, exact at any step; otherwise one radian
    step = mpmath.sqrt(mass / abs(piece.slope)) if piece.slope else 4 * velocity * mass / piece.force
    while True:
        solution = taylor.series(rows, state, step)
        if solution.end()[VELOCITY] < 0:
            rest = taylor.crossing(solution, VELOCITY)
            if solution.of(CRUSH, rest) < piece.length:
                return _Leg(elapsed + rest, solution.of(CRUSH, rest), mpmath.mpf(0))
            solution = taylor.series(rows, state, rest)
        if solution.end()[CRUSH] > piece.length:
            time = taylor.crossing(solution, CRUSH, piece.length)
            return _Leg(elapsed + time, piece.length, solution.of(VELOCITY, time))
        elapsed, state = elapsed + step, solution.end()


def _return_closed(mass: mpf, stiffness: mpf, path: mpf) -> _Leg:
    """Quarter of a period, from rest."""
    omega = mpmath.sqrt(stiffness / mass)
    return _Leg(mpmath.pi / (2 * omega), path, omega * path)


def _return_followed(mass: mpf, stiffness: mpf, path: mpf) -> _Leg:
    state: taylor.State = (mpmath.mpf(1), path, mpmath.mpf(0))
    solution = taylor.series(_rows(mass, mpmath.mpf(0), stiffness), state, 2 * mpmath.sqrt(mass / stiffness))
    time = taylor.crossing(solution, CRUSH)
    return _Leg(time, path, -solution.of(VELOCITY, time))


def _history(stop: Stop, *, series: bool) -> History:
    """Load, piece by piece, then return."""
    mass, pieces = stop.mass, stop.pieces()
    go, back = (_pass_followed, _return_followed) if series else (_pass_closed, _return_closed)
    time, crush, velocity = mpmath.mpf(0), mpmath.mpf(0), mpmath.sqrt(2 * stop.launched / mass)
    phases: list[Phase] = []
    force = mpmath.mpf(0)
    for piece in pieces:
        leg = go(mass, piece, velocity)
        phases.append(Phase(time, crush, velocity, piece.force, piece.slope))
        time, crush, velocity = time + leg.duration, crush + leg.path, leg.velocity
        force = piece.force + piece.slope * leg.path
        if leg.velocity == 0:
            break
    residual = stop.residual(crush)
    stiffness = force / (crush - residual)
    leg = back(mass, stiffness, crush - residual)
    release = time + leg.duration
    phases.append(Phase(time, crush, mpmath.mpf(0), force, stiffness))
    phases.append(Phase(release, residual, -leg.velocity, mpmath.mpf(0), mpmath.mpf(0)))
    buckling = phases[1].start if buckles(stop) else None
    return History(tuple(phases), buckling, time, crush, residual, stiffness, release, leg.velocity)


@per_precision
def closed(stop: Stop) -> History:
    """Follow the motion by closed forms."""
    return _history(stop, series=False)


@per_precision
def followed(stop: Stop) -> History:
    """Follow the motion by Taylor series."""
    return _history(stop, series=True)


def phase_at(history: History, time: mpf) -> Phase:
    """Return the phase that holds at an instant."""
    return [phase for phase in history.phases if phase.start <= time][-1]


def followed_velocity(mass: mpf, phase: Phase, time: mpf) -> mpf:
    """Velocity of the crush at an instant of a phase, by series."""
    longest = mpmath.sqrt(mass / abs(phase.slope)) if phase.slope else mpmath.inf
    start: taylor.State = (mpmath.mpf(1), mpmath.mpf(0), phase.velocity)
    return taylor.advance(_rows(mass, phase.force, phase.slope), start, time - phase.start, longest)[VELOCITY]


def at(mass: mpf, phase: Phase, time: mpf) -> tuple[mpf, mpf, mpf]:
    """Crush, its velocity and the force at an instant of a phase."""
    lapse, v = time - phase.start, phase.velocity
    if phase.slope == 0:
        a = -phase.force / mass
        return phase.crush + v * lapse + a * lapse**2 / 2, v + a * lapse, phase.force
    rate, centre = mpmath.sqrt(abs(phase.slope) / mass), phase.force / phase.slope
    sine, cosine, sign = (
        (mpmath.sin(rate * lapse), mpmath.cos(rate * lapse), -1)
        if phase.slope > 0
        else (mpmath.sinh(rate * lapse), mpmath.cosh(rate * lapse), 1)
    )
    s = centre * (cosine - 1) + v / rate * sine
    return phase.crush + s, sign * rate * centre * sine + v * cosine, phase.force + phase.slope * s
