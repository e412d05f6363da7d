"""Devices: the law in the kernels, closed forms, energy, frames, what a problem says of them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ellipj, ellipk

from veridyn.problem.basis import in_modal_coordinates, modal_basis, with_coordinates
from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Stop, SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, polynomial
from veridyn.solver.contract.errors import MissingHistory, StepError
from veridyn.solver.contract.responses import Response
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.integration import IntegrationJob, Storage
from veridyn.solver.integrators.kernels import piecewise_law
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.postprocessing.balance import energy_residual

from .conftest import FAMILIES, entry

piecewise_force = entry(piecewise_law.piecewise_force)

numbers = st.floats(-10, 10)
each_scheme = pytest.mark.parametrize("scheme", FAMILIES)


def cubic(**changes):
    """Return F = u³ along one coordinate."""
    return NonlinearSpring(**{"name": "cubic", "direction": [1.0], "breaks": (0.0,), "coefficients": CUBE, **changes})


CUBE = ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))


@st.composite
def springs(draw):
    breaks = draw(st.lists(numbers, min_size=1, max_size=5, unique=True).map(sorted).filter(apart))
    rows = [tuple(draw(st.lists(numbers, min_size=1, max_size=4))) for _ in range(len(breaks) + 1)]
    return NonlinearSpring(name="s", direction=[1.0], breaks=tuple(breaks), coefficients=tuple(rows))


def apart(breaks):
    return all(np.diff(breaks) > 1e-9)


@given(springs(), st.lists(st.floats(-20, 20), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_the_kernel_knows_the_law_of_the_record(spring, elongations):
    constants = np.array(spring.constants)
    computed = [piecewise_force(u, constants) for u in elongations]
    np.testing.assert_allclose(computed, spring.force(elongations), rtol=1e-12, atol=1e-9)


def test_an_odd_spring_is_without_force_in_its_slack():
    spring = NonlinearSpring.odd(name="s", direction=[1.0], coefficients=(0.0, 2.0, 3.0), slack=0.5)
    np.testing.assert_allclose(spring.force([-1.5, -0.5, 0.0, 0.4, 1.5]), [-5.0, 0.0, 0.0, 0.0, 5.0])
    assert spring.stiffness == 2.0


@each_scheme
def test_a_cubic_spring_oscillates_as_jacobi_says(scheme, build, march):
    """x'' = -x³ from rest at 1: x = cn(t, 1/2)."""
    problem = build.mass(initial_displacement=[1.0], end=8.0, devices=(cubic(),))
    r = march(problem, scheme, 2e-3)
    late = 1e-3 if scheme in ("symplectic_euler", "euler_adaptive") else 0.0  # its start is half a step late
    exact = ellipj(r.time, 0.5)[1]
    assert np.abs(r.displacement[:, 0] - exact).max() < late + 1e-5


@each_scheme
def test_the_period_of_a_square_spring_follows_from_its_energy(scheme, build, march):
    """x'' = -x |x| from 0 with v: T/2 = 2 ∫ dx/v(x) over a quarter, a beta function."""
    spring = NonlinearSpring.odd(name="s", direction=[1.0], coefficients=(0.0, 0.0, 1.0))
    reach = (1.5) ** (1 / 3)
    half = math.sqrt(6 / reach) * math.sqrt(math.pi) * math.gamma(4 / 3) / math.gamma(5 / 6)
    problem = build.mass(initial_velocity=[1.0], end=3 * half, devices=(spring,))
    r = march(problem, scheme, 2e-3)
    assert float(np.interp(2 * half, r.time, r.displacement[:, 0])) == pytest.approx(0.0, abs=2e-5)


@each_scheme
def test_energy_is_conserved(scheme, build, march):
    """v²/2 + x⁴/4 returns at the turning points, to the order of the scheme."""
    period = 4 * float(ellipk(0.5))
    problem = build.mass(initial_displacement=[1.0], end=5 * period, devices=(cubic(),))
    r = march(problem, scheme, period / 500)
    assert np.abs(r.displacement).max() == pytest.approx(1.0, abs=2e-4)
    assert np.abs(energy_residual(problem, r)).max() < 2e-3


def test_the_balance_needs_the_force(build):
    problem = build.mass(devices=(cubic(),))
    time = np.linspace(0, 1, 11)
    silent = Response(time, np.zeros((11, 1)), np.zeros((11, 1)))
    with pytest.raises(MissingHistory, match="no force of nonlinear-spring 'cubic'"):
        energy_residual(problem, silent)


def test_a_device_reports_force_and_elongation(build, run):
    spring = cubic(offset=0.5)
    own = run(build.mass(initial_velocity=[1.0], devices=(spring,)), "devogelaere", 0.01).elements["cubic"]
    assert own.keys() == {"force", "elongation"}
    assert own["elongation"][0] == 0.5
    np.testing.assert_allclose(own["force"], own["elongation"] ** 3, rtol=1e-13)


def test_extremes_over_all_steps(build, run):
    problem = build.mass(initial_velocity=[1.0], end=4.0, devices=(cubic(),))
    r = run(problem, "devogelaere", 0.01, quantities=True)
    histories, own = r.elements["cubic"], r.quantities["cubic"]
    assert own["largest_force"] == histories["force"].max()
    assert own["least_elongation"] == histories["elongation"].min()
    assert own["impulse"] == pytest.approx(1.0 - r.velocity[-1, 0], abs=1e-4)


def test_an_absolute_device_sees_the_support(build, run):
    base = SupportMotion.from_acceleration("base", [1.0], polynomial(2.0))
    for frame, moved in (("relative", 0.0), ("absolute", 1.0)):
        problem = build.mass(supports=(base,), devices=(cubic(frame=frame),))
        r = run(problem, "devogelaere", 0.01)
        seen = r.elements["cubic"]["elongation"]
        np.testing.assert_allclose(seen, r.displacement[:, 0] + moved * r.time**2, atol=1e-14)
    assert "absolute-frame" in problem.needs


def test_devices_act_beside_stops_whichever_way_forces_are_collected(build, run):
    """Nine rows are projected together, one alone: the same motion."""
    wall = Stop("wall", [1.0], 0.3, 50.0)
    far = tuple(Stop(f"far {i}", [1.0], 100.0, 1.0) for i in range(8))
    problem = build.mass(initial_velocity=[1.0], end=3.0, stops=(wall,), devices=(cubic(offset=0.2),))
    few, many = (run(p, "devogelaere", 0.01) for p in (problem, replace(problem, stops=(wall, *far))))
    np.testing.assert_allclose(many.displacement, few.displacement, atol=1e-13)
    np.testing.assert_allclose(many.elements["cubic"]["force"], few.elements["cubic"]["force"], atol=1e-13)


def test_a_spring_between_two_masses_moves_both(build, run):
    problem = build.chain(2, left=False, stiffness=np.zeros((2, 2)), initial_velocity=[1.0, -1.0], end=5.0)
    r = run(replace(problem, devices=(cubic(direction=[1.0, -1.0]),)), "devogelaere", 0.01)
    np.testing.assert_allclose(r.displacement.sum(axis=1), 0.0, atol=1e-13)
    assert np.ptp(r.displacement[:, 0]) > 1.0


def test_modal_and_larger_coordinates_keep_the_device(build, run):
    problem = build.chain(2, initial_velocity=[1.0, 0.0], end=3.0, devices=(cubic(direction=[1.0, 0.5]),))
    modes = modal_basis(problem)
    by_modes = replace(problem, mass=None, stiffness=None, damping=None, modes=modes)
    expected = run(problem, "devogelaere", 0.01)
    for other in (by_modes, in_modal_coordinates(by_modes), with_coordinates(problem, 1)):
        seen = run(other, "devogelaere", 0.01).elements["cubic"]["force"]
        np.testing.assert_allclose(seen, expected.elements["cubic"]["force"], atol=1e-12)


def test_a_problem_with_devices_survives_json(build):
    problem = build.mass(devices=(cubic(frame="absolute", offset=0.1), cubic(name="other", breaks=(0.5,))))
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert [d["type"] for d in json.loads(problem.to_json())["devices"]] == ["nonlinear-spring"] * 2
    assert "device:nonlinear-spring" in again.needs
    assert {e.name for e in again.elements} == {"cubic", "other"}


def test_older_files_have_no_devices(build):
    document = json.loads(build.mass().to_json())
    del document["devices"]
    assert problem_from_json(json.dumps(document)).devices == ()


def test_the_exact_solver_takes_no_nonlinear_spring(build):
    assert build.mass(devices=(cubic(),)).needs - EXACT.capabilities == {"device:nonlinear-spring"}
    assert build.mass(devices=(cubic(),)).needs <= SOLVER.capabilities
    with pytest.raises(NotImplementedError, match="'cubic': of devices only piecewise linear dampers are treated"):
        EXACT.solve(build.mass(devices=(cubic(),)), {})


WRONG = {
    "breaks that fall": ({"breaks": (1.0, 0.0), "coefficients": ((0.0,),) * 3}, "breaks must be"),
    "no breaks": ({"breaks": (), "coefficients": ((0.0,),)}, "breaks must be"),
    "a row too few": ({"coefficients": ((0.0,),)}, "need 2 rows"),
    "an empty row": ({"coefficients": ((), (0.0,))}, "none of them empty"),
    "a number that is none": ({"coefficients": ((math.nan,), (0.0,))}, "coefficients[0]"),
    "an unknown frame": ({"frame": "fixed"}, "frame 'fixed'"),
    "an infinite offset": ({"offset": math.inf}, "offset"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_springs_are_refused(name, refused):
    changes, culprit = WRONG[name]
    with refused(ProblemError, "cubic", culprit):
        cubic(**changes)


def test_wrong_problems_are_refused(build, refused):
    with refused(ProblemError, "device 'cubic'", "2 components"):
        build.mass(devices=(cubic(direction=[1.0, 0.0]),))
    with refused(ProblemError, "different names"):
        build.mass(devices=(cubic(), cubic()))
    document = json.loads(build.mass(devices=(cubic(),)).to_json())
    for change, culprit in (({"type": "rubber"}, "unknown device type 'rubber'"), ({"colour": 1}, "malformed")):
        changed = {**document, "devices": [{**document["devices"][0], **change}]}
        with refused(ProblemError, culprit):
            problem_from_json(json.dumps(changed))


def test_the_step_rule_counts_a_device(build, refused):
    stiff = NonlinearSpring.odd(name="stiff", direction=[1.0], coefficients=(0.0, 1e6))
    with refused(StepError, "stiffness 1e+06 N/m of 'stiff'"):
        SOLVER.solve(build.oscillator(devices=(stiff,)), {"scheme": "devogelaere", "step": 1e-2})


@dataclass(frozen=True, eq=False, kw_only=True)
class Remembering(NonlinearSpring):
    """A spring that remembers where it started."""

    def memory(self, t, u):
        return t, u


def test_a_device_starts_with_its_own_memory(build):
    """After the memory of the contacts; the elongation that it is told holds offset and moved support."""
    base = SupportMotion("base", [1.0], *(Harmonic(1.0, 1.0, math.pi / 2, order) for order in (2, 1, 0)))
    spring = Remembering(**{**vars(cubic()), "offset": 0.25, "frame": "absolute"})
    wall = Stop("wall", [1.0], 5.0, 1.0)
    problem = build.oscillator(start=-0.5, supports=(base,), stops=(wall,), devices=(spring,))
    system = system_arrays(problem, modal_basis(problem))
    storage = Storage(10, IntegrationJob(system, np.ones(1), np.zeros(1), -0.5, 1.0, 0.1))
    storage.state[:] = 7.0
    storage.restart()
    assert not storage.state[0].any()
    np.testing.assert_allclose(storage.state[1, :3], [-0.5, 1.25 + math.cos(0.5), 0.0])


def test_a_truncated_basis_takes_a_device(build, run):
    """One mode of two: the device pushes on what the mode moves."""
    one = Modes(omega=[1.0], damping=[0.0], masses=[1.0], shapes=[[1.0], [2.0]])
    problem = build.chain(2, mass=None, stiffness=None, damping=None, modes=one, initial_displacement=[0.5, 1.0])
    r = run(replace(problem, devices=(cubic(direction=[0.0, 1.0]),)), "devogelaere", 0.01)
    np.testing.assert_allclose(r.elements["cubic"]["elongation"], r.displacement[:, 1])
