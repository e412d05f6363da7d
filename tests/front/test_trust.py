"""What veridyn reads may come from anybody: it is data, never code, and what is wrong with it is said in one line."""

import ast
import json
import sys
from pathlib import Path

import pytest

from veridyn.solver.errors import ProblemError
from veridyn.solver.problem.mechanical import problem_from_json

ROOT = Path(__file__).parents[2]
ROOMS = ("veridyn", "solver", "references", "reports", "validation_cases")
FORBIDDEN_CALLS = {"eval", "exec", "compile", "os.system", "os.popen"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "yaml"}
DEEP = "[" * 100_000
LONG = "9" * 5_000


def sources():
    return [file for room in ROOMS for file in (ROOT / room).rglob("*.py") if (ROOT / room).exists()]


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.skipif(not (ROOT / "solver").exists(), reason="needs the checkout")
@pytest.mark.parametrize("file", sources(), ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_that_is_read_can_run(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not modules & FORBIDDEN_MODULES
    for call in calls(tree):
        name = ast.unparse(call.func)
        keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert name not in FORBIDDEN_CALLS, ast.unparse(call)
        assert keywords.get("shell", "False") == "False", ast.unparse(call)
        if name == "np.load":
            assert keywords.get("allow_pickle") == "False", ast.unparse(call)


@pytest.mark.parametrize("text", [DEEP, LONG, "{", "", '"text"', "null", "\0", '{"format_version": 1, "kind": []}'])
def test_a_hostile_problem_is_refused(text):
    with pytest.raises(ProblemError):
        problem_from_json(text)


@pytest.mark.parametrize("text", [DEEP, f'{{"schema_version": {LONG}}}', "", "\0", "[]", "NaN"])
def test_a_hostile_result_file_is_refused(veridyn, tmp_path, text):
    file = tmp_path / "results.json"
    file.write_text(text)
    seen = veridyn("report", file, "--output", tmp_path / "report")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert str(file) in seen.err
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("text", [DEEP, LONG, "null", '{"asked": {}}'])
def test_a_hostile_journal_is_refused(veridyn, no_work, tmp_path, text):
    (tmp_path / "results.json.journal").write_text(text + "\n")
    seen = veridyn("run", "sdnd101", "--json", tmp_path / "results.json", "--resume")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", ["../../etc/passwd", "os", "case", "sdnd101/../sdnd101", "sdnd101\0", "", "."])
@pytest.mark.parametrize("command", ["show", "run", "reference"])
def test_a_case_is_a_name_and_no_path(veridyn, command, name):
    seen = veridyn(command, name)
    assert (seen.status, seen.out) == (2, "")
    assert "unknown case" in seen.err


@pytest.mark.parametrize("number", ["__import__('os')", "9**9**9", "1e999999999", "1" * 5000 + "x", "2*pi()"])
def test_a_number_is_never_evaluated(veridyn, number):
    seen = veridyn("reference", "sdnd101", "--set", f"m={number}")
    assert (seen.status, seen.out) == (2, "")
    assert "m must be" in seen.err


def test_no_shell_reads_a_command(veridyn, tmp_path):
    made = tmp_path / "made"
    echo = tmp_path / "echo.py"
    echo.write_text("import json, sys\njson.dump(sys.argv[1:], open(sys.argv[1], 'w'))\n")
    arguments = (str(tmp_path / "arguments"), f"; touch {made}", "$(touch x)", "`id`", "|", "&&", ">", str(made))
    quoted = " ".join(f"'{a}'" for a in arguments)
    veridyn("run", "sdnd101", "--solver", f"cmd:{sys.executable} {echo} {quoted}")
    assert json.loads((tmp_path / "arguments").read_text()) == list(arguments)
    assert not made.exists()
