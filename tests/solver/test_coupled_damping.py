"""Damping that couples modes, and that of rigid-body modes: against the matrix exponential."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.problem.basis import modal_basis
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.contract.errors import StepError
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

DAMPING = np.array([[1.0, -0.2, 0.0], [-0.2, 0.3, 0.0], [0.0, 0.0, 0.0]])
SKEW = np.array([[0.0, 0.6, -0.1], [-0.6, 0.0, 0.3], [0.1, -0.3, 0.0]])
KINDS = {"coupled": DAMPING, "gyroscopic": SKEW, "both": DAMPING + SKEW}
START = {"initial_displacement": [0.3, -0.7, 0.1], "initial_velocity": [1.1, 0.2, -0.4]}
ORDERS = {name: scheme.order for name, scheme in SCHEMES.items()} | {
    "symplectic_euler": 1,
    "euler_adaptive": 1,
    "devogelaere": 1,
    "devogelaere_adaptive": 1,
}


def chain(build, **changes):
    return build.chain(3, **{"damping": DAMPING, **START, "end": 2.0, **changes})


def true_end(problem):
    n = problem.size
    inverse = np.linalg.inv(problem.mass)
    rates = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ problem.stiffness, -inverse @ problem.damping]])
    return expm(problem.end * rates) @ np.concatenate((problem.initial_displacement, problem.initial_velocity))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_order(scheme, kind, build, march):
    """A velocity that lies back costs the order; the others keep theirs."""
    problem, errors = chain(build, damping=KINDS[kind]), []
    assert ("damping:coupled" in problem.needs) == (kind != "gyroscopic")
    assert ("damping:gyroscopic" in problem.needs) == (kind != "coupled")
    for k in range(4):
        r = march(problem, scheme, 2.0**-4 / 2**k)
        errors.append(np.abs(np.append(r.displacement[-1], r.velocity[-1]) - true_end(problem)).max())
    assert -np.polyfit(range(4), np.log2(errors), 1)[0] == pytest.approx(ORDERS[scheme], abs=0.2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", FAMILIES)
def test_modes_that_bring_their_coupling_move_like_matrices(scheme, kind, build, march):
    problem = chain(build, damping=KINDS[kind])
    w2, shapes = np.linalg.eigh(problem.stiffness)
    modal = shapes.T @ KINDS[kind] @ shapes
    own = np.maximum(np.diag(modal), 0.0)  # what rounding leaves below zero stays with the coupling
    ratios = own / (2 * np.sqrt(w2))
    modes = Modes(omega=np.sqrt(w2), damping=ratios, masses=np.ones(3), shapes=shapes, coupling=modal - np.diag(own))
    by_modes = MechanicalProblem(name="by modes", modes=modes, end=2.0, **START)
    assert by_modes.needs == problem.needs | {"modes"}
    a, b = (march(p, scheme, 0.05).displacement for p in (problem, by_modes))
    assert a == pytest.approx(b, abs=1e-12)


FOLLOWING = np.array([[0.0, 1.5, 0.3], [-1.5, 0.0, -0.7], [-0.3, 0.7, 0.0]])


def following(build):
    """Return a chain without damping, under forces across the displacement."""
    return chain(build, damping=np.zeros((3, 3)), stiffness=build.chain(3).stiffness + FOLLOWING)


@pytest.mark.parametrize("scheme", FAMILIES)
def test_order_under_circulatory_forces(scheme, build, march):
    """They see the displacement, and cost no order; a start that takes the velocity for a late one does."""
    problem, errors = following(build), []
    assert problem.needs == {"mechanical", "multi-dof", "stiffness:circulatory"}
    for k in range(4):
        r = march(problem, scheme, 2.0**-4 / 2**k)
        errors.append(np.abs(r.displacement[-1] - true_end(problem)[:3]).max())
    order = 1 if SCHEMES[scheme].claims.get("lag") else SCHEMES[scheme].order
    assert -np.polyfit(range(4), np.log2(errors), 1)[0] == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("scheme", FAMILIES)
def test_modes_that_bring_circulatory_forces_move_like_matrices(scheme, build, march):
    problem = following(build)
    modes = modal_basis(problem)
    assert np.abs(modes.stiffness_coupling + modes.stiffness_coupling.T).max() < 1e-15
    by_modes = MechanicalProblem(name="by modes", modes=modes, end=2.0, **START)
    assert by_modes.needs == problem.needs | {"modes"}
    assert problem_from_json(by_modes.to_json()).needs == by_modes.needs
    a, b = (march(p, scheme, 0.05).displacement for p in (problem, by_modes))
    assert a == pytest.approx(b, abs=1e-12)
    assert march(by_modes, scheme, 0.05).displacement.shape == a.shape
    exact, modal = (EXACT.solve(p, {}).displacement[-1] for p in (problem, by_modes))
    assert exact == pytest.approx(modal, abs=1e-12)


@pytest.mark.all_schemes
def test_the_step_rule_sees_circulatory_forces(build):
    """A whirl of sqrt(w² + i c) is faster than w, the more so the larger c is."""
    problem = build.chain(2, stiffness=[[4.0, 5e4], [-5e4, 4.0]])
    largest = 2 * math.pi / math.sqrt(math.hypot(4.0, 5e4)) / SCHEMES["newmark"].points_per_period
    with pytest.raises(StepError, match=r"circulatory forces of 50000 1/s\^2"):
        SOLVER.solve(problem, {"scheme": "newmark", "step": 1.01 * largest})
    SOLVER.solve(problem, {"scheme": "newmark", "step": 0.99 * largest})


@pytest.mark.parametrize("scheme", FAMILIES)
def test_a_rigid_body_slows_down(scheme, build, march):
    """v' = -c v."""
    problem = build.mass(damping=[[3.0]], initial_velocity=[2.0])
    r = march(problem, scheme, 1e-3)
    assert r.displacement[:, 0] == pytest.approx(2 / 3 * (1 - np.exp(-3 * r.time)), abs=2e-3)
    if SCHEMES[scheme].order > 2:  # the modal treatment of the diagonal keeps the order
        assert r.displacement[-1, 0] == pytest.approx(2 / 3 * (1 - math.exp(-3)), abs=1e-8)


