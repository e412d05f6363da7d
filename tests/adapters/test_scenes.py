"""Simulators that build the scene of a problem: the motion comes back in its coordinates, with forces and flags."""

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load
from veridyn.problem.time_functions import constant, pulse, step
from veridyn.solver.contract.errors import SettingsError
from veridyn.validation_cases.judgement.catalogue import load_case

from .conftest import adapter

G = 10.0
# what the laws of each leave of a way of half a metre (m), and of a velocity of nought (m/s)
LEFT = {"pybullet_scene": (1e-3, 1e-6), "mujoco_scene": (1e-2, 5e-3), "drake_scene": (5e-3, 2e-3)}


@pytest.fixture(params=LEFT, scope="module")
def name(request):
    return request.param


@pytest.fixture(scope="module")
def solver(name):
    return adapter(name)


def sole(mu=0.1, mass=1.0, tangents=((1.0,),), **changes):
    given = {"name": "sole", "tangents": tuple(map(np.array, tangents)), "normal": mass * G, "static": mu}
    return Friction(**{**given, "kinetic": mu, **changes})


def test_a_block_slides_to_a_stop_and_reports_its_friction(solver, name, block):
    """1 m/s under 1 m/s²: half a metre in a second, against a tangent that points back."""
    problem = block(mass=[[2.0]], initial_velocity=[1.0], end=1.5, frictions=(sole(mass=2.0, tangents=((-1.0,),)),))
    r = solver.solve(problem, {})
    way, speed = LEFT[name]
    assert r.displacement[-1, 0] == pytest.approx(0.5, abs=way)
    assert r.velocity[-1, 0] == pytest.approx(0.0, abs=speed)
    rubbed = r.elements["sole"]
    np.testing.assert_allclose(rubbed["sliding_velocity"], -r.velocity[:, 0])
    sliding = (r.time > 0.1) & (r.time < 0.9)
    assert rubbed["force"][sliding].mean() == pytest.approx(2.0, rel=0.05)  # N, along the tangent
    if "stuck" in rubbed:
        assert rubbed["stuck"][r.time > 1.1].min() == 1.0


def test_a_way_across_a_slope_turns(solver, name, block):
    """Gravity and friction act in a plane; places are those of the reference of `plane_slide`."""
    case = load_case("plane_slide")
    values = case.values()
    r = solver.solve(case.problem(values), {"substeps": 20})
    truth = [float(q.truth(values, 15)) for q in case.quantities if q.name in ("stop_x", "stop_y")]
    np.testing.assert_allclose(r.displacement[r.time <= 0.9][-1], truth, atol=LEFT[name][0])


@pytest.mark.parametrize("force", [4.0, 12.0, 30.0])
def test_blocks_on_each_other_stay_go_together_or_lag(solver, name, force):
    case = load_case("block_stack")
    values = case.values({"F": force})
    r = solver.solve(case.problem(values), {})
    truth = [float(q.truth(values, 15)) for q in case.quantities if q.name in ("lower_way", "upper_way")]
    np.testing.assert_allclose(r.displacement[-1], truth, atol=2 * LEFT[name][0])


def test_the_other_sense_of_a_tangent_gives_the_other_sign(solver, block):
    across = {"tangents": (np.array([-1.0, 1.0]),), "normal": 20.0}
    given = {"mass": np.diag([1.0, 2.0]), "initial_displacement": np.zeros(2), "initial_velocity": np.array([1.0, 0.0])}
    ground = sole(mass=3.0, tangents=((1.0, 0.0),))
    forces = []
    for sense in (1.0, -1.0):
        between = sole(name="between", **{**across, "tangents": (sense * across["tangents"][0],)})
        r = solver.solve(block(**given, end=0.1, frictions=(ground, between)), {})
        forces.append(r.elements["between"]["force"][1:].mean())
    assert forces[0] == pytest.approx(2.0, rel=0.1)  # N: the upper block is dragged along the tangent
    assert forces[1] == pytest.approx(-forces[0])


