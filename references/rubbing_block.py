"""A block on a spring that rubs on a floor, pressed by a force that swings, pushed by another: slip, stick, slip.

A block of mass m on a spring k is pressed on a floor of stiffness kc by W; it swings on it without leaving it, so that
the floor presses with N = W + sqrt(kc m) w0 sin(ωz (t - t0)), ωz = sqrt(kc/m). Along the floor F cos(Ω t) pushes it;
at t0 it is at x0 and moves at v0. Friction is mu_d N while it slides. Where it comes to rest it sticks if mu_s N, which
is more, holds it. Stick is rigid (kt = 0); or it is a spring kt with a dashpot ct that hang on the place where the slip
ended and begin with its friction, and it ends at mu_s N (Antunes et al., 1990).

(x, x', cos Ωt, sin Ωt, N - W, its rate, 1, anchor) obeys linear equations in every phase. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from flint import arb

from veridyn.references import rubbing_waves as waves
from veridyn.references.certified import Certified, classification, undefined
from veridyn.references.enclosure import Absent, Undecided, ball, decided, less, per_bits, sign_of
from veridyn.references.events import Event, Guard
from veridyn.references.flows import Linear, Row, State, apply
from veridyn.references.jets import Ball
from veridyn.references.motion import Ended, Motion, Phase, follow, proved, value_at
from veridyn.references.parameters import Exact, Parameter, ParameterError, Record
from veridyn.references.quantities import References

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("k", "N/m", "stiffness of the spring", "200"),
    Parameter("W", "N", "force that presses the block on the floor", "400"),
    Parameter("kc", "N/m", "stiffness of the floor", "5000"),
    Parameter("w0", "m/s", "velocity towards the floor at the start", "1.2", "non-negative"),
    Parameter("mu_s", "1", "coefficient of friction at rest, above mu_d", "0.5"),
    Parameter("mu_d", "1", "coefficient of friction in motion", "0.25"),
    Parameter("F", "N", "amplitude of the push along the floor", "140"),
    Parameter("Omega", "rad/s", "circular frequency of the push", "7"),
    Parameter("x0", "m", "displacement at the start", "0.4", "any"),
    Parameter("v0", "m/s", "velocity at the start", "10"),
    Parameter("kt", "N/m", "stiffness of the stick; 0: rigid", "0", "non-negative"),
    Parameter("ct", "N s/m", "dashpot of the stick", "0", "non-negative"),
    Parameter("t0", "s", "start", "0.3", "non-negative"),
    Parameter("t1", "s", "end", "1.4"),
)

X, V, COS, SIN, MORE, RATE, UNIT, ANCHOR = range(8)  # MORE: N - W; ANCHOR: friction there plus kt times its place
ONE = arb(1)
SIGNS = {"slip+": 1, "slip-": -1}


class Block(Record):
    """The parameters; the block stays on the floor."""

    def check(self) -> None:
        """Refuse what the equations do not say."""
        p = Record(**{name: value.plain for name, value in vars(self).items()})
        if sign_of(p.mu_s, -p.mu_d) <= 0:
            raise ParameterError(f"mu_s = {p.mu_s} must be above mu_d = {p.mu_d}")
        if sign_of(p.W * p.W, -p.kc * p.m * p.w0 * p.w0) <= 0:
            raise ParameterError(f"w0 = {p.w0} m/s: the block leaves the floor; less than W/sqrt(kc m) keeps it there")
        if sign_of(p.t1, -p.t0) <= 0:
            raise ParameterError(f"t1 = {p.t1} s must be after t0 = {p.t0} s")
        if p.kt.rational and p.w0.rational:
            raise ParameterError("kt and w0: an elastic stick under a force that swings may have no consistent state")


class _Laws:
    """Flows and forces at the present precision."""

    def __init__(self, o: Block) -> None:
        self.m, self.k, self.kt, self.ct = (ball(p) for p in (o.m, o.k, o.kt, o.ct))
        self.mu_s, self.mu_d, self.W, self.F, self.Omega = (ball(p) for p in (o.mu_s, o.mu_d, o.W, o.F, o.Omega))
        self.square, self.rigid = ball(o.kc / o.m), o.kt.rational == 0

    def limit(self, mu: Ball, factor: int = 1) -> Row:
        """Return mu N."""
        return {UNIT: factor * mu * self.W, MORE: factor * mu}

    def friction(self, kind: str) -> Row:
        """Return the friction on the block."""
        if kind in SIGNS:
            return self.limit(self.mu_d, -SIGNS[kind])
        return {X: self.k, COS: -self.F} if self.rigid else {ANCHOR: ONE, X: -self.kt, V: -self.ct}

    def flow(self, kind: str) -> Linear:
        """Return the equations of a phase."""
        rest: tuple[Row, ...] = ({SIN: -self.Omega}, {COS: self.Omega}, {RATE: ONE}, {MORE: -self.square}, {}, {})
        if kind == "stick" and self.rigid:
            return Linear(({}, {}, *rest))
        force = _plus({X: -self.k, COS: self.F}, self.friction(kind))
        return Linear(({V: ONE}, {place: factor / self.m for place, factor in force.items()}, *rest))

    def left(self, towards: str) -> Row:
        """Return what is left of mu_s N before a stick becomes a slip: friction is against it."""
        against = {place: SIGNS[towards] * factor for place, factor in self.friction("stick").items()}
        return _plus(self.limit(self.mu_s), against)

    def phase(self, kind: str, time: Ball, state: State, zeros: int = 0) -> Phase:
        """Return the phase that begins so."""
        if kind in SIGNS:
            return Phase(kind, self.flow(kind), time, state, (Guard("stick", {V: arb(SIGNS[kind])}, zeros),))
        return Phase(kind, self.flow(kind), time, state, tuple(Guard(to, self.left(to)) for to in SIGNS))

    def stopped(self, slip: str, state: State) -> str:
        """Return what follows a slip that came to rest: stick, or the slip that friction does not prevent."""
        if not self.rigid:
            return "stick"
        back = "slip-" if slip == "slip+" else "slip+"
        if less(apply(self.left(slip), state), arb(0), "what is left of friction"):
            raise Undecided("a block that comes to rest is pushed on")
        return "stick" if less(arb(0), apply(self.left(back), state), "push and friction agree") else back


def _plus(a: Row, b: Row) -> Row:
    return {place: a.get(place, arb(0)) + b.get(place, arb(0)) for place in (*a, *(p for p in b if p not in a))}


@per_bits
def _phases(o: Block) -> tuple[Ended, ...]:
    """Return all phases from t0 to t1."""
    laws = _Laws(o)

    def following(ended: Phase, event: Event | None, time: arb, state: State) -> Phase | None:
        assert event is not None
        if event.name == "stick":
            still = (*state[:V], arb(0), *state[V + 1 :])
            anchor = apply(laws.friction(ended.kind), still) + laws.kt * still[X]
            kind = laws.stopped(ended.kind, still)
            return laws.phase(kind, time, (*still[:ANCHOR], anchor), zeros=1)
        if laws.rigid:
            return laws.phase(event.name, time, state, zeros=1)
        if not SIGNS[event.name] * state[V] > 0:
            raise Undecided("the spring of stick yields against the motion")
        return laws.phase(event.name, time, state)

    angle, start = ball(o.Omega) * ball(o.t0), ball(o.t0)
    rate = ball(o.kc) * ball(o.w0)
    state = (ball(o.x0), ball(o.v0), angle.cos(), angle.sin(), arb(0), rate, ONE, arb(0))
    return follow(laws.phase("slip+", start, state), following, until=ball(o.t1))


reference = References(
    PARAMETERS,
    Block,
    proof="linear phases enclosed, every rest and break-away proved to be the next one",
    effort=lambda o: proved(_phases(o)),
)


@reference(waves.change, how="sums of exponentials, roots proved by bounds of their derivatives")
def change(o: Block, number: int = 1) -> Ball:
    """Instant of a change of phase, counted from 1, in s."""
    found = _phases(o)
    if number >= len(found):
        raise Absent(f"there are {len(found) - 1} changes of phase up to t1")
    return found[number].phase.start


@reference(waves.displacement, how="sums of exponentials from phase to phase")
def displacement(o: Block, time: Exact) -> Ball:
    """Displacement at an instant (s), in m."""
    return value_at(_phases(o), {X: ONE}, ball(time))


@reference(waves.force, how="sums of exponentials from phase to phase")
def force(o: Block, time: Exact) -> Ball:
    """Friction on the block at an instant (s), in N."""
    laws = _Laws(o)
    return value_at(_phases(o), lambda phase: laws.friction(phase.kind), ball(time))


@reference.function
def order(o: Block, digits: int = 30) -> Certified:
    """Phases that follow the first one, in order."""
    try:
        found = decided(lambda: " ".join(p.phase.kind for p in _phases(o)[1:]), digits)
    except Undecided as doubt:
        return undefined(str(doubt))
    return classification(found, "phases of the proved motion")


@reference.function
def holds_clearly(o: Block, share: Exact, digits: int = 30) -> bool:
    """Tell whether rigid stick begins each time with more left of its limit than a share of the jump of friction."""
    try:
        return bool(o.kt.rational) or decided(lambda: all(_spares(_phases(o), _Laws(o), ball(share))), digits)
    except Undecided:
        return False


def _spares(phases: tuple[Ended, ...], laws: _Laws, share: Ball) -> Iterator[bool]:
    for slip, stick in pairwise(ended.phase for ended in phases):
        if stick.kind == "stick":
            jump = _plus(laws.friction("stick"), laws.limit(laws.mu_d, SIGNS[slip.kind]))
            needed = abs(share * apply(jump, stick.state))
            yield all(less(needed, apply(laws.left(to), stick.state), "what is left of friction") for to in SIGNS)


@reference.function
def motion(o: Block, digits: int = 30) -> Motion:
    """Motion up to t1: displacement (m), velocity (m/s), friction on the block (N)."""
    return Motion(
        {
            "displacement": lambda t: value_at(_phases(o), {X: ONE}, t),
            "velocity": lambda t: value_at(_phases(o), {V: ONE}, t),
            "force": lambda t: value_at(_phases(o), lambda p: _Laws(o).friction(p.kind), t),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o)],
        digits,
    )
