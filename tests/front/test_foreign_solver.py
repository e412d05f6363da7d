"""A solver that imports nothing of ours, through every way in; the doctor."""

import re
import runpy
from itertools import groupby
from pathlib import Path

import pytest

import veridyn as package
import veridyn.validation_cases as room
from veridyn.solver.contract.loading import load_solver


def test_a_solver_object(foreign):
    file = foreign("").rstrip(":")
    records = package.verify(runpy.run_path(file)["INSTANCE"], ["sdnd101"], parameters={"v0": "2"})
    assert {(r.solver, r.scheme, r.layer) for r in records} == {
        ("foreign", "", layer) for layer in ("criterion", "invariance")
    }
    left = {r.quantity for r in records if r.verdict != "pass"}
    assert left == {"stop_force_residual", "position_histories", "rate_histories", "permuted"}  # it reports no forces


CLAIMED = {"claims": {"order": 2}, "refinement": [{"step": step} for step in (8e-4, 4e-4, 2e-4)]}


def test_what_the_user_claims_is_judged_too(foreign):
    Foreign = runpy.run_path(foreign("").rstrip(":"))["Settable"]
    records = package.verify(Foreign(), ["sdnd101"], parameters={"v0": "2"}, **CLAIMED)
    assert {r.layer for r in records if r.verdict == "pass"} == {"criterion", "convergence", "claim", "invariance"}
    assert {r.verdict for r in records} == {"pass", "not applicable"}


def test_the_same_on_the_command_line(veridyn, foreign):
    asked = ("--set", "v0=2", "--claim", "order=2", "--refine", "step=8e-4,4e-4,2e-4", "--require", "digits=3")
    seen = veridyn("run", "sdnd101", "--solver", foreign("Settable"), *asked, "--json", "-")
    rows = seen.document["results"]
    assert (seen.status, seen.err, seen.document["messages"]) == (0, "", [])
    assert {row["layer"] for row in rows} == {"criterion", "convergence", "claim", "invariance"}
    assert any(row["reason"].startswith("required: digits=3, of ") for row in rows)
    levels = next(row["levels"] for row in rows if row["id"] == "v0=2-convergence:peak_force")
    assert [level["size"] for level in levels] == [8e-4, 4e-4, 2e-4]


@pytest.fixture(scope="module")
def side_by_side(veridyn, foreign):
    """The document of a run of two solvers, one of which is named twice."""
    solvers = ("--solver", foreign("Foreign"), "--solver", "exact", "--solver", "exact")
    named = ("sdnd101", "sdnd101", "--set", "v0=2", "--no-work-precision")
    return veridyn("run", *named, *solvers, "--json", "-").document


def test_two_solvers_side_by_side(side_by_side):
    ids = [(row["solver"], row["id"]) for row in side_by_side["results"]]
    assert [name for name, _ in groupby(name for name, _ in ids)] == ["foreign", "exact"]  # as they were named
    assert len(ids) == len(set(ids))  # named twice, run once


def test_who_claims_nothing_is_told_what_could_be_claimed(side_by_side):
    (message,) = (each["text"] for each in side_by_side["messages"])
    assert message.startswith("foreign claims nothing, so only criterion and invariance were judged; it could claim")


def test_an_instance_of_a_file_and_an_attribute_of_a_module(foreign, monkeypatch):
    file = Path(foreign("").rstrip(":"))
    monkeypatch.syspath_prepend(file.parent)
    for spec in (foreign("INSTANCE"), f"{file.stem}:Foreign"):
        assert load_solver(spec).name == "foreign"


def test_pytest(python, foreign):
    """One that is right, one that is wrong, one that does not offer what is needed."""
    solvers = [word for name in ("Foreign", "Scaled", "Few") for word in ("--solver", foreign(name))]
    file = Path(room.__path__[0]) / "mechanics" / "test_sdnd101.py"
    seen = python("-m", "pytest", file, *solvers, "-k", "2-shocks", "-p", "no:cacheprovider", "-q")
    failed = re.findall(r"^FAILED .*\[.*:(\w+)-2-shocks-([\w:]+)\]", seen.out, flags=re.MULTILINE)
    assert seen.status == 1, seen.out
    assert ("Scaled", "peak_force") in failed
    assert {name for name, _ in failed} == {"Scaled"}
    assert "does not offer contact" in seen.out


def test_pytest_refuses_an_unknown_solver(python):
    file = Path(room.__path__[0]) / "mechanics" / "test_sdnd101.py"
    seen = python("-m", "pytest", file, "--solver", "rk4", "-p", "no:cacheprovider")
    assert seen.status == 4
    assert "unknown solver 'rk4'" in seen.out + seen.err


DIAGNOSES = [
    ("Foreign", "healthy"),
    ("Flipped", "turn the sign of the contact force"),
    ("Raises", "ZeroDivisionError: my fault"),
    ("Exits", "SystemExit"),
    ("NotANumber", "NaN"),
    ("Few", "does not offer contact"),
]
NAMES = {"NotANumber": "nan"}  # not called by the name of its class


def test_doctor(veridyn, foreign):
    solvers = [word for name, _ in DIAGNOSES for word in ("--solver", foreign(name))]
    seen = veridyn("doctor", *solvers)
    assert (seen.status, seen.err) == (3, "")  # that of the worst
    parts = re.split(r"^(\w+) 7: ", seen.out, flags=re.MULTILINE)
    diagnoses = {name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    assert [name for name, text in DIAGNOSES if text not in diagnoses[NAMES.get(name, name.lower())]] == []


def test_status_of_the_doctor(veridyn, foreign):
    seen = veridyn("doctor", "--solver", foreign("Coarse"))
    assert (seen.status, "inaccurate: look at step" in " ".join(seen.out.split())) == (1, True)