def test_the_exact_solver_needs_no_modes(build):
    """All states to 14 digits of the largest, against a matrix exponential of 30 digits."""
    problem = chain(build, output_times=np.linspace(0.0, 2.0, 21))
    r = EXACT.solve(problem, {})
    states = np.hstack((r.displacement, r.velocity))
    with mpmath.workdps(30):
        matrix = np.block([[np.zeros((3, 3)), np.eye(3)], [-problem.stiffness, -problem.damping]])
        rates = mpmath.matrix(matrix.tolist())
        for t, state in zip(r.time, states, strict=True):
            true = mpmath.expm(mpmath.mpf(float(t)) * rates) * mpmath.matrix([*r.displacement[0], *r.velocity[0]])
            assert state == pytest.approx(np.array([float(x) for x in true]), abs=1e-14)


@pytest.mark.parametrize("scheme", ["symplectic_euler", "devogelaere", "newmark", "generalised_alpha", "itmi"])
def test_the_step_rule_sees_the_fastest_decay(scheme, build):
    """A damper of 400 kg/s on the first mass decays faster than any mode vibrates."""
    problem = chain(build, damping=np.diag([400.0, 0.0, 0.0]))
    largest = 4 * math.pi / 400 / SCHEMES[scheme].points_per_period
    with pytest.raises(StepError, match="damping at a rate of 400"):
        SOLVER.solve(problem, {"scheme": scheme, "step": 1.01 * largest})
    r = SOLVER.solve(problem, {"scheme": scheme, "step": 0.99 * largest})
    assert np.abs(r.displacement).max() < 2


def test_coupling_survives_the_file(build):
    modes = Modes(omega=[1.0, 0.0], damping=[0.1, 0.0], masses=[1.0, 2.0], shapes=np.eye(2), coupling=[[0, 1], [1, 2]])
    problem = MechanicalProblem(
        name="two", modes=modes, initial_displacement=np.zeros(2), initial_velocity=np.ones(2), end=1.0
    )
    back = problem_from_json(problem.to_json())
    assert back.modes.damping_matrix.tolist() == [[0.2, 1.0], [1.0, 2.0]]
    assert back.needs == problem.needs >= {"damping:coupled"}


@pytest.mark.parametrize("seed", range(20))
def test_any_matrices_are_solved_exactly(seed, build):
    random = np.random.default_rng(seed)
    k = build.chain(3).stiffness + random.normal(size=(3, 3))
    problem = chain(build, damping=random.normal(size=(3, 3)), stiffness=k)
    assert problem.needs >= {"damping:gyroscopic", "stiffness:circulatory"}
    r, true = EXACT.solve(problem, {}), true_end(problem)
    found = np.append(r.displacement[-1], r.velocity[-1])
    assert np.abs(found - true).max() < 1e-11 * np.abs(true).max()


def test_what_rounding_leaves_below_zero_of_a_damping_is_none():
    """A dashpot that a rotation leaves without work in the first mode, to rounding."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    problem = MechanicalProblem(
        name="turned",
        mass=np.eye(4),
        stiffness=turn @ np.diag([1.0, 2.0, 3.0, 4.0]) @ turn.T,
        damping=1e6 * np.outer(turn[:, 3], turn[:, 3]),
        end=1.0,
    )
    assert modal_basis(problem).damping.min() >= 0.0


def test_skew_parts_survive_the_file(build):
    problem = chain(build, damping=DAMPING + SKEW, stiffness=build.chain(3).stiffness + SKEW)
    back = problem_from_json(problem.to_json())
    assert back.damping.tolist() == problem.damping.tolist()
    assert back.stiffness.tolist() == problem.stiffness.tolist()
    assert back.needs == problem.needs >= {"damping:gyroscopic", "stiffness:circulatory"}


def test_rounding_of_frequencies_couples_nothing():
    """Modes with any masses stay apart: w² m / m is not quite w²."""
    chance = np.random.default_rng(1)
    omega, masses = chance.uniform(1.0, 1e3, 50), chance.uniform(0.1, 10.0, 50)
    modes = Modes(omega=omega, damping=np.full(50, 0.01), masses=masses, shapes=np.eye(50))
    problem = MechanicalProblem(name="modes", modes=modes, end=1.0)
    system = system_arrays(problem, modal_basis(problem))
    assert system.springs.value.size == system.coupling.value.size == 0
