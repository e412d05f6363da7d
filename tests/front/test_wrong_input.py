"""Every wrong input: status 2, one line on stderr, nothing on stdout, no work done."""

import json
import re

import pytest

from veridyn.exit_code import ExitCode

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
    (("rnu",), r"'rnu'.*did you mean run\?"),
    (("refrence", "sdnd101"), r"did you mean reference\?"),
    (("list", "--xml"), "--xml"),
    (("run", "sdnd101", "--stepp", "1"), "--stepp"),
    (("show",), "case"),
    (("report", "x.json"), "--output"),
    (("show", "sdnd1014"), r"'sdnd1014': did you mean sdnd10\d\? `veridyn list` names all \d+"),
    (("show", "SDND104"), r"'SDND104': did you mean sdnd104\?"),
    (("reference", "xyz"), "unknown case 'xyz': `veridyn list` names all"),
    (("run", "sdnd101", "sdld13"), r"did you mean sdld103\?"),
    (("baseline", "save", "x.json", "sdnd1"), "unknown case 'sdnd1'"),
    (("baseline",), "required: ACTION"),
    (("run", "sdnd101", "--against", "none.json"), "cannot read none.json: No such file"),
    (("run", "sdnd101", "--claim", "ordre=2"), "--claim: unknown claim 'ordre'; did you mean order"),
    (("run", "sdnd101", "--refine", "stepp"), "declares no setting 'stepp' to be refined; did you mean step"),
    (("run", "sdnd101", "--require", "6"), "write digits=6 or rel=1e-6"),
    (("run", "-n", "0"), "-n/--jobs: must be at least 1, got 0"),
    (("reference", "sdnd104", "--digits", "x"), "--digits: must be a whole number, got 'x'"),
    (("run", "sdnd101", "--json", ""), "--json: needs a name, got nothing; see veridyn run --help"),
    (("run", "sdnd101", "--report", ""), "--report: needs a name"),
]


@pytest.mark.parametrize(("arguments", "message"), USAGE, ids=lambda a: " ".join(a) if isinstance(a, tuple) else "")
def test_usage(refused, arguments, message):
    assert_matches(message, refused(*arguments))


@pytest.mark.parametrize("asked", [("--report", "r"), ("--json", "r.json")])
def test_a_missing_package_of_reports_is_said_before_any_work(refused, monkeypatch, asked):
    monkeypatch.setattr("veridyn.reports.errors.find_spec", lambda name: None)
    said = refused("run", "sdnd101", *asked)
    assert said == 'veridyn: reports need the package fastjsonschema: pip install "veridyn[report]"\n'


def test_without_a_command_the_help_is_printed_with_examples_and_exit_status(veridyn):
    seen = veridyn()
    assert (seen.status, seen.err) == (ExitCode.UNUSABLE, "")
    assert "veridyn run sdnd101 --solver solver.py:Solver" in seen.out
    for code in ExitCode:
        assert re.search(rf"\b{code.value}  ", seen.out.split("exit status:")[1])


def assert_matches(pattern, text):
    assert re.search(pattern, text), text


PARAMETERS = [
    (["a0=-1"], "a0 must be positive, got -1"),
    (["m=0"], "m must be positive, got 0"),
    (["a0"], "'a0': write NAME=VALUE, e.g. a0=1.2"),
    (["a0="], "write NAME=VALUE"),
    (["=1"], "write NAME=VALUE"),
    (["a0=1", "a0=2"], "a0 is given twice"),
    (["a0=NaN"], "a0 must be a finite number .* got 'NaN'"),
    (["a0=inf"], "a0 must be a finite number"),
    (["a0=1,5"], "a0 must be a finite number"),
    (["a0=1e99999"], "a0 must be a finite number"),
    (["a=1"], r"unknown parameter 'a': did you mean a0\? known are a0, mu, g, m, omega, t_start, t_end"),
    (["t_start=12", "t_end=4"], "t_start = 12 must be less than t_end = 4"),
    (["t_start=-1"], "t_start must be"),
]


