"""Numbers with their derivative: complex ones, whose imaginary part is a tiny multiple of it.

The kernels differentiate themselves: on complex arrays the same code computes a response, and in the imaginary parts
its derivative, to rounding, since products of two imaginary parts vanish beside the real ones. Branches are taken by
real parts. Squire, Trapp, SIAM Review 40, 1998 (complex-step differentiation).

What the kernels get, a modal system and its start, is differentiated here. The numbers of a problem enter by formulas
of low degree: central differences of fourth order are exact there but for rounding. Modes are not differenced, since
they may change order and sign between neighbours; they have formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import modal_basis
from veridyn.problem.devices import BucklingStop, Device, PiecewiseLaw
from veridyn.problem.errors import ProblemError
from veridyn.problem.matrices import Matrix, skew_part, symmetric_part
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.named_numbers import EDGES, list_numbers
from veridyn.problem.scalars import to_float
from veridyn.problem.sparse import is_sparse
from veridyn.problem.tangent import Tangent
from veridyn.problem.variations import shift
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.responses import Response
from veridyn.solver.integrators.arrays import ModalArrays, write_arrays
from veridyn.solver.integrators.entries import entries, matrix
from veridyn.solver.integrators.kernels.system import Entries, System

Part = TypeVar("Part")
Numbers = NDArray[np.float64] | NDArray[np.complex128]
Systems = Mapping[int, Part]  # what neighbours have, by their place

UNIT = 2.0**-400  # imaginary part of a derivative of 1: a power of two rounds nothing
STEP = 2.0**-10  # of the number that moves most, relative
STENCIL = {1: 2 / 3, 2: -1 / 12}  # weights of pairs of neighbours
PLACES = (-2, -1, 1, 2)
ROUNDING = 1e-9  # of the largest entry: what is below is what differences leave of zero
STUCK = "stuck"  # the flag among the histories of friction
JUMP = 1e-9  # of a force: pieces that differ by less join
MET = 1e-9  # of the largest squared frequency: frequencies that are nearer to each other meet


def attach(values: Any, slopes: Any) -> NDArray[np.complex128]:
    """Return numbers with their derivatives."""
    result: NDArray[np.complex128] = np.ascontiguousarray(values + 1j * (UNIT * np.asarray(slopes)))
    return result


def read_slopes(values: Numbers) -> Floats:
    """Return the derivatives of numbers."""
    return np.asarray(values.imag / UNIT)


def differentiate_arrays(
    arrays: ModalArrays,
    problem: MechanicalProblem,
    tangent: Tangent,
    complete: Callable[[MechanicalProblem], MechanicalProblem],
) -> ModalArrays:
    """Return what the kernels integrate of a problem, with its derivative along a tangent.

    ``complete`` makes of a neighbour what is integrated, with regularised friction.

    Raises
    ------
    NotImplementedError
        If a force jumps where a state or an instant moves; if the problem has no neighbours on both sides, or other
        equations there; if modes have no derivative.
    """
    _refuse_jumps(problem, tangent)
    step = _choose_step(problem, tangent)
    try:
        beside = {place: complete(_shift(problem, tangent, place * step)) for place in PLACES}
    except ProblemError as nothing:
        raise NotImplementedError(f"derivatives by {tangent.parameter}, which has no neighbours: {nothing}") from None
    moved = _move_modes(problem, beside, step)
    return _join(
        arrays, {place: write_arrays(each, moved[place]) for place, each in beside.items()}, step, tangent.parameter
    )


def _choose_step(problem: MechanicalProblem, tangent: Tangent) -> float:
    """Return the step of the parameter by which the number that moves most does so by its share."""
    numbers = list_numbers(problem)
    shares = [
        abs(slope) / (abs(to_float(numbers[name].value)) or 1.0) for name, slope in tangent.numbers.items() if slope
    ]
    return STEP / max(shares, default=1.0)


def _shift(problem: MechanicalProblem, tangent: Tangent, by: float) -> MechanicalProblem:
    neighbour = shift(problem, tangent, by)
    assert isinstance(neighbour, MechanicalProblem)
    return neighbour


def _difference(beside: Systems[Any], step: float) -> Any:
    # pairs first: what does not move has a difference of exactly zero
    return sum(weight * (beside[place] - beside[-place]) for place, weight in STENCIL.items()) / step


def split(both: Response) -> Differentiated:
    """Return a response and its derivative, from one whose numbers carry it.

    Flags have none: an instant that is read from the samples at which a flag changes would stand still.
    """
    elements, slopes = (
        {name: {key: read(history) for key, history in histories.items()} for name, histories in both.elements.items()}
        for read in (np.real, read_slopes)
    )
    for histories in slopes.values():
        histories.pop(STUCK, None)
    response = replace(both, displacement=both.displacement.real, velocity=both.velocity.real, elements=elements)
    displacement, velocity = read_slopes(both.displacement), read_slopes(both.velocity)
    return Differentiated(response, Response(np.zeros(both.time.size), displacement, velocity, elements=slopes))


# A force that jumps does so at the end of a step, which does not move with the parameter: the derivative of each step
# is right, and that of the march lacks what the instant of the jump adds (saltation), however short the steps are.
def _refuse_jumps(problem: MechanicalProblem, tangent: Tangent) -> None:
    numbers = list_numbers(problem)
    moved = [name for name, slope in tangent.numbers.items() if slope]
    reasons = [
        *(f"through {stop.name!r}, whose damper jumps in where it closes" for stop in problem.stops if stop.damping),
        *(
            f"through {friction.name!r}, whose force jumps from static to kinetic"
            for friction in problem.frictions
            if friction.static != friction.kinetic
        ),
        *(f"through {device.name!r}, whose force jumps" for device in problem.devices if _jumps(device)),
        *(f"by {name}, at which a function of time changes" for name in moved if EDGES.intersection(numbers[name].way)),
    ]
    if reasons:
        raise NotImplementedError(f"derivatives {reasons[0]}: at an instant that moves, and steps do not")


def _jumps(device: Device) -> bool:
    """Tell whether two pieces of a law differ at the break between them, or a stop gives way at once as it buckles."""
    if isinstance(device, BucklingStop):
        return not device.softening and device.post_force < device.critical_force
    if not isinstance(device, PiecewiseLaw):
        return False
    left = zip(device.breaks, device.origins, device.coefficients, strict=False)
    ends = (sum(c * (at - origin) ** k for k, c in enumerate(row)) for at, origin, row in left)
    pieces = zip(ends, device.coefficients[1:], strict=True)
    return any(abs(end - row[0]) > JUMP * max(abs(end), abs(row[0])) for end, row in pieces)


# ---- joining


def _join(here: ModalArrays, beside: Systems[ModalArrays], step: float, parameter: str) -> ModalArrays:
    def join(name: str) -> NDArray[np.complex128]:
        slopes = _difference({place: getattr(each, name) for place, each in beside.items()}, step)
        return attach(getattr(here, name), slopes)

    sparse = is_sparse(here.shapes)  # coordinates, which nothing moves
    return ModalArrays(
        system=_join_systems(here.system, {place: each.system for place, each in beside.items()}, step, parameter),
        q=join("q"),
        v=join("v"),
        shapes=here.shapes if sparse else join("shapes"),
        mass=here.mass,
    )


def _join_systems(here: System, beside: Systems[System], step: float, parameter: str) -> System:
    r, joined = here.masses.size, dict[str, Any]()
    for name, value in here._asdict().items():
        others = {place: getattr(each, name) for place, each in beside.items()}
        if name in ("coupling", "springs"):
            joined[name] = _join_entries(value, others, r, step)
        elif isinstance(value, Entries):  # directions of a problem of sparse matrices
            joined[name] = value
            if not all(np.array_equal(each.value, value.value) for each in others.values()):
                raise NotImplementedError(f"derivatives by {parameter}, which turns a direction of a sparse problem")
        elif isinstance(value, np.ndarray) and value.dtype == float:
            joined[name] = _join_arrays(value, others, step, parameter)
        else:
            joined[name] = value
            if not all(np.array_equal(each, value) for each in others.values()):
                raise NotImplementedError(f"derivatives by {parameter}, along which the form of the equations changes")
    # as if there were several modes: kernels that differentiate are compiled once, not for one mode apart
    return System(**{**joined, "several": True})


def _join_arrays(value: Floats, others: Systems[Floats], step: float, parameter: str) -> NDArray[np.complex128]:
    if any(each.shape != value.shape for each in others.values()):
        raise NotImplementedError(f"derivatives by {parameter}, along which the form of the equations changes")
    return attach(value, _difference(others, step))


def _join_entries(value: Entries, others: Systems[Entries], size: int, step: float) -> Entries:
    """Return a sparse matrix (r, r) with its derivative, whose entries may stand where it has none."""
    slopes = _difference({place: matrix(each, size) for place, each in others.items()}, step).tocsr()
    whole = matrix(value, size)
    largest = max(abs(whole).max(), abs(slopes).max()) if slopes.nnz else 0.0
    slopes.data[np.abs(slopes.data) <= ROUNDING * largest] = 0.0
    slopes.eliminate_zeros()
    if not (whole.nnz or slopes.nnz):
        return Entries(value.first, value.column, np.empty(0, dtype=complex))
    return entries(whole + 1j * UNIT * slopes)


# ---- modes


@dataclass(frozen=True, eq=False)
class ModeSlopes:
    """Derivatives of modes: of squared frequencies (r,), and of shapes (n, r) as sums of shapes (r, r)."""

    squares: Floats
    turns: Floats


def _move_modes(here: MechanicalProblem, beside: Systems[MechanicalProblem], step: float) -> Systems[Modes]:
    """Return the modes of neighbours to first order: their own, or those of their matrices."""
    if here.modes is not None or here.sparse:
        return {place: modal_basis(each) for place, each in beside.items()}
    modes = modal_basis(here)
    stiffness, mass = (
        _difference({place: np.asarray(getattr(each, name)) for place, each in beside.items()}, step)
        for name in ("stiffness", "mass")
    )
    slopes = _differentiate_modes(modes, symmetric_part(stiffness), mass)
    return {place: _move(modes, slopes, each, place * step) for place, each in beside.items()}


def _differentiate_modes(modes: Modes, stiffness: Floats, mass: Floats) -> ModeSlopes:
    """Return the derivatives of modes by those of their matrices; raises NotImplementedError if they have none.

    R. L. Fox, M. P. Kapoor, AIAA J. 6, 1968.
    """
    squares, shapes = modes.omega**2, modes.shapes
    changes = shapes.T @ mass @ shapes
    forces = shapes.T @ stiffness @ shapes - changes * squares
    own = np.diag(forces)
    apart = squares[None, :] - squares[:, None]
    meets = np.abs(apart) <= MET * squares.max(initial=0.0)
    np.fill_diagonal(meets, val=False)
    scale = np.abs(forces).max(initial=0.0)
    if (np.abs(forces[meets]) > ROUNDING * scale).any() or (np.abs(own[squares == 0]) > ROUNDING * scale).any():
        raise NotImplementedError("derivatives of modes whose frequencies meet, or of rigid bodies that get a spring")
    turns = np.divide(forces, apart, out=np.zeros_like(forces), where=~meets & (apart != 0))
    np.fill_diagonal(turns, -0.5 * np.diag(changes))
    return ModeSlopes(own, turns)


def _move(modes: Modes, slopes: ModeSlopes, neighbour: MechanicalProblem, by: float) -> Modes:
    """Return the modes of a neighbour, and what its matrices have beside them."""
    omega = modes.omega + by * np.divide(
        slopes.squares, 2 * modes.omega, out=np.zeros_like(modes.omega), where=modes.omega > 0
    )
    shapes = np.asarray(modes.shapes + by * (modes.shapes @ slopes.turns))
    damping = _project(neighbour.damping, shapes)
    own = np.diag(damping)
    ratio = np.divide(own, 2 * omega, out=np.zeros_like(omega), where=omega > 0)
    return Modes(
        omega=omega,
        damping=ratio,
        masses=modes.masses,
        shapes=shapes,
        coupling=damping - np.diag(np.where(omega > 0, own, 0.0)),
        stiffness_coupling=shapes.T @ skew_part(neighbour.stiffness) @ shapes,
    )


def _project(damping: Matrix | None, shapes: Floats) -> Floats:
    return np.zeros((shapes.shape[1],) * 2) if damping is None else np.asarray(shapes.T @ damping @ shapes)
