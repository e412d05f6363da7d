"""A problem and its derivative by a parameter as one initial value problem: any solver of those differentiates by it.

At an event, where the guard g(t, y, p) passes zero, the unknowns jump to h(t, y, p) and the rates from f⁻ to f⁺. With D
the derivative along the tangent at a fixed instant, D e = (∂e/∂y) s + ∂e/∂p,

    dτ/dp = -D g / (∂g/∂t + (∂g/∂y) f⁻)                     the instant of the event moves,
    s⁺ = D h + (∂h/∂t + (∂h/∂y) f⁻ - f⁺(h)) dτ/dp           and what follows begins later (saltation).

Source: M. A. Aizerman and F. R. Gantmakher, J. Mech. Appl. Math. 11 (1958) 225; R. I. Leine and H. Nijmeijer, Dynamics
and Bifurcations of Non-Smooth Mechanical Systems, Springer (2004), chapter 7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import sympy

from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import TIME, Expr
from veridyn.problem.generated import after
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.problem.tangent import INITIAL, Tangent

PREFIX = "d_"  # before the name of a state: its derivative at a fixed instant
INSTANT = "instant"  # the name of what follows the events: the derivative of the last one's instant


class Term(StrEnum):
    """A part of a derivative that can be left out: it is then computed as if what the text says."""

    INSTANT = "the instants of events did not move"
    GUARD = "the parameter did not stand in the guards of events"
    JUMP = "the rates did not jump at events"
    RESET = "the states did not jump at events"
    COEFFICIENT = "the parameter did not stand in the jumps of the states"
    MEMORY = "nothing before an event mattered after it"
    RATES = "the parameter did not stand in the equations of motion"
    START = "the initial values did not move"
    SALTATION = "the motion at events did not know that their instants move"
    ARRIVAL = "the states that arrive at events did not follow their instants"
    BEGINNING = "what follows events did not begin with them"
    REVERSED = "the instants of events moved the other way"
    OTHER = "the instants were those of another event of the mode"


@dataclass(frozen=True)
class Extended:
    """A problem whose states are those of another, then their derivatives, then that of the last event's instant."""

    problem: InitialValueProblem
    derivatives: tuple[str, ...]
    instant: str


def extend(problem: InitialValueProblem, tangent: Tangent, without: Collection[Term] = ()) -> Extended:
    """Return a problem with its derivative along a tangent; terms of it may be left out.

    Raises `ProblemError` for algebraic equations, mass matrices, and an accumulation of events after which the motion
    does not rest.
    """
    if problem.constraints or problem.mass is not None:
        raise ProblemError(f"{problem.name}: algebraic equations and mass matrices are not differentiated here")
    rule = _Rule(problem, tangent, frozenset(without))
    return Extended(
        replace(
            problem,
            states=(*problem.states, *rule.names.values(), rule.instant),
            initial=(*problem.initial, *rule.start(), sympy.Integer(0)),
            modes=tuple(map(rule.extend_mode, problem.modes)),
            accumulation=problem.accumulation and rule.extend_accumulation(problem.accumulation),
        ),
        tuple(rule.names.values()),
        rule.instant,
    )


