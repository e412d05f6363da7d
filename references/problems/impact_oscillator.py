"""A driven mass on a spring that strikes an elastic stop: every contact, in order, to any number of digits.

    m x'' + c x' + k x = (F - m a) sin(Ω t) - N,    N = kc max(0, y - gap),    c = 2 ξ sqrt(k m)

from rest at t = 0. F is a force on the mass, a the acceleration of the support; x is relative to the support. The
stop sees y = x + d for a wall that stands still (wall = 1), where d = -a/Ω² sin(Ω t) is the motion of the support, and
y = x for one that moves with the support (wall = 0).

u = y - gap obeys one linear equation a phase, with sine and cosine of the drive as states; in contact it gains -kc/m u.
Source: EDF validation manual V5.01.102 (SDND102), V5.01.121 (SDND121).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Absent, Undecided, ball, decided, enclose_all, less, per_bits
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, State
from veridyn.references.engine.jets import Ball, largest
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import CONTACT, LAPSE, NUMBER
from veridyn.references.second_routes import impact_phases
from veridyn.references.second_routes.impact_phases import Law
from veridyn.references.second_routes.roots import sign_changes

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m", "stiffness of the spring", "1"),
    Parameter("xi", "-", "damping ratio, below 1", "0", "non-negative"),
    Parameter("kc", "N/m", "stiffness of the stop", "1"),
    Parameter("gap", "m", "gap at rest", "1"),
    Parameter("F", "N", "amplitude of the force on the mass", "0", "any"),
    Parameter("a", "m/s²", "amplitude of the acceleration of the support", "0", "any"),
    Parameter("Omega", "rad/s", "circular frequency of force and support", "1"),
    Parameter("wall", "-", "1: the stop stands still; 0: it moves with the support", "1", "non-negative"),
    Parameter("t_end", "s", "end of the observed span", "1"),
)

U, RATE, SINE, COSINE, ONE = range(5)


class ImpactOscillator(ParameterSet):
    """The parameters, and the laws of motion at the current precision."""

    def check(self) -> None:
        """Refuse overdamped oscillators and other walls."""
        if self.xi.rational >= 1:
            raise ParameterError(f"xi must be below 1, got {self.xi}")
        if self.wall.rational not in (0, 1):
            raise ParameterError(f"wall must be 0 or 1, got {self.wall}")

    def law(self, touching: bool) -> Law:
        """Return the law of a flight or of a contact, where the stop adds -kc/m (y - gap)."""
        omega0, W = mpmath.sqrt((self.k / self.m).mpf()), self.Omega.mpf()
        A, S = (self.F / self.m).mpf() - self.a.mpf(), -self.wall.mpf() * self.a.mpf() / W**2
        kappa = (self.kc / self.m).mpf() if touching else mpmath.mpf(0)
        omega = mpmath.sqrt(omega0**2 + kappa)
        return Law(self.xi.mpf() * omega0, omega, A - kappa * S, kappa * self.gap.mpf(), W, S)


def parameters(**defaults: str) -> tuple[Parameter, ...]:
    """Return the parameters that a case names, with its defaults; raises KeyError for an unknown one."""
    known = {p.name: p for p in PARAMETERS}
    return tuple(Parameter(n, known[n].unit, known[n].help, d, known[n].rule) for n, d in defaults.items())


def _flow(o: ImpactOscillator, touching: bool) -> LinearFlow:
    """Return the equations of (u, u', sin Ωt, cos Ωt, 1)."""
    w2, W, a = ball(o.k / o.m), ball(o.Omega), ball(o.a)
    beta, S = ball(o.xi) * w2.sqrt(), -ball(o.wall) * a / W**2
    kappa = ball(o.kc / o.m) if touching else arb(0)
    motion = {
        U: -w2 - kappa,
        RATE: -2 * beta,
        SINE: ball(o.F / o.m) - a + (w2 - W**2) * S,
        COSINE: 2 * beta * S * W,
        ONE: -w2 * ball(o.gap),
    }
    return LinearFlow(({RATE: arb(1)}, motion, {COSINE: W}, {SINE: -W}, {}))


@per_bits
def _phases(o: ImpactOscillator, until: Exact) -> tuple[PhaseEnd, ...]:
    """Return flights and contacts up to an instant."""
    flight, contact, one = _flow(o, False), _flow(o, True), arb(1)
    touch, release = Guard("touch", {U: -one}, 1), Guard("release", {U: one}, 1)

    def following(phase: Phase, _event: Event | None, time: arb, state: State) -> Phase:
        angle = ball(o.Omega) * time  # sine and cosine anew: through the flow their errors would grow
        there = (arb(0), state[RATE], angle.sin(), angle.cos(), one)  # on the stop exactly
        if phase.kind == "flight":
            return Phase("contact", contact, time, there, (release,))
        return Phase("flight", flight, time, there, (touch,))

    speed = -ball(o.wall) * ball(o.a) / ball(o.Omega)  # of the place that the stop sees, at the start
    first = Phase("flight", flight, arb(0), (-ball(o.gap), speed, arb(0), one, one), (Guard("touch", {U: -one}),))
    return follow(first, following, ball(until))


def _instants(o: ImpactOscillator) -> list[arb]:
    """Return the instants of contact up to t_end."""
    starts, end = [p.phase.start for p in _phases(o, o.t_end)[1:]], ball(o.t_end)
    return [t for t in starts if less(t, end, "a contact begins or ends at t_end")]


@per_bits
def _penetrations(o: ImpactOscillator) -> list[arb]:
    """Return the largest penetration of every contact that ends by t_end (m)."""
    over = len(_instants(o)) // 2
    contacts = [p for p in _phases(o, o.t_end) if p.phase.kind == "contact"][:over]
    return [largest([p.phase.read({U: arb(1)}, t) for t in p.extremes({RATE: arb(1)})]) for p in contacts]


# ---- the second route: closed forms, instants as roots proved by bounds


@per_precision
def _marched(o: ImpactOscillator, until: Exact) -> tuple[impact_phases.ImpactPhase, ...]:
    """Return the phases up to an instant, at the current precision."""
    gap, limit = o.gap.mpf(), until.mpf()
    result = [impact_phases.ImpactPhase(o.law(False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))]
    while (end := _end(result[-1], gap, limit)) is not None:
        last = result[-1]
        start, law = last.start + end, o.law(not last.touching)
        x0 = gap - law.S * mpmath.sin(law.Omega * start)  # on the stop, to the last digit
        result.append(impact_phases.ImpactPhase(law, not last.touching, start, x0, last.state(end)[1]))
    return tuple(result)


def _end(phase: impact_phases.ImpactPhase, gap: mpf, until: mpf) -> mpf | None:
    """Return how long a phase lasts (s); None if beyond the instant."""

    def distance(tau: mpf) -> tuple[mpf, mpf]:
        y, rate, *_ = phase.observed(tau)
        return y - gap, rate

    at_start = distance(mpmath.mpf(0))
    first = (at_start[0] if phase.start == 0 else mpmath.mpf(0), at_start[1])  # an event is exactly on the stop
    a, window, last = mpmath.mpf(0), 1 / phase.law.omega, until - phase.start
    while a < last:  # not phase.start + a < until: rounded, it may stay below for ever
        b = min(a + window, last)
        roots = sign_changes(distance, lambda t, h: phase.bounds(t, h)[:2], a, b, first, "contact instant")
        if (result := next(roots, None)) is not None:
            return result
        a, first = b, distance(b)
    return None


def _contacts(o: ImpactOscillator) -> list[tuple[impact_phases.ImpactPhase, impact_phases.ImpactPhase]]:
    """Return every contact that has ended by t_end, with the flight that follows it."""
    return [(phase, after) for phase, after in pairwise(_marched(o, o.t_end)) if phase.touching]


@per_precision
def _penetration(o: ImpactOscillator, number: int) -> mpf:
    """Return the largest penetration of a contact, counted from 1 (m): y at the largest of its turning points."""
    contact, after = _contacts(o)[number - 1]
    slope = sign_changes(
        lambda tau: contact.observed(tau)[1:3],
        lambda tau, h: contact.bounds(tau, h)[1:],
        mpmath.mpf(0),
        after.start - contact.start,
        contact.observed(mpmath.mpf(0))[1:3],
        "largest penetration",
    )
    return max(contact.observed(tau)[0] for tau in slope) - o.gap.mpf()


def _observed(o: ImpactOscillator, t: Exact, until: Exact) -> mpf:
    """Return y at an instant up to the end of the observed span."""
    time = t.mpf()
    phase = next(p for p in reversed(_marched(o, until)) if p.start <= time)
    return phase.observed(time - phase.start)[0]


def _between(o: ImpactOscillator, starts: Sequence[mpf], rates: Sequence[mpf]) -> tuple[impact_phases.ImpactPhase, ...]:
    """Return the phases that begin at known instants of contact (s) with known rates of y (m/s), at this precision."""
    result = [impact_phases.ImpactPhase(o.law(False), False, mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0))]
    for start, rate in zip(starts, rates, strict=True):
        law, angle = o.law(not result[-1].touching), o.Omega.mpf() * start
        x0, v0 = o.gap.mpf() - law.S * mpmath.sin(angle), rate - law.S * law.Omega * mpmath.cos(angle)
        result.append(impact_phases.ImpactPhase(law, not result[-1].touching, start, x0, v0))
    return tuple(result)


