"""Whether an expression is zero, proved by algebra at a bounded cost."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache, reduce
from math import lcm

import sympy
from sympy import Expr
from sympy.functions.elementary.trigonometric import TrigonometricFunction

MOST_TIMES = 12  # of an angle in another: SymPy writes sin(n x) as a polynomial of degree n


@lru_cache(maxsize=4096)
def vanishes(expression: Expr) -> bool:
    """Tell whether an expression is proved to be zero: what events of a kind leave is the same each time.

    False means that algebra does not show it.
    """
    return bool(sympy.simplify(rename_powers(rename_angles(expression))) == 0)


def rename_powers(expression: Expr) -> Expr:
    """Return an expression with a symbol in place of each high power of a sum, which would be multiplied out."""
    high = [
        each
        for each in expression.atoms(sympy.Pow)
        if each.base.is_Add and each.exp.is_Integer and abs(each.exp) > MOST_TIMES
    ]
    return expression.xreplace({power: sympy.Dummy() for power in high})


def rename_angles(expression: Expr) -> Expr:
    """Return an expression whose angles are sums of few multiples of symbols of their own.

    The sine of two million pi t, once simplified, would fill the memory. So angles along pi t are written as multiples
    of the largest one that divides them all; where that takes large multiples, each is a symbol for itself. What is
    zero for all values of the symbols is zero for those that they stand for; nothing else is concluded.
    """
    waves = [each for each in expression.atoms(TrigonometricFunction) if each.free_symbols]
    multiples: defaultdict[Expr, set[sympy.Rational]] = defaultdict(set)
    for wave in waves:
        for number, angle in map(_split, sympy.Add.make_args(wave.args[0])):
            multiples[angle].add(number)
    units = {angle: _find_unit(numbers) for angle, numbers in multiples.items()}
    symbols: defaultdict[Expr, sympy.Dummy] = defaultdict(sympy.Dummy)

    def rename(term: Expr) -> Expr:
        number, angle = _split(term)
        if not angle.free_symbols:
            return term
        unit = units[angle]
        return symbols[term] if unit is None else number / unit * symbols[angle]

    renamed = {wave: wave.func(sympy.Add(*map(rename, sympy.Add.make_args(wave.args[0])))) for wave in waves}
    return expression.xreplace(renamed)


def _split(term: Expr) -> tuple[sympy.Rational, Expr]:
    """Return the rational number by which a term is multiplied, and the rest."""
    number, rest = term.as_coeff_Mul(rational=True)
    return number, rest


def _find_unit(numbers: set[sympy.Rational]) -> sympy.Rational | None:
    """Return the largest number of which all are whole multiples; None if one is a large multiple."""
    below = reduce(lcm, (int(number.q) for number in numbers))
    unit = sympy.Rational(sympy.igcd(*(number * below for number in numbers), 0), below)
    return unit if unit and all(abs(number / unit) <= MOST_TIMES for number in numbers) else None
