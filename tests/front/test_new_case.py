"""The skeleton of a case runs and passes as it is written."""

import importlib.util

import pytest

from veridyn.cli.main import main
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request


@pytest.mark.parametrize(
    ("room", "solver", "request_of"), [("ode", SCIPY, Request(schemes=("DOP853",))), ("mechanics", EXACT, Request())]
)
def test_the_skeleton_passes(room, solver, request_of, tmp_path, capsys):
    assert main(["new-case", "spring_mass", "--room", room, "--output", str(tmp_path)]) == 0
    file = tmp_path / "test_spring_mass.py"
    assert capsys.readouterr().out.strip() == str(file)
    spec = importlib.util.spec_from_file_location("test_spring_mass", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for variant in module.CASE.variants:
        for quantity in module.CASE.quantities:
            quantity.truth(module.CASE.values(variant.changes)).confirm()
    runner = Runner(LocalGate(solver), request_of)
    verdicts = [judge(check, runner).verdict for check in checks(module.CASE, runner.subject)]
    assert set(verdicts) == {"pass", "not applicable"}
    assert verdicts.count("pass") > 15


@pytest.mark.parametrize(
    ("name", "message"),
    [("Ball", "cannot name a case"), ("bouncing_ball", "there is a case bouncing_ball already")],
)
def test_a_wrong_name_is_refused(name, message, tmp_path, capsys):
    assert main(["new-case", name, "--output", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_a_file_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "test_mine.py").write_text("mine", encoding="utf-8")
    assert main(["new-case", "mine", "--output", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert (tmp_path / "test_mine.py").read_text(encoding="utf-8") == "mine"
