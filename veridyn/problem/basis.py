"""Modal basis, static modes, projection and restitution (dense matrices, SciPy)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from veridyn.problem.devices import Device
from veridyn.problem.elements import Friction, Stop, SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.matrices import is_coupled, is_skewed, skew_part, symmetric_part
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.sparse import diagonal

EPSILON = np.finfo(float).eps
SINGULAR = 1e-14  # reciprocal condition; below it a solution is rounding


def undamped_modes(stiffness: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Return w² (n,), rising, and shapes (n, n) of ``K φ = w² M φ`` with ``φᵀ M φ = 1``, K without its skew part."""
    from scipy.linalg import eigh  # late: a fifth of a second in every process, and few have modes to find

    squares, shapes = eigh(symmetric_part(stiffness), mass)
    return squares, shapes


def modal_basis(problem: MechanicalProblem) -> Modes:
    """Solve ``K φ = w² M φ``; shapes normalised to unit generalised mass, w² clipped at rounding level.

    Returns
    -------
    Modes
        All modes of the symmetric part by increasing frequency, circulatory forces as their coupling; or the modes that
        the problem brings; of sparse matrices the coordinates, see `coordinates_as_modes`.

    Raises
    ------
    ProblemError
        If the stiffness matrix has a negative eigenvalue.
    """
    if problem.modes is not None:
        return problem.modes
    if problem.sparse:
        return coordinates_as_modes(problem)
    omega2, shapes = undamped_modes(problem.stiffness, problem.mass)
    rounding = 1e-12 * max(abs(omega2[0]), abs(omega2[-1]), 1e-300) * problem.size
    if omega2[0] < -rounding:
        raise ProblemError(f"{problem.name}: the stiffness matrix has the negative eigenvalue w² = {omega2[0]:.6g}")
    omega = np.sqrt(np.clip(omega2, 0.0, None))
    ratio, coupling = _split(_modal_damping(problem.damping, shapes), omega)
    circulatory = shapes.T @ skew_part(problem.stiffness) @ shapes if is_skewed(problem.stiffness) else None
    return Modes(
        omega=omega,
        damping=ratio,
        masses=np.ones(problem.size),
        shapes=shapes,
        coupling=coupling,
        stiffness_coupling=circulatory,
    )


def coordinates_as_modes(problem: MechanicalProblem) -> Modes:
    """Return the coordinates of a problem of sparse matrices as modes of frequency zero, which its matrices couple.

    Their masses are those that the mass matrix is nowhere below.
    """
    zero = np.zeros(problem.size)
    damping = problem.damping if "damping" in problem.needs else None
    return Modes(
        omega=zero,
        damping=zero,
        masses=problem.least_masses,
        shapes=diagonal(np.ones(problem.size)),
        coupling=damping,
        stiffness_coupling=problem.stiffness,
    )


def _modal_damping(damping: Floats, shapes: Floats) -> Floats:
    """Return ``φᵀ C φ`` (n, n), without what rounding leaves below zero of a diagonal entry, and of a skew part.

    What n terms are summed to is off by n eps of the sum of their sizes at most, that is of ``|φ|² |C|`` (Frobenius).
    It happens three times: as C is assembled, and in the two products (N. J. Higham, Accuracy and Stability of
    Numerical Algorithms, SIAM 2002, section 3.5).
    """
    modal = shapes.T @ damping @ shapes
    diagonal = np.diag(modal)
    rounding = 3 * len(damping) * EPSILON * np.linalg.norm(damping) * (shapes**2).sum(axis=0)
    modal = modal - np.diag(np.where((-rounding <= diagonal) & (diagonal < 0), diagonal, 0.0))
    return np.asarray(modal if is_skewed(damping) else symmetric_part(modal))


