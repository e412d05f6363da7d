"""A mechanical problem in one of its discrete states: smooth affine equations, and the guards that bound them.

With y = (x, v) and the driving functions u(t) everything is affine as long as every stop stays open or closed and
every friction sticks or slips one way: the rate of y, the stop forces, the friction forces, and the guards. So
each is written once, as an `Affine`, for float, array and symbolic arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import in_modal_coordinates, with_coordinates, with_supports
from veridyn.problem.devices import Device, NonlinearDamper
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.event_driven.forcing import functions, is_carried, segments

Floats = NDArray[np.float64]

ROUNDING = 1e-14  # relative; a difference smaller than this is rounding
DEPENDENT = 1e-12  # of the largest eigenvalue: below it tangents are dependent
LEAST = 1e-3  # of the strongest friction: what a weaker one counts as, where they share a load
PARALLEL = 1e-12  # of the cosine of an angle; tangents this near to one line are on it
AT_REST = 1e-12  # of the motion of the whole structure; a slower velocity along a direction is rest
LOW = 4e-13  # of the terms of a gap; what is no higher is on the stop
BEYOND = 1e-9  # of the terms of a gap; a start that is deeper in a rigid stop is none
TORN = 1e-6  # relative; what holds two that move apart by less is one
WAY = 1e-2  # of the way of a step: what counts like the terms of a gap
MOST_HELD = 256  # sets of what holds still, that are remembered
STRIKES = -2  # in the place of a spring: the change is an impact


class Touch(Enum):
    """State of a stop; ``RELEASED``: overlap without force, which a damped stop shows before it opens."""

    OPEN = "open"
    CLOSED = "closed"
    RELEASED = "released"


TOUCHES = (Touch.OPEN, Touch.CLOSED, Touch.RELEASED)  # in the order of their numbers, where states are numbers


class Grip(IntEnum):
    """State of a friction; ``FREE``: its stop does not press."""

    SLIP_DOWN = -1
    STICK = 0
    SLIP_UP = 1
    FREE = 2


SLIPS = (Grip.SLIP_DOWN, Grip.SLIP_UP)


@dataclass(frozen=True)
class ContactMode:
    """Discrete state: one `Touch` per stop, one `Grip` per friction."""

    stops: tuple[Touch, ...]
    frictions: tuple[Grip, ...]


@dataclass(frozen=True, eq=False)
class Affine:
    """``constant + matrix y + forcing u``, as ``rows`` (r, 1 + 2n + channels) over 1, y (2n = ``states``) and u."""

    rows: Floats
    states: int

    @cached_property
    def constant(self) -> Floats:
        """What does not depend on y and u, (r,)."""
        return self.rows[..., 0]

    @cached_property
    def matrix(self) -> Floats:
        """Factors of the state, (r, 2n)."""
        return self.rows[..., 1 : 1 + self.states]

    @cached_property
    def forcing(self) -> Floats:
        """Factors of the driving functions, (r, channels)."""
        return self.rows[..., 1 + self.states :]

    def __call__(self, y: Floats, u: Floats) -> Floats:
        return np.asarray(self.matrix @ y + self.constant + self.forcing @ u)

    def over(self, states: Floats, u: Floats) -> Floats:
        """Return the values (m, r) along a path of states (m, 2n) and driving functions (m, channels)."""
        return np.asarray(states @ self.matrix.T + self.constant + u @ self.forcing.T)

    def mapped(self, matrix: Floats) -> Affine:
        """Return ``matrix`` times this."""
        return Affine(matrix @ self.rows, self.states)


@dataclass(frozen=True)
class ElementChange:
    """What a guard does when it falls below zero: an element takes another state.

    ``spring`` is the coordinate of a spring of stick that is set to ``elongation``, a row over 1, y and u, then; -1:
    none; STRIKES: a body hits a rigid stop, see `impacts.impact`.
    """

    element: int
    becomes: Touch | Grip
    spring: int = -1
    elongation: Floats | None = None


@dataclass(frozen=True, eq=False)
class ModeFlow:
    """The equations of a mode.

    ``rate`` (2n rows) is y'; ``guards`` are positive inside the mode and ``changes`` says what each one means;
    ``stop_forces``, ``gaps``, ``gap_rates``, ``friction_forces``, ``sliding`` have a row per element. At the start of
    the mode velocities are mapped by ``hold`` (n, n), and the coordinates ``slack`` (springs under no force) are zero.
    ``sizes`` (guards) and ``efforts`` (accelerations) are rows over absolute values: what rounding is measured against.
    """

    mode: ContactMode
    rate: Affine
    guards: Affine
    changes: tuple[ElementChange, ...]
    sizes: Floats
    efforts: Floats
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


@dataclass(frozen=True, eq=False)
class Constraint:
    """What k frictions that stick and rigid stops that are closed do to the n unknowns.

    ``back`` (n, k) turns rates along them into the velocities that take them away; ``demand`` (k, n) turns loads into
    the negative of the forces that hold, those of frictions that slip under the stops being in proportion to them;
    they act along ``forces`` (k, n), and ``hold`` (n, n) is the projection of velocities that keeps rest.
    """

    forces: Floats
    back: Floats
    demand: Floats
    hold: Floats


def refuse(problem: MechanicalProblem) -> None:
    """Refuse what the event-driven equations do not express.

    Raises
    ------
    NotImplementedError
        With the reason: a device that is no piecewise linear damper, matrices that vary or are sparse, a curved stop,
        regularised friction under the force of a stop.
    """
    if not isinstance(problem, MechanicalProblem):
        raise NotImplementedError(f"problems of kind {problem.kind!r}")
    if problem.varying:
        raise NotImplementedError("matrices that are functions of time")
    if problem.sparse:
        raise NotImplementedError("sparse matrices; problem.dense() has arrays in their place")
    for device in problem.devices:
        _refuse_device(device)
    for stop in problem.stops:
        if stop.curved:
            raise NotImplementedError(f"stop {stop.name!r} ({stop.geometry}): not piecewise linear")
    for friction in problem.frictions:
        _refuse_friction(friction)


def _refuse_friction(friction: Friction) -> None:
    if friction.law == "regularised" and isinstance(friction.normal, str):
        # where the force falls while the body turns, neither stick nor slip in any direction is consistent
        raise NotImplementedError(f"friction {friction.name!r} is regularised under the force of a stop")


def _refuse_device(device: Device) -> None:
    if not (isinstance(device, NonlinearDamper) and device.is_piecewise_linear):
        raise NotImplementedError(f"{device.owner}: of devices only piecewise linear dampers are treated")


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


@dataclass(frozen=True, eq=False)
class Bend(Stop):
    """A bend of the force of a damper over its rate, as a stop that always touches: it pushes beyond a rate.

    The push is ``damping × max(0, along · v - rate)``, along in the direction in which the rate passes.
    """

    along: Floats = field(default_factory=lambda: np.zeros(0))
    rate: float = 0.0

    def __post_init__(self) -> None:
        """Check nothing: there is no stiffness."""

    def for_unknowns(self, matrix: Floats) -> Bend:
        """Return the bend for unknowns (m,) that make the present ones by a matrix (n, m)."""
        return replace(self, normal=self.normal @ matrix, along=self.along @ matrix)


def _linear_piece(damper: NonlinearDamper) -> tuple[float, float]:
    """Return force (N) at rest and slope (N s/m) of the piece of a damper that holds around rest."""
    i = int(np.searchsorted(damper.breaks, 0.0, side="right"))
    force, slope = (*damper.coefficients[i], 0.0)[:2]
    return force - slope * damper.origins[i], slope


def _bends(damper: NonlinearDamper) -> tuple[Bend, ...]:
    """Return what the force has beyond the line through the piece around rest."""
    slopes = [(*row, 0.0)[1] for row in damper.coefficients]
    found = []
    for i, (at, change) in enumerate(zip(damper.breaks, np.diff(slopes), strict=True), start=1):
        side = 1.0 if at > 0 else -1.0
        name, push = f"{damper.name}, bend {i}", float(np.sign(change)) * damper.direction
        if change:
            bend = Bend(name, push, -1.0, 0.0, abs(change), frame=damper.frame, along=side * damper.direction)
            found.append(replace(bend, rate=side * at))
    return tuple(found)


class Mechanics:
    """Writes the equations of a problem in any of its modes; ``problem`` has the unknowns of the equations.

    They are the degrees of freedom or modal coordinates; the supports, if an element sees them (see `with_supports`);
    the springs of regularised friction. In all equations the supports move as their functions say: as unknowns they
    serve where velocities along a direction are to be zero. Forces do not move them.

    Raises
    ------
    NotImplementedError
        See `refuse`.
    ProblemError
        If the body starts beyond a rigid stop.
    """

    def __init__(self, problem: MechanicalProblem) -> None:
        refuse(problem)
        self.shapes = None if problem.modes is None else problem.modes.shapes
        stated, problem = problem, problem if problem.modes is None else in_modal_coordinates(problem)
        self.own = problem.size
        problem = with_supports(problem, stated) if is_carried(problem) else problem
        self.supports = np.arange(self.own, problem.size)
        joined = tuple(_joined(friction) for friction in problem.frictions)
        self.cosines = [_cosines(f, line) for f, line in zip(problem.frictions, joined, strict=True)]
        problem = replace(problem, frictions=joined)
        problem, self.planes = _single_planes(problem)
        bends = [_bends(damper) for damper in problem.devices if isinstance(damper, NonlinearDamper)]
        ends = list(accumulate(map(len, bends), initial=len(problem.stops)))
        self.bends = {d.name: tuple(range(*e)) for d, e in zip(problem.devices, pairwise(ends), strict=True)}
        problem = replace(problem, stops=(*problem.stops, *chain.from_iterable(bends)))
        self.springs = {j: 0 for j, friction in enumerate(problem.frictions) if friction.law == "regularised"}
        self.springs = {j: problem.size + i for i, j in enumerate(self.springs)}
        problem = with_coordinates(problem, len(self.springs))
        assert problem.mass is not None
        assert problem.damping is not None
        assert problem.stiffness is not None
        self.problem = problem
        self.measure = np.linalg.inv(problem.mass)
        self.inverse, self.root = self.measure.copy(), np.linalg.inv(np.linalg.cholesky(problem.mass)).T
        self.inverse[self.supports, self.supports] = 1.0  # their loads are accelerations
        self.root[self.supports] = 0.0
        self.channels = len(functions(problem))
        first = self.channels - 2 * self.supports.size + np.arange(self.supports.size)
        self.carriers = (first, first + self.supports.size)  # channels of displacements and velocities of supports
        self.tangents = np.array([f.tangents[0] for f in problem.frictions]).reshape(-1, problem.size)
        self.normals = np.array([stop.normal for stop in problem.stops]).reshape(-1, problem.size)
        acts = np.ones(problem.size)
        acts[self.supports] = 0.0  # of elements nothing acts on them
        self.pulls, self.pushes = acts * self.tangents, -acts * self.normals
        self.free = self._free(acts)
        self.elongations, self.rates = self._elongations()
        self.pressing = self._affine([self._spring(stop) for stop in problem.stops])
        self.gaps, self.gap_rates = self._gaps()
        self.gap_sizes = self._gap_sizes()
        self.sliding = self._affine([self._row(v=tangent) for tangent in self.tangents])
        self.presses = self._presses()
        self.weights = self._affine([self._row(constant=_constant(f)) for f in problem.frictions])
        self.static = np.array([friction.static for friction in problem.frictions])
        self.reach = self.lengths(self.tangents)
        self.glides = self._bounds(self.reach)
        self.rigid = np.array([stop.rigid for stop in problem.stops], dtype=bool)
        self.jams = self.presses @ self.rigid > 0  # frictions under the forces of rigid stops
        if self.rigid.any():
            self._check_start()
        rows = np.vstack((self.tangents, self.normals[self.rigid]))
        # whether what moves apart may want to hold one body
        self.contrary = len(rows) > 1 and bool(rows[:, self.supports].any())
        self.known: dict[ContactMode, ModeFlow] = {}
        self.holds: dict[tuple[tuple[int, ...], tuple[int, ...], bytes], Constraint] = {}

    def _free(self, acts: Floats) -> Affine:
        """Return the forces on a structure that touches nothing (n rows), and the accelerations of supports."""
        problem = self.problem
        assert problem.mass is not None
        assert problem.damping is not None
        assert problem.stiffness is not None
        columns = [load.direction for load in problem.loads]
        columns += [-problem.mass @ support.influence for support in problem.supports]
        columns += [np.zeros(problem.size)] * (self.channels - len(columns))
        forcing = np.array(columns).reshape(self.channels, problem.size).T
        forcing[self.supports, len(problem.loads) + np.arange(self.supports.size)] = 1.0
        rows = np.hstack((np.zeros((problem.size, 1)), -problem.stiffness, -problem.damping, forcing))
        for damper in problem.devices:
            assert isinstance(damper, NonlinearDamper)
            force, slope = _linear_piece(damper)
            rows -= np.outer(acts * damper.direction, self._row(constant=force, v=slope * damper.direction))
        return self._whole(rows)

    def _check_start(self) -> None:
        """Refuse a body that starts beyond a rigid stop by more than rounding leaves of it and of the way ahead."""
        problem, (first, *_) = self.problem, segments(self.problem)
        y = np.concatenate((problem.initial_displacement, problem.initial_velocity))
        gaps = self.gaps(y, first.value(first.start))
        ways = np.abs(y) @ np.kron([[1.0], [problem.end - problem.start]], np.eye(problem.size))
        for name, planes in self.planes.items():
            for i in planes:
                stop = problem.stops[i]
                size = abs(stop.gap) + abs(stop.offset) + float(np.abs(stop.normal) @ ways)
                if stop.rigid and -gaps[i] > BEYOND * size:
                    raise ProblemError(
                        f"{problem.name}: the body starts {-gaps[i]:.3g} m beyond stop {name!r}, which is rigid; "
                        "begin on its free side, or give it a stiffness"
                    )

    def _presses(self) -> Floats:
        """Return which stops press which frictions, (f, s)."""
        presses = np.zeros((len(self.problem.frictions), len(self.problem.stops)))
        for row, friction in zip(presses, self.problem.frictions, strict=True):
            row[list(self.pressing_planes(friction))] = 1.0
        return presses

    def lengths(self, directions: Floats) -> Floats:
        """Return the lengths (k,) of directions (k, n) in the norm of the kinetic energy, that of supports too."""
        return np.asarray(np.sqrt(np.einsum("ki,ij,kj->k", directions, self.measure, directions)))

    def _bounds(self, reach: Floats) -> Floats:
        """Return rows (k, n) over absolute velocities that bound the velocities along directions: ``|t| |v|``.

        The norms are those of the kinetic energy; so what is left of a velocity that vanishes is measured against the
        motion of the whole structure, not against itself.
        """
        return np.outer(reach, np.sqrt(np.diag(np.asarray(self.problem.mass))))

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Places of each stop, damper and friction among the states of a mode."""
        stops = len(self.problem.stops)
        return {**self.planes, **self.bends, **{f.name: (stops + j,) for j, f in enumerate(self.problem.frictions)}}

    def restored(self, unknowns: Floats) -> Floats:
        """Return the displacements or velocities (m, n) of unknowns (m, r), springs and supports left out."""
        unknowns = unknowns[:, : self.own]
        return unknowns if self.shapes is None else unknowns @ self.shapes.T

    def carried(self, y: Floats, u: Floats) -> Floats:
        """Return a state (2n,) whose supports are where their functions say."""
        y = y.copy()
        for order, channels in enumerate(self.carriers):
            y[order * self.problem.size + self.supports] = u[channels]
        return y

    def flow(self, mode: ContactMode) -> ModeFlow:
        """Return the equations of a mode."""
        if mode not in self.known:
            self.known[mode] = self.written(mode)
        return self.known[mode]

    def pressed(self, friction: Friction, mode: ContactMode) -> bool:
        """Tell whether a friction has a normal force in a mode."""
        if not isinstance(friction.normal, str):
            return True
        return any(mode.stops[i] is Touch.CLOSED for i in self.planes[friction.normal])

    def written(self, mode: ContactMode) -> ModeFlow:
        """Return the equations of a mode, written anew."""
        n = self.problem.size
        closed = np.array([touch is Touch.CLOSED for touch in mode.stops], dtype=bool)
        stop_forces = self._whole(closed[:, None] * self.pressing.rows)  # none of a rigid stop yet
        slips = self._slips(mode)[:, None]
        normal = self.normal_forces(stop_forces)
        friction = slips * normal.rows
        self._add_springs(mode, friction)
        loads = self._whole(self.free.rows + self.pushes.T @ stop_forces.rows + self.pulls.T @ friction).rows
        stuck, shut = self._rigid(mode), np.flatnonzero(closed & self.rigid).tolist()
        held = self.held(tuple(stuck), tuple(shut), mode)
        hold = self._following(mode, held.hold)
        needed, efforts = -held.demand @ loads, np.abs(held.demand) @ np.abs(loads)
        friction[stuck] += needed[: len(stuck)]
        needs, pushes = np.abs(friction), np.abs(self.pressing.rows)
        needs[stuck] = efforts[: len(stuck)]
        if shut:
            stop_forces.rows[shut], pushes[shut] = needed[len(stuck) :], efforts[len(stuck) :]
            normal, pressed = self.normal_forces(stop_forces), self.presses[:, shut]
            needs += self.static[:, None] * (pressed @ pushes[shut])
            rubbing = slips * (pressed @ stop_forces.rows[shut])
            friction, loads = friction + rubbing, loads + self.pulls.T @ rubbing
        rate = np.zeros((2 * n, loads.shape[1]))
        rate[:n, 1 + n : 1 + 2 * n] = np.eye(n)
        rate[n:] = hold @ self.inverse @ loads
        pressing = np.where(self.rigid[:, None], stop_forces.rows, self.pressing.rows)
        guards, sizes, changes = self._guards(mode, friction, needs, normal.rows, pressing, pushes, hold)
        slack = tuple(spring for j, spring in self.springs.items() if mode.frictions[j] is Grip.FREE)
        return ModeFlow(
            mode, self._whole(rate), guards, changes, sizes, np.abs(self.inverse) @ np.abs(loads), stop_forces,
            self.gaps, self.gap_rates, self._whole(friction), self.sliding, hold, slack,
        )  # fmt: skip

    def _whole(self, rows: Floats) -> Affine:
        """Return rows as an Affine in which supports move as their functions say."""
        n, supports = self.problem.size, self.supports
        for order, channels in enumerate(self.carriers if supports.size else ()):
            rows[:, 1 + 2 * n + channels] += rows[:, 1 + order * n + supports]
            rows[:, 1 + order * n + supports] = 0.0
        return Affine(rows, 2 * n)

    def _affine(self, rows: list[Floats]) -> Affine:
        return self._whole(np.array(rows).reshape(-1, 1 + 2 * self.problem.size + self.channels))

    def _row(self, *, constant: float = 0.0, x: Any = 0.0, v: Any = 0.0) -> Floats:
        n = self.problem.size
        row = np.zeros(1 + 2 * n + self.channels)
        row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n] = constant, x, v
        return row

    def _elongations(self) -> tuple[Affine, Affine]:
        """Return elongations (m) and rates (m/s) of the dampers."""
        devices = self.problem.devices
        return (
            self._affine([self._row(constant=d.offset, x=d.direction) for d in devices]),
            self._affine([self._row(v=d.direction) for d in devices]),
        )

    def _spring(self, stop: Stop) -> Floats:
        """Return ``-k d - c d'`` of a stop, zeros of a rigid one, the push of a bend."""
        if stop.rigid:
            return self._row()
        k, c = stop.stiffness, stop.damping
        if isinstance(stop, Bend):
            return self._row(constant=-c * stop.rate, v=c * stop.along)
        return self._row(constant=k * (stop.offset - stop.gap), x=k * stop.normal, v=c * stop.normal)

    def _gap_sizes(self) -> Floats:
        """Return the sizes of the terms of gaps, as rows; with a share of all displacements where stops are rigid.

        The gap of what rests is nothing but what their rounding leaves.
        """
        bounds = WAY * self._bounds(self.lengths(self.normals))
        shares = [
            self._row(x=bound if stop.rigid else 0.0) for stop, bound in zip(self.problem.stops, bounds, strict=True)
        ]
        return np.abs(self.gaps.rows) + np.array(shares).reshape(self.gaps.rows.shape)

    def _gaps(self) -> tuple[Affine, Affine]:
        gaps, rates = zip(*map(self._gap, self.problem.stops), strict=True) if self.problem.stops else ((), ())
        return self._affine(list(gaps)), self._affine(list(rates))

    def _gap(self, stop: Stop) -> tuple[Floats, Floats]:
        """Return the gap of a stop and its rate; a bend has a constant one."""
        if isinstance(stop, Bend):
            return self._row(constant=stop.gap), self._row()
        return self._row(constant=stop.gap - stop.offset, x=-stop.normal), self._row(v=-stop.normal)

    def normal_forces(self, stop_forces: Affine) -> Affine:
        """Return the normal force of each friction: constant, or of its stop."""
        return self._whole(self.weights.rows + self.presses @ stop_forces.rows)

    def pressing_planes(self, friction: Friction) -> tuple[int, ...]:
        """Return the planes that press a friction; none if the force is constant."""
        return self.planes[friction.normal] if isinstance(friction.normal, str) else ()

    def _slips(self, mode: ContactMode) -> Floats:
        """Return what part of the normal force each friction has as force: none unless it slips, (f,)."""
        pairs = zip(mode.frictions, self.problem.frictions, strict=True)
        return np.array([-float(grip) * f.kinetic if grip in SLIPS else 0.0 for grip, f in pairs])

    def _rigid(self, mode: ContactMode) -> list[int]:
        """Return the frictions that stick rigidly."""
        return [j for j, grip in enumerate(mode.frictions) if grip is Grip.STICK and j not in self.springs]

    def _add_springs(self, mode: ContactMode, forces: Floats) -> None:
        """Add the forces ``-k s - c w`` of the frictions that stick through a spring and damper."""
        n = self.problem.size
        for j, spring in self.springs.items():
            friction = self.problem.frictions[j]
            if mode.frictions[j] is Grip.STICK:
                forces[j, 1 + spring] -= friction.stiffness
                forces[j, 1 + n : 1 + 2 * n] -= friction.damping * friction.tangents[0]

    def held(self, stuck: tuple[int, ...], shut: tuple[int, ...], mode: ContactMode | None = None) -> Constraint:
        """Return what holds the unknowns where frictions stick and rigid stops are closed.

        They ask ``W (M⁻¹ (q + F λ) + ψ s'') = 0`` of their tangents and inward normals W, q being all other forces and
        s'' the accelerations of the supports; F are the same directions, those of the stops with the forces of what
        slips under them in a mode. The projection takes away what rounding leaves of the velocities along W, so that
        rest holds exactly however long it lasts.
        """
        slips = self._slips(mode) * self.jams if mode and shut else np.zeros(0)
        key = stuck, shut, slips.tobytes() if slips.any() else b""
        if key not in self.holds:
            if len(self.holds) == MOST_HELD:
                self.holds.clear()
            W = np.vstack((self.tangents[list(stuck)], -self.normals[list(shut)]))
            shares = self._shares(stuck, len(shut)) / norms(W @ self.root)
            F = W.copy() if slips.any() else W
            if slips.any():
                F[len(stuck) :] += (slips[:, None] * self.presses[:, list(shut)]).T @ self.pulls
            self.holds[key] = self._constrained(W, shares, F)
        return self.holds[key]

    def _constrained(self, W: Floats, shares: Floats, F: Floats) -> Constraint:
        """Return the same for directions W and F (k, n); if dependent, they share by the squares of shares (k,).

        With ``M = L Lᵀ`` and an orthonormal basis V of the rows of ``W L⁻ᵀ`` the projection is ``1 - L⁻ᵀ Vᵀ V Lᵀ``:
        no difference of shares cancels in it.
        """
        eye, along = np.eye(self.problem.size), W @ self.root
        _, sizes, rows = np.linalg.svd(along / norms(along)[:, None])
        basis = rows[: np.count_nonzero(sizes**2 > DEPENDENT * sizes.max(initial=0.0) ** 2)]
        back, parts = self.root @ basis.T, along @ basis.T
        shared = np.linalg.pinv(shares[:, None] * parts) * shares
        resisted = shared if F is W else np.linalg.pinv(shares[:, None] * (F @ self.root @ basis.T)) * shares
        demand = resisted.T @ back.T
        carried = np.linalg.pinv(parts) @ W[:, self.supports] if self.supports.size else np.zeros((len(basis), 0))
        demand[:, self.supports] = resisted.T @ carried
        projected = back @ back.T @ self.problem.mass
        if len(basis) == len(eye) - self.supports.size:
            projected = eye.copy()
            projected[self.supports, self.supports] = 0.0
        projected[:, self.supports] = back @ carried
        hold = eye - projected
        hold[np.abs(hold) <= ROUNDING * (eye + np.abs(projected))] = 0.0
        return Constraint(F, back @ shared, demand, hold)

    def _following(self, mode: ContactMode, hold: Floats) -> Floats:
        """Return a projection in which a spring of stick follows the sliding, and that of a slip waits."""
        found = hold.copy()
        for j, spring in self.springs.items():
            found[spring] = self.tangents[j] @ found if mode.frictions[j] is Grip.STICK else 0.0
        return found

    def _shares(self, stuck: Sequence[int], shut: int) -> Floats:
        """Return weights (k,) of frictions that stick, then of closed stops: their squares are what each can hold.

        So several frictions along one line are one that holds as much as all. Forces are taken in the norm of the
        kinetic energy; those of stops that press, unknown beforehand, count as equal. A closed rigid stop holds any
        force: frictions leave to it what both can hold.
        """
        frictions = [self.problem.frictions[j] for j in stuck]
        reach = np.linalg.norm(self.tangents[list(stuck)] @ self.root, axis=1)  # 0 of one that does not rub
        limits = np.array([f.static * _constant(f) for f in frictions]) * reach
        if shut or not limits.any() or any(isinstance(f.normal, str) for f in frictions):
            return np.repeat([LEAST if shut else 1.0, 1.0], [len(stuck), shut])
        return np.asarray(np.sqrt(np.maximum(limits / limits.max(), LEAST)))  # of the unit of force nothing is left

    def _guards(
        self,
        mode: ContactMode,
        friction: Floats,
        needs: Floats,
        normal: Floats,
        pressing: Floats,
        pushes: Floats,
        hold: Floats,
    ) -> tuple[Affine, Floats, tuple[ElementChange, ...]]:
        """Return the guards, the sizes of their terms, and what they mean.

        ``needs`` are the sizes of the forces of frictions, ``pushes`` those of stops.
        """
        parted, torn = self._torn(self.normals, hold), self._torn(self.tangents, hold)
        rows: list[Floats] = []
        sizes: list[Floats] = []
        changes: list[ElementChange] = []
        for i, touch in enumerate(mode.stops):
            rigid = bool(self.rigid[i])
            for row, becomes in _stop_guards(touch, self.gaps.rows[i], pressing[i], rigid=rigid):
                if becomes is Touch.OPEN and isinstance(self.problem.stops[i], Bend):
                    continue  # it never opens, and SUNDIALS takes the rate of a constant guard for a root
                rows.append(row)
                sizes.append((pushes if touch is Touch.CLOSED else self.gap_sizes)[i] if rigid else np.abs(row))
                changes.append(ElementChange(i, becomes, STRIKES if rigid and becomes is Touch.CLOSED else -1))
            if rigid and parted[i] and touch is Touch.CLOSED:
                rows += [self.gap_rates.rows[i], -self.gap_rates.rows[i]]
                sizes += 2 * [self._row(v=self._bounds(self.lengths(self.normals[[i]]))[0])]
                changes += 2 * [ElementChange(i, Touch.OPEN)]
        for j, grip in enumerate(mode.frictions):
            limit = self.problem.frictions[j].static * normal[j]
            glides = self._row(v=self.glides[j])
            size = glides if grip in SLIPS else np.abs(limit) + needs[j]
            for row, becomes_grip in _friction_guards(grip, limit, friction[j], self.sliding.rows[j]):
                rows.append(row)
                sizes.append(size)
                changes.append(self._regripping(j, grip, becomes_grip, normal[j]))
            if grip is Grip.STICK and torn[j] and j not in self.springs:
                rows += [self.sliding.rows[j], -self.sliding.rows[j]]
                sizes += 2 * [glides]
                changes += [ElementChange(j, Grip.SLIP_DOWN), ElementChange(j, Grip.SLIP_UP)]
        return self._affine(rows), self._affine(sizes).rows, tuple(changes)

    def _torn(self, directions: Floats, hold: Floats) -> NDArray[np.bool_]:
        """Tell along which directions (k, n) what is held cannot rest together, as supports move it apart."""
        if not self.supports.size:
            return np.zeros(len(directions), dtype=bool)
        left = directions @ hold
        left[:, : self.own], left[:, self.own + self.supports.size :] = 0.0, 0.0
        return np.asarray(self.lengths(left) > TORN * self.lengths(directions))

    def rounding(self, mode: ContactMode, y: Floats, u: Floats, scale: float) -> tuple[Floats, Floats, Floats]:
        """Return the gaps (s,) and rates of gaps (s,) that are none, and the rates whose hops may be none.

        Measures are the terms of a gap, and a share of the ways that velocities and forces, each by itself, lead in a
        time (s). A hop against all forces at once that is no higher than such a gap is none.
        """
        sizes, across = np.abs(np.concatenate(([1.0], y, u))), np.abs(self.normals)
        low, hops = self._hops(self.gap_sizes @ sizes, across, self.flow(mode).efforts @ sizes, y, scale)
        still = AT_REST * self.speed(y[self.problem.size :]) * self.lengths(self.normals) + low / scale
        return low, still, np.maximum(still, hops)

    def slow(self, mode: ContactMode, y: Floats, u: Floats, scale: float) -> NDArray[np.bool_]:
        """Tell which rigid frictions slide so slowly that all forces at once would end it on a way that is rounding."""
        n, sizes = self.problem.size, np.abs(np.concatenate(([1.0], y, u)))
        terms, pull = WAY * self.glides @ np.abs(y[:n]), self.flow(mode).efforts @ sizes
        _, ends = self._hops(terms, np.abs(self.tangents), pull, y, scale)
        slow = np.abs(self.tangents @ y[n:]) <= ends
        slow[list(self.springs)] = False
        return np.asarray(slow)

    def _hops(self, terms: Floats, across: Floats, pull: Floats, y: Floats, scale: float) -> tuple[Floats, Floats]:
        """Return ways (k,) along directions that are rounding, and the velocities that ``pull`` (m/s²) ends on them."""
        speeds = np.abs(y[self.problem.size :])
        low = LOW * (terms + WAY * across @ (speeds * scale + pull * scale**2))
        return low, 2 * np.sqrt(low * (across @ pull))

    def speed(self, v: Floats) -> float:
        """Return the norm of velocities that goes with the kinetic energy."""
        return float(np.sqrt(v @ np.asarray(self.problem.mass) @ v))

    def _regripping(self, j: int, grip: Grip, becomes: Grip, normal: Floats) -> ElementChange:
        """Return the change of a friction; the spring of a slip that ends takes over the force of the slip."""
        if becomes is not Grip.STICK or j not in self.springs:
            return ElementChange(j, becomes)
        friction = self.problem.frictions[j]
        return ElementChange(j, becomes, self.springs[j], float(grip) * friction.kinetic / friction.stiffness * normal)


