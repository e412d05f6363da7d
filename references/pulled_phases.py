"""Phases of two masses on a spring of which one rubs: closed forms with proved events, and Taylor series.

In a phase of sign s (0 stick, else the direction of the slip) the force f on m2 is constant. With u = x2 - x1:

    stick   x1 constant,  u = f/k + A cos ωτ + B sin ωτ
    slip    u = u_0 + A cos Ωτ + B sin Ωτ,  centre of mass X = X_s + V_s τ + (f - s μ_d N)/M τ²/2,  x1 = X - m2/M u

Source: EDF validation manual V5.01.106 (SDND106).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import CertificationError, Certified, first_root, per_precision
from veridyn.references.parameters import Exact, Number, ParameterError, exact

MOST_PHASES = 500
GUARD = 15
KINDS = {0: "stick", 1: "slip+", -1: "slip-"}


class PhaseChange(NamedTuple):
    """A phase change: when, and the phase that begins (``slip+``, ``slip-`` or ``stick``)."""

    time: Certified
    kind: str


class State(NamedTuple):
    """Displacements (m) and velocities (m/s) of both masses."""

    x1: mpf
    v1: mpf
    x2: mpf
    v2: mpf


@dataclass(frozen=True)
class Pair:
    """Parameters of the two masses, exact."""

    m1: Exact
    m2: Exact
    k: Exact
    normal: Exact
    mu_s: Exact
    mu_d: Exact
    pull: Exact
    t_off: Exact

    @property
    def grip(self) -> mpf:
        """Spring force in N that friction holds."""
        return (self.mu_s * self.normal).mpf()

    @property
    def drag(self) -> mpf:
        """Friction force in N during a slip."""
        return (self.mu_d * self.normal).mpf()


@dataclass(frozen=True)
class Phase:
    """A phase: start (s), sign of the slip or 0, force on m2 (N), state at its start."""

    start: mpf
    sign: int
    force: mpf
    state: State


@dataclass(frozen=True)
class Course:
    """Closed form of a phase: u = centre + a cos wτ + b sin wτ, and the centre of mass (slip) or x1 (stick).

    `share` is the part of u that m1 makes: m2/M in a slip, nothing in stick.
    """

    w: mpf
    centre: mpf
    a: mpf
    b: mpf
    place: mpf
    speed: mpf
    acceleration: mpf
    share: mpf

    def elongation(self, ctx: Any, lapse: Any) -> Any:
        """Return u, m."""
        c = ctx.convert
        return c(self.centre) + c(self.a) * ctx.cos(c(self.w) * lapse) + c(self.b) * ctx.sin(c(self.w) * lapse)

    def rate(self, ctx: Any, lapse: Any, order: int = 1) -> Any:
        """Return a derivative of u, by its order."""
        w, (a, b) = ctx.convert(self.w), (ctx.convert(x) for x in (self.a, self.b))
        for _ in range(order):
            a, b = w * b, -w * a
        return a * ctx.cos(w * lapse) + b * ctx.sin(w * lapse)

    def velocity(self, ctx: Any, lapse: Any) -> Any:
        """Return the velocity of m1, m/s."""
        c = ctx.convert
        return c(self.speed) + c(self.acceleration) * lapse - c(self.share) * self.rate(ctx, lapse)

    def velocity_rate(self, ctx: Any, lapse: Any, order: int = 1) -> Any:
        """Return a derivative of the velocity of m1, by its order."""
        steady = ctx.convert(self.acceleration if order == 1 else 0)
        return steady - ctx.convert(self.share) * self.rate(ctx, lapse, order + 1)

    def at(self, lapse: mpf) -> State:
        """Evaluate the state at a time after the start."""
        u, du = self.elongation(mpmath, lapse), self.rate(mpmath, lapse)
        place = self.place + self.speed * lapse + self.acceleration * lapse**2 / 2
        x1, v1 = place - self.share * u, self.velocity(mpmath, lapse)
        return State(x1, v1, x1 + u, v1 + du)


def course(pair: Pair, phase: Phase) -> Course:
    """Write the closed form of a phase."""
    m1, m2, k = pair.m1.mpf(), pair.m2.mpf(), pair.k.mpf()
    x1, v1, x2, v2 = phase.state
    if phase.sign == 0:
        w, centre, zero = mpmath.sqrt(k / m2), phase.force / k, mpmath.mpf(0)
        return Course(w, centre, x2 - x1 - centre, v2 / w, x1, zero, zero, zero)
    drag, both = phase.sign * pair.drag, m1 + m2
    w = mpmath.sqrt(k / m1 + k / m2)
    centre = (phase.force / m2 + drag / m1) / w**2
    place, speed = (m1 * x1 + m2 * x2) / both, (m1 * v1 + m2 * v2) / both
    return Course(w, centre, x2 - x1 - centre, (v2 - v1) / w, place, speed, (phase.force - drag) / both, m2 / both)


def _event(pair: Pair, phase: Phase, remaining: mpf | None) -> tuple[mpf, int] | None:
    """Return lapse and sign of what follows when the phase ends by itself, None if it does not."""
    c = course(pair, phase)
    if phase.sign == 0:
        return min((end for end in (_grip_lost(pair, c, s, remaining) for s in (1, -1)) if end), default=None)
    lapse = _standstill(phase, c, remaining)
    return None if lapse is None else (lapse, _after_slip(pair, c, lapse, phase.sign))


def _grip_lost(pair: Pair, c: Course, sign: int, remaining: mpf | None) -> tuple[mpf, int] | None:
    """Return when the spring overcomes friction towards a side; stick repeats after a period."""
    held, period = pair.grip / pair.k.mpf(), 2 * mpmath.pi / c.w
    if abs(c.centre) + mpmath.hypot(c.a, c.b) < held:
        return None
    lapse = first_root(
        lambda ctx, t: ctx.convert(held) - sign * c.elongation(ctx, t),
        lambda ctx, t: -sign * c.rate(ctx, t),
        high=period if remaining is None else min(period, remaining),
        name="end of stick",
    )
    return None if lapse is None else (lapse, sign)


def _standstill(phase: Phase, c: Course, remaining: mpf | None) -> mpf | None:
    """Return when a slip ends; without pull by the time that friction has braked the centre of mass."""
    s, limit = phase.sign, remaining
    if limit is None:
        limit = 2 * (s * c.speed + c.share * c.w * mpmath.hypot(c.a, c.b)) / abs(c.acceleration) + 1 / c.w
    return first_root(
        lambda ctx, t: s * c.velocity(ctx, t),
        lambda ctx, t: s * c.velocity_rate(ctx, t),
        lambda ctx, t: s * c.velocity_rate(ctx, t, 2),
        high=limit,
        name="end of slip",
    )


def _after_slip(pair: Pair, c: Course, lapse: mpf, sign: int) -> int:
    """Return the sign of the phase after a slip: 0 if friction holds the spring, else the slip back."""
    force = pair.k.mpf() * c.elongation(mpmath, lapse)
    excess = abs(force) - pair.grip
    if abs(excess) < mpmath.sqrt(mpmath.eps) * pair.grip:
        raise CertificationError("the spring balances friction at the end of a slip: stick or slip cannot be told")
    return 0 if excess < 0 else -sign


@per_precision
def closed(pair: Pair) -> tuple[Phase, ...]:
    """Return all phases, the last of which is stick for ever; the end of the pull begins one too.

    Raises
    ------
    ParameterError
        If there are too many.
    """
    rest = State(*(mpmath.mpf(0),) * 4)
    phase, off = Phase(mpmath.mpf(0), 0, pair.pull.mpf(), rest), pair.t_off.mpf()
    found: list[Phase] = []
    while len(found) < MOST_PHASES:
        found.append(phase)
        pulled = phase.start < off
        event = _event(pair, phase, off - phase.start if pulled else None)
        if event is None and not pulled:
            return tuple(found)
        lapse, sign = event or (off - phase.start, phase.sign)
        state = course(pair, phase).at(lapse)
        if event is not None:  # what rests or turns has no velocity
            state = state._replace(v1=mpmath.mpf(0))
        start = phase.start + lapse if event else off
        phase = Phase(start, sign, pair.pull.mpf() if start < off else mpmath.mpf(0), state)
    raise ParameterError(f"more than {MOST_PHASES} phases: shorten the pull (t_off)")


def state_at(pair: Pair, found: tuple[Phase, ...], time: mpf) -> State:
    """Evaluate the closed form at an instant."""
    phase = found[bisect_right(found, time, key=lambda each: each.start) - 1]
    return course(pair, phase).at(time - phase.start)


def count_slips(found: tuple[Phase, ...]) -> int:
    """Count the slips: the end of the pull within one does not begin another."""
    signs = [phase.sign for phase in found]
    return sum(1 for before, sign in zip([0, *signs], signs, strict=False) if sign and sign != before)


def dissipated(pair: Pair, found: tuple[Phase, ...]) -> mpf:
    """Return the energy (J) that friction takes: m1 slides from place to place without turning in between."""
    places = [phase.state.x1 for phase in found]
    return pair.drag * sum(abs(b - a) for a, b in pairwise(places))


def balance(pair: Pair) -> mpf:
    """Return the work of the pull less what the last phase keeps (J)."""
    found = closed(pair)
    last = found[-1].state
    end = state_at(pair, found, pair.t_off.mpf())
    kept = pair.m2.mpf() * last.v2**2 / 2 + pair.k.mpf() * (last.x2 - last.x1) ** 2 / 2
    return pair.pull.mpf() * end.x2 - kept


def _rows(pair: Pair, phase: Phase) -> taylor.Rows:
    """Equations of a phase for (1, x1, v1, u, v2)."""
    m1, m2, k, one = pair.m1.mpf(), pair.m2.mpf(), pair.k.mpf(), mpmath.mpf(1)
    pulled = ((0, phase.force / m2), (3, -k / m2))
    if phase.sign == 0:
        return ((), (), (), ((4, one),), pulled)
    sliding = ((0, -phase.sign * pair.drag / m1), (3, k / m1))
    return ((), ((2, one),), sliding, ((4, one), (2, -one)), pulled)


def _step_event(pair: Pair, phase: Phase, solution: taylor.Series) -> tuple[mpf, int] | None:
    """Return lapse and next sign if the phase ends within a step of its series."""
    held = pair.grip / pair.k.mpf()
    if phase.sign == 0:
        stretched = _until_turn(solution)
        u = stretched.end()[3]
        if abs(u) <= held:
            return None
        sign = int(mpmath.sign(u))
        return taylor.crossing(stretched, 3, sign * held), sign
    if solution.end()[2] * phase.sign > 0:
        return None
    lapse = taylor.crossing(solution, 2)
    return lapse, 0 if abs(solution.of(3, lapse)) <= held else -phase.sign


def _until_turn(solution: taylor.Series) -> taylor.Series:
    """Return a step of stick up to where the stretch turns, if it does: it may exceed the grip there alone."""
    turns = solution.coefficients[0][4] * solution.end()[4] < 0
    return solution.shortened(taylor.crossing(solution, 4)) if turns else solution


@per_precision
def _marched(pair: Pair, until: mpf | None) -> tuple[tuple[Phase, ...], State]:
    """Follow the motion by Taylor series until an instant, or for as long as the closed form has events."""
    off = pair.t_off.mpf()
    last = closed(pair)[-1].start if until is None else until
    step = 1 / (4 * mpmath.sqrt(pair.k.mpf() / pair.m1.mpf() + pair.k.mpf() / pair.m2.mpf()))
    rest = State(*(mpmath.mpf(0),) * 4)
    phase = Phase(mpmath.mpf(0), 0, pair.pull.mpf(), rest)
    t, state, found = mpmath.mpf(0), (mpmath.mpf(1), *(mpmath.mpf(0),) * 4), [phase]
    while t < last or (until is None and phase.sign):
        edges = [x for x in (off, until) if x is not None and x > t]
        length = min([step, *(x - t for x in edges)])
        solution = taylor.series(_rows(pair, phase), state, length)
        event = _step_event(pair, phase, solution)
        lapse, sign = event or (length, phase.sign)
        state = solution.at(lapse) if event else solution.end()
        t = next((x for x in edges if not event and x - t == length), t + lapse)
        if event:
            state = (*state[:2], mpmath.mpf(0), *state[3:])
        if event or t == off:
            force = pair.pull.mpf() if t < off else mpmath.mpf(0)
            phase = Phase(t, sign, force, _state(state))
            found.append(phase)
    return tuple(found), _state(state)


def _state(y: taylor.State) -> State:
    _, x1, v1, u, v2 = y
    return State(x1, v1, x1 + u, v2)


def followed(pair: Pair) -> tuple[Phase, ...]:
    """Return all phases by Taylor series."""
    return _marched(pair, None)[0]


def followed_to(pair: Pair, time: mpf) -> State:
    """Return the state at an instant by Taylor series."""
    return _marched(pair, time)[1]


@dataclass(frozen=True)
class Motion:
    """The motion of both masses at any instant, to `digits` digits of its amplitude."""

    pair: Pair
    digits: int

    def state(self, t: Number) -> State:
        """Displacements (m) and velocities (m/s); raises `ParameterError` for a negative time (s)."""
        instant = exact(t, "t")
        if instant.rational < 0:
            raise ParameterError(f"t must be non-negative, got {t}")
        with mpmath.workdps(self.digits + GUARD):
            found = state_at(self.pair, closed(self.pair), instant.mpf())
        with mpmath.workdps(self.digits):
            return State(*(+value for value in found))

    def phases(self) -> tuple[tuple[mpf, str], ...]:
        """Start (s) and kind of every phase; the end of the pull begins one too."""
        with mpmath.workdps(self.digits + GUARD):
            return tuple((phase.start, KINDS[phase.sign]) for phase in closed(self.pair))
