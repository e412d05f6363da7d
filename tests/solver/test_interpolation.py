"""Values between samples."""

import numpy as np
import pytest

from veridyn.solver.interpolation import value_at

TIME = np.linspace(0.0, 3.0, 31)


@pytest.mark.parametrize(("samples", "bound"), [(4, 3 / 128 * 0.1**4), (6, 15**2 / 2**6 / 720 * 0.1**6)])
def test_a_smooth_motion_is_read_half_way_between_samples_to_the_term_left_out(samples, bound):
    worst = max(abs(value_at(TIME, np.sin(TIME), t, samples) - np.sin(t)) for t in TIME[3:-3] + 0.05)
    assert 0.5 * bound < worst < 1.1 * bound


def test_samples_are_read_as_they_are():
    assert value_at(TIME, np.sin(TIME), TIME[7], samples=6) == np.sin(TIME[7])
