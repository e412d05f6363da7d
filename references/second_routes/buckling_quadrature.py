"""The second route of the buckling stop: its law as a polygon of forces over crush, times as integrals of 1/velocity.

The largest crush is where the area under the polygon is the energy. Along a straight line of force that ends at the
crush s_e with the velocity v_e, v² = v_e² + (s_e - s) (F(s) + F_e)/m, so that with s_e - s = L x² the time over it is
∫ 2 L x/v dx from 0 to 1, smooth also where the mass turns. What the energy passes by less than the digits asked for is
met exactly; all but the integrals is computed with twice the digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact, ParameterSet
from veridyn.references.second_routes.roots import polished_root

GUARD = 10  # digits of the integrals beyond those asked for


class CrushStop(ParameterSet):
    """The parameters, and what follows from them."""

    @property
    def mass(self) -> Exact:
        """Mass that moves with the crush: m, or m/2 between two."""
        return self.m / self.bodies

    @property
    def launched(self) -> Exact:
        """Kinetic energy at the start in J, of all bodies."""
        return self.energy * self.bodies

    @property
    def buckled(self) -> Exact:
        """Crush at which the stop buckles."""
        return self.f_crit / self.k

    @property
    def rows(self) -> tuple[tuple[Exact, Exact], ...]:
        """Rows of the table: residual crush and stiffness."""
        table = ((self.d1, self.k1), (self.d2, self.k2), (self.d3, self.k3), (self.d4, self.k4))
        return tuple(filter(lambda row: row[1].rational > 0, table))


class Crush(NamedTuple):
    """What the quantities are made of: balls of the first route or numbers of the second, of the crush of the stop.

    Number of bodies; instants (s) at which the stop buckles, if it does, the masses turn, and the force ends; largest
    crush and what remains (m); stiffness of the return (N/m); velocity at its end (m/s); energy lost (J); how many ends
    of lines are passed.
    """

    bodies: Any
    buckled: Any
    turned: Any
    largest: Any
    stiffness: Any
    residual: Any
    released: Any
    exit: Any
    lost: Any
    changes: Any


class ForceLine(NamedTuple):
    """A straight line of force: crush and force where it begins and ends."""

    s0: mpf
    f0: mpf
    s1: mpf
    f1: mpf

    def area(self, s: mpf) -> mpf:
        """Return the work up to a crush, all of it beyond the end."""
        s = min(max(s, self.s0), self.s1)
        return (s - self.s0) * (self.f0 + self.force(s)) / 2

    def force(self, s: mpf) -> mpf:
        """Return the force at a crush."""
        return self.f0 if self.f0 == self.f1 else self.f0 + (self.f1 - self.f0) * (s - self.s0) / (self.s1 - self.s0)

    def time(self, end: mpf, speed: mpf, mass: mpf) -> mpf:
        """Return how long it takes to a crush at which the speed is known (s); the mass comes faster."""
        with mpmath.workdps(mpmath.mp.dps // 2 + GUARD):
            length, last, first = end - self.s0, self.force(end), self.f0

            def density(x: mpf) -> mpf:
                pushed = length * (2 * last + (first - last) * x**2) / mass
                return 1 / mpmath.sqrt(pushed) if speed == 0 else x / mpmath.sqrt(speed**2 + x**2 * pushed)

            return 2 * length * mpmath.quad(density, [0, 1])


class ForcePhase(NamedTuple):
    """A phase: start (s), velocity and force there, stiffness."""

    start: mpf
    velocity: mpf
    force: mpf
    slope: mpf


def _polygon(stop: CrushStop) -> list[ForceLine]:
    """Return the lines of the force up to where nothing is left of the energy."""
    critical, post, buckled = stop.f_crit.mpf(), stop.f_post.mpf(), stop.buckled.mpf()
    flat, soft = buckled + stop.plateau.mpf(), buckled + stop.plateau.mpf() + stop.softening.mpf()
    far = soft + 2 * stop.launched.mpf() / post
    corners = [(0, 0, buckled, critical), (buckled, critical, flat, critical), (flat, critical, soft, post)]
    return [ForceLine(*map(mpmath.mpf, each)) for each in (*corners, (soft, post, far, post)) if each[2] > each[0]]


def _crushed(lines: Sequence[ForceLine], energy: mpf) -> tuple[list[ForceLine], mpf]:
    """Return the lines that are met, and the largest crush: where the area is the energy."""
    met: list[ForceLine] = []
    for line in lines:
        met.append(line)
        missing = sum(each.area(line.s1) for each in met) - energy
        if abs(missing) <= energy * mpmath.mpf(10) ** (-mpmath.mp.dps // 2):
            return met, line.s1
        if missing > 0:
            break
    last, before = met[-1], sum(each.area(each.s1) for each in met[:-1])
    return met, polished_root(
        lambda s: before + last.area(s) - energy,
        last.force,
        (last.s0, last.s1),
        rising=True,
        name="largest crush",
    )


def _residual(stop: CrushStop, met: Sequence[ForceLine], largest: mpf) -> mpf:
    """Return the crush that remains: interpolated between points (largest crush, residual crush)."""
    buckled, flat, post = stop.buckled.mpf(), stop.plateau.mpf(), stop.f_post.mpf()
    if len(met) == 1:
        return mpmath.mpf(0)
    if largest <= met[1].s1 and flat > 0:
        return largest - buckled
    points = [(buckled + flat, flat), *((d.mpf() + post / k.mpf(), d.mpf()) for d, k in stop.rows)]
    for (x, d), (x_next, d_next) in pairwise(points):
        if largest < x_next:
            return (d * (x_next - largest) + d_next * (largest - x)) / (x_next - x)
    return points[-1][1] + largest - points[-1][0]


@per_precision
def _history(stop: CrushStop) -> tuple[tuple[ForcePhase, ...], Crush]:
    """Return the lines of the force that are met, return, release; and what is asked of them."""
    with mpmath.workdps(2 * mpmath.mp.dps):
        mass, energy = stop.mass.mpf(), stop.launched.mpf()
        met, largest = _crushed(_polygon(stop), energy)
        time, phases = mpmath.mpf(0), []
        for line in met:
            speed = mpmath.sqrt(2 * energy / mass)
            phases.append(ForcePhase(time, speed, line.f0, (line.f1 - line.f0) / (line.s1 - line.s0)))
            energy = energy - line.area(largest) if line is not met[-1] else mpmath.mpf(0)
            time += line.time(min(largest, line.s1), mpmath.sqrt(2 * energy / mass), mass)
        force, residual = met[-1].force(largest), _residual(stop, met, largest)
        back = largest - residual
        release = time + ForceLine(mpmath.mpf(0), mpmath.mpf(0), back, force).time(back, mpmath.mpf(0), mass)
        phases.append(ForcePhase(time, mpmath.mpf(0), force, force / back))
        phases.append(ForcePhase(release, -mpmath.sqrt(force * back / mass), mpmath.mpf(0), mpmath.mpf(0)))
        lost = sum(line.area(largest) for line in met) - force * back / 2 if len(met) > 1 else mpmath.mpf(0)
        speed, changes = phases[-1].velocity, mpmath.mpf(len(met) - 1)
        result = (
            stop.bodies.mpf(),
            phases[1].start,
            time,
            largest,
            force / back,
            residual,
            release,
            speed,
            lost,
            changes,
        )
        return tuple(phases), Crush(*result)


def crush(stop: CrushStop) -> Crush:
    """Return what is asked of the motion at the current precision."""
    return _history(stop)[1]


def velocity(stop: CrushStop, time: mpf) -> mpf:
    """Return the velocity of the crush at an instant (m/s): hyperbolic functions, of imaginary numbers in a spring."""
    phase = [phase for phase in _history(stop)[0] if phase.start <= time][-1]
    lapse, mass = time - phase.start, stop.mass.mpf()
    if not phase.slope:
        return phase.velocity - phase.force * lapse / mass
    rate = mpmath.sqrt(mpmath.mpc(-phase.slope / mass))
    turned = rate * lapse
    return mpmath.re(phase.velocity * mpmath.cosh(turned) - phase.force / (mass * rate) * mpmath.sinh(turned))
