"""What the page on the comparison of solvers says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from veridyn.compared import INTRODUCTION
from veridyn.solver import exact, modal
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import truth_checks
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.workbench import Workbench


def error(solver, scheme, settings):
    """Relative error of the wear power of SDND104 at a0 = 1.01."""
    case = load_case("sdnd104")
    subject = replace(Subject.of(solver, settings), schemes=(scheme,))
    (check,) = (c for c in truth_checks(case, subject, case.variant("a0=1.01")) if c.quantity == "wear_power")
    record = judge(check, Workbench(solver))
    return abs(float(record.value) / float(record.reference) - 1)


def test_where_the_schemes_stay_is_the_error_of_the_elastic_stick():
    said = float(re.search(r"error of (\S+) in the wear power", INTRODUCTION)[1])
    elastic = error(exact.SOLVER, "series", {"tangential_stiffness": 9e6})
    fine = error(modal.SOLVER, "symplectic_euler", {"step": 5e-6})
    assert elastic == pytest.approx(said, rel=1e-2)
    assert fine == pytest.approx(elastic, rel=1e-2)
    assert error(exact.SOLVER, "series", {}) < 1e-12


def test_the_page_has_the_introduction():
    page = Path(__file__).parents[2] / "docs" / "comparison.md"
    assert page.read_text(encoding="utf-8").startswith(INTRODUCTION)
