"""Claims that a card contradicts fail once, by name, before the first case; sound solvers are left alone."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from tests.detection.hosts.field.structure import AVERAGE, NAMED_ALPHA, VERLET
from veridyn import verify
from veridyn.identification.contradicting import contradict_claims, measure_cards
from veridyn.identification.examinee import Examinee, LimitReached
from veridyn.identification.free import find_limit, measure_free
from veridyn.identification.limited import LimitedGate
from veridyn.identification.linear_step import find_linear_control
from veridyn.identification.smooth import SPIRAL
from veridyn.identification.trials import Bench
from veridyn.results import Layer, Record, ReportError, Verdict, read
from veridyn.results.causes import find_causes
from veridyn.results.words import CARD, CauseKind
from veridyn.run.document import document
from veridyn.run.evidence import verify_evidence
from veridyn.run.exit_code import ExitCode
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.subject import Request, Subject

from .initial_value_solvers import RungeKutta
from .solvers import RK4, Stepper, generalised, printed, runge_kutta

SOLVERS = Path(__file__).with_name("initial_value_solvers.py")
NEWMARK = {"method": "newmark", "beta": "1/4", "gamma": "1/2"}


def contradict(solver: Any, claims: dict[str, Any] | None = None) -> Sequence[Record]:
    gate = LocalGate(solver)
    subject = Subject.from_introduction(gate.introduction, Request(claims=claims or {}))
    return contradict_claims(gate, subject).contradictions


AVERAGED, CLASSIC = generalised(0.25, 0.5), runge_kutta(*RK4)
TABLEAU = {"method": "runge-kutta", "tableau": "rk4"}
WRONG: dict[str, tuple[Any, str, str, str]] = {
    "beta": (Stepper(generalised(0.26, 0.5), NEWMARK), "method", "beta 1/4", "beta 0.2600"),
    "order": (Stepper(CLASSIC, {"order": 5}), "order", "5 is claimed", "order 4.00 was seen"),
    "damping": (
        Stepper(generalised(0.25, 0.505), {"order": 1, "numerical_damping": 0}),
        "numerical_damping",
        "at most 0",
        "0.0007",
    ),
    "stability": (Stepper(CLASSIC, {"order": 4, "stability": "inf"}), "stability_limit", "any step", "2.82843"),
    "printed": (Stepper(AVERAGED, {"order": 2, "printed": 12}, answer=printed), "printed", "12", "6 printed"),
    "digits": (Stepper(AVERAGED, {"digits": 12}, answer=printed), "digits", "12 digits", "6 printed"),
    "rates": (RungeKutta("four", "rk4", claims={"order": 5}), "order", "order 5 is claimed", "order 4 is seen: rk4"),
    "tableau": (
        RungeKutta("other", "three-eighths", claims=TABLEAU),
        "method",
        "runge-kutta, tableau rk4 is claimed",
        "three-eighths",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_claim_fails_once_by_name(name: str) -> None:
    solver, claim, stated, measured = WRONG[name]
    (record,) = contradict(solver)
    assert record.verdict is Verdict.FAIL
    assert record.quantity == claim
    assert stated in record.detail, record.detail
    assert measured in record.detail, record.detail


RIGHT = {
    "average": (AVERAGE, {"order": 2, "stability": "inf", "numerical_damping": 0}),
    "newmark": (AVERAGE, NEWMARK),
    "alpha": (NAMED_ALPHA, None),
    "verlet": (VERLET, None),
    "printed": (Stepper(AVERAGED, {"order": 2, "printed": 6}, answer=printed), None),
    "rates": (RungeKutta("right", "dormand-prince", claims={"order": 5}), None),
    "tableau": (RungeKutta("named", "rk4", claims=TABLEAU), None),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_claim_is_not_contradicted(name: str) -> None:
    assert contradict(*RIGHT[name]) == ()


@pytest.fixture(scope="module")
def results(veridyn: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judge a solver that claims order 5 and has 4, by the command."""
    file = tmp_path_factory.mktemp("claims") / "results.json"
    solver = ("--solver", f"{SOLVERS}:ROW_OF_ORDER_4")
    done = veridyn("run", "kelvin_voigt", "--quick", "-n", "1", "-q", "--fail-fast", *solver, "--json", file)
    assert done.status == ExitCode.FAILED, done.err
    assert "ended at the first failure" in done.err, "no case was judged before the claim"
    return file


def test_the_document_holds_the_claim_first_and_names_it_as_a_cause(results: Path) -> None:
    document = read(results)
    (record,), (cause,) = document.results, find_causes(document)
    assert (record.case, record.quantity, record.value, record.reference) == (CARD, "order", 4.0, 5.0)
    assert record.detail in cause.text
    assert cause.command.startswith("veridyn identify --solver")
    assert verify_evidence(document).differences == []


