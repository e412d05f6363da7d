"""Motions of general right-hand sides with events, resets and changes of the mode: proved, for any problem as data.

A problem is any object with `states`, `parameters`, `modes` (name, rates, events), `initial`, `mode`, `start` and `end`
whose expressions are SymPy's. Where rates are affine in the states, with loads that are harmonic or grow with the time,
the matrix exponential carries a phase; elsewhere Taylor series. A guard that the event before, or the start, leaves at
zero is proved to be there symbolically: what is known exactly after an event belongs into its reset.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, TypeVar

import sympy
from flint import arb, ctx
from sympy import Expr

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Absent, Undecided, ball, less, per_bits, precision, sign
from veridyn.references.engine.events import Event, Guard, Passes, roots
from veridyn.references.engine.expressions import compiled
from veridyn.references.engine.flows import Flow, LinearFlow, Row
from veridyn.references.engine.jets import Ball, Jet, differentiated, hull, largest, rooted, slope, value
from veridyn.references.engine.motion import Phase, PhaseEnd, followed, proved
from veridyn.references.engine.quantities import References
from veridyn.references.engine.smooth import Smooth, restarted
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet, exact, unknown
from veridyn.references.second_routes import hybrid_steps

TIME = sympy.Symbol("t")
ONE = sympy.Dummy("one")
COARSE = 96  # bits of the secant
SURE = 128  # bits, to tell whether a condition on the parameters holds
CLOSE = arb(2) ** -40  # of a number: a last step of the secant
NUDGE = arb(2) ** -12  # of a number: to the second one of a secant
MOST_TRIES = 30
DEEPEST = 4  # derivatives of a guard that may vanish together
PASSES: dict[int, Passes] = {-1: "falls", 1: "falls", 0: "crosses"}

PROOF = "phases enclosed, every event proved to be the next"
CLOSED = "closed form in ball arithmetic"

T = TypeVar("T")
At = Any  # an instant: a number, an expression in the parameters, or an event: its name and number
Second = Callable[[Any], Any]
Known = Callable[[Any], Mapping[str, Ball]]  # parameters from the others, attributes that are balls


@dataclass(frozen=True, eq=False)
class _Mode:
    """The equations of a mode: affine in `terms`, or smooth."""

    name: str
    states: tuple[sympy.Symbol, ...]
    rates: tuple[Expr, ...]
    guards: tuple[Expr, ...]  # falling where the event happens
    events: tuple[Any, ...]
    watched: tuple[Expr, ...]

    @cached_property
    def read(self) -> tuple[Expr, ...]:
        """Return guards, then what is watched."""
        return (*self.guards, *self.watched)

    @cached_property
    def terms(self) -> tuple[Expr, ...] | None:
        """Return what rates, guards and watched expressions are linear in; None where they are not."""
        free = {*self.states, TIME}
        waves = {
            wave
            for expression in (*self.rates, *self.read)
            for wave in expression.atoms(sympy.sin, sympy.cos)
            if TIME in wave.free_symbols
        }
        angles = sorted({wave.args[0] for wave in waves}, key=str)
        if any(not sympy.diff(angle, TIME).free_symbols.isdisjoint(free) for angle in angles):
            return None
        if any(not angle.free_symbols.isdisjoint(self.states) for angle in angles):
            return None
        pairs = [f(angle) for angle in angles for f in (sympy.sin, sympy.cos)]
        return (*self.states, ONE, TIME, *pairs)

    @cached_property
    def rows(self) -> tuple[tuple[dict[int, Expr], ...], tuple[dict[int, Expr], ...]] | None:
        """Return rows of the rates of all terms, and of what is read; None where they are not affine."""
        if self.terms is None:
            return None
        if not all(expression.is_polynomial(*self.states) for expression in (*self.rates, *self.read)):
            return None  # seen at once; what follows differentiates and expands
        n, free = len(self.states), {*self.states, TIME}
        rates = [*self.rates, sympy.Integer(0), sympy.Integer(1)]
        rates += [sympy.diff(wave, TIME) for wave in self.terms[n + 2 :]]
        names = [sympy.Dummy() for _ in self.terms]
        renamed = [e.xreplace(dict(zip(self.terms, names, strict=True))) for e in (*rates, *self.read)]
        found: list[dict[int, Expr]] = []
        for expression in renamed:
            row = _linear(expression, names, n)
            if row is None or any(not c.free_symbols.isdisjoint(free | set(names)) for c in row.values()):
                return None
            found.append(row)
        return tuple(found[: len(self.terms)]), tuple(found[len(self.terms) :])


def _linear(expression: Expr, names: Sequence[sympy.Dummy], one: int) -> dict[int, Expr] | None:
    """Return the factors of names, and what is left at the place of one; None if it is not affine."""
    row = {i: sympy.diff(expression, name) for i, name in enumerate(names)}
    row = {i: factor for i, factor in row.items() if factor != 0}
    if any(not sympy.expand(factor).free_symbols.isdisjoint(names) for factor in row.values()):
        return None
    left = sympy.expand(expression - sum(factor * names[i] for i, factor in row.items()))
    if not left.free_symbols.isdisjoint(names):
        return None
    return {**row, one: row.get(one, 0) + left} if left != 0 else row


@dataclass(frozen=True, eq=False)
class _Phase(Phase):
    """With the rows of what is watched, None of what is constant; zeros are those of the rates."""

    watched: tuple[Guard | None, ...] = ()


@dataclass(frozen=True, eq=False)
class _PhaseCache:
    """A motion as far as it was looked at; what stopped it is raised again."""

    source: Iterator[PhaseEnd]
    kept: list[PhaseEnd] = field(default_factory=list)
    doubts: list[Exception] = field(default_factory=list)

    def __iter__(self) -> Iterator[PhaseEnd]:
        place = 0
        while True:
            if place == len(self.kept):
                try:
                    self.kept.append(self._next())
                except StopIteration:
                    return
            yield self.kept[place]
            place += 1

    def _next(self) -> PhaseEnd:
        if self.doubts:
            raise self.doubts[0]
        try:
            return next(self.source)
        except (Undecided, Absent, ParameterError) as doubt:
            self.doubts.append(doubt.with_traceback(None))
            raise


@dataclass(frozen=True, eq=False)
class HybridSystem:
    """A problem with expressions that are watched beside its guards; keys of caches."""

    problem: Any
    watched: tuple[Expr, ...] = ()
    sought: EventParameter | Known | None = None
    tried: Mapping[str, Ball] | None = None  # instead of what is sought

    @cached_property
    def states(self) -> tuple[sympy.Symbol, ...]:
        return tuple(map(sympy.Symbol, self.problem.states))

    @property
    def modes(self) -> dict[str, _Mode]:
        return _modes(self.problem, self.watched)

    def values(self, expressions: Sequence[Expr], known: Mapping[str, Any]) -> list[Any]:
        """Return the values of expressions."""
        return compiled(tuple(expressions))(known)

    def named(self, o: ParameterSet, time: Any, state: Sequence[Any]) -> dict[str, Any]:
        """Return values by name."""
        names = dict(zip(self.problem.states, state, strict=False))
        return {**_balls(o), **self.found(o), **names, "t": time}

    def found(self, o: ParameterSet) -> Mapping[str, Ball]:
        """Return the parameters that are not given."""
        if self.tried is not None or self.sought is None:
            return self.tried or {}
        if not isinstance(self.sought, EventParameter):
            return _known(self.sought, o)
        return {self.sought.name: _solution(self.problem, self.sought, o)}

    def instant(self, at: Expr, o: ParameterSet) -> Ball:
        """Return the value of an expression in the parameters."""
        return self.values((at,), self.named(o, arb(0), ()))[0]

    @property
    def span(self) -> tuple[Exact, Exact]:
        return exact(self.problem.start), exact(self.problem.end)

    # ---- phases

    def first(self, o: ParameterSet) -> Phase:
        """Return the phase in which a motion begins."""
        start = ball(self.span[0])
        state = self.values(tuple(self.problem.initial), self.named(o, start, ()))[: len(self.states)]
        facts = {x: self._plain(e, o) for x, e in zip(self.states, self.problem.initial, strict=False)}
        return self._phase(o, self.modes[self.problem.mode], start, state, {**facts, TIME: _number(self.span[0])}, None)

    def following(self, o: ParameterSet) -> Callable[[Phase, Event | None, Ball, Sequence[Ball]], Phase | None]:
        """Return what follows a phase."""

        def after(phase: Phase, event: Event | None, time: Ball, state: Sequence[Ball]) -> Phase | None:
            mode = self.modes[phase.kind]
            if event is None:
                return None
            place = next(i for i, change in enumerate(mode.events) if change.name == event.name)
            change = mode.events[place]
            if change.terminal:
                return None
            jumps = tuple(
                change.reset.get(name, symbol) for name, symbol in zip(self.problem.states, self.states, strict=True)
            )
            there = self.values(jumps, self.named(o, time, state))
            known = _solved(mode.guards[place], self.states, o.plain)
            facts = {
                symbol: self._plain(jump, o).xreplace(known)
                for symbol, jump in zip((*self.states, TIME), (*jumps, TIME), strict=True)
            }
            return self._phase(o, self.modes[change.mode or mode.name], time, there, facts, time)

        return after

    def _phase(
        self,
        o: ParameterSet,
        mode: _Mode,
        time: Ball,
        state: Sequence[Ball],
        facts: Mapping[Any, Expr],
        event: Ball | None,
    ) -> Phase:
        """Return the phase from an instant on; of smooth ones, from an exact instant next to an event's."""
        turning = [self.derivative(mode, expression) for expression in mode.watched]
        still = [_vanishes(self._plain(e, o)) for e in turning]
        zeros = [self._zeros(o, mode, e, time, state, facts) for e in mode.guards]
        zeros += [0 if s else self._zeros(o, mode, e, time, state, facts) for e, s in zip(turning, still, strict=True)]
        flow, start, there, late = self._flow(o, mode, time, state, event)
        names = [(change.name, PASSES[change.direction], change.is_marker) for change in mode.events]
        watched: list[tuple[str, Passes, bool]] = [("turns", "falls", False)] * len(turning)
        guards = [
            Guard(name, row, count, late if count else None, passes, marks)
            for (name, passes, marks), row, count in zip(
                [*names, *watched], self._rows(o, mode, flow), zeros, strict=True
            )
        ]
        count = len(mode.events)
        return _Phase(
            mode.name,
            flow,
            start,
            tuple(there),
            guards[:count],
            watched=tuple(None if s else guard for guard, s in zip(guards[count:], still, strict=True)),
        )

    def _flow(
        self, o: ParameterSet, mode: _Mode, time: Ball, state: Sequence[Ball], event: Ball | None
    ) -> tuple[Flow, Ball, Sequence[Ball], arb | None]:
        if mode.rows is not None and mode.terms is not None:
            extra = self._extra(o, mode, time)
            return _affine(self, o, mode)[0], time, (*state, *extra), None
        if event is None and not differentiated(time):
            return self._smooth(o, mode, time), time, state, None
        flow, there, late = restarted(lambda start: self._smooth(o, mode, start), time, tuple(state))
        return flow, flow.start, there, late

    def _extra(self, o: ParameterSet, mode: _Mode, time: Ball) -> list[Ball]:
        """Return one, time and waves."""
        assert mode.terms is not None
        n = len(self.states)
        return [arb(1), time, *self.values(mode.terms[n + 2 :], self.named(o, time, ()))]

    def row(self, o: ParameterSet, row: Mapping[int, Expr]) -> Row:
        """Return a row with the numbers of the parameters."""
        factors = self.values(tuple(row.values()), self.named(o, arb(0), ()))
        return dict(zip(row, factors, strict=True))

    def _smooth(self, o: ParameterSet, mode: _Mode, start: arb) -> Smooth:
        def evaluated(expressions: Sequence[Expr]) -> Callable[[Any, Sequence[Any]], Sequence[Any]]:
            return lambda t, y: self.values(expressions, self.named(o, t, y))

        return Smooth(evaluated(mode.rates), start, evaluated(mode.read))

    def _rows(self, o: ParameterSet, mode: _Mode, flow: Flow) -> list[Row]:
        """Return guards, then what is watched, as rows."""
        if isinstance(flow, LinearFlow):
            return _affine(self, o, mode)[1]
        return [{len(self.states) + i: arb(1)} for i in range(len(mode.read))]

    def _plain(self, expression: Expr, o: ParameterSet) -> Expr:
        return _with_numbers(expression, o.plain)

    def _zeros(
        self, o: ParameterSet, mode: _Mode, guard: Expr, time: Ball, state: Sequence[Ball], facts: Mapping[Any, Expr]
    ) -> int:
        """Return how many Taylor coefficients of a guard vanish exactly where a phase begins."""
        for count in range(DEEPEST + 1):
            if sign(self.values((guard,), self.named(o, time, state))[0]):
                return count
            if not _vanishes(self._plain(guard, o).xreplace(dict(facts))):
                return count
            guard = self.derivative(mode, guard)
        raise Undecided("a guard stays zero where a phase begins")

    def derivative(self, mode: _Mode, expression: Expr) -> Expr:
        """Return the rate of an expression along the motion."""
        return _along(expression, self.states, mode.rates)


