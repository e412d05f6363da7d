"""SDND106: a slip back that begins at once follows the slip, without a stick between them."""

from types import SimpleNamespace

import numpy as np
import pytest

from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.mechanics.sdnd106.measures import period, phase_order, phase_time


@pytest.mark.parametrize(
    ("velocities", "order"),
    [((0, 1, -1, 0), "slip+ slip- stick"), ((0, 1, 0, -1, 0), "slip+ stick slip- stick")],
)
def test_stick_is_seen_only_where_the_mass_rests(velocities, order):
    """Each velocity of m1 lasts a period, a hundred samples."""
    values = load_case("sdnd106").values({})
    v = np.repeat(np.array(velocities, dtype=float), 100)
    time = np.arange(v.size) * period(values) / 100
    elements = {"shoe": {"stuck": (v == 0).astype(float)}}
    response = SimpleNamespace(time=time, velocity=v[:, None], elements=elements, events={})
    seen = SimpleNamespace(values=values, response=response, known={})
    assert phase_order(seen) == order
    assert phase_time(seen, 1) == pytest.approx(2 * period(values))
