"""Which parameters a value at an instant depends on at all: those that enter what drives it on the proved way.

States and all that drive them are a motion of their own. Events that change neither their rates nor themselves leave
it alone, whatever else they change. Where nothing in it holds a parameter, its derivative is zero. No ball proves that:
an event whose instant moves is followed by a shift back, and both are balls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sympy import Expr, Symbol

from veridyn.references.engine.motion import PhaseEnd
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_system import HybridPhase, HybridSystem


def is_independent(system: HybridSystem, o: ParameterSet, run: Sequence[PhaseEnd], expression: Expr) -> bool:
    """Tell whether no parameter that varies enters an expression at a fixed instant in the last phase of a run."""
    phases = [ended.phase for ended in run if isinstance(ended.phase, HybridPhase)]
    known = all(phase.mode.find_place(ended.by) is not None for ended, phase in zip(run[:-1], phases, strict=False))
    if system.sought is not None or len(phases) < len(run) or not known:  # where events accumulate, none is named
        return False
    states = set(system.states)
    readings = {x: e for x, e in phases[-1].mode.readings.items() if x not in states}
    cone, more = set[Symbol](), {*expression.xreplace(readings).free_symbols, *system.span[0].free_symbols}
    while not more <= cone:
        cone |= more
        more = {x for driver in _list_drivers(system, run, phases, cone) for x in driver.free_symbols}
    varied = {name for name, number in vars(o).items() if number.slope is not None}
    return varied.isdisjoint(x.name for x in cone)


def _list_drivers(
    system: HybridSystem, run: Sequence[PhaseEnd], phases: Sequence[HybridPhase], cone: set[Symbol]
) -> Iterator[Expr]:
    """Yield what drives the states of a cone: starts, rates, and of events that change them guards and resets."""
    places = {x: i for i, x in enumerate(system.states) if x in cone}
    yield from (system.problem.initial[i] for i in places.values())
    yield from (phase.mode.rates[i] for phase in phases for i in places.values())
    yield from (formula for name, formula in phases[0].reset.items() if Symbol(name) in places)
    for ended, (old, new) in zip(run, pairwise(phases), strict=False):
        place = old.mode.find_place(ended.by)
        assert place is not None
        stated = {**old.mode.events[place].reset, **new.reset}
        resets = {x: stated[x.name] for x in places if x.name in stated}
        still = {x: old.facts.get(x) for x in resets if old.mode.rates[places[x]] == 0}
        moved = [e for x, e in resets.items() if e not in (x, still.get(x))]
        if moved or any(old.mode.rates[i] != new.mode.rates[i] for i in places.values()):
            yield old.mode.guards[place]
            yield from moved
