"""Every wrong input: status 2, one line on stderr, nothing on stdout, no work done."""

import json
import re

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.run.exit_code import ExitCode
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import SolverNotFound, load_solver
from veridyn.validation_cases.judgement.subject import Subject

pytestmark = pytest.mark.usefixtures("no_work")


@pytest.fixture
def refused(veridyn):
    def check(*arguments):
        seen = veridyn(*arguments)
        assert seen.status == 2, seen
        assert seen.out == ""
        assert seen.err.startswith("veridyn: ")
        assert seen.err.count("\n") == 1
        assert seen.err.endswith("\n")
        return seen.err

    return check


USAGE = [
    (("rnu",), "run"),
    (("refrence", "sdnd101"), "reference"),
    (("list", "--xml"), "--xml"),
    (("show",), "case"),
    (("show", "sdnd1014"), "'sdnd1014': did you mean sdnd10"),
    (("show", "SDND104"), "did you mean sdnd104"),
    (("reference", "xyz"), "'xyz'"),
    (("baseline", "save", "x.json", "sdnd1"), "'sdnd1'"),
    (("baseline",), "ACTION"),
    (("run", "sdnd101", "--against", "none.json"), "none.json"),
    (("run", "sdnd101", "--claim", "ordre=2"), "order"),
    (("run", "sdnd101", "--refine", "stepp"), "'stepp'"),
    (("run", "sdnd101", "--require", "6"), "digits=6"),
    (("run", "-n", "0"), "--jobs"),
    (("reference", "sdnd104", "--digits", "x"), "--digits"),
    (("run", "sdnd101", "--json", ""), "--json"),
]


@pytest.mark.parametrize(("arguments", "culprit"), USAGE, ids=lambda a: " ".join(a) if isinstance(a, tuple) else "")
def test_usage(refused, arguments, culprit):
    assert culprit in refused(*arguments)


def test_a_missing_package_of_reports_is_said_before_any_work(refused, monkeypatch):
    monkeypatch.setattr("veridyn.reports.errors.find_spec", lambda name: None)
    said = refused("run", "sdnd101", "--report", "r")
    assert said == 'veridyn: reports need the package jinja2: pip install "veridyn[report]"\n'


def test_without_a_command_the_help_is_printed_with_examples_and_exit_status(veridyn):
    seen = veridyn()
    assert (seen.status, seen.err) == (ExitCode.UNUSABLE, "")
    assert "veridyn run sdnd101 --solver solver.py:Solver" in seen.out
    for code in ExitCode:
        assert re.search(rf"\b{code.value}  ", seen.out.split("exit status:")[1])


PARAMETERS = [
    (["a0=-1"], "a0"),
    (["m=0"], "m "),
    (["a0"], "'a0'"),
    (["a0="], "NAME=VALUE"),
    (["=1"], "NAME=VALUE"),
    (["a0=1", "a0=2"], "a0"),
    (["a0=NaN"], "'NaN'"),
    (["a0=inf"], "'inf'"),
    (["a0=1,5"], "'1,5'"),
    (["a0=1e99999"], "a0"),
    (["a=1"], "did you mean a0"),
    (["t_start=12", "t_end=4"], "t_end = 4"),
    (["t_start=-1"], "t_start"),
]


@pytest.mark.parametrize(("pairs", "culprit"), PARAMETERS, ids=lambda a: " ".join(a) if isinstance(a, list) else "")
def test_parameters(refused, pairs, culprit):
    options = [word for pair in pairs for word in ("--set", pair)]
    assert culprit in refused("reference", "sdnd104", *options)


def test_parameters_of_a_run(refused):
    assert "did you mean a0" in refused("run", "sdnd104", "--set", "a=1")


@pytest.mark.parametrize(("case", "pair"), [("sdnd101", "m=1e400"), ("sdnd104", "mu=1e-400")])
def test_numbers_that_no_solver_can_hold(refused, case, pair):
    assert pair.replace("=", " = ") in refused("run", case, "--set", pair)


def test_numbers_beyond_the_range_of_doubles(veridyn):
    seen = veridyn("reference", "sdld103", "--set", "k=1e-900")
    assert (seen.status, seen.err) == (0, "")
    assert "confirmed by" in seen.out


def test_a_parameter_of_another_case(refused):
    assert "unknown parameter 'a0'" in refused("run", "--set", "a0=1.2")


@pytest.mark.parametrize("digits", ["0", "-3", "10000", "abc", "1.5", ""])
def test_digits(refused, digits):
    assert "digits" in refused("reference", "sdnd101", f"--digits={digits}")


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5"])
def test_jobs(refused, jobs):
    assert "--jobs" in refused("run", "sdnd101", f"-n={jobs}")


@pytest.mark.parametrize(("pair", "culprit"), [("step=1", "step 1 s"), ("step=1e-300", "GB"), ("stepp=1", "'stepp'")])
def test_settings(refused, pair, culprit):
    """Before any work; what each setting takes is tested with the solver."""
    assert culprit in refused("run", "sdnd101", "--set", pair)


