"""Expressions of initial value problems: an infix grammar in, SymPy inside, the same grammar out.

The grammar (docs/problem-format.md), read by hand and never evaluated as code::

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/") signed }
    signed  = ("+" | "-") signed | power
    power   = atom [ "**" signed ]
    atom    = NUMBER | NAME | FUNCTION "(" sum ")" | "(" sum ")"

Numbers are exact: 0.1 is one tenth. Symbols carry no assumptions, so that equal names are equal symbols.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import sympy
from sympy.printing.str import StrPrinter

from veridyn.problem.errors import ProblemError
from veridyn.problem.nearest import nearest

Expr: TypeAlias = Any  # what SymPy makes has no static type

TIME = "t"
CONSTANTS: dict[str, Any] = {"pi": sympy.pi}
FUNCTIONS: dict[str, Any] = {
    name: getattr(sympy, name)
    for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan")
}
RESERVED = frozenset({TIME, *CONSTANTS, *FUNCTIONS})
# of what an expression is made; a square root is a power
KINDS = (sympy.Add, sympy.Mul, sympy.Pow, *(f for name, f in FUNCTIONS.items() if name != "sqrt"))

KNOWN = 4096  # expressions whose reading, or writing, is remembered
LONGEST = 100_000  # characters of one expression
DEEPEST = 100  # brackets within brackets, signs before signs
LARGEST = 1000  # exponent of a plain number, so that no text stands for gigabytes
LARGEST_ARGUMENT = {"exp": 10_000, "sinh": 10_000, "cosh": 10_000}  # numbers that functions take
LARGEST_NUMBER = 10**1000  # that all others take, in magnitude
MOST_BITS = 1 << 17  # that powers of numbers may have in one expression, all together
LONGEST_LITERAL = 1000  # characters of one number

NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
NAME = r"[A-Za-z_][A-Za-z_0-9]*"
_TOKEN = re.compile(rf"\s*(?:(?P<number>{NUMBER})(?![\w.])|(?P<name>{NAME})|(?P<sign>\*\*|[-+*/()]))")


def is_name(text: Any) -> bool:
    """Tell whether a text can name a state, a parameter, a mode or an event of an expression."""
    return isinstance(text, str) and re.fullmatch(NAME, text) is not None and text not in RESERVED


def read(owner: str, given: Any, names: Collection[str]) -> Expr:
    """Return an expression in the given names, from text, a number or SymPy.

    A float stands for its shortest decimal; what writes itself as exact text (a parameter of a case) is read from it.
    Raises `ProblemError` if the text does not follow the grammar, or an expression holds an unknown name or function,
    or no real number.
    """
    if isinstance(given, bool) or given is None:
        raise ProblemError(f"{owner} = {given!r} is no expression")
    return _read(owner, given if isinstance(given, sympy.Basic) else str(given), tuple(names))


@lru_cache(maxsize=KNOWN, typed=True)  # a problem is posed again for every part of its span, with the same expressions
def _read(owner: str, given: Any, names: tuple[str, ...]) -> Expr:
    try:
        result = _ExpressionReader(owner, given, names).read() if isinstance(given, str) else _exact(given)
        return _checked(owner, result, names)
    except (TypeError, ArithmeticError, RecursionError) as error:  # of SymPy, where a part is no real number
        raise ProblemError(f"{owner}: {str(given)[:60]!r} is no expression of real numbers: {error}") from None


@lru_cache(maxsize=KNOWN, typed=True)
def text(expression: Expr) -> str:
    """Write an expression in the grammar; `read` gives it back."""
    return str(_ConstantPrinter().doprint(expression))


def unknown(owner: str, name: str, names: Collection[str]) -> ProblemError:
    """Return the error about a name that means nothing, with the nearest one that does."""
    return ProblemError(f"{owner}: unknown name {name!r}; {nearest(name, names)}")


def _exact(given: Any) -> Any:
    """Return an expression with floats as their shortest decimals and symbols without assumptions."""
    swaps = {f: sympy.Rational(repr(float(f))) for f in given.atoms(sympy.Float)}
    swaps |= {s: sympy.Symbol(s.name) for s in given.atoms(sympy.Symbol)}
    return given.xreplace(swaps)


def _checked(owner: str, found: Any, names: Collection[str]) -> Expr:
    for part in sympy.preorder_traversal(found):
        if isinstance(part, sympy.Symbol):
            if part.name not in names:
                raise unknown(owner, part.name, [*names, *CONSTANTS, *FUNCTIONS])
        elif not (part.is_Rational or part in (sympy.pi, sympy.E) or isinstance(part, KINDS)):
            raise ProblemError(f"{owner}: {part} cannot be in an expression; use + - * / ** and {', '.join(FUNCTIONS)}")
    return found


class _ConstantPrinter(StrPrinter):  # type: ignore[misc]
    """SymPy's own text, which the grammar reads but for one constant."""

    def _print_Exp1(self, _: Any) -> str:  # noqa: N802 - SymPy's name
        return "exp(1)"


