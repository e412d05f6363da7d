"""What can be asked of a motion, as data and as text: values, instants, counts, extremes, integrals.

    x@1.5                   a state or an expression at an instant (s)
    x@end                   the same at the end of the problem
    x@stop_closes#2         the same at an event, counted from 1; just after it
    x@-stop_closes#2        just before it
    stop_closes#2           the instant of an event
    count stop_closes       how many there are
    largest x               the largest value
    smallest x - y          the smallest value of an expression
    integral push_stop      the integral over time

Any of the last four may end with a stretch of time: ``from 1 to 2``, its ends numbers or events.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from veridyn.references.parameters import ParameterError, exact


@dataclass(frozen=True)
class EventNumber:
    """An event by its name, counted from 1."""

    name: str
    number: int = 1

    def __str__(self) -> str:
        return f"{self.name}#{self.number}"


When: TypeAlias = "str | float | EventNumber"
"""An instant: a number (s), as text to keep a decimal exact, or an event."""


END = "end"  # the end of the problem, as an instant


@dataclass(frozen=True)
class ValueAt:
    """A state or an expression at an instant, None: the end; at an event after it, or ``before``."""

    expression: str
    at: When | None
    before: bool = False

    def __str__(self) -> str:
        return f"{self.expression}@{'-' * self.before}{END if self.at is None else self.at}"


@dataclass(frozen=True)
class InstantOf:
    """The instant (s) of an event."""

    event: EventNumber

    def __str__(self) -> str:
        return str(self.event)


@dataclass(frozen=True)
class Stretch:
    """A stretch of time: from the start to the end of the problem, unless instants are given."""

    begin: When | None = None
    end: When | None = None

    def __str__(self) -> str:
        ends = (("from", self.begin), ("to", self.end))
        return "".join(f" {word} {when}" for word, when in ends if when is not None)


WHOLE = Stretch()


@dataclass(frozen=True)
class CountOf:
    """How many events of a name there are up to the end of a stretch that begins with the motion."""

    event: str
    stretch: Stretch = WHOLE

    def __str__(self) -> str:
        return f"count {self.event}{self.stretch}"


@dataclass(frozen=True)
class Extreme:
    """The largest (side 1) or smallest (-1) value of an expression over a stretch."""

    expression: str
    side: int = 1
    stretch: Stretch = WHOLE

    def __str__(self) -> str:
        return f"{'largest' if self.side > 0 else 'smallest'} {self.expression}{self.stretch}"


@dataclass(frozen=True)
class Integral:
    """The integral of an expression over a stretch."""

    expression: str
    stretch: Stretch = WHOLE

    def __str__(self) -> str:
        return f"integral {self.expression}{self.stretch}"


Query: TypeAlias = "ValueAt | InstantOf | CountOf | Extreme | Integral"

_EVENT = re.compile(r"([A-Za-z_]\w*)#(\d+)")
_STRETCH = re.compile(r"(?P<what>.*?)(?:\s+from\s+(?P<begin>\S+))?(?:\s+to\s+(?P<end>\S+))?")
_WORDS = ("count", "largest", "smallest", "integral")


def read_query(text: str) -> Query:
    """Return what a text asks for.

    Raises
    ------
    ParameterError
        If it asks for nothing that there is.
    """
    compact = " ".join(text.split())
    word, _, rest = compact.partition(" ")
    if word in _WORDS and rest:
        return _read_stretched(word, rest, compact)
    if match := _EVENT.fullmatch(compact):
        return InstantOf(_event(match))
    expression, sign, at = compact.rpartition("@")
    if sign and expression and at:
        before = at.startswith("-") and _EVENT.fullmatch(at[1:]) is not None
        when = None if at == END else _when(at[1:] if before else at, compact)
        return ValueAt(expression.strip(), when, before)
    raise ParameterError(
        f"{text!r} asks for nothing: write x@1.5, x@end, x@hit#2, hit#2, count hit, largest x, smallest x or integral x"
    )


def _read_stretched(word: str, rest: str, text: str) -> Query:
    parts = _STRETCH.fullmatch(rest)
    assert parts is not None  # every text is a what with nothing behind it
    begin, end = (None if parts[name] is None else _when(parts[name], text) for name in ("begin", "end"))
    stretch, what = Stretch(begin, end), parts["what"].strip()
    if word == "count":
        if begin is not None:
            raise ParameterError(f"{text!r}: a count begins with the motion: only its end may be given")
        return CountOf(what, stretch)
    if word == "integral":
        return Integral(what, stretch)
    return Extreme(what, 1 if word == "largest" else -1, stretch)


def _when(text: str, whole: str) -> When:
    if match := _EVENT.fullmatch(text):
        return _event(match)
    exact(text, f"the instant in {whole!r}")
    return text


def _event(match: re.Match[str]) -> EventNumber:
    if int(match[2]) < 1:
        raise ParameterError(f"{match[0]}: events are counted from 1")
    return EventNumber(match[1], int(match[2]))


def name_queries(given: Mapping[str, Query | str] | Sequence[Query | str]) -> dict[str, Query]:
    """Return queries by name: by the names given, or by their own text; raises `ParameterError`."""
    if not given:
        raise ParameterError("nothing is asked: name a quantity, such as x@1.5 or largest x")
    pairs = given.items() if isinstance(given, Mapping) else ((str(query), query) for query in given)
    return {name: read_query(query) if isinstance(query, str) else query for name, query in pairs}