reference = References(
    PARAMETERS,
    ImpactOscillator,
    proof="linear phases enclosed, every contact instant proved to be the next root of the gap",
    how="closed form of every flight and contact, instants as roots proved by bounds of the curvature",
    effort=lambda o, **_: proved(_phases(o, o.t_end)),
)


@reference.several(lambda o: [p.start for p in _marched(o, o.t_end)[1:]])
def instants(o: ImpactOscillator) -> list[arb]:
    """Return all instants of contact up to t_end, in s: touch, release, touch, ...

    It raises `CertificationError` if the stop is grazed, so that no precision tells whether it was touched.
    """
    return _instants(o)


@reference(lambda o, number: _marched(o, o.t_end)[number].start, takes=(NUMBER,))
def instant(o: ImpactOscillator, number: int) -> Ball:
    """Return one instant of contact, counted from 1 (s): odd numbers touch, even ones release."""
    if number > len(result := _instants(o)):
        raise Absent(f"only {len(result)} instants before t_end")
    return result[number - 1]


@reference(lambda o, contact: o.kc.mpf() * _penetration(o, contact), takes=(CONTACT,))
def peak_force(o: ImpactOscillator, contact: int) -> Ball:
    """Return the largest force of one contact, counted from 1 (N), if it ends before t_end."""
    if contact > len(result := _penetrations(o)):
        raise Absent(f"only {len(result)} contacts end before t_end")
    return ball(o.kc) * result[contact - 1]


