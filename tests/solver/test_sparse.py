"""Sparse matrices: the same motion as with arrays, memory that grows with the entries, refusals of one line."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import veridyn
from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.basis import moved_mass
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_scales import shortest_period
from veridyn.solver.contract.errors import CapabilityError, DivergenceError, StepError
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.refining import limit

STIFFNESS = 1e4


def chain(n=50, places=(12, 30, 49), **changes):
    """A chain on a wall, which a load and moving ends shake against stops; one mass rubs, one is on a device."""
    ones = np.ones(n)
    springs = STIFFNESS * sparse.diags_array([np.append(2 * ones[1:], 1.0), -ones[1:], -ones[1:]], offsets=[0, 1, -1])
    given = {
        "mass": sparse.diags_array(np.linspace(1.0, 2.0, n)),
        "stiffness": springs,
        "damping": 1e-5 * springs,
        "initial_velocity": np.linspace(0, 1, n),
        "loads": veridyn.Load(f"x{n}", veridyn.Harmonic(5.0, 30.0)),
        "stops": tuple(veridyn.Stop(f"s{i}", f"x{i + 1}", gap=1e-3, stiffness=1e5) for i in places),
        "end": 0.2,
    }
    return MechanicalProblem(**{**given, **changes})


def rich():
    """The chain with all that acts on a structure."""
    shaken = veridyn.SupportMotion.from_acceleration("wall", np.ones(50), veridyn.Harmonic(2.0, 20.0))
    return chain(
        supports=shaken,
        frictions=veridyn.Friction(
            "pad",
            {"x5": 1, "x6": -1},
            normal=2.0,
            static=0.3,
            kinetic=0.2,
            law="regularised",
            stiffness=1e5,
            damping=9.0,
        ),
        devices=veridyn.Zener(name="mount", direction="x20", k1=1e4, k2=2e3, k3=1e3, damping=10.0, alpha=1.0),
    )


def solved(problem, scheme, **settings):
    return SOLVER.solve(problem, {"step": 1e-4, "scheme": scheme, **settings})


CONSTANT = {"smallest": 1.0, "largest": 1.0}
SCHEMES = {"symplectic_euler": {}, "newmark": {}, "runge_kutta_32": CONSTANT}
IMPLICIT = {
    "newmark": {"scheme": "newmark"},
    "generalised-alpha": {"scheme": "generalised_alpha"},
    "HHT-alpha": {"scheme": "generalised_alpha", "hht": True},
}
COMPILES_LONG = pytest.mark.all_schemes


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sparse_chain_moves_as_a_dense_one(scheme):
    problem = rich()
    ours, theirs = (solved(each, scheme, **SCHEMES[scheme]) for each in (problem, problem.dense()))
    assert np.abs(ours.displacement - theirs.displacement).max() < 1e-11 * np.abs(theirs.displacement).max()
    for element, histories in theirs.elements.items():
        for name, history in histories.items():
            assert ours.elements[element][name] == pytest.approx(history, abs=1e-9 * max(np.abs(history).max(), 1e-9))
    assert theirs.elements["s49"]["normal_force"].max() > 10
    assert set(theirs.elements["pad"]["stuck"]) == {0.0, 1.0}


@COMPILES_LONG
def test_the_factors_of_a_step_solve_its_equations():
    """A structure in the plane, whose factors fill in, and a gyroscopic one, whose pivots need not be the diagonal."""
    side, end = 7, 0.02
    line = sparse.diags_array([2 * np.ones(side), -np.ones(side - 1), -np.ones(side - 1)], offsets=[0, 1, -1])
    sheet = STIFFNESS * (sparse.kron(line, sparse.eye_array(side)) + sparse.kron(sparse.eye_array(side), line))
    n = side * side
    turn = sparse.diags_array([300 * np.ones(n - 1), -300 * np.ones(n - 1)], offsets=[1, -1])
    problem = MechanicalProblem(
        mass=sparse.eye_array(n), stiffness=sheet, damping=turn, initial_velocity=np.arange(n) % 5.0, end=end
    )
    settings = {"scheme": "newmark", "step": 1e-3, "check_step": False}
    assert SOLVER.solve(problem, settings).displacement == pytest.approx(
        SOLVER.solve(problem.dense(), settings).displacement, abs=1e-14
    )


def linked():
    """Return the mass of a chain of bars: straight lines between their ends share out what they weigh."""
    line = np.linspace(1.0, 2.0, 50)
    return sparse.diags_array([2 * line, line[1:] / 2, line[1:] / 2], offsets=[0, 1, -1]) / 3


def beam(elements=20):
    """Return mass and stiffness of a clamped beam of unit length, by cubic shapes between its nodes (Hermite)."""
    h, n = 1.0 / elements, 2 * elements + 2
    m = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) * h / 420
    k = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]) / h**3
    scale = np.outer([1, h, 1, h], [1, h, 1, h])
    whole = np.zeros((2, n, n))
    for first in range(0, n - 2, 2):
        whole[:, first : first + 4, first : first + 4] += m * scale, k * scale
    return [sparse.csr_array(matrix[2:, 2:]) for matrix in whole]


def a_beam():
    mass, stiffness = beam()
    n = mass.shape[0]
    stop = veridyn.Stop("tip", f"x{n - 1}", gap=1e-2, stiffness=100.0)
    return MechanicalProblem(mass=mass, stiffness=stiffness, initial_velocity=np.eye(n)[n - 2], stops=stop, end=0.5)


@COMPILES_LONG
@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("made", ["bars", "beam"])
def test_a_mass_that_is_not_diagonal_is_as_one_of_arrays(made, method):
    problem = replace(rich(), mass=linked()) if made == "bars" else a_beam()
    ours, theirs = (solved(each, **IMPLICIT[method], check_step=False) for each in (problem, problem.dense()))
    assert np.abs(ours.displacement - theirs.displacement).max() < 1e-9 * np.abs(theirs.displacement).max()
    stop = problem.stops[-1].name
    push = theirs.elements[stop]["normal_force"]
    assert push.max() > 0.1
    assert ours.elements[stop]["normal_force"] == pytest.approx(push, abs=1e-7 * push.max())


def test_masses_that_the_matrix_is_nowhere_below_bound_the_period():
    """Gershgorin's theorem bounds the masses of bars, and not those of beams, whose share is an eigenvalue."""
    for problem in (replace(rich(), mass=linked()), a_beam()):
        lowest = np.linalg.eigvalsh(problem.mass.toarray() - np.diag(problem.least_masses))[0]
        assert -1e-12 < lowest / problem.mass.diagonal().min() < 0.5
        assert 0.4 * shortest_period(problem.dense()) < shortest_period(problem) <= shortest_period(problem.dense())
        along = np.arange(problem.size) % 3.0
        assert moved_mass(problem, along) == pytest.approx(moved_mass(problem.dense(), along), rel=1e-12)
    assert chain().least_masses.tolist() == np.linspace(1.0, 2.0, 50).tolist()


