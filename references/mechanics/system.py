"""The motion of a mechanical problem, phase by phase: the engine's, with the mode that follows decided by proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Expr, Symbol

from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import Phase
from veridyn.references.mechanics.assembly import LOAD, MechanicalMode, MechanicalMotion, ModeKey
from veridyn.references.mechanics.deciding import Instant, choose_mode
from veridyn.references.mechanics.elements import Touch
from veridyn.references.mechanics.impacts import find_impulses
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_modes import SymbolicMode
from veridyn.references.problems.hybrid_system import HybridSystem
from veridyn.references.second_routes.hybrid_steps import END


@dataclass(frozen=True, eq=False)
class MechanicalSystem(HybridSystem):
    """A mechanical motion with expressions that are watched."""

    problem: MechanicalMotion

    def named(self, o: ParameterSet, time: Any, state: Sequence[Any]) -> dict[str, Any]:
        """Return values by name, the end of the motion among them."""
        names = super().named(o, time, state)
        return {**names, END.name: self.values((self.span[1],), names)[0]}

    def first(self, o: ParameterSet) -> Phase:
        """Return the phase in which a motion begins."""
        start, state, facts = self.initial_state(o)
        instant = self._look(o, start, state, facts)
        return self._begin(o, choose_mode(self.problem, 0, instant, None, ""), start, state, facts, None, None)

    def follow_event(
        self, o: ParameterSet, mode: SymbolicMode, place: int, time: Ball, state: Sequence[Ball]
    ) -> Phase | None:
        """Return the phase after the event at a place of a mode: velocities jump, then a mode is chosen."""
        assert isinstance(mode, MechanicalMode)
        event = mode.events[place].name
        facts: Mapping[Expr, Expr] = self.read_relations(o, mode, place)
        state = state[: len(self.states)]  # a linear flow carries the loads behind them
        piece, reset = mode.key.piece + (event == LOAD), dict[str, Expr]()
        if event in mode.impacts:
            before = self._look(o, time, state, facts)
            touches = self._find_touches(before, piece)
            impulses = find_impulses(touches, self.problem.frame.inverse, self.problem.frame.rates, before.sign)
            reset = {velocity.name: formula for velocity, formula in impulses.items()}
            state, facts = self.jump(o, reset, time, state, facts)
        after = self._look(o, time, state, facts)
        chosen = choose_mode(self.problem, piece, after, mode.key, event)
        return self._begin(o, chosen, time, state, facts, time, mode.key, reset)

    def _begin(
        self,
        o: ParameterSet,
        mode: MechanicalMode,
        time: Ball,
        state: Sequence[Ball],
        facts: Mapping[Expr, Expr],
        event: Ball | None,
        before: ModeKey | None,
        reset: Mapping[str, Expr] | None = None,
    ) -> Phase:
        """Return the phase of a mode; what its elements remember is set where their place is another one."""
        old = (None,) * len(self.problem.elements) if before is None else before.places
        places = zip(self.problem.places(mode.key), mode.key.places, old, strict=True)
        memory = {s.name: e for place, now, then in places if now != then for s, e in place.resets.items()}
        if memory:
            state, facts = self.jump(o, memory, time, state, facts)
        seen = self.problem.mode(mode.key, self.watched)
        return self._phase(o, seen, time, state, facts, event, {**(reset or {}), **memory})

    def _look(self, o: ParameterSet, time: Ball, state: Sequence[Ball], facts: Mapping[Expr, Expr]) -> Instant:
        names = self.named(o, time, state)
        return Instant(
            time=time,
            enclose=lambda expression: self.values((expression,), names)[0],
            exact=lambda expression: sympy.expand(self._plain(expression, o)).xreplace(dict(facts)),
            symbols=frozenset(map(Symbol, names)),
        )

    def _find_touches(self, before: Instant, piece: int) -> list[Touch]:
        """Return the sides of rigid stops whose gap is zero."""
        drives = self.problem.frame.drives(piece)
        sides = [
            Touch(t.event, t.gap.xreplace(drives), t.rate.xreplace(drives), t.direction, t.restitution)
            for element in self.problem.elements
            for t in element.touches
        ]
        return [side for side in sides if not before.sign(side.gap)]
