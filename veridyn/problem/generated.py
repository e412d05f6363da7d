"""What solvers and programs take instead of expressions: NumPy and numba functions, Jacobians, C source, equations.

Every generated function has the arguments ``(t, y, p)``: y are the unknowns, p the parameters, in the order of the
problem; `functions` binds p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np
import sympy

from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import TIME, Expr, text
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats
from veridyn.problem.modes import Change, Mode
from veridyn.problem.nearest import nearest

Backend = Literal["math", "numpy"]
Generated = Callable[[Any, Any, Any], Any]

WIDTH = 72  # characters of a line of equations as they are written; typeset it fits a page
OUT_OF_DOMAIN = (ValueError, OverflowError, ZeroDivisionError, TypeError)  # the last where a root became complex


@dataclass(frozen=True)
class Names:
    """Names of unknowns and parameters, in the order of the arguments y and p."""

    unknowns: tuple[str, ...]
    parameters: tuple[str, ...]

    @classmethod
    def from_problem(cls, problem: InitialValueProblem) -> Names:
        """Return the names of a problem."""
        return cls(problem.unknowns, tuple(problem.parameters))

    @property
    def arrays(self) -> tuple[Any, Any]:
        """The arguments y and p."""
        sizes = {"y": len(self.unknowns), "p": len(self.parameters)}
        y, p = (sympy.IndexedBase(name, shape=(size,)) for name, size in sizes.items())
        return y, p

    def indexed(self, expression: Expr) -> Expr:
        """Return an expression in the elements of the arrays."""
        y, p = self.arrays
        places = {sympy.Symbol(name): y[i] for i, name in enumerate(self.unknowns)}
        return expression.xreplace(places | {sympy.Symbol(name): p[i] for i, name in enumerate(self.parameters)})


def translated(names: Names, expressions: tuple[Expr, ...], modules: Any) -> Generated:
    """Return the function of ``(t, y, p)`` in the functions of a library, given by name or as a mapping of names."""
    indexed = tuple(names.indexed(expression) for expression in expressions)
    result: Generated = sympy.lambdify((sympy.Symbol(TIME), *names.arrays), indexed, modules=modules, cse=True)
    return result


@lru_cache(maxsize=4096)
def generated(names: Names, expressions: tuple[Expr, ...], backend: Backend = "math") -> Generated:
    """Return the function of ``(t, y, p)`` that gives a tuple of numbers, or of arrays where y holds arrays (numpy)."""
    return translated(names, expressions, backend)


@lru_cache(maxsize=1024)
def compiled(names: Names, expressions: tuple[Expr, ...]) -> Generated:
    """Return what `generated` does, compiled by numba; callable from compiled code."""
    import numba

    result: Any = numba.njit(generated(names, expressions))
    return cast(Generated, result)


@lru_cache(maxsize=1024)
def slopes(names: Names, expressions: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return the derivatives with respect to all unknowns, row by row."""
    return tuple(sympy.diff(e, sympy.Symbol(name)) for e in expressions for name in names.unknowns)


def right_hand_side(problem: InitialValueProblem, mode: str) -> tuple[Expr, ...]:
    """Return the rates of the states in a mode, then the constraints."""
    return (*problem.mode_of(mode).rates, *problem.constraints)


def derivative(problem: InitialValueProblem, mode: str, expression: Expr) -> Expr:
    """Return the rate of an expression along the motion in a mode without mass matrix and constraints."""
    rates = zip(problem.states, problem.mode_of(mode).rates, strict=True)
    along = (sympy.diff(expression, sympy.Symbol(name)) * rate for name, rate in rates)
    return sympy.diff(expression, sympy.Symbol(TIME)) + sum(along)


