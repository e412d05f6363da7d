"""The equations of a mode as expressions: which terms they are linear in, and what is known of them exactly.

What an event leaves at zero is proved here, symbolically, with the parameters as exact numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import sympy
from sympy import Expr

from veridyn.references.parameters import Exact, ParameterSet
from veridyn.references.second_routes import hybrid_steps

TIME = sympy.Symbol("t")
ONE = sympy.Dummy("one")


@dataclass(frozen=True, eq=False)
class SymbolicMode:
    """The equations of a mode: affine in `terms`, or smooth."""

    name: str
    states: tuple[sympy.Symbol, ...]
    rates: tuple[Expr, ...]
    guards: tuple[Expr, ...]  # of the events, falling where they happen; then the conditions, which do not fall
    events: tuple[Any, ...]
    conditions: tuple[Any, ...]
    watched: tuple[Expr, ...]
    zeros: tuple[Expr, ...] = ()  # what is exactly zero while it holds
    readings: Mapping[sympy.Symbol, Expr] = field(default_factory=dict)  # what can be read beside the states
    touching: frozenset[str] = frozenset()  # events whose guards may touch zero: the mode goes on

    def find_place(self, event: str | None) -> int | None:
        """Return the place of an event by name among those of the mode; None if it has none of that name."""
        return next((i for i, change in enumerate(self.events) if change.name == event), None)

    @cached_property
    def read(self) -> tuple[Expr, ...]:
        """Return guards, then what is watched."""
        return (*self.guards, *self.watched)

    @cached_property
    def terms(self) -> tuple[Expr, ...] | None:
        """Return what rates, guards and watched expressions are linear in; None where they are not."""
        free = {*self.states, TIME}
        waves = {
            wave
            for expression in (*self.rates, *self.read)
            for wave in expression.atoms(sympy.sin, sympy.cos)
            if TIME in wave.free_symbols
        }
        angles = sorted({wave.args[0] for wave in waves}, key=str)
        if any(not sympy.diff(angle, TIME).free_symbols.isdisjoint(free) for angle in angles):
            return None
        if any(not angle.free_symbols.isdisjoint(self.states) for angle in angles):
            return None
        pairs = [f(angle) for angle in angles for f in (sympy.sin, sympy.cos)]
        return (*self.states, ONE, TIME, *self._powers, *pairs)

    @cached_property
    def _powers(self) -> tuple[Expr, ...]:
        """Return the powers of the time from the second on that the equations hold."""
        degrees = {
            int(power.exp)
            for expression in (*self.rates, *self.read)
            for power in expression.atoms(sympy.Pow)
            if power.base == TIME and power.exp.is_Integer and power.exp > 1
        }
        return tuple(TIME**k for k in range(2, max(degrees, default=1) + 1))

    @cached_property
    def rows(self) -> tuple[tuple[dict[int, Expr], ...], tuple[dict[int, Expr], ...]] | None:
        """Return rows of the rates of all terms, and of what is read; None where they are not affine."""
        if self.terms is None:
            return None
        if not all(expression.is_polynomial(*self.states) for expression in (*self.rates, *self.read)):
            return None  # seen at once; what follows differentiates and expands
        n, free = len(self.states), {*self.states, TIME}
        rates = [*self.rates, sympy.Integer(0), sympy.Integer(1)]
        rates += [sympy.diff(term, TIME) for term in self.terms[n + 2 :]]  # of powers of the time, and of waves
        names = [sympy.Dummy() for _ in self.terms]
        renamed = [e.xreplace(dict(zip(self.terms, names, strict=True))) for e in (*rates, *self.read)]
        result: list[dict[int, Expr]] = []
        for expression in renamed:
            row = _linear(expression, names, n)
            if row is None or any(not c.free_symbols.isdisjoint(free | set(names)) for c in row.values()):
                return None
            result.append(row)
        return tuple(result[: len(self.terms)]), tuple(result[len(self.terms) :])


def _linear(expression: Expr, names: Sequence[sympy.Dummy], one: int) -> dict[int, Expr] | None:
    """Return the factors of names, and what is left at the place of one; None if it is not affine."""
    plain = _read_sum(expression, names, one)
    if plain is not None:
        return plain
    row = {i: sympy.diff(expression, name) for i, name in enumerate(names)}
    row = {i: factor for i, factor in row.items() if factor != 0}
    if any(not sympy.expand(factor).free_symbols.isdisjoint(names) for factor in row.values()):
        return None
    left = sympy.expand(expression - sum(factor * names[i] for i, factor in row.items()))
    if not left.free_symbols.isdisjoint(names):
        return None
    return {**row, one: row.get(one, 0) + left} if left != 0 else row


def _read_sum(expression: Expr, names: Sequence[sympy.Dummy], one: int) -> dict[int, Expr] | None:
    """Return the same of a sum whose terms are a number, or a name times a number: at once, however many names."""
    places: dict[Any, int] = {name: i for i, name in enumerate(names)}
    terms: dict[int, list[Expr]] = {}
    for term in sympy.Add.make_args(expression):
        inside = [symbol for symbol in term.free_symbols if symbol in places]
        factor, place = (term, one) if not inside else (term / inside[0], places[inside[0]])
        if len(inside) > 1 or any(symbol in places for symbol in factor.free_symbols):
            return None
        terms.setdefault(place, []).append(factor)
    return {place: sympy.Add(*factors) for place, factors in terms.items() if sympy.Add(*factors) != 0}


@lru_cache(maxsize=64)
def make_modes(problem: Any, watched: tuple[Expr, ...]) -> dict[str, SymbolicMode]:
    """Return the modes by name, once, since a parameter that is sought is tried often."""
    states = tuple(map(sympy.Symbol, problem.states))
    return {
        mode.name: SymbolicMode(
            mode.name,
            states,
            mode.rates,
            (*map(hybrid_steps.falling, mode.events), *(condition.expression for condition in mode.conditions)),
            tuple(mode.events),
            tuple(mode.conditions),
            watched,
        )
        for mode in problem.modes
    }


@lru_cache(maxsize=4096)
def differentiate_along(expression: Expr, states: tuple[sympy.Symbol, ...], rates: tuple[Expr, ...]) -> Expr:
    """Return the rate of an expression along the motion."""
    moved = (sympy.diff(expression, x) * rate for x, rate in zip(states, rates, strict=True))
    return sum(moved, sympy.diff(expression, TIME))


@lru_cache(maxsize=4096)
def insert_numbers(expression: Expr, o: ParameterSet) -> Expr:
    """Return an expression with the parameters put in; once, since a start may be long and is tried often."""
    return expression.xreplace(_numbers(o))


@lru_cache(maxsize=4096)
def insert_fixed(expression: Expr, o: ParameterSet) -> Expr:
    """Return an expression with the parameters put in, but for that one to which derivatives are taken."""
    fixed = {sympy.Symbol(name) for name, number in vars(o).items() if number.slope is None}
    return expression.xreplace({symbol: number for symbol, number in _numbers(o).items() if symbol in fixed})


def _numbers(o: ParameterSet) -> dict[sympy.Symbol, Expr]:
    return {sympy.Symbol(name): to_sympy(number) for name, number in vars(o).items()}


def to_sympy(number: Exact) -> Expr:
    """Return an exact number, a rational times a power of pi, as SymPy's."""
    return sympy.Rational(number.rational.numerator, number.rational.denominator) * sympy.pi**number.pi