@reference(lambda o: o.kc.mpf() * max(_penetration(o, n + 1) for n in range(len(_contacts(o)))))
def largest_force(o: ImpactOscillator) -> Ball:
    """Return the largest force of all contacts that end before t_end (N)."""
    if not (result := _penetrations(o)):
        raise Absent("no contact ends before t_end")
    return ball(o.kc) * largest(result)


def _horizon(o: ImpactOscillator, t: Exact) -> Exact:
    """Return the instant up to which phases are needed: t_end if that is late enough, where they are known already."""
    return max(t, o.t_end, key=float)


def _distance(o: ImpactOscillator, t: Exact) -> Ball:
    """Return y - gap at an instant."""
    return value_at(_phases(o, _horizon(o, t)), {U: arb(1)}, ball(t))


@reference(lambda o, t: _observed(o, t, _horizon(o, t)), takes=(LAPSE,))
def displacement(o: ImpactOscillator, t: Exact) -> Ball:
    """Return y at an instant (m): absolute before a wall that stands still, relative before one that moves along."""
    return _distance(o, t) + ball(o.gap)


@reference(lambda o, t: o.kc.mpf() * (_observed(o, t, _horizon(o, t)) - o.gap.mpf()), takes=(LAPSE,))
def force(o: ImpactOscillator, t: Exact) -> Ball:
    """Return the force of the stop at an instant (N); undefined in flight."""
    if less(distance := _distance(o, t), arb(0), "the stop is just touched at t"):
        raise Absent(f"the stop is not touched at t = {t} s")
    return ball(o.kc) * distance


@reference.function()
def motion(o: ImpactOscillator, digits: int) -> Motion:
    """Return the motion up to t_end, for figures and comparison of histories: displacement, rate, force."""

    def read(place: int, t: Ball) -> Ball:
        return value_at(_phases(o, o.t_end), {place: arb(1)}, t)

    return Motion(
        {
            "displacement": lambda t: read(U, t) + ball(o.gap),
            "rate": lambda t: read(RATE, t),
            "force": lambda t: ball(o.kc) * read(U, t).max(arb(0)),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o, o.t_end)],
        digits,
    )


@reference.function()
def closed_phases(o: ImpactOscillator, digits: int) -> tuple[impact_phases.ImpactPhase, ...]:
    """Return the closed form of every flight and contact up to t_end, with starts that are proved."""

    def starts() -> list[arb]:
        phases = [p.phase for p in _phases(o, o.t_end)[1 : len(_instants(o)) + 1]]
        return [x for p in phases for x in (p.start, p.state[RATE])]

    result = [c.value for c in enclose_all(starts, digits=digits, kind="quasi-analytical", name="phases")]
    with mpmath.workdps(digits):
        return _between(o, result[0::2], result[1::2])


@reference.function()
def turns(o: ImpactOscillator, digits: int) -> tuple[float, ...]:
    """Return how near to the stop (m) the motion turns in every phase up to t_end, at least; infinite if nowhere.

    Zero, too, where a turn is not proved.
    """
    plain = o.plain
    try:
        return decided(lambda: tuple(_nearest(plain, ended) for ended in _phases(plain, plain.t_end)), digits)
    except Undecided:
        return (0.0,) * len(decided(lambda: _phases(plain, plain.t_end), digits))


def _nearest(o: ImpactOscillator, ended: PhaseEnd) -> float:
    last, begins = ball(o.t_end), ended.phase.start > 0 or (o.wall.rational and o.a.rational)
    until = ended.end if ended.end is not None and ended.end < last else last
    turned = ended.extremes({RATE: arb(1)}, until=until, zeros=0 if begins else 2)  # from rest the rate grows as t²
    return min((float(abs(ended.phase.read({U: arb(1)}, t)).lower()) for t in turned), default=math.inf)
