"""What the quantities of a module share, so that each is its enclosure and its second route and nothing else.

Public functions take keywords only: arguments of their own (``shock=2``, ``time="1/3"``), ``digits`` (1 to 1000) and
the parameters of the module, of which those that are not given have their default. They raise `ParameterError` for a
parameter that is unknown or breaks its rule, and for such an argument or digits out of range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter as Argument
from inspect import Signature, signature
from typing import Any, TypeVar

from veridyn.references.certified import Kind, Route
from veridyn.references.engine.enclosure import enclose, enclose_all
from veridyn.references.parameters import Number, Parameter, ParameterSet, argument, arguments, check_digits, resolve

T = TypeVar("T")


@dataclass(frozen=True)
class References:
    """The terms of a module's quantities; a decorator of each of them.

    Where a term may be a function, it takes the record and those arguments of the quantity that it names.

    Attributes
    ----------
    parameters
        Of the module.
    record
        Makes what readings take from all parameters by name, and checks what its rules do not say: a `ParameterSet`.
    kind
        Kind of the values, or the function that tells it.
    proof
        What is proved, in a line for the reader, or the function that tells it.
    how
        The second route in words, or the function that tells them: empty where there is none.
    promised
        Digits that the second route can promise at most (None: any), or the function that tells them.
    effort
        What the enclosure took: a function that calls `motion.proved` of its phases, say.
    several
        Whether a reading returns several numbers that are found together (`enclose_all`).
    """

    parameters: Sequence[Parameter]
    record: Callable[..., Any] = ParameterSet
    kind: Kind | Callable[..., Kind] = "quasi-analytical"
    proof: str | Callable[..., str] = "proved enclosure"
    how: str | Callable[..., str] = ""
    promised: int | Callable[..., int | None] | None = None
    effort: str | Callable[..., str] = ""
    several: bool = False

    def of(self, **given: Number) -> Any:
        """Return the record of parameters."""
        return self.record(**resolve(self.parameters, given))

    def __call__(
        self, second: Callable[..., Any] | None = None, **stated: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make a reading a quantity, with its second route in mpmath and the terms that differ from the module's.

        The reading takes the record and arguments, and returns a ball; it may raise `Undecided`, `Absent`, `Exactly`.
        """
        terms = replace(self, **stated)

        def quantity(read: Callable[..., Any]) -> Callable[..., Any]:
            def certified(o: Any, *, digits: int, **more: Any) -> Any:
                return terms.enclosed(read, second, o, digits, more)

            return terms.public(certified, read)

        return quantity

    def both(
        self, first: Callable[..., Any], second: Callable[..., Any], **stated: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make a reading of what either route finds for a record a quantity: of balls, confirmed by that in mpmath."""

        def quantity(read: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(read)
            def enclosed(o: Any, **more: Any) -> Any:
                return read(first(o), **more)

            return self(lambda o, **more: read(second(o), **more), **stated)(enclosed)

        return quantity

    def function(self, found: Callable[..., T]) -> Callable[..., T]:
        """Make a function of record, arguments and digits one of the parameters: a motion, or several numbers."""
        return self.public(found, found)

    def enclosed(
        self, read: Callable[..., Any], second: Callable[..., Any] | None, o: Any, digits: int, more: dict[str, Any]
    ) -> Any:
        """Return the enclosure of a reading of a record, by these terms."""

        def told(term: Any) -> Any:
            return term(o, **arguments(term, more)) if callable(term) else term

        how = told(self.how)
        enclosing: Callable[..., Any] = enclose_all if self.several else enclose
        return enclosing(
            lambda: read(o, **more),
            *([Route(how, lambda: told(second), told(self.promised))] if second and how else []),
            digits=digits,
            kind=told(self.kind),
            name=" ".join([read.__name__, *map(str, more.values())]),
            proof=told(self.proof),
            proved=lambda: told(self.effort),
        )

    def public(self, function: Callable[..., T], like: Callable[..., Any]) -> Callable[..., T]:
        """Return a function with the name and the words of another, and the signature that `arguments` reads."""
        _, *own = (p.replace(kind=Argument.KEYWORD_ONLY) for p in signature(like).parameters.values())
        default = next((p.default for p in own if p.name == "digits"), 30)
        extra = Signature([p for p in own if p.name != "digits"])

        @wraps(like)
        def called(*, digits: int = default, **given: Number) -> T:
            bound = extra.bind(**{name: given.pop(name) for name in extra.parameters if name in given})
            bound.apply_defaults()
            more = {name: argument(name, value) for name, value in bound.arguments.items()}
            return function(self.of(**given), digits=check_digits(digits), **more)

        named = {"digits": default, **{p.name: p.default for p in self.parameters}}
        shared = [Argument(name, Argument.KEYWORD_ONLY, default=value) for name, value in named.items()]
        called.__signature__ = Signature([*extra.parameters.values(), *shared])  # type: ignore[attr-defined]
        return called
