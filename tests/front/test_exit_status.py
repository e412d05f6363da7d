"""0 fine, 1 a check failed, 3 a solver crashed; what is known is kept."""

import json
import sys
from dataclasses import replace

import pytest

from veridyn import verify
from veridyn.results import compute_checksum
from veridyn.run.running import status
from veridyn.validation_cases.judgement.catalogue import load_case

CRASHES = {  # of answers that cannot be read, one: `tests/solver/test_response.py` has the others
    "Raises": "ZeroDivisionError: my fault",
    "Exits": "SystemExit: 0",
    "Interrupts": "KeyboardInterrupt",
    "Shapes": "shape (",
    "Gigantic": "MemoryError: Unable to allocate",
    "Greedy": "MemoryError",
    "Nothing": "NoneType",
    "Leaves": "exit status 3",
    "Unsettled": "defaults must map settings to values",
}
LEFT = {"stop_force_residual", "position_histories", "rate_histories", "permuted"}  # no histories, one coordinate


@pytest.fixture(scope="module")
def seen(veridyn, foreign):
    """One run of many solvers of the file."""
    names = (*CRASHES, "Meddles", "Foreign", "Scaled", "Still", "Few", "Chatty", "Unnamed")
    solvers = [word for name in names for word in ("--solver", foreign(name))]
    return veridyn("run", "sdnd101", "--set", "v0=2", *solvers, "--no-work-precision", "--json", "-")


@pytest.fixture(scope="module")
def rows_of(seen):
    """Return the rows of one solver."""
    rows = seen.document["results"]
    return lambda name: [row for row in rows if row["solver"] == name.lower()]


def verdicts(rows):
    """Return the verdicts but for histories of stops, which the solvers do not report, and a single coordinate."""
    return {row["verdict"] for row in rows if row["verdict"] == "error" or row["quantity"] not in LEFT} - {
        "not applicable"
    }


def test_a_run_with_crashes_says_so(seen):
    assert (seen.status, seen.err) == (3, "")


def test_a_right_solver(rows_of):
    rows = rows_of("Foreign")
    assert (status(row["verdict"] for row in rows), verdicts(rows)) == (0, {"pass"})


@pytest.mark.parametrize("name", ["Scaled", "Meddles"])
def test_a_wrong_solver_fails_also_beside_one_that_changes_what_judges(rows_of, name):
    rows = rows_of(name)
    assert (status(row["verdict"] for row in rows), verdicts(rows)) == (1, {"pass", "fail"})
    failed = {row["quantity"] for row in rows if row["verdict"] == "fail"}
    assert {"peak_force", "impulse", "impact_velocity"} <= failed
    assert not failed & {"peak_time_1", "contact_duration", "flight_duration", "impacts"}


def test_a_solver_that_cannot_say_its_name_costs_nobody_else_a_check(seen):
    notes = [message["text"] for message in seen.document["messages"]]
    assert [note for note in notes if "Unnamed' cannot be loaded: ZeroDivisionError: no name" in note]


def test_a_solver_without_impacts_is_wrong_not_broken(rows_of):
    rows = rows_of("Still")
    impacts = [row for row in rows if row["layer"] == "criterion" and not row["quantity"].endswith("residual")]
    assert (status(row["verdict"] for row in rows), verdicts(impacts)) == (1, {"fail"})
    assert "error" not in verdicts(rows)
    assert all(row["detail"] for row in impacts if row["value"] is None and "instants" not in row["quantity"])


@pytest.mark.parametrize("name", CRASHES)
def test_a_crashing_solver(rows_of, name):
    rows = rows_of(name)
    assert (status(row["verdict"] for row in rows), verdicts(rows)) == (3, {"error"})
    rows = [row for row in rows if row["quantity"] != "permuted"]
    assert all(row["value"] is None and row["margin"] is None for row in rows)
    assert CRASHES[name] in rows[0]["detail"]


def test_a_crash_costs_only_its_own_checks(foreign):
    records = [record for record in verify(foreign("ShortOnly"), ["sdnd101"]) if record.verdict != "not applicable"]
    assert {(record.variant, record.verdict) for record in records} == {("2-shocks", "pass"), ("100-shocks", "error")}


