"""The variational equations of an initial value problem: derivatives of rates, guards and resets along a tangent.

With y(t, p) the motion and s = dy/dp at a fixed instant, s' = (∂f/∂y) s + ∂f/∂p within a mode. What happens to s at an
event is left to the solver: it is what is judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from veridyn.problem.expressions import Expr
from veridyn.problem.generated import OUT_OF_DOMAIN, Names, after, generated, right_hand_side
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.named_numbers import move_numbers
from veridyn.problem.tangent import INITIAL, Tangent

ALONG = "d "  # before the name of an unknown: its derivative; no name holds a space

Along = Callable[[float, Floats, Floats], Floats]
"""Derivatives as a function of the instant, the unknowns y (n,) and their derivative s (n,) at that instant."""


@dataclass(frozen=True)
class Variation:
    """Derivatives of the equations of one mode along a tangent; s (n,) is the derivative of y (n,) at a fixed instant.

    ``rate(t, y, s)`` (n,) is the right-hand side of the variational equations, ``guards(t, y, s)`` (g,) the
    derivatives of the guards, in the order of the events, ``resets[event](t, y, s)`` (n,) that of the unknowns after an
    event, by its name: each (∂/∂y) s + ∂/∂p, at a fixed instant.
    """

    rate: Along
    guards: Along
    resets: Mapping[str, Along]


def differentiate(problem: InitialValueProblem, tangent: Tangent, mode: str = "") -> Variation:
    """Return the derivatives of a mode along a tangent; the first mode if none is named."""
    chosen = problem.mode_of(mode or problem.mode)
    return Variation(
        rate=_bind(problem, tangent, right_hand_side(problem, chosen.name)),
        guards=_bind(problem, tangent, tuple(change.guard for change in chosen.events)),
        resets={change.name: _bind(problem, tangent, after(problem, change.reset)) for change in chosen.events},
    )


def differentiate_start(problem: InitialValueProblem, tangent: Tangent) -> Floats:
    """Return the derivative (n,) of the initial values."""
    slopes = _bind(problem, tangent, problem.initial)(problem.start, problem.initial_state, np.zeros(problem.size))
    stated = np.array([tangent.numbers.get(INITIAL + name, 0.0) for name in problem.unknowns])
    return np.asarray(slopes + stated)


def _bind(problem: InitialValueProblem, tangent: Tangent, expressions: tuple[Expr, ...]) -> Along:
    """Return the derivatives of expressions as a function of ``(t, y, s)``; NaN where they have no value."""
    names = Names((*problem.unknowns, *(ALONG + name for name in problem.unknowns)), tuple(problem.parameters))
    moved = tuple(_move(problem, tangent, each) for each in expressions)
    result, numbers = generated(names, moved), problem.parameter_numbers
    nothing = np.full(len(moved), math.nan)

    def at(t: float, y: Floats, s: Floats) -> Floats:
        try:
            return np.array(result(t, [*y.tolist(), *s.tolist()], numbers), dtype=float)
        except OUT_OF_DOMAIN:
            return nothing

    return at


def _move(problem: InitialValueProblem, tangent: Tangent, expression: Any) -> Expr:
    """Return the derivative of an expression along a tangent."""
    along = {name: sympy.Symbol(ALONG + name) for name in problem.unknowns}
    along |= {name: sympy.Float(value, 17) for name, value in tangent.numbers.items() if name in problem.parameters}
    return sympy.Add(*(sympy.diff(expression, sympy.Symbol(name)) * slope for name, slope in along.items()))


def shift(problem: Problem, tangent: Tangent, by: float) -> Problem:
    """Return the problem of a neighbour, whose parameter is larger ``by`` so much, to first order."""
    moves = {name: by * slope for name, slope in tangent.numbers.items()}
    if isinstance(problem, MechanicalProblem):
        return move_numbers(problem, moves)
    assert isinstance(problem, InitialValueProblem)
    stated = {name: value + sympy.Rational(repr(moves.get(name, 0.0))) for name, value in problem.parameters.items()}
    return replace(problem, parameters=stated)
