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
from dataclasses import dataclass
from itertools import pairwise

import mpmath
from flint import arb
from mpmath import mpc, mpf

from veridyn.references.certified import Certified, classification, per_precision, undefined
from veridyn.references.engine.enclosure import Absent, Undecided, ball, decided, less, per_bits, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State, apply
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, read_each, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import FIRST, SHARE, TIME
from veridyn.references.second_routes.waves import Waves

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


class RubbingBlock(ParameterSet):
    """The parameters; the block stays on the floor."""

    def check(self) -> None:
        """Refuse what the equations do not say."""
        p = ParameterSet(**{name: value.plain for name, value in vars(self).items()})
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

    def __init__(self, o: RubbingBlock) -> None:
        self.m, self.k, self.kt, self.ct = (ball(p) for p in (o.m, o.k, o.kt, o.ct))
        self.mu_s, self.mu_d, self.W, self.F, self.Omega = (ball(p) for p in (o.mu_s, o.mu_d, o.W, o.F, o.Omega))
        self.square, self.rigid = ball(o.kc / o.m), o.kt.rational == 0
        self._known: dict[str, tuple[LinearFlow, dict[str, Row]]] = {}

    def limit(self, mu: Ball, factor: int = 1) -> Row:
        """Return mu N."""
        return {UNIT: factor * mu * self.W, MORE: factor * mu}

    def friction(self, kind: str) -> Row:
        """Return the friction on the block."""
        if kind in SIGNS:
            return self.limit(self.mu_d, -SIGNS[kind])
        return {X: self.k, COS: -self.F} if self.rigid else {ANCHOR: ONE, X: -self.kt, V: -self.ct}

    def flow(self, kind: str) -> LinearFlow:
        """Return the equations of a phase."""
        rest: tuple[Row, ...] = ({SIN: -self.Omega}, {COS: self.Omega}, {RATE: ONE}, {MORE: -self.square}, {}, {})
        if kind == "stick" and self.rigid:
            return LinearFlow(({}, {}, *rest))
        force = _plus({X: -self.k, COS: self.F}, self.friction(kind))
        return LinearFlow(({V: ONE}, {place: factor / self.m for place, factor in force.items()}, *rest))

    def left(self, towards: str) -> Row:
        """Return what is left of mu_s N before a stick becomes a slip: friction is against it."""
        against = {place: SIGNS[towards] * factor for place, factor in self.friction("stick").items()}
        return _plus(self.limit(self.mu_s), against)

    def phase(self, kind: str, time: Ball, state: State, zeros: int = 0) -> Phase:
        """Return the phase that begins so; its flow and rows are those of the last one of its kind."""
        slips = kind in SIGNS
        if kind not in self._known:
            ends: dict[str, Row] = {"stick": {V: arb(SIGNS[kind])}} if slips else {to: self.left(to) for to in SIGNS}
            self._known[kind] = self.flow(kind), ends
        flow, ends = self._known[kind]
        return Phase(kind, flow, time, state, tuple(Guard(to, row, zeros * slips) for to, row in ends.items()))

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
def _phases(o: RubbingBlock) -> tuple[PhaseEnd, ...]:
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


# ---- the second route: sums of exponentials, whose ends are roots proved by bounds


@dataclass(frozen=True)
class _Stretch:
    """A phase: start (s), direction of the slip or 0, displacement (m), friction (N), what is left of its limit (N)."""

    start: mpf
    sign: int
    x: Waves
    friction: Waves
    left: tuple[Waves, ...]  # towards slip+ and slip-; of a slip: nothing


def _sum(*terms: tuple[mpf, Waves]) -> Waves:
    """Return a linear combination, each factor times waves."""
    constant = mpmath.fsum(f * w.constant for f, w in terms)
    rates = tuple(rate for _, w in terms for rate in w.rates)
    return Waves(constant, rates, tuple(f * weight for f, w in terms for weight in w.weights))


def _rate(w: Waves) -> Waves:
    return Waves(mpf(0), w.rates, tuple(r * a for r, a in zip(w.rates, w.weights, strict=True)))


