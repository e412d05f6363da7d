"""Bodies in contact, exported for simulators: the record, its JSON, and what MuJoCo makes of the model."""

import json

import numpy as np
import pytest

from veridyn.cli import exporting
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.scene import Body, Contact, Scene
from veridyn.problem.time_functions import constant, step
from veridyn.run.exit_code import ExitCode
from veridyn.run.posed import choose
from veridyn.solver.adapters.as_scene import scene_of
from veridyn.solver.adapters.mjcf import mjcf
from veridyn.validation_cases.judgement.catalogue import load_case

CASES = (
    *("block_stack", "incline_block", "plane_slide", "pulled_slider", "sdnd104", "sdnd106"),
    *("shaking_plane", "grazing_impact", "restitution_grid"),
)


def scene(name, **changed):
    case = load_case(name)
    return scene_of(case.problem(case.values(changed)))


def pile(**changes):
    """Return two masses, the first on the ground, under loads and a spring."""
    across = Friction("between", (np.array([-1.0, 1.0]),), 2.0 * 9.0, 0.2, 0.2)
    given = {
        "name": "pile",
        "mass": np.diag([1.0, 2.0]),
        "initial_velocity": np.array([0.5, 0.0]),
        "end": 1.0,
        "frictions": (Friction("ground", (np.array([-1.0, 0.0]),), 3.0 * 9.0, 0.4, 0.4), across),
        **changes,
    }
    return scene_of(MechanicalProblem(**given))


@pytest.mark.parametrize("name", CASES)
def test_every_scene_is_json_and_moves_as_its_problem(name):
    """The forces of a scene, with gravity along the ground, are those of the problem."""
    case = load_case(name)
    problem = case.problem(case.values())
    found = scene_of(problem)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["name"] == problem.name
    if problem.kind != "mechanical":
        return
    bodies = {body.name: body for body in found.bodies}
    moving = [(bodies[body], "xyz".index(axis)) for body, axis in found.coordinates.values()]
    assert tuple(found.coordinates) == problem.coordinates
    assert [body.mass for body, _ in moving] == list(problem.mass.diagonal())
    assert [body.velocity[axis] for body, axis in moving] == list(problem.initial_velocity)
    times = np.linspace(problem.start, problem.end, 7) + 0.01
    loads = sum((np.outer(load.function(times), load.direction) for load in problem.loads), np.zeros((7, problem.size)))
    for support in problem.supports:
        loads = loads - np.outer(support.acceleration(times), problem.mass @ support.influence)
    tilt = [body.mass * found.gravity[axis] for body, axis in moving]
    np.testing.assert_allclose(found.pulls(times - 5e-7, 1e-6) + tilt, loads, atol=1e-6)
    x, v = np.full(problem.size, 0.3), np.full(problem.size, -0.2)
    np.testing.assert_allclose(found.springs(x, v), -problem.stiffness @ x - problem.damping @ v)


def test_a_force_that_ends_within_a_step_gives_its_impulse():
    stack = scene("block_stack")
    (force,) = stack.forces
    end = float(force.function.breaks[1])
    size = float(force.function(0.5 * end))
    assert stack.pulls(np.array([0.0, end - 0.25]), 1.0)[1, 0] == pytest.approx(0.25 * size)


def test_gravity_presses_every_contact_as_the_problem_says():
    found = pile()
    assert found.gravity == (0.0, 0.0, -9.0)
    lower, upper = found.bodies[1:]
    assert [contact.bodies for contact in found.contacts] == [("ground", lower.name), (lower.name, upper.name)]
    assert upper.position[2] - lower.position[2] == pytest.approx(lower.size[2])
    assert found.springs(np.ones(2), np.ones(2)).tolist() == [0.0, 0.0]


def test_what_does_not_rub_hangs_without_gravity_on_its_springs():
    found = pile(frictions=(), stiffness=np.eye(2))
    assert (found.gravity, found.contacts, [body.moves for body in found.bodies]) == ((0, 0, 0), (), ["", "x", "x"])
    assert found.springs(np.array([2.0, 0.0]), np.zeros(2)).tolist() == [-2.0, 0.0]


def test_only_what_pulls_all_bodies_alike_is_a_slope():
    weight = Load(np.array([1.0, 2.0]), constant(3.0))
    assert pile(loads=(weight,)).gravity == (3.0, 0.0, -9.0)
    single = pile(loads=(Load(np.array([1.0, 0.0]), constant(3.0)),))
    assert (single.gravity, len(single.forces)) == ((0.0, 0.0, -9.0), 1)
    late = pile(loads=(Load(np.array([1.0, 2.0]), step(3.0, 0.5)),))
    assert (late.gravity[0], len(late.forces)) == (0.0, 2)


