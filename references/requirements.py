"""What parameters must meet together for a problem to be the one that is stated: inequalities as data.

Each one is decided by a proof: by balls where its sides differ, by algebra where they are equal. What no precision
tells is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import sympy
from sympy import Expr

from veridyn.problem.expressions import read
from veridyn.references.algebra import vanishes
from veridyn.references.engine.enclosure import ball, precision
from veridyn.references.engine.expressions import compiled
from veridyn.references.parameters import Exact, ParameterError, ParameterSet

SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0), "==": (0,)}
BITS = (128, 512, 2048)  # precisions that are tried
REBOUND = "the body leaves the impact faster than it came"  # with a restitution above 1
RELATION = re.compile(r"(<=|>=|==|<|>)")


@dataclass(frozen=True)
class Requirement:
    """A condition on the parameters of a problem, and what is wrong where it does not hold.

    Attributes
    ----------
    condition
        Two expressions with ``<``, ``<=``, ``>``, ``>=`` or ``==`` between them, ``"e < 1"``; or several such with
        ``or`` between them, of which one must hold.
    otherwise
        What the problem is where it fails, in words that follow the values: "the orbit is no ellipse".
    words
        The condition in words, where the formula is long; empty: the formula.
    """

    condition: str
    otherwise: str
    words: str = ""

    @property
    def needed(self) -> str:
        """What must hold, for a reader."""
        return self.words or self.condition


def check_requirements(requirements: Iterable[Requirement], values: Mapping[str, Exact]) -> None:
    """Raise `ParameterError` for the first requirement that does not hold, or that no precision decides."""
    plain = tuple((name, value.plain) for name, value in values.items())
    for requirement in requirements:
        if refusal := _refuse(requirement, plain):
            raise ParameterError(refusal)


@lru_cache(maxsize=4096)
def restrict(*requirements: Requirement) -> type[ParameterSet]:
    """Return the records of parameters that meet requirements; they raise `ParameterError` for others."""

    class RestrictedParameters(ParameterSet):
        """The parameters; the requirements hold."""

        def check(self) -> None:
            """Refuse parameters for which one does not."""
            check_requirements(requirements, vars(self))

    return RestrictedParameters


@lru_cache(maxsize=4096)
def _refuse(requirement: Requirement, values: tuple[tuple[str, Exact], ...]) -> str:
    """Return why values are refused; empty if they are not."""
    comparisons = _read(requirement.condition, tuple(name for name, _ in values))
    sides = [_find_side(excess, dict(values)) for excess, _ in comparisons]
    if any(side in accepted for side, (_, accepted) in zip(sides, comparisons, strict=True)):
        return ""
    involved = {symbol.name for excess, _ in comparisons for symbol in excess.free_symbols}
    shown = ", ".join(f"{name} = {value}" for name, value in values if name in involved)
    if None in sides:
        return f"{shown}: no precision tells whether this holds: {requirement.needed}"
    return f"{shown}: {requirement.otherwise}; needed: {requirement.needed}"


@lru_cache(maxsize=1024)
def _read(condition: str, names: tuple[str, ...]) -> tuple[tuple[Expr, tuple[int, ...]], ...]:
    """Return left side less right side of each comparison, and the signs of it for which the comparison holds."""
    result = []
    for comparison in condition.split(" or "):
        left, relation, right = RELATION.split(comparison)
        a, b = (read(f"requirement {condition}", side.strip(), names) for side in (left, right))
        result.append((a - b, SIGNS[relation]))
    return tuple(result)


def _find_side(excess: Expr, values: Mapping[str, Exact]) -> int | None:
    """Return the sign of an expression in exact numbers, None if no precision tells it.

    A ball around a number that is zero holds zero at every precision. So algebra is asked for that, once
    the first precision has not told the sign.
    """
    for tried, bits in enumerate(BITS):
        with precision(bits):
            (result,) = compiled((excess,))({name: ball(value) for name, value in values.items()})
            if result > 0:
                return 1
            if result < 0:
                return -1
        if tried == 0 and _is_zero(excess, values):
            return 0
    return None


def _is_zero(excess: Expr, values: Mapping[str, Exact]) -> bool:
    """Tell whether algebra proves an expression to be zero."""
    numbers = {
        sympy.Symbol(name): sympy.Rational(value.rational.numerator, value.rational.denominator) * sympy.pi**value.pi
        for name, value in values.items()
    }
    return vanishes(excess.xreplace(numbers))
