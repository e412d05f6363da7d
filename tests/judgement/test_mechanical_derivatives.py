"""Derivatives of mechanical problems: proved ones are met, numbers follow the statement of a case, wrong ones fail."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.named_numbers import list_numbers, match_numbers, move_numbers
from veridyn.problem.tangent import Tangent
from veridyn.problem.time_functions import Harmonic
from veridyn.references.parameters import exact
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.responses import Response
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.exact.solver import ExactSolver
from veridyn.validation_cases.judgement.case import Variant
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.derivatives import (
    BY,
    DerivativeStatement,
    differentiate_quantity,
    list_statements,
)
from veridyn.validation_cases.judgement.followed_numbers import follow_numbers
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.restated_mechanical import permuted
from veridyn.validation_cases.judgement.runner import Runner, read_quantity
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request

NEAR = 1e-7  # of the derivative: a measure reads neighbours


def derive(case, name):
    (parameter,) = (each for each in case.parameters if each.name == name)
    return DerivativeStatement(case, case.default_variant, parameter=parameter)


def judge_derivatives(solver, name, begins=""):
    """Return the records of the checks of the derivatives of a case whose names begin so, by the name."""
    runner = Runner(LocalGate(solver), Request())
    case = load_case(name)
    asked = checks(case, runner.subject, only=case.default_variant.name)
    return {check.name: judge(check, runner) for check in asked if BY in check.name and check.name.startswith(begins)}


@pytest.mark.parametrize(
    ("case", "parameter", "names"),
    [
        ("rigid_stop", "e", ("v@2.2", "x@2.9", "t_3")),  # impacts
        ("block_stack", "mu_1", ("lower_stop", "upper_way")),  # stick and slip
        ("tube_between_stops", "mu", ("touch_right_1", "y@0.08")),  # two sides, and friction
        ("sdld29", "F", ("x4@0.45",)),  # a load that ends
        ("sdnd100", "mu", ("component@0.0945", "final_position")),  # half cycles, then rest
        ("beam_stop", "kc", ("mid_span@0.3",)),  # modes that couple in contact
        ("frictions", "mu_d", ("change_2", "change_3", "displacement@1.3")),  # turns at once, then sticks
        ("sdnd101", "kc", ("contact_duration", "peak_time_2")),  # a run that is as long as its impacts take
    ],
)
def test_the_exact_solver_meets_proved_derivatives(case, parameter, names):
    statement, runner = derive(load_case(case), parameter), Runner(LocalGate(EXACT), Request())
    seen = runner.observe(runner.default_run(statement, "series"))
    measured = {quantity.name: quantity for quantity in statement.case.measured(statement.variant)}
    for name in names:
        derived = differentiate_quantity(measured[name], statement.parameter)
        truth = float(derived.truth(statement.values).value)
        assert truth != 0
        assert read_quantity(derived, seen) == pytest.approx(truth, rel=NEAR), name


def test_an_event_that_moves_far_leaves_the_samples_of_a_contact():
    """At the contact of the largest force, touch and release move by three contacts in a kilogram of 156.

    The truth is what `veridyn reference sdnd121 --derivative m` proves.
    """
    case = replace(load_case("sdnd121"), no_derivatives="", variants=(Variant("largest", {"t_end": "2.3"}),))
    statement, runner = derive(case, "m"), Runner(LocalGate(EXACT), Request())
    seen = runner.observe(runner.default_run(statement, "series"))
    (force,) = (each for each in case.quantities if each.name == "largest_force")
    assert read_quantity(differentiate_quantity(force, statement.parameter), seen) == pytest.approx(
        -7551.70021199820, rel=NEAR
    )


def test_all_layers_ask_for_derivatives_of_mechanical_problems():
    records = judge_derivatives(EXACT, "incline_block")
    assert {record.verdict for record in records.values()} == {"pass"}
    assert {"own_differences by m", "linear by m", "restarted by m", "renamed by m"} <= set(records)
    assert {record.layer for record in records.values()} == {"criterion", "invariance"}


class Zero(ExactSolver):
    """A gradient that is cut to zero."""

    def solve_tangent(self, problem, tangent, settings):
        return super().solve_tangent(problem, Tangent(tangent.parameter, {}), settings)


class Deaf(ExactSolver):
    """A derivative that leaves out that the mass stands in the equations of motion."""

    def solve_tangent(self, problem, tangent, settings):
        heard = {name: slope for name, slope in tangent.numbers.items() if not name.startswith("mass")}
        return super().solve_tangent(problem, Tangent(tangent.parameter, heard), settings)


class Heavy(ExactSolver):
    """The right derivative of another problem: the mass is a tenth too large."""

    @staticmethod
    def weigh(problem):
        return move_numbers(problem, {"mass[1,1]": 0.1 * float(problem.mass[0, 0])})

    def solve(self, problem, settings):
        return super().solve(self.weigh(problem), settings)

    def solve_tangent(self, problem, tangent, settings):
        moved = {name: slope * (1.1 if name == "mass[1,1]" else 1.0) for name, slope in tangent.numbers.items()}
        return super().solve_tangent(self.weigh(problem), Tangent(tangent.parameter, moved), settings)


@pytest.mark.parametrize(
    ("solver", "told", "differs"),
    [
        (Zero(), "every derivative is zero", True),
        (Deaf(), "differences of the solver's own answers are others: a wrong derivative", True),
        (Heavy(), "a right derivative of wrong answers", False),
    ],
)
def test_a_wrong_derivative_is_told(solver, told, differs):
    records = judge_derivatives(solver, "rigid_stop")
    failure = records["x@2.9 by m"]
    assert failure.verdict == "fail"
    assert told in failure.detail
    assert (records["own_differences by m"].verdict == "fail") is differs


# ---- another order of coordinates

UNLIKE = MechanicalProblem(
    name="unlike",
    mass=np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]),
    damping=np.array([[0.11, 0.12, 0.13], [0.21, 0.22, 0.23], [0.31, 0.32, 0.33]]),
    stiffness=np.array([[61.0, -1.0, -2.0], [-1.0, 62.0, -3.0], [-2.0, -3.0, 63.0]]),
    initial_displacement=np.array([0.01, 0.02, 0.03]),
    initial_velocity=np.array([0.4, 0.5, 0.6]),
    end=1.0,
    loads=(Load(np.array([1.1, 1.2, 1.3]), Harmonic(7.0, 8.0)),),
    stops=(Stop("wall", np.array([0.7, 0.8, 0.9]), gap=0.05, stiffness=1e3),),
    frictions=(Friction("shoe", (np.array([1.4, 1.5, 1.6]), np.array([1.7, 1.8, 1.9])), 2.0, 0.35, 0.35),),
)


def reverse(problem):
    """Return the problem with its coordinates in reverse order, as the relation states it."""
    stated, rest = [], np.zeros((1, problem.size))

    def solve(other):
        stated.append(other)
        return Response(np.zeros(1), rest, rest)

    permuted(solve, problem)
    return stated[0]


@pytest.mark.parametrize("problem", [UNLIKE, load_case("pipe_on_stops").problem(load_case("pipe_on_stops").values())])
def test_in_another_order_of_coordinates_each_number_keeps_its_value(problem):
    other = reverse(problem)
    here, there = list_numbers(problem), list_numbers(other)
    names = match_numbers(problem, other)
    assert sorted(names.values()) == sorted(there)
    assert names["initial_velocity[1]"] == f"initial_velocity[{problem.size}]"
    assert {name: float(there[other].value) for name, other in names.items()} == {
        name: float(number.value) for name, number in here.items()
    }


class Crossed(ExactSolver):
    """A derivative by the mass that holds for the first coordinate alone."""

    def solve_tangent(self, problem, tangent, settings):
        heard = {name: slope for name, slope in tangent.numbers.items() if name == "mass[1,1]"}
        return super().solve_tangent(problem, Tangent(tangent.parameter, heard), settings)


@pytest.mark.parametrize(("solver", "verdict"), [(EXACT, "pass"), (Crossed(), "fail")])
def test_coordinates_in_reverse_order_have_the_same_derivatives(solver, verdict):
    assert judge_derivatives(solver, "block_stack", "permuted")["permuted by m_1"].verdict == verdict


# ---- how numbers follow a parameter


def follow(name, parameter):
    case = load_case(name)
    return follow_numbers(case.problem, case.values(case.default_variant.changes), parameter)


def test_numbers_follow_the_formulas_of_the_statement():
    assert follow("sdnd104", "mu") == {"shoe.static": 1.0, "shoe.kinetic": 1.0}
    problem, slopes = load_case("pipe_on_stops"), follow("pipe_on_stops", "w1")
    stated = problem.problem(problem.values())
    frequencies = [float(number.value) for name, number in list_numbers(stated).items() if "omega" in name]
    first = frequencies[0]
    assert [slope for name, slope in slopes.items() if "omega" in name] == pytest.approx(
        [w / first for w in frequencies]
    )


@pytest.mark.parametrize(("case", "name"), [("damped_stop", "mass[1,1]"), ("sdnd106", "mass[1,1]")])
def test_a_span_that_follows_the_motion_is_held(case, name):
    stated = load_case(case)
    parameter, values = stated.parameters[0].name, stated.values(stated.default_variant.changes)
    assert follow(case, parameter) == {name: 1.0}
    longer = {**values, parameter: exact(2 * values[parameter].rational)}
    assert stated.problem.hold_span(values)(longer).end == stated.problem(values).end != stated.problem(longer).end


@pytest.mark.parametrize(
    ("case", "parameter", "reason"),
    [
        ("sdnd104", "a0", "the motion of support 'plane' of sdnd104 follows a0, and has no numbers"),
        ("frictions", "t1", "the time span of frictions follows t1"),
        ("sdnd105", "softening", "softening has no neighbours on both sides"),
    ],
)
def test_what_no_number_follows_is_not_judged(case, parameter, reason):
    with pytest.raises(CapabilityError, match=reason):
        follow(case, parameter)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("k", "stiffness.*of sdnd100 follows k by more than a formula"), ("m", "takes no formula for m")],
)
def test_a_statement_that_makes_doubles_is_not_judged(name, reason):
    case = load_case("sdnd100")

    def pose(values):
        return case.problem.state({**values, name: float(values[name])})

    with pytest.raises(CapabilityError, match=reason):
        follow_numbers(pose, case.values(), name)


def test_a_case_without_derivatives_says_so_once():
    case = replace(load_case("sdnd100"), no_derivatives="too many contacts")
    statement = Statement(case, case.default_variant)
    (derived,) = list_statements(case, statement, brief=False)
    assert derived.parameter.name == case.parameters[0].name
    with pytest.raises(CapabilityError, match="too many contacts"):
        derived.tangent  # noqa: B018
    assert list_statements(case, statement, brief=True) == []