def _split(modal_damping: Floats, omega: Floats) -> tuple[Floats, Floats | None]:
    """Return damping ratios (r,) and what they do not express.

    That is coupling, which is symmetric or skew (gyroscopic), and damping of rigid-body modes.
    """
    diagonal = np.diag(modal_damping)
    ratio = np.divide(diagonal, 2 * omega, out=np.zeros_like(omega), where=omega > 0)
    others = symmetric_part(modal_damping - np.diag(diagonal)) if is_coupled(modal_damping) else 0.0
    coupling = np.diag(np.where(omega > 0, 0.0, diagonal)) + others + skew_part(modal_damping)
    return ratio, coupling if np.any(coupling) else None


def modal_state(problem: MechanicalProblem, modes: Modes) -> tuple[Floats, Floats]:
    """Project the initial displacement and velocity on the modes (M-orthogonal or least squares)."""
    start = problem.initial_displacement, problem.initial_velocity
    if problem.sparse:
        return start
    if problem.mass is not None:
        x, v = (modes.shapes.T @ (problem.mass @ each) / modes.masses for each in start)
    else:
        back = np.asarray(np.linalg.pinv(modes.shapes), dtype=float)
        x, v = (back @ each for each in start)
    return x, v


def support_load(problem: MechanicalProblem, modes: Modes, support: SupportMotion) -> Floats:
    """Return the modal participation ``-φᵀ M ψ`` (r,) of one support motion."""
    if problem.mass is not None:
        return np.asarray(-modes.shapes.T @ (problem.mass @ support.influence))
    return -modes.masses * (np.linalg.pinv(modes.shapes) @ support.influence)


def moved_mass(problem: MechanicalProblem, *directions: Floats) -> float:
    """Return the least effective mass ``1 / (tᵀ M⁻¹ t)`` (kg) that a force in the span of directions t (n,) moves.

    Raises `ProblemError` if the directions are zero.
    """
    along = np.array(directions)
    if not np.any(along):
        raise ProblemError(f"{problem.name}: a force along a zero direction moves nothing; give a tangent")
    if problem.modes is not None:
        along = along @ problem.modes.shapes
        mobility = along @ (along / problem.modes.masses).T
    else:
        mobility = along @ problem.over_mass(along.T)
    return 1.0 / float(np.linalg.eigvalsh(mobility)[-1])


def static_modes(stiffness: Floats, free: list[int], supports: list[int]) -> Floats:
    """Return the static modes ``-K_ff⁻¹ K_fs`` (free, supports) of a structure with its supports.

    Raises `ProblemError` if the free part of the stiffness matrix is singular.
    """
    held = stiffness[np.ix_(free, free)]
    if np.linalg.cond(held) > 1 / SINGULAR:
        raise ProblemError("static modes need supports that hold the structure: K_ff is singular")
    return np.asarray(-np.linalg.solve(held, stiffness[np.ix_(free, supports)]))


def driven(problem: MechanicalProblem, times: Floats, motion: str) -> Floats:
    """Return the displacement or velocity (m, n) that the supports impose quasi-statically."""
    parts = (np.outer(getattr(s, motion)(times), s.influence) for s in problem.supports)
    return sum(parts, start=np.zeros((times.size, problem.size)))


driven_displacement, driven_velocity = partial(driven, motion="displacement"), partial(driven, motion="velocity")


def _in_coordinates(problem: MechanicalProblem, to: Floats, back: Floats, **given: Any) -> MechanicalProblem:
    """Return a problem in coordinates (m,) that make the present ones by ``to`` (n, m); ``back`` (n, m) reverses it."""
    return replace(
        problem,
        loads=tuple(replace(load, direction=load.direction @ to) for load in problem.loads),
        supports=tuple(replace(s, influence=s.influence @ back) for s in problem.supports),
        stops=tuple(stop.for_unknowns(to) for stop in problem.stops),
        frictions=tuple(replace(f, tangents=tuple(t @ to for t in f.tangents)) for f in problem.frictions),
        devices=tuple(replace(d, direction=d.direction @ to) for d in problem.devices),
        varying=tuple(replace(part, matrix=to.T @ part.matrix @ to) for part in problem.varying),
        coordinates=(),
        **given,
    )


