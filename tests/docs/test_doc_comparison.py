"""What the page on the comparison of solvers says."""

import re
from pathlib import Path

import pytest

from veridyn.compared import INTRODUCTION
from veridyn.solver.exact import solver as exact
from veridyn.solver.integrators import modal
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.runner import Run, Runner, Statement


def error(solver, settings):
    """Relative error of the wear power of SDND104 at a0 = 1.01."""
    case = load_case("sdnd104")
    statement = Statement(case, case.variant("a0=1.01"))
    value = Runner(solver).measured(Run(statement, settings))["wear_power"]
    truth = next(q for q in statement.quantities if q.name == "wear_power").truth(statement.values)
    return abs(float(value) / float(truth) - 1)


def test_where_the_schemes_stay_is_the_error_of_the_elastic_stick():
    said = float(re.search(r"error of (\S+) in the wear power", INTRODUCTION)[1])
    elastic = error(exact.SOLVER, {"tangential_stiffness": 9e6})
    fine = error(modal.SOLVER, {"scheme": "symplectic_euler", "step": 5e-6, "tangential_stiffness": 9e6})
    assert elastic == pytest.approx(said, rel=1e-2)
    assert fine == pytest.approx(elastic, rel=1e-2)
    assert error(exact.SOLVER, {}) < 1e-12


def test_the_page_has_the_introduction():
    page = Path(__file__).parents[2] / "docs" / "comparison.md"
    assert page.read_text(encoding="utf-8").startswith(INTRODUCTION)
