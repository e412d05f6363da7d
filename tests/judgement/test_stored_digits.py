"""Digits that Code_Aster stores but no parity check compares: they hold errors of its own of the last digits."""

from __future__ import annotations

import pytest

from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Published, Run
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.sdnd107.further import ASTER_STEP, deviation
from veridyn.validation_cases.workbench import Workbench


@pytest.mark.parametrize(
    ("kind", "stored", "within"), [("displacement", 0.000551957958468, 5e-12), ("force", 0.000445667677015, 2e-11)]
)
def test_the_deviations_of_sdnd107c(kind, stored, within):
    """It integrates the law of the device by Runge-Kutta within a step, we solve it."""
    case = load_case("sdnd107")
    values = case.values(case.variant("power").changes)
    run = Run("sdnd107c", values, case.problem, {"scheme": "symplectic_euler", "step": ASTER_STEP})
    cell = Published("sdnd107c", "power", f"deviation_of_{kind}", str(stored), "reproduced")
    assert deviation(cell, Workbench(SOLVER).observe(run)) == pytest.approx(stored, abs=within)
