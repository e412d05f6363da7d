"""Second routes of motions with events, in mpmath: extrapolated midpoint steps with their own search for events.

Midpoint steps are extrapolated to none (Gragg, Bulirsch and Stoer). An event is looked for between the ends of a step
and where its guard turns inside. Steps shrink until the extrapolation converges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import mpmath
import sympy
from mpmath import mpf
from sympy import Expr

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.deadline import check_time
from veridyn.references.parameters import ParameterSet

PROMISED = 12  # digits
WORKING = 26
SHARP = 10.0**-20  # of a step, relative to the largest state of its kind
HOW = "extrapolated midpoint steps, with their own search for events"
NEAR = 10.0**-14  # of a step: so near a root is the one that the step begins with
NUDGE = 10.0**-4  # of a number: to the second one of a secant
LEAST = 10.0**-12  # of the motion: steps so short find no motion
MOST = 24  # rows of an extrapolation
SHORT = 12  # of one that is tried: more would be a step in which a guard may turn twice
INNER = (mpf(1) / 3, mpf(2) / 3)  # of a step: where slopes of guards are looked at besides its ends
TRIFLE, FLAT = 10.0**-18, 10.0**-9  # what changes a guard by less is rounding; of the largest slope: there it turns
EASY = 2  # by how much the next step is longer, unless this one was found by shortening it

END = sympy.Symbol("t_end")  # stands for the end of a motion

Vector = tuple[mpf, ...]
Function = Callable[..., Any]


class HybridEvent(NamedTuple):
    """An event of a problem: where its guard falls through zero (direction -1)."""

    name: str
    guard: Expr
    mode: str
    direction: int = -1
    terminal: bool = False
    reset: Mapping[str, Expr] = MappingProxyType({})


class HybridMode(NamedTuple):
    """Equations of a problem: the rates of its states, what ends them, and what can be read there beside the states."""

    name: str
    rates: Sequence[Expr]
    events: Sequence[HybridEvent]
    readings: Mapping[sympy.Symbol, Expr] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class HybridProblem:
    """What steps follow; an initial value problem is one too."""

    states: tuple[str, ...]
    parameters: tuple[str, ...]
    modes: tuple[HybridMode, ...]
    mode: str
    initial: tuple[Expr, ...]
    end: mpf
    start: mpf = 0


class HybridStep(NamedTuple):
    """The motion from an instant on, in a mode; sizes of the states set a scale."""

    rates: Function
    sizes: Vector
    time: mpf
    mode: str
    y: Vector

    def at(self, lapse: mpf, most: int = MOST) -> Vector:
        """Return the state after a lapse of a step or less; raises `CertificationError` if `most` rows do not do."""
        rows = list[Vector]()
        if not lapse:
            return self.y
        for place in range(1, most):
            row = [self._midpoint(lapse, 2 * place)]
            for back, old in enumerate(rows, start=1):
                weight = 1 / (mpmath.mpf(place) ** 2 / (place - back) ** 2 - 1)
                row.append(tuple(new + (new - less) * weight for new, less in zip(row[-1], old, strict=True)))
            rows = row
            if len(row) > 1 and self._close(row[-1], row[-2]):
                return row[-1]
        raise CertificationError("the extrapolation of the motion does not converge")

    def _midpoint(self, lapse: mpf, count: int) -> Vector:
        h, t = lapse / count, self.time
        before, now = self.y, tuple(a + h * b for a, b in zip(self.y, self.rates(t, self.y), strict=True))
        for i in range(1, count):
            slopes = self.rates(t + i * h, now)
            before, now = now, tuple(a + 2 * h * b for a, b in zip(before, slopes, strict=True))
        return tuple((a + b + h * c) / 2 for a, b, c in zip(before, now, self.rates(t + lapse, now), strict=True))

    def _close(self, a: Vector, b: Vector) -> bool:
        return all(abs(x - y) <= SHARP * max(size, abs(x)) for x, y, size in zip(a, b, self.sizes, strict=True))


@dataclass(frozen=True)
class Crossing:
    """An event in a step: which, when (s), mode and state before and after."""

    name: str
    time: mpf
    before: tuple[str, Vector]
    after: tuple[str, Vector]


@dataclass(eq=False)
class Steps:
    """The motion of a problem, as far as it was followed."""

    problem: Any
    numbers: tuple[mpf, ...]
    kept: list[tuple[HybridStep, mpf]] = field(default_factory=list)  # with their lengths (s)
    crossings: list[Crossing] = field(default_factory=list)
    made: dict[tuple[Expr, ...], Function] = field(default_factory=dict)
    _source: Iterator[None] | None = None
    _doubt: Exception | None = None

    # ---- functions

    def function(self, expressions: Sequence[Expr]) -> Function:
        """Return a function of time and state, made once."""
        key, p = tuple(expressions), self.problem
        if key in self.made:
            return self.made[key]
        names = [sympy.Symbol("t"), [*map(sympy.Symbol, p.states)], [*map(sympy.Symbol, p.parameters)]]
        result = sympy.lambdify(names, list(key), "mpmath", cse=True)
        return self.made.setdefault(key, lambda t, y: result(t, y, self.numbers))

    @cached_property
    def _rates(self) -> dict[str, Function]:
        return {mode.name: self.function(mode.rates) for mode in self.problem.modes}

    @cached_property
    def _guards(self) -> dict[str, tuple[Function, Function]]:
        """Return guards, falling or crossing, and their rates by mode."""
        return {mode.name: self._with_rate(mode, [falling(e) for e in mode.events]) for mode in self.problem.modes}

    def _with_rate(self, mode: Any, expressions: Sequence[Expr]) -> tuple[Function, Function]:
        symbols = [*map(sympy.Symbol, self.problem.states)]
        rates = [
            sympy.diff(e, sympy.Symbol("t"))
            + sum(sympy.diff(e, x) * f for x, f in zip(symbols, mode.rates, strict=True))
            for e in expressions
        ]
        return self.function(expressions), self.function(rates)

    def _jumped(self, event: Any, time: mpf, y: Vector) -> Vector:
        jumps = [event.reset.get(name, sympy.Symbol(name)) for name in self.problem.states]
        return tuple(map(mpmath.mpf, self.function(jumps)(time, y)))

    # ---- the motion

    def _follow(self) -> Iterator[None]:
        modes = {mode.name: mode for mode in self.problem.modes}
        start, end = mpmath.mpf(self.problem.start), mpmath.mpf(self.problem.end)
        n = len(self.problem.states)
        y = tuple(map(mpmath.mpf, self.function(self.problem.initial[:n])(start, [0] * n)))
        time, mode, length, eased = start, self.problem.mode, (end - start) / 64, EASY
        begins = True  # the motion or, after an event, a mode: a guard may be zero there that is no event
        while time < end:
            check_time("the second route, by steps, up to t =", float(time), "s")
            here = HybridStep(self._rates[mode], self._sizes(mode, time, y, length), time, mode, y)
            length = min(length, end - time)
            try:
                after = here.at(length, SHORT)
            except (CertificationError, ZeroDivisionError, OverflowError):
                length, eased = length / 3, 1
                if length < LEAST * (end - start):
                    raise CertificationError("the steps of the second route come to a halt") from None
                continue
            if modes[mode].events and self._may_hide(here, length, after):
                length, eased = length / 2, 1
                continue
            result = self._first(here, length, after, modes[mode].events, begins=begins)
            begins = result is not None
            self.kept.append((here, length if result is None else result[0]))
            if result is None:
                time, y, length, eased = time + length, after, length * eased, EASY
            else:
                lapse, event = result
                before, time = here.at(lapse), time + lapse
                y = self._jumped(event, time, before)
                entered = event.mode or mode
                self.crossings.append(Crossing(event.name, time, (mode, before), (entered, y)))
                if event.terminal:
                    yield
                    return
                mode = entered
                if mode not in modes:
                    raise CertificationError(f"the steps of the second route find {event.name} first: {mode}")
            yield

    def _sizes(self, mode: str, time: mpf, y: Vector, length: mpf) -> Vector:
        return tuple(max(abs(x), abs(rate) * length) for x, rate in zip(y, self._rates[mode](time, y), strict=True))

    def _may_hide(self, here: HybridStep, length: mpf, after: Vector) -> bool:
        """Tell whether a guard turns more than once in a step, so that two crossings may lie between its ends.

        Slopes at four places tell. A step so short that none is more than rounding hides nothing.
        """
        rate = self._guards[here.mode][1]
        inner = [here.at(length * share) for share in INNER]
        lapses = [mpmath.mpf(0), *(length * share for share in INNER), length]
        rows = zip(*(rate(here.time + t, y) for t, y in zip(lapses, (here.y, *inner, after), strict=True)), strict=True)
        return any(_count_turns(row, TRIFLE / length) > 1 for row in rows)

    def _first(self, here: HybridStep, length: mpf, after: Vector, events: Sequence[Any], *, begins: bool) -> Any:
        result = [
            (lapse, event)
            for place, event in enumerate(events)
            if (lapse := self._lapse(here, length, after, place, event, begins=begins)) is not None
        ]
        return min(result, key=lambda pair: pair[0], default=None)

    def _lapse(
        self, here: HybridStep, length: mpf, after: Vector, place: int, event: Any, *, begins: bool
    ) -> mpf | None:
        """Return when a guard passes zero first within a step, with which a mode begins or goes on."""
        guard, rate = self._guards[here.mode]

        def value(lapse: mpf) -> mpf:
            return guard(here.time + lapse, here.at(lapse))[place]

        def slope(lapse: mpf) -> mpf:
            return rate(here.time + lapse, here.at(lapse))[place]

        begin = mpmath.mpf(0)
        if begins and abs(value(begin)) <= self._tiny(here, place, length):
            begin = length / 10**6
        a, b = value(begin), guard(here.time + length, after)[place]
        p, q = slope(begin), rate(here.time + length, after)[place]
        ends = [(begin, a), (length, b)]
        if p * q < 0 and (a * b < 0 or a * p < 0):
            turn = _bracketed(slope, begin, length)
            ends.insert(1, (turn, value(turn)))
        for (low, at_low), (high, at_high) in pairwise(ends):
            if at_low > 0 >= at_high or (event.direction == 0 and at_low < 0 <= at_high):
                return _bracketed(value, low, high)
        return None

    def _tiny(self, here: HybridStep, place: int, length: mpf) -> mpf:
        _, rate = self._guards[here.mode]
        return NEAR * abs(rate(here.time, here.y)[place]) * length + mpmath.mpf(10) ** -20

    # ---- readings

    def _more(self) -> bool:
        """Go on by a step; what has stopped it is raised again, since a generator that has raised only ends."""
        if self._doubt is not None:
            raise self._doubt
        self._source = self._source or self._follow()
        try:
            with mpmath.workdps(WORKING):
                return next(self._source, self) is None
        except Exception as doubt:
            self._doubt = doubt.with_traceback(None)
            raise

    def time(self, when: Any) -> mpf:
        """Return the instant of an expression in the parameters, or of an event."""
        if isinstance(when, tuple):
            return self.event(*when)[0]
        if when == END:
            return mpmath.mpf(self.problem.end)
        return mpmath.mpf(self.function([when])(0, [0] * len(self.problem.states))[0])

    def event(self, name: str, number: int) -> tuple[mpf, Crossing]:
        """Return the instant of an event, counted from 1, and what happens; `CertificationError` if there is none."""
        names = name.split(" or ")
        if number < 0:
            end = mpmath.mpf(self.problem.end)
            self._until(end)
            number = sum(c.name in names and c.time < end for c in self.crossings)
        while len(result := [c for c in self.crossings if c.name in names]) < number:
            if not self._more():
                raise CertificationError(f"the second route finds no event {name} number {number}")
        return result[number - 1].time, result[number - 1]

    def _until(self, time: mpf) -> None:
        while not self.kept or self.kept[-1][0].time + self.kept[-1][1] <= time:
            if not self._more():
                return

    def count(self, name: str, time: mpf) -> int:
        """Return how many events there are up to an instant."""
        self._until(time)
        names = name.split(" or ")
        return sum(c.name in names and c.time < time for c in self.crossings)

    def at(self, time: mpf) -> tuple[HybridStep, Vector]:
        """Return the step that holds an instant, and the state there."""
        self._until(time)
        step: HybridStep = next(step for step, _ in reversed(self.kept) if step.time <= time)
        return step, step.at(time - step.time)

    def value(self, expression: Expr, when: Any, before: bool) -> mpf:
        """Return an expression at an instant, or before or after an event."""
        with mpmath.workdps(WORKING):
            if isinstance(when, tuple):
                time, crossing = self.event(*when)
                mode, y = crossing.before if before else crossing.after
            else:
                time = self.time(when)
                step, y = self.at(time)
                mode = step.mode
            return self.function([self._in_mode(mode, expression)])(time, y)[0]

    def _in_mode(self, name: str, expression: Expr) -> Expr:
        """Return an expression in the states alone: what is read beside them differs from mode to mode."""
        mode = next((mode for mode in self.problem.modes if mode.name == name), None)
        return expression.xreplace(dict(mode.readings)) if isinstance(mode, HybridMode) else expression

    def largest(self, expression: Expr, begin: Any, end: Any) -> mpf:
        """Return the largest value of an expression between two instants."""
        with mpmath.workdps(WORKING):
            low, high = self.time(begin), self.time(end)
            return max(value for _, value, _ in self.candidates(expression, low, high))

    def size(self, expression: Expr) -> mpf:
        """Return the largest absolute value of an expression where the steps begin that were made."""
        with mpmath.workdps(WORKING):
            read = {mode.name: self.function([self._in_mode(mode.name, expression)]) for mode in self.problem.modes}
            return max(abs(read[step.mode](step.time, step.y)[0]) for step, _ in self.kept)

    def instant_of_largest(self, expression: Expr, begin: Any, end: Any) -> mpf:
        """Return the instant (s) between two others at which an expression is largest."""
        with mpmath.workdps(WORKING):
            candidates = self.candidates(expression, self.time(begin), self.time(end))
            return max(candidates, key=lambda each: each[1])[0]

    def turn(self, expression: Expr, begin: Any, end: Any) -> tuple[mpf, mpf]:
        """Return instant and value of an expression where it turns, of largest magnitude, between two instants."""
        with mpmath.workdps(WORKING):
            candidates = self.candidates(expression, self.time(begin), self.time(end))
            return max(((t, value) for t, value, turns in candidates if turns), key=lambda turn: abs(turn[1]))

    def candidates(self, expression: Expr, low: mpf, high: mpf) -> Iterator[tuple[mpf, mpf, bool]]:
        """Yield instants and values of an expression between two instants: at ends of steps and, as is told, turns."""
        self._until(high)
        modes = self.problem.modes
        pairs = {mode.name: self._with_rate(mode, [self._in_mode(mode.name, expression)]) for mode in modes}
        for step, length in self.kept:
            read, rate = pairs[step.mode]
            a, b = max(mpmath.mpf(0), low - step.time), min(length, high - step.time)
            if a > b or step.time + length == low < high:  # the next step begins there, after the event if it is one
                continue
            turn = _turn(step, rate, a, b)
            for lapse in (a, b) if turn is None else (a, turn, b):
                time = step.time + lapse
                yield time, read(time, step.at(lapse))[0], lapse is turn


def _turn(step: HybridStep, rate: Function, low: mpf, high: mpf) -> mpf | None:
    """Return the lapse at which an expression turns, None if its rate has one sign at both ends."""

    def slope(lapse: mpf) -> mpf:
        return rate(step.time + lapse, step.at(lapse))[0]

    return _bracketed(slope, low, high) if slope(low) * slope(high) < 0 else None


def _count_turns(slopes: Sequence[mpf], least: mpf) -> int:
    """Return how often the sign of slopes changes, without those that are nearly zero."""
    most = max(map(abs, slopes))
    steep = [slope for slope in slopes if abs(slope) > max(least, FLAT * most)]
    return sum(one * other < 0 for one, other in pairwise(steep))


def falling(event: Any) -> Expr:
    """Return the guard of an event, which falls where it happens."""
    return -event.guard if event.direction > 0 else event.guard


def _bracketed(f: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    return mpmath.findroot(f, (low, high), solver="anderson", tol=1e-30, verify=False, maxsteps=60)


@per_precision
def _steps(problem: Any, numbers: tuple[mpf, ...]) -> Steps:
    return Steps(problem, numbers)


def steps(problem: Any, o: ParameterSet, **found: mpf) -> Steps:
    """Return the motion of a problem with these parameters."""
    with mpmath.workdps(WORKING):
        numbers = {**{name: number.mpf() for name, number in vars(o).items()}, **found}
        return _steps(problem, tuple(numbers[name] for name in problem.parameters))


def solved(problem: Any, o: ParameterSet, name: str, zero: Expr, event: tuple[str, int]) -> Steps:
    """Return the motion with the parameter for which an expression is zero at an event, by the secant."""
    with mpmath.workdps(WORKING):
        start = mpmath.mpf(sympy.Rational(problem.parameters[name]))

        def off(number: mpf) -> mpf:
            return steps(problem, o, **{name: number}).value(zero, event, before=True)

        return steps(problem, o, **{name: mpmath.findroot(off, (start, start * (1 + NUDGE)), tol=1e-32, verify=False)})