def _pressing(o: RubbingBlock, time: mpf) -> Waves:
    """Return the normal force from an instant on: the block swings on its floor."""
    omega = mpmath.sqrt(o.kc.mpf() / o.m.mpf())
    swing = mpc(0, -1) * o.w0.mpf() * o.kc.mpf() / omega * mpmath.expj(omega * (time - o.t0.mpf()))
    return Waves(o.W.mpf(), (mpc(0, omega),), (swing,))


def _load(o: RubbingBlock, time: mpf) -> Waves:
    omega = o.Omega.mpf()
    return Waves(mpf(0), (mpc(0, omega),), (o.F.mpf() * mpmath.expj(omega * time),))


def _swing(m: mpf, c: mpf, k: mpf, force: Waves, x: mpf, v: mpf) -> Waves:
    """Return the motion m x'' + c x' + k x = force from x and v on."""
    answers = tuple(w / (m * r * r + c * r + k) for r, w in zip(force.rates, force.weights, strict=True))
    forced = Waves(force.constant / k, force.rates, answers)
    root = mpmath.sqrt(mpc(c * c - 4 * m * k))
    one, other = (-c + root) / (2 * m), (-c - root) / (2 * m)
    x, v = x - forced(mpf(0)), v - forced(mpf(0), 1)
    free = ((v - other * x) / (one - other), (one * x - v) / (one - other))
    return Waves(forced.constant, (*forced.rates, one, other), (*answers, *free))


def _slip(o: RubbingBlock, time: mpf, sign: int, x: mpf, v: mpf) -> _Stretch:
    friction = _sum((-sign * o.mu_d.mpf(), _pressing(o, time)))
    force = _sum((mpf(1), _load(o, time)), (mpf(1), friction))
    return _Stretch(time, sign, _swing(o.m.mpf(), mpf(0), o.k.mpf(), force, x, v), friction, ())


def _stick(o: RubbingBlock, time: mpf, x: mpf, friction: mpf) -> _Stretch:
    """Return the stick after a slip that ended at x under some friction: rigid, or with a spring and a dashpot."""
    one, load = mpf(1), _load(o, time)
    if o.kt.rational == 0:
        held = Waves(x, (), ())
        rubs = _sum((o.k.mpf(), held), (-one, load))
    else:
        kt, ct = o.kt.mpf(), o.ct.mpf()
        anchor = Waves(friction + kt * x, (), ())
        force = _sum((one, load), (one, anchor))
        held = _swing(o.m.mpf(), ct, o.k.mpf() + kt, force, x, mpf(0))
        rubs = _sum((one, anchor), (-kt, held), (-ct, _rate(held)))
    limit = (o.mu_s.mpf(), _pressing(o, time))
    return _Stretch(time, 0, held, rubs, (_sum(limit, (one, rubs)), _sum(limit, (-one, rubs))))


def _after(o: RubbingBlock, phase: _Stretch, span: mpf) -> tuple[mpf, _Stretch] | None:
    """Return how long a phase lasts, and the next one; None if it lasts for the span."""
    if phase.sign:
        resting = phase.start > o.t0.mpf() and abs(phase.x(mpf(0), 1)) < mpmath.sqrt(mpmath.eps)
        lapse = next(phase.x.roots(span, from_zero=resting, order=1), None)
        return None if lapse is None else (lapse, _stopped(o, phase, lapse))
    ends = ((next(left.roots(span, from_zero=False), None), sign) for left, sign in _sides(phase))
    result = min(((lapse, sign) for lapse, sign in ends if lapse is not None), default=None)
    if result is None:
        return None
    lapse, sign = result
    return lapse, _slip(o, phase.start + lapse, sign, phase.x(lapse), phase.x(lapse, 1))


def _sides(stick: _Stretch) -> Iterator[tuple[Waves, int]]:
    return zip(stick.left, (1, -1), strict=True)


def _stopped(o: RubbingBlock, phase: _Stretch, lapse: mpf) -> _Stretch:
    """Return what follows a slip: stick, or where friction does not hold, rigid as it is, the slip back."""
    time, x = phase.start + lapse, phase.x(lapse)
    stick = _stick(o, time, x, phase.friction(lapse))
    lost = [sign for left, sign in _sides(stick) if left(mpf(0)) < 0]
    return _slip(o, time, lost[0], x, mpf(0)) if lost else stick


