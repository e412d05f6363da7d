"""From a check to a verdict; what a runner keeps."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from veridyn.references.certified import Certified, classification, undefined
from veridyn.solver.contract.errors import (
    CapabilityError,
    MissingHistory,
    SettingsError,
    SolverCrash,
    SolverFailure,
    SolverLost,
    StepError,
)
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.case import Variant
from veridyn.validation_cases.judgement.checks import checks, what_it_could_claim
from veridyn.validation_cases.judgement.judge import explain, judge, required
from veridyn.validation_cases.judgement.relations import RELATIONS
from veridyn.validation_cases.judgement.runner import KEPT, Run, Runner
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.tolerances import Requirement, cited, exactly


@pytest.fixture
def criterion(make_check, make_quantity, right):
    """Judge the criterion of one quantity for a solver."""

    def judged(solver=right, request=None, **changes):
        return judge(make_check(make_quantity(**changes)), Runner(LocalGate(solver), request or Request()))

    return judged


def found(value):
    return lambda _: value


def test_pass(criterion):
    record = criterion(truth=Certified(1.0 + 1e-7, 30, "closed form"))
    assert record.verdict == "pass"
    assert record.error == pytest.approx(1e-7)
    assert record.margin == pytest.approx(10.0)
    assert record.digits == pytest.approx(7.0)
    assert (record.tolerance, record.reason, record.error_kind) == (1e-6, "cited: a test", "relative")
    assert (record.solver, record.id, record.reference_digits) == ("right", "only-end", 30)
    assert (record.layer, record.settings, record.levels, record.terms) == ("criterion", {}, (), {})
    assert record.wall_time > 0


@pytest.mark.parametrize(("error", "verdict"), [(0.0, "pass"), (0.5, "pass"), (0.5000001, "fail"), (7.0, "fail")])
def test_the_tolerance_itself_is_admitted(criterion, error, verdict):
    half = cited("a test", 0.5, kind="absolute")
    assert criterion(measure=found(error), truth=0.0, criterion=half).verdict == verdict


def test_no_error_has_no_margin(criterion):
    assert criterion().margin is None


@pytest.mark.parametrize("value", [None, "1.0"])
def test_what_is_no_number_fails(criterion, value):
    record = criterion(measure=found(value))
    assert (record.verdict, record.error, record.margin) == ("fail", None, None)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan")])
def test_what_is_not_finite_fails(criterion, value):
    record = criterion(measure=found(value))
    assert (record.verdict, record.value, record.detail) == ("fail", None, f"end is {value} in the response")


UNDEFINED = [(None, exactly("none"), "pass"), (1.0, exactly("none"), "fail"), (1.0, cited("a", 1.0), "fail")]


@pytest.mark.parametrize(("value", "tolerance", "verdict"), UNDEFINED)
def test_what_does_not_exist(criterion, value, tolerance, verdict):
    record = criterion(measure=found(value), truth=undefined("no slip"), criterion=tolerance)
    assert (record.verdict, record.reference, record.reference_digits) == (verdict, None, None)


@pytest.mark.parametrize(("value", "verdict"), [("stick", "pass"), ("slip", "fail")])
def test_words(criterion, value, verdict):
    truth = classification("stick", "by hand")
    assert criterion(measure=found(value), truth=truth, criterion=exactly("a word")).verdict == verdict


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (1.0001e-4, "no correct digit, admissible: the truth is 1e-05 of the scale of the quantity"),
        (1.2e-5, ""),
        (0.5, ""),
    ],
)
def test_an_answer_without_a_correct_digit_says_why_it_passes(criterion, value, detail):
    wide = cited("a test", 1e-3, kind="absolute")
    record = criterion(measure=found(value), truth=1e-5, criterion=wide, scale=lambda _: 1.0)
    assert (record.verdict, record.detail) == ("fail" if value > 1e-3 else "pass", detail)


def test_what_the_solver_does_not_offer(criterion, right):
    right.capabilities = frozenset({"contact"})
    record = criterion()
    assert (record.verdict, record.detail) == ("not applicable", "the solver does not offer mechanical")
    assert right.calls == []


def raising(error):
    def solve(problem, settings):
        raise error

    return solve


CRASHES = [
    (ZeroDivisionError("mine"), "right raised ZeroDivisionError: mine"),
    (SystemExit(0), "right raised SystemExit: 0"),
    (SolverFailure("diverged at 1 s"), "diverged at 1 s"),
]


@pytest.mark.parametrize(("error", "detail"), CRASHES, ids=lambda c: type(c).__name__)
def test_a_crash_is_an_error(criterion, right, error, detail):
    right.solve = raising(error)
    record = criterion()
    assert (record.verdict, record.value, record.detail) == ("error", None, detail)
    assert detail in explain(record)


def test_what_is_not_implemented_is_not_applicable(criterion, right):
    right.solve = raising(NotImplementedError("free masses"))
    record = criterion()
    assert (record.verdict, record.detail) == ("not applicable", "right says: free masses")


@pytest.mark.parametrize("error", [SettingsError("no scheme"), StepError("too large")])
def test_a_wrong_question_is_no_verdict(criterion, right, error):
    right.solve = raising(error)
    with pytest.raises(type(error), match=str(error)):
        criterion(request=Request(settings={"step": 1.0}))


def test_keyboard_interrupt_ends_the_run(criterion, right):
    right.solve = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        criterion()


def test_a_response_that_shows_too_little_fails(criterion):
    record = criterion(measure=raising_measure(SolverFailure("no impact")))
    assert (record.verdict, record.detail) == ("fail", "no impact")
    assert "no impact" in explain(record)


def raising_measure(error):
    def measure(_):
        raise error

    return measure


@pytest.mark.parametrize("error", [MissingHistory("no force of stop 'wall'"), CapabilityError("needs 31 s")])
def test_a_history_that_is_missing_is_not_applicable(criterion, error):
    record = criterion(measure=raising_measure(error))
    assert (record.verdict, record.detail) == ("not applicable", str(error))


@pytest.mark.parametrize("error", [KeyError("shoe"), ValueError("empty"), IndexError("5"), AssertionError("x")])
def test_a_measure_that_breaks_is_a_fault_of_the_harness(criterion, error):
    record = criterion(measure=raising_measure(error))
    assert (record.verdict, record.value, record.margin) == ("harness error", None, None)
    assert record.detail.startswith(f"the measure of end failed: {type(error).__name__}: {error} in measure, line ")


def test_a_measure_that_breaks_is_never_the_failure_of_the_solver(judged, stated, make_statement, make_quantity):
    broken = make_quantity(measure=raising_measure(KeyError("shoe")))
    found = judged(stated(lambda h: h**2), make_statement(broken))
    assert {record.verdict for record in found.values()} == {"harness error", "not applicable"}
    kinds = {record.layer for record in found.values() if record.verdict == "harness error"}
    assert kinds == {"criterion", "convergence", "claim", "invariance"}


def test_a_failure_explains_itself(criterion):
    text = explain(criterion(truth=2.0))
    for part in ("made-up only-end", "1.0 instead of 2.0", " m: ", "relative error 0.5 above 1e-06", "cited: a test"):
        assert part in text


# ---- requirement


@pytest.mark.parametrize(
    ("changes", "error", "kind"),
    [
        ({}, 1e-3, "absolute"),
        ({"scale": lambda _: 100.0}, 0.1, "absolute"),
        ({"scale": lambda _: 1e-9}, 1e-3, "absolute"),
        ({"truth": 0.0, "scale": lambda _: 5.0, "criterion": cited("a", 1.0, kind="absolute")}, 5e-3, "absolute"),
        ({"truth": 0.0, "criterion": cited("a", 0.7, kind="absolute")}, 0.7, "absolute"),
        ({"criterion": exactly("counted")}, 0.0, "exact"),
        ({"converges": False}, 1e-6, "relative"),
    ],
)
def test_a_requirement_replaces_criteria_that_have_a_scale(make_statement, make_quantity, changes, error, kind):
    quantity = make_quantity(**changes)
    found = required(quantity, make_statement(quantity), Requirement(1e-3, "required: digits=3"))
    assert (found.value, found.kind) == (pytest.approx(error), kind)
    assert ("required: digits=3, of " in found.reason) is (found != quantity.tolerance({}))


def test_a_requirement_decides(criterion):
    for digits, verdict in ((6, "pass"), (8, "fail")):
        request = Request(require=Requirement(10.0**-digits, f"required: digits={digits}"))
        assert criterion(request=request, truth=1.0 + 1e-7).verdict == verdict


# ---- what nobody claims


@pytest.mark.parametrize(
    ("claims", "refinement", "told"),
    [
        ({}, (), "right claims nothing, so only criterion and invariance were judged; it could claim order=…"),
        ({}, "step", "right claims nothing, so only criterion, convergence and invariance were judged; it could"),
        ({"order": 2}, (), "right claims something, but states no refinement: convergence and claims were not judged"),
        ({"order": 2}, "step", ""),
        ({"digits": 9}, (), ""),
    ],
)
def test_a_solver_is_told_what_it_could_claim(right, claims, refinement, told):
    right.claims, right.refinement = claims, refinement
    found = what_it_could_claim(Subject.from_introduction(introduce(right)), "")
    assert found.startswith(told)
    assert bool(found) is bool(told)


# ---- ids


def test_ids_have_the_layer_unless_it_is_the_criterion(make_statement, stated):
    case = make_statement(variants=(Variant("a", {}), Variant("b", {}))).case
    solver = stated(lambda _: 0.0, schemes=("one", "two"), claims=lambda scheme: {"order": 2})
    found = [check.id for check in checks(case, Subject.from_introduction(introduce(solver)))]
    assert found[:3] == ["a-end-one", "a-convergence:end-one", "a-claim:order:end-one"]
    assert found[3] == "a-invariance:repeated-one"
    assert len(found) == len(set(found))
    ends = {(name[0], name.rpartition("-")[2]) for name in found}
    assert ends == {(variant, scheme) for variant in "ab" for scheme in ("one", "two")}


# ---- the runner


@pytest.fixture
def make_run(make_statement):
    statement = make_statement()
    return lambda **settings: Run(statement, settings)


def test_each_run_is_solved_once(make_run, right):
    runner = Runner(LocalGate(right))
    first = runner.observe(make_run(step=1))
    runner.observe(make_run(step=2))
    assert runner.observe(make_run(step=1)) is first
    assert len(right.calls) == 2


def test_failures_are_kept(make_run, right):
    calls = []
    right.solve = lambda *_: calls.append(1) or None
    runner = Runner(LocalGate(right))
    for _ in range(3):
        with pytest.raises(SolverFailure, match="NoneType"):
            runner.observe(make_run())
    assert calls == [1]


def test_memory_is_bounded(make_run, right):
    runner = Runner(LocalGate(right))
    for step in range(KEPT + 1):
        runner.observe(make_run(step=step))
    assert len(runner.answers) == KEPT
    runner.observe(make_run(step=0))
    assert len(right.calls) == KEPT + 2


def test_what_was_measured_outlives_the_response(make_run, right):
    runner = Runner(LocalGate(right))
    for _ in range(2):
        for step in range(KEPT + 1):
            assert runner.measured(make_run(step=step)) == {"end": 1.0}
    assert len(right.calls) == KEPT + 1


def test_warm_up_once_per_scheme_and_outside_the_time(make_run, right, monkeypatch):
    now, warmed = [0.0], []

    def warm_up(settings):
        warmed.append(settings["scheme"])
        now[0] += 100.0

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    right.warm_up = warm_up
    runner = Runner(LocalGate(right))
    for step, scheme in ((1, "one"), (2, "two"), (3, "one")):
        runner.observe(run := make_run(scheme=scheme, step=step))
        assert runner.wall_times[run.key] == 0.0
    assert warmed == ["one", "two"]


def test_a_crash_in_the_warm_up_is_a_crash(make_run, right):
    right.warm_up = raising_measure(OSError("cold"))
    with pytest.raises(SolverCrash, match="cold"):
        Runner(LocalGate(right)).observe(make_run())


class Ending(LocalGate):
    """Loses the process of a solver whenever it is asked to solve; counts how often."""

    asked = 0

    def solve(self, problem, settings):
        self.asked += 1
        raise SolverLost("gave no answer")


def test_where_the_process_is_lost_with_default_settings_others_are_not_tried(make_run, right):
    """A stiff problem under an explicit method would take the time-out at every level."""
    gate = Ending(right)
    runner = Runner(gate)
    default = runner.default_run(make_run().statement)
    for run in (default, replace(default, settings={"step": 7}, level=2)):
        with pytest.raises(SolverLost):
            runner.observe(run)
    assert gate.asked == 1


def test_a_level_that_is_lost_costs_itself_alone(make_run, right):
    runner = Runner(Ending(right))
    default = runner.default_run(make_run().statement)
    with pytest.raises(SolverLost):
        runner.observe(replace(default, settings={"step": 7}, level=2))
    runner.gate = LocalGate(right)
    assert runner.observe(default).response.time.size


def test_defaults_that_fail_are_a_failure_of_every_check(criterion, right):
    right.defaults = raising_measure(KeyError("step"))
    judged = criterion(right)
    assert (judged.verdict, "KeyError" in judged.detail) == ("error", True)
    assert right.calls == []


def test_settings_that_nobody_has_set_are_the_solvers_own_fault(criterion, right):
    def refuse(problem, settings):
        raise SettingsError("step is missing")

    right.solve = refuse
    assert criterion(right).verdict == "error"


def test_the_solver_may_talk(make_run, right, capsys):
    def talk(problem, settings):
        print("solving")
        return type(right).solve(right, problem, settings)

    right.solve, right.warm_up = talk, print
    Runner(LocalGate(right)).observe(make_run())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("raises", [False, True])
def test_the_working_directory_is_what_it_was(criterion, make_right, tmp_path, monkeypatch, raises):
    class Wandering(make_right):
        def solve(self, problem, settings):
            os.chdir(tmp_path)
            if raises:
                raise ValueError
            return super().solve(problem, settings)

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    assert criterion(Wandering()).verdict == ("error" if raises else "pass")
    assert Path.cwd() == home


def test_the_solver_cannot_change_its_settings(make_run, right):
    def meddle(problem, settings):
        settings["step"] = 1.0
        return type(right).solve(right, problem, settings)

    right.solve = meddle
    run = make_run(step=0.1)
    observation = Runner(LocalGate(right)).observe(run)
    assert run.settings == {"step": 0.1}
    assert np.array_equal(observation.response.displacement, observation.response.time[:, None])


def test_counters_that_are_no_numbers_are_dropped(make_run, right):
    def counting(problem, settings):
        counters = {"steps": 3, "words": "many", "odd": float("nan"), "yes": True}
        return type(right).solve(right, problem, settings) | {"counters": counters}

    right.solve = counting
    runner, run = Runner(LocalGate(right)), make_run()
    runner.observe(run)
    assert runner.counters[run.key] == {"steps": 3.0}


class Changing(LocalGate):
    """Says, as a process of its own does, that the solver has changed the end of its problem."""

    def solve(self, problem, settings):
        return replace(super().solve(problem, settings), changed=("end",))


def test_a_change_in_another_process_fails_the_relation_that_forbids_it_and_no_other(make_run, right):
    runner, forbids = Runner(Changing(right)), [r for r in RELATIONS if r.forbids_changes]
    assert [relation.name for relation in forbids] == ["problem_unchanged"]
    with pytest.raises(SolverFailure, match="end"):
        runner.observe(replace(make_run(), relation=forbids[0]))
    repeated = next(relation for relation in RELATIONS if relation.name == "repeated")
    assert runner.observe(replace(make_run(), relation=repeated)).response.time.size
