"""From a check to a verdict; the workbench."""

import numpy as np
import pytest

from veridyn.references.certified import Certified, undefined
from veridyn.solver.errors import SettingsError, SolverFailure, StepError
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.plugin import explain
from veridyn.validation_cases.tolerances import cited, exactly
from veridyn.validation_cases.workbench import KEPT, SolverCrash, Workbench


def found(value):
    return lambda _: value


def test_pass(make_check, bench):
    record = judge(make_check(reference=lambda: Certified(1.0 + 1e-7, 30, "closed form")), bench)
    assert record.verdict == "pass"
    assert record.error == pytest.approx(1e-7)
    assert record.margin == pytest.approx(10.0)
    assert record.digits == pytest.approx(7.0)
    assert (record.tolerance, record.reason, record.error_kind) == (1e-6, "cited: a test", "relative")
    assert (record.solver, record.id, record.reference_digits) == ("right", "only-end", 30)
    assert record.wall_time > 0


@pytest.mark.parametrize(("error", "verdict"), [(0.0, "pass"), (0.5, "pass"), (0.5000001, "fail"), (7.0, "fail")])
def test_the_tolerance_itself_is_admitted(make_check, bench, error, verdict):
    half = cited("a test", 0.5, kind="absolute")
    check = make_check(measure=found(error), reference=lambda: 0.0, tolerance=lambda: half)
    assert judge(check, bench).verdict == verdict


def test_no_error_has_no_margin(make_check, bench):
    assert judge(make_check(), bench).margin is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "1.0"])
def test_what_is_no_number_fails(make_check, bench, value):
    record = judge(make_check(measure=found(value)), bench)
    assert (record.verdict, record.error, record.margin) == ("fail", None, None)


UNDEFINED = [(None, exactly("none"), "pass"), (1.0, exactly("none"), "fail"), (1.0, cited("a", 1.0), "fail")]


@pytest.mark.parametrize(("value", "tolerance", "verdict"), UNDEFINED)
def test_what_does_not_exist(make_check, bench, value, tolerance, verdict):
    check = make_check(measure=found(value), reference=lambda: undefined("no slip"), tolerance=lambda: tolerance)
    record = judge(check, bench)
    assert (record.verdict, record.reference, record.reference_digits) == (verdict, None, None)


def test_words(make_check, bench):
    check = make_check(reference=lambda: "stick", tolerance=lambda: exactly("a word"))
    assert judge(make_check(**vars(check) | {"measure": found("stick")}), bench).verdict == "pass"
    assert judge(make_check(**vars(check) | {"measure": found("slip")}), bench).verdict == "fail"


def test_what_the_solver_does_not_offer(make_check, right):
    right.capabilities = frozenset({"contact"})
    record = judge(make_check(), Workbench(right))
    assert (record.verdict, record.detail) == ("not applicable", "the solver does not offer mechanical")
    assert right.calls == 0


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
def test_a_crash_is_an_error(make_check, right, error, detail):
    right.solve = raising(error)
    record = judge(make_check(), Workbench(right))
    assert (record.verdict, record.value, record.detail) == ("error", None, detail)
    assert detail in explain(record)


@pytest.mark.parametrize("error", [SettingsError("no scheme"), StepError("too large")])
def test_a_wrong_question_is_no_verdict(make_check, right, error):
    right.solve = raising(error)
    with pytest.raises(type(error), match=str(error)):
        judge(make_check(), Workbench(right))


def test_keyboard_interrupt_ends_the_run(make_check, right):
    right.solve = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        judge(make_check(), Workbench(right))


@pytest.mark.parametrize("error", [SolverFailure("no impact"), ValueError("empty"), IndexError("5")])
def test_a_response_that_shows_too_little_fails(make_check, make_run, bench, error):
    def measure(desk):
        desk.observe(make_run())
        raise error

    record = judge(make_check(measure=measure), bench)
    assert record.verdict == "fail"
    assert str(error) in record.detail
    assert str(error) in explain(record)


def test_a_failure_explains_itself(make_check, bench):
    text = explain(judge(make_check(reference=lambda: 2.0), bench))
    for part in ("made-up only-end", "1.0 instead of 2.0 m", "relative error 0.5 above 1e-06", "cited: a test"):
        assert part in text


def test_each_run_is_solved_once(make_run, right):
    bench = Workbench(right)
    first = bench.observe(make_run("a"))
    bench.observe(make_run("b"))
    assert bench.observe(make_run("a")) is first
    assert right.calls == 2


def test_failures_are_kept(make_run, right):
    calls = []
    right.solve = lambda *_: calls.append(1) or None
    bench = Workbench(right)
    for _ in range(3):
        with pytest.raises(SolverFailure, match="returned NoneType"):
            bench.observe(make_run())
    assert calls == [1]
    assert bench.crashed()


def test_memory_is_bounded(make_run, right):
    bench = Workbench(right)
    for key in map(str, range(KEPT + 1)):
        bench.observe(make_run(key))
    assert len(bench.answers) == KEPT
    bench.observe(make_run("0"))
    assert right.calls == KEPT + 2


def test_warm_up_once_per_scheme_and_outside_the_time(make_run, right, monkeypatch):
    now, warmed = [0.0], []

    def warm_up(settings):
        warmed.append(settings["scheme"])
        now[0] += 100.0

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    right.warm_up = warm_up
    bench = Workbench(right)
    for key, scheme in (("a", "one"), ("b", "two"), ("c", "one")):
        bench.observe(make_run(key, scheme=scheme))
        assert bench.wall_time() == 0.0
    assert warmed == ["one", "two"]


def test_a_crash_in_the_warm_up_is_a_crash(make_run, right):
    right.warm_up = raising_one
    with pytest.raises(SolverCrash, match="cold"):
        Workbench(right).observe(make_run())


def raising_one(settings):
    raise OSError("cold")


def test_the_solver_may_talk(make_run, right, capsys):
    def talk(problem, settings):
        print("solving")
        return type(right).solve(right, problem, settings)

    right.solve, right.warm_up = talk, print
    Workbench(right).observe(make_run())
    assert capsys.readouterr().out == ""


def test_the_solver_cannot_change_the_question(make_run, right):
    def meddle(problem, settings):
        settings["step"] = 1.0
        return type(right).solve(right, problem, settings)

    right.solve = meddle
    run = make_run(step=0.1)
    observation = Workbench(right).observe(run)
    assert run.settings == {"step": 0.1}
    assert np.array_equal(observation.response.displacement, observation.response.time[:, None])
