"""Parameters of a reference: exact numbers, default values, and the rules they obey."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal, Self, TypeAlias

import mpmath
from mpmath import mpf

from veridyn.problem.nearest import did_you_mean

MAX_DIGITS = 1000
MAX_EXPONENT = 1000  # 1e1000000000 would fill the memory before anybody notices

Rule = Literal["positive", "non-negative", "any", "whole"]


class ParameterError(ValueError):
    """A parameter that cannot be used; one line says which, why, and what to do."""


@dataclass(frozen=True)
class Parameter:
    """A physical parameter: symbol, unit, one line of help, default value as text, rule for its sign.

    ``whole``: 1, 2, 3 …; ``among``: the only values that it may have, as text.
    """

    name: str
    unit: str
    help: str
    default: str
    rule: Rule = "positive"
    among: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What it may be, for a reader."""
        return " or ".join(self.among) or {"any": "any number", "whole": "a whole number from 1 on"}.get(
            self.rule, self.rule
        )


@dataclass(frozen=True)
class Exact:
    """The number `rational` × π^`pi`, kept exactly until it is converted.

    `slope`: its derivative with respect to one parameter, where that is asked for; the slope of that, where second
    derivatives are.
    """

    rational: Fraction
    pi: int = 0
    slope: Exact | None = None

    def varied(self, order: int = 1) -> Exact:
        """Return the number as the parameter that derivatives up to an order, 1 or 2, are taken to."""
        nothing = Exact(Fraction(0))
        return Exact(self.rational, self.pi, Exact(Fraction(1), 0, nothing if order > 1 else None))

    def resting(self) -> Exact:
        """Return the number as one that does not move where others do, and yet counts as one that might."""
        return Exact(self.rational, self.pi, Exact(Fraction(0)))

    def grown(self, rate: int) -> Exact:
        """Return the number x as x exp(rate s), of which second derivatives to s are taken; zero as rate s."""
        size, pi = (self.rational, self.pi) if self.rational else (Fraction(1), 0)
        return Exact(self.rational, self.pi, Exact(rate * size, pi, Exact(rate**2 * self.rational, pi)))

    def mpf(self) -> mpf:
        """Round to the current mpmath precision."""
        value = mpmath.mpf(self.rational.numerator) / self.rational.denominator
        return value * mpmath.pi**self.pi if self.pi else value

    def __float__(self) -> float:
        """Round to double precision."""
        with mpmath.workdps(30):
            return float(self.mpf())

    def __mul__(self, other: Exact) -> Exact:
        """Multiply exactly."""
        # Leibniz' rule for the slopes, which are numbers with derivatives up to one order less themselves: so are
        # the numbers that they are multiplied by.
        slope = _sum(self.slope and self.slope * other.lower, other.slope and self.lower * other.slope)
        return Exact(self.rational * other.rational, self.pi + other.pi, slope)

    def __truediv__(self, other: Exact) -> Exact:
        """Divide exactly."""
        loss = other.slope and -self.lower * other.slope / (other.lower * other.lower)
        slope = _sum(self.slope and self.slope / other.lower, loss)
        return Exact(self.rational / other.rational, self.pi - other.pi, slope)

    @property
    def plain(self) -> Exact:
        """Return the number without its derivative."""
        return Exact(self.rational, self.pi)

    @property
    def lower(self) -> Exact:
        """Return the number with derivatives up to one order less."""
        second = None if self.slope is None else self.slope.slope
        return Exact(self.rational, self.pi, None if second is None else self.slope and self.slope.lower)

    def __neg__(self) -> Exact:
        """Negate exactly."""
        return Exact(-self.rational, self.pi, self.slope and -self.slope)

    def __str__(self) -> str:
        """Write the number as `exact` reads it."""
        if self.pi == 0 or self.rational == 0:
            return _rational_text(self.rational)
        power = "pi" if self.pi == 1 else f"pi^{self.pi}"
        over = "" if self.rational.denominator == 1 else f"/{self.rational.denominator}"
        times = {1: "", -1: "-"}.get(self.rational.numerator, f"{self.rational.numerator}*")
        return f"{times}{power}{over}"


def _sum(a: Exact | None, b: Exact | None) -> Exact | None:
    """Add derivatives of one number: monomials with the same power of π, or zero."""
    if a is None or b is None:
        return a or b
    return Exact(a.rational + b.rational, a.pi if a.rational else b.pi, _sum(a.slope, b.slope))


# What users may write for a number; mpf has no static type of its own.
Number: TypeAlias = "int | float | str | Fraction | Decimal | Exact | Any"

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WITH_PI = re.compile(rf"([+-]?)(?:({_NUMBER})\*?)?(?:pi|π)(?:/({_NUMBER}))?")
_RATIONAL = re.compile(rf"([+-]?)({_NUMBER})(?:/({_NUMBER}))?")