def test_explicit_schemes_say_who_takes_such_a_mass():
    with pytest.raises(CapabilityError, match="newmark and generalised_alpha"):
        solved(a_beam(), "devogelaere")


@pytest.mark.parametrize(("scheme", "linked"), [("symplectic_euler", False), ("newmark", False), ("newmark", True)])
def test_memory_grows_with_the_entries(scheme, linked):
    n = 100_000
    tracemalloc.start()
    problem = chain(n, tuple(range(9_999, n, 10_000)), end=1e-3)
    if linked:
        beside = 0.1 * np.ones(n - 1)
        problem = replace(problem, mass=problem.mass + sparse.diags_array([beside, beside], offsets=[1, -1]))
    response = solved(problem, scheme, archive_at=[])
    assert response.displacement.shape == (2, n)
    _, largest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert largest < 1500 * n  # bytes; one array of n x n would be 80 GB


def test_the_step_rule_bounds_the_period_and_names_what_is_fast():
    problem = chain()
    for given in (problem, replace(problem, stops=())):
        true = shortest_period(given.dense())
        assert 0.9 * true < shortest_period(given) <= true
        assert limit(given).period == pytest.approx(shortest_period(given), rel=1e-12)
    assert "x2" in limit(replace(problem, stops=())).cause
    with pytest.raises(StepError, match="'s12' on coordinate x13"):
        SOLVER.solve(problem, {"scheme": "symplectic_euler", "step": 1e-2})


def test_what_diverges_is_named():
    with pytest.raises(DivergenceError, match="coordinate x"):
        SOLVER.solve(chain(stops=(), end=9.0), {"scheme": "symplectic_euler", "step": 2e-2, "check_step": False})


def test_json_keeps_the_entries():
    problem = chain()
    read = problem_from_json(problem.to_json())
    assert read.sparse
    assert (read.stiffness != problem.stiffness).nnz == 0
    assert read.to_json() == problem.to_json()
    with pytest.raises(ProblemError, match="size, rows, columns and values"):
        problem_from_json(problem.to_json().replace('"columns"', '"column"'))


def test_others_refuse_in_a_line_that_says_what_to_do():
    problem = chain(3, (2,))
    with pytest.raises(CapabilityError, match=r"sparse.*problem\.dense\(\)"):
        veridyn.solve(problem, "exact")
    assert "sparse" not in problem.dense().needs
    linked = replace(problem, mass=problem.mass + sparse.diags_array([[0.1, 0.1], [0.1, 0.1]], offsets=[1, -1]))
    for each in (problem, linked):
        assert as_initial_value(each).modes == as_initial_value(each.dense()).modes
    with pytest.raises(ProblemError, match="5000"):
        chain(5001, ()).dense()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": sparse.eye_array(3) + sparse.eye_array(3, k=1)}, "mass is not symmetric"),
        (
            {"mass": sparse.diags_array([np.ones(3), np.ones(2), np.ones(2)], offsets=[0, 1, -1])},
            "every coordinate needs",
        ),
        ({"mass": sparse.diags_array([1.0, 0.0, 1.0])}, "every coordinate needs mass"),
        ({"stiffness": sparse.eye_array(4)}, r"stiffness has shape \(4, 4\), the problem needs \(3, 3\)"),
        ({"damping": sparse.diags_array([1.0, np.nan, 0.0])}, "damping holds a value that is not finite"),
        ({"varying": veridyn.TimeVarying("stiffness", np.eye(3), veridyn.Harmonic(1.0, 1.0))}, "nothing varies"),
    ],
)
def test_what_cannot_be_sparse_is_refused(changes, message):
    with pytest.raises(ProblemError, match=message):
        chain(3, (2,), **changes)


def test_one_sparse_matrix_makes_all_sparse_and_the_rest_may_be_left_out():
    problem = MechanicalProblem(mass=np.eye(2), stiffness=sparse.eye_array(2), end=1.0)
    assert problem.sparse
    assert problem.damping.nnz == 0
    assert problem.needs == {"mechanical", "multi-dof", "sparse"}
    with pytest.raises(ProblemError):
        veridyn.condensed(mass=sparse.eye_array(2), stiffness=np.eye(2), end=1.0)


def test_the_exact_solver_names_the_remedy():
    with pytest.raises(NotImplementedError, match=r"problem\.dense\(\)"):
        EXACT.solve(chain(3, ()), {})