RUB = Friction("rub", (np.array([1.0, 0.0]),), 9.0, 0.4, 0.4)
REFUSED = {
    "contact: a scene": {"stops": (Stop("s", np.array([1.0, 0.0]), 1.0, 1.0),)},
    "not diagonal": {"mass": [[1.0, 0.5], [0.5, 1.0]]},
    "no gravity": {"frictions": (RUB, Friction("other", (np.array([0.0, 1.0]),), 9.0, 0.4, 0.4))},
    "two frictions under one body": {"frictions": (RUB, Friction("again", RUB.tangents, 9.0, 0.4, 0.4))},
    "no place of a body": {"frictions": (Friction("rub", (np.array([0.5, 0.0]),), 9.0, 0.4, 0.4),)},
    "no body on one": {"frictions": (Friction("rub", (np.array([1.0, -1.0]),), 9.0, 0.4, 0.4),)},
    "one mass along x": {"frictions": (Friction("rub", tuple(np.eye(2)), 9.0, 0.4, 0.4),)},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_scene_is_refused_with_the_reason(what):
    with pytest.raises(NotImplementedError, match=what):
        pile(**REFUSED[what])


@pytest.mark.parametrize("case", ["kepler", "overturning", "shaw_holmes", "belt_stick_slip", "bilinear_gap_free"])
def test_equations_that_are_no_fall_are_refused(case):
    known = load_case(case)
    with pytest.raises(NotImplementedError):
        scene_of(known.problem(known.values()))


def test_a_fall_and_a_swing_to_a_wall():
    fall, swing = scene("restitution_grid"), scene("grazing_impact")
    assert (fall.gravity, fall.contacts[0].restitution, fall.stiffness) == ((0.0, 0.0, -9.81), 0.75, ())
    floor, ball = fall.bodies
    assert floor.position[2] == pytest.approx(-ball.size[0] / 2)
    assert (swing.gravity[2], swing.contacts[0].restitution, swing.stiffness) == (0.0, 0.5, ((1.0,),))
    wall, ball = swing.bodies
    assert wall.position[2] - wall.size[2] / 2 - ball.size[0] / 2 == pytest.approx(1.0)
    assert ball.displacement[2] == -1.00001


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"shape": "box", "size": (1.0,)}, "a box of 1 sizes"),
        ({"shape": "sphere", "size": (1.0,), "moves": "x"}, "mass"),
    ],
)
def test_bodies_that_cannot_be(given, told):
    with pytest.raises(ProblemError, match=told):
        Body(name="b", **given)


def test_a_contact_of_nobody_is_refused():
    contact = Contact(name="c", bodies=("floor", "ball"), static=0.1, kinetic=0.1)
    floor = Body(name="floor", shape="plane")
    with pytest.raises(ProblemError, match=r"'ball'.*floor"):
        Scene(name="s", bodies=(floor,), contacts=(contact,), gravity=(0.0, 0.0, -9.81), end=1.0, spacing=0.1)


@pytest.mark.parametrize(
    ("case", "variant", "why"),
    [
        ("incline_block", "runs_on", "two coefficients of friction"),
        ("restitution_grid", "e=3/4", "restitution"),
        ("sdnd106", "equal", "stiffness that is none of single joints"),
    ],
)
def test_what_mjcf_does_not_know_is_refused(case, variant, why):
    with pytest.raises(ProblemError, match=f"{case}.*{why}"):
        exporting.model(choose(case, variant, {}), "mjcf")


def test_a_case_without_bodies_says_why():
    with pytest.raises(ProblemError, match="kepler"):
        exporting.model(choose("kepler", None, {}), "scene")


def test_files_are_named_for_their_case(tmp_path, capsys):
    for form in ("mjcf", "scene"):
        done = exporting.export(
            case="plane_slide", variant="level", changed={}, form=form, fmi="3.0", output=str(tmp_path)
        )
        assert done == ExitCode.FINE
    assert sorted(file.name for file in tmp_path.glob("plane*")) == ["plane_slide.scene.json", "plane_slide.xml"]
    assert "plane_slide.xml" in capsys.readouterr().out


def simulated(found, force=lambda t: []):
    """Return the places (m) of all joints at the end, from the key frame, at a fifth of the step."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(mjcf(found))
    model.opt.timestep = found.spacing / 5
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(round(found.end / model.opt.timestep)):
        data.ctrl[:] = force(data.time)
        mujoco.mj_step(model, data)
    return data.qpos


def truth(name, quantity, **changed):
    case = load_case(name)
    return float(next(q for q in case.quantities if q.name == quantity).truth(case.values(changed), 15))


def test_mujoco_simulates_the_models():
    """Within what its soft contacts leave: they creep, and give way at a fall on them."""
    assert simulated(scene("incline_block"))[0] == pytest.approx(truth("incline_block", "stop_place"), abs=3e-3)
    place = simulated(scene("plane_slide"))[:2]
    assert place[1] == pytest.approx(truth("plane_slide", "stop_y"), abs=3e-3)
    stack = scene("block_stack")
    pulled = simulated(stack, lambda t: [float(force.function(t)) for force in stack.forces])
    assert pulled[0] == pytest.approx(truth("block_stack", "lower_way"), abs=2e-2)
    assert pulled[2] == pytest.approx(truth("block_stack", "upper_way"), abs=2e-2)