def test_an_interrupt_that_a_solver_raises_costs_its_own_points(veridyn, foreign):
    solvers = [word for name in ("Interrupts", "Foreign") for word in ("--solver", foreign(name))]
    seen = veridyn("run", "sdnd101", "--set", "v0=2", "--quantity", "impacts", *solvers, "--json", "-")
    assert (seen.status, "Traceback" in seen.err) == (3, False)
    details = {point["solver"]: point["detail"] for point in seen.document["work_precision"]}
    assert "KeyboardInterrupt" in details["interrupts"]
    assert not details["foreign"]


def test_a_solver_with_few_capabilities(rows_of):
    rows = rows_of("Few")
    assert (status(row["verdict"] for row in rows), {row["verdict"] for row in rows}) == (
        2,
        {"not applicable"},
    )  # nothing was judged
    assert all("contact" in row["detail"] for row in rows)


def test_what_a_solver_prints_stays_out_of_the_document(rows_of):
    rows = rows_of("Chatty")
    assert (status(row["verdict"] for row in rows), verdicts(rows)) == (0, {"pass"})


def test_what_compiled_code_prints_stays_out_too(python, foreign):
    solver = ("--solver", foreign("Printf"), "--quantity", "impacts")
    seen = python("-m", "veridyn", "run", "sdnd101", *solver, "--set", "v0=2", "--json", "-")
    assert (seen.status, verdicts(seen.document["results"])) == (0, {"pass"})


def test_what_a_solver_writes_to_standard_error_does_not_run_over_the_verdict(veridyn, foreign):
    few = ("--quantity", "impacts")
    seen = veridyn("run", "sdnd101", "--set", "v0=2", *few, "--solver", foreign("Noisy"))
    *shown, last = seen.err.splitlines()
    assert [line.strip() for line in shown] == [f"[31mwarning {i}" for i in range(20)]
    assert last == "veridyn: what a solver writes to standard error beyond that is not shown"
    assert "warning" not in seen.out


def test_control_characters_of_a_solver_reach_no_terminal_and_no_file(veridyn, foreign, tmp_path):
    run = ("run", "sdnd101", "--set", "v0=2", "--fail-fast", "--solver", foreign("Coloured"))
    seen = veridyn(*run, "--json", tmp_path / "results.json")
    (row,) = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["results"]
    assert "\x1b" not in seen.out + seen.err
    assert (row["solver"], row["detail"]) == ("red [31m", "red [31m raised ValueError: over [2Jwritten")


