"""Andrews' mechanism: it starts at rest with the printed accelerations, and gains what the torque does."""

import mpmath
import pytest

from veridyn.references.problems import andrews

PRINTED = ("14222.4439199541138705911625887", "-10666.8329399655854029433719415")  # Hairer and Wanner II, section VII.7


@pytest.mark.parametrize(("place", "text"), tuple(enumerate(PRINTED)))
def test_it_begins_with_the_printed_accelerations(place, text):
    found = andrews.at_start(lambda state: state.accelerations[place])
    assert abs(found().value - mpmath.mpf(text)) < mpmath.mpf("1e-9")


def test_more_torque_turns_the_crank_further():
    beta = andrews.at_end(lambda state: state.angles[0])
    assert beta(mom="0.034", digits=10).value > beta(digits=10).value > 15
