"""A mechanical problem in one of its discrete states: smooth affine equations, and the guards that bound them.

With y = (x, v) and the driving functions u(t) everything is affine as long as every stop stays open or closed and
every friction sticks or slips one way: the rate of y, the stop forces, the friction forces, and the guards. So
each is written once, as an `Affine`, for float, array and symbolic arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SolverFailure
from veridyn.solver.event_driven.forcing import carries_stops, functions
from veridyn.solver.problem.basis import in_modal_coordinates, with_coordinates
from veridyn.solver.problem.elements import Friction, Stop
from veridyn.solver.problem.mechanical import MechanicalProblem

Floats = NDArray[np.float64]

ROUNDING = 1e-14  # relative; a difference smaller than this is rounding
PARALLEL = 1e-12  # of the cosine of an angle; tangents this near to one line are on it


class Touch(Enum):
    """State of a stop; ``RELEASED``: overlap without force, which a damped stop shows before it opens."""

    OPEN = "open"
    CLOSED = "closed"
    RELEASED = "released"


class Grip(IntEnum):
    """State of a friction; ``FREE``: its stop does not press."""

    SLIP_DOWN = -1
    STICK = 0
    SLIP_UP = 1
    FREE = 2


@dataclass(frozen=True)
class Mode:
    """Discrete state: one `Touch` per stop, one `Grip` per friction."""

    stops: tuple[Touch, ...]
    frictions: tuple[Grip, ...]


@dataclass(frozen=True, eq=False)
class Affine:
    """``matrix y + constant + forcing u`` with shapes (r, 2n), (r,), (r, channels)."""

    matrix: Floats
    constant: Floats
    forcing: Floats

    def __call__(self, y: Floats, u: Floats) -> Floats:
        return np.asarray(self.matrix @ y + self.constant + self.forcing @ u)

    def over(self, states: Floats, u: Floats) -> Floats:
        """Return the values (m, r) along a path of states (m, 2n) and driving functions (m, channels)."""
        return np.asarray(states @ self.matrix.T + self.constant + u @ self.forcing.T)

    def mapped(self, matrix: Floats) -> Affine:
        """Return ``matrix`` times this."""
        return Affine(matrix @ self.matrix, matrix @ self.constant, matrix @ self.forcing)

    def plus(self, other: Affine) -> Affine:
        """Return the sum."""
        return Affine(self.matrix + other.matrix, self.constant + other.constant, self.forcing + other.forcing)


@dataclass(frozen=True)
class Change:
    """What a guard does when it falls below zero: an element takes another state.

    ``spring`` is the coordinate of a spring of stick that is set to ``elongation`` then; -1: none.
    """

    element: int
    becomes: Touch | Grip
    spring: int = -1
    elongation: Affine | None = None


@dataclass(frozen=True, eq=False)
class Flow:
    """The equations of a mode.

    ``rate`` (2n rows) is y'; ``guards`` are positive inside the mode and ``changes`` says what each one means;
    ``stop_forces``, ``gaps``, ``gap_rates``, ``friction_forces``, ``sliding`` have a row per element. At the start of
    the mode velocities are mapped by ``hold`` (n, n), and the coordinates ``slack`` (springs under no force) are zero.
    """

    mode: Mode
    rate: Affine
    guards: Affine
    changes: tuple[Change, ...]
    stop_forces: Affine
    gaps: Affine
    gap_rates: Affine
    friction_forces: Affine
    sliding: Affine
    hold: Floats
    slack: tuple[int, ...] = ()

    @cached_property
    def guard_rates(self) -> Affine:
        """Rates of the guards, without the part of u' (which is ``guards.forcing u'``)."""
        return self.rate.mapped(self.guards.matrix)

    @cached_property
    def fastest(self) -> float:
        """Largest modulus of an eigenvalue of the equations (1/s)."""
        return float(np.abs(np.linalg.eigvals(self.rate.matrix)).max(initial=0.0))


def refuse(problem: MechanicalProblem) -> None:
    """Refuse what the event-driven equations do not express.

    Raises
    ------
    NotImplementedError
        With the reason: a device, a curved stop, friction or a truncated basis in the absolute frame, regularised
        friction under the force of a stop.
    """
    if not isinstance(problem, MechanicalProblem):
        raise NotImplementedError(f"problems of kind {problem.kind!r}")
    if problem.devices:
        raise NotImplementedError(f"{problem.devices[0].owner}: devices are not treated")
    if carries_stops(problem) and problem.modes is not None:
        raise NotImplementedError("stops in the absolute frame of a driven structure that is given by modes")
    for stop in problem.stops:
        if stop.curved:
            raise NotImplementedError(f"stop {stop.name!r} ({stop.geometry}): not piecewise linear")
    for friction in problem.frictions:
        if friction.frame == "absolute" and problem.supports:
            raise NotImplementedError(f"{friction.name!r} in the absolute frame of a driven structure")
    for friction in problem.frictions:
        if friction.law == "regularised" and isinstance(friction.normal, str):
            # where the force falls while the body turns, neither stick nor slip in any direction is consistent
            raise NotImplementedError(f"friction {friction.name!r} is regularised under the force of a stop")


def _cosines(friction: Friction, line: Friction) -> tuple[float, ...]:
    """Return the parts of force and sliding velocity along a line that belong to each tangent of a friction."""
    (along,) = line.tangents
    square = float(along @ along)
    return tuple(float(tangent @ along) / square if square else 1.0 for tangent in friction.tangents)


def _single_planes(problem: MechanicalProblem) -> tuple[MechanicalProblem, dict[str, tuple[int, ...]]]:
    """Return the problem with two stops instead of one between parallel planes, and the places of each stop."""
    stops: list[Stop] = []
    planes: dict[str, tuple[int, ...]] = {}
    for stop in problem.stops:
        sides = [replace(stop, geometry="plane")]
        if stop.geometry == "parallel planes":
            other = f"{stop.name}, other side"
            sides.append(replace(sides[0], name=other, normal=-stop.normal, offset=-stop.offset))
        planes[stop.name] = tuple(range(len(stops), len(stops) + len(sides)))
        stops += sides
    return replace(problem, stops=tuple(stops)), planes


def _joined(friction: Friction) -> Friction:
    """Return a friction with one tangent for two along which the motion can only go together.

    Then the cone of friction in their plane is met along one line, whose tangent is as long as both together.

    Raises
    ------
    NotImplementedError
        If sliding may turn in the plane of two tangents: then neither stick nor slip is a line.
    """
    if len(friction.tangents) == 1:
        return friction
    one, other = friction.tangents
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    if abs(one @ other) < (1 - PARALLEL) * lengths[0] * lengths[1]:
        raise NotImplementedError(f"friction {friction.name!r} may turn in the plane of its two tangents")
    longer = one if lengths[0] >= lengths[1] else other
    return replace(friction, tangents=(longer / max(lengths) * float(np.hypot(*lengths)),))


class Mechanics:
    """Writes the equations of a problem in any of its modes; ``problem`` has the unknowns of the equations.

    Raises
    ------
    NotImplementedError
        See `refuse`.
    """

    def __init__(self, problem: MechanicalProblem) -> None:
        refuse(problem)
        self.shapes = None if problem.modes is None else problem.modes.shapes
        problem = problem if problem.modes is None else in_modal_coordinates(problem)
        joined = tuple(_joined(friction) for friction in problem.frictions)
        self.cosines = [_cosines(f, line) for f, line in zip(problem.frictions, joined, strict=True)]
        problem = replace(problem, frictions=joined)
        problem, self.planes = _single_planes(problem)
        self.springs = {j: 0 for j, friction in enumerate(problem.frictions) if friction.law == "regularised"}
        self.springs = {j: problem.size + i for i, j in enumerate(self.springs)}
        problem = with_coordinates(problem, len(self.springs))
        assert problem.mass is not None
        assert problem.damping is not None
        assert problem.stiffness is not None
        self.problem = problem
        self.inverse = np.linalg.inv(problem.mass)
        self.channels = len(functions(problem))
        columns = [load.direction for load in problem.loads]
        columns += [-problem.mass @ support.influence for support in problem.supports]
        columns += [np.zeros(problem.size)] * (self.channels - len(columns))
        self.free = Affine(
            np.hstack((-problem.stiffness, -problem.damping)),
            np.zeros(problem.size),
            np.array(columns).reshape(self.channels, problem.size).T,
        )
        self.tangents = np.array([f.tangents[0] for f in problem.frictions]).reshape(-1, problem.size)
        self.known: dict[Mode, Flow] = {}

    def restored(self, unknowns: Floats) -> Floats:
        """Return the displacements or velocities (m, n) that belong to unknowns (m, r), springs of stick included."""
        unknowns = unknowns[:, : self.problem.size - len(self.springs)]
        return unknowns if self.shapes is None else unknowns @ self.shapes.T

    def flow(self, mode: Mode) -> Flow:
        """Return the equations of a mode."""
        if mode not in self.known:
            self.known[mode] = self._write(mode)
        return self.known[mode]

    def presses(self, friction: Friction, mode: Mode) -> bool:
        """Tell whether a friction has a normal force in a mode."""
        if not isinstance(friction.normal, str):
            return True
        return any(mode.stops[i] is Touch.CLOSED for i in self.planes[friction.normal])

    def _write(self, mode: Mode) -> Flow:
        pressing = self._stack([self._spring(stop) for stop in self.problem.stops])
        closed = np.array([float(touch is Touch.CLOSED) for touch in mode.stops])
        stop_forces = pressing.mapped(np.diag(closed))
        normals = np.array([stop.normal for stop in self.problem.stops]).reshape(-1, self.problem.size)
        friction, resultant = self._friction(mode, stop_forces, self.free.plus(stop_forces.mapped(-normals.T)))
        acceleration, hold = self._held(mode, resultant.plus(friction.mapped(self.tangents.T)))
        gaps, gap_rates = self._gaps()
        sliding = self._velocity(self.tangents)
        n = self.problem.size
        velocity = self._velocity(np.eye(n))
        guards, changes = self._guards(mode, pressing, gaps, friction, sliding, stop_forces)
        rate = Affine(
            np.vstack((velocity.matrix, acceleration.matrix)),
            np.concatenate((velocity.constant, acceleration.constant)),
            np.vstack((velocity.forcing, acceleration.forcing)),
        )
        slack = tuple(spring for j, spring in self.springs.items() if mode.frictions[j] is Grip.FREE)
        return Flow(mode, rate, guards, changes, stop_forces, gaps, gap_rates, friction, sliding, hold, slack)

    def _stack(self, parts: list[Affine]) -> Affine:
        return Affine(
            np.array([p.matrix for p in parts]).reshape(-1, 2 * self.problem.size),
            np.array([p.constant for p in parts], dtype=float).reshape(-1),
            np.array([p.forcing for p in parts]).reshape(len(parts), self.channels),
        )

    def _row(self, x: Floats, v: Floats, constant: float = 0.0, forcing: Floats | None = None) -> Affine:
        forcing = np.zeros(self.channels) if forcing is None else forcing
        return Affine(np.concatenate((x, v)), np.float64(constant), forcing)  # type: ignore[arg-type]

    def _carried(self, stop: Stop, order: int) -> Floats:
        """Return how the displacements (order 0) or velocities (1) of the supports move the coordinate of a stop."""
        forcing = np.zeros(self.channels)
        supports = self.problem.supports
        if stop.frame == "absolute" and supports:
            first = self.channels - (2 - order) * len(supports)
            forcing[first : first + len(supports)] = [stop.normal @ support.influence for support in supports]
        return forcing

    def _spring(self, stop: Stop) -> Affine:
        """Return ``-k d - c d'`` of a stop."""
        n = stop.normal
        forcing = stop.stiffness * self._carried(stop, 0) + stop.damping * self._carried(stop, 1)
        return self._row(stop.stiffness * n, stop.damping * n, stop.stiffness * (stop.offset - stop.gap), forcing)

    def _gaps(self) -> tuple[Affine, Affine]:
        zero, stops = np.zeros(self.problem.size), self.problem.stops
        gaps = [self._row(-s.normal, zero, s.gap - s.offset, -self._carried(s, 0)) for s in stops]
        rates = [self._row(zero, -s.normal, forcing=-self._carried(s, 1)) for s in stops]
        return self._stack(gaps), self._stack(rates)

    def _velocity(self, directions: Floats) -> Affine:
        zero = np.zeros(self.problem.size)
        return self._stack([self._row(zero, d) for d in directions])

    def normal_forces(self, stop_forces: Affine) -> Affine:
        """Return the normal force of each friction: constant, or of its stop."""
        zero = np.zeros(self.problem.size)
        rows = []
        for friction in self.problem.frictions:
            constant = 0.0 if isinstance(friction.normal, str) else friction.normal
            row = self._row(zero, zero, constant)
            for i in self.pressing(friction):
                row = row.plus(_pick(stop_forces, i))
            rows.append(row)
        return self._stack(rows)

    def pressing(self, friction: Friction) -> tuple[int, ...]:
        """Return the planes that press a friction; none if the force is constant."""
        return self.planes[friction.normal] if isinstance(friction.normal, str) else ()

    def _friction(self, mode: Mode, stop_forces: Affine, others: Affine) -> tuple[Affine, Affine]:
        """Return the friction forces (stick: as needed to hold) and the resultant of all other forces.

        Stick asks ``Wᵀ M⁻¹ (q + W λ) = 0`` of the tangents W that stick, q being all other forces.
        """
        normal = self.normal_forces(stop_forces)
        slip = np.array(
            [
                -float(grip) * friction.kinetic if grip in (Grip.SLIP_DOWN, Grip.SLIP_UP) else 0.0
                for grip, friction in zip(mode.frictions, self.problem.frictions, strict=True)
            ]
        )
        slipping = normal.mapped(np.diag(slip)).plus(self._sprung(mode))
        stuck = self._rigid(mode)
        W = self.tangents[stuck].T
        loads = others.plus(slipping.mapped(self.tangents.T))
        compliance = W.T @ self.inverse @ W
        if stuck and np.linalg.cond(compliance) > 1e12:
            raise SolverFailure(
                f"{self.problem.name}: frictions that stick along dependent tangents share no unique force"
            )
        select = np.zeros((len(mode.frictions), len(stuck)))
        select[stuck, range(len(stuck))] = 1.0
        holding = loads.mapped(-select @ np.linalg.solve(compliance, W.T @ self.inverse))
        return slipping.plus(holding), others

    def _rigid(self, mode: Mode) -> list[int]:
        """Return the frictions that stick rigidly."""
        return [j for j, grip in enumerate(mode.frictions) if grip is Grip.STICK and j not in self.springs]

    def _sprung(self, mode: Mode) -> Affine:
        """Return the forces ``-k s - c w`` of the frictions that stick through a spring and damper, zero elsewhere."""
        n = self.problem.size
        rows = [self._row(np.zeros(n), np.zeros(n)) for _ in mode.frictions]
        for j, spring in self.springs.items():
            friction = self.problem.frictions[j]
            if mode.frictions[j] is Grip.STICK:
                elongation = np.eye(n)[spring]
                rows[j] = self._row(-friction.stiffness * elongation, -friction.damping * friction.tangents[0])
        return self._stack(rows)

    def _held(self, mode: Mode, total: Affine) -> tuple[Affine, Floats]:
        """Return the acceleration, and the projection of velocities that keeps what sticks at rest.

        The friction forces cancel the acceleration along the tangents that stick up to rounding; the projection
        takes away the rest, so that stick holds exactly however long it lasts.
        """
        W = self.tangents[self._rigid(mode)].T
        taken = self.inverse @ W @ np.linalg.solve(W.T @ self.inverse @ W, W.T)
        hold = np.eye(self.problem.size) - taken
        hold[np.abs(hold) <= ROUNDING * (np.eye(self.problem.size) + np.abs(taken))] = 0.0
        for j, spring in self.springs.items():  # a spring of stick follows the sliding, that of a slip waits
            hold[spring] = self.tangents[j] @ hold if mode.frictions[j] is Grip.STICK else 0.0
        return total.mapped(hold @ self.inverse), hold

    def _guards(
        self, mode: Mode, pressing: Affine, gaps: Affine, friction: Affine, sliding: Affine, stop_forces: Affine
    ) -> tuple[Affine, tuple[Change, ...]]:
        rows: list[Affine] = []
        changes: list[Change] = []
        for i, touch in enumerate(mode.stops):
            for row, becomes in _stop_guards(touch, _pick(gaps, i), _pick(pressing, i)):
                rows.append(row)
                changes.append(Change(i, becomes))
        normal = self.normal_forces(stop_forces)
        for j, grip in enumerate(mode.frictions):
            limit = _scaled(_pick(normal, j), self.problem.frictions[j].static)
            for row, becomes_grip in _friction_guards(grip, limit, _pick(friction, j), _pick(sliding, j)):
                rows.append(row)
                changes.append(self._regripping(j, grip, becomes_grip, _pick(normal, j)))
        return self._stack(rows), tuple(changes)

    def _regripping(self, j: int, grip: Grip, becomes: Grip, normal: Affine) -> Change:
        """Return the change of a friction; the spring of a slip that ends takes over the force of the slip."""
        if becomes is not Grip.STICK or j not in self.springs:
            return Change(j, becomes)
        friction = self.problem.frictions[j]
        elongation = _scaled(normal, float(grip) * friction.kinetic / friction.stiffness)
        return Change(j, becomes, self.springs[j], elongation)


def _pick(rows: Affine, i: int) -> Affine:
    return Affine(rows.matrix[i], rows.constant[i], rows.forcing[i])


def _scaled(row: Affine, factor: float) -> Affine:
    return Affine(factor * row.matrix, factor * row.constant, factor * row.forcing)


def _stop_guards(touch: Touch, gap: Affine, force: Affine) -> list[tuple[Affine, Touch]]:
    if touch is Touch.OPEN:
        return [(gap, Touch.CLOSED)]
    if touch is Touch.CLOSED:  # never tensile: released when the force vanishes, with damping before the gap opens
        return [(force, Touch.RELEASED)]
    return [(_scaled(force, -1.0), Touch.CLOSED), (_scaled(gap, -1.0), Touch.OPEN)]


def _friction_guards(grip: Grip, limit: Affine, force: Affine, sliding: Affine) -> list[tuple[Affine, Grip]]:
    if grip is Grip.FREE:
        return []
    if grip is Grip.STICK:  # too much force needed upwards means that the drive wins downwards
        return [(limit.plus(_scaled(force, -1.0)), Grip.SLIP_DOWN), (limit.plus(force), Grip.SLIP_UP)]
    return [(_scaled(sliding, float(grip)), Grip.STICK)]
