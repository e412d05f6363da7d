"""Derivatives through the gate: what a solver gets, what it returns, and how wrong answers are told."""

import json
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import fastjsonschema
import numpy as np
import pytest

import veridyn
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.extended import extend
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.tangent import name_numbers, read_tangent
from veridyn.problem.variations import differentiate, differentiate_start
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract import programs
from veridyn.solver.contract.derivatives import (
    Differentiated,
    move,
    read_differentiated,
    read_gradient,
    read_output,
)
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.opening import open_gate
from veridyn.solver.contract.responses import Trajectory

BALL = InitialValueProblem(
    name="ball",
    states=("y", "v"),
    parameters={"g": "9.81", "h": "1", "e": "0.8"},
    modes=(
        Mode(
            name="flight",
            rates=("v", "-g"),
            events=(Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"}),),
        ),
    ),
    initial=("h", 0),
    end=1.5,
    output_times=np.linspace(0.0, 1.5, 31),
)
IMPACTS = ("impact#1", "impact#2")
SETTINGS = {"scheme": "DOP853"}

HOSTS = Path(__file__).parents[1] / "judgement" / "ball_by_hand.py"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    return Path(shutil.copy(HOSTS, tmp_path_factory.mktemp("hosts")))


def truth(*queries, by, problem=BALL):
    return [float(value) for value in veridyn.prove(problem, list(queries), derivative=by).values()]


def by_scipy(number):
    return SCIPY.solve_tangent(BALL, read_tangent(BALL, number), SETTINGS)


@pytest.mark.parametrize("number", ["g", "h", "e"])
def test_a_derivative_through_impacts_is_the_proved_one(number):
    both = by_scipy(number)
    assert both.tangent.states[-1] == pytest.approx(truth("y@1.5", "v@1.5", by=number), rel=1e-8)
    assert both.tangent.events["impact"] == pytest.approx(truth(*IMPACTS, by=number), rel=1e-8, abs=1e-12)
    place = np.searchsorted(both.response.time, both.response.events["impact"])
    after = truth("v@impact#1", "v@impact#2", by=number)
    assert both.tangent.states[place, 1] == pytest.approx(after, rel=1e-8), "on the instant, which moves"
    before = truth("v@-impact#1", "v@-impact#2", by=number)
    assert both.tangent.before["impact"][:, 1] == pytest.approx(before, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("name", "package"), [("casadi", "casadi"), ("sundials", "sksundae"), ("heyoka", "heyoka")])
def test_other_libraries_differentiate_as_well(name, package):
    pytest.importorskip(package)
    both = load_solver(name).solve_tangent(BALL, read_tangent(BALL, "g"), {})
    assert both.tangent.states[-1] == pytest.approx(truth("y@1.5", "v@1.5", by="g"), rel=1e-7)


@pytest.mark.parametrize("number", ["g", "h", "e"])
def test_two_proofs_give_one_derivative(number):
    """The engine differentiates what it encloses; the extended problem is enclosed as any other."""
    extended = extend(BALL, read_tangent(BALL, number))
    names = [f"{name}@1.5" for name in extended.derivatives] + [f"{extended.instant}@{impact}" for impact in IMPACTS]
    proved = [float(each) for each in veridyn.prove(extended.problem, names).values()]
    assert proved == pytest.approx(truth("y@1.5", "v@1.5", *IMPACTS, by=number), rel=1e-14)


def test_the_start_is_a_number_of_the_problem_as_well():
    both = by_scipy("initial.y")
    assert both.tangent.states[-1] == pytest.approx(truth("y@1.5", "v@1.5", by="h"), rel=1e-8), "h is that start"
    assert name_numbers(BALL) == ("g", "h", "e", "initial.y", "initial.v")


def test_a_neighbour_is_what_another_parameter_gives_to_first_order():
    step = 1e-6
    neighbour = move(by_scipy("e"), step)
    other = SCIPY.solve(BALL.with_parameters({"e": f"{0.8 + step!r}"}), SETTINGS)
    assert neighbour.time == pytest.approx(other.time, abs=1e-10)
    assert neighbour.states == pytest.approx(other.states, abs=1e-9)
    assert np.isin(neighbour.events["impact"], neighbour.time).all()


def test_equations_along_a_tangent():
    variation, tangent = differentiate(BALL, read_tangent(BALL, "e")), np.array([0.5, 2.0])
    y = np.array([0.0, -4.0])
    assert variation.rate(0.0, y, tangent) == pytest.approx([2.0, 0.0])
    assert variation.guards(0.0, y, tangent) == pytest.approx([0.5])
    assert variation.resets["impact"](0.0, y, tangent) == pytest.approx([0.0, -0.8 * 2.0 + 4.0])
    assert differentiate_start(BALL, read_tangent(BALL, "h")) == pytest.approx([1.0, 0.0])


# ---- through the gates


def test_derivatives_go_through_both_gates(hosts):
    tangent = read_tangent(BALL, "e")
    expected = by_scipy("e")
    for gate in (open_gate(f"{hosts}:Ball", 60.0), open_gate(f"{hosts}:Ball", 60.0, in_process=True)):
        answer = gate.solve_tangent(BALL, tangent, {})
        both = read_differentiated(BALL, answer.content, "by hand")
        assert answer.seconds > 0
        assert answer.changed == ()
        assert both.tangent.states == pytest.approx(expected.tangent.states, rel=1e-6, abs=1e-6)
        cotangents = {"y@1.5": 2.0, "impact#2": 1.0}
        gradient = gate.solve_cotangent(BALL, cotangents, ["e", "initial.y"], {})
        assert read_gradient(gradient.content, ["e", "initial.y"], "by hand") == pytest.approx(
            {
                "e": 2.0 * truth("y@1.5", by="e")[0] + truth("impact#2", by="e")[0],
                "initial.y": 2.0 * truth("y@1.5", by="h")[0] + truth("impact#2", by="h")[0],
            }
        )


PROGRAM = """
import json, sys
from ball_by_hand import Ball
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.tangent import read_tangent
ball = Ball()
for line in sys.stdin:
    asked = json.loads(line)
    if asked["command"] == "stop":
        break
    if asked["command"] == "start":
        answer = {"name": ball.name, "version": ball.version, "capabilities": sorted(ball.capabilities)}
    else:
        problem = problem_from_json(json.dumps(asked["problem"]))
        answer = {"id": asked["id"]}
    if asked["command"] == "solve_tangent":
        answer |= ball.solve_tangent(problem, read_tangent(problem, asked["tangent"]), {})
    if asked["command"] == "solve_cotangent":
        answer["gradient"] = ball.solve_cotangent(problem, asked["cotangents"], asked["numbers"], {})
    print(json.dumps(answer, default=lambda array: array.tolist()), flush=True)
"""


def test_a_program_answers_the_same_questions(hosts):
    (hosts.parent / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = shlex.join([sys.executable, "-W", "ignore", str(hosts.parent / "program.py")])
    gate = open_gate(f"cmd:{command}", 60.0)
    answer = gate.solve_tangent(BALL, read_tangent(BALL, "h"), {}).content
    expected = by_scipy("h").tangent.states
    assert read_differentiated(BALL, answer, "program").tangent.states == pytest.approx(expected, rel=1e-6, abs=1e-6)
    gradient = gate.solve_cotangent(BALL, {"impact#1": 1.0}, ["h"], {}).content
    assert read_gradient(gradient, ["h"], "program") == {"h": pytest.approx(truth("impact#1", by="h")[0])}
    validate = fastjsonschema.compile(json.loads((Path(programs.__file__).parent / "protocol-1.json").read_text()))
    stated = {"id": 1, "problem": json.loads(BALL.to_json()), "settings": {}}
    validate({"command": "solve_tangent", "tangent": {"parameter": "h", "numbers": {"h": 1.0}}, **stated})
    validate({"command": "solve_cotangent", "cotangents": {"impact#1": 1.0}, "numbers": ["h"], **stated})
    validate({"id": 1, "gradient": gradient})
    validate({"id": 1, "response": {"time": [0, 1], "states": [0, 1]}, "tangent": {"states": [0, 1]}})


def test_who_offers_derivatives_has_the_function(hosts):
    with pytest.raises(SolverInputError, match="missing offers derivatives:forward and has no solve_tangent"):
        open_gate(f"{hosts}:Missing", 60.0, in_process=True)
    assert "derivatives:forward" in introduce(SCIPY).capabilities
    assert LocalGate(SCIPY).solve_tangent(BALL, read_tangent(BALL, "g"), SETTINGS).seconds > 0


# ---- what is wrong


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("f", "ball: unknown number 'f'"),
        ("initial.x", "did you mean initial.y"),
        ({"numbers": {}}, "a tangent has a parameter and numbers"),
        ({"parameter": "e", "numbers": {"e": float("nan")}}, "the derivative of e is nan; a finite number is needed"),
    ],
)
def test_a_wrong_tangent_is_one_line(given, text):
    with pytest.raises(ProblemError, match=text):
        read_tangent(BALL, given)


