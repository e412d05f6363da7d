"""From a problem and its modes to the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.problem.basis import driven_displacement, modal_state, support_load
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.geometry import segments
from veridyn.problem.matrices import Matrix
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.scalars import to_float
from veridyn.problem.sparse import diagonal, is_sparse
from veridyn.problem.time_functions import Harmonic, Piecewise, Windowed
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.integrators.entries import NOTHING, entries
from veridyn.solver.integrators.kernels import contact, curved, device
from veridyn.solver.integrators.kernels.function_table import (
    HARMONIC,
    HARMONIC_WIDTH,
    PIECEWISE,
    WINDOWED,
    WINDOWED_WIDTH,
)
from veridyn.solver.integrators.kernels.system import Entries, System

LAW = {
    "nonlinear-spring": device.NONLINEAR_SPRING,
    "buckling-stop": device.BUCKLING_STOP,
    "zener": device.ZENER,
    "nonlinear-damper": device.NONLINEAR_DAMPER,
}
GEOMETRY = {
    "plane": contact.PLANE,
    "parallel planes": contact.PARALLEL_PLANES,
    "circle": curved.CIRCLE,
    "outside circle": curved.OUTSIDE_CIRCLE,
    "profile": curved.PROFILE,
}


@dataclass(frozen=True)
class KernelContact:
    """One contact of the kernels: a stop, a friction, or a friction that rests on a stop."""

    stop: Stop | None
    friction: Friction | None

    @property
    def element(self) -> Stop | Friction:
        """The stop, or the friction that has none."""
        owner = self.stop or self.friction
        assert owner is not None
        return owner


@dataclass(frozen=True, eq=False)
class ModalArrays:
    """What is integrated: a modal system, its start (r,), shapes (n, r), and a sparse mass matrix over the masses."""

    system: System
    q: Any  # (r,) doubles, or numbers with their derivative; see `duals`
    v: Any
    shapes: Matrix
    mass: Matrix | None


def write_arrays(problem: MechanicalProblem, modes: Modes) -> ModalArrays:
    """Return what is integrated of a problem; raises what `contacts` raises."""
    q, v = modal_state(problem, modes)
    mass = diagonal(1 / modes.masses) @ problem.mass if problem.consistent else None
    return ModalArrays(system_arrays(problem, modes), q, v, modes.shapes, mass)


def contacts(problem: MechanicalProblem) -> tuple[KernelContact, ...]:
    """Pair stops with the frictions that rest on them.

    Raises `CapabilityError` if several frictions rest on one stop, a friction is set-valued, or frames differ in a
    pair.
    """
    resting = {f.normal: f for f in problem.frictions if isinstance(f.normal, str)}
    if len(resting) < sum(isinstance(f.normal, str) for f in problem.frictions):
        raise CapabilityError(f"{problem.name}: several frictions rest on one stop; give each stop at most one")
    for friction in problem.frictions:
        if friction.law == "set-valued":
            raise CapabilityError(f"{problem.name}: friction {friction.name!r} is set-valued; regularise it first")
    pairs = [KernelContact(stop, resting.get(stop.name)) for stop in problem.stops]
    for pair in pairs:
        if pair.stop and pair.friction and pair.stop.frame != pair.friction.frame:
            raise CapabilityError(f"{problem.name}: stop {pair.stop.name!r} and its friction use different frames")
    alone = [KernelContact(None, f) for f in problem.frictions if not isinstance(f.normal, str)]
    return (*pairs, *alone)


def _encode(functions: Iterable[TimeFunction], parameters: list[float]) -> dict[str, Any]:
    """Return time functions as arrays; their parameters follow those that are there."""
    first, terms = [0], []
    for function in functions:
        for term in function.terms():
            numbers, kind, count, width = _term(term)
            terms.append((kind, len(parameters), count, width))
            parameters.extend(numbers)
        first.append(len(terms))
    return {
        "function_term": np.array(first, dtype=np.int64),
        "terms": np.array(terms, dtype=np.int64).reshape(-1, 4),
        "parameter": np.array(parameters, dtype=float),
    }


def _wave(wave: TimeFunction) -> list[float]:
    """Return amplitude, circular frequency (rad/s) and phase (rad)."""
    assert isinstance(wave, Harmonic)
    omega = to_float(wave.omega)
    return [to_float(wave.amplitude) * omega**wave.order, omega, to_float(wave.phase) + wave.order * np.pi / 2]


def _term(term: TimeFunction) -> tuple[list[float], int, int, int]:
    if isinstance(term, Harmonic):
        return _wave(term), HARMONIC, 1, HARMONIC_WIDTH
    if isinstance(term, Windowed):
        window = [to_float(term.start), to_float(term.end)]
        return [*_wave(term.function), *window], WINDOWED, 1, WINDOWED_WIDTH
    assert isinstance(term, Piecewise)
    width = 1 + max(len(row) for row in term.coefficients)
    rows = zip(term.breaks, term.coefficients, strict=True)
    padded = ([to_float(b), *map(to_float, row)] + [0.0] * (width - 1 - len(row)) for b, row in rows)
    return [x for row in padded for x in row], PIECEWISE, len(term.breaks), width


class _Rows:
    """Directions and driven parts of the local coordinates, numbered in order of appearance."""

    def __init__(self, problem: MechanicalProblem) -> None:
        self.directions: list[Floats] = []
        self.driven: list[bool] = []
        self.problem = problem

    def add(self, direction: Floats, frame: str) -> int:
        self.directions.append(direction)
        self.driven.append(frame == "absolute")
        return len(self.directions) - 1

    def matrix(self) -> Floats:
        return np.array(self.directions).reshape(len(self.directions), self.problem.size)

    def drive(self) -> Floats:
        influence = np.array([s.influence for s in self.problem.supports]).reshape(-1, self.problem.size)
        if not any(self.driven):
            return np.zeros((len(self.driven), 0))
        return np.asarray((self.matrix() @ influence.T) * np.array(self.driven, dtype=float)[:, None])


def _directions(pair: KernelContact) -> tuple[Floats | None, ...]:
    """Return the directions (n,) of the local coordinates y, z and x of a contact, None where it has none."""
    normal, lateral = (pair.stop.normal, pair.stop.lateral) if pair.stop else (None, None)
    tangents = pair.friction.tangents if pair.friction else (lateral,)
    return (normal, *tangents, None)[:3]


def _index(pair: KernelContact, rows: _Rows, parameters: list[float]) -> list[int]:
    """Return the integers of a contact; the segments of a profile are added to the parameters."""
    places = [-1 if d is None else rows.add(d, pair.element.frame) for d in _directions(pair)]
    geometry = GEOMETRY[pair.stop.geometry] if pair.stop else contact.CONSTANT_FORCE
    if pair.stop is None or pair.stop.profile is None:
        return [geometry, *places, 0, 0]
    parts = segments(pair.stop.profile)
    parameters.extend(parts.ravel().tolist())
    return [geometry, *places, len(parameters) - parts.size, len(parts)]


def _constants(pair: KernelContact) -> Floats:
    """Return the constants of a contact, `contact.VALUES` of them."""
    value = np.zeros(contact.VALUES)
    if pair.stop is not None:
        stop = pair.stop
        value[[contact.GAP, contact.STIFFNESS, contact.DAMPING]] = stop.gap, stop.stiffness, stop.damping
        value[[contact.Y0, contact.Z0]] = stop.offset, stop.lateral_offset
    if pair.friction is not None:
        friction = pair.friction
        value[[contact.STATIC, contact.KINETIC]] = friction.static, friction.kinetic
        value[[contact.TANGENT_STIFFNESS, contact.TANGENT_DAMPING]] = friction.stiffness, friction.damping
        if not isinstance(friction.normal, str):
            value[contact.FORCE] = friction.normal
    return value


def _device_arrays(problem: MechanicalProblem, rows: _Rows) -> dict[str, Any]:
    devices = problem.devices
    index = np.zeros((len(devices), device.COLUMNS), dtype=np.int64)
    memory = np.zeros((len(devices), device.STATES))
    value: list[float] = []
    start = problem.initial_displacement, driven_displacement(problem, np.array([problem.start]))[0]
    for d, each in enumerate(devices):
        first, row = len(value), rows.add(each.direction, each.frame)
        value.extend(each.constants)
        index[d, [device.LAW, device.ROW, device.FIRST, device.LAST]] = LAW[each.type], row, first, len(value)
        x = start[0] + start[1] if each.frame == "absolute" else start[0]
        remembered = each.memory(problem.start, float(each.direction @ x) + each.offset)
        memory[d, : len(remembered)] = remembered
    return {
        "device_index": index,
        "device_offset": np.array([each.offset for each in devices], dtype=float),
        "device_value": np.array(value, dtype=float),
        "device_memory": memory,
    }


def _over(masses: Floats, matrix: Matrix | None) -> Entries:
    """Return a matrix (r, r) over the generalised masses (r,), nothing if it has none but zeros."""
    if matrix is None or not abs(matrix).max():
        return NOTHING
    return entries(diagonal(1 / masses) @ matrix if is_sparse(matrix) else matrix / masses[:, None])


def _projection(rows: Floats, modes: Modes) -> dict[str, Any]:
    """Return the rows (p, n) of the local coordinates in modal ones, sparse where the coordinates stand for modes."""
    if not is_sparse(modes.shapes):
        projected = rows @ modes.shapes
        return {
            "rows": np.ascontiguousarray(projected.T),
            "back": np.ascontiguousarray(projected / modes.masses),
            "along": NOTHING,
            "push": NOTHING.value,
        }
    along = entries(rows)
    push = along.value / modes.masses[along.column]
    return {"rows": np.empty((0, len(rows))), "back": np.empty((len(rows), 0)), "along": along, "push": push}


def _varying(problem: MechanicalProblem, modes: Modes, first: int) -> dict[str, Any]:
    """Return the matrices that are functions of time; their functions have places from the first on."""
    r = modes.omega.size
    matrices = [modes.shapes.T @ part.matrix @ modes.shapes / modes.masses[:, None] for part in problem.varying]
    index = [(int(part.of == "damping"), first + k) for k, part in enumerate(problem.varying)]
    return {
        "varying": np.array(matrices).reshape(-1, r, r),
        "varying_index": np.array(index, dtype=np.int64).reshape(-1, 2),
    }


def system_arrays(problem: MechanicalProblem, modes: Modes) -> System:
    """Return the kernel arrays of a problem in modal coordinates; raises what `contacts` raises."""
    rows = _Rows(problem)
    pairs, parameters = contacts(problem), [0.0]
    index = np.array([_index(pair, rows, parameters) for pair in pairs], dtype=np.int64).reshape(-1, contact.INDICES)
    devices = _device_arrays(problem, rows)
    drive = rows.drive()
    vectors = [modes.shapes.T @ load.direction for load in problem.loads]
    vectors += [support_load(problem, modes, s) for s in problem.supports]
    functions = list(problem.drives)
    e, moving = len(functions), drive.shape[1]
    for support in problem.supports[:moving]:
        functions += [support.displacement, support.velocity]
    varying = _varying(problem, modes, len(functions))
    functions += [part.function for part in problem.varying]
    sparse = is_sparse(modes.shapes)
    # not the whole matrix less the squared frequencies: of their rounding r² products would be left in every step
    return System(
        masses=modes.masses,
        omega2=modes.omega**2,
        damping=modes.damping_diagonal / modes.masses,
        coupling=_over(modes.masses, modes.damping_beside),
        springs=_over(modes.masses, modes.stiffness_coupling),
        **varying,
        load=np.array(vectors).reshape(e, modes.omega.size) / modes.masses,
        **_projection(rows.matrix(), modes),
        drive=np.ascontiguousarray(drive),
        contact_index=index,
        contact_value=np.array([_constants(pair) for pair in pairs]).reshape(-1, contact.VALUES),
        several=None if modes.omega.size == 1 and moving == 0 and not (problem.varying or sparse) else True,
        **devices,
        **_encode(functions, parameters),
    )
