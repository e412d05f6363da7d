"""Initial value problems as data: ordinary, hybrid, differential-algebraic; every expression is written once.

Between events the states y of a mode obey ``M(t, y) y' = rates(t, y)``, M the identity unless it is given. Algebraic
unknowns (`multipliers`) follow the states: they appear in the rates, and as many `constraints` vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import sympy

from veridyn.problem.elements import all_of
from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import KNOWN, TIME, Expr, is_name, read, shunned_side, text, unknown
from veridyn.problem.json_form import json_form
from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.modes import Accumulation, Change, Condition, Mode

INDICES = (1, 2, 3)
DIRECTIONS = (-1, 0, 1)
CONSISTENT = 1e-9  # of the terms of a constraint: what doubles leave of a zero


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InitialValueProblem(Problem):
    """States and parameters with the modes that they move in; expressions may be given as text.

    Attributes
    ----------
    states, multipliers
        Names of the unknowns: those with rates, then the algebraic ones.
    parameters
        Exact numbers by name: text such as ``"1/3"``, ``"0.9"``, ``"10*pi"``, or numbers.
    initial
        An expression in the parameters for every unknown.
    mode
        Name of the first mode.
    mass
        Square matrix of the states; None: the identity.
    constraints, index
        Expressions that vanish, as many as multipliers, and the differentiation index; 0 without any.
    invariants
        Expressions that are constant along the motion, by name.

    Raises
    ------
    ProblemError
        If a name is unknown, taken twice (events: in one mode) or reserved; if counts do not agree; if a guard never
        changes sign; if initial values contradict a constraint or its derivatives.
    """

    states: tuple[str, ...]
    parameters: Mapping[str, Expr] = field(default_factory=dict)
    modes: tuple[Mode, ...]
    initial: tuple[Expr, ...]
    mode: str = ""
    mass: tuple[tuple[Expr, ...], ...] | None = None
    constraints: tuple[Expr, ...] = ()
    index: int = 0
    multipliers: tuple[str, ...] = ()
    invariants: Mapping[str, Expr] = field(default_factory=dict)
    accumulation: Accumulation | None = None
    kind: ClassVar[str] = "initial value"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_kinds()
        self._check_names()
        known = (TIME, *self.unknowns, *self.parameters)
        constant = {name: read(f"parameter {name}", v, ()) for name, v in self.parameters.items()}
        self._set("parameters", constant)
        self._set("mode", self.mode or self.modes[0].name)
        self._set("modes", tuple(self._read_mode(mode, known) for mode in self.modes))
        self._set("initial", _expressions("initial value", self.initial, tuple(constant)))
        self._set("constraints", _expressions("constraint", self.constraints, known))
        self._set("invariants", {name: read(f"invariant {name}", e, known) for name, e in self.invariants.items()})
        if self.mass is not None:
            if not isinstance(self.mass, Iterable):
                raise ProblemError(f"{self.name}: mass must be rows of expressions, got {self.mass!r}")
            self._set("mass", tuple(_expressions("mass", row, known) for row in self.mass))
        if self.accumulation is not None:
            reset = self._read_reset("accumulation", self.accumulation.reset, known)
            self._set("accumulation", replace(self.accumulation, reset=reset))
        self._check_counts()
        self._check_references()
        self._check_initial()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    # ---- reading and checking

    def _read_mode(self, mode: Mode, known: tuple[str, ...]) -> Mode:
        rates = _expressions(f"mode {mode.name}: rate", mode.rates, known)
        conditions = tuple(
            replace(c, expression=read(f"mode {mode.name}: condition", c.expression, known)) for c in mode.conditions
        )
        events = tuple(self._read_change(change, known) for change in mode.events)
        return Mode(name=mode.name, rates=rates, events=events, conditions=conditions)

    def _read_change(self, change: Change, known: tuple[str, ...]) -> Change:
        owner = f"event {change.name}"
        guard = read(f"{owner}: guard", change.guard, known)
        if not {s.name for s in guard.free_symbols} & {TIME, *self.unknowns}:
            raise ProblemError(f"{owner}: the guard {text(guard)} is constant: it never changes sign")
        self._check_sides(owner, guard)
        if not isinstance(change.direction, int) or change.direction not in DIRECTIONS:
            raise ProblemError(
                f"{owner}: direction {change.direction!r} must be -1 (falling), 1 (rising) or 0 (either)"
            )
        return replace(change, guard=guard, reset=self._read_reset(owner, change.reset, known))

    def _check_sides(self, owner: str, guard: Expr) -> None:
        """Refuse a guard of which it is plain that it has one sign for all real unknowns: ``x**2 + 1``."""
        if side := shunned_side(guard, tuple(self.parameters.items()), (TIME, *self.unknowns)):
            raise ProblemError(f"{owner}: the guard {text(guard)} is never {side} zero: it never changes sign")

    def _read_reset(self, owner: str, reset: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Expr]:
        for name in reset:
            if name not in self.unknowns:
                raise unknown(f"{owner}: reset", name, self.unknowns)
        return {name: read(f"{owner}: reset of {name}", value, known) for name, value in reset.items()}

    def _check_kinds(self) -> None:
        for name, kind in (("states", str), ("multipliers", str), ("modes", Mode)):
            self._set(name, all_of(f"{self.name}: {name}", getattr(self, name), kind))
        all_of(f"{self.name}: names of modes", tuple(mode.name for mode in self.modes), str)
        self._set("modes", tuple(map(_check_parts, self.modes)))
        if not isinstance(self.accumulation, Accumulation | None):
            raise ProblemError(f"{self.name}: accumulation: {self.accumulation!r} is no Accumulation")
        for owner, record, texts, mappings in (
            (self.name, self, ("mode",), ("parameters", "invariants")),
            *(
                (f"event {c.name}", c, ("name", "mode", "waits"), ("reset",))
                for mode in self.modes
                for c in mode.events
            ),
            *((f"mode {mode.name}: condition", c, ("meaning",), ()) for mode in self.modes for c in mode.conditions),
            *((("accumulation", self.accumulation, ("event", "mode"), ("reset",)),) if self.accumulation else ()),
        ):
            all_of(owner, tuple(getattr(record, name) for name in texts), str)
            for name in mappings:
                if not isinstance(given := getattr(record, name), Mapping):
                    raise ProblemError(f"{owner}: {name} must map names to expressions, got {given!r}")

    def _check_names(self) -> None:
        if not self.states or not self.modes:
            raise ProblemError(f"{self.name}: a problem needs at least one state and one mode")
        events = dict.fromkeys(change.name for mode in self.modes for change in mode.events)
        for mode in self.modes:
            names = [change.name for change in mode.events]
            if twice := next((name for name in names if names.count(name) > 1), ""):
                raise ProblemError(
                    f"{self.name}: mode {mode.name} has two events {twice!r}; give each a name of its own"
                )
        groups = ([*self.unknowns, *self.parameters], [mode.name for mode in self.modes], list(events))
        for names in groups:
            for name in names:
                if not is_name(name):
                    raise ProblemError(f"{self.name}: {name!r} is no name: letters, digits and _, no t, pi or function")
                if names.count(name) > 1:
                    raise ProblemError(f"{self.name}: the name {name!r} is taken twice")

    def _check_counts(self) -> None:
        n, m = len(self.states), len(self.multipliers)
        for mode in self.modes:
            if len(mode.rates) != n:
                raise ProblemError(f"{self.name}: mode {mode.name} has {len(mode.rates)} rates for {n} states")
        if len(self.initial) != n + m:
            raise ProblemError(f"{self.name}: {len(self.initial)} initial values for {n + m} unknowns")
        if self.mass is not None and [len(row) for row in self.mass] != [n] * n:
            raise ProblemError(f"{self.name}: the mass matrix must have {n} rows of {n} entries")
        if len(self.constraints) != m:
            raise ProblemError(f"{self.name}: {len(self.constraints)} constraints for {m} multipliers")
        if not isinstance(self.index, int) or self.index not in (INDICES if m else (0,)):
            wanted = "1, 2 or 3" if m else "0 without constraints"
            raise ProblemError(f"{self.name}: index {self.index!r} must be {wanted}")

    def _check_references(self) -> None:
        modes = [mode.name for mode in self.modes]
        events = list(dict.fromkeys(change.name for mode in self.modes for change in mode.events))
        named = [self.mode, *(change.mode or self.mode for mode in self.modes for change in mode.events)]
        named += [self.accumulation.mode] if self.accumulation else []
        for name in named:
            if name not in modes:
                raise unknown(f"{self.name}: mode", name, modes)
        if self.accumulation and self.accumulation.event not in events:
            raise unknown(f"{self.name}: accumulation", self.accumulation.event, events)

    def _check_initial(self) -> None:
        """Refuse initial values that no number follows from, or that contradict the constraints."""
        numbers = self.initial_state
        for name, value in zip(self.unknowns, numbers, strict=True):
            if not np.isfinite(value):
                raise ProblemError(f"{self.name}: the initial value of {name} is not finite")
        for order, constraint in self._with_derivatives():
            terms = [abs(self._number(term)) for term in sympy.Add.make_args(constraint)]
            off = abs(self._number(constraint))
            if not off <= CONSISTENT * max(1.0, *terms):
                what = f"derivative {order} of a constraint" if order else "a constraint"
                raise ProblemError(
                    f"{self.name}: the initial values contradict {what}: {text(constraint)[:80]} is {off:.6g}, not 0"
                )

    def _with_derivatives(self) -> Iterator[tuple[int, Expr]]:
        """Yield constraints and their derivatives in time that initial values must meet, with the order."""
        rows = list(self.constraints)
        for order in range(self.index):
            yield from ((order, row) for row in rows)
            if order + 1 < self.index:
                rows = [self._derivative(row) for row in rows]

    def _derivative(self, expression: Expr) -> Expr:
        """Return the rate of an expression in the first mode; of what a mass matrix moves, at the initial values."""
        rates = self.mode_of(self.mode).rates
        total = sympy.diff(expression, sympy.Symbol(TIME))
        for i, name in enumerate(self.states):
            slope = sympy.diff(expression, sympy.Symbol(name))
            if slope != 0:
                total += slope * (rates[i] if self._is_plain(i) else self._initial_rates[i])
        return total

    def _is_plain(self, row: int) -> bool:
        return self.mass is None or all(entry == int(row == j) for j, entry in enumerate(self.mass[row]))

    @cached_property
    def _initial_rates(self) -> tuple[Expr, ...]:
        assert self.mass is not None
        at = sympy.Matrix([[self._exact_number(entry) for entry in row] for row in self.mass])
        rates = sympy.Matrix([self._exact_number(rate) for rate in self.mode_of(self.mode).rates])
        return tuple(at.LUsolve(rates))

    @cached_property
    def _known(self) -> dict[Any, Any]:
        """The numbers of all names at the start."""
        known = {sympy.Symbol(name): value for name, value in self.parameters.items()}
        values = _evaluated(self.initial, tuple(known.items()))
        start = zip(map(sympy.Symbol, self.unknowns), values, strict=True)
        return {**known, **dict(start), sympy.Symbol(TIME): sympy.Float(self.start, 40)}

    def _exact_number(self, expression: Expr) -> Any:
        return expression.xreplace(self._known).evalf(40)

    def _number(self, expression: Expr) -> float:
        result = self._exact_number(expression)
        return float(result) if result.is_real else float("nan")

    # ---- what it holds

    @property
    def unknowns(self) -> tuple[str, ...]:
        """States, then multipliers."""
        return (*self.states, *self.multipliers)

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self.unknowns)

    @cached_property
    def parameter_numbers(self) -> tuple[float, ...]:
        """The parameters as doubles."""
        return tuple(float(value.evalf(30)) for value in self.parameters.values())

    @cached_property
    def initial_state(self) -> Floats:
        """Initial values (n,) of the unknowns."""
        return np.array([self._number(sympy.Symbol(name)) for name in self.unknowns])

    def expression(self, given: Any) -> Expr:
        """Return an expression in time, unknowns and parameters; raises `ProblemError` for another name."""
        return read(f"{self.name}: expression", given, (TIME, *self.unknowns, *self.parameters))

    def with_integral(self, name: str, integrand: Expr) -> InitialValueProblem:
        """Return the problem with a state more: the integral of an expression over time, from the start on."""
        modes = tuple(replace(mode, rates=(*mode.rates, integrand)) for mode in self.modes)
        return replace(self, states=(*self.states, name), initial=(*self.initial, sympy.Integer(0)), modes=modes)

    def mode_of(self, name: str) -> Mode:
        """Return a mode by name; raises KeyError."""
        return {mode.name: mode for mode in self.modes}[name]

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of the events of all modes."""
        return tuple(dict.fromkeys(change.name for mode in self.modes for change in mode.events))

    @property
    def terminal_events(self) -> frozenset[str]:
        """Names of the events that end the motion."""
        return frozenset(change.name for mode in self.modes for change in mode.events if change.terminal)

    @property
    def needs(self) -> frozenset[str]:
        tags = {"initial-value"}
        changes = (change for mode in self.modes for change in mode.events)
        tags |= set() if all(change.is_marker for change in changes) else {"hybrid"}
        tags |= {"zeno"} if self.accumulation else set()
        tags |= {f"dae:index-{self.index}"} if self.index else set()
        return frozenset(tags)

    def number(self, given: Any) -> float:
        """Return the value of an expression in the parameters."""
        return self._number(read(self.name, given, tuple(self.parameters)))

    def with_parameters(self, values: Mapping[str, Any], **changes: Any) -> InitialValueProblem:
        """Return the problem with its parameters from a larger set, and other fields changed."""
        return replace(self, parameters={name: values.get(name, v) for name, v in self.parameters.items()}, **changes)

    # ---- JSON

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises `ProblemError` if a field is unknown, missing or malformed."""
        try:
            modes = tuple(
                Mode(
                    **{
                        **mode,
                        "events": tuple(Change(**change) for change in mode.get("events", ())),
                        "conditions": tuple(Condition(**each) for each in mode.get("conditions", ())),
                    }
                )
                for mode in data["modes"]
            )
            accumulation = data.get("accumulation") and Accumulation(**data["accumulation"])
            return cls(**{**data, "modes": modes, "accumulation": accumulation})
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            if isinstance(error, ProblemError):
                raise
            raise ProblemError(f"problem is malformed: {error}") from None


@lru_cache(maxsize=KNOWN)
def _evaluated(expressions: tuple[Expr, ...], known: tuple[tuple[Expr, Expr], ...]) -> tuple[Expr, ...]:
    """Return expressions as numbers of 50 digits; what they share is evaluated once."""
    named = dict(known)
    shared, rest = sympy.cse(expressions, order="none")
    for name, e in shared:
        named[name] = e.xreplace(named).evalf(50)
    return tuple(e.xreplace(named).evalf(50) for e in rest)


def _expressions(owner: str, given: Iterable[Any], names: Sequence[str]) -> tuple[Expr, ...]:
    if isinstance(given, str | sympy.Basic) or not isinstance(given, Iterable):
        raise ProblemError(f"{owner}: a sequence of expressions is needed, got {given!r}")
    return tuple(read(f"{owner} {i + 1}", each, names) for i, each in enumerate(given))


json_form.register(sympy.Basic, text)


def _check_parts(mode: Mode) -> Mode:
    events = all_of(f"mode {mode.name}: events", mode.events, Change)
    return replace(mode, events=events, conditions=all_of(f"mode {mode.name}: conditions", mode.conditions, Condition))
