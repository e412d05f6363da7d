"""Two masses on a spring, one rubbing: pulled until it breaks away, slips, and sticks again when the pull ends.

A mass m1 rests on a plane, pressed with the force `normal`; the coefficients of friction are mu_s at rest and mu_d
sliding. A spring k couples it to a mass m2 that moves without friction along the same line. At t = 0 everything is
at rest and the spring slack; a force `pull` acts on m2 until `t_off`, then none.

While m1 sticks, m2 oscillates with ω = √(k/m2); m1 breaks away when the spring force exceeds mu_s `normal`. While it
slips, the centre of mass moves with constant acceleration and the spring oscillates with Ω = √(k/m1 + k/m2); the
slip ends where the velocity of m1 falls through zero.

With u the elongation of the spring, (x1, v1, u, u', 1) obeys linear equations in every phase.
Source: EDF validation manual V5.01.106 (SDND106).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import mpmath
from flint import arb

from veridyn.references.certified import CertificationError, PhaseChange
from veridyn.references.engine.enclosure import Absent, Undecided, ball, decided, enclose_all, less, per_bits, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, exact
from veridyn.references.reference import NUMBER, SHARE, TIME, choice
from veridyn.references.second_routes import pulled_closed as closed
from veridyn.references.second_routes.pulled_closed import KINDS

PARAMETERS = (
    Parameter("m1", "kg", "mass that rubs", "5"),
    Parameter("m2", "kg", "mass that is pulled", "5"),
    Parameter("k", "N/m", "stiffness of the spring between them", "1e4"),
    Parameter("normal", "N", "normal force on m1", "1e4"),
    Parameter("mu_s", "1", "coefficient of friction at rest", "0.3"),
    Parameter("mu_d", "1", "coefficient of friction in motion, not above mu_s", "0.2"),
    Parameter("pull", "N", "force on m2", "3000"),
    Parameter("t_off", "s", "end of the pull", "0.2"),
)

X1, V1, U, RATE, ONE = range(5)
ROWS: dict[str, Row] = {  # what is read
    "x1": {X1: arb(1)},
    "v1": {V1: arb(1)},
    "x2": {X1: arb(1), U: arb(1)},
    "v2": {V1: arb(1), RATE: arb(1)},
}
WORTH = 64  # radians without a possible event that are worth a phase of their own, which is not searched

_PROOF = "linear phases enclosed, every break-away and standstill proved to be the next one"
_STUCK = "the spring never exceeds mu_s normal: the mass sticks for ever"
_ENDLESS = "with mu_s = mu_d every slip leaves enough for another: they shrink and never end"


class PulledPair(closed.MassPair):
    """The parameters; friction in motion does not exceed that at rest."""

    def check(self) -> None:
        """Refuse another friction."""
        if sign_of(self.mu_s.plain, -self.mu_d.plain) < 0:
            raise ParameterError(f"mu_d must not be above mu_s, got {self.mu_d} above {self.mu_s}")


@dataclass(frozen=True, eq=False)
class _Regime:
    """Stick (sign 0) or slip in a direction, pulled or not, at the present precision."""

    p: PulledPair
    sign: int
    pulled: bool

    @cached_property
    def _force(self) -> Ball:
        return ball(self.p.pull) if self.pulled else arb(0)

    @cached_property
    def square(self) -> Ball:
        """Square of the circular frequency of the spring (1/s²)."""
        return ball(self.p.k / self.p.m2) + (ball(self.p.k / self.p.m1) if self.sign else arb(0))

    @cached_property
    def rest(self) -> Ball:
        """Elongation about which the spring swings (m)."""
        drag = self.sign * ball(self.p.drag / self.p.m1)
        return (self._force / ball(self.p.m2) + drag) / self.square

    @cached_property
    def flow(self) -> LinearFlow:
        """Equations of (x1, v1, u, u', 1)."""
        spring: tuple[Row, ...] = ({RATE: arb(1)}, {U: -self.square, ONE: self.square * self.rest}, {})
        if not self.sign:
            return LinearFlow(({}, {}, *spring))
        sliding = {U: ball(self.p.k / self.p.m1), ONE: -self.sign * ball(self.p.drag / self.p.m1)}
        return LinearFlow(({V1: arb(1)}, sliding, *spring))

    def swing(self, state: State) -> Ball:
        """Return the amplitude of the spring (m)."""
        away, rate = state[U] - self.rest, state[RATE]
        return (away * away + rate * rate / self.square).sqrt()

    def phase(self, time: Ball, state: State, off: Ball, *, zeros: int = 0, held: bool = False) -> Phase:
        """Return the phase that begins so.

        `zeros`: how many derivatives of v1, from itself on, vanish exactly; `held`: a stick is known to last.
        """
        limit = off if self.pulled else None
        if self.sign:
            return self._slip(time, state, limit, zeros)
        k, grip = ball(self.p.k), ball(self.p.grip)
        guards = (Guard("slip+", {ONE: grip, U: -k}), Guard("slip-", {ONE: grip, U: k}))
        return Phase("stick", self.flow, time, state, () if held or self._holds(state) else guards, limit)

    def _holds(self, state: State) -> bool:
        """Tell whether friction surely holds the spring wherever it swings; after rest that is decided exactly."""
        if sign_of(exact(2) * self.p.pull, -self.p.grip) <= 0:
            return True
        return bool(ball(self.p.k) * (abs(self.rest) + self.swing(state)) < ball(self.p.grip))

    def _slip(self, time: Ball, state: State, limit: Ball | None, zeros: int) -> Phase:
        """Return a slip, or a part of it: where the centre of mass outruns the spring, it surely goes on.

        Where the pull balances both frictions, v1 ~ 1 - cos Ωt after a break-away touches zero and never falls below.
        """
        omega, both = self.square.sqrt(), ball(self.p.m1) + ball(self.p.m2)
        share = ball(self.p.m2) / both
        ahead = self.sign * (state[V1] + share * state[RATE]) - share * omega * self.swing(state)
        gain, gains = (self.sign * self._force - ball(self.p.drag)) / both, self._gains()
        touching = zeros == 2 and gains >= 0 and sign_of(self.p.pull, -self.p.drag) == 0
        guards: tuple[Guard, ...] = (Guard("stick", {V1: arb(self.sign)}, zeros),)
        if touching or (gains >= 0 and ahead > 0):
            guards = ()
        elif gains > 0:  # it will outrun the spring at `turn`, before which a search is needed
            turn = value(time - ahead / gain + 1 / omega).mid()
            limit = turn if omega * (limit - turn) > WORTH else limit
        elif gains < 0 and ahead > 0:  # it outruns the spring until `turn`
            turn = value(time - ahead / gain - 1 / omega).mid()
            if omega * (turn - time) > WORTH and ahead + gain * (turn - time) > 0:
                guards, limit = (), (limit if limit is not None and not turn < limit else turn)
        return Phase(KINDS[self.sign], self.flow, time, state, guards, limit)

    def _gains(self) -> int:
        """Return the sign of the acceleration of the centre of mass, in the direction of the slip."""
        return sign_of(self.p.pull.plain, -self.p.drag.plain) if self.pulled and self.sign > 0 else -1

    def after(self, event: Event | None, begun: State, state: State) -> tuple[int, State]:
        """Return the sign of the phase after an event, and the state with what is exact there."""
        k, grip = ball(self.p.k), ball(self.p.grip)
        if not self.sign:
            sign = -1 if event and event.name == "slip-" else 1
            there, swing = sign * grip / k, self.swing(begun)
            away = there - self.rest  # the rate by energy: sharper than through the instant
            return sign, (state[X1], arb(0), there, sign * (self.square * (swing * swing - away * away)).sqrt(), arb(1))
        held = less(k * abs(state[U]), grip, "the spring balances friction at the end of a slip")
        return 0 if held else -self.sign, (state[X1], arb(0), *state[U:])


def _coincidence(p: PulledPair) -> str:
    """Tell what the first stick meets exactly as the pull ends: ``grip`` gives way then, ``peak``: it will be touched.

    With θ = ω t_off the spring has k u = F (1 - cos θ) then, and F √(2 - 2 cos θ) at its peak. Where θ is algebraic
    cos θ is not; where θ is a rational part of π, cos θ is rational for multiples of π/3 and π/2 only (Niven).
    """
    square = exact(36) * p.t_off * p.t_off * p.k / p.m2 / exact("pi") / exact("pi")  # of the sixths of π in θ
    lifts = {Fraction(4): "1/2", Fraction(9): "1", Fraction(16): "3/2"}  # 1 - cos θ
    lift = lifts.get(square.rational) if square.pi == 0 else None
    grips = lift is not None and (exact(lift) * p.pull).plain == p.grip.plain
    peaks = lift == "1/2" and p.pull.plain == p.grip.plain
    if (grips or peaks) and p.varied:
        raise Undecided("there is no derivative where two regimes meet")
    return "grip" if grips else "peak" if peaks else ""


def _endless(p: PulledPair, rate: Ball) -> bool:
    """Tell whether slips surely never end after a break-away at a rate w of the spring, without a pull.

    With mu_s = mu_d the spring keeps more than friction holds if m1 slides less than Y = w²/(2 g), g = grip/m2. With
    t0 = w/g, (k/m1) t0² < 1/50 and Y < h/200, h = grip/k: up to 5 t0 the spring stays within h/10 of h, since m2 brakes
    by 0.9 g to 1.1 g; so m2 gets no further than 1.12 Y, m1 rests by 3.34 t0 and has gone (k/m1) 1.12 Y (3.34 t0)²/2
    < Y at most. It sticks then, since the spring pulls less than it did, and breaks away again, at a lower rate.
    """
    if p.mu_s != p.mu_d:
        return False
    m2, k, grip = ball(p.m2), ball(p.k), ball(p.grip)
    lasts = m2 * rate / grip
    return bool(50 * k / ball(p.m1) * lasts * lasts < 1 and 100 * m2 * k * rate * rate / (grip * grip) < 1)


@per_bits
def _phases(p: PulledPair, until: Exact | None = None, *, first: bool = False) -> tuple[PhaseEnd, ...]:
    """Return all phases, up to an instant or, with `first`, up to the first slip; the last of all is stick for ever.

    A long slip may come in parts, and the end of the pull begins a phase. Where the slips never end, they are left out.
    """
    off = ball(p.t_off)
    regimes = {(sign, pulled): _Regime(p, sign, pulled) for sign in KINDS for pulled in (True, False)}
    known = {regime.flow: regime for regime in regimes.values()}

    def following(phase: Phase, event: Event | None, time: Ball, state: State) -> Phase | None:
        before: _Regime = known[phase.flow]  # type: ignore[index]
        pulled, fresh = before.pulled and (event is not None or phase.limit is not off), phase is start
        if event is None and not (fresh and meets == "grip"):
            return regimes[before.sign, pulled].phase(time, state, off, held=fresh and meets == "peak")
        sign, state = before.after(event, phase.state, state)
        if sign and (first or (until is None and not pulled and _endless(p, state[RATE]))):
            return None
        zeros = 0 if not sign else 2 if not before.sign and p.mu_s == p.mu_d else 1
        return regimes[sign, pulled].phase(time, state, off, zeros=zeros)

    meets = _coincidence(p)
    start = regimes[0, True].phase(arb(0), (*(arb(0),) * 4, arb(1)), off, held=bool(meets))
    return follow(start, following, None if until is None else ball(until))


def _all(p: PulledPair) -> tuple[PhaseEnd, ...]:
    """Return all phases; raises `Absent` if they never end."""
    result = _phases(p)
    if result[-1].end is not None:
        raise Absent(_ENDLESS)
    return result


def _changes(found: Sequence[PhaseEnd]) -> list[Phase]:
    """Return the phases that begin with a change of kind."""
    return [b.phase for a, b in pairwise(found) if a.phase.kind != b.phase.kind]


reference = References(
    PARAMETERS,
    PulledPair,
    proof=_PROOF,
    how="closed form of every phase, slips searched from turning point to turning point of the velocity",
    effort=lambda p, **_: proved(_phases(p)),
)


@reference.function()
def phase_changes(p: PulledPair, digits: int) -> tuple[PhaseChange, ...]:
    """Return all changes of phase in order of time: instant, and the phase that begins; none if m1 sticks for ever.

    Raises
    ------
    CertificationError
        If friction balances the spring so nearly that nothing tells stick from slip, or the slips never end.
    """
    if decided(lambda: _phases(p)[-1].end, digits) is not None:
        raise CertificationError(_ENDLESS)
    times = enclose_all(
        lambda: [phase.start for phase in _changes(_phases(p))],
        digits=digits,
        kind="quasi-analytical",
        name="phase_changes",
        proof=_PROOF,
    )
    kinds = decided(lambda: [phase.kind for phase in _changes(_phases(p))], digits)
    return tuple(map(PhaseChange, times, kinds))


@reference(lambda p, number: closed.changes(p)[number - 1].start, takes=(NUMBER,))
def phase_time(p: PulledPair, number: int) -> Ball:
    """Return the instant (s) of a change of phase, counted from 1; undefined if there are fewer, or it is undecided."""
    result = _phases(p)
    if len(changes := _changes(result)) < number:
        raise Absent("there are fewer changes of phase" if result[-1].end is None else _ENDLESS)
    return changes[number - 1].start


@reference(lambda p: closed.changes(p)[0].start, effort=lambda p, **_: proved(_phases(p, first=True)))
def slip_start(p: PulledPair) -> Ball:
    """Return the instant (s) at which m1 breaks away first; undefined if not."""
    if (end := _phases(p, first=True)[-1].end) is None:
        raise Absent(_STUCK)
    return end


@reference(lambda p: closed.changes(p)[-1].start)
def slip_end(p: PulledPair) -> Ball:
    """Return the instant (s) from which m1 sticks for ever; undefined if it never slips."""
    if not (changes := _changes(_all(p))):
        raise Absent(_STUCK)
    return changes[-1].start


@reference(lambda p: mpmath.mpf(closed.count_slips(p)))
def slips(p: PulledPair) -> Ball:
    """Count the slips."""
    return arb(sum(change.kind != "stick" for change in _changes(_all(p))))


@reference(lambda p: closed.phases(p)[-1].state.x1)
def final_position(p: PulledPair) -> Ball:
    """Return the place (m) where m1 sticks for ever."""
    return _all(p)[-1].phase.state[X1]


@reference(closed.balance, how="work of the pull less the energy that is left, from the closed form of every phase")
def dissipated_energy(p: PulledPair) -> Ball:
    """Return the energy (J) that friction dissipates, mu_d normal times the path slid."""
    places = [ended.phase.state[X1] for ended in _all(p)]
    return ball(p.drag) * sum((abs(b - a) for a, b in pairwise(places)), arb(0))


@reference(
    lambda p, what, time: getattr(closed.state_at(p, time.mpf()), what),
    effort=lambda p, time, **_: proved(_phases(p, time)),
    takes=(choice("what", ROWS), TIME),
)
def state(p: PulledPair, what: str, time: Exact) -> Ball:
    """Return displacement (m) or velocity (m/s) of a mass at an instant (s): ``x1``, ``v1``, ``x2`` or ``v2``."""
    return value_at(_phases(p, time), ROWS[what], ball(time))


@reference.function(takes=(SHARE,))
def holds_clearly(p: PulledPair, share: Exact, digits: int) -> bool:
    """Tell whether stick begins each time with more left of its limit than a share of the jump of friction."""
    try:
        return decided(lambda: all(_spares(p, ball(share))), digits)
    except Undecided:
        return False


def _spares(p: PulledPair, share: Ball) -> Iterator[bool]:
    signs = {kind: sign for sign, kind in KINDS.items()}
    for slip, stick in pairwise(ended.phase for ended in _phases(p)):
        if slip.kind != stick.kind == "stick":
            pulls = ball(p.k) * stick.state[U]
            needed = share * abs(pulls - signs[slip.kind] * ball(p.drag))
            yield less(needed, ball(p.grip) - abs(pulls), "what is left of friction")


@reference.function()
def motion(p: PulledPair, digits: int) -> Motion:
    """Return the motion, for figures and comparison of histories: x1, v1, x2, v2."""

    def reading(row: Row) -> Callable[[Ball], Ball]:
        return lambda t: value_at(_phases(p), row, t)

    return Motion(
        {what: reading(row) for what, row in ROWS.items()},
        lambda: [(phase.start, phase.kind) for phase in (_phases(p)[0].phase, *_changes(_phases(p)))],
        digits,
    )
