"""A mechanical problem as a motion with modes: each is one place of every element, made when it is reached.

The forces that constraints give (multipliers) follow from the accelerations that they keep at zero: a linear system
with numbers, solved exactly. So rates and bounds of a mode are formulas in the states and the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import sympy
from sympy import Expr, Symbol

from veridyn.problem.expressions import read as read_expression
from veridyn.problem.formulas import ReadNumber
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change
from veridyn.references.engine.enclosure import Absent
from veridyn.references.mechanics.devices import make_device
from veridyn.references.mechanics.elements import Bound, Constraint, Element, Place
from veridyn.references.mechanics.frame import Frame, make_frame
from veridyn.references.mechanics.frictions import make_friction
from veridyn.references.mechanics.numbers import read_decimal
from veridyn.references.mechanics.stops import make_stop
from veridyn.references.problems.hybrid_modes import TIME, SymbolicMode, differentiate_along, solve_relations

LOAD = "load_changes"  # the event of an instant at which a function of time changes its formula
DECIDED = "decided where it is reached"  # the mode that begins with an event


class ModeKey(NamedTuple):
    """A mode: the piece of the functions of time, and the place of every element."""

    piece: int
    places: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MechanicalMotion:
    """What the engine follows: states, their initial values, and modes by key; each is made once."""

    frame: Frame
    elements: tuple[Element, ...]
    integrands: Mapping[Symbol, Expr] = field(default_factory=dict)  # states that grow from 0, in readings
    _modes: dict[tuple[ModeKey, tuple[Expr, ...]], MechanicalMode] = field(default_factory=dict)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Displacements, velocities, what elements remember, integrals."""
        return (*self.frame.unknowns, *self.frame.rates, *self.memory, *self.integrands)

    @cached_property
    def memory(self) -> dict[Symbol, Expr]:
        """Initial values of what elements remember."""
        return {symbol: value for element in self.elements for symbol, value in element.memory.items()}

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(symbol.name for symbol in self.symbols)

    @property
    def initial(self) -> tuple[Expr, ...]:
        """Initial values of the states."""
        return (*self.frame.initial, *self.memory.values(), *(sympy.Integer(0) for _ in self.integrands))

    @property
    def start(self) -> Expr:
        """Start of the motion (s)."""
        return self.frame.number(self.frame.problem, "start")

    @property
    def end(self) -> Expr:
        """End of the motion (s)."""
        return self.frame.number(self.frame.problem, "end")

    @property
    def parameters(self) -> Mapping[str, Expr]:
        """None: all numbers are the problem's."""
        return {}

    @property
    def modes(self) -> tuple[()]:
        """None in advance: each is made when it is reached."""
        return ()

    @property
    def needs(self) -> frozenset[str]:
        """What a solver must take: ``hybrid`` where the law of an element has more than one place."""
        return frozenset({"hybrid"} if any(len(element.places) > 1 for element in self.elements) else ())

    @cached_property
    def reading_names(self) -> tuple[str, ...]:
        """Names of what can be read beside the states, in every mode."""
        own = (symbol.name for element in self.elements for place in element.places for symbol in place.readings)
        given = (
            symbol.name
            for symbol in (*self.frame.readings, *self.frame.absolute({}), *self.frame.accelerations(self.frame.rates))
        )
        return tuple(dict.fromkeys([*given, *own]))

    def expression(self, text: str) -> Expr:
        """Return an expression in the time, states and readings; raises `ProblemError` for another name."""
        names = (TIME.name, *self.states, *self.reading_names)
        return read_expression(f"{self.frame.problem.name}: expression", text, names)

    def with_integral(self, name: str, integrand: Expr) -> MechanicalMotion:
        """Return the motion with a state more: the integral of an expression, from the start on."""
        return replace(self, integrands={**self.integrands, Symbol(name): integrand}, _modes={})

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of all events."""
        bounds = (b.event for element in self.elements for place in element.places for b in place.bounds)
        return tuple(dict.fromkeys([*bounds, *([LOAD] if self.frame.clock else [])]))

    def places(self, key: ModeKey) -> tuple[Place, ...]:
        """Return the places of all elements in a mode."""
        return tuple(element.places[i] for element, i in zip(self.elements, key.places, strict=True))

    def mode(self, key: ModeKey, watched: tuple[Expr, ...] = ()) -> MechanicalMode:
        """Return a mode; raises `Absent` where its constraints depend on each other."""
        made = self._modes.get((key, watched))
        return self._modes.setdefault((key, watched), self._make(key, watched)) if made is None else made

    def _make(self, key: ModeKey, watched: tuple[Expr, ...]) -> MechanicalMode:
        places, drives = self.places(key), self.frame.drives(key.piece)
        readings = _resolve({s: e for place in places for s, e in place.readings.items()}, drives)
        forces = self.frame.linear + self.frame.loads(key.piece)
        for place in places:
            for push in place.pushes:
                forces += sympy.Matrix(push.direction) * push.force.xreplace(readings).xreplace(drives)
        accelerations = self.frame.inverse * forces
        constraints = [constraint for place in places for constraint in place.constraints]
        multipliers = self._solve(constraints, accelerations, drives, self._name(key))
        readings = {symbol: e.xreplace(multipliers) for symbol, e in readings.items()} | self.frame.readings
        moving = tuple(a.xreplace(multipliers) for a in accelerations)
        readings |= self.frame.absolute(drives) | self.frame.accelerations(moving)

        def resolve(expression: Expr) -> Expr:
            return expression.xreplace(drives).xreplace(readings).xreplace(multipliers)

        zeros = tuple(resolve(zero) for place in places for zero in place.zeros)
        at_rest = self._solve_zeros(zeros)
        own = {symbol: rate for place in places for symbol, rate in place.rates.items()}
        rates = (
            *self.frame.rates,
            *map(sympy.expand, moving),
            *(resolve(own.get(symbol, sympy.Integer(0))) for symbol in self.memory),
            *(resolve(integrand) for integrand in self.integrands.values()),
        )
        rates = tuple(rate.xreplace(at_rest) for rate in rates)
        bounds = [replace(b, expression=resolve(b.expression)) for place in places for b in place.bounds]
        if key.piece < len(self.frame.clock):
            bounds.append(Bound(LOAD, self.frame.clock[key.piece] - TIME))
        bounds = _drop_multiples(bounds)
        return MechanicalMode(
            name=self._name(key),
            states=self.symbols,
            rates=rates,
            guards=tuple(b.expression for b in bounds),
            events=tuple(Change(name=b.event, guard=b.expression, direction=-1, mode=DECIDED) for b in bounds),
            conditions=(),
            watched=tuple(resolve(e).xreplace(at_rest) for e in watched),
            zeros=zeros,
            readings={symbol: e.xreplace(at_rest) for symbol, e in readings.items()} | at_rest,
            at_rest=at_rest,
            key=key,
            impacts=frozenset(b.event for b in bounds if b.is_impact),
            touching=frozenset(b.event for b in bounds if b.touches),
        )

    def _solve_zeros(self, zeros: tuple[Expr, ...]) -> dict[Symbol, Expr]:
        """Return the states that zeros give as formulas in the others."""
        solved = solve_relations(zeros, self.symbols)
        return {node: formula for node, formula in solved.items() if isinstance(node, Symbol)}

    def _solve(
        self, constraints: Sequence[Constraint], accelerations: sympy.Matrix, drives: Mapping[Symbol, Expr], name: str
    ) -> dict[Symbol, Expr]:
        """Return the multipliers for which the rates of all constraints stay zero."""
        if not constraints:
            return {}
        symbols = [constraint.multiplier for constraint in constraints]
        moving = (*self.frame.unknowns, *self.frame.rates)
        rates = (*self.frame.rates, *accelerations)
        kept_zero = [differentiate_along(c.rate.xreplace(drives), moving, rates) for c in constraints]
        matrix, right = sympy.linear_eq_to_matrix([sympy.expand(e) for e in kept_zero], symbols)
        # A pivot that is zero exactly: the constraints say the same, and how they share their force is open.
        if matrix.det() == 0:
            raise Absent(f"{name}: constraints depend on each other, so that their forces are not determined")
        solution = matrix.LUsolve(right)
        return dict(zip(symbols, map(sympy.expand, solution), strict=True))

    def _name(self, key: ModeKey) -> str:
        parts = [
            f"{element.name}: {element.places[i].name}"
            for element, i in zip(self.elements, key.places, strict=True)
            if len(element.places) > 1
        ]
        parts += [f"loads: piece {key.piece + 1}"] if self.frame.clock else []
        return ", ".join(parts) or "motion"


@dataclass(frozen=True, eq=False)
class MechanicalMode(SymbolicMode):
    """A mode with what is at rest in it, its key, and the events that are impacts.

    ``at_rest``: states as formulas in others, from what is zero.
    """

    at_rest: Mapping[Symbol, Expr] = field(default_factory=dict)
    key: ModeKey = None  # type: ignore[assignment]
    impacts: frozenset[str] = frozenset()


def make_motion(
    problem: MechanicalProblem, read: ReadNumber = read_decimal, integrands: Mapping[Symbol, Expr] | None = None
) -> MechanicalMotion:
    """Return a mechanical problem as the engine follows it; raises `ProblemError` for a law that has no exact form."""
    frame = make_frame(problem, read)
    p = frame.problem
    elements = (
        *(make_stop(frame, stop) for stop in p.stops),
        *(make_friction(frame, friction) for friction in p.frictions),
        *(make_device(frame, device) for device in p.devices),
    )
    return MechanicalMotion(frame, elements, integrands or {})


def _drop_multiples(bounds: Sequence[Bound]) -> list[Bound]:
    """Return bounds that can fall: none is zero, none a positive number times one before it.

    Friction without a load along its tangent has such bounds: they fall when the stop that presses it opens, and are
    zero while it is open.
    """
    result: dict[Expr, Bound] = {}
    for bound in bounds:
        expression = sympy.expand(bound.expression)
        leading, _ = sympy.Add.make_args(expression)[0].as_coeff_Mul()
        if leading != 0:
            result.setdefault(sympy.expand(expression / abs(leading)), bound)
    return list(result.values())


def _resolve(readings: Mapping[Symbol, Expr], drives: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
    """Return readings without other readings in them: that of a friction holds the push of its stop."""
    timed = {symbol: e.xreplace(drives) for symbol, e in readings.items()}
    return {symbol: e.xreplace(timed) for symbol, e in timed.items()}