def test_a_step_that_only_the_last_case_refuses_is_found_at_once(refused):
    assert "step 0.004 s" in refused("run", "sdld103", "sdnd101", "--set", "step=4e-3")


@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",), ("bench", "sdnd101")], ids=lambda c: c[0])
def test_a_solver_that_is_not_there(refused, command):
    assert "'SciPi'; did you mean scipy?" in refused(*command, "--solver", "SciPi")


@pytest.mark.parametrize(
    ("spec", "culprit"),
    [
        ("rk4", "'rk4'"),
        ("mine.py", "mine.py:NAME"),
        ("no_such_module:SOLVER", "'no_such_module'"),
        ("json:SOLVER", "'SOLVER'"),
        ("no/such/file.py:SOLVER", "no/such/file.py"),
        ("json:loads", "name, version, capabilities, solve"),
        ("cmd:julia solver.jl", "cmd:julia"),
    ],
)
def test_solvers_that_are_not_there(spec, culprit):
    with pytest.raises(SolverNotFound, match=re.escape(culprit)):
        load_solver(spec)


@pytest.mark.parametrize(
    ("name", "culprit"), [("Nobody", "Nobody"), ("Demanding", "licence"), ("Empty", "version, capabilities, solve")]
)
def test_solvers_that_are_not_to_be_had(foreign, name, culprit):
    with pytest.raises(SolverNotFound, match=culprit):
        load_solver(foreign(name))


@pytest.mark.parametrize("name", ["Wordy", "Unset"])
def test_capabilities_must_be_names(foreign, name):
    with pytest.raises(SolverInputError, match="capabilities"):
        Subject.from_introduction(introduce(load_solver(foreign(name))))


def test_the_second_solver_is_looked_up_before_the_first_works(refused, foreign):
    refused("run", "sdnd101", "--solver", foreign("Foreign"), "--solver", "rk4")


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("import no_such_dependency", "'no_such_dependency'"),
        ("def f(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(0)", "broken_solver.py"),
    ],
)
def test_files_that_cannot_be_imported(tmp_path, text, culprit):
    file = tmp_path / "broken_solver.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SolverNotFound, match=culprit):
        load_solver(f"{file}:X")


def test_an_extra_that_is_not_installed(refused, tmp_path, monkeypatch):
    (tmp_path / "heyoka.py").write_text("raise ImportError(\"No module named 'heyoka'\")", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)  # the process that solves inherits it
    assert 'pip install "veridyn[heyoka]"' in refused("run", "sdnd101", "--solver", "heyoka")


@pytest.mark.parametrize("option", ["--report", "--json"])
def test_a_file_in_the_way_of_the_results(refused, in_the_way, option):
    below = in_the_way / "results"
    assert f"cannot write into {below if option == '--report' else in_the_way}" in refused(
        "run", "sdnd101", option, below
    )
    assert in_the_way.read_text(encoding="utf-8") == "precious"


def test_the_report_folder_is_a_file(refused, in_the_way):
    assert "cannot write into" in refused("run", "sdnd101", "--report", in_the_way)


@pytest.mark.parametrize("command", [("run", "--json"), ("baseline", "save")], ids=lambda c: c[0])
def test_a_folder_of_a_result_file_must_exist(refused, tmp_path, command):
    file = tmp_path / "no" / "results.json"
    assert f"there is no folder {file.parent}; create it first" in refused(*command, file, "sdnd101")
    assert not file.parent.exists()


def test_the_result_file_is_a_folder(refused, tmp_path):
    assert "it is a folder; name a file in it" in refused("run", "sdnd101", "--json", tmp_path)


def test_the_result_file_is_write_protected(refused, in_the_way, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    assert "write-protected" in refused("run", "sdnd101", "--json", in_the_way)
    assert in_the_way.read_text(encoding="utf-8") == "precious"


FILES = [
    ("", "empty"),
    ("{", "results.json"),
    ("hello", "JSON"),
    ("[]", "schema_version"),
    pytest.param("[" * 100_000, "nested", id="deep"),
    pytest.param('{"a": ' + "1" * 5000 + "}", "5000 digits", id="huge"),
    (json.dumps({"schema_version": "3.0", "environment": {}, "results": []}), "'3.0'"),
    (json.dumps({"schema_version": "2.0", "results": []}), "environment"),
]


@pytest.mark.parametrize(("text", "culprit"), FILES)
def test_report_on_a_wrong_file(refused, tmp_path, text, culprit):
    file = tmp_path / "results.json"
    file.write_text(text, encoding="utf-8")
    assert culprit in refused("report", file, "--output", tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_report_on_a_missing_file(refused, tmp_path):
    assert "no such file" in refused("report", tmp_path / "none.json", "--output", tmp_path / "report")
