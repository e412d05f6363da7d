"""The command teeth: exit status, document, report."""

import json

from veridyn.catches import _provenance, asked_today
from veridyn.reports import teeth
from veridyn.sound import sound_solvers


def test_a_caught_defect_is_fine(veridyn, tmp_path):
    seen = veridyn("teeth", "sdnd101", "--defect", "gap_too_wide", "--report", tmp_path)
    assert seen.status == 0
    assert "1 of 1 defects are caught" in seen.out
    assert "gap_too_wide" in (tmp_path / "what-the-suite-catches.md").read_text(encoding="utf-8")
    assert (tmp_path / "what-the-suite-catches.svg").read_text(encoding="utf-8").startswith("<?xml")
    found = json.loads((tmp_path / "teeth.json").read_text(encoding="utf-8"))
    assert {run["judged_by"] for run in found["runs"]} == {"theory", "documents"}
    assert found["runs"][0]["caught"]["2-shocks-truth:peak_time_1"] == "+"


def test_a_surviving_defect_fails(veridyn):
    seen = veridyn("teeth", "sdld103", "--defect", "wrong_beta", "--json", "-")
    assert seen.status == 1
    assert [run["caught"] for run in seen.document["runs"]] == [{}]


def test_a_defect_that_no_case_has_anything_for_is_said_and_no_failure(veridyn):
    seen = veridyn("teeth", "sdld103", "--defect", "gap_sign")
    assert seen.status == 0
    assert "1 need something that no case asked for has: gap_sign" in seen.out


def test_an_unknown_defect_is_bad_input(veridyn):
    seen = veridyn("teeth", "--defect", "gap_sing")
    assert seen.status == 2
    assert "did you mean gap_sign?" in seen.err


def test_defects_and_sound_solvers_exclude_each_other(veridyn):
    seen = veridyn("teeth", "--sound", "2", "--defect", "gap_sign")
    assert seen.status == 2
    assert "leave out --defect" in seen.err


def test_sound_solvers_raise_no_alarm(veridyn, tmp_path):
    seen = veridyn("teeth", "sdnd101", "--sound", "2", "--json", tmp_path / "sound.json")
    assert seen.status == 0
    assert "No false alarm" in seen.out
    heard = json.loads((tmp_path / "sound.json").read_text(encoding="utf-8"))["hearings"]
    names = [solver.name for solver in sound_solvers()]
    assert [(hearing["number"], hearing["solver"]) for hearing in heard] == [
        (n, name) for n in (0, 1) for name in names
    ]


def result(command, case, caught, *defects):
    runs = [{"defect": name, "case": case, "judged_by": "theory", "asked": ["a"], "caught": caught} for name in defects]
    return {
        "environment": {"command": command},
        "cases": [case],
        "defects": [{"name": name} for name in defects],
        "runs": runs,
    }


def test_later_results_add_and_replace_runs():
    first = result("first", "sdnd101", {}, "late", "soft")
    again, more = result("again", "sdnd101", {"a": "+"}, "late"), result("more", "sdnd104", {"a": "+"}, "soft")
    found = teeth.joined([first, again, more])
    assert found["cases"] == ["sdnd101", "sdnd104"]
    assert [defect["name"] for defect in found["defects"]] == ["late", "soft"]
    assert teeth.caught_by_case(found) == {"late": {"sdnd101"}, "soft": {"sdnd104"}}
    assert [made["command"] for made in found["environments"]] == ["first", "again", "more"]
    assert [(run["defect"], run["case"], run["made"]) for run in found["runs"]] == [
        ("late", "sdnd101", 1),
        ("soft", "sdnd101", 0),
        ("soft", "sdnd104", 2),
    ]


def test_a_later_result_describes_a_defect_anew():
    first, again = result("first", "sdnd101", {}, "late"), result("again", "sdnd101", {}, "late")
    again["defects"][0]["what"] = "Late."
    assert teeth.joined([first, again])["defects"] == [{"name": "late", "what": "Late."}]


def made(day, numpy="2.0"):
    versions = {"veridyn": "0.1.0", "python": "3.12", "packages": {"numpy": numpy, "numba": "0.60"}}
    return {**versions, "machine": "x86_64", "date": f"2026-01-{day}T10:00:00+00:00"}


def test_the_page_sums_up_its_runs_by_versions():
    environments = [made("03"), made("01"), made("02", "2.1"), made("09")]  # the last has no run that still counts
    runs = [{"made": number} for number in (0, 0, 1, 2)]
    (text,) = _provenance({"environments": environments, "runs": runs})
    assert text.splitlines()[2:] == [
        "| 0.1.0 | 3.12 | 2.0 | 0.60 | x86_64 | 2026-01-01 to 2026-01-03 | 2 | 3 |",
        "| 0.1.0 | 3.12 | 2.1 | 0.60 | x86_64 | 2026-01-02 | 1 | 1 |",
    ]


def test_a_single_result_has_one_line():
    found = {"environment": made("03"), "runs": [{}, {}]}
    (text,) = _provenance(found)
    assert text.splitlines()[2:] == ["| 0.1.0 | 3.12 | 2.0 | 0.60 | x86_64 | 2026-01-03 | 1 | 2 |"]


def test_checks_of_today_are_those_of_schemes_and_of_foreign_solvers_but_not_our_frozen_values():
    asked = asked_today(["sdnd101"])
    assert ("sdnd101", "2-shocks-truth:peak_time_1") in asked
    assert {check.partition(":")[0].rpartition("-")[2] for _, check in asked} == {
        "truth",
        "events",
        "balance",
        "order",
        "parity",
    }
