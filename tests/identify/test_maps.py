"""Maps of one step of the suite's Newmark against the textbook's matrix."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.identify.maps import find_spectral_radius, measure_map
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.integrators.modal import ModalIntegrator


def trapezoidal(problem: MechanicalProblem) -> tuple[float, float]:
    response = ModalIntegrator().solve(problem, {"scheme": "newmark", "step": 1.0})
    return float(response.displacement[-1, 0]), float(response.velocity[-1, 0])


@pytest.mark.parametrize("frequency", [0.1, 0.3, 0.6])  # it refuses fewer than ten steps a period
@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_trapezoidal_rule_is_read(frequency: float, damping: float) -> None:
    a = np.array([[0.0, 1.0], [-(frequency**2), -2.0 * damping * frequency]])
    exact = np.linalg.solve(np.eye(2) - a / 2, np.eye(2) + a / 2)
    measured = measure_map(trapezoidal, frequency=frequency, damping=damping)
    np.testing.assert_allclose(measured, exact, rtol=0, atol=1e-13 * max(1.0, frequency**2))
    if damping == 0.0:
        assert find_spectral_radius(measured) == pytest.approx(1.0, abs=1e-12)
