"""SDLD103: the printed digits of Code_Aster's newer test need the impurities of its modes, and little else."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.solver.basis import modal_basis
from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Observation
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.sdld103 import newer
from veridyn.validation_cases.tolerances import unit_in_last_place

CASE = load_case("sdld103")
VALUES = CASE.values()
RUNS = ("DIFF_CENTRE", "DIFF_CENTRE, two modes", "DEVOGE", "RUNGE_KUTTA_54", "DIFF_CENTRE, orthogonalised")


def worst(run, model):
    """Largest distance from the printed values of a run, in units of their last digit, but at least 1e-12 m."""
    problem = newer.modelled(CASE.problem(VALUES), model)
    seen = Observation(VALUES, problem, SOLVER.solve(problem, {"scheme": model.scheme, **model.settings}))
    cells = [cell for cell in newer.published() if cell.source == newer.SOURCE.format("a", run)]
    assert len(cells) >= 15
    return max(
        abs(newer.restored(CASE, cell, seen) - float(cell.value)) / max(unit_in_last_place(cell.value), 1e-12)
        for cell in cells
    )


@pytest.mark.parametrize("run", RUNS)
def test_the_impurities_explain_the_digits(run):
    model = newer.MODELS["A", run]
    assert worst(run, model) < 1
    assert worst(run, replace(model, mixing={})) > 1000


@pytest.mark.parametrize("place", newer.ITERATED)
def test_each_of_them_is_needed(place):
    model = newer.MODELS["A", "DEVOGE"]
    others = {key: part for key, part in newer.ITERATED.items() if key != place}
    assert worst("DEVOGE", replace(model, mixing=others)) > 1000


def test_pure_modes_are_those_of_the_basis():
    problem = CASE.problem(VALUES)
    pure, modes = modal_basis(problem), newer.impure_modes(problem, replace(newer.CENTRED, mixing={}))
    assert np.allclose(modes.omega, pure.omega, rtol=1e-14)
    assert np.array_equal(modes.shapes, pure.shapes)
