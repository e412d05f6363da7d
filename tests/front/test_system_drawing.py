"""The mechanical system behind a problem, as a report draws it."""

import msgspec
import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic
from veridyn.results import BeamSide, BeamStop, DrawnBeam, DrawnSystem
from veridyn.run.system import describe, describe_beam
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case


def problem(**changes):
    n = len(changes.get("initial_displacement", [0.0]))
    given = {"mass": np.eye(n), "initial_displacement": np.zeros(n), "initial_velocity": np.zeros(n)}
    return MechanicalProblem(name="p", end=1.0, **(given | changes))


def chain(**changes):
    stiffness = np.array([[3.0, -2.0, 0.0], [-2.0, 5.0, -3.0], [0.0, -3.0, 4.0]])
    return problem(initial_displacement=np.zeros(3), stiffness=stiffness, **changes)


def links(system, kind="springs"):
    return {(*link.ends, round(link.value, 9)) for link in getattr(system, kind)}


def test_a_chain_is_taken_apart_into_its_springs():
    assert links(describe(chain())) == {
        ("ground", "x1", 1.0),
        ("x1", "x2", 2.0),
        ("x2", "x3", 3.0),
        ("ground", "x3", 1.0),
    }


def test_springs_that_end_at_a_moving_support_are_found_from_its_static_mode():
    static = np.linalg.solve(chain().stiffness, [1.0, 0.0, 0.0])
    moving = SupportMotion.from_acceleration("base", static, Harmonic(1.0, 1.0))
    found = links(describe(chain(supports=(moving,))))
    assert {("base", "x1", 1.0), ("ground", "x3", 1.0)} <= found
    assert ("ground", "x1", 1.0) not in found


def test_a_complete_modal_basis_is_the_system_behind_it():
    full = chain()
    squares, shapes = np.linalg.eigh(full.stiffness)
    basis = Modes(omega=np.sqrt(squares), damping=np.zeros(3), masses=np.ones(3), shapes=shapes)
    modal = problem(initial_displacement=np.zeros(3), mass=None, modes=basis)
    assert links(describe(modal)) == links(describe(full))


def test_elements_name_what_they_hold():
    made = problem(
        initial_displacement=np.zeros(2),
        damping=np.array([[1.0, -1.0], [-1.0, 1.0]]),
        stops=(
            Stop("between", [1.0, -1.0], gap=0.1, stiffness=5.0),
            Stop("left", [-1.0, 0.0], gap=0.2, stiffness=6.0, offset=0.05),
            Stop("slot", [0.0, 1.0], gap=0.3, stiffness=7.0, geometry="parallel planes"),
        ),
        frictions=(Friction("pad", (np.array([0.0, 1.0]),), 10.0, 0.3, 0.2),),
        loads=(Load([0.0, 1.0], Harmonic(1.0, 1.0)),),
    )
    system = describe(made)
    assert links(system, "dampers") == {("x1", "x2", 1.0)}
    assert [(stop.ends, stop.side) for stop in system.stops] == [
        (("x1", "x2"), "right"),
        (("x1",), "left"),
        (("x2",), "both"),
    ]
    assert system.stops[1].gap == pytest.approx(0.15)
    assert (system.frictions[0].ends, system.loads) == (("x2",), ("x2",))


@pytest.mark.parametrize(
    "made",
    [
        problem(initial_displacement=np.zeros(9)),
        problem(initial_displacement=np.zeros(2), stiffness=np.array([[1.0, 1.0], [1.0, 1.0]])),
        problem(initial_displacement=np.zeros(2), mass=np.array([[2.0, 1.0], [1.0, 2.0]])),
        problem(initial_displacement=np.zeros(3), stops=(Stop("s", [1.0, 1.0, 1.0], gap=0.0, stiffness=1.0),)),
        problem(initial_displacement=np.zeros(2), frictions=(Friction("f", tuple(np.eye(2)), 1.0, 0.1, 0.1),)),
        problem(initial_displacement=np.zeros(2), stops=(Stop("s", [0.6, 0.8], gap=0.0, stiffness=1.0),)),
        problem(
            initial_displacement=np.zeros(2),
            stops=(Stop("s", [0.0, 1.0], gap=0.0, stiffness=1.0),),
            frictions=(Friction("f", ([1.0, 0.0],), "s", 0.1, 0.1),),
        ),
        problem(
            initial_displacement=np.zeros(2),
            mass=None,
            modes=Modes(omega=np.ones(1), damping=np.zeros(1), masses=np.ones(1), shapes=np.ones((2, 1))),
        ),
    ],
    ids=[
        "too many",
        "no springs",
        "coupled masses",
        "stop on three",
        "friction in a plane",
        "stop across",
        "friction on a stop",
        "truncated basis",
    ],
)
def test_what_is_no_line_of_masses_is_not_described(made):
    assert describe(made) is None


def test_the_system_of_every_case_can_be_recorded():
    for case in all_cases():
        described = describe(case.problem(case.values(case.variants[0].changes)))
        assert described is None or msgspec.convert(msgspec.to_builtins(described), DrawnSystem) == described, case.name


@pytest.mark.parametrize(
    ("name", "law", "far"),
    [
        ("sdnd103", "nonlinear-spring", "support"),
        ("sdnd105", "buckling-stop", "ground"),
        ("sdnd107", "zener", "ground"),
    ],
)
def test_devices_are_described(name, law, far):
    case = load_case(name)
    (device,) = describe(case.problem(case.values())).devices
    assert device.type == law
    assert device.side == ("right" if law == "buckling-stop" else "left")
    assert far in device.ends


def test_the_beam_takes_its_stop_and_its_velocities_from_the_problem():
    case = load_case("beam_stop")
    values = case.values({"gap": "0.03", "N": "3"})
    drawn = describe_beam(case.problem(values), case.beam(values))
    assert drawn.stops == (BeamStop(name="stop", at=0.5, side=BeamSide.BELOW, gap=0.03, stiffness=1e4),)
    assert [(one.at, one.value < 0) for one in drawn.velocities] == [(i / 8, True) for i in range(1, 8)]
    assert [shape.name for shape in drawn.shapes] == ["φ1", "φ3"]
    assert msgspec.convert(msgspec.to_builtins(drawn), DrawnBeam) == drawn


def can_be_drawn(case):
    shown = ((v.problem or case.problem, case.values(v.changes)) for v in case.variants)
    return case.sketch or case.beam or any(describe(problem(values)) for problem, values in shown)


def test_every_case_can_be_drawn():
    assert [case.name for case in all_cases() if not can_be_drawn(case)] == []
