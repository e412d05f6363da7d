"""Bodies in contact, exported for simulators: the record, its JSON, and what MuJoCo makes of the model."""

import json

import pytest

from veridyn import exporting
from veridyn.exit_code import ExitCode
from veridyn.posed import choose
from veridyn.solver.adapters.mjcf import mjcf
from veridyn.solver.errors import ProblemError
from veridyn.solver.problem.scene import Body, Contact, Scene
from veridyn.validation_cases.core.catalogue import all_cases, load_case

SCENES = [(case.name, variant.name) for case in all_cases() if case.scene for variant in case.variants]


def scene(name, **changed):
    case = load_case(name)
    return case.scene(case.values(changed))


@pytest.mark.parametrize(("name", "variant"), SCENES)
def test_every_scene_states_masses_and_velocities_of_its_problem(name, variant):
    case = load_case(name)
    chosen = case.variant(variant)
    values = case.values(chosen.changes)
    found, problem = case.scene(values), (chosen.problem or case.problem)(values)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["name"] == name
    if problem.kind == "mechanical":
        bodies = {body.name: body for body in found.bodies}
        moving = [(bodies[body], "xyz".index(axis)) for body, axis in found.coordinates.values()]
        assert tuple(found.coordinates) == problem.coordinates
        assert [body.mass for body, _ in moving] == list(problem.mass.diagonal())
        assert [body.velocity[axis] for body, axis in moving] == list(problem.initial_velocity)
        assert found.end == problem.end


def test_moments_of_inertia_are_those_of_even_density():
    box = Body(name="b", shape="box", size=(1.0, 2.0, 3.0), mass=12.0, moves="x")
    ball = Body(name="s", shape="sphere", size=(2.0,), mass=5.0, moves="x")
    assert (box.inertia, ball.inertia) == ((13.0, 10.0, 5.0), (2.0, 2.0, 2.0))


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
    contact = Contact(bodies=("floor", "ball"), static=0.1, kinetic=0.1)
    floor = Body(name="floor", shape="plane")
    with pytest.raises(ProblemError, match="no body 'ball'; bodies: floor"):
        Scene(name="s", bodies=(floor,), contacts=(contact,), gravity=(0.0, 0.0, -9.81), end=1.0, spacing=0.1)


def test_what_mjcf_does_not_know_is_refused():
    with pytest.raises(ProblemError, match="two coefficients of friction"):
        mjcf(scene("incline_block", mu_s="0.5"))
    with pytest.raises(ProblemError, match="restitution"):
        mjcf(scene("restitution_grid"))


def test_a_case_without_bodies_names_those_that_have_some():
    with pytest.raises(ProblemError, match=r"kepler is stated by coordinates.*incline_block"):
        exporting.scene_file(choose("kepler", None, {}), "mjcf")


def test_files_are_named_for_their_case(tmp_path, capsys):
    for form in ("mjcf", "scene"):
        done = exporting.export(
            case="plane_slide", variant="level", changed={}, form=form, fmi="3.0", output=str(tmp_path)
        )
        assert done == ExitCode.FINE
    assert sorted(file.name for file in tmp_path.iterdir()) == ["plane_slide.scene.json", "plane_slide.xml"]
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
