"""A problem as a user writes it: defaults, names, one element instead of several, callables as loads."""

import math

import numpy as np
import pytest

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.solver.exact.solver import SOLVER

CHAIN = {"mass": np.diag([2.0, 1.0]), "stiffness": [[3.0, -1.0], [-1.0, 1.0]], "end": 2.0}


def test_what_is_left_out_is_zero_and_numbers_are_matrices():
    problem = MechanicalProblem(mass=2.0, stiffness=8.0, end=1.0)
    assert problem.coordinates == ("x1",)
    assert problem.mass.shape == problem.stiffness.shape == problem.damping.shape == (1, 1)
    assert not problem.initial_displacement.any()
    assert problem.initial_velocity.shape == (1,)


def test_directions_by_names():
    problem = MechanicalProblem(
        **CHAIN,
        coordinates=("floor", "roof"),
        initial_velocity={"roof": 0.5},
        loads=Load("roof", Harmonic(1.0, 3.0)),
        supports=SupportMotion.from_acceleration("base", {"floor": 1, "roof": 1}, constant(1.0)),
        stops=Stop("stop", {"roof": 1, "floor": -1}, gap=0.1, stiffness=1e3),
        frictions=Friction("pad", "-floor", normal=1.0, static=0.2, kinetic=0.1),
        devices=NonlinearSpring.odd(name="spring", direction="roof", coefficients=(0.0, 1.0)),
    )
    assert problem.initial_velocity.tolist() == [0.0, 0.5]
    assert problem.loads[0].direction.tolist() == [0.0, 1.0]
    assert problem.supports[0].influence.tolist() == [1.0, 1.0]
    assert problem.stops[0].normal.tolist() == [-1.0, 1.0]
    assert problem.frictions[0].tangents[0].tolist() == [-1.0, 0.0]
    assert problem.devices[0].direction.tolist() == [0.0, 1.0]
    assert problem_from_json(problem.to_json()).to_dict() == problem.to_dict()


@pytest.mark.parametrize(
    ("change", "culprits"),
    [
        ({"stops": Stop("stop", "x3", gap=0.1, stiffness=1.0)}, ("stop", "'x3'", "did you mean x2?")),
        ({"initial_velocity": {"height": 1.0}}, ("initial_velocity", "'height'", "x1, x2")),
        ({"coordinates": ("a", "b", "c")}, ("3 coordinate names",)),
    ],
)
def test_wrong_names(change, culprits, refused):
    with refused(ProblemError, *culprits):
        MechanicalProblem(**CHAIN, **change)


def test_wrong_directions(refused):
    with refused(ProblemError, "{'x1': 'far'}"):
        Stop("stop", {"x1": "far"}, gap=0.1, stiffness=1.0)
    with refused(ProblemError, "no function of the time"):
        Load("x1", "sin")
    with refused(ProblemError, "breaks go with a callable"):
        Load("x1", constant(1.0), breaks=(1.0,))


def swelling(t):
    return math.sin(5 * t) * math.exp(-t) + (2.0 if t >= 0.7 else 0.0)


def test_callable_load_becomes_data_to_rounding():
    load = MechanicalProblem(**CHAIN, loads=Load("x1", swelling, breaks=(0.7,))).loads[0]
    times = np.linspace(0.0, 2.0, 997)
    assert load.function(times) == pytest.approx([swelling(t) for t in times], abs=1e-12)
    assert load.breaks == ()


def test_callable_is_solved_as_the_same_function_in_closed_form():
    known, given = (
        SOLVER.solve(MechanicalProblem(**CHAIN, loads=Load("x1", function), output_times=[1.0, 2.0]), {})
        for function in (Harmonic(2.0, 3.0), lambda t: 2.0 * math.sin(3.0 * t))
    )
    assert given.displacement[-1] == pytest.approx(known.displacement[-1], abs=1e-12)


def test_number_as_load_holds_from_the_start():
    load = MechanicalProblem(**CHAIN, start=-1.0, loads=Load("x2", 4.0)).loads[0]
    assert load.function(-0.5) == load.function(1.5) == 4.0


@pytest.mark.parametrize(
    ("function", "culprits"),
    [
        (lambda t: abs(math.sin(5 * t)), ("near t = 0.628", "breaks")),
        (lambda t: 1.0 / (t - t), ("ZeroDivisionError",)),
        (lambda t: math.inf if t > 1 else 0.0, ("not finite",)),
    ],
)
def test_callables_that_cannot_be_followed(function, culprits, refused):
    with refused(ProblemError, *culprits):
        MechanicalProblem(**CHAIN, loads=Load("x1", function))


def test_initial_values_outside_a_truncated_basis_are_refused(refused):
    modes = Modes(omega=[1.0], damping=[0.0], masses=[1.0], shapes=[[1.0], [2.0]])
    inside = MechanicalProblem(modes=modes, initial_displacement=[0.1, 0.2], end=1.0)
    assert inside.size == 2
    with refused(ProblemError, "0.89 of the initial displacement", "1 modes", "project"):
        MechanicalProblem(modes=modes, initial_displacement=[0.2, 0.0], initial_velocity=[1, 2], end=1.0)
