"""Mass on a spring that bounces between two elastic walls: two flights and two contacts, for ever the same.

A mass m on a spring k leaves x = 0 at v0. One wall stands at x = a, the other at x = -b, both of stiffness kc. In
flight the mass swings with ω0 = √(k/m); it meets a wall at the distance g with u = √(v0² - ω0² g²) and turns there
about g - r, r = g k/(k + kc), with ωc = √((k + kc)/m) and the amplitude R = hypot(r, u/ωc). Nothing takes energy:

    quarter flight  asin(ω0 g/v0)/ω0,    contact  2 atan2(u, ωc r)/ωc,    largest force  kc (R - r).

Source: derived here; what the walls are - planes, a circle, a profile - is the affair of who poses the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.engine.enclosure import ball, per_bits, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import FIRST, TIME

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("k", "N/m", "stiffness of the spring", "200"),
    Parameter("kc", "N/m", "stiffness of both walls", "2e4"),
    Parameter("v0", "m/s", "velocity at the start, towards the first wall", "1"),
    Parameter("a", "m", "distance of the first wall", "0.05"),
    Parameter("b", "m", "distance of the second wall", "0.03"),
)

X, V, AREA, UNIT = range(4)  # AREA: integral of the displacement
ONE = arb(1)
KINDS = ("flight", "first", "flight", "second", "flight")


class Pendular(ParameterSet):
    """The parameters; the mass reaches both walls."""

    def check(self) -> None:
        """Refuse a wall that the spring alone keeps from the mass."""
        for name in ("a", "b"):
            gap = getattr(self, name).plain
            if sign_of(self.m.plain * self.v0.plain * self.v0.plain, -self.k.plain * gap * gap) <= 0:
                raise ParameterError(f"{name} = {gap} m: v0 = {self.v0} m/s is too slow to reach this wall")


@per_bits
def _cycle(o: Pendular) -> tuple[PhaseEnd, ...]:
    """Return the first flight, both contacts with the flight between, and the flight back to the first wall."""
    gaps, kc = {"first": ball(o.a), "second": ball(o.b)}, ball(o.kc)
    towards = {"first": ONE, "second": -ONE}

    def phase(place: int, time: arb, state: State) -> Phase:
        kind, left = KINDS[place], KINDS[place - 1]  # the last flight leaves the second wall, the first one none
        wall = towards.get(kind)
        stiffness, pull = (ball(o.k), arb(0)) if wall is None else (ball(o.k) + kc, wall * kc * gaps[kind])
        flow = LinearFlow(({V: ONE}, {X: -stiffness / ball(o.m), UNIT: pull / ball(o.m)}, {X: ONE}, {}))
        if wall is not None:
            return Phase(kind, flow, time, state, (Guard("release", {X: wall, UNIT: -gaps[kind]}, 1),))
        guards = (Guard(w, {X: -side, UNIT: gaps[w]}, int(place > 0 and w == left)) for w, side in towards.items())
        return Phase(kind, flow, time, state, tuple(guards))

    places = iter(range(1, len(KINDS)))

    def following(ended: Phase, event: Event | None, time: arb, state: State) -> Phase | None:
        place, wall = next(places, None), ended.kind if event is None or event.name == "release" else event.name
        return None if place is None else phase(place, time, (towards[wall] * gaps[wall], state[V], arb(0), ONE))

    return follow(phase(0, arb(0), (arb(0), ball(o.v0), arb(0), ONE)), following)


class Wall(NamedTuple):
    """What one wall does: quarter flight before it (s), contact (s), largest force (N), impulse (N s)."""

    flight: mpf
    contact: mpf
    force: mpf
    impulse: mpf


def _closed(o: Pendular, gap: Exact) -> Wall:
    m, k, kc, v0, g = (p.mpf() for p in (o.m, o.k, o.kc, o.v0, gap))
    w0, wc, r = mpmath.sqrt(k / m), mpmath.sqrt((k + kc) / m), g * k / (k + kc)
    u = mpmath.sqrt(v0**2 - w0**2 * g**2)
    half, R = mpmath.atan2(u, wc * r) / wc, mpmath.hypot(r, u / wc)
    # the spring takes its share of the change of momentum: k times the integral of (g - r) + R cos(ωc t)
    return Wall(mpmath.asin(w0 * g / v0) / w0, 2 * half, kc * (R - r), 2 * (m * u - k * ((g - r) * half + u / wc**2)))


def _wall(o: Pendular, number: int) -> Wall:
    """Return the wall of a contact, counted from 1."""
    return _closed(o, o.a if number % 2 else o.b)


reference = References(
    PARAMETERS,
    Pendular,
    kind="closed form",
    proof="linear phases enclosed, touch and release proved to be the next roots of either gap",
    effort=lambda o, **_: proved(_cycle(o)),
)


def _start(o: Pendular, number: int) -> mpf:
    """Return the touch of a contact (s): every contact before it had a quarter flight on both sides."""
    before = (2 * wall.flight + wall.contact for wall in (_wall(o, n) for n in range(1, number)))
    return mpmath.fsum(before) + _wall(o, number).flight


def _period(o: Pendular) -> Ball:
    cycle = _cycle(o)
    return cycle[4].end - cycle[0].end


def _contact(o: Pendular, number: int) -> tuple[PhaseEnd, Ball]:
    """Return the contact of the first cycle that is like a contact, counted from 1, and how much earlier it is (s)."""
    return _cycle(o)[1 if number % 2 else 3], (number - 1) // 2 * _period(o)


@reference(_start, how="quarter flights asin(ω0 g/v0)/ω0 and contacts 2 atan2(u, ωc r)/ωc before it", takes=(FIRST,))
def touch(o: Pendular, number: int) -> Ball:
    """Instant at which a contact begins, counted from 1, in s; odd ones are those of the first wall."""
    contact, before = _contact(o, number)
    return before + contact.phase.start


@reference(
    lambda o, number: _start(o, number) + _wall(o, number).contact,
    how="touch and contact 2 atan2(u, ωc r)/ωc",
    takes=(FIRST,),
)
def release(o: Pendular, number: int) -> Ball:
    """Instant at which a contact ends, counted from 1, in s."""
    contact, before = _contact(o, number)
    return before + contact.end


@reference(lambda o, number: _wall(o, number).force, how="kc (R - r), R = hypot(r, u/ωc)", takes=(FIRST,))
def peak_force(o: Pendular, number: int) -> Ball:
    """Largest force of a contact, counted from 1, in N."""
    contact, _ = _contact(o, number)
    (deepest,) = contact.extremes({V: ONE})
    gap = ball(o.a if number % 2 else o.b)
    return ball(o.kc) * (abs(contact.phase.at(deepest)[X]) - gap)


@reference(lambda o, number: _wall(o, number).impulse, how="2 m u less the impulse of the spring", takes=(FIRST,))
def impulse(o: Pendular, number: int) -> Ball:
    """Impulse of the wall in a contact, counted from 1, in N s."""
    contact, _ = _contact(o, number)
    gap, area = ball(o.a if number % 2 else o.b), contact.phase.at(contact.end)[AREA]
    return ball(o.kc) * (abs(area) - gap * (contact.end - contact.phase.start))


def _read(o: Pendular, row: Row | Callable[[Phase], Row], time: arb) -> Ball:
    before = (value(time) / value(_period(o))).mid().floor()  # the mass is back at x = 0 with v0 after each cycle
    return value_at(_cycle(o), row, time - before * _period(o))


def _place(o: Pendular, time: Exact) -> mpf:
    """Return the displacement from that of the piece of the cycle around an instant."""
    k, both, v0, left, number = o.k.mpf(), o.k.mpf() + o.kc.mpf(), o.v0.mpf(), time.mpf(), 1
    while left > 2 * (wall := _wall(o, number)).flight + wall.contact:
        left, number = left - 2 * wall.flight - wall.contact, number + 1
    gap, side = (o.a.mpf(), 1) if number % 2 else (o.b.mpf(), -1)
    half, late = wall.contact / 2, abs(left - wall.flight - wall.contact / 2)  # before or after the turning point
    if late > half:
        omega = mpmath.sqrt(k / o.m.mpf())
        return side * v0 / omega * mpmath.sin(omega * (wall.flight + half - late))
    R = (wall.force + gap * k * o.kc.mpf() / both) / o.kc.mpf()
    return side * (gap * o.kc.mpf() / both + R * mpmath.cos(mpmath.sqrt(both / o.m.mpf()) * late))


@reference(_place, how="half waves about 0 and about g - r, mirrored at the turning points", takes=(TIME,))
def displacement(o: Pendular, time: Exact) -> Ball:
    """Displacement towards the first wall at an instant (s), in m."""
    return _read(o, {X: ONE}, ball(time))


@reference.function()
def motion(o: Pendular, digits: int) -> Motion:
    """Motion for ever: displacement (m), velocity (m/s), force of a wall (N), zero in flight."""

    def force(phase: Phase) -> Row:
        sides = {"first": (ONE, ball(o.a)), "second": (-ONE, ball(o.b))}
        if phase.kind not in sides:
            return {}
        side, gap = sides[phase.kind]
        return {X: ball(o.kc) * side, UNIT: -ball(o.kc) * gap}

    return Motion(
        {
            "displacement": lambda t: _read(o, {X: ONE}, t),
            "velocity": lambda t: _read(o, {V: ONE}, t),
            "force": lambda t: _read(o, force, t),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _cycle(o)],
        digits,
    )