def exact(value: Number, name: str = "value") -> Exact:
    """Read a number without rounding it.

    Parameters
    ----------
    value
        An int, Fraction, Decimal, mpf, `Exact`, or text such as ``"1.01"``, ``"1e4"``, ``"3/4"``,
        ``"2*pi"``, ``"pi/3"``. A float stands for its shortest decimal: 0.1 is one tenth.
    name
        What the number is, for the message.

    Raises
    ------
    ParameterError
        If the value is not a finite number.
    """
    if isinstance(value, Exact):
        return value
    try:
        if isinstance(value, str):
            return _parse(value)
        return Exact(_fraction(value))
    except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
        raise ParameterError(f"{name} must be a finite number such as 1.5, 3/4, 1e4 or 2*pi, got {value!r}") from error


def _fraction(value: Any) -> Fraction:
    """Return the rational behind a Python number; raises ValueError for anything else."""
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")  # noqa: TRY004 - becomes a ParameterError
    if isinstance(value, mpmath.mpf):
        if not mpmath.isfinite(value):
            raise ValueError("not finite")
        sign, mantissa, exponent, _ = value._mpf_
        magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        return -magnitude if sign else magnitude
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal | numbers.Real):
        return _parse(str(value)).rational  # the shortest decimal of a float; numpy's scalars too
    raise ValueError("not a number")


def _parse(text: str) -> Exact:
    compact = "".join(text.split())
    for pattern, pi in ((_WITH_PI, 1), (_RATIONAL, 0)):
        if match := pattern.fullmatch(compact):
            sign, top, bottom = match.groups()
            value = _decimal(top or "1") / _decimal(bottom or "1")
            return Exact(-value if sign == "-" else value, pi)
    raise ValueError("not a number")


def _decimal(text: str) -> Fraction:
    _, _, exponent = text.lower().partition("e")
    if abs(int(exponent or 0)) > MAX_EXPONENT:
        raise ValueError("exponent out of range")
    return Fraction(text)


def _rational_text(value: Fraction) -> str:
    """Write a decimal where a finite one exists, a fraction otherwise."""
    with localcontext(prec=5 * MAX_EXPONENT):
        decimal = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
    if Fraction(decimal) != value:
        return str(value)
    plain = f"{decimal:f}"
    return plain if len(plain) <= 20 else str(decimal).replace("E+", "e").replace("E", "e")


def resolve(parameters: Iterable[Parameter], given: Mapping[str, Number]) -> dict[str, Exact]:
    """Complete `given` with the defaults and check it.

    Returns
    -------
    dict
        Every parameter, in the declared order, as an exact number.

    Raises
    ------
    ParameterError
        If a name is unknown or a value breaks its rule.
    """
    declared = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in declared:
            raise ParameterError(unknown(name, list(declared)))
    return {name: checked(p, given.get(name, p.default)) for name, p in declared.items()}


class ParameterSet:
    """Parameters by name, exact, that a cache can be keyed by; a subclass adds rules (`check`) and what follows."""

    __slots__ = ("__dict__", "_hash")  # `vars` are the parameters alone

    def __init__(self, **values: Exact) -> None:
        vars(self).update(values)
        self._hash = hash(tuple(values.values()))  # once: those of fractions are slow
        self.check()

    def check(self) -> None:
        """Raise `ParameterError` for parameters that do not go together."""

    @property
    def plain(self) -> Self:
        """Return it without derivatives."""
        return type(self)(**{name: value.plain for name, value in vars(self).items()}) if self.varied else self

    @property
    def varied(self) -> bool:
        """Tell whether a derivative with respect to one of them is asked for."""
        return any(value.slope is not None for value in vars(self).values())

    def __getattr__(self, name: str) -> Exact:
        """Refuse a name that is no parameter."""
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash


def checked(parameter: Parameter, value: Number) -> Exact:
    """Read one parameter and enforce its rule; raises `ParameterError` naming it."""
    number = exact(value, parameter.name)
    if not _is_allowed(parameter, number):
        raise ParameterError(f"{parameter.name} must be {parameter.allowed}, got {value}")
    return number


def _is_allowed(parameter: Parameter, number: Exact) -> bool:
    if parameter.among:
        return number.plain in map(exact, parameter.among)
    if parameter.rule == "whole":
        return number.pi == 0 and number.rational >= 1 and number.rational.denominator == 1
    least = {"positive": number.rational > 0, "non-negative": number.rational >= 0, "any": True}
    return least[parameter.rule]


def unknown(name: str, known: Iterable[str], kind: str = "parameter") -> str:
    """Say that a name is unknown, and which was meant."""
    names = list(known)
    hint = did_you_mean(name, names, f"known are {', '.join(names) or 'none'}")
    return f"unknown {kind} {name!r}: {hint}"


def check_digits(digits: int) -> int:
    """Return `digits` if it is an int from 1 to 1000; raises `ParameterError` otherwise."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise ParameterError(f"digits must be an integer from 1 to {MAX_DIGITS}, got {digits!r}")
    return digits


def check_count(value: int, name: str) -> int:
    """Return `value` if it is a positive int; raises `ParameterError` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(f"{name} must be an integer not below 1, got {value!r}")
    return value
