"""What a results file may look like, what is judged in it, and what is not held against it."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from veridyn.cli.checking import judge_files
from veridyn.files.histories import convert_column, read_histories, recognise_columns
from veridyn.files.tables import UnitError, read_table, to_si
from veridyn.problem.errors import SolverInputError
from veridyn.run.posed import pose
from veridyn.validation_cases.judgement.subject import read_request


def judge_file(file, *posed):
    return judge_files([file], pose(*posed))


def verdicts(records):
    return {record.quantity: record.verdict for record in records}


def test_a_wrong_result_fails(command, plain_file):
    file = plain_file()
    head, *body = file.read_text(encoding="utf-8").splitlines()
    assert head.startswith("time [s],displacement_x [m]")
    file.write_text("\n".join([head.replace("displacement_x [m]", "displacement_x [cm]"), *body]), encoding="utf-8")
    seen = command("check", "sdnd101", file, "--json", "-")
    failed = {r["quantity"] for r in json.loads(seen.out)["results"] if r["verdict"] == "fail"}
    assert (seen.status, seen.err) == (1, "")
    assert {"peak_force", "impulse", "impact_velocity"} <= failed
    assert not failed & {"peak_time_1", "contact_duration", "impacts"}


def test_a_right_result_and_its_report(command, plain_file, tmp_path):
    seen = command("check", "sdnd101", plain_file(), "--report", tmp_path / "report", "-v")
    assert (seen.status, seen.err) == (0, "veridyn: writing the report\n")
    assert "15 checks: 3 not applicable, 12 pass" in seen.out
    page = tmp_path / "report" / "cases" / "case-sdnd101.html"
    assert "12 pass" in page.read_text(encoding="utf-8")


def test_without_velocities(plain_file):
    file = plain_file(without=["velocity_x"])
    assert set(verdicts(judge_file(file, "sdnd101")).values()) == {"pass", "not applicable"}
    response = read_histories(read_table(file), pose("sdnd101").problem)
    assert np.allclose(response.velocity[1:-1], 0.5 * (response.velocity[:-2] + response.velocity[2:]), atol=0.06)


def test_histories_left_out_are_not_held_against_the_code(plain_file):
    file = plain_file("sdnd104", "a0=15", without=["shoe.force"])
    found = {r.quantity: r for r in judge_file(file, "sdnd104", "a0=15")}
    for name in ("energy_residual", "friction_cone"):
        assert found[name].verdict == "not applicable"
        assert "no force of friction 'shoe'" in found[name].detail
    assert [r for r in found.values() if r.verdict not in ("pass", "not applicable")] == []


STEPS = (1.6e-4, 8e-5, 4e-5)
REFINED = "step=1.6e-4,8e-5,4e-5"


@pytest.fixture
def level_files(plain_file):
    """Write the histories of three steps, coarse to fine."""
    return [plain_file(step=step, name=f"{i}.csv") for i, step in enumerate(STEPS)]


def judged(files, **asked):
    return {r.id: r for r in judge_files(files, pose("sdnd101"), read_request(**asked))}


def test_one_file_a_level_is_judged_by_convergence_too(level_files):
    found = judged(level_files, refine=REFINED)
    assert {r.layer for r in found.values()} == {"criterion", "convergence"}
    assert {r.verdict for r in found.values() if r.layer == "convergence"} <= {"pass", "not applicable"}
    record = found["2-shocks-convergence:peak_force"]
    assert (record.verdict, record.solver, record.wall_time) == ("pass", "2.csv", None)
    assert [row.size for row in record.levels] == list(STEPS)
    assert {row.setting for row in record.levels} == {"step"}


def test_the_finest_file_is_held_to_the_criterion(level_files):
    alone, last = judge_files(level_files[-1:], pose("sdnd101")), judged(level_files, refine=REFINED)
    assert {r.id: r.value for r in alone} == {name: r.value for name, r in last.items() if r.layer == "criterion"}


def test_the_order_of_files_may_be_claimed(level_files):
    found = judged(level_files, refine=REFINED, claims=["order=2"])
    assert found["2-shocks-claim:order"].verdict in ("pass", "not applicable")
    assert "claim" in {r.layer for r in found.values()}


def test_levels_that_tend_to_something_else_fail(level_files):
    for file in level_files:
        head, *body = file.read_text(encoding="utf-8").splitlines()
        file.write_text("\n".join([head.replace("time [s]", "time [ms]"), *(longer(row) for row in body)]), "utf-8")
    found = judged(level_files, refine=REFINED)
    failed = {name for name, r in found.items() if r.verdict == "fail"}
    assert failed
    assert all("convergence" in name for name in failed)


def longer(row):
    """State the time in milliseconds, and half a thousandth too long."""
    time, _, rest = row.partition(",")
    return f"{float(time) * 1e3 * 1.0005!r},{rest}"


PEAKS = (9958.0, 9952.4, 9950.8)  # N; the truth is 9950.37


def test_quantities_may_be_stated_for_every_level(table):
    files = [table(f"quantity,value\npeak_force,{value}\n", f"{i}.csv") for i, value in enumerate(PEAKS)]
    found = judged(files, refine=REFINED, claims=["order=2"])
    record = found["2-shocks-convergence:peak_force"]
    assert (record.verdict, [row.value for row in record.levels]) == ("pass", list(PEAKS))
    assert record.terms["sampling"] == 0.0
    assert found["2-shocks-peak_force"].value == PEAKS[-1]
    assert found["2-shocks-convergence:impulse"].verdict == "not applicable"


def test_a_claim_of_digits_needs_one_file(table):
    file = table("quantity,value\npeak_force,9950.3724\nimpulse,9.0\n")
    found = judged([file], claims=["digits=7"])
    assert found["2-shocks-claim:digits:peak_force"].verdict == "pass"
    assert found["2-shocks-claim:digits:impulse"].verdict == "fail"


def test_a_requirement_holds_for_files_too(table):
    file = table("quantity,value\npeak_force,9950.3\n")
    assert judged([file], require="digits=4")["2-shocks-peak_force"].verdict == "pass"
    assert judged([file], require="digits=6")["2-shocks-peak_force"].verdict == "fail"


QUANTITIES = [
    "quantity,value,unit\npeak_force,9.9504,kN\nimpact_velocity,-1000.0,mm/s\nflight_duration,3.141593e2,ms\n",
    "value;unit;quantity\n9950,4;N;peak_force\n-1;m/s;impact_velocity\n0,3141593;s;flight_duration\n",
    "quantity\tvalue\npeak_force\t9950,4\nimpact_velocity\t-1.0D+00\n# by hand\n\nflight_duration\t3.141593D-1\n",
    "quantity value unit\npeak_force 9950.4 N\nimpact_velocity -1 m s-1\nflight_duration 314.1593 ms\n",
    '"quantity","value","unit",\n"peak_force","9950.4","N",\n"impact_velocity","-1","m/s",\n"flight_duration","0.3141593","s",\n',
]


@pytest.mark.parametrize("text", QUANTITIES, ids=["comma", "semicolon", "tab", "space", "quoted"])
def test_quantities(table, text):
    found = verdicts(judge_file(table(text), "sdnd101"))
    given = {"peak_force", "impact_velocity", "flight_duration"}
    assert {found.pop(name) for name in given} == {"pass"}
    assert set(found.values()) == {"not applicable"}


def test_words_and_what_does_not_exist(table):
    file = table("quantity,value\nregime,stick\nslip_start,none\nwear_power,0\n")
    found = verdicts(judge_file(file, "sdnd104", "a0=0.99"))
    assert [found[name] for name in ("regime", "slip_start", "wear_power")] == ["pass"] * 3
    wrong = verdicts(judge_file(table("quantity,value\nregime,slip-slip\nslip_start,0.3\n"), "sdnd104", "a0=0.99"))
    assert [wrong[name] for name in ("regime", "slip_start")] == ["fail"] * 2


def test_quantities_that_no_history_holds(table):
    found = verdicts(judge_file(table("quantity,value,unit\nfrequency_1,3.852,Hz\n"), "sdld103"))
    assert found["frequency_1"] == "pass"
    assert verdicts(judge_file(table("quantity,value,unit\nfrequency_1,2.4,Hz\n"), "sdld103"))["frequency_1"] == "fail"


TABLES = [
    "time [s], displacement_x [m]\n0, 0\n0.5, 0.001\n1.0, -1.5e-3\n",
    "# a comment\ntime (ms);displacement_x (mm)\n0;0;\n500,0;1;\n1000,0;-1,5;\n",
    "Displacement_X [µm]\tTIME [s]\n0\t0\n1000\t0,5\n-1500\t1\n",
    "time [s]   displacement_x [m]\n 0.0D+00   0.0\n 5.0D-01   1.0d-03\n 1.0D+00  -1.5D-03\n",
    "# time [s] displacement_x [m]\n0.0 0.0\n0.5 0.001\n1.0 -0.0015\n",
    "\ufefftime,displacement_x\r\n0,0\r\n0.5,0.001\r\n1,-0.0015\r\n",
    "time [s] displacement x [m]\n".replace(" x", "_x") + "0 0\n# pause\n\n0,5 0,001\n1 -0,0015\n",
]


@pytest.mark.parametrize("text", TABLES)
def test_manners_of_writing(table, text):
    found = read_table(table(text)).filled(2)
    columns = recognise_columns(found, ["time", "displacement_x"])
    assert convert_column(found, columns["time"], "s").tolist() == [0.0, 0.5, 1.0]
    assert convert_column(found, columns["displacement_x"], "m").tolist() == [0.0, 0.001, -0.0015]


def test_a_spreadsheet_in_utf16(tmp_path):
    file = tmp_path / "results.txt"
    file.write_bytes("time [s]\tdisplacement_x [m]\n0\t0\n".encode("utf-16"))
    assert [column.name for column in read_table(file).columns] == ["time", "displacement_x"]


UNITS = [
    ("ms", "s", 1e-3), ("mm", "m", 1e-3), ("kN", "N", 1e3), ("mm/s", "m/s", 1e-3), ("cm", "m", 1e-2),
    ("mm/s²", "m/s^2", 1e-3), ("m s-2", "m/s/s", 1.0), ("N.s", "N s", 1.0), ("kg m/s", "N s", 1.0), ("mJ", "J", 1e-3),
    ("kHz", "Hz", 1e3), ("1/s", "Hz", 1.0), ("µm", "m", 1e-6), ("us", "s", 1e-6), ("g", "kg", 1e-3), ("-", "", 1.0),
    ("N·mm", "J", 1e-3), ("MN/m", "N/m", 1e6), ("mm^2", "m2", 1e-6),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "asked", "factor"), UNITS)
def test_units(stated, asked, factor):
    assert to_si(1.0, stated, asked) == factor


@pytest.mark.parametrize(
    ("stated", "asked"), [("inch", "m"), ("s", "m"), ("rad/s", "Hz"), ("N", ""), ("m/", "m^2"), ("lbf", "N")]
)
def test_wrong_units(stated, asked):
    with pytest.raises(UnitError, match="unit"):
        to_si(1.0, stated, asked)


def example(first):
    """The example of the documentation that begins like this."""
    page = (Path(__file__).parents[2] / "docs" / "results-files.md").read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL) if block.startswith(first))


def test_the_documentation_shows_right_quantities(table):
    found = verdicts(judge_file(table(example("quantity")), "sdnd101"))
    assert {found["peak_force"], found["contact_duration"]} == {"pass"}


def test_the_documentation_shows_right_histories_and_the_message_about_them(command, table, monkeypatch, tmp_path):
    table(example("# SDND101"))
    monkeypatch.chdir(tmp_path)
    assert command("check", "sdnd101", "results.csv").err == example("veridyn:")


NAMED = ("--name", "FEM", "--code-version", "12.1", "--setting", "integration=newmark", "--machine", "a cluster")


def test_files_of_one_code_are_one_solver_whose_files_have_hashes(command, plain_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [plain_file(name="one.csv"), plain_file("sdnd104", "a0=15", name="two.csv")]
    first = ("sdnd101", "one.csv", "--json", "one.json")
    assert command("check", *first, *NAMED, "--date", "2026-03-31").status == 0
    assert command("check", "sdnd104", "--variant", "a0=15", "two.csv", *NAMED, "--json", "two.json").status == 0
    stated = json.loads(Path("one.json").read_text(encoding="utf-8"))
    (solver,) = stated["solvers"]
    assert (solver["name"], solver["version"], solver["settings"]) == ("FEM", "12.1", {"integration": "newmark"})
    assert (solver["date"], solver["machine"]) == ("2026-03-31", "a cluster")
    assert stated["figures"]
    assert stated["results"][0]["settings"] == {"integration": "newmark"}
    assert {hashlib.sha256(file.read_bytes()).hexdigest() for file in files[:1]} == {
        mark["sha256"] for mark in stated["fingerprints"] if mark["kind"] == "answers"
    }
    seen = command("report", "one.json", "two.json", "--verify", "--output", "report")
    assert (seen.status, seen.err) == (0, "")
    assert "27 references and 28 results agree" in seen.out
    assert "run 1" not in Path("report/summary.md").read_text(encoding="utf-8")
    page = Path("report/index.html").read_text(encoding="utf-8")
    assert "FEM 12.1" in page
    assert hashlib.sha256(files[1].read_bytes()).hexdigest() in page
    files[1].write_text("time", encoding="utf-8")
    assert "two.csv is not the file that was judged" in command("report", "one.json", "two.json", "--verify").err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--date", "31.3.2026"), "--date '31.3.2026' is no date; write 2026-03-31"),
        (("--setting", "step"), "--setting 'step': write NAME=VALUE"),
        (("--setting", "a=1", "--setting", "a=2"), "--setting a stands twice; keep one"),
        (("--code-version", "1"), "--code-version '1' needs --name"),
        (("--setting", "step=1", "--refine", "step=4,2,1"), "--setting step contradicts --refine step"),
    ],
)
def test_what_is_stated_of_a_code_must_be_readable(command, table, options, said):
    seen = command("check", "sdnd101", *[table("quantity,value\npeak_force,1\n")] * 3, *options)
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert said in seen.err


DERIVATIVES = """quantity,parameter,value,unit
t_impact_2,,1.1739614665629,s
t_impact_2,e,0.9030472819714618,s
t_impact_2,h,0,
y@2,h,0,m/m
"""


def test_a_table_of_derivatives_is_judged(table):
    found = {r.quantity: r for r in judge_file(table(DERIVATIVES), "bouncing_ball")}
    assert found["t_impact_2"].verdict == found["t_impact_2 by e"].verdict == "pass"
    assert found["t_impact_2 by h"].verdict == found["y@2 by h"].verdict == "fail"
    assert "every derivative is zero" in found["y@2 by h"].detail
    assert found["y@2 by e"].detail == "not in the file"
    assert not any(name.endswith(" by g") for name in found), "nobody has stated one"


def test_a_derivative_by_what_is_no_parameter_is_refused(table):
    with pytest.raises(SolverInputError, match=r"unknown quantity 't_impact_2 by f'; did you mean t_impact_2 by"):
        judge_file(table("quantity,parameter,value\nt_impact_2,f,1.0\n"), "bouncing_ball")
