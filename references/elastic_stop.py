"""Mass on a spring, launched against an elastic stop: contact and flight alternate for ever.

A mass m on a spring k moves at v0 towards a stop of stiffness kc that touches it at rest (gap 0).
In contact the two springs act together: half a sine of ωc = √((k+kc)/m). In flight the spring acts
alone: half a sine of ω0 = √(k/m). Displacements are positive into the stop. Nothing takes energy, so
that the mass is back at the stop with v0 and all cycles are the first again.

Source: EDF validation manual V5.01.101 (SDND101).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.certified import Certified, Route
from veridyn.references.enclosure import ball, enclose, per_bits
from veridyn.references.events import Event, Guard
from veridyn.references.flows import Linear, State
from veridyn.references.jets import Ball
from veridyn.references.motion import Ended, Motion, Phase, follow, proved, value_at
from veridyn.references.parameters import Exact, Number, Parameter, check_count, check_digits, resolve

PARAMETERS = (
    Parameter("m", "kg", "mass", "100"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e6"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)

_PROOF = "linear phases enclosed, touch and release proved to be the next roots of the displacement"
X, V, AREA = range(3)  # AREA: integral of the displacement
ONE = arb(1)


@dataclass(frozen=True)
class Oscillator:
    """The parameters, and the durations of the manual at the current precision of mpmath."""

    m: Exact
    k: Exact
    kc: Exact
    v0: Exact

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


def _contact(o: Oscillator) -> Any:
    return _cycle(o)[0].end


def _lasts(o: Oscillator) -> Any:
    return _cycle(o)[1].end


def _deepest(o: Oscillator) -> Ball:
    """Return the instant of the only turning point in contact (s)."""
    (deepest,) = _cycle(o)[0].extremes({V: ONE})
    return deepest


def _turn(o: Oscillator) -> Ball:
    return _cycle(o)[0].phase.at(_deepest(o))[X]


def _certified(
    name: str,
    digits: int,
    given: dict[str, Number],
    read: Callable[[Oscillator], Ball],
    formula: str,
    value: Callable[[Oscillator], mpf],
) -> Certified:
    o = Oscillator(**resolve(PARAMETERS, given))
    closed = Route(formula, lambda: value(o))
    return enclose(
        lambda: read(o),
        closed,
        digits=digits,
        kind="closed form",
        name=name,
        proof=_PROOF,
        proved=lambda: proved(_cycle(o)),
    )


def contact_start(*, shock: int = 1, digits: int = 30, **given: Number) -> Certified:
    """Instant at which a shock begins.

    Parameters
    ----------
    shock
        Which shock, counted from 1; the first begins at t = 0.
    digits
        Digits wanted.
    given
        Parameters, see `PARAMETERS`; those that are not given have their default.

    Returns
    -------
    Certified
        (shock - 1) (π/ωc + π/ω0), in s. Source: EDF V5.01.101.

    Raises
    ------
    ParameterError
        If a parameter is not positive or `shock` is not a positive integer.
    """
    n, formula = check_count(shock, "shock"), "(shock - 1) (π/ωc + π/ω0)"
    return _certified("contact_start", digits, given, lambda o: (n - 1) * _lasts(o), formula, lambda o: o.start(n))


def contact_end(*, shock: int = 1, digits: int = 30, **given: Number) -> Certified:
    """Instant at which a shock ends, in s; parameters and errors as `contact_start`."""
    n, formula = check_count(shock, "shock"), "(shock - 1) (π/ωc + π/ω0) + π/ωc"

    def read(o: Oscillator) -> Any:
        return (n - 1) * _lasts(o) + _contact(o)

    return _certified("contact_end", digits, given, read, formula, lambda o: o.start(n) + o.contact)


def peak_time(*, shock: int = 1, digits: int = 30, **given: Number) -> Certified:
    """Instant of the greatest force of a shock, in s; parameters and errors as `contact_start`."""
    n, formula = check_count(shock, "shock"), "(shock - 1) (π/ωc + π/ω0) + π/(2 ωc)"

    def read(o: Oscillator) -> Any:
        return (n - 1) * _lasts(o) + _deepest(o)

    return _certified("peak_time", digits, given, read, formula, lambda o: o.start(n) + o.contact / 2)


def peak_force(*, digits: int = 30, **given: Number) -> Certified:
    """Greatest force of the stop, kc v0/ωc, in N; the same for every shock.

    Parameters and errors as `contact_start`. Source: EDF V5.01.101.
    """

    def closed(o: Oscillator) -> mpf:
        return (o.kc * o.v0).mpf() / o.omega_contact

    return _certified("peak_force", digits, given, lambda o: ball(o.kc) * _turn(o), "kc v0/ωc", closed)


def contact_duration(*, digits: int = 30, **given: Number) -> Certified:
    """Duration of each shock, π/ωc, in s; parameters and errors as `contact_start`."""
    return _certified("contact_duration", digits, given, _contact, "π/ωc", lambda o: o.contact)


def flight_duration(*, digits: int = 30, **given: Number) -> Certified:
    """Duration of each flight, π/ω0, in s; parameters and errors as `contact_start`."""
    return _certified("flight_duration", digits, given, lambda o: _lasts(o) - _contact(o), "π/ω0", lambda o: o.flight)


def impulse(*, digits: int = 30, **given: Number) -> Certified:
    """Impulse of the stop alone during a shock, 2 kc v0/ωc², in N s.

    The mass receives 2 m v0 in all; the spring gives its share 2 k v0/ωc², so that the stop gives
    slightly less than 2 m v0. Parameters and errors as `contact_start`. Source: EDF V5.01.101, whose
    printed value is the one of a solver and not this.
    """

    def read(o: Oscillator) -> Ball:
        return ball(o.kc) * _cycle(o)[0].phase.at(_contact(o))[AREA]

    def closed(o: Oscillator) -> mpf:
        return 2 * (o.kc * o.v0).mpf() / o.omega_contact**2

    return _certified("impulse", digits, given, read, "2 kc v0/ωc²", closed)


def impact_velocity(*, digits: int = 30, **given: Number) -> Certified:
    """Velocity at each impact, -v0, in m/s: an approach counts as negative.

    Parameters and errors as `contact_start`. Source: EDF V5.01.101.
    """

    def read(o: Oscillator) -> Ball:
        return -_cycle(o)[1].phase.at(_lasts(o))[V]

    return _certified("impact_velocity", digits, given, read, "-v0", lambda o: -o.v0.mpf())


def energy(*, digits: int = 30, **given: Number) -> Certified:
    """Total energy, ½ m v0², in J; nothing dissipates it. Parameters and errors as `contact_start`."""

    def read(o: Oscillator) -> Ball:
        return (ball(o.k) + ball(o.kc)) * _turn(o) ** 2 / 2

    return _certified("energy", digits, given, read, "½ m v0²", lambda o: (o.m * o.v0 * o.v0).mpf() / 2)


def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Motion through any number of shocks: displacement (m), velocity (m/s), force of the stop (N), zero in flight.

    For figures and comparison of histories; parameters and errors as `contact_start`.
    """
    o = Oscillator(**resolve(PARAMETERS, given))

    def read(place: int, time: arb) -> Ball:
        before = (time / _lasts(o)).mid().floor()  # cycles; the first again is what follows them
        return value_at(_cycle(o), {place: ONE}, time - before * _lasts(o))

    return Motion(
        {
            "displacement": lambda t: read(X, t),
            "velocity": lambda t: read(V, t),
            "force": lambda t: ball(o.kc) * read(X, t).max(arb(0)),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _cycle(o)],
        check_digits(digits),
    )
