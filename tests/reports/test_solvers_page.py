"""Recorded runs become a summary, and the summary the page that compares solvers."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from veridyn.results import ReportError, convert
from veridyn.validation_cases.judgement.catalogue import load_case

DOCS = Path(__file__).parents[2] / "docs"
RECORDED = DOCS / "solvers.json"
TWELVE = {
    *("bouncing_ball", "belt_stick_slip", "den_hartog", "shaw_holmes", "duffing_free", "pendulum", "kepler"),
    *("van_der_pol", "hunt_crossley", "elastoplastic", "two_state_model", "andrews"),
}


sys.path.insert(0, str(DOCS))  # the page imports its neighbours
_found = importlib.util.spec_from_file_location("solvers_page", DOCS / "solvers_page.py")
solvers_page = importlib.util.module_from_spec(_found)
_found.loader.exec_module(solvers_page)
sys.path.remove(str(DOCS))


@pytest.fixture
def recorded(make_document, make_result, make_point):
    """A run of two solvers: one right by default, one whose second quantity is wrong in silence."""
    slope = {"layer": "claim", "quantity": "slope:wear_power", "value": 0.9, "reference": 1.0, "digits": None}
    results = [
        make_result(solver="good", digits=6.0),
        make_result(solver="good", quantity="energy", digits=7.5),
        make_result(solver="good", **slope),
        make_result(solver="bad", scheme="", digits=5.0),
        make_result(solver="bad", scheme="", quantity="energy", digits=1.0, verdict="fail", error=3e-4, value=15.2625),
        make_result(solver="bad", scheme="", layer="convergence", value=None, verdict="error"),
        make_result(solver="exact", scheme=""),
        make_result(solver="lame", scheme="", value=None, digits=None, verdict="not applicable", detail="no contact"),
    ]
    levels = ((5.0, 0.1), (8.2, 0.4), (9.0, 3.0))
    points = [make_point(solver="good", digits=digits, wall_time=time) for digits, time in levels]
    solvers = [{"name": "good", "version": "1.2"}]
    return convert(make_document(results=results, work_precision=points, solvers=solvers))


@pytest.fixture
def found(recorded):
    return solvers_page.summary([(recorded, "default", "verified")])


def row(found, solver):
    (one,) = [one for one in found["rows"] if one["solver"] == solver]
    return one


def test_a_row_says_what_a_solver_got(found):
    good = row(found, "good")
    assert (good["digits"], good["best"], good["cost"]) == (6.0, 9.0, [0.1, 0.4])
    assert (good["claim"], good["claimed"], good["observed"]) == ("slope", 1.0, 0.9)
    assert (good["held"], good["claims"], good["silent"], good["told"]) == (1, 1, [], 0)
    assert (good["version"], good["case"], good["scheme"]) == ("1.2", "shoe", "euler")


def test_what_is_wrong_without_a_word_is_told_apart_from_a_message(found):
    bad = row(found, "bad")
    assert (bad["silent"], bad["told"], bad["digits"]) == (["energy"], 1, 1.0)
    assert (bad["best"], bad["cost"]) == (None, [None, None])


def test_the_page_has_the_command_that_shows_what_is_wrong_in_silence(found):
    assert "bad, shown by `veridyn run shoe --variant " in solvers_page.page(found)
    assert "--solver bad --quantity energy`." in solvers_page.page(found)


def test_without_a_claim_the_slope_over_the_levels_is_told(make_document, make_result):
    levels = [
        {"setting": "step", "size": h, "value": 1.0, "difference": None, "error": h**2} for h in (1e-1, 5e-2, 1e-2)
    ]
    refined = make_result(solver="good", layer="convergence", levels=levels)
    document = convert(make_document(results=[make_result(solver="good"), refined]))
    good = row(solvers_page.summary([(document, "default", "verified")]), "good")
    assert (good["claim"], good["claimed"], good["observed"]) == ("slope", None, 2.0)


def test_of_claimed_digits_those_that_were_found_are_told(make_document, make_result):
    """Their values are those of the quantities, which may be words."""
    claims = [("digits:energy", 15.26, 8.0), ("digits:phases", "- + -", 16.0), ("digits:wear", 0.1, 6.0)]
    results = [
        make_result(solver="sure", layer="claim", quantity=quantity, value=value, reference=value, digits=digits)
        for quantity, value, digits in claims
    ]
    found = solvers_page.summary([(convert(make_document(results=results)), "default", "verified")])
    sure = row(found, "sure")
    assert (sure["claim"], sure["claimed"], sure["observed"], sure["claims"]) == ("digits", None, 8.0, 3)


def test_our_own_solver_is_not_compared(found):
    assert {one["solver"] for one in found["rows"]} == {"good", "bad", "lame"}


def test_a_summary_reads_back_as_it_was_written(found):
    assert solvers_page.checked(json.loads(solvers_page.written(found))) == found


def test_the_page_tells_runs_and_failures(found):
    page = solvers_page.page(found)
    assert "| good · euler | 6.0 | 9.0 | 100 ms | 400 ms | slope 0.9 (1) | 1/1 | none | none |" in page
    assert re.search(r"\| bad \| 1.0 \| – \| – \| – \| – \| – \| energy \| 1 \|", page)
    assert "lame does not apply: no contact." in page
    assert "verified 2025-01-02" in page


def test_kinds_of_settings_and_origins_stay_apart(recorded):
    runs = [(recorded, "tuned", "verified"), (recorded, "default", "self-declared")]
    page = solvers_page.page(solvers_page.summary(runs))
    assert "| tuned | verified 2025-01-02 |" in page
    assert "| good · euler (tuned) | 6.0 |" in page
    assert "| default | self-declared 2025-01-02 |" in page


def test_files_of_one_day_and_machine_are_one_run(recorded):
    found = solvers_page.summary([(recorded, "default", "verified")] * 2 + [(recorded, "tuned", "verified")])
    assert len(found["runs"]) == 2
    assert sorted(one["run"] for one in found["rows"] if one["solver"] == "good") == [0, 0, 1]


def test_nothing_judged_is_refused(make_document, make_result):
    ours = convert(make_document(results=[make_result(solver="exact")]))
    with pytest.raises(ReportError, match="no run judged a solver"):
        solvers_page.summary([(ours, "default", "verified")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.update(schema_version=2), "no summary of version 1"),
        (lambda s: s["rows"][0].pop("digits"), r"rows 0: has"),
        (lambda s: s["rows"][0].update(told="1"), "told is '1'"),
        (lambda s: s["rows"][0].update(run=7), "a run that is not told"),
        (lambda s: s["runs"][0].update(settings="best"), "settings 'best'"),
    ],
)
def test_a_summary_that_is_none_is_refused(found, change, message):
    change(found)
    with pytest.raises(ReportError, match=message):
        solvers_page.checked(found)


def test_the_command_writes_a_summary(save, doc, tmp_path):
    out = tmp_path / "solvers.json"
    solvers_page.main([str(save(doc)), "--output", str(out)])
    assert solvers_page.checked(json.loads(out.read_text(encoding="utf-8")))["runs"][0]["origin"] == "verified"


def test_the_command_names_a_file_that_is_missing(tmp_path, capsys):
    with pytest.raises(SystemExit):
        solvers_page.main([str(tmp_path / "none.json"), "--output", str(tmp_path / "out")])
    assert "none.json: no such file" in capsys.readouterr().err


def test_the_recorded_summary_is_small_and_has_the_twelve_cases():
    text = RECORDED.read_text(encoding="utf-8")
    found = solvers_page.checked(json.loads(text))
    assert len(text) < 400_000
    assert {one["case"] for one in found["rows"]} >= TWELVE
    for one in found["rows"]:
        case = load_case(one["case"])
        assert one["title"] == case.title
        names = {q.name for q in case.measured(case.variant(one["variant"]))}
        assert set(one["silent"]) <= names
        assert len([q for q in one["cost"] if q is not None]) <= len(solvers_page.COSTS)


def test_the_recorded_solvers_are_several_and_have_versions():
    rows = json.loads(RECORDED.read_text(encoding="utf-8"))["rows"]
    assert {"scipy", "sundials", "heyoka", "casadi", "diffrax", "sundials_ida", "scipy_dae"} <= {
        one["solver"] for one in rows
    }
    assert all(one["version"] for one in rows)
