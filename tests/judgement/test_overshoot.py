"""SDND106: how far the stick of a penalised friction goes beyond the force that it takes over."""

import math

import pytest

from veridyn.validation_cases.sdnd106.theory import overshoot


def reached(ratio, late):
    """Largest force of spring and critical damper under a unit force, by symplectic Euler; the mass moved before."""
    u, v = 0.0, late * ratio
    force, largest = 2 * v, 0.0
    for _ in range(math.ceil(8 / ratio)):
        v += ratio * (1 - force)
        u += ratio * v
        force = u + 2 * v
        largest = max(largest, force)
    return largest - 1


@pytest.mark.parametrize("late", [-1.0, -0.5, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("ratio", [1e-3, 0.03, 0.1, 0.2, 0.3, 1 / 3])
def test_no_stick_goes_further(ratio, late):
    assert reached(ratio, late) <= overshoot(ratio) < 1.25 * reached(ratio, 1.0)


def test_without_a_step_it_is_that_of_the_critical_damper():
    assert overshoot(0.0) == math.exp(-2)
