"""The second route of the pulled pair: closed forms in mpmath, with break-away and standstill from turning points.

In a phase of sign s (0 stick, else the direction of the slip) the force f on m2 is constant. With u = x2 - x1:

    stick   x1 constant,  u = f/k + R cos(ωτ - φ)
    slip    u = c + R cos(Ωτ - φ),  centre of mass X = X_s + V_s τ + (f - s μ_d N)/M τ²/2,  x1 = X - m2/M u

A stick ends at an explicit instant. The velocity of m1 turns at explicit instants; the first one at which it is
against the slip ends the stretch, monotone, in which the slip ends. All is computed with twice the digits; what passes
zero by less than the digits asked for touches it.

Source: EDF validation manual V5.01.106 (SDND106).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice, pairwise
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.second_routes.roots import polished_root

MOST = 1500  # phases: slips may have no end where mu_s = mu_d
KINDS = {0: "stick", 1: "slip+", -1: "slip-"}


class PairState(NamedTuple):
    """Displacements (m) and velocities (m/s) of both masses."""

    x1: mpf
    v1: mpf
    x2: mpf
    v2: mpf


class PairPhase(NamedTuple):
    """A phase in closed form.

    Parameters, start (s), sign of the slip or 0, force on m2 (N), state at the start; then circular frequency of the
    spring (rad/s), part of u that m1 makes, elongation about which the spring swings (m), amplitude (m) and angle of
    the swing; velocity and acceleration of the centre of mass, in stick of m1 (m/s, m/s²).
    """

    pair: Any
    start: mpf
    sign: int
    force: mpf
    state: PairState
    omega: mpf
    share: mpf
    rest: mpf
    size: mpf
    angle: mpf
    speed: mpf
    acceleration: mpf

    def velocity(self, lapse: mpf) -> mpf:
        """Return the velocity of m1 (m/s)."""
        turn = self.share * self.omega * self.size * mpmath.sin(self.omega * lapse - self.angle)
        return self.speed + self.acceleration * lapse + turn

    def velocity_rate(self, lapse: mpf) -> mpf:
        """Return the acceleration of m1 (m/s²)."""
        turned = mpmath.cos(self.omega * lapse - self.angle)
        return self.acceleration + self.share * self.omega**2 * self.size * turned

    def at(self, lapse: mpf) -> PairState:
        """Return the state at a time after the start."""
        turned, moved = self.omega * lapse - self.angle, self.speed * lapse + self.acceleration * lapse**2 / 2
        u, rate = self.rest + self.size * mpmath.cos(turned), -self.omega * self.size * mpmath.sin(turned)
        x1 = self.state.x1 + moved - self.share * (u - self.state.x2 + self.state.x1)
        v1 = self.velocity(lapse)
        return PairState(x1, v1, x1 + u, v1 + rate)


def _grip(pair: Any) -> mpf:
    """Return the spring force (N) that friction holds."""
    return pair.mu_s * pair.normal


def _begun(pair: Any, start: mpf, sign: int, force: mpf, state: PairState) -> PairPhase:
    m1, m2, k, drag = pair.m1, pair.m2, pair.k, pair.mu_d * pair.normal
    omega = mpmath.sqrt(k / m2 + (k / m1 if sign else 0))
    rest, share = (force / m2 + sign * drag / m1) / omega**2, abs(sign) * m2 / (m1 + m2)
    a, b = state.x2 - state.x1 - rest, (state.v2 - state.v1) / omega
    moved = state.v1 + share * (state.v2 - state.v1), abs(sign) * (force - sign * drag) / (m1 + m2)
    return PairPhase(
        pair, start, sign, force, state, omega, share, rest, mpmath.hypot(a, b), mpmath.atan2(b, a), *moved
    )


def _touch() -> mpf:
    """Return the relative size below which something touches: half of the digits."""
    return mpmath.mpf(10) ** (-mpmath.mp.dps // 2)


def _end(phase: PairPhase, remaining: mpf) -> tuple[mpf, int] | None:
    """Return lapse and sign of what follows where a phase ends by itself, None if it does not in the time."""
    if phase.sign:
        return _standstill(phase, remaining)
    ends = [(_grip_lost(phase, sign), sign) for sign in (1, -1)]
    return min(((lapse, sign) for lapse, sign in ends if lapse is not None and lapse < remaining), default=None)


def _grip_lost(phase: PairPhase, sign: int) -> mpf | None:
    """Return when the spring overcomes friction towards a side, if it ever does."""
    held = _grip(phase.pair) / phase.pair.k
    reach = held - sign * phase.rest
    if phase.size <= reach * (1 + _touch()):
        return None
    lapse = (phase.angle - sign * mpmath.acos(sign * reach / phase.size)) % (
        2 * mpmath.pi
    )  # u rises to held, or falls to -held
    return lapse / phase.omega if 2 * mpmath.pi - lapse > _touch() else mpmath.mpf(0)


def _standstill(phase: PairPhase, remaining: mpf) -> tuple[mpf, int] | None:
    """Return when a slip ends and what follows: stick if friction holds the spring, else the slip back."""
    before = mpmath.mpf(0)
    for turn in _turns(phase, remaining):
        if phase.sign * phase.velocity(turn) < -_touch() * phase.share * phase.omega * phase.size:
            lapse = polished_root(
                phase.velocity, phase.velocity_rate, (before, turn), rising=phase.sign < 0, name="slip"
            )
            after = phase.at(lapse)
            held = phase.pair.k * abs(after.x2 - after.x1) < _grip(phase.pair)
            return lapse, 0 if held else -phase.sign
        before = turn
    return None


def _turns(phase: PairPhase, remaining: mpf) -> Iterator[mpf]:
    """Yield where the velocity of m1 turns, as long as it may be against the slip; at last, where the time ends."""
    most = phase.share * phase.omega * phase.size
    speed, gain = phase.sign * phase.speed, phase.sign * phase.acceleration
    ratio = -phase.acceleration / (phase.share * phase.omega**2 * phase.size)
    if gain < 0:  # beyond this it is against the slip wherever the spring is
        remaining = min(remaining, (speed + most) / -gain * 2)
    sides = sorted((phase.angle + s * mpmath.acos(ratio)) % (2 * mpmath.pi) for s in (-1, 1)) if abs(ratio) < 1 else []
    skipped = max(0, int((speed - most) / -gain * phase.omega / (2 * mpmath.pi)) - 1) if gain < 0 else 0
    for number in count(2 * skipped) if sides else ():
        lapse = (sides[number % 2] + 2 * mpmath.pi * (number // 2)) / phase.omega
        if gain >= 0 and (speed + gain * lapse > most or (number == 4 and gain == 0)):
            return
        if lapse >= remaining:
            break
        yield lapse
    yield remaining


def _march(pair: Any) -> Iterator[PairPhase]:
    """Yield all phases, the last of which is stick for ever; the end of the pull begins one too."""
    off, rest = pair.t_off, PairState(*(mpmath.mpf(0),) * 4)
    phase, pulled = _begun(pair, mpmath.mpf(0), 0, pair.pull, rest), True
    while True:
        yield phase
        end = _end(phase, off - phase.start if pulled else mpmath.inf)
        if end is None and not pulled:
            return
        lapse, sign = end or (off - phase.start, phase.sign)
        state = phase.at(lapse)
        state = state._replace(v1=mpmath.mpf(0)) if end else state  # what rests or turns has no velocity
        pulled = pulled and end is not None
        force = phase.force if pulled else mpmath.mpf(0)
        phase = _begun(pair, phase.start + lapse, sign, force, state)


@per_precision
def phases(pair: Any) -> tuple[PairPhase, ...]:
    """Return all phases, `MOST` at most, with twice the digits of the current precision."""
    with mpmath.workdps(2 * mpmath.mp.dps):
        return tuple(islice(_march(pair), MOST))


def changes(pair: Any) -> list[PairPhase]:
    """Return the phases that begin with a change of kind."""
    return [b for a, b in pairwise(phases(pair)) if a.sign != b.sign]


def count_slips(pair: Any) -> int:
    """Count the slips."""
    return sum(abs(phase.sign) for phase in changes(pair))


def state_at(pair: Any, time: mpf) -> PairState:
    """Return the state at an instant (s)."""
    phase = [phase for phase in phases(pair) if phase.start <= time][-1]
    with mpmath.workdps(2 * mpmath.mp.dps):
        return phase.at(time - phase.start)


def balance(pair: Any) -> mpf:
    """Return the work of the pull less what the last phase keeps (J); nothing if m1 never slips."""
    if not changes(pair):
        return mpmath.mpf(0)
    with mpmath.workdps(2 * mpmath.mp.dps):
        last = phases(pair)[-1].state
        kept = pair.m2 * last.v2**2 / 2 + pair.k * (last.x2 - last.x1) ** 2 / 2
        return pair.pull * state_at(pair, pair.t_off).x2 - kept
