"""Mass on a spring, launched against a stop with spring and dashpot: each contact takes the same share of the speed.

Without a dashpot nothing takes energy: contact, half a sine of ω, and flight, half a sine of ω0, alternate for ever.

A mass m on a spring k moves at v0 towards a stop that touches it at rest (gap 0). The stop pushes with kc x + cc x' as
long as that is positive: it never pulls, so that it lets go while it is still compressed (x = xr > 0) and the mass
leaves it on the spring k alone. There x and x' fall, so that the stop does not push again before x = 0. In contact
x'' + 2 β x' + ω² x = 0 with β = cc/(2m), ω² = (k + kc)/m; with ωd² = ω² - β² (negative where the mass creeps) and the
velocity v of the touch

    x = v/ωd exp(-βt) sin ωd t,    the force vanishes where tan ωd tr = cc ωd/(cc β - kc),
    from (xr, vr) half a sine of ω0 = sqrt(k/m) leads back to the stop at e v = sqrt(vr² + ω0² xr²).

All is proportional to v, so that e is a coefficient of restitution, the same for every contact, and every cycle lasts
as long as the first. Displacements are positive into the stop.

Source: derived here; the law of the stop is that of DIS_CHOC in Code_Aster (R5.06.03). Without a dashpot: EDF
validation manual V5.01.101 (SDND101), whose printed impulse is the one of a solver and not that of the stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import ball, per_bits
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import largest, value
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Parameter, ParameterSet
from veridyn.references.reference import CONTACT

PARAMETERS = (
    Parameter("m", "kg", "mass", "100"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("kc", "N/m", "stiffness of the stop", "2.4e5"),
    Parameter("cc", "N s/m", "damping of the stop", "1000", "non-negative"),
    Parameter("v0", "m/s", "launch velocity, towards the stop", "1"),
)

X, V, AREA = range(3)  # AREA: integral of the displacement
ONE = arb(1)


@dataclass(frozen=True)
class ContactCycle:
    """A contact with the flight that follows, for a touch at 1 m/s: instants in s from the touch, in arb or mpf.

    ``v0``: launch velocity (m/s); ``released``: the force vanishes; ``opened``: the mass leaves the place of the stop;
    ``lasts``: it is back; ``peaked``: the force is largest; ``peak``: it is so (N); ``impulse``: its integral (N s);
    ``rebound``: largest distance (m); ``e``: speed of the return; ``k``: stiffness of the spring (N/m).
    """

    v0: Any
    released: Any
    opened: Any
    lasts: Any
    peaked: Any
    peak: Any
    impulse: Any
    rebound: Any
    e: Any
    k: Any


def _force(o: ParameterSet) -> Row:
    return {X: ball(o.kc), V: ball(o.cc)}


@per_bits
def _phases(o: ParameterSet) -> tuple[PhaseEnd, ...]:
    """Return contact, release to opening (with a dashpot), and flight, after a touch at 1 m/s."""
    spring, stop, dashpot = ball(o.k / o.m), ball(o.kc / o.m), ball(o.cc / o.m)
    free = LinearFlow(({V: ONE}, {X: -spring}, {X: ONE}))
    contact = LinearFlow(({V: ONE}, {X: -spring - stop, V: -dashpot}, {X: ONE}))

    def following(phase: Phase, _event: Event | None, time: arb, state: State) -> Phase | None:
        if phase.kind == "contact" and o.cc.rational:  # it ends where kc x = -cc v
            there = (-ball(o.cc / o.kc) * state[V], *state[V:])
            return Phase("release", free, time, there, (Guard("opening", {X: ONE}),))
        if phase.kind != "flight":
            return Phase("flight", free, time, (arb(0), *state[V:]), (Guard("touch", {X: -ONE}, 1),))
        return None

    start, pushes = (arb(0), ONE, arb(0)), Guard("release", _force(o), int(not o.cc.rational))
    return follow(Phase("contact", contact, arb(0), start, (pushes,)), following)


@per_bits
def _cycle(o: ParameterSet) -> ContactCycle:
    """Return the cycle from its phases; the force is largest at the touch or where its rate vanishes."""
    contact, *_, flight = _phases(o)
    rate = ball(o.kc) * (1 - ball(o.cc * o.cc / (o.kc * o.m)))  # at the touch; exactly 0 if cc² = kc m
    slope = {X: -ball(o.cc / o.m) * (ball(o.k) + ball(o.kc)), V: rate}
    turns = [*contact.extremes(slope, zeros=int(value(rate).is_zero()))]  # one at most, before the force vanishes
    (furthest,) = flight.extremes({V: ONE})
    released = contact.phase.at(contact.end)
    return ContactCycle(
        v0=ball(o.v0),
        released=contact.end,
        opened=flight.phase.start,
        lasts=flight.end,
        peaked=turns[0] if turns else arb(0),
        peak=largest([ball(o.cc), *(contact.phase.read(_force(o), time) for time in turns)]),
        impulse=ball(o.kc) * released[AREA] + ball(o.cc) * released[X],
        rebound=-flight.phase.at(furthest)[X],
        e=flight.phase.at(flight.end)[V],
        k=ball(o.k),
    )


@per_precision
def _closed(o: ParameterSet) -> ContactCycle:
    """Return the cycle in closed form; the impulse is what of the momentum the spring has not taken."""
    m, k, kc, cc, v0 = (p.mpf() for p in (o.m, o.k, o.kc, o.cc, o.v0))
    w0, beta = mpmath.sqrt(k / m), cc / (2 * m)
    square, sine = (k + kc) / m - beta**2, kc - cc * beta
    wd = mpmath.sqrt(mpmath.mpc(square))

    def state(t: mpf) -> tuple[mpf, mpf]:
        decay, s, c = mpmath.exp(-beta * t), (t * mpmath.sinc(wd * t)).real, mpmath.cos(wd * t).real
        return decay * s, decay * (c - beta * s)

    released, rises = _first(cc, -sine, square), kc - cc**2 / m  # N per metre of the way in, at the touch
    peaked = _first(rises, beta * sine + cc * square, square) if rises > 0 else mpmath.mpf(0)
    (deep, fast), (x, v) = state(peaked), state(released)
    taken = k * (m * (1 - v) - cc * x) / (k + kc)
    opened, e = released + mpmath.atan2(w0 * x, -v) / w0, mpmath.hypot(v, w0 * x)
    return ContactCycle(
        v0,
        released,
        opened,
        opened + mpmath.pi / w0,
        peaked,
        kc * deep + cc * fast,
        m * (1 - v) - taken,
        e / w0,
        e,
        k,
    )


def _first(y: mpf, x: mpf, square: mpf) -> mpf:
    """Return the first t > 0 with tan(ωd t) = ωd y/x, for ωd² of either sign; y is positive."""
    wd = mpmath.sqrt(abs(square))
    if square > 0:
        return mpmath.atan2(wd * y, x) / wd
    return mpmath.atanh(wd * y / x) / wd if wd else y / x


reference = References(
    PARAMETERS,
    kind="closed form",
    proof="linear phases enclosed, end of the force, opening and touch proved to be the next roots",
    effort=lambda o, **_: proved(_phases(o)),
)


of_cycle = partial(reference.both, _cycle, _closed)


@of_cycle(how="(contact - 1) cycles: contact, opening, half a period of flight", takes=(CONTACT,))
def touch(c: ContactCycle, contact: int) -> Any:
    """Instant at which a contact begins, counted from 1, in s; the first begins at t = 0."""
    return (contact - 1) * c.lasts


@of_cycle(how="cycles before, tr + atan2(ω0 xr, -vr)/ω0", takes=(CONTACT,))
def opening(c: ContactCycle, contact: int) -> Any:
    """Instant at which the mass leaves the place of the stop (x = 0), in s."""
    return (contact - 1) * c.lasts + c.opened


@of_cycle(how="half a period of flight")
def flight_duration(c: ContactCycle) -> Any:
    """Duration of each flight, in s."""
    return c.lasts - c.opened


@of_cycle(how="tan ωd tr = cc ωd/(cc β - kc)")
def force_duration(c: ContactCycle) -> Any:
    """Time that the stop pushes in each contact, in s."""
    return c.released


@of_cycle(how="sqrt(vr² + ω0² xr²)/v")
def restitution(c: ContactCycle) -> Any:
    """Velocity of a touch over that of the touch before."""
    return c.e


@of_cycle(how="v0 e^contact/ω0", takes=(CONTACT,))
def rebound(c: ContactCycle, contact: int) -> Any:
    """Largest distance from the stop after a contact, in m."""
    return c.v0 * c.e ** (contact - 1) * c.rebound


@of_cycle(
    how="v0 e^(contact - 1) times the force where its rate vanishes, or at the touch if it never grows",
    takes=(CONTACT,),
)
def peak_force(c: ContactCycle, contact: int) -> Any:
    """Largest force of a contact, in N."""
    return c.v0 * c.e ** (contact - 1) * c.peak


@of_cycle(how="cycles before, and the first zero of the rate of the force", takes=(CONTACT,))
def peak_time(c: ContactCycle, contact: int) -> Any:
    """Instant of the largest force of a contact, in s."""
    return (contact - 1) * c.lasts + c.peaked


@of_cycle(how="momentum that the spring has not taken", takes=(CONTACT,))
def impulse(c: ContactCycle, contact: int) -> Any:
    """Impulse of the stop alone in a contact, in N s."""
    return c.v0 * c.e ** (contact - 1) * c.impulse


@of_cycle(how="-v0 e^(contact - 1)", takes=(CONTACT,))
def impact_velocity(c: ContactCycle, contact: int) -> Any:
    """Velocity at a touch, in m/s: an approach counts as negative."""
    return -c.v0 * c.e ** (contact - 1)


@of_cycle(how="½ k (v0 e^contact/ω0)²", takes=(CONTACT,))
def energy(c: ContactCycle, contact: int) -> Any:
    """Energy of the flight after a contact, in J."""
    return c.k * (c.v0 * c.e ** (contact - 1) * c.rebound) ** 2 / 2


@reference.function()
def motion(o: ParameterSet, digits: int) -> Motion:
    """Motion through any number of contacts: displacement (m), velocity (m/s), force (N), zero in flight."""

    def read(row: Callable[[Phase], Row], time: arb) -> Any:
        cycle = _cycle(o)
        before = int((time / cycle.lasts).mid().floor().unique_fmpz())  # each like the first, but for its speed
        return cycle.v0 * cycle.e**before * value_at(_phases(o), row, time - before * cycle.lasts)

    return Motion(
        {
            "displacement": lambda t: read(lambda _: {X: ONE}, t),
            "velocity": lambda t: read(lambda _: {V: ONE}, t),
            "force": lambda t: read(lambda phase: _force(o) if phase.kind == "contact" else {}, t),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o)],
        digits,
    )
