"""How metamorphic relations restate initial value problems, and map the answers back."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import sympy

from veridyn.problem.expressions import TIME, Expr
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.responses import Trajectory
from veridyn.validation_cases.judgement.case import Floats

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