@dataclass(frozen=True)
class Functions:
    """Plain functions of one mode of a problem; what has no value there is NaN.

    ``rhs(t, y)`` (n,) and ``jacobian(t, y)`` (n, n); ``mass(t, y)`` (n, n), rows of constraints are zero;
    ``guards(t, y)`` (g,) in the order of ``mode.events``; ``reset(event, t, y)`` (n,) after an event, by its name.
    Over many instants (m,) with states (m, n): ``rhs_over`` (m, n), ``guards_over`` (m, g).
    """

    problem: InitialValueProblem
    mode: Mode
    rhs: Callable[[float, Floats], Floats]
    jacobian: Callable[[float, Floats], Floats]
    mass: Callable[[float, Floats], Floats]
    guards: Callable[[float, Floats], Floats]
    rhs_over: Callable[[Floats, Floats], Floats]
    guards_over: Callable[[Floats, Floats], Floats]

    def reset(self, event: str, t: float, y: Floats) -> Floats:
        """Return the unknowns just after the event of a name; raises ProblemError if the mode has none of it."""
        resets = {change.name: change.reset for change in self.mode.events}
        if event not in resets:
            raise ProblemError(f"mode {self.mode.name} has no event {event!r}; {nearest(event, resets)}")
        return _reset(self.problem, resets[event], t, y)


def functions(problem: InitialValueProblem, mode: str = "") -> Functions:
    """Return the plain functions of a mode, the first one if none is named."""
    chosen, n = problem.mode_of(mode or problem.mode), problem.size
    rates = right_hand_side(problem, chosen.name)
    guards = tuple(change.guard for change in chosen.events)
    square = _matrix(bound(problem, slopes(Names.from_problem(problem), rates)), n)
    mass = _matrix(bound(problem, _mass(problem)), n)
    return Functions(
        problem,
        chosen,
        rhs=bound(problem, rates),
        jacobian=square,
        mass=mass,
        guards=bound(problem, guards),
        rhs_over=over(problem, rates),
        guards_over=over(problem, guards),
    )


def accumulated(problem: InitialValueProblem, t: float, y: Floats) -> Floats:
    """Return the unknowns after the limit of accumulating events."""
    assert problem.accumulation is not None
    return _reset(problem, problem.accumulation.reset, t, y)


def _reset(problem: InitialValueProblem, reset: Any, t: float, y: Floats) -> Floats:
    return bound(problem, after(problem, reset))(t, y)


def after(problem: InitialValueProblem, reset: Any) -> tuple[Expr, ...]:
    """Return the unknowns after a reset, as expressions."""
    return tuple(reset.get(name, sympy.Symbol(name)) for name in problem.unknowns)


def _mass(problem: InitialValueProblem) -> tuple[Expr, ...]:
    n, m = len(problem.states), len(problem.multipliers)
    rows = sympy.eye(n) if problem.mass is None else sympy.Matrix(problem.mass)
    return tuple(sympy.diag(rows, sympy.zeros(m, m)))


def bound(problem: InitialValueProblem, expressions: tuple[Expr, ...]) -> Callable[[float, Floats], Floats]:
    """Return expressions as a function of ``(t, y)``; NaN where they have no value."""
    names, numbers = Names.from_problem(problem), problem.parameter_numbers
    result = generated(names, expressions)
    nothing = np.full(len(expressions), math.nan)

    def at(t: float, y: Floats) -> Floats:
        try:
            return np.array(result(t, y.tolist(), numbers), dtype=float)
        except OUT_OF_DOMAIN:
            return nothing

    return at


def _matrix(flat: Callable[[float, Floats], Floats], n: int) -> Callable[[float, Floats], Floats]:
    return lambda t, y: flat(t, y).reshape(n, n)


def over(problem: InitialValueProblem, expressions: tuple[Expr, ...]) -> Callable[[Floats, Floats], Floats]:
    """Return expressions (e,) as a function of instants (m,) and states (m, n): values (m, e), NaN where none is."""
    result, numbers = generated(Names.from_problem(problem), expressions, "numpy"), problem.parameter_numbers

    def at(times: Floats, states: Floats) -> Floats:
        values = np.empty((times.size, len(expressions)))
        with np.errstate(all="ignore"):
            for i, value in enumerate(result(times, states.T, numbers)):
                values[:, i] = value
        return values

    return at


# ---- for programs


