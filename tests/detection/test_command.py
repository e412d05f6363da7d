"""Programs in C with a fault answer otherwise than the sound ones, or not at all."""

from functools import cache

import numpy as np
import pytest

from veridyn.problem.elements import Load, Stop
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import read_response

from .faults.command import HOSTS
from .hosts.compiled import build, compiler, edited

pytestmark = pytest.mark.skipif(not compiler(), reason="no C compiler: one of cc, gcc and clang is needed")

OSCILLATOR = MechanicalProblem(
    start=0.25,
    end=2.25,
    mass=np.array([[1.5]]),
    damping=np.array([[0.25]]),
    stiffness=np.array([[40.5]]),
    initial_displacement=np.array([0.1]),
    initial_velocity=np.array([1.0]),
    loads=(Load(np.ones(1), Harmonic(20.0, 7.0)),),
    stops=(
        Stop("upper", np.ones(1), 0.2, stiffness=2e3, offset=0.02),
        Stop("lower", -np.ones(1), 0.15, stiffness=1e3),
    ),
    output_times=np.linspace(0.25, 2.25, 201),
)
HIT = Change(name="hit", guard="x", direction=-1, reset={"x": "0", "v": "x - 0.9*v", "w": "-v"})
BALL = InitialValueProblem(
    name="ball",
    states=("x", "v", "w"),
    parameters={"g": "9.81"},
    modes=(Mode(name="flies", rates=("v", "-g - v**2/10 + sin(3*t)", "-x**2/50"), events=(HIT,)),),
    initial=(1, 0, 0),
    end=1.5,
    output_times=np.linspace(0.0, 1.5, 151),
)
PROBLEMS = {"newmark-c": (OSCILLATOR, {"step": 1e-3}), "hybrid-c": (BALL, {"step": 1e-2})}


def solved(host, solver):
    """Return the second of two answers, as it comes and as it is read."""
    problem, settings = PROBLEMS[host]
    solver.solve(problem, settings)
    answer = solver.solve(problem, settings)
    return answer, read_response(problem, answer, solver.name)


@cache
def sound(host):
    return solved(host.name, host.solver)


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_sound_program_agrees_with_finer_steps(host):
    problem, settings = PROBLEMS[host.name]
    answer = sound(host)[1]
    finer = read_response(problem, host.solver.solve(problem, {"step": settings["step"] / 4}), host.name)
    values, finer = (a.displacement if hasattr(a, "displacement") else a.states for a in (answer, finer))
    np.testing.assert_allclose(values, finer, atol=2e-3 * np.abs(values).max())


FAULTS = [(host, fault) for host in HOSTS for fault in host.faults]


@pytest.mark.parametrize(("host", "fault"), [(h, f) for h, f in FAULTS if f.part != "protocol"], ids=lambda x: x.name)
def test_a_program_with_a_fault_answers_otherwise(host, fault):
    problem, _ = PROBLEMS[host.name]
    assert fault.touches(problem)
    assert solved(host.name, fault.make(fault.size or 0.0))[0] != sound(host)[0]


@pytest.mark.parametrize(("host", "fault"), [(h, f) for h, f in FAULTS if f.part == "protocol"], ids=lambda x: x.name)
def test_a_program_that_breaks_the_protocol_fails(host, fault):
    with pytest.raises(SolverFailure):
        solved(host.name, fault.make(0.0))


@pytest.mark.parametrize(("host", "fault"), [(h, f) for h, f in FAULTS if f.size], ids=lambda x: x.name)
def test_a_fault_grows_with_its_size(host, fault):
    right = sound(host)[1].displacement
    answers = (solved(host.name, fault.make(size))[1] for size in (fault.size / 2, fault.size))
    small, large = (np.abs(answer.displacement - right).max() for answer in answers)
    assert large == pytest.approx(2 * small, rel=0.1)


def test_a_text_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no 'gap'"):
        edited("int main(void) { return 0; }", ("gap", "hole"))


def test_a_source_that_does_not_compile_is_refused():
    with pytest.raises(ValueError, match="error"):
        build("int main(void) { return }")