@lru_cache(maxsize=64)
def _modes(problem: Any, watched: tuple[Expr, ...]) -> dict[str, _Mode]:
    """Return the modes by name, once, since a parameter that is sought is tried often."""
    states = tuple(map(sympy.Symbol, problem.states))
    return {
        mode.name: _Mode(
            mode.name, states, mode.rates, tuple(map(hybrid_steps.falling, mode.events)), tuple(mode.events), watched
        )
        for mode in problem.modes
    }


@lru_cache(maxsize=4096)
def _along(expression: Expr, states: tuple[sympy.Symbol, ...], rates: tuple[Expr, ...]) -> Expr:
    moved = (sympy.diff(expression, x) * rate for x, rate in zip(states, rates, strict=True))
    return sum(moved, sympy.diff(expression, TIME))


@per_bits
def _affine(system: HybridSystem, o: ParameterSet, mode: _Mode) -> tuple[LinearFlow, list[Row]]:
    """Return the flow of an affine mode and its rows, guards before what is watched: the same for all its phases."""
    assert mode.rows is not None
    start, end = system.span
    rates, read = ([system.row(o, row) for row in rows] for rows in mode.rows)
    return LinearFlow(rates, value(ball(end) - ball(start))), read


@per_bits
def _balls(o: ParameterSet) -> dict[str, Ball]:
    return {name: ball(number) for name, number in vars(o).items()}


