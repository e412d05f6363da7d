"""What a solver, or its user, may state: claims, refinement levels, capabilities, requirements."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from veridyn.problem.elements import Load, Stop
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.nearest import nearest
from veridyn.problem.time_functions import Harmonic
from veridyn.problem.time_scales import shortest_period
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.gate import default_settings, read_levels
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import (
    STEPS_PER_PERIOD,
    TAGS,
    TOLERANCES,
    Claims,
    ObservedClaims,
    read_claims,
    read_refinement,
)
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as INTEGRATOR
from veridyn.validation_cases.judgement.subject import Request, Subject, read_request
from veridyn.validation_cases.judgement.tolerances import Requirement, read_requirement

DOWN = [{"step": 4e-3}, {"step": 2e-3}, {"step": 1e-3}]


def oscillator(**changes):
    given = {"name": "oscillator", "mass": [[2.0]], "stiffness": [[8.0]], "end": 1.0}
    return MechanicalProblem(**given | {"initial_displacement": [1.0], "initial_velocity": [0.0]} | changes)


class Claiming:
    name, version, capabilities = "claiming", "1", frozenset({"mechanical"})

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def solve(self, problem, settings):
        raise AssertionError("nothing is solved")


# ---- claims


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, Claims()),
        ({"order": 2}, Claims(order=2.0)),
        ({"order": "5/2", "lag": "1/2"}, Claims(order=2.5, lag=0.5)),
        ({"order": 3, "damped_order": 2}, Claims(order=3.0, damped_order=2.0)),
        ({"tolerance": "rtol", "factor": "100"}, Claims(tolerance="rtol", factor=100.0)),
        ({"digits": np.float64(12)}, Claims(digits=12.0)),
        ({"order": 2, "stability": "inf"}, Claims(order=2.0, stability=math.inf)),
        ({"order": None, "tolerance": "", "digits": 8}, Claims(digits=8.0)),
        (
            {"order": 2, "method": "newmark", "beta": "1/4", "gamma": 0.5},
            Claims(order=2.0, method="newmark", parameters={"beta": "1/4", "gamma": 0.5}),
        ),
        ({"order": 2, "numerical_damping": 0}, Claims(order=2.0, numerical_damping=0.0)),
    ],
)
def test_claims_are_read(given, found):
    assert read_claims("me", given) == found


@pytest.mark.parametrize("given", [{"order": 2}, {"tolerance": "rtol"}, {"digits": 9}, {"method": "newmark"}])
def test_what_can_be_judged_counts_as_claimed(given):
    assert read_claims("me", given)


@pytest.mark.parametrize("given", [{}, {"lag": 0.5}, {"stability": 2}])
def test_what_only_goes_with_a_claim_is_none(given):
    assert not read_claims("me", given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (2, r"me: claims must be a mapping such as \{'order': 2\}, got 2"),
        (["order"], "claims must be a mapping"),
        ({1: 2}, "claims must be a mapping"),
        ({"ordre": 2}, "me: unknown claim 'ordre'; did you mean order?"),
        ({"beta": "1/4"}, "unknown claim 'beta'"),
        ({"xyzzy": 2}, "unknown claim 'xyzzy'; known are damped_order, digits, factor"),
        ({"order": "two"}, "claim order = 'two' is not a number"),
        ({"order": "1/0"}, "is not a number"),
        ({"order": math.nan}, "is not a number"),
        ({"order": [2]}, "is not a number"),
        ({"tolerance": 1e-3}, "claim tolerance = 0.001 must be a name"),
        ({"method": 3, "beta": 1}, "claim method = 3 must be a name"),
        ({"order": 2, "digits": 12}, "claims order and digits contradict each other; state one of them"),
        ({"order": 2, "tolerance": "rtol"}, "claims order and tolerance contradict each other"),
        ({"tolerance": "rtol", "digits": 9}, "claims tolerance and digits contradict each other"),
        ({"factor": 10}, "the claim factor goes with the claim tolerance, which is missing"),
        ({"order": -2}, "claim order = -2 must be positive"),
        ({"tolerance": "rtol", "factor": 0}, "claim factor = 0 must be positive"),
        ({"order": 2, "stability": -1}, "claim stability = -1 must be positive"),
        ({"order": 2, "printed": 1}, "claim printed = 1 must be a whole number of digits, 2 or more"),
        ({"order": 2, "printed": 6.5}, "claim printed = 6.5 must be a whole number"),
        ({"digits": 99}, "claim digits = 99 is more than the 15.95 of a double"),
    ],
)
def test_wrong_claims_are_refused_in_one_line(given, message):
    with pytest.raises(SettingsError, match=message) as refused:
        read_claims("me", given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"method": "newmrak"}, r"solver claiming: .*newmrak.*did you mean newmark"),
        ({"method": "newmark", "bata": "1/4"}, r"solver claiming: .*bata.*beta"),
        ({"method": "newmark", "beta": "many"}, "solver claiming: .*beta"),
        ({"method": "wilson-theta"}, "solver claiming: wilson-theta needs theta"),
    ],
)
def test_a_method_that_is_unknown_or_incomplete_is_refused(claims, message):
    with pytest.raises(SettingsError, match=message):
        Subject.from_introduction(introduce(Claiming(claims=claims)))


def test_claims_may_depend_on_the_scheme():
    solver = Claiming(schemes=("one", "two"), claims=lambda scheme: {"order": len(scheme)} if scheme == "two" else {})
    assert [introduce(solver).claims[scheme] for scheme in solver.schemes] == [Claims(), Claims(order=3.0)]
    assert Subject.from_introduction(introduce(solver)).claims == {"one": Claims(), "two": Claims(order=3.0)}


def test_claims_of_the_user_replace_those_of_the_solver():
    solver = Claiming(claims={"order": 2})
    assert Subject.from_introduction(introduce(solver), Request(claims={"digits": 6})).claims == {
        "": Claims(digits=6.0)
    }


def test_a_solver_may_state_nothing():
    solver = Claiming()
    subject = Subject.from_introduction(introduce(solver))
    assert (subject.claims, subject.refined) == ({"": Claims()}, False)
    assert default_settings(LocalGate(solver), oscillator()) == {}


# ---- refinement


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (DOWN, "step"),
        (tuple(DOWN), "step"),
        ([{"n": i, "dt": 1 / i} for i in (1, 2, 3)], "dt"),
        ([{"atol": 10.0**-i, "rtol": 10.0 ** (1 - i)} for i in (3, 5, 7)], "rtol"),
        ([{"stiffness": 1 / i, "step": 1 / i} for i in (1, 2, 3)], "step"),
        ([{"zeta": 1 / i, "eta": 1 / i} for i in (1, 2, 3)], "zeta"),
        ([{"step": 1 / i, "quiet": True, "word": "x"} for i in (1, 2, 3)], "step"),
    ],
)
def test_one_setting_decreases_from_level_to_level(given, key):
    found = read_refinement("me", given)
    assert found.key == key
    assert found.levels == tuple(given)
    assert list(found.sizes) == sorted(found.sizes, reverse=True)


def test_the_claimed_tolerance_is_the_setting_that_is_refined():
    given = [{"step": 1 / i, "eps": 1 / i} for i in (1, 2, 3)]
    assert read_refinement("me", given, "eps").key == "eps"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (DOWN[:2], "me: 2 refinement levels; give 3 or more, coarse to fine"),
        ([], "0 refinement levels"),
        (DOWN[::-1], "no setting decreases from each refinement level to the next: step=0.001; step=0.002; step=0.004"),
        ([*DOWN, {"step": 1e-3}], "no setting decreases"),
        ([{"step": 1e-2}, {"dt": 1e-3}, {"step": 1e-4}], "no setting decreases"),
        ([{"step": 1.0}, {"step": 0.5}, {"step": 0.0}], "no setting decreases"),
        ([{"step": 1.0}, {"step": 0.5}, {"step": math.nan}], "no setting decreases"),
        ([{"step": "1"}, {"step": "0.5"}, {"step": "0.1"}], "no setting decreases"),
        ([{"fine": 2}, {"fine": True}, {"fine": False}], "no setting decreases"),
        ([0.1, 0.05, 0.025], "refinement must be settings from coarse to fine"),
        ({"step": 1}, "refinement must be settings"),
        (7, "refinement must be settings"),
    ],
)
def test_levels_that_cannot_be_used_are_refused_in_one_line(given, message):
    with pytest.raises(SettingsError, match=message) as refused:
        read_refinement("me", given)
    assert "\n" not in str(refused.value)


def test_refinement_may_be_a_list_a_function_or_a_function_of_the_scheme():
    assert read_levels(LocalGate(Claiming(refinement=DOWN)), oscillator()).levels == tuple(DOWN)
    by_problem = Claiming(refinement=lambda problem: [{"step": problem.end / i} for i in (1, 2, 3)])
    assert read_levels(LocalGate(by_problem), oscillator(end=6.0)).sizes == (6.0, 3.0, 2.0)
    by_scheme = Claiming(
        schemes=("rk",), refinement=lambda problem, scheme: [{"h": len(scheme) / i} for i in (1, 2, 4)]
    )
    assert read_levels(LocalGate(by_scheme), oscillator(), "rk").sizes == (2.0, 1.0, 0.5)


def test_of_a_named_step_the_suite_chooses_levels_from_the_shortest_period():
    """Frequency 2 rad/s; with the stop sqrt(8 + 24)/sqrt(2) = 4 rad/s; the load is the fastest, 10 rad/s."""
    stop, load = Stop("wall", [1.0], 0.1, 24.0), Load([1.0], Harmonic(1.0, 10.0))
    for problem, omega in (
        (oscillator(), 2.0),
        (oscillator(stops=(stop,)), 4.0),
        (oscillator(stops=(stop,), loads=(load,)), 10.0),
    ):
        found = read_levels(LocalGate(Claiming(refinement="h")), problem)
        assert found.key == "h"
        assert found.sizes == pytest.approx([2 * math.pi / omega / count for count in STEPS_PER_PERIOD])


def test_no_named_step_is_longer_than_an_interval_between_outputs():
    """A solver that lands on outputs would take the same steps at all levels, and seem to have no order."""
    dense = replace(oscillator(), output_times=np.linspace(0, 1, 101))
    found = read_levels(LocalGate(Claiming(refinement="h")), dense)
    assert found.sizes == pytest.approx([0.01, 0.005, 0.0025, 0.00125])


def test_without_any_period_there_is_the_time_span():
    assert shortest_period(oscillator(stiffness=[[0.0]], end=7.0)) == 7.0


def test_of_a_named_tolerance_the_suite_chooses_levels_too():
    solver = Claiming(refinement="rtol", claims={"tolerance": "rtol"})
    assert read_levels(LocalGate(solver), oscillator()).sizes == TOLERANCES


def test_levels_of_the_user_replace_those_of_the_solver():
    solver = Claiming(refinement=DOWN, settings={"dt": "step (s)"})
    subject = Subject.from_introduction(introduce(solver), Request(refinement="dt"))
    assert subject.refinement(LocalGate(solver), oscillator(), "").key == "dt"
    assert Subject.from_introduction(introduce(solver)).refinement(LocalGate(solver), oscillator(), "").key == "step"


def test_other_settings_of_the_user_hold_on_every_level():
    solver = Claiming(refinement=DOWN, settings={"step": "step (s)", "newton": "iterations"}, schemes=("rk",))
    subject = Subject.from_introduction(introduce(solver), Request(settings={"newton": 9}))
    found = subject.refinement(LocalGate(solver), oscillator(), "rk")
    assert found.levels == tuple({"scheme": "rk", "newton": 9, **level} for level in DOWN)


def test_a_step_of_the_user_moves_the_levels_so_that_it_is_the_finest():
    solver = Claiming(refinement=DOWN, settings={"step": "step (s)"})
    subject = Subject.from_introduction(introduce(solver), Request(settings={"step": "1e-4"}))
    assert subject.refinement(LocalGate(solver), oscillator(), "").sizes == pytest.approx([4e-4, 2e-4, 1e-4])


@pytest.mark.parametrize("asked", ["stepp", [{"stepp": 1.0 / i} for i in (1, 2, 3)]])
def test_a_setting_that_nobody_declares_cannot_be_refined(asked):
    solver = Claiming(settings={"step": "step (s)"})
    with pytest.raises(SettingsError, match=r"'stepp'.*step"):
        Subject.from_introduction(introduce(solver), Request(refinement=asked))


def test_constant_levels_are_refused_before_anything_is_solved():
    with pytest.raises(SettingsError, match="claiming: 2"):
        Subject.from_introduction(introduce(Claiming(refinement=DOWN[:2])))


# ---- what was seen, where nobody states anything

SEEN = {"": ObservedClaims(Claims(order=2.0), "step")}


def test_what_was_seen_stands_in_for_what_nobody_states():
    solver = Claiming(settings={"step": "step (s)"})
    subject = Subject.from_introduction(introduce(solver), Request(observed=SEEN))
    assert (subject.claims, subject.refined, subject.observed) == ({"": Claims(order=2.0)}, True, ("",))
    levels = subject.refinement(LocalGate(solver), oscillator(), "")
    assert levels == Subject.from_introduction(introduce(solver), Request(refinement="step")).refinement(
        LocalGate(solver), oscillator(), ""
    )


def test_what_is_stated_comes_first():
    stating = Claiming(claims={"digits": 6}, refinement=DOWN)
    subject = Subject.from_introduction(introduce(stating), Request(observed=SEEN))
    assert (subject.claims[""].digits, subject.claims[""].order, subject.observed) == (6.0, None, ())
    assert subject.refinement(LocalGate(stating), oscillator(), "").sizes == tuple(level["step"] for level in DOWN)
    asked = Request(claims={"digits": 3}, observed=SEEN)
    assert Subject.from_introduction(introduce(Claiming()), asked).claims == {"": Claims(digits=3.0)}


def test_a_failed_claim_that_was_only_seen_says_so(judged, make_statement, make_quantity):
    class Slow(Claiming):
        """Of order one, in a quantity whose truth is 1."""

        def solve(self, problem, settings):
            time = np.linspace(problem.start, problem.end, 3)
            return {"time": time, "displacement": np.full(3, 1.0 + settings.get("step", 0.1)), "velocity": np.zeros(3)}

    statement = make_statement(make_quantity(truth=mpmath.mpf(1), scale=lambda _: 1.0), problem=lambda _: oscillator())
    record = judged(Slow(settings={"step": "step (s)"}), statement, layers=("claim",), observed=SEEN)
    failed = record["only-claim:order:end"]
    assert (failed.verdict, failed.value) == ("fail", pytest.approx(1.0))
    assert failed.reason.endswith("the claim was observed on simple problems, not stated")


# ---- capabilities


@pytest.mark.parametrize("solver", [INTEGRATOR, EXACT])
def test_capabilities_of_the_solvers_exist(solver):
    assert introduce(solver).capabilities <= TAGS


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("contacts", "solver claiming: unknown capability 'contacts'; did you mean contact?"),
        ("Mechanical", "did you mean mechanical?"),
        ("friction", "unknown capability 'friction'; did you mean friction:"),
        ("quantum", "unknown capability 'quantum'; "),
    ],
)
def test_a_misspelt_capability_is_refused_in_one_line_with_the_nearest(tag, message):
    with pytest.raises(SolverInputError, match=message) as refused:
        Subject.from_introduction(introduce(Claiming(capabilities={"mechanical", tag})))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("capabilities", ["mechanical", None, 3, {1}])
def test_capabilities_are_a_collection_of_names(capabilities):
    with pytest.raises(SolverInputError, match="capabilities"):
        Subject.from_introduction(introduce(Claiming(capabilities=capabilities)))


def test_without_a_near_name_all_are_listed():
    assert nearest("zzz", ["a", "b"]) == "known are a, b"


# ---- on the command line


def test_a_request_is_read():
    found = read_request(claims=["method=newmark", "beta=1/4"], refine="step=1e-2, 5e-3,2.5e-3", require="digits=6")
    assert found.claims == {"method": "newmark", "beta": "1/4"}
    assert found.refinement == [{"step": 1e-2}, {"step": 5e-3}, {"step": 2.5e-3}]
    assert found.require == Requirement(1e-6, "required: digits=6")
    assert read_request(refine=" step ").refinement == "step"
    assert read_request() == Request()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"claims": ["order"]}, "--claim 'order': write NAME=VALUE, e.g. order=2"),
        ({"claims": ["=2"]}, "write NAME=VALUE"),
        ({"claims": ["ordre=2"]}, "--claim: unknown claim 'ordre'; did you mean order?"),
        ({"refine": "step="}, "--refine 'step=': write NAME=VALUE"),
        ({"refine": "step=1,x,2"}, "'1,x,2' is no list of numbers, e.g. step=1e-2,5e-3,2.5e-3"),
        ({"refine": "step=1,0.5"}, "--refine: 2 refinement levels; give 3 or more"),
        ({"refine": "step=1,2,3"}, "no setting decreases"),
        ({"require": "6"}, "requirement '6': write digits=6 or rel=1e-6, a positive number"),
        ({"require": "digits=99"}, "requirement 'digits=99': a double has 15.95 digits at most; ask for fewer"),
        ({"require": "rel=1e-17"}, "requirement 'rel=1e-17': a double has 15.95 digits at most; ask for fewer"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(asked, message):
    with pytest.raises(SettingsError, match=message) as refused:
        read_request(**asked)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "relative"), [("digits=6", 1e-6), ("digits=2.5", 10**-2.5), ("rel=1e-4", 1e-4), (" rel = 0.5 ", 0.5)]
)
def test_requirements(text, relative):
    assert read_requirement(text).relative == pytest.approx(relative)


@pytest.mark.parametrize("text", ["", "digits", "digits=0", "digits=-3", "rel=nan", "rel=x", "abs=1", "digits=inf"])
def test_wrong_requirements(text):
    with pytest.raises(SettingsError, match="digits=6 or rel=1e-6"):
        read_requirement(text)