def c_source(problem: InitialValueProblem) -> str:
    """Return C functions of all modes: ``rhs``, ``jacobian``, ``guards`` by mode, ``reset`` by mode and event.

    Modes, events, unknowns and parameters are counted from 0 in their order; a Jacobian is written row by row.
    """
    names = Names.from_problem(problem)
    lines = [f"/* {problem.name}: y = ({', '.join(names.unknowns)}), p = ({', '.join(names.parameters)}) */"]
    lines += ["#include <math.h>", ""]
    rates = [right_hand_side(problem, mode.name) for mode in problem.modes]
    lines += c_function("rhs", "int mode, ", names, [(f"case {i}", e) for i, e in enumerate(rates)])
    jacobians = [(f"case {i}", slopes(names, e)) for i, e in enumerate(rates)]
    lines += c_function("jacobian", "int mode, ", names, jacobians)
    guards = [tuple(change.guard for change in mode.events) for mode in problem.modes]
    lines += c_function("guards", "int mode, ", names, [(f"case {i}", e) for i, e in enumerate(guards)])
    lines += c_function("reset", "int mode, int event, ", names, c_resets(problem), "100 * mode + event")
    return "\n".join(lines)


def c_resets(problem: InitialValueProblem) -> list[tuple[str, tuple[Expr, ...]]]:
    """Return the unknowns after every event, labelled ``100 * mode + event``."""
    events = ((i, j, change) for i, mode in enumerate(problem.modes) for j, change in enumerate(mode.events))
    return [(f"case {100 * i + j}", after(problem, change.reset)) for i, j, change in events]


def c_function(
    name: str, extra: str, names: Names, cases: Sequence[tuple[str, tuple[Expr, ...]]], which: str = "mode"
) -> list[str]:
    """Return the lines of a C function of ``(extra, t, y, p, out)``; ``which`` chooses among labelled expressions."""
    lines = [
        f"void {name}({extra}double t, const double *y, const double *p, double *out)",
        "{",
        f"  switch ({which}) {{",
    ]
    for label, expressions in cases:
        common, reduced = sympy.cse([names.indexed(e) for e in expressions], symbols=sympy.numbered_symbols("c"))
        lines.append(f"  {label}: {{")
        lines += [f"    double {symbol} = {sympy.ccode(e)};" for symbol, e in common]
        lines += [f"    out[{k}] = {sympy.ccode(e)};" for k, e in enumerate(reduced)]
        lines.append("    break; }")
    return [*lines, "  }", "}", ""]


def equations(problem: InitialValueProblem) -> tuple[str, ...]:
    """Return the equations of a problem as lines that reports typeset."""
    several = len(problem.modes) > 1
    lines = [line for mode in problem.modes for line in _of_mode(problem, mode, f"{mode.name}: " if several else "")]
    return (*lines, *(f"{_set(e)} = 0" for e in problem.constraints), *_initial(problem))


def _of_mode(problem: InitialValueProblem, mode: Mode, label: str) -> Iterator[str]:
    moved = _moved(problem)
    rates = [f"{left} = {_set(rate)}" for left, rate in zip(moved, mode.rates, strict=True)]
    yield from _broken([label + rates[0], *rates[1:]])
    yield from (f"{change.name}: {_happens(change)}" for change in mode.events)
    yield from (f"{condition.meaning}: {_set(condition.expression)} >= 0" for condition in mode.conditions)


def _broken(parts: Iterable[str]) -> Iterator[str]:
    """Yield equations side by side, on as many lines as a page needs."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) > WIDTH:
            yield line
            line = ""
        line = f"{line}, {part}" if line else part
    yield line


def _moved(problem: InitialValueProblem) -> Iterator[str]:
    """Yield the left sides: rates, with the mass in front."""
    rates = [sympy.Symbol(f"{name}'") for name in problem.states]
    mass = sympy.eye(len(rates)) if problem.mass is None else sympy.Matrix(problem.mass)
    yield from (_set(row) for row in mass * sympy.Matrix(rates))


def _happens(change: Change) -> str:
    after = [f"{name}^+ = {_set(value)}" for name, value in change.reset.items()]
    return ", ".join((f"{_set(change.guard)} = 0", *after, *([f"then {change.mode}"] if change.mode else [])))


def _initial(problem: InitialValueProblem) -> Iterator[str]:
    return _broken(f"{name}(0) = {_set(e)}" for name, e in zip(problem.unknowns, problem.initial, strict=True))


def _set(expression: Expr) -> str:
    return text(expression).replace("**", "^").replace("*", " ")