def _split_number(term: Expr) -> tuple[Expr, Expr]:
    """Return the number by which a term is multiplied, irrational ones too, and what is left."""
    number, rest = term.as_independent(*term.free_symbols, as_Add=False)
    return number, rest


@lru_cache(maxsize=4096)
def solve_relations(relations: tuple[Expr, ...], states: tuple[sympy.Symbol, ...]) -> dict[Expr, Expr]:
    """Return states, or powers and waves, from relations that are zero; numbers are put in.

    Of each relation that term is taken which is a number times a state, else times a power or a wave.
    """
    solved: dict[Expr, Expr] = {}
    for relation in relations:
        plain = sympy.expand(sympy.expand(relation).xreplace(solved))
        terms = [_split_number(term) for term in sympy.Add.make_args(plain)]
        nodes = [node for _, node in terms if node.free_symbols and not node.is_Mul]
        alone = [n for n in nodes if not any(n != other and other.has(n) for _, other in terms)]
        node = next((n for n in alone if n in states), None) or next(iter(alone), None)
        if node is None:
            continue
        factor = sum(c for c, other in terms if other == node)
        formula = {node: sympy.expand(node - plain / factor)}
        solved = {**{other: e.xreplace(formula) for other, e in solved.items()}, **formula}
    return solved
