"""Defects of modal superposition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.mutation.defects.changes import supports
from veridyn.mutation.defects.defect import Before, Defect
from veridyn.solver.problem.basis import in_modal_coordinates, modal_basis
from veridyn.solver.problem.mechanical import Floats, MechanicalProblem, Modes
from veridyn.solver.response import Response


def by_modes(p: MechanicalProblem, modes: Modes) -> MechanicalProblem:
    """Return the problem on another modal basis."""
    return replace(p, mass=None, stiffness=None, damping=None, modes=modes)


def kept(which: Callable[[int], slice]) -> Before:
    """Return the problem on some of its modes, chosen by their number."""

    def before(p: MechanicalProblem) -> MechanicalProblem:
        modes = modal_basis(p)
        some = which(modes.omega.size)
        fewer = Modes(
            omega=modes.omega[some],
            damping=modes.damping[some],
            masses=modes.masses[some],
            shapes=modes.shapes[:, some],
        )
        return by_modes(p, fewer)

    return before


def _unnormalised(p: MechanicalProblem) -> MechanicalProblem:
    """Return shapes of largest component one whose generalised masses are still taken for one."""
    modes = modal_basis(p)
    return by_modes(p, replace(modes, shapes=modes.shapes / np.abs(modes.shapes).max(axis=0)))


def _highest_frequency(p: MechanicalProblem) -> MechanicalProblem:
    modes = modal_basis(p)
    omega = modes.omega.copy()
    omega[-1] *= 1.002
    return by_modes(p, replace(modes, omega=omega))


def _one_ratio(p: MechanicalProblem) -> MechanicalProblem:
    modes = modal_basis(p)
    return by_modes(p, replace(modes, damping=np.full_like(modes.damping, modes.damping[0])))


def participations(change: Callable[[Floats], Floats]) -> Before:
    """Return the problem in modal coordinates, with other participations of the support motion."""

    def before(p: MechanicalProblem) -> MechanicalProblem:
        return supports(lambda s: replace(s, influence=change(s.influence)))(
            in_modal_coordinates(by_modes(p, modal_basis(p)))
        )

    return before


def _restored(p: MechanicalProblem, response: Response) -> Response:
    shapes = modal_basis(p).shapes
    return replace(response, displacement=response.displacement @ shapes.T, velocity=response.velocity @ shapes.T)


def _transposed(p: MechanicalProblem, response: Response) -> Response:
    modes = modal_basis(p)
    back = np.linalg.pinv(modes.shapes).T @ modes.shapes  # rows: to the modes, and on with the transposed shapes
    return replace(response, displacement=response.displacement @ back, velocity=response.velocity @ back)


def _uncoupled(p: MechanicalProblem) -> MechanicalProblem:
    assert p.mass is not None
    assert p.damping is not None
    assert p.stiffness is not None
    mass, damping, stiffness = (np.diag(np.diag(matrix)) for matrix in (p.mass, p.damping, p.stiffness))
    return replace(p, mass=mass, damping=damping, stiffness=stiffness)


def _first_turned(influence: Floats) -> Floats:
    return influence * np.where(np.arange(influence.size) == 0, -1.0, 1.0)


SEVERAL = ("several coordinates", "matrices")

DEFECTS = (
    Defect("highest_mode_dropped", "modal", "The highest mode is missing.", SEVERAL,
        before=kept(lambda count: slice(0, count - 1))),
    Defect("lowest_mode_dropped", "modal", "The lowest mode is missing.", SEVERAL,
        before=kept(lambda _: slice(1, None))),
    Defect("no_static_correction", "modal",
        "Only the lower half of the modes is there, and no static correction for the rest.", SEVERAL,
        before=kept(lambda count: slice(0, (count + 1) // 2))),
    Defect("modes_not_normalised", "modal",
        "Shapes have the largest component one, while their generalised masses are taken for one.",
        ("matrices", "mass other than one", "contact"), before=_unnormalised),
    Defect("highest_frequency_off", "modal", "The highest frequency is 2 per mille too high.", ("matrices",),
        before=_highest_frequency),
    Defect("first_damping_ratio_for_all", "modal", "All modes have the damping ratio of the first.",
        (*SEVERAL, "damping"), before=_one_ratio),
    Defect("first_participation_turned", "modal", "The participation of the first mode has the wrong sign.",
        ("several coordinates", "matrices", "support motion"), before=participations(_first_turned), after=_restored),
    Defect("participations_in_reverse", "modal", "The modes have each other's participations.",
        ("several coordinates", "matrices", "support motion"), before=participations(lambda influence: influence[::-1]),
        after=_restored),
    Defect("coupling_dropped", "modal", "The matrices are taken for their diagonals.",
        ("several coordinates", "matrices", "coupled coordinates"), before=_uncoupled),
    Defect("shapes_transposed", "modal", "Displacements are restored with the transposed matrix of the shapes.",
        ("several coordinates", "matrices", "lopsided shapes"), after=_transposed),
)  # fmt: skip