def test_control_characters_of_programs_and_results_reach_no_terminal(veridyn, foreign, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import sys; sys.stderr.write('\\x1b[2Jnot today'); print('\\x1b]0;me\\x07'); sys.exit(1)")
    file = tmp_path / "results.json"
    file.write_text('{"schema_version": "\\u001b[2Jwiped"}', encoding="utf-8")
    for command, word in (
        (("run", "sdnd101", "--solver", f"cmd:{sys.executable} {program}"), "cmd:"),
        (("doctor", "--solver", foreign("Coloured")), "[2Jwritten"),
        (("report", file, "--verify"), "[2Jwiped"),
    ):
        seen = veridyn(*command)
        assert word in seen.out + seen.err
        assert "\x1b" not in seen.out + seen.err
        assert "\x07" not in seen.out + seen.err


def test_the_table_names_the_failures_and_a_report_has_the_status_of_its_results(veridyn, foreign, tmp_path):
    file, folder = tmp_path / "results.json", tmp_path / "report"
    seen = veridyn("run", "sdnd101", "--solver", foreign("Scaled"), "--set", "v0=2", "--json", file)
    assert (seen.status, seen.err) == (1, "")
    assert "peak_force" in seen.out
    assert veridyn("report", file, "--output", folder).status == 1
    assert "peak_force" in (folder / "index.html").read_text(encoding="utf-8")


def with_checksum(document):
    """Return a document as it is written: with the checksum of its content."""
    return document | {"digest": compute_checksum(document)}


def test_a_report_of_an_interrupted_run_says_so_and_fails(veridyn, right, tmp_path):
    file, folder = tmp_path / "results.json", tmp_path / "report"
    file.write_text(right, encoding="utf-8")
    document = json.loads(right)
    assert document["planned"] == len(document["results"])
    assert veridyn("report", file, "--output", folder).status == 0
    document["results"], document["counts"], document["ended"] = document["results"][:-3], None, "interrupted"
    file.write_text(json.dumps(with_checksum(document)), encoding="utf-8")
    assert veridyn("report", file, "--output", folder).status == 1
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert f"Incomplete: 3 of {document['planned']} checks are missing: interrupted. All" in html


def test_a_report_against_an_earlier_run_fails_if_something_vanished_or_became_worse(veridyn, right, tmp_path):
    now, before, folder = tmp_path / "now.json", tmp_path / "before.json", tmp_path / "report"
    document = json.loads(right)
    for file in (now, before):
        file.write_text(right, encoding="utf-8")
    seen = veridyn("report", now, "--against", before, "--output", folder)
    assert (seen.status, "0 became worse, 0 vanished" in seen.out) == (0, True)
    document["results"], document["counts"], document["ended"] = document["results"][:-1], None, "interrupted"
    now.write_text(json.dumps(with_checksum(document)), encoding="utf-8")
    seen = veridyn("report", now, "--against", before, "--output", folder)
    assert (seen.status, "1 vanished" in seen.out) == (1, True)
    assert "What vanished: 1" in (folder / "against.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (("pass", "not applicable"), 0),
        (("pass", "expected failure"), 0),
        (("pass", "fail"), 1),
        (("not applicable",), 2),
        ((), 2),
        (("pass", "fail", "harness error"), 2),
        (("fail", "harness error", "error"), 3),
    ],
)
def test_status_of_verdicts(verdicts, expected):
    assert status(verdicts) == expected


def test_a_measure_that_breaks_is_not_judged_and_not_held_against_the_solver(foreign, monkeypatch):
    case = load_case("sdnd101")
    broken = replace(case.quantities[0], measure=lambda o: {}["force"])
    monkeypatch.setattr(
        "veridyn.api.verifying.load_case", lambda _: replace(case, quantities=(broken, *case.quantities[1:]))
    )
    records = verify(foreign("Foreign"), ["sdnd101"], parameters={"v0": "2"})
    found = {record.quantity: record.verdict for record in records if record.layer == "criterion"}
    assert found["peak_time_1"] == "harness error"
    assert "fail" not in found.values()
    assert status(record.verdict for record in records) == 2


def test_a_baseline_is_kept_and_held_against_later_runs(veridyn, foreign, tmp_path):
    file = tmp_path / "baseline.json"
    asked = ("sdnd101", "--set", "v0=2")
    saved = veridyn("baseline", "save", file, *asked, "--solver", foreign("Settable"))
    assert (saved.status, saved.err) == (0, "")
    assert f"baseline: {file}, " in saved.out
    again = veridyn("run", *asked, "--solver", foreign("Settable"), "--against", file, "--json", "-")
    compared = [row for row in again.document["results"] if row["layer"] == "baseline"]
    assert (again.status, {row["verdict"] for row in compared}) == (0, {"pass"})
    worse = veridyn(
        "run", *asked, "--set", "step=4e-4", "--solver", foreign("Settable"), "--against", file, "--json", "-"
    )
    lost = {row["quantity"] for row in worse.document["results"] if row["verdict"] == "fail"}
    assert worse.status == 1
    assert {name for name in lost if not name.startswith("digits:")} == set()
    assert "digits:contact_duration" in lost
    other = veridyn("run", *asked, "--solver", foreign("Foreign"), "--against", file)
    assert (other.status, "was it saved for another solver or other cases" in other.err) == (2, True)


def test_a_misspelt_capability_is_refused_before_anything_runs(veridyn, foreign, no_work):
    seen = veridyn("run", "sdnd101", "--solver", foreign("Misspelt"))
    assert (seen.status, seen.out, "'contatc'; did you mean contact?" in seen.err) == (2, "", True)
