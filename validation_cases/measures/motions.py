"""Quantities made of a proved motion and a reading of a trajectory: truth and measure stated together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypedDict, Unpack, cast

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.references.certified import Certified
from veridyn.references.parameters import ParameterError
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.references.problems.hybrid_quantities import MotionTerms
from veridyn.references.reference import DIGITS, Reference
from veridyn.solver.contract.errors import CapabilityError
from veridyn.validation_cases.judgement.case import (
    ANOTHER_MOTION,
    Criterion,
    Measure,
    Number,
    Observation,
    Quantity,
    Values,
)
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.measures.quantities import Size, share_of, size
from veridyn.validation_cases.measures.trajectories import (
    Instant,
    evenly,
    event_count,
    event_instant,
    event_limit,
    largest,
    smallest,
    value_at,
)

ROUTE = ("second", "how", "promised")  # what is said of the truth, not of the quantity


class Fields(TypedDict, total=False):
    """What a quantity of a motion may say beside name, unit, definition, truth and reading: fields of `Quantity`.

    ``scale`` may be an expression in the parameters.
    """

    criterion: Criterion
    scale: str | Size | None
    regularity: float | Callable[[Values], float]
    converges: bool
    at_samples: bool
    applies: Callable[[Values], bool] | None
    absent: str
    observable: Callable[[Values], bool] | None
    rounded: Callable[[Values, float], float] | None
    early: str


class FieldsAndRoute(Fields, total=False):
    """Those fields, and what the truth takes: its ``second`` route, ``how`` it goes, the digits it has ``promised``."""

    second: Callable[[Any], Any]
    how: str
    promised: int | None


class FieldsOfExtreme(FieldsAndRoute, total=False):
    """Those fields, and the window that an extreme is looked for in."""

    after: Instant
    until: Instant


def write_start(truth: Reference[Certified], values: Values) -> str:
    """Return a proved number that a motion begins with, as text.

    Raises `ParameterError` if these parameters have none.
    """
    start = truth.compute(values)
    if start.value is None:
        raise ParameterError(f"the motion has no start, since {truth.name} is undefined: {'; '.join(start.routes)}")
    return start.text()


def where_known(measure: Measure, reference: Reference[Certified], o: Observation) -> Number:
    """Return a reading, of what exists and is decided; raises `CapabilityError` with the reason elsewhere."""
    truth = reference.compute(o.values, DIGITS)
    if truth.value is None:
        raise CapabilityError(f"undefined: {'; '.join(truth.routes)}")
    return measure(o)


@dataclass(frozen=True)
class Quantities:
    """Makes the quantities of a motion: truth and what is read in a response, with one criterion for all.

    Attributes
    ----------
    motion
        The proved motion.
    share, source
        The criterion: an error relative to the truth, or to the scale of a quantity that has one, and who asks for it.
    how
        The second routes in words, where a quantity does not say it.
    regularity
        That of all quantities; None: 1 where there are events, else unlimited.
    """

    motion: MotionQuantities
    share: float = 1e-6
    source: str = "a millionth, since no document asks for less"
    how: str = "closed form"
    regularity: float | Callable[[Values], float] | None = None

    def equations(self, *more: str) -> tuple[str, ...]:
        """Return the equations of motion, then more."""
        return (*equations(self.motion.problem), *more)

    def until(self, end: float, outputs: int) -> Callable[[Values], InitialValueProblem]:
        """Return the problem up to an instant (s), with so many intervals of output."""
        span = {"end": end, "output_times": evenly(end, outputs)}
        return lambda values: cast(InitialValueProblem, self.motion.problem.with_parameters(values, **span))

    def quantity(
        self,
        name: str,
        unit: str,
        definition: str,
        reference: Reference[Certified],
        measure: Measure | None,
        **fields: Unpack[Fields],
    ) -> Quantity:
        """Return any quantity of the motion."""
        scale = fields.get("scale")
        read_scale = size(scale) if isinstance(scale, str) else scale
        return Quantity(
            name,
            unit,
            definition,
            reference,
            measure and partial(where_known, measure, reference),
            criterion=fields.get("criterion") or self._criterion(read_scale),
            scale=read_scale,
            regularity=fields.get("regularity", self._regularity()),
            converges=fields.get("converges", True),
            at_samples=fields.get("at_samples", False),
            applies=fields.get("applies"),
            absent=fields.get("absent", ANOTHER_MOTION),
            observable=fields.get("observable"),
            rounded=fields.get("rounded"),
            early=fields.get("early", ""),
        )

    def event(self, event: str, number: int = 1, *, name: str = "", **fields: Unpack[FieldsAndRoute]) -> Quantity:
        """Return the instant of an event, ``t_EVENT_NUMBER``."""
        route, rest = self._split(fields)
        truth = self.motion.event(event, number, **route)
        measure = partial(event_instant, event=event, number=number)
        words = f"instant of {event} {number}"
        return self.quantity(name or f"t_{event}_{number}", "s", words, truth, measure, **rest)

    def limit(self, event: str, reference: Reference[Certified], **fields: Unpack[Fields]) -> Quantity:
        """Return the instant at which events accumulate, ``t_infinity``."""
        measure = partial(event_limit, event=event)
        return self.quantity("t_infinity", "s", f"instant at which {event}s accumulate", reference, measure, **fields)

    def count(self, event: str, until: Instant, *, name: str = "", **fields: Unpack[FieldsAndRoute]) -> Quantity:
        """Return how often an event happens up to an instant, ``EVENTs_until_INSTANT``."""
        route, rest = self._split(fields)
        truth = self.motion.count(event, until, **route)
        measure = partial(event_count, event=event, until=until)
        exact: Fields = {"criterion": exactly("events are counted"), **rest}
        words = f"{event}s up to {_words(until)}"
        return self.quantity(name or f"{event}s_until_{_plain(until)}", "1", words, truth, measure, **exact)

    def value(
        self,
        of: str,
        at: Instant,
        unit: str,
        *,
        before: bool = False,
        name: str = "",
        **fields: Unpack[FieldsAndRoute],
    ) -> Quantity:
        """Return an expression at an instant, ``OF@INSTANT``."""
        route, rest = self._split(fields)
        truth = self.motion.value(of, at, before, **route)
        measure = partial(value_at, expression=of, at=at, before=before)
        words = f"{of} {'just before' if before else 'at'} {_words(at)}"
        return self.quantity(name or f"{of}@{_plain(at)}", unit, words, truth, measure, **rest)

    def largest(self, of: str, unit: str, *, name: str = "", **fields: Unpack[FieldsOfExtreme]) -> Quantity:
        """Return the largest value of an expression, ``largest_OF``; ``after`` and ``until`` bound the window."""
        return self._extreme("largest", of, unit, name, fields)

    def smallest(self, of: str, unit: str, *, name: str = "", **fields: Unpack[FieldsOfExtreme]) -> Quantity:
        """Return the smallest value of an expression, ``smallest_OF``; ``after`` and ``until`` bound the window."""
        return self._extreme("smallest", of, unit, name, fields)

    def _extreme(
        self, side: Literal["largest", "smallest"], of: str, unit: str, name: str, fields: FieldsOfExtreme
    ) -> Quantity:
        after, until = fields.pop("after", None), fields.pop("until", None)
        route, rest = self._split(fields)
        find, read = (self.motion.largest, largest) if side == "largest" else (self.motion.smallest, smallest)
        reading = partial(read, expression=of, after=after, until=until)
        window = (("after", after), ("until", until))
        words = f"{side} {of}" + "".join(f" {edge} {_words(at)}" for edge, at in window if at is not None)
        return self.quantity(name or f"{side}_{of}", unit, words, find(of, after, until, **route), reading, **rest)

    def _split(self, fields: FieldsAndRoute) -> tuple[MotionTerms, Fields]:
        """Return what the truth takes, and what the quantity takes."""
        route = {name: value for name, value in fields.items() if name in ROUTE}
        rest = {name: value for name, value in fields.items() if name not in ROUTE}
        if "second" in route:
            route.setdefault("how", self.how)
        return cast(MotionTerms, route), cast(Fields, rest)

    def _regularity(self) -> float | Callable[[Values], float]:
        if self.regularity is not None:
            return self.regularity
        return 1.0 if "hybrid" in self.motion.problem.needs else math.inf

    def _criterion(self, scale: Size | None) -> Criterion:
        return cited(self.source, self.share) if scale is None else share_of(scale, self.share, self.source)


def _plain(at: Instant) -> str:
    return f"{at[0]}_{at[1]}" if isinstance(at, tuple) else at


def _words(at: Instant) -> str:
    return f"{at[0]} {at[1]}" if isinstance(at, tuple) else f"{at} s"