@lru_cache(maxsize=4096)
def _with_numbers(expression: Expr, o: ParameterSet) -> Expr:
    """Return an expression with the parameters put in; once, since a start may be long and is tried often."""
    return expression.xreplace(_numbers(o))


def _numbers(o: ParameterSet) -> dict[sympy.Symbol, Expr]:
    return {sympy.Symbol(name): _number(number) for name, number in vars(o).items()}


def _number(number: Exact) -> Expr:
    return sympy.Rational(number.rational.numerator, number.rational.denominator) * sympy.pi**number.pi


@lru_cache(maxsize=4096)
def _vanishes(expression: Expr) -> bool:
    """Tell whether an expression is zero: what events of a kind leave is the same each time."""
    return bool(sympy.simplify(expression) == 0)


@lru_cache(maxsize=4096)
def _solved(guard: Expr, states: Sequence[sympy.Symbol], o: ParameterSet) -> dict[sympy.Symbol, Expr]:
    """Return a state from a guard that is zero, where the guard is affine in it."""
    plain = _with_numbers(guard, o)
    for symbol in (*states, TIME):
        factor = sympy.diff(plain, symbol)
        if factor != 0 and factor.is_number:
            return {symbol: sympy.expand(symbol - plain / factor)}
    return {}


@per_bits
def _run(system: HybridSystem, o: ParameterSet) -> _PhaseCache:
    """Return a motion up to the end of its problem."""
    return _PhaseCache(followed(system.first(o), system.following(o), ball(system.span[1])))


