"""The Zener device: closed forms of its law, large steps, other powers, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from veridyn.problem.devices import Zener
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.errors import StepError
from veridyn.solver.integrators.kernels import zener
from veridyn.solver.integrators.modal import SOLVER

from .conftest import FAMILIES, entry

zener_force = entry(zener.zener_force)

SHARE, YIELDING = 120 * 60 / 190, 60 * 130 / 190
force_of_dashpot = st.floats(-5, 5)


def device(**changes):
    """Return the device of SDND107."""
    return Zener(**{"name": "zener", "direction": [1.0], "k1": 120, "k2": 10, "k3": 60, "damping": 1.7, **changes})


def stepped(zener, d, change, step, count):
    """Return D after an elongation that grows evenly by ``change`` in ``step``, in so many evaluations."""
    constants, memory, internal = np.array(zener.constants), np.zeros(7), np.zeros(6)
    memory[2] = d
    for k in range(1, count + 1):
        zener_force(step * k / count, change * k / count, constants, memory, internal)
    return internal[0]


def integrated(alpha, d, change, step):
    """The same by an integrator of others."""
    n, b = 1 / alpha, YIELDING / 1.7 ** (1 / alpha)

    def rate(_, y):
        return SHARE * change / step - b * np.sign(y) * np.abs(y) ** n

    return solve_ivp(rate, (0, step), [d], rtol=1e-11, atol=1e-12, method="LSODA").y[0, -1]


@pytest.mark.parametrize("alpha", [1.0, 0.5])
@given(d=force_of_dashpot, change=st.floats(-0.3, 0.3), step=st.floats(1e-3, 3))
@settings(max_examples=40, deadline=None)
def test_one_step_is_as_good_as_many(alpha, d, change, step):
    once, often = (stepped(device(alpha=alpha), d, change, step, count) for count in (1, 37))
    assert once == pytest.approx(often, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize(("d", "change"), [(2.0, 0.0), (2.0, 0.1), (2.0, -0.1), (-1.0, 0.1), (0.0, 0.1), (0.1, -1e-9)])
def test_the_closed_forms_solve_the_law(alpha, d, change):
    assert stepped(device(alpha=alpha), d, change, 0.2, 1) == pytest.approx(integrated(alpha, d, change, 0.2), abs=1e-8)


@pytest.mark.parametrize("alpha", [1 / 3, 0.4, 0.8])
def test_other_powers_converge_with_order_two(alpha):
    truth = integrated(alpha, 1.0, 0.1, 0.1)
    errors = [abs(stepped(device(alpha=alpha), 1.0, 0.1, 0.1, count) - truth) for count in (20, 40, 80)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)
    assert math.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.4, 0.1])
def test_a_large_step_leads_to_the_steady_force(alpha):
    """D = C w^alpha with the rate w that the springs leave to the dashpot."""
    steady = 1.7 * (SHARE * 1e4 / 1e4 / YIELDING) ** alpha
    assert stepped(device(alpha=alpha), 5.0, 1e4, 1e4, 3) == pytest.approx(steady, rel=2e-2)


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.3])
def test_a_step_without_duration_is_elastic(alpha):
    assert stepped(device(alpha=alpha), 0.7, 0.1, 0.0, 1) == pytest.approx(0.7 + 0.1 * SHARE)


def test_what_is_held_relaxes(build, run):
    """A heavy mass: exp(-t) for alpha = 1, 1/(1 + t) for alpha = 1/2, in units of their times."""
    for alpha, left in ((1.0, lambda s: math.exp(-s)), (0.5, lambda s: 1 / (1 + s))):
        held = build.mass(mass=[[1e12]], initial_displacement=[0.1], devices=(device(alpha=alpha),))
        own = run(held, "devogelaere", 1e-2).elements["zener"]
        first = own["dashpot_force"][0]
        time = 1.7 ** (1 / alpha) / (YIELDING * first ** (1 / alpha - 1))
        assert first == pytest.approx(0.1 * SHARE)
        assert own["dashpot_force"][-1] == pytest.approx(first * left(1.0 / time), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("scheme", FAMILIES)
def test_springs_and_dashpot_share_the_work(scheme, build, march):
    problem = build.mass(initial_displacement=[0.1], end=2.0, devices=(device(alpha=0.5),))
    own = march(problem, scheme, 2e-3).elements["zener"]
    force, u, d, z = (own[name] for name in ("force", "elongation", "dashpot_force", "dashpot_path"))
    np.testing.assert_allclose(force, 120 * (70 * u - 60 * z) / 190, atol=1e-12)
    stored = force**2 / 240 + 5 * (u - force / 120) ** 2 + d**2 / 120
    power = np.diff(z) * (d[1:] + d[:-1]) / 2
    assert power.min() > -1e-9 * stored[0]
    work = np.sum(np.diff(u) * (force[1:] + force[:-1]) / 2)
    assert work == pytest.approx(stored[-1] - stored[0] + power.sum(), rel=1e-10)


def test_the_path_of_the_dashpot_may_start_anywhere(build, run):
    relaxed = 0.1 * SHARE / YIELDING  # where the dashpot carries nothing
    problem = build.mass(initial_displacement=[0.1], devices=(device(path=relaxed),))
    own = run(problem, "devogelaere", 1e-3).elements["zener"]
    assert own["dashpot_force"][0] == pytest.approx(0.0, abs=1e-15)
    assert own["dashpot_path"][0] == pytest.approx(relaxed)
    assert own["force"][0] == pytest.approx(0.1 * 1200 / 130)


def test_a_problem_with_the_device_survives_json(build):
    problem = build.mass(devices=(device(alpha=0.5, path=0.01),))
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert "device:zener" in again.needs
    assert {name for name, *_ in again.devices[0].numbers()} == {"k1", "k2", "k3", "damping", "alpha", "path"}


def test_the_step_rule_counts_the_sudden_stiffness(build, refused):
    stiff = device(k1=1e9, k3=1e6, k2=1e6)
    with refused(StepError, "N/m of 'zener'"):
        SOLVER.solve(build.mass(devices=(stiff,)), {"scheme": "devogelaere", "step": 1e-2})


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"k1": 0.0}, "k1 = 0.0"),
        ({"damping": -1.0}, "damping = -1.0"),
        ({"alpha": 0.0}, "alpha = 0.0"),
        ({"alpha": 1.5}, "alpha = 1.5 must not exceed 1"),
        ({"path": math.nan}, "path = nan must be a finite number"),
    ],
)
def test_wrong_devices_are_refused(changes, culprit, refused):
    with refused(ProblemError, "zener 'zener'", culprit):
        device(**changes)


@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize(
    "scheme", ["symplectic_euler", "devogelaere", "newmark", "generalised_alpha", "itmi", "runge_kutta_54"]
)
def test_what_is_put_into_the_device_is_stored_or_dissipated(alpha, scheme):
    """All are quadratic in what is taken for linear between two evaluations: the balance holds at any step."""
    zener = device(alpha=alpha)
    problem = MechanicalProblem(
        name="mass on a Zener device",
        mass=np.eye(1),
        initial_displacement=np.array([0.1]),
        initial_velocity=np.zeros(1),
        end=1.0,
        devices=(zener,),
    )
    found = SOLVER.solve(problem, {"scheme": scheme, "step": 5e-3}).elements["zener"]
    force, u, d, path = (found[name] for name in ("force", "elongation", "dashpot_force", "dashpot_path"))
    stored = 0.5 * (force**2 / zener.k1 + zener.k2 * (u - force / zener.k1) ** 2 + d**2 / zener.k3)
    work, lost = (0.5 * (f[1:] + f[:-1]) @ np.diff(s) for f, s in ((force, u), (d, path)))
    assert work - lost == pytest.approx(stored[-1] - stored[0], abs=1e-13 * stored.max())
    assert lost > 0.1 * stored[0]
