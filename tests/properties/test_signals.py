"""Post-processing of synthetic signals whose impacts, wear and energy are known."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.solver.postprocessing.impacts import interpolated_impacts, located_impacts
from veridyn.solver.postprocessing.interpolation import crossings, value_at
from veridyn.solver.postprocessing.wear import phases, sliding_distance

examples = settings(derandomize=True, deadline=None, max_examples=25)
whole = st.integers(1, 9)
pieces = st.lists(st.tuples(whole, st.sampled_from([-1, 0, 1])), min_size=2, max_size=8)


@examples
@given(st.floats(0.2, 0.9), st.floats(1.0, 1e4), st.integers(40, 90), st.floats(0.0, 1.0))
def test_impacts_of_a_sine_are_located_between_the_samples(gap, stiffness, per_period, shift):
    """The gap g - sin t is negative between asin g and π - asin g; a cubic leaves h⁴, a spline likewise."""
    h = 2 * math.pi / per_period
    time = h * (np.arange(3 * per_period) + shift) - 2.0
    found = interpolated_impacts(time, gap - np.sin(time), stiffness)
    first = math.asin(gap)
    assert len(found) in (2, 3)
    for n, impact in enumerate(found, start=round((found[0].start - first) / (2 * math.pi))):
        turn = 2 * math.pi * n
        half = math.pi / 2 - first
        bound = h**4 / math.cos(first)
        assert impact.start == pytest.approx(first + turn, abs=bound)
        assert impact.duration == pytest.approx(2 * half, abs=2 * bound)
        assert impact.peak_time == pytest.approx(math.pi / 2 + turn, abs=h**2)
        assert impact.peak_force == pytest.approx(stiffness * (1 - gap), abs=stiffness * h**3)
        assert impact.impulse == pytest.approx(2 * stiffness * (math.sin(half) - gap * half), abs=stiffness * h**3)
        assert impact.velocity == pytest.approx(-math.cos(first), abs=h**2)


@examples
@given(st.floats(0.2, 0.9), st.floats(1.0, 1e4), st.integers(12, 30))
def test_impacts_between_reported_events_are_read_to_rounding(gap, stiffness, inner):
    """Samples between the events alone: a spline of degree 7 leaves (h/2)⁸."""
    first = math.asin(gap)
    events = np.array([first, math.pi - first, 2 * math.pi + first])
    parts = [np.linspace(a, b, inner, endpoint=False) for a, b in zip([0.0, *events], [*events, 7.0], strict=True)]
    time = np.concatenate(parts)
    (impact,) = located_impacts(time, gap - np.sin(time), -np.cos(time), events, stiffness)
    spacing = (math.pi - 2 * first) / inner
    bound = stiffness * (spacing**8 + 1e-13)
    assert (impact.start, impact.end) == (events[0], events[1])
    assert impact.peak_force == pytest.approx(stiffness * (1 - gap), abs=bound)
    assert impact.peak_time == pytest.approx(math.pi / 2, abs=spacing**6 + 1e-7)
    assert impact.impulse == pytest.approx(2 * stiffness * (math.cos(first) - gap * (math.pi / 2 - first)), abs=bound)
    assert impact.velocity == -math.cos(events[0])


@examples
@given(pieces, st.floats(0.1, 5.0))
def test_distance_of_steady_slips_is_a_product(parts, speed):
    """Slips of whole seconds at ± a speed, with rests: v of way per second of slip."""
    ends = [0, *accumulate(duration for duration, _ in parts)]
    time = np.linspace(0, ends[-1], 20 * ends[-1] + 1)
    place = np.searchsorted(ends, time, side="right") - 1
    direction = np.array([d for _, d in parts] + [parts[-1][1]])[place]
    slipped = sum(duration for duration, d in parts if d)
    position = np.concatenate(([0.0], np.cumsum(direction[:-1] * np.diff(time)))) * speed
    stuck = (direction == 0).astype(float)
    assert sliding_distance(time, position, stuck, 0.0, ends[-1], located=True) == pytest.approx(speed * slipped)


@examples
@given(pieces)
def test_phases_are_read_back(parts):
    merged = [[0.0, 0.0, parts[0][1]]]
    for duration, d in parts:
        if d != merged[-1][2]:
            merged.append([merged[-1][1], merged[-1][1], d])
        merged[-1][1] += duration
    time = np.arange(0.0, merged[-1][1], 0.25)
    place = np.searchsorted([start for start, _, _ in merged], time, side="right") - 1
    direction = np.array([d for _, _, d in merged])[place]
    found = phases(time, direction.astype(float), (direction == 0).astype(float), shortest_stick=0.5)
    assert [(p.start, p.direction) for p in found] == [(start, d) for start, _, d in merged]
    assert [p.end for p in found[:-1]] == [end for _, end, _ in merged[:-1]]


@examples
@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.floats(0.0, 7.0))
def test_a_cubic_is_read_exactly_between_samples(coefficients, t):
    time = np.array([0.0, 0.5, 1.0, 2.0, 2.5, 4.0, 5.0, 7.0])
    cubic = np.polynomial.Polynomial(coefficients)
    size = np.abs(coefficients) @ 7.0 ** np.arange(4)
    assert value_at(time, cubic(time), t) == pytest.approx(cubic(t), abs=1e-12 * size + 1e-300)


@examples
@given(st.lists(st.floats(0.3, 3.0), min_size=1, max_size=6), st.booleans())
def test_sign_changes_alternate_where_the_roots_are(gaps, rises):
    """Along a curve of parabolas between its roots, sampled so that none is missed."""
    roots = np.cumsum(gaps)
    ends = np.concatenate(([0.0], roots, [roots[-1] + 1.0]))
    time = np.unique(np.concatenate([np.linspace(a, b, 12) for a, b in pairwise(ends)]) + 1e-3)
    place = np.searchsorted(roots, time)
    signs = (1 - 2 * (place % 2)) * (1 if rises else -1)
    history = signs * (time - ends[place]) * (ends[place + 1] - time + 1e-2 * (place == roots.size))
    history[place == 0] = signs[place == 0] * (roots[0] - time[place == 0])
    found = crossings(time, history)
    assert [side for _, side in found] == [(-1) ** (n + 1) * (1 if rises else -1) for n in range(roots.size)]
    np.testing.assert_allclose([t for t, _ in found], roots, atol=0.05 * max(gaps) + 2e-3)
