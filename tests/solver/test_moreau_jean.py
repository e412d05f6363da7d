"""Moreau and Jean's method: the trapezoidal rule where all is smooth, the laws of impact and friction elsewhere."""

import numpy as np
import pytest

from veridyn import Friction, Harmonic, Load, MechanicalProblem, Stop
from veridyn.references.methods.discrete import LinearProblem, march, read_method
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.moreau_jean import SOLVER
from veridyn.validation_cases.mechanics import test_integrator_fingerprints as fingerprints

TIMES = np.linspace(0.0, 2.0, 101)
G = 9.81


def pair(**changes):
    given = {
        "mass": [[2.0, 0.5], [0.5, 1.0]],
        "stiffness": [[300.0, -100.0], [-100.0, 150.0]],
        "damping": [[0.6, -0.2], [-0.2, 0.2]],
        "initial_velocity": [0.3, -0.2],
        "loads": Load([5.0, 2.0], Harmonic(1.0, 4.0, 0.4)),
        "end": 2.0,
        "output_times": TIMES,
    }
    return MechanicalProblem(**{**given, **changes})


def thrown(floor, friction=None, **changes):
    """Return a body of unit mass in a plane, x along the floor and z up, which it touches at z = 0."""
    given = {
        "mass": np.eye(2),
        "initial_displacement": [0.0, 0.5],
        "initial_velocity": [1.0, 0.0],
        "loads": Load([0.0, -G], 1.0),
        "stops": Stop("floor", [0.0, -1.0], gap=0.0, restitution=floor),
        "frictions": () if friction is None else Friction("rub", [1.0, 0.0], "floor", friction, friction),
        "end": 1.0,
        "output_times": np.linspace(0.0, 1.0, 101),
    }
    return MechanicalProblem(**{**given, **changes})


def test_smooth_steps_are_those_of_the_trapezoidal_rule():
    """Also with gyroscopic and circulatory forces; the claim is that very method."""
    skew = np.array([[0.0, 3.0], [-3.0, 0.0]])
    p = pair(damping=np.array([[0.6, -0.2], [-0.2, 0.2]]) + skew, stiffness=np.diag([300.0, 150.0]) + skew)
    r = SOLVER.solve(p, {"substeps": 1})
    method = read_method(SOLVER.claims["method"], {name: SOLVER.claims[name] for name in ("beta", "gamma")})
    (load,) = p.loads
    linear = LinearProblem(
        p.mass, p.damping, p.stiffness, lambda t: load.direction * load.function(t), p.initial_displacement,
        p.initial_velocity,
    )  # fmt: skip
    x, v = march(method, linear, TIMES[1], TIMES.size - 1)
    assert np.abs(r.displacement - x).max() < 1e-12
    assert np.abs(r.velocity - v).max() < 1e-11


def test_a_bouncing_ball_takes_the_rational_numbers_of_the_method():
    """256 steps of 1/128 s from 1 m, e = 1/2, g = 10 m/s²: all of them are numbers that doubles hold."""
    ball = MechanicalProblem(
        mass=[[1.0]], initial_displacement=[1.0], loads=Load([-10.0], 1.0), end=2.0,
        stops=Stop("floor", [-1.0], 0.0, restitution=0.5), output_times=np.linspace(0.0, 2.0, 257),
    )  # fmt: skip
    (height,) = SOLVER.solve(ball, {"substeps": 1}).displacement[-1]
    truth = next(q for q in fingerprints.QUANTITIES if q.name == "y_moreau_jean_dyadic").reference()
    assert height == pytest.approx(float(truth.value), abs=1e-13)


@pytest.mark.parametrize(
    "elements",
    [
        {
            "stops": (
                Stop("a", [1.0, 0.0], gap=0.01, restitution=0.7),
                Stop("b", [0.3, -1.0], gap=0.03, restitution=0.4),
            )
        },
        {"stops": Stop("both", [1.0, 0.0], gap=0.01, restitution=0.0, geometry="parallel planes")},
        {"frictions": (Friction("rub", [0.3, 0.8], 2.0, 0.5, 0.5), Friction("too", [1.0, 0.0], 1.0, 0.7, 0.7))},
        {
            "stops": Stop("a", [1.0, 0.0], gap=0.01, restitution=0.5),
            "frictions": Friction("f", [0.2, 1.0], 2.0, 0.6, 0.6),
        },
    ],
    ids=["stops", "planes", "frictions", "stop and friction"],
)
def test_it_tends_to_the_exact_solution(elements):
    p = pair(**elements)
    exact = EXACT.solve(p, {})
    true = exact.displacement[np.searchsorted(exact.time, TIMES - 1e-9)]
    coarse, fine = (np.abs(SOLVER.solve(p, {"substeps": n}).displacement - true).max() for n in (16, 256))
    way = TIMES[1] / 256 * np.abs(exact.velocity).max()  # in a step, by which each impact may come late
    assert fine < 4 * way
    assert fine < coarse / 4


