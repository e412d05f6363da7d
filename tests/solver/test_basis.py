"""Modal basis, static modes, projection: against known chains."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.problem.basis import (
    driven_displacement,
    driven_velocity,
    modal_basis,
    modal_state,
    static_modes,
    support_load,
)
from veridyn.problem.elements import SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, polynomial

ENDS = {"free": (False, False), "cantilever": (True, False), "held": (True, True)}


def known_frequencies(n, ends):
    """Return w (n,) of n unit masses joined by unit springs (Lagrange's string of beads)."""
    i = np.arange(1, n + 1)
    angle = {"free": (i - 1) * np.pi / n, "cantilever": (2 * i - 1) * np.pi / (2 * n + 1), "held": i * np.pi / (n + 1)}
    return 2 * np.sin(angle[ends] / 2)


def two_masses(**changes):
    default = {
        "name": "two masses",
        "mass": [[2.0, 0.5], [0.5, 3.0]],
        "stiffness": [[5.0, -2.0], [-2.0, 4.0]],
        "initial_displacement": [0.3, -0.7],
        "initial_velocity": [1.1, 0.2],
        "end": 1.0,
    }
    return MechanicalProblem(**{**default, **changes})


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("n", [2, 3, 10])
def test_frequencies_of_chains(n, ends, build):
    left, right = ENDS[ends]
    modes = modal_basis(build.chain(n, left=left, right=right))
    assert modes.omega == pytest.approx(known_frequencies(n, ends), rel=1e-12, abs=1e-7)


def test_modes_are_normalised_and_orthogonal():
    problem = two_masses()
    modes = modal_basis(problem)
    assert modes.shapes.T @ problem.mass @ modes.shapes == pytest.approx(np.eye(2), abs=1e-14)
    assert modes.shapes.T @ problem.stiffness @ modes.shapes == pytest.approx(np.diag(modes.omega**2), abs=1e-14)
    assert modes.masses.tolist() == [1.0, 1.0]


def test_rayleigh_damping_is_a_ratio_per_mode():
    p = two_masses()
    modes = modal_basis(two_masses(damping=0.2 * p.mass + 0.01 * p.stiffness))
    assert modes.damping == pytest.approx((0.2 / modes.omega + 0.01 * modes.omega) / 2, rel=1e-12)


def test_damping_that_couples_modes_is_kept():
    problem = two_masses(damping=[[1.0, 0.0], [0.0, 0.0]])
    modes = modal_basis(problem)
    assert modes.damping_matrix == pytest.approx(modes.shapes.T @ problem.damping @ modes.shapes, abs=1e-15)
    assert np.diag(modes.coupling) == pytest.approx([0.0, 0.0], abs=0)
    assert "damping:coupled" in problem.needs


def test_proportional_damping_couples_nothing():
    p = two_masses()
    problem = two_masses(damping=0.2 * p.mass + 0.01 * p.stiffness)
    assert modal_basis(problem).coupling is None
    assert problem.needs == {"mechanical", "multi-dof", "damping"}


def test_a_damped_rigid_mode_has_no_ratio(build):
    modes = modal_basis(build.mass(damping=[[3.0]]))
    assert modes.damping.tolist() == [0.0]
    assert modes.damping_matrix.tolist() == [[3.0]]


def test_a_rigid_mode_that_damping_drives_is_driven(build):
    assert modal_basis(build.mass(damping=[[-3.0]])).damping_matrix.tolist() == [[-3.0]]


def test_negative_stiffness_is_refused(build, refused):
    with refused(ProblemError, "oscillator", "w² = -4"):
        modal_basis(build.oscillator(stiffness=[[-4.0]]))


def test_free_mass_has_frequency_zero(build):
    modes = modal_basis(build.mass())
    assert modes.omega.tolist() == [0.0]
    assert modes.damping.tolist() == [0.0]


def test_rigid_mode_of_a_free_chain_translates(build):
    shape = modal_basis(build.chain(5, left=False)).shapes[:, 0]
    assert shape == pytest.approx(np.full(5, shape[0]), rel=1e-7)


def test_initial_state_is_projected_without_loss():
    problem = two_masses()
    modes = modal_basis(problem)
    q, v = modal_state(problem, modes)
    assert modes.shapes @ q == pytest.approx(problem.initial_displacement)
    assert modes.shapes @ v == pytest.approx(problem.initial_velocity)


def given_by_modes(problem, modes):
    return MechanicalProblem(
        name="by modes",
        end=problem.end,
        modes=modes,
        initial_displacement=problem.initial_displacement,
        initial_velocity=problem.initial_velocity,
        supports=problem.supports,
    )


def test_modes_that_the_problem_brings_are_kept(build):
    modes = modal_basis(build.chain(3))
    assert modal_basis(given_by_modes(build.chain(3), modes)) is modes


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_truncated_modes_agree_with_matrices(kept, build):
    """Unit masses: the least-squares projection is the M-orthogonal one, mode by mode."""
    support = SupportMotion.from_acceleration("left", [1.0, 0.6, 0.3], polynomial(1.0))
    full = modal_basis(build.chain(3))
    problem = build.chain(3, initial_displacement=0.3 * full.shapes[:, 0], supports=(support,))
    part = Modes(
        omega=full.omega[:kept],
        damping=full.damping[:kept],
        masses=4 * full.masses[:kept],
        shapes=2 * full.shapes[:, :kept],
    )
    q, _ = modal_state(problem, full)
    p, _ = modal_state(given_by_modes(problem, part), part)
    assert 2 * p == pytest.approx(q[:kept])
    load = support_load(given_by_modes(problem, part), part, support)
    assert load == pytest.approx(2 * support_load(problem, full, support)[:kept])


def test_participation_is_minus_the_projected_inertia():
    problem = two_masses(supports=(SupportMotion.from_acceleration("base", [1.0, 1.0], polynomial(1.0)),))
    modes = modal_basis(problem)
    expected = -modes.shapes.T @ problem.mass @ np.ones(2)
    assert support_load(problem, modes, problem.supports[0]) == pytest.approx(expected)


@pytest.mark.parametrize("scheme", ["symplectic_euler", "devogelaere", "central_adaptive"])
def test_modes_and_matrices_give_one_motion(scheme, build, run):
    support = SupportMotion.from_acceleration("left", [1.0, 0.6, 0.3], Harmonic(0.3, 1.0))
    problem = build.chain(3, initial_displacement=[0.1, 0.2, -0.4], supports=(support,))
    by_modes = given_by_modes(problem, modal_basis(problem))
    a, b = (run(p, scheme, 0.05).displacement for p in (problem, by_modes))
    assert a == pytest.approx(b, abs=1e-14)


def test_static_modes_of_a_chain_are_straight_lines():
    stiffness = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    modes = static_modes(stiffness, [1, 2, 3], [0, 4])
    assert modes[:, 0] == pytest.approx([0.75, 0.5, 0.25])
    assert modes.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("k", [1.0, 0.3])
def test_static_modes_need_supports(k, refused):
    springs = np.array([k, 1.7 * k, 0.9 * k])
    floating = np.zeros((5, 5))
    for i, spring in enumerate(springs):
        floating[i : i + 2, i : i + 2] += spring * np.array([[1.0, -1.0], [-1.0, 1.0]])
    with refused(ProblemError, "K_ff is singular"):
        static_modes(floating, [0, 1, 2, 3], [4])


def test_supports_drive_their_influence(build):
    motions = (polynomial("2"), polynomial("0", "6"))
    supports = tuple(
        SupportMotion.from_acceleration(f"s{i}", influence, motion)
        for i, (influence, motion) in enumerate(zip(([1.0, 0.5], [0.0, 0.5]), motions, strict=True))
    )
    problem, t = build.chain(2, supports=supports), np.array([0.0, 1.0, 2.0])
    first, second = np.array([1.0, 0.5]), np.array([0.0, 0.5])
    assert driven_displacement(problem, t) == pytest.approx(np.outer(t**2, first) + np.outer(t**3, second))
    assert driven_velocity(problem, t) == pytest.approx(np.outer(2 * t, first) + np.outer(3 * t**2, second))


def test_nothing_drives_without_supports(build):
    t = np.linspace(0, 1, 4)
    assert not driven_displacement(build.chain(2), t).any()
    assert driven_velocity(build.chain(2), t).shape == (4, 2)