@dataclass
class _ExpressionReader:
    """Reads one text from left to right; every method reads one rule of the grammar."""

    owner: str
    text: str
    names: Collection[str]
    place: int = 0
    depth: int = 0
    bits: int = 0

    def read(self) -> Any:
        if len(self.text) > LONGEST:
            raise ProblemError(f"{self.owner}: an expression of {len(self.text)} characters; {LONGEST} is the most")
        result = self.sum()
        if self.text[self.place :].strip():
            raise self.wrong()
        return result

    def wrong(self) -> ProblemError:
        rest = self.text[self.place :].strip()
        what = f"{rest[:20]!r} after {self.text[: self.place].strip()[-20:]!r}" if rest else "the end comes too early"
        return ProblemError(f"{self.owner}: {self.text[:60]!r} is no expression: {what}")

    def next(self, kind: str, *accepted: str) -> str:
        """Return the next token if it is of a kind, and one of those accepted (none: any); else nothing."""
        match = _TOKEN.match(self.text, self.place)
        token = match and match[kind]
        if not match or not token or (accepted and token not in accepted):
            return ""
        self.place = match.end()
        return str(token)

    def sum(self) -> Any:
        terms = [self.product()]
        while sign := self.next("sign", "+", "-"):
            term = self.product()
            terms.append(term if sign == "+" else -term)
        return sympy.Add(*terms)  # at once: one after another takes a time that grows with the square of their number

    def product(self) -> Any:
        """Return a product; a sign before it is that of the whole, else SymPy would move it into a sum in brackets."""
        minus = self.next("sign", "-")
        result = self.signed()
        count = 1
        while sign := self.next("sign", "*", "/"):
            factor = self.signed()
            count += 1
            if count > LARGEST:  # the time grows with the square of their number
                raise ProblemError(f"{self.owner}: a product of more than {LARGEST} factors")
            if sign == "/" and factor == 0:
                raise ProblemError(f"{self.owner}: {self.text[:60]!r} divides by zero")
            result = result * factor if sign == "*" else result / factor
        return -result if minus else result

    def signed(self) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ProblemError(f"{self.owner}: an expression nested deeper than {DEEPEST}")
        sign = self.next("sign", "+", "-")
        result = self.signed() if sign else self.power()
        self.depth -= 1
        return -result if sign == "-" else result

    def power(self) -> Any:
        base = self.atom()
        if not self.next("sign", "**"):
            return base
        exponent = self.signed()
        if base.is_number and exponent.is_number:
            if abs(exponent) > LARGEST:
                raise ProblemError(f"{self.owner}: an exponent of a number is larger than {LARGEST}")
            if base.is_Rational:
                self.count(int(abs(exponent) + 1) * max(int(base.p).bit_length(), int(base.q).bit_length()))
        return base**exponent

    def count(self, bits: int) -> None:
        """Count the bits of a number that is longer than its text, before it is made.

        Sums and products of numbers have at most the bits of all their parts together.
        """
        self.bits += bits
        if self.bits > MOST_BITS:
            raise ProblemError(f"{self.owner}: {self.text[:60]!r} holds numbers of more than {MOST_BITS} bits")

    def call(self, name: str, argument: Any) -> Any:
        """Return a function of an argument; numbers that SymPy would work on for hours are refused."""
        if argument.is_number:
            size = abs(argument.evalf(5))
            largest = LARGEST_ARGUMENT.get(name, LARGEST_NUMBER)
            if not size.is_Number or not size <= largest:
                raise ProblemError(f"{self.owner}: {name} in {self.text[:60]!r} takes no number of that size")
        return FUNCTIONS[name](argument)

    def atom(self) -> Any:
        if number := self.next("number"):
            if len(number) > LONGEST_LITERAL:
                raise ProblemError(
                    f"{self.owner}: a number of {len(number)} characters; {LONGEST_LITERAL} are the most"
                )
            self.count(4 * abs(int(number.lower().partition("e")[2] or 0)))
            return sympy.Rational(number)
        if self.next("sign", "("):
            return self.closed()
        name = self.next("name")
        if name in FUNCTIONS:
            if not self.next("sign", "("):
                raise self.wrong()
            return self.call(name, self.closed())
        if not name:
            raise self.wrong()
        if name not in CONSTANTS and name not in self.names:
            raise unknown(self.owner, name, [*self.names, *CONSTANTS, *FUNCTIONS])
        return CONSTANTS.get(name) or sympy.Symbol(name)

    def closed(self) -> Any:
        result = self.sum()
        if not self.next("sign", ")"):
            raise self.wrong()
        return result


@lru_cache(maxsize=KNOWN)
def shunned_side(guard: Expr, parameters: tuple[tuple[str, Expr], ...], unknowns: tuple[str, ...]) -> str:
    """Return the side of zero on which it is plain that a guard never is, for all real unknowns; empty if none is."""
    numbers = {sympy.Symbol(name): value for name, value in parameters}
    real = {sympy.Symbol(name): sympy.Dummy(name, real=True) for name in unknowns}
    there = guard.xreplace({**numbers, **real})
    if not there.free_symbols:
        return ""
    return "below" if there.is_nonnegative else "above" if there.is_nonpositive else ""