def test_an_impact_takes_a_tangential_impulse_from_the_cone():
    """With the impulse (1 + e) w of the fall the velocity along the floor falls by mu times as much."""
    r = SOLVER.solve(thrown(0.5, 0.1, end=0.5, output_times=np.linspace(0.0, 0.5, 51)), {"substeps": 200})
    w = np.sqrt(2 * G * 0.5)
    assert r.velocity[-1] == pytest.approx([1.0 - 0.1 * 1.5 * w, 0.5 * w - G * (0.5 - w / G)], abs=2e-3)


def test_what_slides_on_a_rigid_floor_comes_to_rest():
    p = thrown(0.0, 0.3, initial_displacement=[0.0, 0.0], initial_velocity=[1.0, 0.0])
    r = SOLVER.solve(p, {"substeps": 50})
    stop = 1.0 / (0.3 * G)
    assert r.displacement[-1, 0] == pytest.approx(0.5 * stop, rel=1e-3)
    assert r.elements["floor"]["normal_force"][1:] == pytest.approx(G)
    slides = r.time < stop
    assert r.elements["rub"]["force"][1:][slides[1:]] == pytest.approx(-0.3 * G)
    assert np.all(r.elements["rub"]["stuck"][r.time > stop + 0.01] == 1.0)
    assert np.all(r.elements["rub"]["stuck"][1:][slides[1:]] == 0.0)


def test_infinitely_many_impacts_cost_nothing():
    r = SOLVER.solve(thrown(0.8, end=4.0, output_times=np.linspace(0.0, 4.0, 401)), {})
    assert r.counters["steps"] == 16_000
    assert r.counters["most_passes"] <= 3
    assert abs(r.displacement[-1, 1]) < 1e-4
    assert r.elements["floor"]["normal_force"][-1] == pytest.approx(G)


def test_theta_damps():
    p = pair(damping=np.zeros((2, 2)), loads=())
    energy = [np.einsum("i,ij,j", v, p.mass, v) + np.einsum("i,ij,j", x, p.stiffness, x) for x, v in (
        (r.displacement[-1], r.velocity[-1]) for r in (SOLVER.solve(p, {"theta": t}) for t in (0.5, 0.75, 1.0))
    )]  # fmt: skip
    assert energy[0] == pytest.approx(np.einsum("i,ij,j", p.initial_velocity, p.mass, p.initial_velocity))
    assert energy[0] > 1.01 * energy[1] > 1.01**2 * energy[2]


def test_it_says_where_it_finds_no_impulses():
    p = pair(stops=(Stop("a", [1.0, 0.0], gap=0.0, restitution=0.5), Stop("b", [1.0, 0.9], gap=0.0, restitution=0.5)))
    with pytest.raises(SolverFailure, match="not found in 1 passes"):
        SOLVER.solve(p, {"passes": 1})


REFUSED = {
    "an elastic stop": {"stops": Stop("s", [1.0, 0.0], gap=0.0, stiffness=1e4)},
    "regularised friction": {"frictions": Friction("f", [1.0, 0.0], 1.0, 0.5, 0.5, law="regularised", stiffness=1e4)},
    "two directions": {"frictions": Friction("f", ([1.0, 0.0], [0.0, 1.0]), 1.0, 0.5, 0.5)},
    "two coefficients": {"frictions": Friction("f", [1.0, 0.0], 1.0, 0.6, 0.5)},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_impulse_is_refused_with_the_reason(what):
    with pytest.raises(NotImplementedError, match=what):
        SOLVER.solve(pair(**REFUSED[what]), {})


@pytest.mark.parametrize("theta", [0.49, 1.01])
def test_theta_lies_between_one_half_and_one(theta):
    with pytest.raises(SettingsError, match="must lie in"):
        SOLVER.solve(pair(), {"theta": theta})
