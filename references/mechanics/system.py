"""The motion of a mechanical problem, phase by phase: the engine's, with the mode that follows decided by proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sympy
from flint import arb
from sympy import Expr, Symbol

from veridyn.references.engine.enclosure import Absent, per_bits
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import Phase
from veridyn.references.mechanics.assembly import LOAD, MechanicalMode, MechanicalMotion, ModeKey
from veridyn.references.mechanics.deciding import Instant, choose_mode
from veridyn.references.mechanics.elements import Touch
from veridyn.references.mechanics.impacts import Impact, find_impact
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_modes import TIME, SymbolicMode
from veridyn.references.problems.hybrid_system import HybridSystem
from veridyn.references.second_routes.hybrid_steps import END


@dataclass(frozen=True, eq=False)
class MechanicalSystem(HybridSystem):
    """A mechanical motion with expressions that are watched."""

    problem: MechanicalMotion

    def named(self, o: ParameterSet, time: Any, state: Sequence[Any]) -> dict[str, Any]:
        """Return values by name, the end of the motion among them."""
        return {**super().named(o, time, state), END.name: _find_end(self, o)}

    def first(self, o: ParameterSet) -> Phase:
        """Return the phase in which a motion begins."""
        start, state, facts = self.initial_state(o)
        instant = self._look(o, start, state, facts)
        if fault := self._find_fault(instant):
            raise Absent(fault)
        return self._begin(o, choose_mode(self.problem, 0, instant, None, ""), start, state, facts, None, None)

    def follow_event(
        self, o: ParameterSet, mode: SymbolicMode, place: int, time: Ball, state: Sequence[Ball]
    ) -> Phase | None:
        """Return the phase after the event at a place of a mode: velocities jump, then a mode is chosen."""
        assert isinstance(mode, MechanicalMode)
        event = mode.events[place].name
        facts: Mapping[Expr, Expr] = self.read_relations(o, mode, place)
        state = self.sharpen(o, mode, place, state[: len(self.states)])  # a linear flow carries the loads behind them
        piece, reset = mode.key.piece + (event == LOAD), dict[str, Expr]()
        if event in mode.impacts:
            before = self._look(o, time, state, facts)
            touches = [side for side in self._write_touches(piece) if not before.sign(side.gap)]
            impact = find_impact(touches, self.problem.frame.inverse, self.problem.frame.rates, before.sign)
            reset = {symbol.name: formula for symbol, formula in impact.velocities.items()}
            reset |= self._sum_impulses(touches, impact)
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
        set_anew = {s.name: e for place, now, then in places if now != then for s, e in place.resets.items()}
        # What is at rest is so exactly; as a ball of its own it would be an unknown small number.
        set_anew |= {symbol.name: formula for symbol, formula in mode.at_rest.items()}
        if set_anew:
            state, facts = self.jump(o, set_anew, time, state, facts)
        seen = _drop_idle(self.problem.mode(mode.key, self.watched), self._look(o, time, state, facts))
        seen = _fix(seen, facts)
        return self._phase(o, seen, time, state, facts, event, {**(reset or {}), **set_anew})

    def _look(self, o: ParameterSet, time: Ball, state: Sequence[Ball], facts: Mapping[Expr, Expr]) -> Instant:
        names = self.named(o, time, state)
        return Instant(
            time=time,
            enclose=lambda expression: self.values((expression,), names)[0],
            exact=lambda expression: self.insert_facts(o, expression, facts),
            symbols=_make_symbols(tuple(names)),
        )

    def find_fault(self, o: ParameterSet) -> str:
        """Return why the motion cannot start as stated: within a rigid stop, or into it; empty if it can."""
        return self._find_fault(self._look(o, *self.initial_state(o)))

    def _find_fault(self, start: Instant) -> str:
        for element in self.problem.elements:
            for side in self._write_touches(0, element.touches):
                gap = start.sign(side.gap)
                if gap < 0:
                    return f"the motion starts inside the rigid stop {element.name!r}"
                if not gap and start.sign(side.rate) < 0:
                    return f"the motion starts at the rigid stop {element.name!r} with a velocity into it"
        return ""

    def _write_touches(self, piece: int, touches: Sequence[Touch] | None = None) -> list[Touch]:
        """Return sides of rigid stops, all unless some are named, with the motion of supports put in."""
        drives = self.problem.frame.drives(piece)
        sides = [t for element in self.problem.elements for t in element.touches] if touches is None else touches
        return [replace(t, gap=t.gap.xreplace(drives), rate=t.rate.xreplace(drives)) for t in sides]

    def _sum_impulses(self, touches: Sequence[Touch], impact: Impact) -> dict[str, Expr]:
        """Return the integrals just after an impact: a force that acts for no time has an impulse.

        Raises
        ------
        Absent
            If an integrand holds the force otherwise than times what does not jump.
        """
        constant = {*self.problem.frame.unknowns, TIME}
        result: dict[str, Expr] = {}
        for symbol, integrand in self.problem.integrands.items():
            stated = integrand.xreplace(self.problem.frame.readings)
            for side, impulse in zip(touches, impact.impulses, strict=True):
                factor = sympy.diff(stated, side.push)
                if not factor.free_symbols <= constant:
                    raise Absent(f"the integral of {integrand} over an impact has no value: see {side.event}")
                result[symbol.name] = result.get(symbol.name, symbol) + factor * impulse
        return result


@per_bits
def _find_end(system: MechanicalSystem, o: ParameterSet) -> Ball:
    """Return the end (s) of the motion."""
    return system.values((system.span[1],), HybridSystem.named(system, o, arb(0), ()))[0]


@lru_cache(maxsize=64)
def _make_symbols(names: tuple[str, ...]) -> frozenset[Symbol]:
    """Return the symbols of names: the same ones at every event."""
    return frozenset(map(Symbol, names))


def _fix(mode: MechanicalMode, facts: Mapping[Expr, Expr]) -> MechanicalMode:
    """Return a mode in which states that do not change, from a number on, are read as that number."""
    pairs = zip(mode.states, mode.rates, strict=True)
    still = {symbol: facts[symbol] for symbol, rate in pairs if rate == 0 and facts.get(symbol, symbol).is_number}
    fixed = {symbol: number for symbol, number in still.items() if mode.readings.get(symbol) != number}
    return replace(mode, readings={**mode.readings, **fixed}) if fixed else mode


def _drop_idle(mode: MechanicalMode, instant: Instant) -> MechanicalMode:
    """Return a mode without the bounds that stay zero as long as it holds: none of them ends it."""
    pairs = list(zip(mode.events, mode.guards, strict=True))
    lasting = [(event, guard) for event, guard in pairs if not instant.stays(mode, guard)]
    if len(lasting) == len(pairs):
        return mode
    return replace(mode, events=tuple(event for event, _ in lasting), guards=tuple(guard for _, guard in lasting))
