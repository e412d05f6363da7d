"""Motions of general right-hand sides with events, resets and changes of the mode: proved, for any problem as data.

A problem is any object with `states`, `parameters`, `modes` (name, rates, events), `initial`, `mode`, `start` and `end`
whose expressions are SymPy's. Where rates are affine in the states, with loads that are harmonic or grow with the time,
the matrix exponential carries a phase; elsewhere Taylor series. A guard that the event before, or the start, leaves at
zero is proved to be there symbolically: what is known exactly after an event belongs into its reset.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar, Unpack, cast

from flint import arb, ctx
from sympy import Expr

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import ball, less, precision
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import Motion, proved
from veridyn.references.engine.quantities import References, Terms
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet, exact, unknown
from veridyn.references.problems import hybrid_readings as reading
from veridyn.references.problems.hybrid_conditions import check_order
from veridyn.references.problems.hybrid_modes import to_sympy
from veridyn.references.problems.hybrid_system import (
    EventParameter,
    HybridSystem,
    Known,
    ParameterView,
    follow_motion,
    follow_until,
    select_phases,
)
from veridyn.references.reference import Reference
from veridyn.references.second_routes import hybrid_steps

SHOWN = 20  # digits of a figure
PROOF = "phases enclosed, every event proved to be the next"
CLOSED = "closed form in ball arithmetic"

T = TypeVar("T")
At = Any  # an instant: a number, an expression in the parameters, or an event: its name and number
Second = Callable[[Any], Any]


class MotionTerms(Terms, total=False):
    """The terms of a quantity of a motion: those of `References`, and its second route.

    That is a function of the parameters, attributes in mpmath; ``how`` says how it goes. Without one, steps of the
    motion in mpmath find the same.
    """

    second: Second


class SteppedRoute(NamedTuple):
    """A second route by steps: a function of the parameters, and how it goes, which may depend on them.

    ``size`` gives the largest absolute value of what is read on the way; None where instants are.
    """

    read: Callable[[ParameterSet], Any]
    describe: Callable[[ParameterSet], str]
    size: Callable[[ParameterSet], Any] | None = None


class Source(NamedTuple):
    """Where a quantity comes from: a ball of the proved motion, and the second route by steps."""

    enclose: Callable[[ParameterSet], Ball]
    stepped: SteppedRoute


@dataclass(frozen=True, eq=False)
class MotionQuantities:
    """The quantities of a motion, each a `Reference`.

    `spare` are bits beyond those asked for: what neighbouring motions cost that part, so that the first precision does.
    """

    problem: Any
    parameters: tuple[Parameter, ...]
    sought: EventParameter | Known | None = None
    record: Callable[..., Any] = ParameterSet
    spare: int = 0
    order: tuple[str, ...] = ()
    _systems: dict[Any, HybridSystem] = field(default_factory=dict)
    _sources: dict[Reference[Certified], Source] = field(default_factory=dict)

    @cached_property
    def reference(self) -> References:
        """The terms that its quantities share."""
        return References(self.parameters, self.record, proof=PROOF)

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
            return reading.find_where_largest(self._system(o, expression), o, self._time(o, begin), self._time(o, end))

        stepped = self._step(lambda steps: steps.instant_of_largest(expression, begin, end), expression)
        return self._quantity(f"instant of the largest {of}", read, stepped, terms)

    def peak(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the largest magnitude of a state, or an expression, between two instants, where it turns.

        It is undefined where the magnitude at one of the two instants is larger.
        """
        return self._peak("peak", of, after, until, reading.find_peak, terms)

    def peak_time(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) of the `peak`; undefined too where two are equally high."""
        return self._peak("instant of the peak", of, after, until, reading.find_peak_time, terms)

    def integral(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the integral of a state, or an expression, over the time between two instants."""
        integrand = self._expression(of)
        if integrand not in self._sums:
            self._sums[integrand] = self._summed("integral", integrand)
        return self._sums[integrand].growth("integral", after, until, **terms)

    @cached_property
    def _sums(self) -> dict[Expr, MotionQuantities]:
        """The motions with an integral, by what is integrated: each is followed once."""
        return {}

    def _summed(self, name: str, integrand: Expr) -> MotionQuantities:
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
        return self._peak("turn", of, after, until, reading.find_turn, terms)

    def turn_time(
        self, of: str | Expr, after: At = None, until: At = None, **terms: Unpack[MotionTerms]
    ) -> Reference[Certified]:
        """Return the instant (s) of the `turn`."""
        return self._peak("instant of the turn", of, after, until, reading.find_turn_time, terms)

    def history(self, until: At = None, **readings: str | Expr) -> Reference[Motion]:
        """Return the motion for figures: what is read, by name, at any instant, and its events up to one."""
        expressions, end = {name: self._expression(e) for name, e in readings.items()}, self._instant(until)

        def list_changes(o: ParameterSet) -> list[tuple[Ball, str]]:
            last = self._time(o, end)
            phases = (ended.phase for ended in follow_until(self._system(o), o, last))
            return [(phase.start, phase.kind) for phase in takewhile(lambda phase: phase.start < last, phases)]

        def history(o: ParameterSet, digits: int) -> Motion:
            parts = {name: partial(reading.read_at, self._system(o), o, e) for name, e in expressions.items()}
            return Motion(parts, partial(list_changes, o), digits)

        return self.reference.function(digits=SHOWN)(history)

    def where(self, name: str, zero: str | Expr, at: tuple[str, int]) -> MotionQuantities:
        """Return the motion with that value of a parameter for which an expression is zero at an event.

        It is sought near the value that the problem gives.
        """
        self._check_event(at[0])
        parameters = tuple(parameter for parameter in self.parameters if parameter.name != name)
        return replace(
            self, parameters=parameters, sought=EventParameter(name, self._expression(zero), at), _systems={}
        )

    def knowing(self, names: Collection[str], known: Known) -> MotionQuantities:
        """Return the motion with parameters that a function of the others gives, in balls.

        What is asked of it needs a second route.
        """
        parameters = tuple(parameter for parameter in self.parameters if parameter.name not in names)
        return replace(self, parameters=parameters, sought=known, _systems={})

    def presuming(self, *order: str) -> MotionQuantities:
        """Return the motion whose quantities presume the orbit with these events, markers left out, from the start on.

        They are undefined where the proved motion is another one.
        """
        for name in order:
            self._check_event(name)
        return replace(self, order=order)

    # ---- what they share

    def _steps(self, o: ParameterSet) -> hybrid_steps.Steps:
        if self.sought is None:
            return hybrid_steps.steps(self.problem, o)
        assert isinstance(self.sought, EventParameter), (
            "a motion with known parameters has no steps: state a second route"
        )
        return hybrid_steps.solved(self.problem, o, self.sought.name, self.sought.zero, self.sought.event)

    def _stretch(self, of: str | Expr, after: At, until: At) -> tuple[Expr, Any, Any]:
        """Return an expression and the instants between which it is read: start and end if none are named."""
        begin = self._instant(self.problem.start if after is None else after)
        return self._expression(of), begin, self._instant(until)

    def _extreme(self, of: str | Expr, after: At, until: At, side: int, terms: MotionTerms) -> Reference[Certified]:
        plain, begin, end = self._stretch(of, after, until)
        expression = side * plain

        def read(o: ParameterSet) -> Ball:
            return side * reading.find_largest(self._system(o, expression), o, self._time(o, begin), self._time(o, end))

        name = f"{'largest' if side > 0 else 'smallest'} {of}"
        stated: MotionTerms = {"effort": self._effort(expression), **terms}
        stepped = self._step(lambda steps: side * steps.largest(expression, begin, end), expression)
        return self._quantity(name, read, stepped, stated)

    def _peak(
        self, name: str, of: str | Expr, after: At, until: At, find: Callable[..., Ball], terms: MotionTerms
    ) -> Reference[Certified]:
        expression, begin, end = self._stretch(of, after, until)

        def read(o: ParameterSet) -> Ball:
            return find(self._system(o, expression), o, self._time(o, begin), self._time(o, end))

        def step(steps: Any) -> Any:
            seen = steps.candidates(expression, steps.time(begin), steps.time(end))
            time, reached = max(((t, e) for t, e, turns in seen if turns), key=lambda turn: abs(turn[1]))
            return {reading.find_peak: abs(reached), reading.find_turn: reached}.get(find, time)

        stepped = self._step(step, expression)
        stated: MotionTerms = {"effort": self._effort(expression), **terms}
        return self._quantity(
            f"{name} of {of}",
            read,
            stepped if find in (reading.find_peak, reading.find_turn) else stepped._replace(size=None),
            stated,
        )

    def _step(self, read: Callable[[Any], Any], expression: Expr | None = None) -> SteppedRoute:
        """Return a second route: a reading, of an expression or of instants, of steps in mpmath."""
        size = None if expression is None else lambda o: self._steps(o).size(expression)
        return SteppedRoute(lambda o: read(self._steps(o)), lambda _: hybrid_steps.HOW, size)

    def _quantity(
        self,
        name: str,
        read: Callable[[Any], Ball],
        stepped: SteppedRoute | None,
        terms: MotionTerms,
    ) -> Reference[Certified]:
        enclosed = self._spared(reading.with_slope(self._on_orbit(read) if stepped else read))
        enclosed.__name__ = name
        route, stated = self._split(stepped, terms)
        result = self.reference(route, **stated)(enclosed)
        if stepped is not None:
            self._sources[result] = Source(enclosed, stepped)
        return result

    def _split(self, stepped: SteppedRoute | None, terms: MotionTerms) -> tuple[Second | None, Terms]:
        """Return the second route, which takes a record of parameters, and the other terms."""
        second, how = terms.get("second"), terms.get("how")
        rest = {name: term for name, term in terms.items() if name not in ("second", "how")}
        stated = cast(Terms, {"effort": self._effort(), **rest})
        if second is not None:
            return lambda o: second(ParameterView(o, Exact.mpf)), {**stated, "how": how or "closed form"}
        if stepped is None:
            return None, stated
        promised: Terms = {"how": stepped.describe, "promised": hybrid_steps.PROMISED}
        if stepped.size is not None:
            promised["size"] = stepped.size
        return stepped.read, {**promised, **stated}

    def _on_orbit(self, read: Callable[[Any], Ball]) -> Callable[[Any], Ball]:
        def read_there(o: Any) -> Ball:
            check_order(follow_motion(self._system(o), o), self.order, self._markers)
            return read(o)

        return read_there if self.order else read

    @cached_property
    def _markers(self) -> frozenset[str]:
        return frozenset(event.name for mode in self.problem.modes for event in mode.events if event.is_marker)

    def _spared(self, read: Callable[[Any], T]) -> Callable[[Any], T]:
        def spared(o: Any) -> T:
            with precision(ctx.prec + self.spare):
                return read(o)

        return spared

    def _effort(self, *watched: Expr) -> Callable[[ParameterSet], str]:
        return self._spared(lambda o: proved(follow_motion(self._system(o, *watched), o).kept))

    def _system(self, o: Any, *watched: Expr) -> HybridSystem:  # noqa: ARG002 - other motions depend on the parameters
        return self._systems.setdefault(watched, HybridSystem(self.problem, watched, self.sought))

    def _time(self, o: ParameterSet, when: Any) -> Ball:
        if isinstance(when, Expr):
            return self._system(o).instant(when, o)
        return reading.find_event(self._system(o), o, *when).end

    def _instant(self, at: At) -> Any:
        """Return an expression, or name and number of an event."""
        if isinstance(at, tuple):
            self._check_event(at[0])
            return at
        return self._expression(self.problem.end if at is None else at)

    def _expression(self, given: Any) -> Expr:
        if isinstance(given, Expr):
            return given
        try:
            return to_sympy(exact(given))
        except ParameterError:
            return self.problem.expression(given)

    def _check_event(self, name: str) -> None:
        for each in name.split(" or "):
            if each not in self.problem.event_names:
                raise ParameterError(unknown(each, self.problem.event_names, "event"))


def motion(
    problem: Any, parameters: Sequence[Parameter] = (), record: Callable[..., Any] = ParameterSet, spare: int = 0
) -> MotionQuantities:
    """Return the motion of a problem, whose parameters have the rules given; those without one may be any number.

    What they must meet together is checked by ``record``: `requirements.restrict` makes one.
    """
    stated = {parameter.name: parameter for parameter in parameters}
    plain = {name: Parameter(name, "", "", str(value), "any") for name, value in problem.parameters.items()}
    return MotionQuantities(problem, tuple({**plain, **stated}.values()), record=record, spare=spare)