@dataclass(frozen=True, eq=False)
class EventParameter:
    """A parameter for which an expression is zero at an event."""

    name: str
    zero: Expr
    event: tuple[str, int]

    def off(self, problem: Any, o: ParameterSet, trial: Ball) -> Ball:
        """Return the expression at the event, for a trial."""
        system = HybridSystem(problem, (), None, {self.name: trial})
        run = _PhaseCache(followed(system.first(o), system.following(o), ball(system.span[1])))
        ended = _nth(run, *self.event)
        return system.values((self.zero,), system.named(o, ended.end, ended.phase.at(ended.end)))[0]


@per_bits
def _known(known: Known, o: ParameterSet) -> Mapping[str, Ball]:
    """Return the parameters that a function of the others gives."""
    return known(_ParameterView(o, ball))


@per_bits
def _solution(problem: Any, sought: EventParameter, o: ParameterSet) -> Ball:
    """Return what is sought, with its derivative where a parameter has one."""
    root = _between(problem, sought, o.plain)
    if not o.varied:
        return root
    rate = slope(sought.off(problem, o.plain, Jet(root, arb(1))))
    return rooted(root, sought.off(problem, o, root), rate)


@per_bits
def _between(problem: Any, sought: EventParameter, o: ParameterSet) -> arb:
    """Return an interval in which what is sought lies, since the expression has different signs at its ends.

    In between it is continuous: the motion is followed from the whole interval to the event.
    """
    here, rate = _near(problem, sought, o)
    for _ in range(2 + ctx.prec // COARSE):
        found = sought.off(problem, o, here)
        here = (here - found / rate).mid()
    reach = (4 * found.rad() / abs(rate)).mid() + abs(here) * arb(2) ** (8 - ctx.prec)
    for _ in range(MOST_TRIES):
        low, high = (here - reach).mid(), (here + reach).mid()
        if sign(sought.off(problem, o, low)) * sign(sought.off(problem, o, high)) < 0:
            sought.off(problem, o, low.union(high))
            return arb(low.union(high))
        reach = 256 * reach
    raise Undecided(f"no {sought.name} is found at which {sought.zero} changes its sign")


@lru_cache(maxsize=64)
def _near(problem: Any, sought: EventParameter, o: ParameterSet) -> tuple[arb, arb]:
    """Return an exact number next to what is sought, and the slope there, by the secant."""
    with precision(COARSE):
        before = ball(exact(str(problem.parameters[sought.name]))).mid()
        here, last = (before * (1 + NUDGE)).mid(), sought.off(problem, o, before)
        for _ in range(MOST_TRIES):
            off = sought.off(problem, o, here)
            rate = ((off - last) / (here - before)).mid()
            before, here, last = here, (here - off / rate).mid(), off
            if abs(here - before) < abs(here) * CLOSE:
                return here, rate
    raise Undecided(f"the secant finds no {sought.name}: begin nearer to it")


def _ended_by(run: _PhaseCache, name: str) -> Iterator[PhaseEnd]:
    """Yield the phases that events of a name end."""
    return (ended for ended in run if ended.end is not None and ended.by == name)


def _nth(run: _PhaseCache, name: str, number: int) -> PhaseEnd:
    """Return the phase that an event ends, counted from 1; what follows it is not looked at."""
    found = next(islice(_ended_by(run, name), number - 1, None), None)
    if found is None:
        raise Absent(f"there is no event {name} number {number} up to the end of the motion")
    return found


def _following(run: _PhaseCache, ended: PhaseEnd) -> PhaseEnd | None:
    """Return the phase after another, if the motion goes on."""
    phases = iter(run)
    while next(phases) is not ended:
        pass
    return next(phases, None)


def _value(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball, phases: Sequence[Phase]) -> Ball:
    found = [system.values((expression,), system.named(o, time, phase.at(time)))[0] for phase in phases]
    return hull(*found)


def _holding(system: HybridSystem, o: ParameterSet, time: Ball) -> list[Phase]:
    """Return the phases that may hold at an instant."""
    found = []
    for ended in _run(system, o):
        if ended.holds(time):
            found.append(ended.phase)
        if ended.end is None or ended.end > time:
            break
    if not found:
        raise Absent("the motion ends before that instant")
    return found


def _extreme(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the largest value of what is watched between two instants."""
    found: list[Ball] = []
    for ended in _run(system, o):
        end = until if ended.end is None or ended.end > until else ended.end
        if not end < after:
            begin = after if ended.start < after else ended.start
            found += _candidates(system, o, ended.phase, begin, end)
        if ended.end is None or not ended.end < until:
            break
    if not found:
        raise Absent("the motion ends before that stretch of time")
    return largest(found)


def _candidates(system: HybridSystem, o: ParameterSet, phase: Phase, begin: Ball, end: Ball) -> Iterator[Ball]:
    """Yield the values of what is watched at both ends of a stretch of a phase, and where it turns between."""
    assert isinstance(phase, _Phase)
    (expression,), (watched,) = system.watched, phase.watched
    ends = [_value(system, o, expression, time, [phase]) for time in (begin, end)]
    yield from ends
    if watched is None:
        return
    for lapse in roots(
        phase.course, watched.row, end - phase.start, zeros=watched.zeros, late=watched.late, order=1, inside=False
    ):
        time = phase.start + lapse
        if not time < begin:
            turned = _value(system, o, expression, time, [phase])
            yield turned if begin < time < end else hull(turned, *ends)


@dataclass(frozen=True, eq=False)
class MotionQuantities:
    """The quantities of a motion: each a function of keywords (``digits`` and parameters) that is `Certified`.

    `second` of each is its second route: a function of the parameters, attributes in mpmath, with `how` it goes in
    words; without one, steps of the motion in mpmath find the same. More terms are those of `quantities.References`.
    `spare` are bits beyond those asked for: what neighbouring motions cost that part, so that the first precision does.
    """

    problem: Any
    parameters: tuple[Parameter, ...]
    sought: EventParameter | Known | None = None
    record: Callable[..., Any] = ParameterSet
    spare: int = 0
    _systems: dict[Any, HybridSystem] = field(default_factory=dict)

    @cached_property
    def reference(self) -> References:
        """The terms that its quantities share."""
        return References(self.parameters, self.record, proof=PROOF)

    def event(self, name: str, number: int = 1, **terms: Any) -> Callable[..., Certified]:
        """Return the instant (s) of an event by its name, counted from 1."""
        self._check_event(name)

        def read(o: ParameterSet) -> Ball:
            return _nth(_run(self._system(), o), name, number).end

        return self._quantity(f"{name} {number}", read, lambda steps: steps.event(name, number)[0], terms)

    def count(self, name: str, until: At = None, **terms: Any) -> Callable[..., Certified]:
        """Return how many events of a name there are up to an instant, or the end."""
        self._check_event(name)
        end = self._instant(until)

        def read(o: ParameterSet) -> Ball:
            limit, count = self._time(o, end), 0
            for ended in _ended_by(_run(self._system(), o), name):
                if not less(ended.end, limit, f"{name} and the end of the count agree"):
                    break
                count += 1
            return arb(count)

        return self._quantity(f"{name} until {until}", read, lambda steps: steps.count(name, steps.time(end)), terms)

    def value(self, of: str | Expr, at: At, before: bool = False, **terms: Any) -> Callable[..., Certified]:
        """Return a state, or an expression, at an instant; at an event after it, or `before`."""
        expression, when = self._expression(of), self._instant(at)

        def read(o: ParameterSet) -> Ball:
            system = self._system()
            if isinstance(when, Expr):
                time = self._time(o, when)
                return _value(system, o, expression, time, _holding(system, o, time))
            run = _run(system, o)
            ended = _nth(run, *when)
            shown = (None if before else _following(run, ended)) or ended
            return _value(system, o, expression, ended.end, [shown.phase])

        return self._quantity(f"{of} at {at}", read, lambda steps: steps.value(expression, when, before), terms)

    def largest(self, of: str | Expr, after: At = None, until: At = None, **terms: Any) -> Callable[..., Certified]:
        """Return the largest value of a state, or an expression, between two instants."""
        return self._extreme(of, after, until, 1, terms)

    def smallest(self, of: str | Expr, after: At = None, until: At = None, **terms: Any) -> Callable[..., Certified]:
        """Return the smallest value of a state, or an expression, between two instants."""
        return self._extreme(of, after, until, -1, terms)

    def closed(self, read: Callable[[Any], Ball], **terms: Any) -> Callable[..., Certified]:
        """Return what a closed form gives: a function of the parameters, attributes that are balls."""
        return self._quantity(
            "closed form",
            lambda o: read(_ParameterView(o, ball)),
            None,
            {"kind": "closed form", "proof": CLOSED, "effort": "", **terms},
        )

    def where(self, name: str, zero: str | Expr, at: tuple[str, int]) -> MotionQuantities:
        """Return the motion with that value of a parameter for which an expression is zero at an event.

        It is sought near the value that the problem gives.
        """
        self._check_event(at[0])
        parameters = tuple(parameter for parameter in self.parameters if parameter.name != name)
        return MotionQuantities(
            self.problem, parameters, EventParameter(name, self._expression(zero), at), self.record, self.spare
        )

    def knowing(self, names: Collection[str], known: Known) -> MotionQuantities:
        """Return the motion with parameters that a function of the others gives, in balls.

        What is asked of it needs a second route.
        """
        parameters = tuple(parameter for parameter in self.parameters if parameter.name not in names)
        return MotionQuantities(self.problem, parameters, known, self.record, self.spare)

    # ---- what they share

    def _steps(self, o: ParameterSet) -> hybrid_steps.Steps:
        if self.sought is None:
            return hybrid_steps.steps(self.problem, o)
        assert isinstance(self.sought, EventParameter), (
            "a motion with known parameters has no steps: state a second route"
        )
        return hybrid_steps.solved(self.problem, o, self.sought.name, self.sought.zero, self.sought.event)

    def _extreme(self, of: str | Expr, after: At, until: At, side: int, terms: Mapping[str, Any]) -> Callable[..., Any]:
        expression = side * self._expression(of)
        begin, end = self._instant(self.problem.start if after is None else after), self._instant(until)

        def read(o: ParameterSet) -> Ball:
            return side * _extreme(self._system(expression), o, self._time(o, begin), self._time(o, end))

        name = f"{'largest' if side > 0 else 'smallest'} {of}"
        stated = {"effort": self._effort(expression), **terms}
        return self._quantity(name, read, lambda steps: side * steps.largest(expression, begin, end), stated)

    def _quantity(
        self,
        name: str,
        read: Callable[[Any], Ball],
        stepped: Callable[[Any], Any] | None,
        terms: Mapping[str, Any],
    ) -> Callable[..., Certified]:
        second, how = terms.get("second"), terms.get("how", "")
        enclosed = self._spared(read)
        enclosed.__name__ = name
        stated = {"effort": self._effort(), **{k: v for k, v in terms.items() if k not in ("second", "how")}}
        if second is not None:
            return self.reference(lambda o: second(_ParameterView(o, Exact.mpf)), how=how or "closed form", **stated)(
                enclosed
            )
        if stepped is None:
            return self.reference(**stated)(enclosed)
        steps = {"how": hybrid_steps.HOW, "promised": hybrid_steps.PROMISED, **stated}
        return self.reference(lambda o: stepped(self._steps(o)), **steps)(enclosed)

    def _spared(self, read: Callable[[Any], T]) -> Callable[[Any], T]:
        def spared(o: Any) -> T:
            with precision(ctx.prec + self.spare):
                return read(o)

        return spared

    def _effort(self, *watched: Expr) -> Callable[[ParameterSet], str]:
        return self._spared(lambda o: proved(_run(self._system(*watched), o).kept))

    def _system(self, *watched: Expr) -> HybridSystem:
        return self._systems.setdefault(watched, HybridSystem(self.problem, watched, self.sought))

    def _time(self, o: ParameterSet, when: Any) -> Ball:
        if isinstance(when, Expr):
            return self._system().instant(when, o)
        return _nth(_run(self._system(), o), *when).end

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
            return _number(exact(given))
        except ParameterError:
            return self.problem.expression(given)

    def _check_event(self, name: str) -> None:
        names = [event.name for mode in self.problem.modes for event in mode.events]
        if name not in names:
            raise ParameterError(unknown(name, dict.fromkeys(names), "event"))


@dataclass(frozen=True)
class _ParameterView:
    """Parameters as attributes, made where they are read; a cache can be keyed by them."""

    _record: ParameterSet
    _number: Callable[[Exact], Any]

    def __getattr__(self, name: str) -> Any:
        return self._number(getattr(self._record, name))


def motion(
    problem: Any, parameters: Sequence[Parameter] = (), record: Callable[..., Any] = ParameterSet, spare: int = 0
) -> MotionQuantities:
    """Return the motion of a problem, whose parameters have the rules given; those without one may be any number.

    What the rules of single parameters do not say is checked by a subclass of `ParameterSet`.
    """
    stated = {parameter.name: parameter for parameter in parameters}
    plain = {name: Parameter(name, "", "", str(value), "any") for name, value in problem.parameters.items()}
    return MotionQuantities(problem, tuple({**plain, **stated}.values()), record=record, spare=spare)


def not_negative(problem: Any, condition: str, refusal: str) -> type[ParameterSet]:
    """Return records of parameters for which an expression is not below zero, as under a root of the start.

    The refusal names parameters in braces.

    Raises
    ------
    ParameterError
        From a record of other parameters.
    """
    least = compiled((problem.expression(condition),))

    class ParameterDomain(ParameterSet):
        """The parameters; the condition holds."""

        def check(self) -> None:
            """Refuse parameters for which it does not."""
            with precision(SURE):
                (found,) = least(_balls(self))
                if value(found) < 0:
                    raise ParameterError(refusal.format_map(vars(self)))

    return ParameterDomain
