"""A solver that imports nothing of ours, through every way in; the doctor."""

import runpy
from pathlib import Path

import pytest

import veridyn as package
import veridyn.validation_cases as room


def test_the_example_is_short():
    from_class = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8").partition("class Foreign:")[2]
    assert from_class.partition("\n\n\nclass")[0].count("\n") < 30


def test_a_solver_object(foreign):
    file = foreign("").rstrip(":")
    records = package.verify(runpy.run_path(file)["INSTANCE"], ["sdnd101"])
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


def test_who_claims_nothing_is_told_what_could_be_claimed(veridyn, foreign):
    seen = veridyn("run", "sdnd101", "--solver", foreign("Foreign"), "--set", "v0=2", "--json", "-")
    (message,) = seen.document["messages"]
    assert message.startswith("foreign claims nothing, so only criterion and invariance were judged; it could claim")


def test_an_instance_of_a_file(veridyn, foreign):
    assert veridyn("run", "sdnd101", "--solver", foreign("INSTANCE"), "--set", "v0=2").status == 0


def test_an_attribute_of_a_module(veridyn, foreign, monkeypatch):
    monkeypatch.syspath_prepend(Path(foreign("").rstrip(":")).parent)
    assert veridyn("run", "sdnd101", "--solver", "foreign:Foreign", "--set", "v0=2").status == 0


def test_two_solvers_side_by_side(veridyn, foreign):
    both = ("--solver", foreign("Foreign"), "--solver", "veridyn", "--solver", "veridyn")
    rows = veridyn("run", "sdnd101", "sdnd101", *both, "--set", "v0=2", "--json", "-").document["results"]
    names = [row["solver"] for row in rows]
    assert names == sorted(names)
    ids = [(row["solver"], row["id"]) for row in rows]
    assert len(ids) == len(set(ids))  # named twice, run once


@pytest.mark.parametrize(("name", "status", "word"), [("Foreign", 0, "passed"), ("Scaled", 1, "failed")])
def test_pytest(python, foreign, name, status, word):
    folder = Path(room.__path__[0]) / "mechanics" / "test_sdnd101.py"
    seen = python("-m", "pytest", folder, "--solver", foreign(name), "-p", "no:cacheprovider", "-q")
    assert seen.status == status, seen.out
    assert word in seen.out.splitlines()[-1]
    assert ("test_sdnd101[2-shocks-peak_force]" in seen.out) == (name == "Scaled")


def test_pytest_skips_what_the_solver_does_not_offer(python, foreign):
    folder = Path(room.__path__[0]) / "mechanics" / "test_sdnd101.py"
    seen = python("-m", "pytest", folder, "--solver", foreign("Few"), "-p", "no:cacheprovider", "-q")
    assert seen.status == 0
    assert "does not offer contact" in seen.out


def test_pytest_refuses_an_unknown_solver(python):
    file = Path(room.__path__[0]) / "mechanics" / "test_sdnd101.py"
    seen = python("-m", "pytest", file, "--solver", "rk4", "-p", "no:cacheprovider")
    assert seen.status == 4
    assert "unknown solver 'rk4'" in seen.out + seen.err


DIAGNOSES = [
    ("Foreign", 0, "healthy"),
    ("Coarse", 1, "inaccurate: look at step"),
    ("Flipped", 3, "turn the sign of the contact force"),
    ("Raises", 3, "raises raised ZeroDivisionError: my fault"),
    ("Exits", 3, "exits raised SystemExit"),
    ("NotANumber", 3, "NaN or infinity"),
    ("Few", 0, "not applicable, the solver does not offer contact"),
]


@pytest.mark.parametrize(("name", "status", "text"), DIAGNOSES, ids=[name for name, *_ in DIAGNOSES])
def test_doctor(veridyn, foreign, name, status, text):
    seen = veridyn("doctor", "--solver", foreign(name))
    assert (seen.status, seen.err) == (status, "")
    assert text in " ".join(seen.out.split())


def test_doctor_finds_our_own_solver_healthy(veridyn):
    assert veridyn("doctor").status == 0


def test_doctor_reports_the_worst_of_several(veridyn, foreign):
    assert veridyn("doctor", "--solver", foreign("Flipped"), "--solver", foreign("Foreign")).status == 3