@pytest.mark.parametrize(("name", "value"), [("error", 0.4), ("value", 4.6), ("verdict", "pass")])
def test_a_claim_that_was_tampered_with_is_refused(results: Path, tmp_path: Path, name: str, value: object) -> None:
    content = json.loads(results.read_text())
    content["results"][0][name] = value
    del content["digest"], content["counts"], content["causes"]
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(content))
    with pytest.raises(ReportError):
        read(changed)


def test_a_claim_explains_the_failures_that_follow_from_it() -> None:
    """Of the same claim in cases; a failure of something else keeps a cause of its own."""
    record = contradict(RungeKutta("four", "rk4", claims={"order": 5}))[0]
    lost = structs.replace(record, case="kepler", quantity="order:x", id="claim:order:x")
    other = structs.replace(record, case="kepler", quantity="restarted", layer=Layer.INVARIANCE, id="restarted")
    causes = find_causes(document([record, lost, other], [], [], []))
    assert [(cause.count, cause.kind) for cause in causes] == [(2, CauseKind.CLAIM), (1, CauseKind.INVARIANCE)]


def test_verify_returns_it_first() -> None:
    solver = RungeKutta("four", "rk4", claims={"order": 5})
    records = verify(solver, ["kelvin_voigt"], parameters={"z": "1/5"})
    assert [record.case for record in records[:2]] == [CARD, "kelvin_voigt"]


def test_a_card_without_time_contradicts_nothing_and_says_so() -> None:
    """Where a budget has no time for a solve none is made; without one their number alone is limited."""
    gate = LocalGate(RungeKutta("four", "rk4", claims={"order": 5}))
    subject = Subject.from_introduction(gate.introduction)
    hurried = measure_cards(gate, subject, has_time=lambda longest: longest == 0.0)
    assert hurried.contradictions == ()
    assert hurried.remarks == ("four: only a part of its card was measured: the budget leaves no more time for it",)
    limited = LimitedGate(gate, left=1)
    limited.solve(SPIRAL.build(np.array([0.0, 1.0])), {})
    with pytest.raises(LimitReached, match="solves were made"):
        limited.solve(SPIRAL.build(np.array([0.0, 1.0])), {})


class Spending(LocalGate):
    """A gate whose time is over when it is told so."""

    is_spent = False

    def solve(self, problem: Any, settings: Any) -> Any:
        if self.is_spent:
            raise LimitReached("time is over")
        return super().solve(problem, settings)


def test_the_end_of_the_time_is_no_refusal_and_no_growth() -> None:
    """A solver that refuses a step between two others that it answers is at its limit; one that is not asked is not."""
    gate = Spending(VERLET)
    bench = Bench(Examinee(gate))
    control = find_linear_control(bench)
    assert not isinstance(control, str)
    free = measure_free(bench.controlled(control), 0.0)
    gate.is_spent = True
    unasked = find_limit(bench.controlled(control), free)
    gate.is_spent = False
    asked = find_limit(bench.controlled(control), free)
    assert unasked is not None
    assert asked is not None
    assert (unasked.refused, unasked.growing) == ("time is over", math.inf)
    assert (asked.refused, round(asked.growing, 3)) == ("", 2.0)


def test_pytest_judges_claims_before_cases() -> None:
    case = "--pyargs veridyn.validation_cases.ode.test_kelvin_voigt -k repeated"
    words = f"-m pytest -q -p no:cacheprovider {case} --solver {SOLVERS}:ROW_OF_ORDER_4"
    done = subprocess.run([sys.executable, *shlex.split(words)], capture_output=True, text=True, check=False)
    assert "identification claim:order: order 5 is claimed; order 4 is seen: fehlberg-4" in done.stdout
    assert "1 failed, " in done.stdout


SILENT = """
from tests.identification.solvers import Stepper, generalised

SOLVER = Stepper(generalised(0.26, 0.5))
"""


def test_a_run_shows_the_deviation_of_a_solver_that_claims_nothing(
    veridyn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(SOLVERS.parents[2])
    (tmp_path / "silent.py").write_text(SILENT)
    report = tmp_path / "report"
    solver = ("--solver", f"{tmp_path}/silent.py:SOLVER")
    done = veridyn("run", "damped_stop", "--quick", "-n", "1", *solver, "--report", report)
    line = "stepper: Newmark, gamma 1/2, beta 0.2600: none of 1/4, 1/6, 1/12, 0"
    assert f"Deviation: {line}" in done.out, done
    assert f"- {line}" in (report / "summary.md").read_text()
    assert line in (report / "index.html").read_text()
