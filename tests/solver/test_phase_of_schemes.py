"""Phase that each scheme gains or loses: while it swings with its resonance, and at its start."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.solver.problem.elements import Load
from veridyn.solver.problem.time_functions import Harmonic

STEP = 0.2  # w h, w = 1 rad/s
CUBIC = 3 / 128 * STEP**4  # largest error of a zero on a cubic through four samples, of the amplitude
END = 250.0  # rad


def zeros(response):
    """Return the instants at which the displacement passes through zero, those at the start left out."""
    found = np.array([t for t, _ in crossings(response.time, response.displacement[:, 0])])
    return found[found > 1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_resonance_drifts_at_half_the_phase_error_per_radian(scheme, build, march):
    """x = (sin t - t cos t)/2; what runs ahead by e per radian is off resonance by e, and ahead by e t/2."""
    load = Load([1.0], Harmonic(1.0, 1.0))
    found = zeros(march(build.oscillator(initial_displacement=[0.0], end=END, loads=(load,)), scheme, STEP))
    true = (np.arange(1, len(found) + 1) + 0.5) * np.pi
    for _ in range(8):  # tan t = t: t = (k + 1/2) pi - atan(1/t)
        true = (np.arange(1, len(found) + 1) + 0.5) * np.pi - np.arctan(1 / true)
    late = true > END / 2
    drift = np.polyfit(true[late], (true - found)[late], 1)[0]
    phase = SCHEMES[scheme].phase
    expected = phase.constant * STEP**phase.order / 2 if phase else 0.0
    assert drift == pytest.approx(expected, rel=5 * STEP**2, abs=CUBIC / (END / 2))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_start_costs_no_phase_but_that_of_a_late_velocity(scheme, build, march):
    """Let go, a scheme has an acceleration at once: what its start leaves is the phase at t = 0, the drift taken away.

    A velocity that is taken for that of half a step before moves the phase by lag × w h.
    """
    found = zeros(march(build.oscillator(end=60.0), scheme, STEP))
    true = (np.arange(len(found)) + 0.5) * np.pi
    at_start = np.polyfit(true, true - found, 1)[1]
    phase = SCHEMES[scheme].phase
    of_one_step = abs(phase.constant) * STEP ** (phase.order + 1) if phase else 0.0
    # the fourth derivative vanishes at zeros: the cubic is off by 3/64 of the fifth
    assert at_start == pytest.approx(SCHEMES[scheme].claims.get("lag", 0.0) * STEP, abs=of_one_step + 3 / 64 * STEP**5)
