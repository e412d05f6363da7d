"""Motions of general right-hand sides with events, resets and changes of the mode: proved, for any problem as data.

A problem is any object with `states`, `parameters`, `modes` (name, rates, events), `initial`, `mode`, `start` and `end`
whose expressions are SymPy's. Where rates are affine in the states, with loads that are harmonic or grow with the time,
the matrix exponential carries a phase; elsewhere Taylor series. A guard that the event before, or the start, leaves at
zero is proved to be there symbolically: what is known exactly after an event belongs into its reset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, NamedTuple, Self, Unpack

from flint import arb
from sympy import Expr

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Undecided, ball, decided, less
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Motion
from veridyn.references.parameters import Exact, Parameter, ParameterSet
from veridyn.references.problems import hybrid_readings as reading
from veridyn.references.problems.hybrid_quantities import At, MotionTerms, ReadMotion, SteppedRoute
from veridyn.references.problems.hybrid_run import follow_until, select_phases
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.problems.sought_parameters import DependentParameters, EventParameter
from veridyn.references.reference import Reference

SHOWN = 20  # digits of a figure
CLOSED = "closed form in ball arithmetic"


class TurnReading(NamedTuple):
    """What is read where an expression turns: by the proved motion, and of instant and value that steps have."""

    name: str
    enclose: Callable[..., Ball]
    step: Callable[[Any, Any], Any]
    is_instant: bool = False


PEAK = TurnReading("peak", reading.find_peak, lambda _, value: abs(value))
PEAK_TIME = TurnReading("instant of the peak", reading.find_peak_time, lambda time, _: time, is_instant=True)
TURN = TurnReading("turn", reading.find_turn, lambda _, value: value)
TURN_TIME = TurnReading("instant of the turn", reading.find_turn_time, lambda time, _: time, is_instant=True)


@dataclass(frozen=True, eq=False)
class MotionQuantities(ReadMotion):
    """The quantities of a motion, each a `Reference`."""

    def event(self, name: str, number: int = 1, **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return the instant (s) of an event by its name, counted from 1, or -1 for the last before the end.

        ``"a or b"`` are the events of both names together. So it is wherever an event is named.
        """
        self._check_event(name)

        def read(o: ParameterSet) -> Ball:
            return reading.find_event(self._system(o), o, name, number).end

        stepped = self._step(lambda steps: steps.event(name, number)[0])
        return self._quantity(f"{name} {number}", read, stepped, terms)

    def count(self, name: str, until: At = None, **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return how many events of a name there are up to an instant, or the end."""
        self._check_event(name)
        end = self._instant(until)

        def read(o: ParameterSet) -> Ball:
            limit, count = self._time(o, end), 0
            for ended in select_phases(follow_until(self._system(o), o, limit), name):
                if not less(ended.end, limit, f"{name} and the end of the count agree"):
                    break
                count += 1
            return arb(count)

        stepped = self._step(lambda steps: steps.count(name, steps.time(end)))
        return self._quantity(f"{name} until {until}", read, stepped, terms)

    def value(self, of: str | Expr, at: At, before: bool = False, **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return a state, or an expression, at an instant; at an event after it, or `before`."""
        expression, when = self._expression(of), self._instant(at)

        def read(o: ParameterSet) -> Ball:
            system = self._system(o)
            if isinstance(when, Expr):
                return reading.read_at(system, o, expression, self._time(o, when))
            return reading.read_at_event(system, o, expression, when, before)

        stepped = self._step(lambda steps: steps.value(expression, when, before), expression)
        return self._quantity(f"{of} at {at}", read, stepped, terms)

    def largest(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the largest value of a state, or an expression, between two instants."""
        return self._extreme(of, after, until, 1, terms)

    def smallest(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the smallest value of a state, or an expression, between two instants."""
        return self._extreme(of, after, until, -1, terms)

    def instant_of_largest(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) between two others at which a state, or an expression, is largest."""
        expression, begin, end = self._stretch(of, after, until)

        def read(o: ParameterSet) -> Ball:
            return reading.find_where_largest(self._system(o, expression), o, *self._span(o, begin, end, expression))

        stepped = self._step(lambda steps: steps.instant_of_largest(expression, begin, end), expression, sized=False)
        return self._quantity(f"instant of the largest {of}", read, stepped, terms)

    def peak(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the largest magnitude of a state, or an expression, between two instants, where it turns.

        It is undefined where the magnitude at one of the two instants is larger.
        """
        return self._turn(PEAK, of, after, until, terms)

    def peak_time(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) of the `peak`; undefined too where two are equally high."""
        return self._turn(PEAK_TIME, of, after, until, terms)

    def integral(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the integral of a state, or an expression, over the time between two instants."""
        integrand = self._expression(of)
        if integrand not in self._sums:
            self._sums[integrand] = self._summed("integral", integrand)
        return self._sums[integrand].growth("integral", after, until, **terms)

    def summing(self, name: str, of: str | Expr) -> Self:
        """Return the motion with a state more: the integral of an expression from the start on."""
        return self._summed(name, self._expression(of))

    @cached_property
    def _sums(self) -> dict[Expr, MotionQuantities]:
        """The motions with an integral, by what is integrated: each is followed once."""
        return {}

    def _summed(self, name: str, integrand: Expr) -> Self:
        """Return the motion with a state more: the integral of an expression."""
        return replace(self, problem=self.problem.with_integral(name, integrand), _systems={})

    def growth(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return by how much a state, or an expression, grows from one instant to another."""
        expression, begin, end = self._stretch(of, after, until)

        def read(o: ParameterSet) -> Ball:
            first, last = (
                reading.read_at(self._system(o), o, expression, self._time(o, when)) for when in (begin, end)
            )
            return last - first

        def step(steps: Any) -> Any:
            return steps.value(expression, end, False) - steps.value(expression, begin, False)

        return self._quantity(f"growth of {of}", read, self._step(step, expression), terms)

    def closed(self, read: Callable[[Any], Ball], **terms: Unpack[MotionTerms]) -> Reference[Certified]:
        """Return what a closed form gives: a function of the parameters, attributes that are balls."""
        return self._quantity(
            "closed form",
            lambda o: read(ParameterView(o, ball)),
            None,
            {"kind": "closed form", "proof": CLOSED, "effort": "", **terms},
        )

    def combine(
        self,
        name: str,
        compute: Callable[[Any], Any],
        parts: Mapping[str, Reference[Certified]],
        **terms: Unpack[MotionTerms],
    ) -> Reference[Certified]:
        """Return what a function makes of quantities of this motion and of the parameters: attributes of a record.

        They are balls for the first route, and for the second what the steps of the quantities find.
        """
        sources = {part: self._sources[quantity] for part, quantity in parts.items()}
        balls = {part: source.enclose for part, source in sources.items()}
        steps = {part: source.stepped.read for part, source in sources.items()}

        def read(o: ParameterSet) -> Ball:
            return compute(reading.PartView(o, ball, balls))

        def step(o: ParameterSet) -> Any:
            return compute(reading.PartView(o, Exact.mpf, steps))

        how = next(iter(sources.values())).stepped.describe
        return self._quantity(name, read, SteppedRoute(step, how), terms)

    def turn(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return a state, or an expression, at its turn of largest magnitude between two instants, with its sign.

        Values at both instants may be larger.
        """
        return self._turn(TURN, of, after, until, terms)

    def turn_time(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) of the `turn`."""
        return self._turn(TURN_TIME, of, after, until, terms)

    def nearest_turns(self, of: str | Expr) -> Reference[tuple[float, ...]]:
        """Return how near to zero an expression turns in every phase up to the end, at least.

        It is infinite where it does not turn, and zero where no turn is proved.
        """
        expression, last = self._expression(of), self._instant(None)

        def nearest_turns(o: ParameterSet, digits: int) -> tuple[float, ...]:
            plain = o.plain
            system = self._system(plain, expression)
            try:
                turns = decided(lambda: reading.find_nearest_turns(system, plain, self._time(plain, last)), digits)
            except Undecided:
                count = decided(lambda: sum(1 for _ in follow_until(system, plain, self._time(plain, last))), digits)
                return (0.0,) * count
            return tuple(math.inf if turn is None else float(value(turn).lower()) for turn in turns)

        return self.reference.function()(nearest_turns)

    def history(self, until: At = None, **readings: str | Expr) -> Reference[Motion]:
        """Return the motion for figures: what is read, by name, at any instant, and its events up to one."""
        expressions, end = {name: self._expression(e) for name, e in readings.items()}, self._instant(until)

        def list_changes(o: ParameterSet) -> list[tuple[Ball, str]]:
            last = self._time(o, end)
            phases = (ended.phase for ended in follow_until(self._system(o), o, last))
            return [(phase.start, phase.kind) for phase in takewhile(lambda phase: phase.start < last, phases)]

        def history(o: ParameterSet, digits: int) -> Motion:
            parts = {name: partial(reading.read_along, self._system(o), o, e) for name, e in expressions.items()}
            return Motion(parts, partial(list_changes, o), digits)

        return self.reference.function(digits=SHOWN)(history)

    def events(self, until: At = None) -> Reference[tuple[tuple[float, str], ...]]:
        """Return the instants (s) and names of all events up to an instant, proved to the digits of a double."""
        end = self._instant(until)

        def list_events(o: ParameterSet) -> list[tuple[Ball, str]]:
            last = self._time(o, end)
            ended = ((each.end, each.by) for each in follow_until(self._system(o), o, last) if each.by is not None)
            return list(takewhile(lambda event: event[0] < last, ended))

        def events(o: ParameterSet, digits: int) -> tuple[tuple[float, str], ...]:
            return tuple((float(value(end)), name) for end, name in decided(partial(list_events, o), digits))

        return self.reference.function(digits=SHOWN)(events)

    def where(self, name: str, zero: str | Expr, at: tuple[str, int]) -> MotionQuantities:
        """Return the motion with that value of a parameter for which an expression is zero at an event.

        It is sought near the value that the problem gives.
        """
        self._check_event(at[0])
        parameters = tuple(parameter for parameter in self.parameters if parameter.name != name)
        return replace(
            self, parameters=parameters, sought=EventParameter(name, self._expression(zero), at), _systems={}
        )

    def knowing(self, names: Collection[str], compute: Callable[[Any], Mapping[str, Ball]]) -> MotionQuantities:
        """Return the motion with parameters that a function of the others gives, in balls.

        What is asked of it needs a second route.
        """
        parameters = tuple(parameter for parameter in self.parameters if parameter.name not in names)
        return replace(self, parameters=parameters, sought=DependentParameters(compute), _systems={})

    def presuming(self, *order: str, close: At = None) -> MotionQuantities:
        """Return the motion whose quantities presume the orbit with these events, markers left out, from the start on.

        ``close`` is the instant (s) of the last of them, if it is known. They are undefined where the proved motion is
        another one.
        """
        for name in order:
            self._check_event(name)
        return replace(self, order=order, close=None if close is None else self._expression(close))

    def settled(self) -> Self:
        """Return the motion whose quantities presume that its last phase lasts for ever.

        They are undefined where that is not proved: more events may follow than up to the end of the motion.
        """
        return replace(self, settles=True)

    # ---- extremes

    def _extreme(self, of: str | Expr, after: At, until: At, side: int, terms: MotionTerms) -> Reference[Certified]:
        plain, begin, end = self._stretch(of, after, until)
        expression = side * plain

        def read(o: ParameterSet) -> Ball:
            span = self._span(o, begin, end, expression)
            return side * reading.find_largest(self._system(o, expression), o, *span)

        name = f"{'largest' if side > 0 else 'smallest'} {of}"
        stated: MotionTerms = {"effort": self._effort(expression), **terms}
        stepped = self._step(lambda steps: side * steps.largest(expression, begin, end), expression)
        return self._quantity(name, read, stepped, stated)

    def _turn(
        self, turn: TurnReading, of: str | Expr, after: At, until: At, terms: MotionTerms
    ) -> Reference[Certified]:
        expression, begin, end = self._stretch(of, after, until)

        def read(o: ParameterSet) -> Ball:
            return turn.enclose(self._system(o, expression), o, *self._span(o, begin, end, expression))

        def step(steps: Any) -> Any:
            return turn.step(*steps.turn(expression, begin, end))

        stepped = self._step(step, expression, sized=not turn.is_instant)
        stated: MotionTerms = {"effort": self._effort(expression), **terms}
        return self._quantity(f"{turn.name} of {of}", read, stepped, stated)


def motion(
    problem: Any, parameters: Sequence[Parameter] = (), record: Callable[..., Any] = ParameterSet, spare: int = 0
) -> MotionQuantities:
    """Return the motion of a problem, whose parameters have the rules given; those without one may be any number.

    What they must meet together is checked by ``record``: `requirements.restrict` makes one.
    """
    stated = {parameter.name: parameter for parameter in parameters}
    plain = {name: Parameter(name, "", "", str(value), "any") for name, value in problem.parameters.items()}
    return MotionQuantities(problem, tuple({**plain, **stated}.values()), record=record, spare=spare)