def test_numbers_of_a_mechanical_problem_go_by_their_names():
    mass = MechanicalProblem(
        name="mass", mass=np.eye(1), stiffness=np.eye(1), initial_displacement=[1.0], initial_velocity=[0.0], end=1.0
    )
    assert {"mass[1,1]", "stiffness[1,1]", "initial_displacement[1]"} <= set(name_numbers(mass))
    with pytest.raises(ProblemError, match=r"unknown number 'mass\[2,2\]'"):
        read_tangent(mass, "mass[2,2]")


TIME = np.array([0.0, 0.5, 1.5])
STATES = np.ones((3, 2))
RESPONSE = {"time": TIME, "states": STATES, "events": {"impact": TIME[1:2]}}


@pytest.mark.parametrize(
    ("tangent", "text"),
    [
        (None, "a tangent that is no record"),
        ({"time": TIME}, "a tangent without states"),
        ({"states": STATES[:2], "time": TIME}, r"tangent of states of shape \(2, 2\); \(3, 2\) is needed"),
        ({"states": np.full((3, 2), np.nan), "time": TIME}, "tangent of states with NaN or infinity"),
        ({"states": STATES}, "a tangent without events of impact: how do its instants move"),
        ({"states": STATES, "events": {"bounce": [0.0]}}, "a tangent of events 'bounce'; the response has"),
        ({"states": STATES, "events": {"impact": [0.0, 1.0]}}, r"events impact of shape \(2,\)"),
        ({"states": STATES, "time": [0.0]}, r"tangent of time of shape \(1,\)"),
    ],
)
def test_a_wrong_answer_is_a_failure_in_one_line(tangent, text):
    problem = replace(BALL, output_times=None)
    with pytest.raises(SolverFailure, match=text):
        read_differentiated(problem, {"response": RESPONSE, "tangent": tangent}, "mine")


