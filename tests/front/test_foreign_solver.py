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
    assert {(r.solver, r.scheme, r.kind) for r in records} == {
        ("foreign", "", kind) for kind in ("truth", "events", "balance")
    }
    assert {r.quantity for r in records if r.verdict != "pass"} == {"stop_force_residual"}  # it reports no forces
    assert not any(r.quantity.startswith("sampled") for r in records)  # parity and frozen values are our own affair


def test_an_instance_of_a_file(veridyn, foreign):
    assert veridyn("run", "sdnd101", "--solver", foreign("INSTANCE"), "--set", "v0=2").status == 0


def test_an_attribute_of_a_module(veridyn, foreign, monkeypatch):
    monkeypatch.syspath_prepend(Path(foreign("").rstrip(":")).parent)
    assert veridyn("run", "sdnd101", "--solver", "foreign:Foreign", "--set", "v0=2").status == 0


def test_two_solvers_side_by_side(veridyn, foreign):
    both = ("--solver", foreign("Foreign"), "--solver", "veridyn", "--solver", "veridyn")
    rows = veridyn("run", "sdnd101", "sdnd101", *both, "--set", "v0=2", "--json", "-").document["results"]
    assert [row["solver"] for row in rows] == ["foreign"] * 7 + ["veridyn"] * 63  # named twice, run once


@pytest.mark.parametrize(("name", "status", "word"), [("Foreign", 0, "passed"), ("Scaled", 1, "failed")])
def test_pytest(python, foreign, name, status, word):
    folder = Path(room.__path__[0]) / "sdnd101"
    seen = python("-m", "pytest", folder, "--solver", foreign(name), "-p", "no:cacheprovider", "-q")
    assert seen.status == status, seen.out
    assert word in seen.out.splitlines()[-1]
    assert ("test_sdnd101[2-shocks-peak_force]" in seen.out) == (name == "Scaled")


def test_pytest_skips_what_the_solver_does_not_offer(python, foreign):
    folder = Path(room.__path__[0]) / "sdnd101"
    seen = python("-m", "pytest", folder, "--solver", foreign("Few"), "-p", "no:cacheprovider", "-q")
    assert seen.status == 0
    assert "does not offer contact" in seen.out


def test_pytest_refuses_an_unknown_solver(python):
    seen = python("-m", "pytest", Path(room.__path__[0]) / "sdnd101", "--solver", "rk4", "-p", "no:cacheprovider")
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