def norms(rows: Floats) -> Floats:
    """Return the lengths (k,) of rows (k, n), one for a row of zeros."""
    lengths = np.linalg.norm(rows, axis=1)
    return np.asarray(np.where(lengths > 0, lengths, 1.0))


def _constant(friction: Friction) -> float:
    """Return the normal force (N) of a friction, 0 if a stop presses it."""
    return 0.0 if isinstance(friction.normal, str) else friction.normal


def _stop_guards(touch: Touch, gap: Floats, force: Floats, *, rigid: bool) -> list[tuple[Floats, Touch]]:
    if touch is Touch.OPEN:
        return [(gap, Touch.CLOSED)]
    if rigid:
        return [(force, Touch.OPEN)]
    if touch is Touch.CLOSED:  # never tensile: released when the force vanishes, with damping before the gap opens
        return [(force, Touch.RELEASED)]
    return [(-force, Touch.CLOSED), (-gap, Touch.OPEN)]


def _friction_guards(grip: Grip, limit: Floats, force: Floats, sliding: Floats) -> list[tuple[Floats, Grip]]:
    if grip is Grip.FREE:
        return []
    if grip is Grip.STICK:  # too much force needed upwards means that the drive wins downwards
        return [(limit - force, Grip.SLIP_DOWN), (limit + force, Grip.SLIP_UP)]
    return [(float(grip) * sliding, Grip.STICK)]
