"""Adaptive steps that are cut to end on stated instants, and the start of de Vogelaere's scheme."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.solver.integrators.schemes import SCHEMES

INSTANTS = [0.1, 0.37, np.pi / 4, 2.0]
each_adaptive = pytest.mark.parametrize("scheme", sorted(name for name, s in SCHEMES.items() if s.adaptive))


@each_adaptive
def test_steps_end_on_the_instants(scheme, build, run):
    r = run(build.oscillator(2.0, end=3.0), scheme, 0.01, largest=3.0, archive_at=INSTANTS, land=True)
    np.testing.assert_allclose(r.time, [0.0, *INSTANTS, 3.0], rtol=0, atol=1e-13)


@each_adaptive
def test_a_cut_step_is_resumed(scheme, build, run):
    """After the rest of the step the control goes on, from a shorter step: some steps more, and none lost."""
    problem = build.mass(initial_velocity=[1.0], end=1.0)
    free, cut = (run(problem, scheme, 0.02, largest=1.0, archive_at=at, land=True) for at in ([], [0.49]))
    assert free.counters["steps"] < cut.counters["steps"] <= free.counters["steps"] + 20
    assert cut.displacement[-1, 0] == pytest.approx(1.0)


@each_adaptive
def test_without_land_the_nearest_states_are_kept(scheme, build, run):
    r = run(build.oscillator(2.0, end=3.0), scheme, 0.01, largest=1.0, archive_at=INSTANTS)
    assert np.abs(r.time[1:-1] - INSTANTS).max() <= 0.005 + 1e-12
    assert np.abs(r.time[1:-1] - INSTANTS).max() > 1e-4


@pytest.mark.parametrize(("x0", "v0", "shows"), [(1.0, 0.0, True), (0.0, 1.0, False)])
def test_the_published_start_differs_where_the_acceleration_does_not_vanish(x0, v0, shows, build, run):
    problem = build.oscillator(1.0, initial_displacement=[x0], initial_velocity=[v0], end=0.5)
    at_rest, slipped = (run(problem, "devogelaere_adaptive", 1e-3, slipped_start=s) for s in (False, True))
    same = at_rest.time.size == slipped.time.size and np.array_equal(at_rest.displacement, slipped.displacement)
    assert same is not shows
