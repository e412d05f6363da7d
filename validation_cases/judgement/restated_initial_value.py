"""How metamorphic relations restate initial value problems, and map the answers back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import sympy

from veridyn.problem.expressions import TIME, Expr
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.responses import Trajectory
from veridyn.validation_cases.judgement.case import Floats
from veridyn.validation_cases.judgement.restated_mechanical import NAMELESS, restore_names

Solve = Callable[[InitialValueProblem], Trajectory]


def halved(problem: InitialValueProblem) -> InitialValueProblem:
    """Return the problem as it is: half of its initial values might contradict its constraints."""
    return problem


def can_be_restarted(problem: InitialValueProblem) -> bool:
    """Tell whether a motion may be cut: it has no end of its own, and no constraints that a rounded state violates."""
    return not problem.constraints and not problem.terminal_events


def continued(problem: InitialValueProblem, response: Trajectory, place: int) -> InitialValueProblem:
    """Return a problem that starts with state and mode of a sample.

    Raises
    ------
    CapabilityError
        If there are several modes and the solver does not say which one holds.
    """
    if len(problem.modes) > 1 and not response.modes:
        raise CapabilityError("the solver does not report the modes, so that no motion can be started again")
    mode = response.modes[place] if response.modes else problem.mode
    return replace(problem, initial=tuple(response.states[place].tolist()), mode=mode)


def followed(first: Trajectory, second: Trajectory) -> Trajectory:
    """Return the first trajectory until the second begins, then the second."""
    kept = first.time < second.time[0]
    modes = tuple(mode for mode, before in zip(first.modes, kept, strict=True) if before) if first.modes else ()
    return Trajectory(
        time=np.concatenate((first.time[kept], second.time)),
        states=np.concatenate((first.states[kept], second.states)),
        events=_joined(first.events, second.events),
        before=_joined(first.before, second.before),
        modes=modes + second.modes if second.modes else (),
        counters={
            name: first.counters[name] + second.counters[name] for name in first.counters.keys() & second.counters
        },
    )


def _joined(first: Mapping[str, Floats], second: Mapping[str, Floats]) -> dict[str, Floats]:
    result = {**first, **second}
    return {name: np.concatenate([part[name] for part in (first, second) if name in part]) for name in result}


def shifted(problem: InitialValueProblem, by: float) -> InitialValueProblem:
    """Return what happens by some seconds later."""
    earlier = {sympy.Symbol(TIME): sympy.Symbol(TIME) - sympy.Rational(repr(by))}
    times = problem.output_times

    def moved(expression: Expr) -> Expr:
        return expression.xreplace(earlier)

    return replace(
        problem,
        start=problem.start + by,
        end=problem.end + by,
        output_times=None if times is None else times + by,
        modes=tuple(_moved_mode(mode, moved) for mode in problem.modes),
        mass=None if problem.mass is None else tuple(tuple(map(moved, row)) for row in problem.mass),
        constraints=tuple(map(moved, problem.constraints)),
        invariants={name: moved(e) for name, e in problem.invariants.items()},
    )


def _moved_mode(mode: Mode, moved: Callable[[Expr], Expr]) -> Mode:
    return replace(
        mode,
        rates=tuple(map(moved, mode.rates)),
        events=tuple(_moved_change(c, moved) for c in mode.events),
        conditions=tuple(replace(c, expression=moved(c.expression)) for c in mode.conditions),
    )


def _moved_change(change: Change, moved: Callable[[Expr], Expr]) -> Change:
    return replace(change, guard=moved(change.guard), reset={name: moved(e) for name, e in change.reset.items()})


def permuted(solve: Solve, problem: InitialValueProblem) -> Trajectory:
    """Solve with the states in reverse order."""
    n = len(problem.states)
    order = [*reversed(range(n)), *range(n, problem.size)]
    response = solve(
        replace(
            problem,
            states=problem.states[::-1],
            modes=tuple(replace(mode, rates=mode.rates[::-1]) for mode in problem.modes),
            initial=tuple(problem.initial[i] for i in order),
            mass=None if problem.mass is None else tuple(row[::-1] for row in problem.mass[::-1]),
        )
    )
    before = {name: states[:, order] for name, states in response.before.items()}
    return replace(response, states=response.states[:, order], before=before)


@dataclass(frozen=True)
class NeutralNames:
    """What everything of a problem is called by names that say nothing."""

    symbols: Mapping[str, str]
    events: Mapping[str, str]
    modes: Mapping[str, str]

    def restate(self, expression: Expr) -> Expr:
        """Return an expression in the new names."""
        return expression.xreplace({sympy.Symbol(old): sympy.Symbol(new) for old, new in self.symbols.items()})

    def rename_mode(self, mode: Mode) -> Mode:
        """Return a mode with its rates, events and conditions."""
        return replace(
            mode,
            name=self.modes[mode.name],
            rates=tuple(map(self.restate, mode.rates)),
            events=tuple(map(self.rename_change, mode.events)),
            conditions=tuple(
                replace(each, expression=self.restate(each.expression), meaning=NAMELESS) for each in mode.conditions
            ),
        )

    def rename_change(self, change: Change) -> Change:
        """Return an event."""
        return replace(
            change,
            name=self.events[change.name],
            guard=self.restate(change.guard),
            reset=self.rename_reset(change.reset),
            mode=self.modes.get(change.mode, ""),
            waits=NAMELESS if change.waits else "",
        )

    def rename_accumulation(self, accumulation: Accumulation | None) -> Accumulation | None:
        """Return where events accumulate, if they do."""
        if accumulation is None:
            return None
        return Accumulation(
            event=self.events[accumulation.event],
            mode=self.modes[accumulation.mode],
            reset=self.rename_reset(accumulation.reset),
        )

    def rename_reset(self, reset: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return what states jump to."""
        return {self.symbols[name]: self.restate(value) for name, value in reset.items()}


def _number(names: Iterable[str], word: str) -> dict[str, str]:
    return {name: f"{word}{number}" for number, name in enumerate(names, 1)}


def renamed(solve: Solve, problem: InitialValueProblem) -> Trajectory:
    """Solve with names that say nothing: of the problem, its unknowns, parameters, events and modes."""
    symbols = _number((*problem.unknowns, *problem.parameters), "q")
    names = NeutralNames(
        symbols, _number(problem.event_names, "event"), _number((m.name for m in problem.modes), "mode")
    )
    response = solve(
        replace(
            problem,
            name=NAMELESS,
            states=tuple(symbols[name] for name in problem.states),
            multipliers=tuple(symbols[name] for name in problem.multipliers),
            parameters={symbols[name]: value for name, value in problem.parameters.items()},
            modes=tuple(map(names.rename_mode, problem.modes)),
            mode=names.modes[problem.mode],
            initial=tuple(map(names.restate, problem.initial)),
            mass=None if problem.mass is None else tuple(tuple(map(names.restate, row)) for row in problem.mass),
            constraints=tuple(map(names.restate, problem.constraints)),
            invariants={
                f"invariant{number}": names.restate(each) for number, each in enumerate(problem.invariants.values(), 1)
            },
            accumulation=names.rename_accumulation(problem.accumulation),
        )
    )
    events, modes = ({new: old for old, new in some.items()} for some in (names.events, names.modes))
    return replace(
        response,
        events=restore_names(response.events, events),
        before=restore_names(response.before, events),
        modes=tuple(modes[mode] for mode in response.modes),
    )