def with_coordinates(problem: MechanicalProblem, count: int) -> MechanicalProblem:
    """Return a problem of matrices with more coordinates, of unit mass, at rest, on which nothing acts."""
    if count == 0:
        return problem
    n = problem.size
    more = np.eye(n, n + count)
    own = np.diag(np.repeat([0.0, 1.0], [n, count]))
    matrices = {name: more.T @ getattr(problem, name) @ more for name in ("mass", "damping", "stiffness")}
    return _in_coordinates(
        problem,
        more,
        more,
        **{**matrices, "mass": matrices["mass"] + own},
        initial_displacement=problem.initial_displacement @ more,
        initial_velocity=problem.initial_velocity @ more,
    )


def with_supports(problem: MechanicalProblem, stated: MechanicalProblem) -> MechanicalProblem:
    """Return a problem of matrices whose supports are coordinates too, the last; what sees them has them in its rows.

    ``stated`` is the same problem in its own degrees of freedom, which says how far elements in the absolute frame are
    carried, be the basis truncated. The masses of the supports are those of the structure that moves with them: they
    serve as weights of their velocities, and no force moves them.
    """
    n, count = problem.size, len(problem.supports)
    wide = with_coordinates(problem, count)
    influences = np.array([support.influence for support in stated.supports])
    more = [_moved(problem, support) - 1.0 for support in problem.supports]
    motion = ([float(getattr(s, of)(problem.start)) for s in problem.supports] for of in ("displacement", "velocity"))
    x, v = (np.concatenate((np.zeros(n), part)) for part in motion)

    def seen(row: Floats, element: Stop | Friction | Device, direction: Floats) -> Floats:
        carried = influences @ direction if element.frame == "absolute" else np.zeros(count)
        return row + np.concatenate((np.zeros(n), carried))

    def tangents(wide: Friction, own: Friction) -> tuple[Floats, ...]:
        return tuple(seen(row, own, tangent) for row, tangent in zip(wide.tangents, own.tangents, strict=True))

    stops, frictions, devices = (
        zip(getattr(wide, kind), getattr(stated, kind), strict=True) for kind in ("stops", "frictions", "devices")
    )
    return replace(
        wide,
        mass=np.asarray(wide.mass) + np.diag([*np.zeros(n), *more]),
        stops=tuple(replace(w, normal=seen(w.normal, own, own.normal)) for w, own in stops),
        frictions=tuple(replace(w, tangents=tangents(w, own)) for w, own in frictions),
        devices=tuple(replace(w, direction=seen(w.direction, own, own.direction)) for w, own in devices),
        initial_displacement=wide.initial_displacement + x,
        initial_velocity=wide.initial_velocity + v,
    )


def _moved(problem: MechanicalProblem, support: SupportMotion) -> float:
    """Return the mass (kg) that moves with a support; of a basis in which nothing does, all of it."""
    assert problem.mass is not None
    return float(support.influence @ problem.mass @ support.influence) or float(np.trace(problem.mass))


def in_modal_coordinates(problem: MechanicalProblem) -> MechanicalProblem:
    """Return a problem that is given by modes as one of matrices, its unknowns being the modal coordinates (r,).

    Stops, frictions and devices keep their local coordinates only in the relative frame: the driven displacement of
    supports does not lie in a truncated basis, see `with_supports`.
    """
    modes = problem.modes
    assert modes is not None
    q, v = modal_state(problem, modes)
    return _in_coordinates(
        problem,
        modes.shapes,
        np.asarray(np.linalg.pinv(modes.shapes).T, dtype=float),
        modes=None,
        mass=modes.mass_matrix,
        damping=modes.damping_matrix,
        stiffness=modes.stiffness_matrix,
        initial_displacement=q,
        initial_velocity=v,
    )
