"""Numbers of a curve between its samples, and what is refused."""

import numpy as np
import pytest

from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.measures.curves import falls_to, largest, root_ahead, slope_at, top

TIME = np.linspace(0.0, 2.0, 21)
HUMP = 1 - (TIME - 0.97) ** 2


def test_polynomials_are_read_exactly():
    assert slope_at(TIME, TIME**3, 0.73) == pytest.approx(3 * 0.73**2)
    assert largest(TIME, HUMP) == pytest.approx((0.97, 1.0))
    assert falls_to(TIME, HUMP, 0.5) == pytest.approx(0.97 + np.sqrt(0.5))


def test_the_largest_value_is_between_samples_or_at_an_end():
    assert top(TIME, np.cos(TIME - 0.97)) == pytest.approx(1.0, abs=1e-9)
    assert top(TIME, TIME) == 2.0


def test_a_sample_beside_another_does_not_spoil_the_largest_value():
    time = np.sort([*TIME, 1.0 + 1e-14])
    assert top(time, np.cos(time - 0.93)) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("after", [1.0, 100.0])
def test_a_root_ahead_does_not_feel_what_comes_after_it(after):
    """From 0.53 on the curve is another one."""
    history = np.where(TIME < 0.53, TIME**2 - 0.53**2, after * (TIME - 0.53))
    assert root_ahead(TIME, history, samples=4) == pytest.approx(0.53)


def test_a_root_that_does_not_exist_is_none():
    assert root_ahead(TIME, TIME - 3.0, samples=4) is None


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: largest(TIME, TIME), "does not turn"),
        (lambda: top(TIME[:0], HUMP[:0]), "there is no sample"),
        (lambda: falls_to(TIME, HUMP, -5.0), "does not come back to -5 m"),
        (lambda: root_ahead(TIME, TIME - 0.15, samples=4), "2 samples before the event, 4 are needed"),
        (lambda: root_ahead(TIME, np.where(TIME > 0.53, 1.0, -1.0 - TIME), samples=4), "do not lead to it"),
    ],
)
def test_what_a_history_does_not_show_is_refused(read, said):
    with pytest.raises(SolverFailure, match=said):
        read()
