"""What the quantities of a module share, so that each is its enclosure and its second route and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

from veridyn.references.certified import Certified, Kind, Route
from veridyn.references.engine.enclosure import enclose, enclose_all
from veridyn.references.parameters import Exact, Parameter, ParameterSet
from veridyn.references.reference import DIGITS, Argument, Reference

T = TypeVar("T")

Term = Callable[..., T]
"""A term that depends on the parameters: a function of their record and the arguments."""


class Terms(TypedDict, total=False):
    """The terms of `References` that a quantity may have of its own."""

    kind: Kind | Term[Kind]
    proof: str | Term[str]
    how: str | Term[str]
    promised: int | Term[int | None] | None
    size: Term[Any]
    effort: str | Term[str]


@dataclass(frozen=True)
class References:
    """The terms of a module's quantities; a decorator of each of them.

    A reading, its second route and each term that is a function take the record of parameters, then the arguments of
    the quantity by keyword.

    Attributes
    ----------
    parameters
        Of the module.
    record
        Makes what readings take from all parameters by name, and checks what its rules do not say: a `ParameterSet`.
    kind
        Kind of the values.
    proof
        What is proved, in a line for the reader.
    how
        The second route in words: empty where there is none.
    promised
        Digits that the second route can promise at most (None: any).
    size
        What these digits are counted from where a value is smaller, or zero (None: the value alone).
    effort
        What the enclosure took: a function that calls `motion.proved` of its phases, say.
    """

    parameters: Sequence[Parameter]
    record: Callable[..., Any] = ParameterSet
    kind: Kind | Term[Kind] = "quasi-analytical"
    proof: str | Term[str] = "proved enclosure"
    how: str | Term[str] = ""
    promised: int | Term[int | None] | None = None
    size: Term[Any] | None = None
    effort: str | Term[str] = ""

    def __call__(
        self, second: Callable[..., Any] | None = None, *, takes: Sequence[Argument] = (), **stated: Unpack[Terms]
    ) -> Callable[[Callable[..., Any]], Reference[Certified]]:
        """Make a reading a quantity, with its second route in mpmath and the terms that differ from the module's.

        The reading takes the record and arguments, and returns a ball; it may raise `Undecided`, `Absent`, `Exactly`.
        """
        return self._decorate(enclose, second, takes, stated)

    def several(
        self, second: Callable[..., Any], *, takes: Sequence[Argument] = (), **stated: Unpack[Terms]
    ) -> Callable[[Callable[..., Any]], Reference[tuple[Certified, ...]]]:
        """Make a reading of several numbers, which are found together, a quantity."""
        return self._decorate(enclose_all, second, takes, stated)

    def both(
        self,
        first: Callable[..., Any],
        second: Callable[..., Any],
        *,
        takes: Sequence[Argument] = (),
        **stated: Unpack[Terms],
    ) -> Callable[[Callable[..., Any]], Reference[Certified]]:
        """Make a reading of what either route finds for a record a quantity: of balls, confirmed by that in mpmath."""

        def decorate(read: Callable[..., Any]) -> Reference[Certified]:
            def read_first(o: Any, **more: Any) -> Any:
                return read(first(o), **more)

            def read_second(o: Any, **more: Any) -> Any:
                return read(second(o), **more)

            terms = replace(self, **stated)
            return terms.name_rule(read, lambda o, digits, more: terms.enclose(
                enclose, read.__name__, read_first, read_second, o, digits, more
            ), takes)  # fmt: skip

        return decorate

    def function(
        self, *, takes: Sequence[Argument] = (), digits: int = DIGITS
    ) -> Callable[[Callable[..., T]], Reference[T]]:
        """Make a function of record, arguments and digits a reference: a motion, or several numbers."""

        def decorate(find: Callable[..., T]) -> Reference[T]:
            return self.name_rule(find, lambda o, digits, more: find(o, digits=digits, **more), takes, digits)

        return decorate

    def _decorate(
        self, enclosing: Callable[..., T], second: Callable[..., Any] | None, takes: Sequence[Argument], stated: Terms
    ) -> Callable[[Callable[..., Any]], Reference[T]]:
        terms = replace(self, **stated)

        def decorate(read: Callable[..., Any]) -> Reference[T]:
            def enclose_reading(o: Any, digits: int, more: Mapping[str, Any]) -> T:
                return terms.enclose(enclosing, read.__name__, read, second, o, digits, more)

            return terms.name_rule(read, enclose_reading, takes)

        return decorate

    def name_rule(
        self,
        like: Callable[..., Any],
        find: Callable[[Any, int, Mapping[str, Any]], T],
        takes: Sequence[Argument] = (),
        digits: int = DIGITS,
    ) -> Reference[T]:
        """Return the reference with the name and the words of a function, found for record, digits and arguments."""

        def rule(values: Mapping[str, Exact], digits: int, **more: Any) -> T:
            return find(self.record(**values), digits, more)

        return Reference(
            like.__name__, tuple(self.parameters), rule, tuple(takes), digits, help=(like.__doc__ or "").strip()
        )

    def enclose(
        self,
        enclosing: Callable[..., T],
        name: str,
        read: Callable[..., Any],
        second: Callable[..., Any] | None,
        o: Any,
        digits: int,
        more: Mapping[str, Any],
    ) -> T:
        """Return the enclosure of a reading of a record, by these terms."""

        def find(term: Any) -> Any:
            return term(o, **more) if callable(term) else term

        how = find(self.how)
        size = None if self.size is None else partial(self.size, o, **more)
        routes = [Route(how, partial(second, o, **more), find(self.promised), size)] if second and how else []
        return enclosing(
            lambda: read(o, **more),
            *routes,
            digits=digits,
            kind=find(self.kind),
            name=" ".join([name, *map(str, more.values())]),
            proof=find(self.proof),
            proved=lambda: find(self.effort),
        )