def _march(o: RubbingBlock) -> Iterator[_Stretch]:
    phase, end = _slip(o, o.t0.mpf(), 1, o.x0.mpf(), o.v0.mpf()), o.t1.mpf()
    while True:
        yield phase
        ended = _after(o, phase, end - phase.start)
        if ended is None:
            return
        phase = ended[1]


@per_precision
def _stretches(o: RubbingBlock) -> tuple[_Stretch, ...]:
    """Return the phases from t0 to t1."""
    with mpmath.extradps(10):
        return tuple(_march(o))


def _change(o: RubbingBlock, number: int) -> mpf:
    """Return the instant of a change of phase, counted from 1 (s)."""
    return _stretches(o)[number].start


def _at(o: RubbingBlock, time: Exact) -> tuple[_Stretch, mpf]:
    t = time.mpf()
    phase = next(p for p in reversed(_stretches(o)) if p.start <= t)
    return phase, t - phase.start


def _displacement(o: RubbingBlock, time: Exact) -> mpf:
    """Return the displacement at an instant (m)."""
    phase, lapse = _at(o, time)
    return phase.x(lapse)


def _force(o: RubbingBlock, time: Exact) -> mpf:
    """Return the friction on the block at an instant (N)."""
    phase, lapse = _at(o, time)
    return phase.friction(lapse)


reference = References(
    PARAMETERS,
    RubbingBlock,
    proof="proved bounds of the motion between events, every rest and break-away proved to be the next one",
    effort=lambda o, **_: proved(_phases(o)),
)


@reference(_change, how="sums of exponentials, roots proved by bounds of their derivatives", takes=(FIRST,))
def change(o: RubbingBlock, number: int) -> Ball:
    """Instant of a change of phase, counted from 1, in s."""
    result = _phases(o)
    if number >= len(result):
        raise Absent(f"there are {len(result) - 1} changes of phase up to t1")
    return result[number].phase.start


@reference(_displacement, how="sums of exponentials from phase to phase", takes=(TIME,))
def displacement(o: RubbingBlock, time: Exact) -> Ball:
    """Displacement at an instant (s), in m."""
    return value_at(_phases(o), {X: ONE}, ball(time))


@reference(_force, how="sums of exponentials from phase to phase", takes=(TIME,))
def force(o: RubbingBlock, time: Exact) -> Ball:
    """Friction on the block at an instant (s), in N."""
    laws = _Laws(o)
    return value_at(_phases(o), lambda phase: laws.friction(phase.kind), ball(time))


@reference.function()
def order(o: RubbingBlock, digits: int) -> Certified:
    """Phases that follow the first one, in order."""
    try:
        result = decided(lambda: " ".join(p.phase.kind for p in _phases(o)[1:]), digits)
    except Undecided as doubt:
        return undefined(str(doubt))
    return classification(result, "phases of the proved motion")


@reference.function(takes=(SHARE,))
def holds_clearly(o: RubbingBlock, share: Exact, digits: int) -> bool:
    """Tell whether rigid stick begins each time with more left of its limit than a share of the jump of friction."""
    try:
        return bool(o.kt.rational) or decided(lambda: all(_spares(_phases(o), _Laws(o), ball(share))), digits)
    except Undecided:
        return False


def _spares(phases: tuple[PhaseEnd, ...], laws: _Laws, share: Ball) -> Iterator[bool]:
    for slip, stick in pairwise(ended.phase for ended in phases):
        if stick.kind == "stick":
            jump = _plus(laws.friction("stick"), laws.limit(laws.mu_d, SIGNS[slip.kind]))
            needed = abs(share * apply(jump, stick.state))
            yield all(less(needed, apply(laws.left(to), stick.state), "what is left of friction") for to in SIGNS)


@reference.function()
def motion(o: RubbingBlock, digits: int) -> Motion:
    """Motion up to t1: displacement (m), velocity (m/s), friction on the block (N)."""
    return Motion(
        {
            "displacement": read_each(lambda t: value_at(_phases(o), {X: ONE}, t)),
            "velocity": read_each(lambda t: value_at(_phases(o), {V: ONE}, t)),
            "force": read_each(lambda t: value_at(_phases(o), lambda p: _Laws(o).friction(p.kind), t)),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o)],
        digits,
    )