@pytest.mark.parametrize("command", ["reference", "run"])
@pytest.mark.parametrize(("pairs", "message"), PARAMETERS, ids=lambda a: " ".join(a) if isinstance(a, list) else "")
def test_parameters(refused, command, pairs, message):
    options = [word for pair in pairs for word in ("--set", pair)]
    assert_matches(message, refused(command, "sdnd104", *options))


@pytest.mark.parametrize(
    ("case", "pair"),
    [
        ("sdnd101", "m=1e400"),
        ("sdnd104", "a0=1e400"),
        ("sdnd101", "kc=1e-400"),
        ("sdld103", "a=1e400"),
        ("sdnd104", "mu=1e-400"),
    ],
)
def test_numbers_that_no_solver_can_hold(refused, case, pair):
    name, _, value = pair.partition("=")
    assert f"{name} = {value} is beyond the floating-point numbers" in refused("run", case, "--set", pair)


def test_numbers_that_no_second_route_can_confirm(refused):
    assert "agrees on 0 digits, 30 wanted" in refused("reference", "sdld103", "--set", "k=1e-900")


def test_a_parameter_of_another_case(refused):
    assert "unknown parameter 'a0'" in refused("run", "--set", "a0=1.2")


@pytest.mark.parametrize("digits", ["0", "-3", "10000", "abc", "1.5", ""])
def test_digits(refused, digits):
    assert re.search("digits:? must be", refused("reference", "sdnd101", f"--digits={digits}"))


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5"])
def test_jobs(refused, jobs):
    assert "--jobs: must be" in refused("run", "sdnd101", f"-n={jobs}")


STEPS = [
    ("step=1", r"step 1 s is above the limit 0\.003126 s of symplectic_euler: stiffness 1e\+06 N/m of 'stop'"),
    ("step=abc", "step = 'abc' must be a finite number, positive"),
    ("step=-1", "step = -1.* must be a finite number, positive"),
    ("step=0", "step = 0.* must be a finite number, positive"),
    ("step=1e-300", r"archiving \d\S{1,9} states needs \S{1,9} GB; take a longer step"),
    ("step=nan", "step = nan must be a finite number, positive"),
    ("step=inf", "step = inf must be a finite number, positive"),
    ("tangential_stiffness=-1", "tangential_stiffness = -1"),
    ("largest=-1", "largest = -1 must be a finite number, positive"),
    (
        "stepp=1",
        "unknown parameter 'stepp': did you mean step\\? known are m, k, kc, v0; settings of the solvers are .*step",
    ),
]


@pytest.mark.parametrize(("pair", "message"), STEPS, ids=[pair for pair, _ in STEPS])
def test_settings(refused, pair, message):
    assert_matches(message, refused("run", "sdnd101", "--set", pair))


def test_the_step_limit_names_the_mode(refused):
    message = refused("run", "sdld103", "--set", "step=1")
    assert_matches(r"above the limit 0\.005377 s of symplectic_euler: mode 3 \(9\.29963 Hz\)", message)


def test_a_step_that_only_the_last_case_refuses_is_found_at_once(refused):
    assert "step 0.004 s is above the limit 0.003126 s" in refused("run", "sdld103", "sdnd101", "--set", "step=4e-3")


@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",), ("bench", "sdnd101")], ids=lambda c: c[0])
class TestSolvers:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("rk4", "unknown solver 'rk4'; installed are .*veridyn"),
            ("SciPi", r"unknown solver 'SciPi'; did you mean scipy\? installed are"),
            ("mine.py", "'mine.py' is a file: write mine.py:NAME, the name of the solver in it"),
            ("no_such_module:SOLVER", "No module named 'no_such_module'"),
            ("json:SOLVER", "json has no attribute 'SOLVER'"),
            ("no/such/file.py:SOLVER", "there is no file no/such/file.py"),
            ("json:loads", "is no solver: it lacks name, version, capabilities, solve"),
            ("cmd:julia solver.jl", "cmd:julia"),
        ],
    )
    def test_not_found(self, refused, command, spec, message):
        assert_matches(message, refused(*command, "--solver", spec))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("Nobody", "has no attribute 'Nobody'"),
            ("Demanding", "cannot be created: TypeError.*licence"),
            ("Empty", "is no solver: it lacks version, capabilities, solve"),
        ],
    )
    def test_not_to_be_had(self, refused, foreign, command, name, message):
        assert_matches(message, refused(*command, "--solver", foreign(name)))


