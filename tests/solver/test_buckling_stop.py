"""The stop that buckles: its law along any path of the crush, restarts, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.devices import BucklingStop
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.solver.contract.errors import StepError
from veridyn.solver.integrators.kernels import buckling_stop
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.postprocessing.balance import energy_residual

from .conftest import FAMILIES, entry

buckling_force = entry(buckling_stop.buckling_force)

each_scheme = pytest.mark.parametrize("scheme", FAMILIES)
crush = st.floats(-2, 12)


def stop(**changes):
    """Return a stop of 1 N/m that buckles at 1 N and keeps 0.5 N."""
    law = {"contact_stiffness": 1.0, "critical_force": 1.0, "post_force": 0.5}
    return BucklingStop(**{"name": "stop", "direction": [1.0], **law, **changes})


SOFT = {"plateau": 1.0, "softening": 1.0, "returns": ((2.0, 0.2), (3.0, 0.15), (4.0, 0.125), (5.0, 0.1))}


def along(device, path):
    """Return force, largest and residual crush along a path of the crush, (m, 3)."""
    constants, memory = np.array(device.constants), np.zeros(7)
    memory[0] = device.memory(0.0, path[0])[0]
    rows = []
    for u in path:
        internal = np.zeros(6)
        rows.append((buckling_force(u, constants, memory, internal), *internal[:2]))
    return np.array(rows)


def test_the_line_of_a_first_loading():
    path = [-1.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0]
    np.testing.assert_allclose(along(stop(**SOFT), path)[:, 0], [0, 0.5, 1, 1, 1, 0.75, 0.5, 0.5])
    np.testing.assert_allclose(along(stop(), path)[:, 0], [0, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 0.5])


def test_residual_crush_on_the_lines_of_the_table():
    path = [1.0, 1.5, 2.0, 4.5, 6.5, 8.0, 10.0, 12.0]
    residual = [along(stop(**SOFT), [0.0, u])[-1, 2] for u in path]
    np.testing.assert_allclose(residual, [0, 0.5, 1, 2, 3.1, 4, 5, 7])
    assert along(stop(), [0.0, 4.0])[-1, 2] == 3.0


@pytest.mark.parametrize("law", [{}, SOFT])
@given(path=st.lists(crush, min_size=2, max_size=30))
@settings(max_examples=50, deadline=None)
def test_any_path(law, path):
    """Push only, never above f_crit; the residual crush never shrinks; the way back to the largest crush is free."""
    device = stop(**law)
    force, largest, residual = along(device, path).T
    assert np.all((force >= 0) & (force <= 1.0 + 1e-12))
    assert np.all(np.diff(residual) >= -1e-12)
    assert np.all(residual <= np.maximum(largest, 0) + 1e-12)
    again = along(device, [*path, residual[-1] - 1.0, largest[-1]])[-1]
    straight = along(device, [path[0], largest[-1]])[-1]
    np.testing.assert_allclose(again, straight, atol=1e-12)


def test_a_closed_path_dissipates():
    path = np.concatenate((np.linspace(0, 6.5, 4001), np.linspace(6.5, 0, 4001)))
    force = along(stop(**SOFT), path)[:, 0]
    work = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(path))
    assert work == pytest.approx(4 - 0.5 * 1.7, abs=1e-5)


@each_scheme
def test_below_its_critical_force_it_is_a_spring(scheme, build, march):
    r = march(build.mass(initial_velocity=[0.9], end=5.0, devices=(stop(),)), scheme, 2e-3)
    assert not r.elements["stop"]["residual_crush"].any()
    assert float(np.interp(4.5, r.time, r.displacement[:, 0])) == pytest.approx(-0.9 * (4.5 - np.pi), abs=1e-5)


@each_scheme
def test_energy_goes_into_the_stop(scheme, build, march):
    problem = build.mass(initial_velocity=[8**0.5], end=10.0, devices=(stop(**SOFT),))
    assert np.abs(energy_residual(problem, march(problem, scheme, 1e-3))).max() < 1e-5


@each_scheme
def test_a_restart_goes_on_from_the_largest_crush(scheme, build, march):
    whole = build.mass(initial_velocity=[8**0.5], end=8.0, devices=(stop(**SOFT),))
    r = march(whole, scheme, 1e-3)
    k = 6000
    crushed = float(r.elements["stop"]["largest_crush"][k])
    state = {"initial_displacement": r.displacement[k], "initial_velocity": r.velocity[k], "start": float(r.time[k])}
    later = march(replace(whole, **state, devices=(stop(**SOFT, crushed=crushed),)), scheme, 1e-3)
    late = 1e-3 if scheme in ("symplectic_euler", "euler_adaptive") else 1e-5  # they start half a step late
    assert later.displacement[-1, 0] == pytest.approx(float(r.displacement[-1, 0]), abs=late)


def test_offset_is_a_gap(build, run):
    r = run(build.mass(initial_velocity=[0.9], end=3.0, devices=(stop(offset=-0.45),)), "devogelaere", 1e-3)
    own = r.elements["stop"]
    assert own["force"][r.time < 0.5].max() == 0
    assert own["largest_crush"].max() == pytest.approx(0.9, abs=1e-6)


def test_a_problem_with_the_stop_survives_json(build):
    problem = build.mass(devices=(stop(**SOFT, crushed=0.5),))
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert "device:buckling-stop" in again.needs
    assert again.devices[0].constants == problem.devices[0].constants


def test_the_statement_names_every_number():
    named = {name: value for name, value, _, _ in stop(**SOFT, crushed=0.25).numbers()}
    assert (named["critical_force"], named["crushed"], named["residual_2"], named["stiffness_4"]) == (
        1.0,
        0.25,
        3.0,
        0.1,
    )


def test_the_step_rule_counts_the_first_stiffness(build, refused):
    with refused(StepError, "stiffness 1e+06 N/m of 'stop'"):
        SOLVER.solve(build.mass(devices=(stop(contact_stiffness=1e6),)), {"scheme": "devogelaere", "step": 1e-2})


WRONG = {
    "no stiffness": ({"contact_stiffness": 0.0}, "contact_stiffness = 0.0 must be finite and positive"),
    "more is left than there was": ({"post_force": 2.0}, "post_force 2.0 N exceeds critical_force"),
    "a negative plateau": ({"plateau": -1.0}, "plateau = -1.0"),
    "a row that falls": ({"returns": ((2.0, 0.2), (1.0, 0.2))}, "returns, row 2: total crush"),
    "a row within the softening": ({"softening": 9.0, "returns": ((2.0, 0.2),)}, "returns, row 1"),
    "a return without stiffness": ({"returns": ((2.0, 0.0),)}, "returns, row 1: stiffness = 0.0"),
    "no pairs": ({"returns": (1.0, 2.0)}, "returns must be pairs"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_stops_are_refused(name, refused):
    changes, culprit = WRONG[name]
    with refused(ProblemError, "buckling-stop 'stop'", culprit):
        stop(**changes)
