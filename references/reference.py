"""A reference quantity as an object: its name, its parameters and arguments, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from veridyn.references.certified import Certified
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_count,
    check_digits,
    checked,
    exact,
    resolve,
    unknown,
)

T_co = TypeVar("T_co", covariant=True)

DIGITS = 30  # of a value, unless others are asked for


@dataclass(frozen=True)
class Argument:
    """What a quantity takes beside the parameters: the instant of a displacement, the number of a contact.

    `check` takes name and value; it returns the value as readings get it, or raises `ParameterError`. An argument
    without a default must be given.
    """

    name: str
    check: Callable[[str, Any], Any]
    default: Any = None


def _check_number(rule: str, unit: str = "s") -> Callable[[str, Any], Exact]:
    def check(name: str, value: Any) -> Exact:
        return checked(Parameter(name, unit, "", "", rule), value)  # type: ignore[arg-type]

    return check


def _check_count(name: str, value: Any) -> int:
    return check_count(value, name)


def choice(name: str, allowed: Iterable[str]) -> Argument:
    """Return an argument that is one of some words; its check raises `ParameterError` for another."""
    words = tuple(allowed)

    def check(name: str, value: Any) -> str:
        if value not in words:
            raise ParameterError(unknown(str(value), words, name))
        return str(value)

    return Argument(name, check)


TIME = Argument("time", _check_number("non-negative"))
LAPSE = Argument("t", _check_number("positive"))  # since the start
SHARE = Argument("share", _check_number("positive", "1"))
NUMBER = Argument("number", _check_count)
CONTACT = Argument("contact", _check_count, default=1)
FIRST = Argument("number", _check_count, default=1)


@dataclass(frozen=True)
class Reference(Generic[T_co]):
    """A quantity of a problem: what it is computed from, and how.

    A reference is called by keywords: ``displacement(time="1/3", k=100, digits=50)``; parameters that are not given
    have their default. `at` chooses arguments, `compute` takes the parameters of a case.

    Attributes
    ----------
    name
        Of the quantity.
    parameters
        That it depends on; others of a case are none of its business.
    rule
        Takes the parameters as a mapping of exact numbers, the digits, and the arguments by keyword.
    arguments
        That it takes beside the parameters.
    digits
        That are computed unless others are asked for.
    chosen
        Names and values of the arguments that `at` has chosen.
    help
        What the quantity is, for a reader.
    premises
        What the motion must be for the quantity to have a value, for a reader; each is proved.
    """

    name: str
    parameters: tuple[Parameter, ...] = field(hash=False)
    rule: Callable[..., T_co]
    arguments: tuple[Argument, ...] = field(default=(), hash=False)
    digits: int = DIGITS
    chosen: tuple[tuple[str, Any], ...] = ()
    help: str = field(default="", compare=False)
    premises: tuple[str, ...] = field(default=(), compare=False)

    def __call__(self, *, digits: int | None = None, **given: Number) -> T_co:
        """Return the quantity for parameters and arguments that are given by name.

        Raises `ParameterError` for a name that is neither, a value that breaks its rule, or an argument that is
        missing.
        """
        names = {argument.name for argument in self.arguments}
        own = {name: value for name, value in given.items() if name in names}
        rest = {name: value for name, value in given.items() if name not in names}
        chosen = self.at(**own)
        return chosen.rule(resolve(self.parameters, rest), self._check_digits(digits), **chosen.choose())

    def __repr__(self) -> str:
        """Return the call that it takes."""
        names = [*(each.name for each in self.arguments), "digits", *(each.name for each in self.parameters)]
        return f"{self.name}({', '.join(names)})"

    def at(self, **arguments: Any) -> Reference[T_co]:
        """Return the quantity with some of its arguments chosen; raises `ParameterError` as a call does."""
        declared = {argument.name: argument for argument in self.arguments}
        for name in arguments:
            if name not in declared:
                raise ParameterError(unknown(name, declared, f"argument of {self.name}"))
        values = {name: declared[name].check(name, value) for name, value in arguments.items()}
        return replace(self, chosen=tuple({**dict(self.chosen), **values}.items())) if values else self

    def compute(self, values: Mapping[str, Exact], digits: int | None = None) -> T_co:
        """Return the quantity for the parameters of a case, of which it takes its own; computed once.

        Parameters that the case does not have are at their defaults.
        Raises `ParameterError` if an argument is missing, and what the quantity raises.
        """
        result: T_co = _compute(self, tuple(self._select(values).items()), self._check_digits(digits))
        return result

    def compute_anew(self, values: Mapping[str, Exact], digits: int | None = None) -> T_co:
        """Return what `compute` does, whether it was computed before or not."""
        return self.rule(self._select(values), self._check_digits(digits), **self.choose())

    def _select(self, values: Mapping[str, Exact]) -> dict[str, Exact]:
        return {p.name: values[p.name] if p.name in values else exact(p.default) for p in self.parameters}

    def _check_digits(self, digits: int | None) -> int:
        return self.digits if digits is None else check_digits(digits)

    def fix(self, **given: Number) -> Reference[T_co]:
        """Return the quantity with some of its parameters at a value, which then are none; raises `ParameterError`."""
        declared = {parameter.name: parameter for parameter in self.parameters}
        rest = tuple(parameter for parameter in self.parameters if parameter.name not in given)
        fixed = resolve([declared[name] for name in given if name in declared], given)

        def rule(values: Mapping[str, Exact], digits: int, **more: Any) -> T_co:
            return self.rule({**values, **fixed}, digits, **more)

        return replace(self, parameters=rest, rule=rule)

    def choose(self) -> dict[str, Any]:
        """Return all arguments, of which those not chosen have their default; raises `ParameterError`."""
        chosen = dict(self.chosen)
        for argument in self.arguments:
            if argument.name not in chosen and argument.default is None:
                raise ParameterError(f"{self.name}: {argument.name} is missing")
        return {argument.name: chosen.get(argument.name, argument.default) for argument in self.arguments}


@lru_cache(maxsize=4096)
def _compute(reference: Reference[Any], values: tuple[tuple[str, Exact], ...], digits: int) -> Any:
    return reference.rule(dict(values), digits, **reference.choose())


def state(name: str, make: Callable[[int], Certified]) -> Reference[Certified]:
    """Return the reference of what no parameter changes: a count or a zero that follows from the problem's structure.

    ``make`` takes the digits.
    """
    return Reference(name, (), lambda _, digits: make(digits))
