"""Derivatives as a solver is judged by them: right ones pass, wrong ones fail and say which term is missing."""

import pytest

from tests.judgement import ball_by_hand
from veridyn.problem.tangent import Tangent
from veridyn.problem.variations import differentiate_start
from veridyn.references.certified import undefined
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.case import Quantity
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.derivatives import (
    BY,
    DerivedQuantity,
    follow_numbers,
    list_statements,
    rename_numbers,
)
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.relations import STRUCTURAL
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request

BALL = load_case("bouncing_ball")


def judge_derivatives(solver, request=None):
    runner = Runner(LocalGate(solver), request or Request())
    return [judge(check, runner) for check in checks(BALL, runner.subject) if BY in check.name]


def failed(records):
    return {record.quantity: record.detail for record in records if record.verdict == "fail"}


def test_right_derivatives_pass_in_all_layers():
    records = judge_derivatives(ball_by_hand.Ball())
    assert failed(records) == {}
    layers = {record.layer: record for record in records if record.verdict == "pass"}
    assert set(layers) == {"criterion", "invariance"}, "there are no levels"
    names = {record.quantity.partition(BY)[0] for record in records}
    assert {
        "t_impact_2",
        "y@2",
        "path",
        "own_differences",
        "linear",
        "renamed",
        "permuted",
        "restarted",
        "reverse",
    } <= names
    assert {r.quantity for r in records if r.verdict != "pass"} == set()
    assert {record.quantity.partition(BY)[2] for record in records} == {"e"}
    assert {r.unit for r in records if r.quantity in ("v@2 by e", "t_impact_2 by e")} == {"m/s", "s"}


@pytest.mark.parametrize(
    ("host", "cause"),
    [
        ("Unmoved", "as if the instants of events did not move"),
        ("Bare", "the parameter did not stand in the jumps of the states"),
        ("Cut", "every derivative is zero"),
    ],
)
def test_a_missing_term_has_a_name(host, cause):
    failures = failed(judge_derivatives(getattr(ball_by_hand, host)()))
    assert "y@2 by e" in failures
    assert cause in failures["y@2 by e"]
    assert "differences of the solver's own answers are others: a wrong derivative" in failures["y@2 by e"]
    assert "own_differences by e" in failures


def test_a_right_derivative_of_wrong_answers_is_told_so():
    failures = failed(judge_derivatives(ball_by_hand.Livelier()))
    assert "a right derivative of wrong answers" in failures["y@2 by e"]
    assert "as if" not in failures["y@2 by e"]
    assert "own_differences by e" not in failures


def test_who_offers_no_derivatives_is_asked_for_none():
    class Plain(ball_by_hand.Ball):
        capabilities = ball_by_hand.Ball.capabilities - {"derivatives:forward", "derivatives:reverse"}

    assert judge_derivatives(Plain()) == []


def test_a_short_run_judges_what_the_case_states():
    names = {record.quantity for record in judge_derivatives(ball_by_hand.Ball(), Request(relations=("restarted",)))}
    assert "y@2 by e" in names
    assert "own_differences by e" not in names


def test_numbers_that_a_case_computes_follow_its_parameters():
    """A case that starts on a proved orbit moves its start with the parameter."""
    case = load_case("van_der_pol")
    values = case.values(case.default_variant.changes)
    numbers = follow_numbers(case.problem, values, "mu")
    assert numbers["mu"] == 1.0
    amplitude = next(q for q in case.quantities if q.name == "amplitude")
    derivative = amplitude.truth({**values, "mu": values["mu"].varied()}).derivative
    assert numbers["a"] == pytest.approx(float(derivative), rel=1e-10)


@pytest.mark.parametrize(("name", "slopes"), [("permuted", [2.0, 0.0]), ("renamed", [0.0, 2.0])])
def test_a_tangent_of_initial_values_is_restated_with_its_problem(name, slopes):
    (relation,) = (each for each in STRUCTURAL if each.name == name)
    problem, tangent, seen = BALL.problem(BALL.values({})), Tangent("h", {"e": 3.0, "initial.v": 2.0}), []

    def solve(other):
        seen.append(differentiate_start(other, rename_numbers(tangent, problem, other)).tolist())
        return SCIPY.solve(other, {"scheme": "LSODA"})

    relation.answer(solve, problem)
    assert seen == [slopes]


def test_derivatives_in_reverse_alone_are_held_against_proved_ones():
    class Reverse(ball_by_hand.Ball):
        capabilities = ball_by_hand.Ball.capabilities - {"derivatives:forward"}

    class UnmovedReverse(ball_by_hand.Unmoved):
        capabilities = Reverse.capabilities

    (right,), (wrong,) = judge_derivatives(Reverse()), judge_derivatives(UnmovedReverse())
    assert (right.quantity, right.verdict) == ("reverse by e", "pass"), right.detail
    assert wrong.verdict == "fail"
    assert "in reverse are those that are proved" in wrong.detail


def test_where_there_is_no_derivative_nothing_is_judged(monkeypatch):
    monkeypatch.setattr(DerivedQuantity, "truth", lambda *_: undefined("two regimes meet"))
    records = [r for r in judge_derivatives(ball_by_hand.Unmoved()) if r.layer == "criterion"]
    assert {(r.verdict, r.detail) for r in records} == {("not applicable", "undefined: two regimes meet")}


def test_checks_are_listed_before_any_truth_is_computed(monkeypatch):
    def refuse(*_):
        raise AssertionError("a truth may take long")

    monkeypatch.setattr(Quantity, "truth", refuse)
    listed = [check.name for check in checks(BALL, Runner(LocalGate(ball_by_hand.Ball())).subject)]
    assert "y@2 by e" in listed


def test_a_derivative_whose_error_has_no_scale_is_not_judged(monkeypatch):
    size = Quantity.size
    monkeypatch.setattr(Quantity, "size", lambda self, values: 0.0 if self.name == "y@2" else size(self, values))
    verdicts = {record.quantity: record for record in judge_derivatives(ball_by_hand.Ball())}
    assert "is zero or undefined, and has no scale" in verdicts["y@2 by e"].detail
    assert verdicts["v@2 by e"].verdict == "pass"


def test_cases_state_parameters_that_they_have():
    stated = {case.name: case for case in all_cases() if case.derivatives}
    for case in stated.values():
        listed = list_statements(case, Statement(case, case.default_variant), brief=True)
        assert sorted(each.parameter.name for each in listed) == sorted(case.derivatives), case.name
    assert {"bouncing_ball", "ridge", "soft_wall"} <= set(stated)