def test_what_has_no_derivative_is_left_out_of_the_response():
    problem = replace(BALL, output_times=None)
    response = {**RESPONSE, "before": {"impact": STATES[:1]}}
    both = read_differentiated(problem, {"response": response, "tangent": {"states": STATES, "time": TIME}}, "mine")
    assert not both.response.before
    assert both.tangent.events["impact"] == [0.5]
    assert isinstance(both, Differentiated)
    assert isinstance(both.tangent, Trajectory)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ([1.0], "returned list; derivatives by name"),
        ({"e": 1.0}, "no derivative by g"),
        ({"e": 1.0, "g": np.inf}, "derivative by g with NaN or infinity"),
        ({"e": 1.0, "g": 1.0, "k": 1.0}, "a derivative by 'k'; asked for are e, g"),
        ({"e": 1.0, "g": [1.0, 2.0]}, "a derivative by g of 2 numbers"),
    ],
)
def test_a_wrong_gradient_is_a_failure_in_one_line(answer, text):
    with pytest.raises(SolverFailure, match=text):
        read_gradient(answer, ["e", "g"], "mine")


def test_outputs_are_read_from_text():
    assert read_output("y@2.0").at == 2.0
    assert read_output("impact#2").number == 2
    assert [str(read_output(text)) for text in ("y@2.0", "impact#2")] == ["y@2.0", "impact#2"]
    with pytest.raises(ValueError, match="is no output"):
        read_output("impact")
