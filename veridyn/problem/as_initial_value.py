"""A mechanical problem as an initial value problem, so that every solver of ordinary differential equations takes it.

Every element is a small automaton of its own (a stop is free, pressing or parted); a mode of the whole is one place of
each. Loads that change their formula in time are an automaton too, whose events are instants.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from veridyn.problem.devices import Device, NonlinearDamper, PiecewiseLaw, Zener
from veridyn.problem.element_equations import ElementEquations, Place, join_sides, replace_guard
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import Expr
from veridyn.problem.formulas import NOTHING, T, invert, list_breaks, write_function, write_matrix, write_number
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modes import Change, Mode

MOST_MODES = 100  # a solver compiles every one of them


def as_initial_value(problem: MechanicalProblem) -> InitialValueProblem:
    """Return a mechanical problem as an initial value problem.

    States are the degrees of freedom by their names, their velocities ``v_NAME``, then the springs ``s_FRICTION`` of
    regularised friction and the dashpot paths ``w_DEVICE``. Numbers are taken as their shortest decimals. Friction that
    slides at the start slips from there on.

    Raises
    ------
    ProblemError
        If something has no smooth or penalised equations by modes: a modal basis, set-valued friction, friction under
        the force of a stop or in two directions, a profile, a rigid stop, a buckling stop, a dashpot whose power is
        no odd number; or if there would be too many modes.
    """
    return _ProblemWriter(problem.dense()).written()


class _ProblemWriter:
    """Writes one problem; ``x`` and ``v`` are the symbols of displacements and velocities."""

    def __init__(self, problem: MechanicalProblem) -> None:
        if problem.modes is not None:
            raise _refused(problem, "a modal basis", "give matrices")
        self.problem = problem
        self.names = problem.coordinates
        self.x = [sympy.Symbol(name) for name in self.names]
        self.v = [sympy.Symbol(f"v_{name}") for name in self.names]
        self.inverse = invert(problem.mass)
        self.linear = self._linear()
        self.clock = [*list_breaks(self._functions(), problem.start, problem.end).items()]
        elements = [self._stop(stop) for stop in problem.stops]
        elements += [self._friction(friction) for friction in problem.frictions]
        elements += [self._device(device) for device in problem.devices]
        self.parts = elements
        self.memory = {name: value for part in self.parts for name, value in part.memory.items()}

    def written(self) -> InitialValueProblem:
        """Return the problem."""
        p = self.problem
        count = math.prod(len(part.places) for part in self.parts) * (len(self.clock) + 1)
        if count > MOST_MODES:
            raise _refused(p, f"{count} modes (places of its elements, pieces of its loads)", f"{MOST_MODES} at most")
        states = (*self.names, *(v.name for v in self.v), *self.memory)
        initial = (
            *map(write_number, p.initial_displacement),
            *map(write_number, p.initial_velocity),
            *self.memory.values(),
        )
        first = self._first(dict(zip(states, initial, strict=True)))
        tuples = itertools.product(*(range(len(part.places)) for part in self.parts))
        modes = tuple(self._mode(piece, at) for at in tuples for piece in range(len(self.clock) + 1))
        return InitialValueProblem(
            name=p.name,
            start=p.start,
            end=p.end,
            output_times=p.output_times,
            states=states,
            initial=initial,
            modes=modes,
            mode=self._name(0, first),
        )

    # ---- modes

    def _mode(self, piece: int, at: tuple[int, ...]) -> Mode:
        places = [part.places[i] for part, i in zip(self.parts, at, strict=True)]
        events = [self._whole(change, piece, at, k) for k, place in enumerate(places) for change in place.events]
        if piece < len(self.clock):
            guard = T - self.clock[piece][1]
            name = self._name(piece + 1, at)
            events.append(Change(name=f"load_changes_{piece + 1}", guard=guard, direction=1, mode=name))
        return Mode(name=self._name(piece, at), rates=self._rates(piece, at), events=self._at_piece(events, piece))

    def _whole(self, change: Change, piece: int, at: tuple[int, ...], part: int) -> Change:
        """Return an event of an element as one of the whole."""
        place = next(i for i, place in enumerate(self.parts[part].places) if place.name == change.mode)
        return replace(change, mode=self._name(piece, (*at[:part], place, *at[part + 1 :])))

    def _name(self, piece: int, at: tuple[int, ...]) -> str:
        parts = zip(self.parts, at, strict=True)
        names = [part.places[i].name for part, i in parts if len(part.places) > 1]
        names += [f"piece_{piece + 1}"] if self.clock else []
        return "__".join(names) or "motion"

    def _rates(self, piece: int, at: Sequence[int]) -> tuple[Expr, ...]:
        places = [part.places[i] for part, i in zip(self.parts, at, strict=True)]
        forces = self.linear + sympy.Matrix(self._loads(piece)) - self._varying(piece)
        for place in places:
            forces += sympy.Matrix(place.forces)
        own = [place.rate for place, part in zip(places, self.parts, strict=True) if part.memory]
        return self._timed((*self.v, *(self.inverse * forces), *own), piece)

    def _first(self, start: Mapping[str, Expr]) -> tuple[int, ...]:
        """Return the places of all elements at the start; rates are those of the places found so far."""
        at = [0] * len(self.parts)
        known = {sympy.Symbol(name): value for name, value in start.items()} | {T: write_number(self.problem.start)}
        for k, part in enumerate(self.parts):
            rates = dict(zip(start, self._rates(0, at), strict=True))
            looks = [
                ([_soon(self._timed((e,), 0)[0], rates, known, part.terms) for e in es], i) for es, i in part.choice
            ]
            fits = (i for signs, i in looks if max(signs) < 0)
            at[k] = next(fits, part.otherwise)
        return tuple(at)

    # ---- functions of time

    def _functions(self) -> Iterator[TimeFunction]:
        yield from self.problem.functions
        if any(element.frame == "absolute" for element in self.problem.elements):
            for support in self.problem.supports:
                yield from (support.displacement, support.velocity)

    def _loads(self, piece: int) -> list[Expr]:
        n, middle = len(self.names), self._middle(piece)
        forces = [NOTHING] * n
        for load in self.problem.loads:
            f = write_function(load.function, middle)
            forces = [force + write_number(d) * f for force, d in zip(forces, load.direction, strict=True)]
        for support in self.problem.supports:
            f = write_function(support.acceleration, middle)
            moved = write_matrix(self.problem.mass) * sympy.Matrix([write_number(d) for d in support.influence])
            forces = [force - m * f for force, m in zip(forces, moved, strict=True)]
        return forces

    def _varying(self, piece: int) -> Any:
        """Return what the matrices that are functions of time take in a piece."""
        total = sympy.zeros(len(self.names), 1)
        for part in self.problem.varying:
            f = write_function(part.function, self._middle(piece))
            total += f * write_matrix(part.matrix) * sympy.Matrix(self.x if part.of == "stiffness" else self.v)
        return total

    def _middle(self, piece: int) -> float:
        edges = [self.problem.start, *(place for place, _ in self.clock), self.problem.end]
        return 0.5 * (edges[piece] + edges[piece + 1])

    def _carried(self, piece: int) -> dict[Any, Expr]:
        """Return the driven displacements and velocities of a piece by their stand-ins."""
        middle, result = self._middle(piece), {}
        for j, support in enumerate(self.problem.supports):
            result[sympy.Symbol(f"d{j}()")] = support.displacement
            result[sympy.Symbol(f"d{j}'()")] = support.velocity
        return {symbol: write_function(f, middle) for symbol, f in result.items()}

    def _timed(self, expressions: Sequence[Expr], piece: int) -> tuple[Expr, ...]:
        """Return expressions with the driven motion of the supports in place of its stand-ins."""
        if not self.problem.supports:
            return tuple(expressions)
        carried = self._carried(piece)
        return tuple(e.xreplace(carried) for e in expressions)

    def _at_piece(self, events: Sequence[Change], piece: int) -> tuple[Change, ...]:
        return tuple(replace(c, guard=self._timed((c.guard,), piece)[0]) for c in events)

    # ---- elements

    def _linear(self) -> Any:
        k, c = write_matrix(self.problem.stiffness), write_matrix(self.problem.damping)
        return -(k * sympy.Matrix(self.x) + c * sympy.Matrix(self.v))

    def _local(self, direction: Floats, frame: str) -> tuple[Expr, Expr]:
        """Return a local coordinate and its rate."""
        along = [write_number(d) for d in direction]
        y, w = (sum((a * s for a, s in zip(along, own, strict=True)), NOTHING) for own in (self.x, self.v))
        if frame == "absolute":
            for j, support in enumerate(self.problem.supports):
                share = sum((a * write_number(s) for a, s in zip(along, support.influence, strict=True)), NOTHING)
                y += share * sympy.Symbol(f"d{j}()")
                w += share * sympy.Symbol(f"d{j}'()")
        return y, w

    def _pushed(self, direction: Floats, force: Expr) -> tuple[Expr, ...]:
        return tuple(write_number(d) * force for d in direction)

    def _none(self) -> tuple[Expr, ...]:
        return (NOTHING,) * len(self.names)

    def _stop(self, stop: Stop) -> ElementEquations:
        if stop.geometry == "profile":
            raise _refused(self.problem, f"stop {stop.name!r} is a profile", "planes and circles only")
        if stop.rigid:
            raise _refused(self.problem, f"stop {stop.name!r} is rigid", "state its impacts as events with a reset")
        y, w = self._local(stop.normal, stop.frame)
        y, gap, name = y + write_number(stop.offset), write_number(stop.gap), plain(stop.name)
        if stop.lateral is not None:
            return self._circle(stop, y, w)
        sides = [(1, name)] if stop.geometry == "plane" else [(1, f"{name}_above"), (-1, f"{name}_below")]
        touches = []
        for side, label in sides:
            touches.append(
                self._touch(stop, label, gap - side * y, -side * w, self._pushed(stop.normal, -sympy.Integer(side)))
            )
        return touches[0] if len(touches) == 1 else join_sides(name, touches)

    def _circle(self, stop: Stop, y: Expr, w: Expr) -> ElementEquations:
        assert stop.lateral is not None
        z, u = self._local(stop.lateral, stop.frame)
        z += write_number(stop.lateral_offset)
        rho, side = sympy.sqrt(y**2 + z**2), 1 if stop.geometry == "circle" else -1
        gap = side * (write_number(stop.gap) - rho)
        rows = zip(self._pushed(stop.normal, y / rho), self._pushed(stop.lateral, z / rho), strict=True)
        unit = tuple(-side * (a + b) for a, b in rows)
        part = self._touch(stop, plain(stop.name), gap, -side * (y * w + z * u) / rho, unit)
        # the radius has no derivative at the centre; its square has
        smooth = side * (write_number(stop.gap) ** 2 - y**2 - z**2)
        return replace_guard(part, gap, smooth)

    def _touch(self, stop: Stop, name: str, gap: Expr, rate: Expr, unit: tuple[Expr, ...]) -> ElementEquations:
        """Return a stop with one side; ``unit`` (n,) are the forces of a push of 1 N."""
        push = -write_number(stop.stiffness) * gap - write_number(stop.damping) * rate
        free, pressing, parted = (f"{name}_{word}" for word in ("free", "presses", "parts"))
        closes = Change(name=f"{name}_closes", guard=gap, direction=-1, mode=pressing)
        opens = Change(name=f"{name}_opens", guard=gap, direction=1, mode=free)
        forces = tuple(e * push for e in unit)
        if not stop.damping:
            both = (Place(free, self._none(), events=(closes,)), Place(pressing, forces, events=(opens,)))
            return ElementEquations(both, (((gap,), 1),))
        parts = Change(name=f"{name}_parts", guard=push, direction=-1, mode=parted)
        again = Change(name=f"{name}_presses_again", guard=push, direction=1, mode=pressing)
        places = (
            Place(free, self._none(), events=(closes,)),
            Place(pressing, forces, events=(parts,)),
            Place(parted, self._none(), events=(opens, again)),
        )
        return ElementEquations(places, (((gap, -push), 1), ((gap,), 2)))

    def _friction(self, friction: Friction) -> ElementEquations:
        owner = f"friction {friction.name!r}"
        if friction.law != "regularised":
            raise _refused(self.problem, f"{owner} is set-valued", "regularise it: law='regularised', stiffness=…")
        if isinstance(friction.normal, str):
            raise _refused(self.problem, f"{owner} is under the force of a stop", "a constant normal force only")
        if len(friction.tangents) > 1:
            raise _refused(self.problem, f"{owner} acts in two directions", "one tangent only")
        name, spring = plain(friction.name), sympy.Symbol(f"s_{plain(friction.name)}")
        _, w = self._local(friction.tangents[0], friction.frame)
        k, c, normal = (write_number(value) for value in (friction.stiffness, friction.damping, friction.normal))
        hold, most, kinetic = (
            -k * spring - c * w,
            write_number(friction.static) * normal,
            write_number(friction.kinetic) * normal,
        )
        stick, ahead, back = (f"{name}_{word}" for word in ("sticks", "slips_ahead", "slips_back"))
        places = [
            Place(stick, self._pushed(friction.tangents[0], hold), w, (
                Change(name=ahead, guard=most + hold, direction=-1, mode=ahead),
                Change(name=back, guard=most - hold, direction=-1, mode=back),
            )),
        ]  # fmt: skip
        for side, slip in ((1, ahead), (-1, back)):
            caught = {spring.name: side * kinetic / k}
            event = Change(name=f"{name}_sticks", guard=side * w, direction=-1, reset=caught, mode=stick)
            places.append(Place(slip, self._pushed(friction.tangents[0], -side * kinetic), events=(event,)))
        return ElementEquations(tuple(places), (((-w,), 1), ((w,), 2)), terms=1, memory={spring.name: NOTHING})

    def _device(self, device: Device) -> ElementEquations:
        u, w = self._local(device.direction, device.frame)
        u += write_number(device.offset)
        if isinstance(device, PiecewiseLaw):
            return self._piecewise(device, w if isinstance(device, NonlinearDamper) else u)
        if isinstance(device, Zener):
            return self._zener(device, u)
        raise _refused(self.problem, device.owner, "it remembers its largest crush, which no event marks")

    def _piecewise(self, law: PiecewiseLaw, z: Expr) -> ElementEquations:
        name, breaks = plain(law.name), [write_number(b) for b in law.breaks]
        names = [f"{name}_{i}" for i in range(len(breaks) + 1)]
        places = []
        for i, (row, origin) in enumerate(zip(law.coefficients, law.origins, strict=True)):
            force = sum((write_number(c) * (z - write_number(origin)) ** k for k, c in enumerate(row)), NOTHING)
            events = []
            if i > 0:
                falls = Change(name=f"{name}_falls_{i}", guard=z - breaks[i - 1], direction=-1, mode=names[i - 1])
                events.append(falls)
            if i < len(breaks):
                rises = Change(name=f"{name}_rises_{i + 1}", guard=z - breaks[i], direction=1, mode=names[i + 1])
                events.append(rises)
            places.append(Place(names[i], self._pushed(law.direction, -force), events=tuple(events)))
        return ElementEquations(tuple(places), tuple(((z - b,), i) for i, b in enumerate(breaks)), len(breaks))

    def _zener(self, device: Zener, u: Expr) -> ElementEquations:
        power = Fraction(1 / device.alpha).limit_denominator(1000)
        if power.denominator != 1 or power.numerator % 2 == 0 or float(power) * device.alpha != 1.0:
            raise _refused(self.problem, f"{device.owner}: alpha = {device.alpha}", "1, 1/3, 1/5 … only")
        k1, k2, k3, c = (write_number(value) for value in (device.k1, device.k2, device.k3, device.damping))
        path = sympy.Symbol(f"w_{plain(device.name)}")
        inner = (k1 * u + k3 * path) / (k1 + k2 + k3)
        rate = (k3 * (inner - path) / c) ** power.numerator
        place = Place(plain(device.name), self._pushed(device.direction, -k1 * (u - inner)), rate)
        return ElementEquations((place,), memory={path.name: write_number(device.path)})


def _soon(expression: Expr, rates: Mapping[str, Expr], known: Mapping[Any, Expr], terms: int) -> float:
    """Return the first of an expression and its rates along the motion that is not zero at the start."""
    for _ in range(terms):
        value = float(expression.xreplace(known))
        if value:
            return value
        along = (sympy.diff(expression, sympy.Symbol(name)) * rate for name, rate in rates.items())
        expression = sympy.diff(expression, T) + sum(along)
    return 0.0


def plain(name: str) -> str:
    """Return the name of an element as its events and states have it."""
    return re.sub(r"\W", "_", name)


def _refused(problem: MechanicalProblem, what: str, remedy: str) -> ProblemError:
    return ProblemError(f"{problem.name} as an initial value problem: {what}: {remedy}")
