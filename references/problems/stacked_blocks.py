"""Two blocks, one on the other: a force pulls the lower one for a while, and both slide to rest.

The lower block m_1 rubs on the ground with μ_1 under the weight of both, the upper one m_2 on the lower with μ_2. From
rest F acts on the lower one until t_1. They rest if F <= μ_1 M g, M = m_1 + m_2; go together if F <= (μ_1 + μ_2) M g,
and otherwise the upper one lags behind with μ_2 g. Afterwards they go on together if μ_1 < μ_2, or the upper one
slides ahead. Accelerations are constant in each phase, so that instants are rational functions of the parameters.

Source: the laws of Coulomb; an exercise of every textbook.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import arb

from veridyn.references.engine.enclosure import Exactly, Undecided, ball, less
from veridyn.references.engine.jets import value
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet

PARAMETERS = (
    Parameter("m_1", "kg", "mass of the lower block", "2"),
    Parameter("m_2", "kg", "mass of the upper block", "1"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("mu_1", "1", "coefficient of friction on the ground", "0.2"),
    Parameter("mu_2", "1", "coefficient of friction between the blocks", "0.3"),
    Parameter("F", "N", "force on the lower block", "30"),
    Parameter("t_1", "s", "end of the force", "0.25"),
)


class Stack(ParameterSet):
    """The parameters; no force is a limit of friction."""

    def check(self) -> None:
        """Refuse what no rounding may decide."""
        whole, one, two = self.m_1.rational + self.m_2.rational, self.mu_1.rational, self.mu_2.rational
        limits = (one * whole * self.g.rational, (one + two) * whole * self.g.rational)
        if self.F.rational in limits or one == two:
            raise ParameterError(f"F = {self.F} or mu_1 = {self.mu_1} is a limit of friction: change it a little")


@dataclass(frozen=True)
class StackState:
    """Instant (s), velocities (m/s) and places (m) of both blocks at the begin of a phase; the sides of both slips."""

    time: Any
    lower: tuple[Any, Any]
    upper: tuple[Any, Any]
    sides: tuple[int, int] = (0, 0)


reference = References(
    PARAMETERS, Stack, kind="closed form", proof="constant accelerations, every phase decided in ball arithmetic"
)


def _begins(o: Stack, pulled: bool, sides: tuple[int, int]) -> tuple[int, int]:
    """Return the sides of both slips just after, from those just before: 1 forwards, 0 stick, -1 backwards."""
    ground, between = sides
    push = ball(o.F) if pulled else arb(0)
    most = ball(o.mu_1) * (ball(o.m_1) + ball(o.m_2)) * ball(o.g)
    if not ground and not less(most, push, "the force is the limit on the ground"):
        return 0, between
    if between:
        return 1, between
    common = (push - most) / (ball(o.m_1) + ball(o.m_2))
    limit = ball(o.mu_2) * ball(o.g)
    lags, leads = (less(limit, side * common, "the blocks may slip on each other") for side in (1, -1))
    return 1, leads - lags


def _accelerations(o: Stack, pulled: bool, sides: tuple[int, int]) -> tuple[Any, Any]:
    ground, between = sides
    push = ball(o.F) if pulled else arb(0)
    rub = ball(o.mu_1) * (ball(o.m_1) + ball(o.m_2)) * ball(o.g)
    if not between:
        common = (push - rub) / (ball(o.m_1) + ball(o.m_2)) if ground else arb(0)
        return common, common
    grip = ball(o.mu_2) * ball(o.g)
    return ((push - rub + between * ball(o.m_2) * grip) / ball(o.m_1) if ground else arb(0)), -between * grip


def _phases(o: Stack) -> list[StackState]:
    """Return the begins of all phases, that of rest at last."""
    result = [StackState(arb(0), (arb(0), arb(0)), (arb(0), arb(0)), _begins(o, True, (0, 0)))]
    while True:
        state = result[-1]
        pulled = len(result) == 1
        following = _next(o, state, pulled)
        if following is None:
            return result
        result.append(following)


def _next(o: Stack, state: StackState, pulled: bool) -> StackState | None:
    """Return the begin of the next phase: at the end of the force, or where the lower block or the slip stops."""
    rates = _accelerations(o, pulled, state.sides)
    if pulled:
        return _after(o, state, ball(o.t_1) - state.time, rates, state.sides)
    (ground, between), slip, opens = state.sides, state.upper[0] - state.lower[0], rates[1] - rates[0]
    stops = {}
    if ground and value(rates[0]) < 0:
        stops["ground"] = -state.lower[0] / rates[0]
    if between and between * value(opens) < 0:
        stops["between"] = -slip / opens
    if not stops:
        return None
    first = min(stops, key=lambda name: float(value(stops[name])))
    for name, lapse in stops.items():
        if name != first and not stops[first] < lapse:
            raise Undecided("both slips end together")
    sides = (0, between) if first == "ground" else (ground, 0)
    return _after(o, state, stops[first], rates, sides)


def _after(o: Stack, state: StackState, lapse: Any, rates: tuple[Any, Any], sides: tuple[int, int]) -> StackState:
    """Return the state after a while, velocities that have become equal or zero exactly so."""
    lower, upper = (_moved(at, rate, lapse) for at, rate in zip((state.lower, state.upper), rates, strict=True))
    if not sides[0]:
        lower = (arb(0), lower[1])
    if not sides[1]:
        upper = (lower[0], upper[1])
    return StackState(state.time + lapse, lower, upper, _begins(o, False, sides))


def _moved(at: tuple[Any, Any], rate: Any, lapse: Any) -> tuple[Any, Any]:
    velocity, place = at
    return velocity + rate * lapse, place + velocity * lapse + rate * lapse * lapse / 2


def _words(o: Stack, which: int) -> str:
    sides = [state.sides[which] for state in _phases(o)]
    kept = [side for i, side in enumerate(sides) if not i or side != sides[i - 1]]
    return " ".join({1: "slip+", 0: "stick", -1: "slip-"}[side] for side in kept)


def _last(o: Stack, which: int) -> Any:
    """Return the instant at which a slip has ended."""
    phases = _phases(o)
    ends = [after.time for before, after in pairwise(phases) if before.sides[which]]
    if not ends:
        raise Exactly(0, "friction holds from the start")
    return ends[-1]


# ---- the second route: impulses for the times, areas under the velocities for the places


def _numbers(o: Any) -> tuple[Any, ...]:
    return tuple(getattr(o, p.name).mpf() for p in PARAMETERS)


def _lags(o: Any) -> bool:
    """Whether the upper block lags behind while the force acts."""
    m_1, m_2, g, mu_1, mu_2, F, _ = _numbers(o)
    return bool((mu_1 + mu_2) * (m_1 + m_2) * g < F)


def _velocities(o: Any) -> tuple[Any, Any]:
    """Return the velocities at the end of the force."""
    m_1, m_2, g, mu_1, mu_2, F, t_1 = _numbers(o)
    whole = (F / ((m_1 + m_2) * g) - mu_1) * g * t_1
    return (((m_1 + m_2) * whole - m_2 * mu_2 * g * t_1) / m_1, mu_2 * g * t_1) if _lags(o) else (whole, whole)


def _meet(o: Any) -> Any:
    """Return how long after the force the upper block still lags: relative to it the lower one brakes evenly."""
    m_1, m_2, g, mu_1, mu_2, _, _ = _numbers(o)
    lower, upper = _velocities(o)
    return (lower - upper) / (g * (mu_1 + mu_2) * (m_1 + m_2) / m_1)


def _lower_rests(o: Any) -> Any:
    """Return when the lower block has come to rest, by impulses from the meeting on."""
    m_1, m_2, g, mu_1, mu_2, F, t_1 = _numbers(o)
    if mu_1 < mu_2:
        return F * t_1 / (mu_1 * (m_1 + m_2) * g)
    meeting = t_1 + _meet(o)
    common = _velocities(o)[1] + mu_2 * g * _meet(o)
    return meeting + m_1 * common / (mu_1 * (m_1 + m_2) * g - mu_2 * m_2 * g)


def _upper_rests(o: Any) -> Any:
    _, _, g, mu_1, mu_2, _, t_1 = _numbers(o)
    return _lower_rests(o) if mu_1 < mu_2 else t_1 + 2 * _meet(o) + _velocities(o)[1] / (mu_2 * g)


def _lower_way(o: Any) -> Any:
    """Return the way of the lower block: three triangles and trapezia of its velocity."""
    _, _, g, _, mu_2, _, t_1 = _numbers(o)
    top, common = _velocities(o)[0], _velocities(o)[1] + mu_2 * g * _meet(o)
    return (top * t_1 + (top + common) * _meet(o) + common * (_lower_rests(o) - t_1 - _meet(o))) / 2


def _upper_way(o: Any) -> Any:
    """Return the way of the upper block, by the work of all friction: F x(t_1) = μ_1 M g X_1 + μ_2 m_2 g (slips)."""
    m_1, m_2, g, mu_1, mu_2, F, t_1 = _numbers(o)
    work = F * _velocities(o)[0] * t_1 / 2 - mu_1 * (m_1 + m_2) * g * _lower_way(o)
    slips = work / (mu_2 * m_2 * g)
    behind = (_velocities(o)[0] - _velocities(o)[1]) * (t_1 + _meet(o)) / 2
    return _lower_way(o) - behind + (slips - behind)


IMPULSES, WORK = "impulses", "areas under the velocities, work of friction"


@reference()
def ground_order(o: Stack) -> Any:
    """Return the phases of the friction on the ground in order of time."""
    raise Exactly(_words(o, 0), "constant accelerations")


@reference()
def between_order(o: Stack) -> Any:
    """Return the phases of the friction between the blocks in order of time; slip-: the upper one lags."""
    raise Exactly(_words(o, 1), "constant accelerations")


@reference(_lower_rests, how=IMPULSES)
def lower_stop(o: Stack) -> Any:
    """Return the instant (s) at which the lower block comes to rest."""
    return _last(o, 0)


@reference(_upper_rests, how=IMPULSES)
def upper_stop(o: Stack) -> Any:
    """Return the instant (s) at which the upper block comes to rest."""
    return _phases(o)[-1].time


@reference(_lower_way, how=WORK)
def lower_way(o: Stack) -> Any:
    """Return the way (m) of the lower block."""
    if not _phases(o)[0].sides[0]:
        raise Exactly(0, "friction holds")
    return _phases(o)[-1].lower[1]


@reference(_upper_way, how=WORK)
def upper_way(o: Stack) -> Any:
    """Return the way (m) of the upper block."""
    if not _phases(o)[0].sides[0]:
        raise Exactly(0, "friction holds")
    return _phases(o)[-1].upper[1]
