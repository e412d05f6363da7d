"""Initial value problems through results files: the same verdicts and digits as the solver that wrote them."""

import json

import numpy as np
import pytest

from veridyn.cli.checking import judge_files
from veridyn.cli.exporting import statement
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.kinds import problem_from_json
from veridyn.run.posed import pose
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.gate import default_settings
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.derivatives import DerivativeStatement
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import read_request

CASES = ["bouncing_ball", "belt_stick_slip", "duffing_free"]
LEVELS = (1e-6, 1e-8, 1e-10)


def rows(response, *, before=True):
    """Rows of a results file: an event has its name, and the state just before it above."""
    names = {t: name for name, found in response.events.items() for t in found}
    for t, y in zip(response.time, response.states, strict=True):
        if before and t in names:
            place = np.searchsorted(response.events[names[t]], t)
            yield [t, *response.before[names[t]][place], ""]
        yield [t, *y, names.get(t, "")]


def written(folder, problem, response, name="results.csv", **how):
    lines = [", ".join(["time [s]", *problem.unknowns, "event"])]
    lines += [", ".join(c if isinstance(c, str) else repr(float(c)) for c in row) for row in rows(response, **how)]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_judged_like_the_solver_that_wrote_it(tmp_path, case):
    posed = pose(case)
    scheme = SCIPY.schemes[0]
    settings = {"scheme": scheme, **default_settings(LocalGate(SCIPY), posed.problem, scheme)}
    file = written(tmp_path, posed.problem, SCIPY.solve(posed.problem, settings))
    found = {r.id: r for r in judge_files([file], posed)}
    runner = Runner(LocalGate(SCIPY))
    values = (c for c in checks_of(posed, runner.subject, scheme) if not isinstance(c.statement, DerivativeStatement))
    wanted = [c for c in values if c.layer == "criterion"]
    direct = {r.quantity: r for r in (judge(check, runner) for check in wanted)}
    judged = {r.quantity: r for r in found.values() if r.layer == "criterion"}
    assert judged.keys() == direct.keys()
    assert {name: r.verdict for name, r in judged.items()} == {name: r.verdict for name, r in direct.items()}
    assert {name: r.value for name, r in judged.items()} == {name: r.value for name, r in direct.items()}


def test_several_files_converge(tmp_path):
    posed = pose("bouncing_ball")
    answers = [SCIPY.solve(posed.problem, {"rtol": tol, "atol": tol}) for tol in LEVELS]
    files = [written(tmp_path, posed.problem, answer, f"{i}.csv") for i, answer in enumerate(answers)]
    records = judge_files(files, posed, read_request(refine="rtol=1e-6,1e-8,1e-10"))
    converged = [r for r in records if r.layer == "convergence"]
    assert converged
    assert {r.verdict for r in converged} <= {"pass", "not applicable"}


def test_a_wrong_motion_fails(tmp_path):
    posed = pose("bouncing_ball", changes={"e": "0.81"})
    scheme = SCIPY.schemes[0]
    settings = {"scheme": scheme, **default_settings(LocalGate(SCIPY), posed.problem, scheme)}
    file = written(tmp_path, posed.problem, SCIPY.solve(posed.problem, settings))
    assert "fail" in {r.verdict for r in judge_files([file], pose("bouncing_ball"))}


def test_without_instants_of_events_nothing_is_said_about_them(tmp_path):
    posed = pose("bouncing_ball")
    response = SCIPY.solve(posed.problem, {})
    file = tmp_path / "bare.csv"
    lines = [f"{t!r}, {y!r}, {v!r}" for t, (y, v) in zip(response.time.tolist(), response.states.tolist(), strict=True)]
    file.write_text("time, y, v\n" + "\n".join(lines), encoding="utf-8")
    records = [r for r in judge_files([file], posed) if "impact" in r.detail]
    assert records
    assert all("reports no instants of impact" in r.detail for r in records)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time, y\n0, 1\n", "no column v; add it"),
        ("time, y, v, event\n0, 1, 0,\n1, 0, 1, bounce\n", "unknown event 'bounce'; known are impact"),
        ("time, y, v, event\n0, 1, 0,\n1, 0, 1,\n1, 0, 1,\n5, 0, 0,\n", "time does not increase"),
        ("time, y, w\n0, 1, 0\n", "unknown column 'w'"),
        ("time, y, v, event\n0, 1, 0,\n5, x, 1,\n", "x"),
        ("time, y, v, event\n0, 1, 0,\n1, 0, 1, impact\n", "is asked for"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path, content, message):
    file = tmp_path / "wrong.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SolverInputError, match=message) as caught:
        judge_files([file], pose("bouncing_ball"))
    assert "\n" not in str(caught.value)


def test_the_statement_is_the_problem(command):
    document = json.loads(command("export", "bouncing_ball").out)
    problem, posed = problem_from_json(json.dumps(document["problem"])), pose("bouncing_ball").problem
    assert problem.to_dict() | {"output_times": None} == posed.to_dict() | {"output_times": None}
    assert document["results"]["required"] == ["time", "y", "v"]
    assert "impact: y = 0, y^+ = 0, v^+ = -e v" in document["equation"]


def test_tables_and_c_source(command):
    tables = command("export", "bouncing_ball", "--format", "csv").out
    assert "# file equations.txt\nflight: y' = v, v' = -g\n" in tables
    assert "\ntime [s],y,v,event\n" in tables
    for case in ("bouncing_ball", "sdnd101"):
        source = command("export", case, "--format", "c").out
        assert all(f"void {name}(" in source for name in ("rhs", "jacobian", "guards", "reset"))
    with pytest.raises(ProblemError, match="set-valued: regularise it"):
        statement(pose("sdnd104"), "c")
