"""What follows what in a motion with events, resets and changes of the mode: each phase, and the next one, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol

import sympy
from flint import arb
from sympy import Expr

from veridyn.references.algebra import vanishes
from veridyn.references.engine.enclosure import Undecided, ball, per_bits, sign
from veridyn.references.engine.events import Event, Guard, Passes
from veridyn.references.engine.expressions import compiled
from veridyn.references.engine.flows import Flow, LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, differentiated, value
from veridyn.references.engine.motion import Phase
from veridyn.references.engine.smooth import Smooth, restarted
from veridyn.references.engine.swings import GuardSwing
from veridyn.references.parameters import Exact, ParameterSet, exact
from veridyn.references.problems.hybrid_conditions import name_end, refuse_end, refuse_start
from veridyn.references.problems.hybrid_modes import (
    TIME,
    SymbolicMode,
    differentiate_along,
    insert_fixed,
    insert_numbers,
    make_modes,
    solve_relations,
    to_sympy,
)
from veridyn.references.problems.hybrid_swings import Line, find_line, make_swing

DEEPEST = 4  # derivatives of a guard that may vanish together
PASSES: dict[int, Passes] = {-1: "falls", 1: "falls", 0: "crosses"}


class ParameterSource(Protocol):
    """Where parameters come from that are not given."""

    def find(self, problem: Any, o: ParameterSet, /) -> Mapping[str, Ball]:
        """Return them by name, in a problem, from the parameters that are given."""


@dataclass(frozen=True, eq=False)
class HybridPhase(Phase):
    """With its mode, and the rows of what is watched, None of what is constant; zeros are those of the rates."""

    watched: tuple[Guard | None, ...] = ()
    mode: SymbolicMode = None  # type: ignore[assignment]
    reset: Mapping[str, Expr] = field(default_factory=dict)  # with which it began
    facts: Mapping[Any, Expr] = field(default_factory=dict)  # what is exact of the states where it began


@dataclass(frozen=True, eq=False)
class HybridSystem:
    """A problem with expressions that are watched beside its guards; keys of caches."""

    problem: Any
    watched: tuple[Expr, ...] = ()
    sought: ParameterSource | None = None
    tried: Mapping[str, Ball] | None = None  # instead of what is sought

    @cached_property
    def states(self) -> tuple[sympy.Symbol, ...]:
        return tuple(map(sympy.Symbol, self.problem.states))

    @property
    def modes(self) -> dict[str, SymbolicMode]:
        return make_modes(self.problem, self.watched)

    def values(self, expressions: Sequence[Expr], known: Mapping[str, Any]) -> list[Any]:
        """Return the values of expressions."""
        return compiled(tuple(expressions))(known)

    def named(self, o: ParameterSet, time: Any, state: Sequence[Any]) -> dict[str, Any]:
        """Return values by name."""
        names = dict(zip(self.problem.states, state, strict=False))
        return {**make_balls(o), **self.found(o), **names, "t": time}

    def found(self, o: ParameterSet) -> Mapping[str, Ball]:
        """Return the parameters that are not given."""
        if self.tried is not None or self.sought is None:
            return self.tried or {}
        return self.sought.find(self.problem, o)

    def instant(self, at: Expr, o: ParameterSet) -> Ball:
        """Return the value of an expression in the parameters."""
        return self.values((at,), self.named(o, arb(0), ()))[0]

    def read(self, expression: Expr, phase: Phase) -> Expr:
        """Return an expression in what can be read as one in the states of a phase."""
        assert isinstance(phase, HybridPhase)
        return expression.xreplace(dict(phase.mode.readings)) if phase.mode.readings else expression

    @property
    def span(self) -> tuple[Expr, Expr]:
        """Start and end (s), as formulas in the parameters."""
        start, end = (write_instant(instant) for instant in (self.problem.start, self.problem.end))
        return start, end

    def end(self, o: ParameterSet) -> arb:
        """Return the end (s) of the motion, without a derivative: nothing is looked for beyond."""
        result: arb = value(self.instant(self.span[1], o))
        return result

    # ---- phases

    def first(self, o: ParameterSet) -> Phase:
        """Return the phase in which a motion begins."""
        start, state, facts = self.initial_state(o)
        return self._phase(o, self.modes[self.problem.mode], start, state, facts, None)

    def initial_state(self, o: ParameterSet) -> tuple[Ball, Sequence[Ball], dict[sympy.Symbol, Expr]]:
        """Return the start (s), the state there, and what is exact of it."""
        start = self.instant(self.span[0], o)
        state = self.values(tuple(self.problem.initial), self.named(o, start, ()))[: len(self.states)]
        facts = {x: self._plain(e, o) for x, e in zip(self.states, self.problem.initial, strict=False)}
        return start, state, {**facts, TIME: self._plain(self.span[0], o)}

    def following(self, o: ParameterSet) -> Callable[[Phase, Event | None, Ball, Sequence[Ball]], Phase | None]:
        """Return what follows a phase."""

        def after(phase: Phase, event: Event | None, time: Ball, state: Sequence[Ball]) -> Phase | None:
            assert isinstance(phase, HybridPhase)
            if event is None:
                return None
            refuse_end(phase.mode, event.name, time)
            place = phase.mode.find_place(event.name)
            assert place is not None  # the events of a phase are those of its mode
            return self.follow_event(o, phase.mode, place, time, state)

        return after

    def follow_event(
        self, o: ParameterSet, mode: SymbolicMode, place: int, time: Ball, state: Sequence[Ball]
    ) -> Phase | None:
        """Return the phase after the event at a place of a mode; None where the motion ends."""
        change = mode.events[place]
        if change.terminal:
            return None
        state = self.sharpen(o, mode, place, state)
        there, facts = self.jump(o, change.reset, time, state, self.read_relations(o, mode, place))
        return self._phase(o, self.modes[change.mode or mode.name], time, there, facts, time)

    def read_relations(self, o: ParameterSet, mode: SymbolicMode, place: int) -> dict[Expr, Expr]:
        """Return what is exact of the states where an event ends a mode: formulas in those that are free."""
        relations = tuple(self._plain(e, o) for e in (mode.guards[place], *mode.zeros))
        free = {symbol: symbol for symbol in (*self.states, TIME)}
        return {**free, **solve_relations(relations, (*self.states, TIME))}

    def sharpen(self, o: ParameterSet, mode: SymbolicMode, place: int, state: Sequence[Ball]) -> list[Ball]:
        """Return the state where an event ends a mode, with the states that the event fixes as they are exactly.

        A body that touches a wall is where the wall is. Followed up to there it has a radius, which each flight from
        wall to wall would widen; and of a derivative that is zero a ball around zero would be left.
        """
        relations = tuple(insert_fixed(e, o) for e in (mode.guards[place], *mode.zeros))
        solved = solve_relations(relations, (*self.states, TIME))
        moving = {*self.states, TIME}
        fixed = {
            i: solved[x] for i, x in enumerate(self.states) if x in solved and moving.isdisjoint(solved[x].free_symbols)
        }
        if not fixed:
            return list(state)
        values = self.values(tuple(fixed.values()), self.named(o, arb(0), ()))
        exactly = dict(zip(fixed, values, strict=True))
        return [exactly.get(i, each) for i, each in enumerate(state)]

    def _fix_instant(self, o: ParameterSet, guard: Expr) -> Ball | None:
        """Return when a guard is zero (s), where it is a line over the time; None elsewhere.

        Followed to there, the instant would be start and lapse of a phase: of a derivative that cancels between them
        a ball around zero would be left.
        """
        if TIME not in guard.free_symbols or not guard.free_symbols.isdisjoint(self.states):
            return None
        formula = solve_relations((insert_fixed(guard, o),), (TIME,)).get(TIME)
        if formula is None or TIME in formula.free_symbols:
            return None
        result: Ball = self.values((formula,), self.named(o, arb(0), ()))[0]
        return result

    def is_zero(self, o: ParameterSet, expression: Expr, facts: Mapping[Expr, Expr]) -> bool:
        """Tell whether an expression is zero by what is exact of the states."""
        return vanishes(self.insert_facts(o, expression, facts))

    def insert_facts(self, o: ParameterSet, expression: Expr, facts: Mapping[Expr, Expr]) -> Expr:
        """Return an expression with the parameters, and what is exact of the states, put in."""
        return sympy.expand(self._plain(expression, o)).xreplace(dict(facts))

    def jump(
        self,
        o: ParameterSet,
        reset: Mapping[Any, Expr],
        time: Ball,
        state: Sequence[Ball],
        exact_before: Mapping[Expr, Expr],
    ) -> tuple[list[Ball], dict[Expr, Expr]]:
        """Return the state after a reset, and what is exact of it; ``exact_before``: of the state before."""
        jumps = tuple(reset.get(symbol.name, symbol) for symbol in self.states)
        there = self.values(jumps, self.named(o, time, state))
        moved = {symbol for symbol in self.states if symbol.name in reset}
        facts = {node: formula for node, formula in exact_before.items() if moved.isdisjoint(node.free_symbols)}
        for symbol, jump in zip(self.states, jumps, strict=True):
            facts[symbol] = self.insert_facts(o, jump, exact_before)
        return there, facts

    def _phase(
        self,
        o: ParameterSet,
        mode: SymbolicMode,
        time: Ball,
        state: Sequence[Ball],
        facts: Mapping[Any, Expr],
        event: Ball | None,
        reset: Mapping[str, Expr] | None = None,
    ) -> Phase:
        """Return the phase from an instant on; of smooth ones, from an exact instant next to an event's."""
        turning = [self.derivative(mode, expression) for expression in mode.watched]
        at_rest = solve_relations(tuple(self._plain(e, o) for e in mode.zeros), (*self.states, TIME))
        still = [self.is_zero(o, e, at_rest) for e in turning]
        zeros = [self._zeros(o, mode, e, time, state, facts) for e in mode.guards]
        zeros += [0 if s else self._zeros(o, mode, e, time, state, facts) for e, s in zip(turning, still, strict=True)]
        refuse_start(mode, zeros, time, lambda e: self.values((e,), self.named(o, time, state))[0])
        flow, start, there, late = self._flow(o, mode, time, state, event)
        names = [(change.name, PASSES[change.direction], change.is_marker) for change in mode.events]
        names += [(name_end(condition), "falls", False) for condition in mode.conditions]
        watched: list[tuple[str, Passes, bool]] = [("turns", "falls", False)] * len(turning)
        read = zip([*names, *watched], mode.read, self._rows(o, mode, flow), zeros, strict=True)
        guards = [
            Guard(name, row, count, late if count else None, passes, marks, instant=self._fix_instant(o, expression))
            for (name, passes, marks), expression, row, count in read
        ]
        count = len(mode.guards)
        if isinstance(flow, LinearFlow):
            swings = self._swings(o, mode, [name for name, *_ in names], tuple(there), facts)
            guards[:count] = [replace(guard, swing=swing) for guard, swing in zip(guards, swings, strict=False)]
        return HybridPhase(
            mode.name,
            flow,
            start,
            tuple(there),
            guards[:count],
            watched=tuple(None if s else guard for guard, s in zip(guards[count:], still, strict=True)),
            mode=mode,
            reset=reset or {},
            facts=facts if late is None else {},
        )

    def _flow(
        self, o: ParameterSet, mode: SymbolicMode, time: Ball, state: Sequence[Ball], event: Ball | None
    ) -> tuple[Flow, Ball, Sequence[Ball], arb | None]:
        if mode.rows is not None and mode.terms is not None:
            extra = self._extra(o, mode, time)
            return _affine(self, o, mode)[0], time, (*state, *extra), None
        # Linear modes have loads as states, so that an uncertain start is as sharp as the state. In a smooth mode
        # the instant enters the rates: a ball would blunt all coefficients. So the phase begins at an exact
        # instant next to the event.
        if event is None and not differentiated(time):
            return self._smooth(o, mode, time), time, state, None
        flow, there, late = restarted(lambda start: self._smooth(o, mode, start), time, tuple(state))
        return flow, flow.start, there, late

    def _swings(
        self, o: ParameterSet, mode: SymbolicMode, names: Sequence[str], state: State, facts: Mapping[Any, Expr]
    ) -> Iterator[GuardSwing | None]:
        """Yield what is proved of each guard of a linear mode for all times, if its motion has a closed form."""
        known = self.named(o, arb(0), ())

        def touch(line: Line) -> bool:
            if not self.is_zero(o, line.write_square(mode.terms or ()), facts):
                return False
            if o.varied:
                raise Undecided("a guard touches zero: there is no derivative where two regimes meet")
            return True

        for place, name in enumerate(names):
            line = find_line(mode, place, o.plain)
            if line is None:
                yield None
                continue
            touches = partial(touch, line) if name in mode.touching else None
            yield make_swing(line, state, lambda number: self.values((number,), known)[0], touches)

    def _extra(self, o: ParameterSet, mode: SymbolicMode, time: Ball) -> list[Ball]:
        """Return one, time and waves."""
        assert mode.terms is not None
        n = len(self.states)
        return [arb(1), time, *self.values(mode.terms[n + 2 :], self.named(o, time, ()))]

    def row(self, o: ParameterSet, row: Mapping[int, Expr]) -> Row:
        """Return a row with the numbers of the parameters."""
        factors = self.values(tuple(row.values()), self.named(o, arb(0), ()))
        return dict(zip(row, factors, strict=True))

    def _smooth(self, o: ParameterSet, mode: SymbolicMode, start: arb) -> Smooth:
        def evaluated(expressions: Sequence[Expr]) -> Callable[[Any, Sequence[Any]], Sequence[Any]]:
            return lambda t, y: self.values(expressions, self.named(o, t, y))

        return Smooth(evaluated(mode.rates), start, evaluated(mode.read))

    def _rows(self, o: ParameterSet, mode: SymbolicMode, flow: Flow) -> list[Row]:
        """Return guards, then what is watched, as rows."""
        if isinstance(flow, LinearFlow):
            return _affine(self, o, mode)[1]
        return [{len(self.states) + i: arb(1)} for i in range(len(mode.read))]

    def _plain(self, expression: Expr, o: ParameterSet) -> Expr:
        return insert_numbers(expression, o.plain)

    def _zeros(
        self,
        o: ParameterSet,
        mode: SymbolicMode,
        guard: Expr,
        time: Ball,
        state: Sequence[Ball],
        facts: Mapping[Any, Expr],
    ) -> int:
        """Return how many Taylor coefficients of a guard vanish exactly where a phase begins."""
        # The ball is read first: if it excludes zero, that is a proof and costs little. If it holds zero, no
        # precision tells zero from a small number. Then the reset and the guard that has fallen are put in as
        # formulas, and zero is proved by algebra. If it is zero, the next Taylor coefficient is that of the rate
        # along the motion. How many vanish is a matter of the proof: a power of s too many or too few would hide the
        # next event, or make one of the start.
        for count in range(DEEPEST + 1):
            if sign(self.values((guard,), self.named(o, time, state))[0]):
                return count
            if not self.is_zero(o, guard, facts):
                return count
            guard = self.derivative(mode, guard)
        raise Undecided("a guard stays zero where a phase begins")

    def derivative(self, mode: SymbolicMode, expression: Expr) -> Expr:
        """Return the rate of an expression along the motion."""
        return differentiate_along(expression, self.states, mode.rates)


def write_instant(instant: Any) -> Expr:
    """Return an instant (s) as a formula; a float stands for its shortest decimal."""
    return instant if isinstance(instant, Expr) else to_sympy(exact(instant))


@per_bits
def _affine(system: HybridSystem, o: ParameterSet, mode: SymbolicMode) -> tuple[LinearFlow, list[Row]]:
    """Return the flow of an affine mode and its rows, guards before what is watched: the same for all its phases."""
    assert mode.rows is not None
    rates, read = ([system.row(o, row) for row in rows] for rows in mode.rows)
    return LinearFlow(rates, system.end(o) - value(system.instant(system.span[0], o))), read


@per_bits
def make_balls(o: ParameterSet) -> dict[str, Ball]:
    """Return the parameters as balls, by name."""
    return {name: ball(number) for name, number in vars(o).items()}


@dataclass(frozen=True)
class ParameterView:
    """Parameters as attributes, made where they are read; a cache can be keyed by them."""

    _record: ParameterSet
    _number: Callable[[Exact], Any]

    def __getattr__(self, name: str) -> Any:
        return self._number(getattr(self._record, name))
