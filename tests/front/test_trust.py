"""What veridyn reads may come from anybody: it is data, never code, and what is wrong with it is said in one line."""

import json
import sys

import pytest

from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.validation_cases.judgement.catalogue import UnknownCase, load_case

DEEP = "[" * 100_000
LONG = "9" * 5_000


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
    journal = tmp_path / ".results.json.veridyn" / "journal"
    journal.parent.mkdir()
    journal.write_text(text + "\n")
    seen = veridyn("run", "sdnd101", "--json", tmp_path / "results.json", "--resume")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert "journal" in seen.err


@pytest.mark.parametrize("name", ["../../etc/passwd", "os", "case", "sdnd101/../sdnd101", "sdnd101\0", "", "."])
def test_a_case_is_a_name_and_no_path(name):
    with pytest.raises(UnknownCase):
        load_case(name)


@pytest.mark.parametrize("number", ["__import__('os')", "9**9**9", "1e999999999", "1" * 5000 + "x", "2*pi()"])
def test_a_number_is_never_evaluated(veridyn, number):
    seen = veridyn("reference", "sdnd101", "--set", f"m={number}")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)


def test_no_shell_reads_a_command(veridyn, tmp_path):
    made = tmp_path / "made"
    echo = tmp_path / "echo.py"
    echo.write_text("import json, sys\njson.dump(sys.argv[1:], open(sys.argv[1], 'w'))\n")
    arguments = (str(tmp_path / "arguments"), f"; touch {made}", "$(touch x)", "`id`", "|", "&&", ">", str(made))
    quoted = " ".join(f"'{a}'" for a in arguments)
    veridyn("run", "sdnd101", "--solver", f"cmd:{sys.executable} {echo} {quoted}")
    assert json.loads((tmp_path / "arguments").read_text()) == list(arguments)
    assert not made.exists()