@pytest.mark.parametrize("name", ["pybullet_scene", "mujoco_scene"])
def test_a_spring_draws_a_block_that_rubs(name, block):
    """Lubkin's oscillator: half a period later the amplitude is less by 2 mu N/k."""
    given = {"stiffness": [[100.0]], "initial_displacement": [0.1], "end": np.pi / 10, "frictions": (sole(),)}
    problem = block(**given, output_times=np.linspace(0.0, np.pi / 10, 401))
    r = adapter(name).solve(problem, {})
    assert r.displacement[-1, 0] == pytest.approx(-0.08, abs=2e-4)


def test_a_pull_along_all_bodies_is_a_slope_and_another_a_force(solver, block):
    """(2 - 1) m/s² for a second, then 1 m/s² back."""
    steady = solver.solve(block(frictions=(sole(),), loads=(Load(np.ones(1), constant(2.0)),)), {})
    pulled = solver.solve(block(frictions=(sole(),), loads=(Load(np.ones(1), pulse(2.0, 0.0, 0.5)),), end=1.5), {})
    late = solver.solve(block(frictions=(sole(),), loads=(Load(np.ones(1), step(2.0, 0.5)),)), {})
    assert steady.displacement[-1, 0] == pytest.approx(0.5, rel=2e-2)
    assert pulled.displacement[-1, 0] == pytest.approx(0.25, rel=2e-2)
    assert late.displacement[-1, 0] == pytest.approx(0.125, rel=2e-2)


def test_what_is_not_built_is_refused_with_the_reason(solver, block):
    with pytest.raises(NotImplementedError, match="two coefficients"):
        solver.solve(block(frictions=(sole(static=0.2),)), {})
    with pytest.raises(NotImplementedError, match="not diagonal"):
        solver.solve(block(mass=[[2.0, 1.0], [1.0, 2.0]], initial_displacement=[0.0, 0.0]), {})
    with pytest.raises(SettingsError, match="unknown setting"):
        solver.solve(block(), {"rtol": 1e-3})


def test_steps_version_and_capabilities(solver, block):
    assert solver.solve(block(frictions=(sole(),)), {"substeps": 3}).counters["steps"] == 1200
    assert solver.version[0].isdigit()
    assert "contact" not in solver.capabilities  # stops are not among the scenes


def test_pybullet_converges_on_friction(block):
    """The instant of rest falls within a step; the way does not notice."""
    solver = adapter("pybullet_scene")
    problem = block(initial_velocity=[1.03], end=1.5, frictions=(sole(),))
    exact = 1.03**2 / 2
    errors = [abs(solver.solve(problem, {"substeps": n}).displacement[-1, 0] - exact) for n in (5, 20)]
    assert errors[1] < errors[0] / 2


def test_pybullet_reports_impacts_with_the_states_on_both_sides():
    case = load_case("restitution_grid")
    problem = case.problem(case.values({"e": "1"}))
    r = adapter("pybullet_scene").solve(problem, {})
    first = float(next(q for q in case.quantities if q.name == "t_impact_1").truth(case.values(), 15))
    assert r.events["impact"][0] == pytest.approx(first, abs=2 * r.time[1])
    assert np.isin(r.events["impact"], r.time).all()
    assert r.before["impact"][0, 1] == pytest.approx(-((2 * 9.81) ** 0.5), abs=0.1)


def test_pybullet_lands_without_restitution():
    case = load_case("restitution_grid")
    rest = case.variant("e=0")
    r = adapter("pybullet_scene").solve(rest.problem(case.values(rest.changes)), {})
    np.testing.assert_allclose(r.states[-1], 0.0, atol=1e-6)


@pytest.mark.parametrize("case", ["kepler", "overturning"])
def test_pybullet_refuses_other_equations(case):
    known = load_case(case)
    with pytest.raises(NotImplementedError):
        adapter("pybullet_scene").solve(known.problem(known.values()), {})


def test_drake_refuses_outputs_at_unequal_intervals(block):
    problem = block(frictions=(sole(),), output_times=np.array([0.0, 0.31, 1.0]))
    with pytest.raises(NotImplementedError, match="unequal"):
        adapter("drake_scene").solve(problem, {})
