"""SymPy expressions as functions of whatever has arithmetic: balls, pairs of them, `Taylor`.

Numbers are made at the present precision each time, common terms are evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import add, mul
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Expr

Known = dict[Any, Any]  # values of symbols
Term = Callable[[Known], Any]

FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan")


@lru_cache(maxsize=4096)
def compiled(expressions: tuple[Expr, ...]) -> Callable[[Mapping[str, Any]], list[Any]]:
    """Return a function of values by name that returns those of the expressions; it is made once.

    Raises
    ------
    ValueError
        For a function that has no enclosure.
    """
    common, result = sympy.cse(expressions, order="none")
    steps = [(symbol, _term(expression)) for symbol, expression in common]
    results = [_term(expression) for expression in result]
    symbols = {symbol for expression in expressions for symbol in expression.free_symbols}
    needed = [(symbol, symbol.name) for symbol in symbols]

    def values(names: Mapping[str, Any]) -> list[Any]:
        known: Known = {symbol: names[name] for symbol, name in needed}
        for symbol, term in steps:
            known[symbol] = term(known)
        return [term(known) for term in results]

    return values


def _term(expression: Expr) -> Term:
    if expression.is_Symbol:
        return lambda known: known[expression]
    if expression.is_Rational:
        number = int(expression.p), int(expression.q)
        return lambda _: _rational(ctx.prec, *number)
    if expression is sympy.pi:
        return lambda _: arb.pi()
    if expression is sympy.E:
        return lambda _: arb(1).exp()
    if expression.is_Add:
        return _folded(add, expression.args)
    if expression.is_Mul:
        return _product(expression.args)
    if expression.is_Pow:
        return _power(*expression.args)
    name = type(expression).__name__
    if name not in FUNCTIONS:
        raise ValueError(f"{expression} has no enclosure: known are + - * / **, sqrt, {', '.join(FUNCTIONS)}")
    inside = _term(expression.args[0])
    return lambda known: getattr(inside(known), name)()


@lru_cache(maxsize=4096)
def _rational(_bits: int, p: int, q: int) -> arb:
    """Return a number; the same one again at the same precision, so that series made with it are made once."""
    return arb(fmpq(p, q))


def _folded(operation: Callable[[Any, Any], Any], args: Sequence[Expr]) -> Term:
    terms = [_term(arg) for arg in args]
    return lambda known: reduce(operation, [term(known) for term in terms])


def _product(args: Sequence[Expr]) -> Term:
    below = [arg.base for arg in args if arg.is_Pow and arg.exp == -1]
    above = [arg for arg in args if not (arg.is_Pow and arg.exp == -1)]
    if above and above[0] == -1:
        positive = _product([*above[1:], *(1 / base for base in below)])
        return lambda known: -positive(known)
    top = _folded(mul, above) if above else lambda _: arb(1)
    if not below:
        return top
    bottom = _folded(mul, below)
    return lambda known: top(known) / bottom(known)


def _power(base: Expr, exponent: Expr) -> Term:
    below = _term(base)
    if exponent.is_Integer:
        number = int(exponent)
        return lambda known: _times(below(known), number)
    if exponent == sympy.Rational(1, 2):
        return lambda known: below(known).sqrt()
    if exponent.is_number:
        power = _term(exponent)
        return lambda known: below(known) ** power(known)
    return _term(sympy.exp(exponent * sympy.log(base), evaluate=False))


def _times(x: Any, n: int) -> Any:
    """Return a power; a ball around zero has none in the library."""
    if n < 0:
        return arb(1) / _times(x, -n)
    half = x if n == 1 else _times(x, n // 2) if n else arb(1)
    return half if n < 2 else half * half if n % 2 == 0 else half * half * x