class _Rule:
    """The rule by which the derivative goes through modes and events."""

    def __init__(self, problem: InitialValueProblem, tangent: Tangent, without: frozenset[Term]) -> None:
        self.problem, self.tangent, self.without = problem, tangent, without
        taken = {*problem.states, *problem.parameters}
        prefix = PREFIX
        while taken & {prefix + name for name in (*problem.states, INSTANT)}:
            prefix = f"_{prefix}"
        self.names = {name: prefix + name for name in problem.states}
        self.instant = prefix + INSTANT

    def start(self) -> tuple[Expr, ...]:
        """Return the derivatives of the initial values."""
        if Term.START in self.without:
            return (sympy.Integer(0),) * len(self.names)
        stated = (self.tangent.numbers.get(INITIAL + name, 0.0) for name in self.problem.states)
        return tuple(
            self.along(expression) + sympy.Rational(repr(number))
            for expression, number in zip(self.problem.initial, stated, strict=True)
        )

    def along(self, expression: Expr, *, by_state: bool = True, by_parameter: bool = True) -> Expr:
        """Return the derivative of an expression along the tangent, at a fixed instant."""
        of = {name: sympy.Symbol(tangent) for name, tangent in self.names.items()} if by_state else {}
        for name, value in self.tangent.numbers.items() if by_parameter else ():
            if name in self.problem.parameters:
                of[name] = sympy.Rational(repr(value))
        return sympy.Add(*(sympy.diff(expression, sympy.Symbol(name)) * slope for name, slope in of.items()))

    def in_time(self, expression: Expr, mode: Mode) -> Expr:
        """Return the rate of an expression along the motion in a mode."""
        along = zip(self.problem.states, mode.rates, strict=True)
        slopes = (sympy.diff(expression, sympy.Symbol(name)) * rate for name, rate in along)
        return sympy.Add(sympy.diff(expression, sympy.Symbol(TIME)), *slopes)

    def extend_mode(self, mode: Mode) -> Mode:
        """Return a mode with the variational equations, and its events with what they do to the derivative."""
        rates = (self.along(rate, by_parameter=Term.RATES not in self.without) for rate in mode.rates)
        events = tuple(self.extend_change(mode, change) for change in mode.events)
        return replace(mode, rates=(*mode.rates, *rates, sympy.Integer(0)), events=events)

    def extend_change(self, mode: Mode, change: Change) -> Change:
        """Return an event with the derivative of its instant, and the jump of the derivative."""
        jumps = after(self.problem, change.reset)
        moves = self.move_instant(mode, change)
        if change.is_marker:
            return replace(change, reset={**change.reset, self.instant: moves})
        begins = self.problem.mode_of(change.mode or mode.name)
        later = zip(self.names.values(), self.jump(mode, begins, jumps, moves, change.reset), strict=True)
        return replace(change, reset={**change.reset, **dict(later), self.instant: moves})

    def move_instant(self, mode: Mode, change: Change) -> Expr:
        """Return the derivative of the instant of an event."""
        if Term.INSTANT in self.without:
            return sympy.Integer(0)
        others = [each.guard for each in mode.events if each is not change]
        guard = others[0] if others and Term.OTHER in self.without else change.guard
        along = self.along(guard, by_parameter=Term.GUARD not in self.without)
        sign = 1 if Term.REVERSED in self.without else -1
        return sign * along / self.in_time(guard, mode)

    def jump(
        self, mode: Mode, begins: Mode, jumps: tuple[Expr, ...], moves: Expr, reset: Mapping[str, Expr]
    ) -> list[Expr]:
        """Return the derivatives of the states just after an event, at a fixed instant."""
        put = {sympy.Symbol(name): value for name, value in zip(self.problem.states, jumps, strict=True)}
        then = mode.rates if Term.JUMP in self.without else tuple(rate.xreplace(put) for rate in begins.rates)
        arrives, leaves = (
            0 if self.without & {Term.SALTATION, term} else moves for term in (Term.ARRIVAL, Term.BEGINNING)
        )
        result = []
        for name, value, rate in zip(self.problem.states, jumps, then, strict=True):
            own = sympy.Symbol(name) if Term.RESET in self.without and name in reset else value
            by_parameter = Term.COEFFICIENT not in self.without
            if Term.MEMORY in self.without:
                result.append(self.along(own, by_state=False, by_parameter=by_parameter))
                continue
            later = self.in_time(own, mode) * arrives - rate * leaves
            result.append(self.along(own, by_parameter=by_parameter) + later)
        return result

    def extend_accumulation(self, accumulation: Accumulation) -> Accumulation:
        """Return what follows accumulating events: a rest at fixed states moves with nothing."""
        rests = all(rate == 0 for rate in self.problem.mode_of(accumulation.mode).rates)
        if not rests or any(name not in accumulation.reset for name in self.problem.states):
            raise ProblemError(f"{self.problem.name}: what follows accumulating events is no rest")
        later = {self.names[name]: self.along(value, by_state=False) for name, value in accumulation.reset.items()}
        return replace(accumulation, reset={**accumulation.reset, **later})
