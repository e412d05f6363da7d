"""Two solvers of hybrid problems that return derivatives, each written in its own way; every part can be replaced.

`Variational` carries the derivative at a fixed instant, by variational equations and a jump at each event. `Stepping`
takes equal steps of order four and differentiates what it does: where a step is cut, its length moves as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from veridyn.problem.generated import functions
from veridyn.problem.tangent import Tangent
from veridyn.problem.variations import Variation, differentiate, differentiate_start
from veridyn.solver.contract.responses import output_instants

Floats = np.ndarray[Any, np.dtype[np.float64]]

CAPABILITIES = frozenset({"initial-value", "hybrid", "derivatives:forward"})
DELTA = 1e-6  # for rates along the motion (s)
STARTS = 1e-9  # a guard that is so near to zero has just been passed
BISECTIONS = 50


@dataclass(frozen=True)
class Leg:
    """A mode of a problem with its derivative along a tangent."""

    problem: Any
    tangent: Tangent
    name: str

    @cached_property
    def plain(self) -> Any:
        """The functions of the mode."""
        return functions(self.problem, self.name)

    @cached_property
    def here(self) -> Variation:
        """Their derivatives."""
        return differentiate(self.problem, self.tangent, self.name)

    @cached_property
    def events(self) -> Any:
        """What ends the mode."""
        return self.problem.mode_of(self.name).events

    def ahead(self, number: int, t: float, y: Floats) -> float:
        """Return the guard of an event with the sign by which it falls to zero."""
        return -(self.events[number].direction or 1) * float(self.plain.guards(t, y)[number])


@dataclass(frozen=True)
class Passage:
    """An event as it is passed: its number, instant and state (n,), and the derivative (n,) at that fixed instant."""

    leg: Leg
    number: int
    t: float
    y: Floats
    s: Floats

    @cached_property
    def change(self) -> Any:
        """What happens."""
        return self.leg.events[self.number]

    @cached_property
    def arriving(self) -> Floats:
        """The rates (n,) before the event."""
        return self.leg.plain.rhs(self.t, self.y)

    @cached_property
    def after(self) -> Floats:
        """The state (n,) after the event."""
        return np.array(self.leg.plain.reset(self.change.name, self.t, self.y))

    @cached_property
    def drift(self) -> float:
        """The rate of the guard along the motion."""
        late, early = (self.leg.plain.guards(*self._beside(sign))[self.number] for sign in (1, -1))
        return float(late - early) / (2 * DELTA)

    @cached_property
    def aging(self) -> Floats:
        """The rate (n,) of the state after the event, if the event came later with the same state before it."""
        name, plain = self.change.name, self.leg.plain
        late, early = (np.array(plain.reset(name, self.t + sign * DELTA, self.y)) for sign in (1, -1))
        return (late - early) / (2 * DELTA)

    def _beside(self, sign: int) -> tuple[float, Floats]:
        return self.t + sign * DELTA, self.y + sign * DELTA * self.arriving


# ---- the rule


def follow_guard(p: Passage) -> float:
    """Return the derivative of the instant of an event."""
    return -float(p.leg.here.guards(p.t, p.y, p.s)[p.number]) / p.drift


def map_slopes(p: Passage, slopes: Floats, moves: float) -> Floats:
    """Return the derivative after an event from that before it, both on the moving instant."""
    return p.leg.here.resets[p.change.name](p.t, p.y, slopes) + p.aging * moves


def leave(p: Passage, later: Leg) -> Floats:
    """Return the rates that begin after an event."""
    return later.plain.rhs(p.t, p.after)


def rate(variation: Variation, t: float, y: Floats, s: Floats) -> Floats:
    """Return the right-hand side of the variational equations."""
    return variation.rate(t, y, s)


def as_it_is(stated: Any) -> Any:
    """Return what is given."""
    return stated


@dataclass(frozen=True)
class Rule:
    """How a derivative goes through start, modes and events.

    ``arrives`` and ``begins`` are the parts of the way of an instant that the states before and after it follow.
    """

    start: Callable[[Any, Tangent], Floats] = differentiate_start
    rate: Callable[[Variation, float, Floats, Floats], Floats] = rate
    instant: Callable[[Passage], float] = follow_guard
    mapped: Callable[[Passage, Floats, float], Floats] = map_slopes
    leave: Callable[[Passage, Leg], Floats] = leave
    arrives: float = 1.0
    begins: float = 1.0
    restate: Callable[[Any], Any] = as_it_is
    answer: Callable[[Floats], Floats] = as_it_is
    locate: Callable[[float], float] = as_it_is  # of a cut step: the share after which the event happens


class Journal:
    """What both solvers share: the modes, and what is answered."""

    def __init__(self, problem: Any, tangent: Tangent, rule: Rule) -> None:
        self.problem, self.tangent, self.rule = rule.restate(problem), tangent, rule
        self.outputs = output_instants(self.problem)
        self.rows: list[tuple[float, Floats, Floats, float]] = []
        self.events: dict[str, list[tuple[Any, ...]]] = {}
        self.legs: dict[str, Leg] = {}

    def leg(self, name: str) -> Leg:
        """Return a mode by its name."""
        return self.legs.setdefault(name, Leg(self.problem, self.tangent, name))

    def write(self, t: float, y: Floats, slopes: Floats, moves: float = 0.0) -> None:
        """Write a sample: instant, state, the derivative of the state on that instant, and that of the instant."""
        if self.rows and self.rows[-1][0] == t:
            self.rows.pop()
        self.rows.append((t, y, self.rule.answer(slopes), float(self.rule.answer(np.array(moves)))))

    def note(self, p: Passage, moves: float) -> None:
        """Note an event, with the state before it and its derivative on the moving instant."""
        both = np.array(moves), p.s + p.arriving * moves
        self.events.setdefault(p.change.name, []).append((p.t, p.y, *map(self.rule.answer, both)))

    def respond(self) -> Mapping[str, Any]:
        """Return response and derivative."""
        time, states, slopes, moves = (np.array(each) for each in zip(*self.rows, strict=True))
        parts = {name: [np.array(each) for each in zip(*rows, strict=True)] for name, rows in self.events.items()}
        instants, before, ways, slopes_before = ({name: each[i] for name, each in parts.items()} for i in range(4))
        return {
            "response": {"time": time, "states": states, "events": instants, "before": before},
            "tangent": {"time": moves, "states": slopes, "events": ways, "before": slopes_before},
        }


# ---- by variational equations


def follow(problem: Any, tangent: Tangent, rule: Rule) -> Journal:
    """Solve a problem together with its derivative at fixed instants."""
    w = Journal(problem, tangent, rule)
    leg, t, y, s = w.leg(w.problem.mode), w.problem.start, w.problem.initial_state, rule.start(w.problem, tangent)
    w.write(t, y, s)
    while True:
        run = _integrate(leg, rule, t, np.concatenate((y, s)))
        inside = w.outputs[(w.outputs > t) & (w.outputs <= run.t[-1])]
        for each in inside:
            w.write(float(each), *np.split(run.sol(each), 2))
        fired = next((i for i, instants in enumerate(run.t_events or ()) if instants.size), None)
        if fired is None:
            return w
        t, (y, s) = float(run.t[-1]), np.split(run.y[:, -1], 2)
        p = Passage(leg, fired, t, y, s)
        moves = rule.instant(p)
        w.note(p, moves)
        if not p.change.is_marker:
            leg, y = w.leg(p.change.mode or leg.name), p.after
            way = moves * rule.arrives
            s = rule.mapped(p, s + p.arriving * way, way) - rule.leave(p, leg) * moves * rule.begins
        w.write(t, y, s + leg.plain.rhs(t, y) * moves, moves)


def _integrate(leg: Leg, rule: Rule, t: float, both: Floats) -> Any:
    def rates(t: float, both: Floats) -> Floats:
        y, s = np.split(both, 2)
        return np.concatenate((leg.plain.rhs(t, y), rule.rate(leg.here, t, y, s)))

    exact = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "dense_output": True}
    watched = [_watch(leg, number, t) for number in range(len(leg.events))]
    return solve_ivp(rates, (t, leg.problem.end), both, events=watched or None, **exact)


def _watch(leg: Leg, number: int, start: float) -> Any:
    def guard(t: float, both: Floats) -> float:
        value = leg.ahead(number, t, both[: both.size // 2])
        return value if t > start + DELTA or abs(value) > STARTS else 1.0

    guard.terminal, guard.direction = True, -1  # type: ignore[attr-defined]
    return guard


# ---- by equal steps, differentiated as they are taken


def march(problem: Any, tangent: Tangent, rule: Rule) -> Journal:
    """Solve a problem by a step from output to output, with the derivative of what each step does."""
    w = Journal(problem, tangent, rule)
    leg, y, s = w.leg(w.problem.mode), w.problem.initial_state, rule.start(w.problem, tangent)
    w.write(w.problem.start, y, s)
    for begin, end in pairwise(w.outputs.tolist()):
        t, moves = begin, 0.0  # where the rest of the step begins, and the derivative of that instant
        while (hit := _find_first(leg, rule, t, y, end - t)) is not None:
            number, cut = hit
            y, s = _advance(leg, rule, (t, moves), (y, s), (cut, 0.0))
            t += cut
            p = Passage(leg, number, t, y, s - leg.plain.rhs(t, y) * moves)
            moves = rule.instant(p)
            w.note(p, moves)
            s = p.s + p.arriving * moves * rule.arrives
            if not p.change.is_marker:
                leg, y, s = w.leg(p.change.mode or leg.name), p.after, rule.mapped(p, s, moves * rule.arrives)
            w.write(
                t, y, s + leg.plain.rhs(t, y) * moves * (1 - rule.begins), moves
            )  # what goes on as if it stood still
            moves *= rule.begins
        y, s = _advance(leg, rule, (t, moves), (y, s), (end - t, -moves))
        if t < end:
            w.write(end, y, s)
    return w


Dual = tuple[Any, Any]  # a number or array with its derivative


def _advance(leg: Leg, rule: Rule, t: Dual, y: Dual, h: Dual) -> tuple[Floats, Floats]:
    """Return state and derivative after a step of the classical method of order 4."""
    slopes: list[tuple[Floats, Floats]] = []
    for share in (0.0, 0.5, 0.5, 1.0):
        k, dk = slopes[-1] if slopes else (0.0 * y[0], 0.0 * y[0])
        now, place = t[0] + share * h[0], y[0] + share * h[0] * k
        place_moves = y[1] + share * (h[1] * k + h[0] * dk)
        along = rule.rate(leg.here, now, place, place_moves)
        if t[1] or h[1]:
            late, early = (leg.plain.rhs(now + sign * DELTA, place) for sign in (1, -1))
            along = along + (late - early) / (2 * DELTA) * (t[1] + share * h[1])
        slopes.append((leg.plain.rhs(now, place), along))
    k, dk = (sum(w * each[i] for w, each in zip((1, 2, 2, 1), slopes, strict=True)) / 6 for i in (0, 1))
    return y[0] + h[0] * k, y[1] + h[1] * k + h[0] * dk


def _find_first(leg: Leg, rule: Rule, t: float, y: Floats, h: float) -> tuple[int, float] | None:
    """Return the first event in a step by its number, and the length (s) after which it happens."""
    hits = []
    for number in range(len(leg.events)):
        if leg.ahead(number, t, y) > STARTS and leg.ahead(number, t + h, _step(leg, t, y, h)) <= 0:
            early, late = 0.0, 1.0
            for _ in range(BISECTIONS):
                middle = (early + late) / 2
                is_ahead = leg.ahead(number, t + middle * h, _step(leg, t, y, middle * h)) > 0
                early, late = (middle, late) if is_ahead else (early, middle)
            hits.append((late, number))
    if not hits:
        return None
    share, number = min(hits)
    return number, rule.locate(share) * h


def _step(leg: Leg, t: float, y: Floats, h: float) -> Floats:
    f = leg.plain.rhs
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(t + h, y + h * k3))


# ---- solvers


@dataclass(frozen=True)
class GradientSolver:
    """A solver of one of the two ways."""

    name: str
    way: Callable[[Any, Tangent, Rule], Journal]
    rule: Rule = Rule()
    version: str = "1"
    capabilities: frozenset[str] = CAPABILITIES
    claims: Mapping[str, Any] = field(default_factory=dict)

    def solve(self, problem: Any, _: Mapping[str, Any]) -> Any:
        """Return the response."""
        return self.way(problem, Tangent("", {}), self.rule).respond()["response"]

    def solve_tangent(self, problem: Any, tangent: Tangent, _: Mapping[str, Any]) -> Any:
        """Return response and derivative."""
        return self.way(problem, tangent, self.rule).respond()


VARIATIONAL = GradientSolver("variational", follow)
STEPPING = GradientSolver("stepping", march)
