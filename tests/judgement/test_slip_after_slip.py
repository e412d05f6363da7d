"""A slip back that begins at once follows the slip, without a stick between them."""

from types import SimpleNamespace

import numpy as np
import pytest

from veridyn.validation_cases.measures.friction import SlipMeasures

PERIOD = 0.14  # s


@pytest.mark.parametrize(
    ("velocities", "order"),
    [((0, 1, -1, 0), "slip+ slip- stick"), ((0, 1, 0, -1, 0), "slip+ stick slip- stick")],
)
def test_stick_is_seen_only_where_the_mass_rests(velocities, order):
    """Each velocity lasts a period, a hundred samples."""
    v = np.repeat(np.array(velocities, dtype=float), 100)
    time = np.arange(v.size) * PERIOD / 100
    elements = {"shoe": {"stuck": (v == 0).astype(float)}}
    response = SimpleNamespace(time=time, velocity=v[:, None], elements=elements, events={})
    problem = SimpleNamespace(frictions=[SimpleNamespace(name="shoe", frame="relative")])
    seen = SimpleNamespace(values={}, problem=problem, response=response, readings={})
    slider = SlipMeasures("shoe", lambda _: PERIOD, lambda _: 1.0)
    assert slider.phases(seen) == order
    assert slider.change(seen, 2) == pytest.approx(2 * PERIOD)
