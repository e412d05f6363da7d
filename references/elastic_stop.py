"""Mass on a spring, launched against an elastic stop: contact and flight alternate for ever.

A mass m on a spring k moves at v0 towards a stop of stiffness kc that touches it at rest (gap 0).
In contact the two springs act together: half a sine of ωc = √((k+kc)/m). In flight the spring acts
alone: half a sine of ω0 = √(k/m). Displacements are positive into the stop. Nothing takes energy, so
that the mass is back at the stop with v0 and all cycles are the first again.

Source: EDF validation manual V5.01.101 (SDND101).
"""

from __future__ import annotations

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.enclosure import ball, per_bits
from veridyn.references.events import Event, Guard
from veridyn.references.flows import Linear, State
from veridyn.references.jets import Ball
from veridyn.references.motion import Ended, Motion, Phase, follow, proved, value_at
from veridyn.references.parameters import Parameter, Record
from veridyn.references.quantities import References

PARAMETERS = (
    Parameter("m", "kg", "mass", "100"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e6"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)

X, V, AREA = range(3)  # AREA: integral of the displacement
ONE = arb(1)


class Oscillator(Record):
    """The parameters, and the durations of the manual at the current precision of mpmath."""

    @property
    def omega_contact(self) -> mpf:
        """ωc in rad/s."""
        return mpmath.sqrt((self.k.mpf() + self.kc.mpf()) / self.m.mpf())

    @property
    def contact(self) -> mpf:
        """Duration of a contact in s."""
        return mpmath.pi / self.omega_contact

    @property
    def flight(self) -> mpf:
        """Duration of a flight in s."""
        return mpmath.pi / mpmath.sqrt((self.k / self.m).mpf())

    def start(self, shock: int) -> mpf:
        """Start of a shock in s, counted from 1."""
        return (shock - 1) * (self.contact + self.flight)


@per_bits
def _cycle(o: Oscillator) -> tuple[Ended, ...]:
    """Return the first contact and the flight that follows."""

    def phase(kind: str, stiffness: arb, time: arb, velocity: arb, guard: Guard) -> Phase:
        flow = Linear(({V: ONE}, {X: -stiffness / ball(o.m)}, {X: ONE}))
        return Phase(kind, flow, time, (arb(0), velocity, arb(0)), (guard,))

    def following(ended: Phase, _event: Event | None, time: arb, state: State) -> Phase | None:
        if ended.kind == "flight":
            return None
        return phase("flight", ball(o.k), time, state[V], Guard("touch", {X: -ONE}, 1))

    return follow(
        phase("contact", ball(o.k) + ball(o.kc), arb(0), ball(o.v0), Guard("release", {X: ONE}, 1)), following
    )


reference = References(
    PARAMETERS,
    Oscillator,
    kind="closed form",
    proof="linear phases enclosed, touch and release proved to be the next roots of the displacement",
    effort=lambda o: proved(_cycle(o)),
)


def _deepest(o: Oscillator) -> Ball:
    """Return the instant of the only turning point in contact (s)."""
    (deepest,) = _cycle(o)[0].extremes({V: ONE})
    return deepest


def _turn(o: Oscillator) -> Ball:
    return _cycle(o)[0].phase.at(_deepest(o))[X]


def _before(o: Oscillator, shock: int) -> Ball:
    """Return how long the cycles before a shock last (s)."""
    return (shock - 1) * _cycle(o)[1].end


@reference(lambda o, shock: o.start(shock), how="(shock - 1) (π/ωc + π/ω0)")
def contact_start(o: Oscillator, shock: int = 1) -> Ball:
    """Instant at which a shock begins, counted from 1, in s; the first begins at t = 0. Source: EDF V5.01.101."""
    return _before(o, shock)


@reference(lambda o, shock: o.start(shock) + o.contact, how="(shock - 1) (π/ωc + π/ω0) + π/ωc")
def contact_end(o: Oscillator, shock: int = 1) -> Ball:
    """Instant at which a shock ends, in s."""
    return _before(o, shock) + _cycle(o)[0].end


@reference(lambda o, shock: o.start(shock) + o.contact / 2, how="(shock - 1) (π/ωc + π/ω0) + π/(2 ωc)")
def peak_time(o: Oscillator, shock: int = 1) -> Ball:
    """Instant of the greatest force of a shock, in s."""
    return _before(o, shock) + _deepest(o)


@reference(lambda o: (o.kc * o.v0).mpf() / o.omega_contact, how="kc v0/ωc")
def peak_force(o: Oscillator) -> Ball:
    """Greatest force of the stop, in N; the same for every shock. Source: EDF V5.01.101."""
    return ball(o.kc) * _turn(o)


@reference(lambda o: o.contact, how="π/ωc")
def contact_duration(o: Oscillator) -> Ball:
    """Duration of each shock, in s."""
    return _cycle(o)[0].end


@reference(lambda o: o.flight, how="π/ω0")
def flight_duration(o: Oscillator) -> Ball:
    """Duration of each flight, in s."""
    contact, flight = _cycle(o)
    return flight.end - contact.end


@reference(lambda o: 2 * (o.kc * o.v0).mpf() / o.omega_contact**2, how="2 kc v0/ωc²")
def impulse(o: Oscillator) -> Ball:
    """Impulse of the stop alone during a shock, in N s.

    The mass receives 2 m v0 in all; the spring gives its share 2 k v0/ωc², so that the stop gives slightly less.
    Source: EDF V5.01.101, whose printed value is the one of a solver and not this.
    """
    contact = _cycle(o)[0]
    return ball(o.kc) * contact.phase.at(contact.end)[AREA]


@reference(lambda o: -o.v0.mpf(), how="-v0")
def impact_velocity(o: Oscillator) -> Ball:
    """Velocity at each impact, in m/s: an approach counts as negative. Source: EDF V5.01.101."""
    flight = _cycle(o)[1]
    return -flight.phase.at(flight.end)[V]


@reference(lambda o: (o.m * o.v0 * o.v0).mpf() / 2, how="½ m v0²")
def energy(o: Oscillator) -> Ball:
    """Total energy, in J; nothing dissipates it."""
    return (ball(o.k) + ball(o.kc)) * _turn(o) ** 2 / 2


@reference.function
def motion(o: Oscillator, digits: int = 30) -> Motion:
    """Motion through any number of shocks: displacement (m), velocity (m/s), force of the stop (N), zero in flight."""

    def read(place: int, time: arb) -> Ball:
        before = (time / _cycle(o)[1].end).mid().floor()  # cycles; the first again is what follows them
        return value_at(_cycle(o), {place: ONE}, time - before * _cycle(o)[1].end)

    return Motion(
        {
            "displacement": lambda t: read(X, t),
            "velocity": lambda t: read(V, t),
            "force": lambda t: ball(o.kc) * read(X, t).max(arb(0)),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _cycle(o)],
        digits,
    )