@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",)], ids=lambda c: c[0])
@pytest.mark.parametrize("name", ["Wordy", "Unset"])
def test_capabilities_must_be_names(refused, foreign, command, name):
    assert "capabilities must be names" in refused(*command, "--solver", foreign(name))


def test_the_second_solver_is_looked_up_before_the_first_works(refused, foreign):
    refused("run", "sdnd101", "--solver", foreign("Foreign"), "--solver", "rk4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_dependency", "No module named 'no_such_dependency'"),
        ("def f(:", "cannot be imported: SyntaxError"),
        ("1 / 0", "cannot be imported: ZeroDivisionError"),
        ("raise SystemExit(0)", "ends the program when it is imported"),
    ],
)
def test_files_that_cannot_be_imported(refused, tmp_path, text, message):
    file = tmp_path / "broken_solver.py"
    file.write_text(text, encoding="utf-8")
    assert_matches(message, refused("run", "sdnd101", "--solver", f"{file}:X"))


@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",)], ids=lambda c: c[0])
def test_an_extra_that_is_not_installed(refused, tmp_path, monkeypatch, command):
    (tmp_path / "heyoka.py").write_text("raise ImportError(\"No module named 'heyoka'\")", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)  # the process that solves inherits it
    message = "solver 'heyoka' cannot be loaded, No module named 'heyoka'; pip install \"veridyn[heyoka]\""
    assert message in refused(*command, "--solver", "heyoka")


@pytest.mark.parametrize("option", ["--report", "--json"])
def test_a_file_in_the_way_of_the_results(refused, in_the_way, option):
    below = in_the_way / "results"
    assert f"cannot write into {below if option == '--report' else in_the_way}" in refused(
        "run", "sdnd101", option, below
    )
    assert in_the_way.read_text(encoding="utf-8") == "precious"


def test_the_report_folder_is_a_file(refused, in_the_way):
    assert "cannot write into" in refused("run", "sdnd101", "--report", in_the_way)


@pytest.mark.parametrize("command", [("run", "sdnd101", "--json"), ("baseline", "save")], ids=lambda c: c[0])
def test_a_folder_of_a_result_file_must_exist(refused, tmp_path, command):
    file = tmp_path / "no" / "results.json"
    assert f"there is no folder {file.parent}; create it first" in refused(*command, file)
    assert not file.parent.exists()


def test_the_result_file_is_a_folder(refused, tmp_path):
    assert "it is a folder; name a file in it" in refused("run", "sdnd101", "--json", tmp_path)


def test_the_result_file_is_write_protected(refused, in_the_way, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    assert "write-protected" in refused("run", "sdnd101", "--json", in_the_way)
    assert in_the_way.read_text(encoding="utf-8") == "precious"


FILES = [
    ("", "is empty"),
    ("{", "ends too early"),
    ("hello", "not JSON"),
    ("[]", "no schema_version"),
    pytest.param("[" * 100_000, "is nested too deeply", id="deep"),
    pytest.param('{"a": ' + "1" * 5000 + "}", "an integer has 5000 digits; numbers must be finite", id="huge"),
    (json.dumps({"schema_version": "3.0", "environment": {}, "results": []}), "schema version '3.0' is unknown"),
    (json.dumps({"schema_version": "2.0", "results": []}), "environment"),
]


@pytest.mark.parametrize(("text", "message"), FILES)
def test_report_on_a_wrong_file(refused, tmp_path, text, message):
    file = tmp_path / "results.json"
    file.write_text(text, encoding="utf-8")
    assert message in refused("report", file, "--output", tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_report_on_a_missing_file(refused, tmp_path):
    assert "no such file" in refused("report", tmp_path / "none.json", "--output", tmp_path / "report")
