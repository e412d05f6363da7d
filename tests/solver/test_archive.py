"""What is kept of a march: every n-th state, listed instants, totals of the contacts; memory that does not grow."""

from __future__ import annotations

import math
import tracemalloc

import numba
import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

each_scheme = pytest.mark.parametrize("scheme", FAMILIES)


def rubbing(build, **changes):
    """Return a chain that hits a stop and rubs on it, and rubs on a table."""
    frictions = (
        Friction("shoe", ([0.0, 1.0, 0.0],), "wall", 0.3, 0.2, "regularised", 20.0, 1.0),
        Friction("pad", ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]), 0.1, 0.3, 0.2, "regularised", 20.0, 1.0),
    )
    default = {
        "initial_velocity": [1.0, 0.5, -0.5],
        "stops": (Stop("wall", [1.0, 0.0, 0.0], 0.1, 50.0, 0.5),),
        "frictions": frictions,
        "loads": (Load([1.0, 0.0, 0.0], Harmonic(0.5, 3.0)),),
        "end": 5.0,
    }
    return build.chain(3, **{**default, **changes})


@each_scheme
def test_states_nearest_to_instants(scheme, build, march):
    problem, step = rubbing(build), 0.01
    instants = [4.4444, 0.013, 0.017, 2.0, 2.001, 0.001, -1.0, 7.0]
    full, part = march(problem, scheme, step), march(problem, scheme, step, archive_at=instants)
    nearest = {int(np.argmin(np.abs(full.time - t))) for t in instants}
    kept = sorted(nearest | {0, full.time.size - 1})
    assert np.array_equal(part.time, full.time[kept])
    assert np.array_equal(part.displacement, full.displacement[kept])
    assert np.array_equal(part.velocity, full.velocity[kept])
    for name, histories in full.elements.items():
        for key, history in histories.items():
            assert np.array_equal(part.elements[name][key], history[kept])


@each_scheme
def test_an_adaptive_step_keeps_a_state_within_a_step(scheme, build, run):
    problem, instants = rubbing(build), np.linspace(0.3, 4.7, 12)
    full, part = run(problem, scheme, 0.01), run(problem, scheme, 0.01, archive_at=instants)
    assert part.time.size == instants.size + 2
    assert np.isin(part.time, full.time).all()
    assert np.abs(part.time[1:-1] - instants).max() <= np.diff(full.time).max()


def test_output_times_of_the_problem(build, run):
    problem = build.oscillator(output_times=[0.2, 0.7])
    assert run(problem, "newmark", 0.1, archive_at="output_times").time == pytest.approx([0, 0.2, 0.7, 1.0])


@pytest.mark.parametrize(
    ("settings", "culprit"),
    [
        ({"archive_at": "output_times"}, "oscillator states none"),
        ({"archive_at": "noon"}, "archive_at = 'noon'"),
        ({"archive_at": [0.1, math.nan]}, "not finite"),
        ({"archive_at": [0.1], "archive_every": 2}, "exclude each other"),
    ],
)
def test_malformed_instants_are_refused(settings, culprit, build, run, refused):
    with refused(SettingsError, culprit):
        run(build.oscillator(), "newmark", 0.1, **settings)


def trapezoid(values, time):
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(time)))


@each_scheme
def test_quantities_are_those_of_the_full_histories(scheme, build, run):
    problem = rubbing(build)
    full = run(problem, scheme, 0.01)
    only = run(problem, scheme, 0.01, archive_at=[], quantities=True)
    assert full.quantities == {}
    assert only.time.size == 2
    for name, histories in full.elements.items():
        taken = only.quantities[name]
        force = histories["normal_force"]
        assert taken["impulse"] == pytest.approx(trapezoid(force, full.time), rel=1e-10)
        for key, history in histories.items():
            assert (taken[f"least_{key}"], taken[f"largest_{key}"]) == (history.min(), history.max())
        if "force" in histories:
            speeds = [histories[f"sliding_velocity{k}"] for k in ("", "_2") if f"sliding_velocity{k}" in histories]
            forces = [histories[f"force{k}"] for k in ("", "_2") if f"force{k}" in histories]
            wear = force * np.sqrt(sum(w**2 for w in speeds))
            work = sum(f * w for f, w in zip(forces, speeds, strict=True))
            assert taken["wear_energy"] == pytest.approx(trapezoid(wear, full.time), rel=1e-10)
            assert taken["work"] == pytest.approx(trapezoid(work, full.time), rel=1e-10)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours")
@each_scheme
def test_memory_does_not_grow_with_the_steps(scheme, build, march):
    """Two states are kept of ten million steps; a full archive would take 1.6 GB."""

    def peak(end):
        friction = Friction("pad", ([1.0],), 1.0, 0.3, 0.2, "regularised", 20.0, 1.0)
        problem = build.oscillator(10.0, stops=(Stop("wall", [1.0], 0.1, 50.0),), frictions=(friction,), end=end)
        tracemalloc.start()
        r = march(problem, scheme, 0.01, archive_at=[], quantities=True)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (r.time.size, r.counters["steps"]) == (2, pytest.approx(100 * end, rel=1e-3))
        return size

    SOLVER.warm_up({"scheme": scheme, "step": 0.01})
    peak(10.0)
    assert peak(1e5 if SCHEMES[scheme].place == 10 else 1e3) < 2 * peak(10.0)
