"""Dampers: laws of the rate, in the schemes, the exact solver and as an initial value problem."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.devices import NonlinearDamper
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.solver.contract.errors import StepError
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

VALVES = NonlinearDamper.table(
    name="valves", direction=[1.0, -1.0], points=((-1.0, -3.0), (-0.5, -1.8), (0.0, 0.0), (0.3, 0.5), (1.0, 0.3))
)
DRAG = NonlinearDamper.odd(name="drag", direction=[1.0, -1.0], coefficients=(0.0, 0.1, 0.8))
ORDERS = {name: 1 if s.claims.get("force_lag") or s.claims.get("lag") else s.order for name, s in SCHEMES.items()}


def pair(build, *devices, **changes):
    start = {"initial_displacement": [0.3, -0.2], "initial_velocity": [1.0, 0.5]}
    return build.chain(2, **{"devices": devices, **start, "end": 1.0, **changes})


def test_the_law_is_that_of_the_polynomials():
    assert VALVES.force([-2.0, -1.0, -0.75, 0.0, 0.15, 1.7]) == pytest.approx([-5.4, -3.0, -2.4, 0.0, 0.25, 0.1])
    assert DRAG.force([-2.0, 3.0]) == pytest.approx([-0.2 - 3.2, 0.3 + 7.2])
    assert VALVES.is_piecewise_linear
    assert not DRAG.is_piecewise_linear


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"breaks": (0.0,), "coefficients": ((-1.0, 1.0), (1.0, 1.0))}, "jumps from -1 N to 1 N at the rate 0 m/s"),
        ({"breaks": (1.0, 0.0), "coefficients": ((0.0,),) * 3}, "increasing rates"),
        ({"breaks": (0.0,), "coefficients": ((0.0,),)}, "1 breaks need 2 rows"),
    ],
)
def test_laws_that_are_refused(changes, words):
    with pytest.raises(ProblemError, match=words):
        NonlinearDamper(name="d", direction=[1.0], **changes)


@pytest.mark.parametrize("points", [((0.0, 0.0),), ((1.0, 0.0), (0.0, 1.0)), ((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))])
def test_tables_that_are_refused(points):
    with pytest.raises(ProblemError, match="rate"):
        NonlinearDamper.table(name="d", direction=[1.0], points=points)


def test_file_and_needs(build):
    problem = pair(build, VALVES, DRAG)
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert again.needs >= {"device:nonlinear-damper", "device:piecewise-linear-damper"}
    assert problem.needs - EXACT.capabilities == {"device:nonlinear-damper"}


@pytest.mark.parametrize("scheme", FAMILIES)
def test_order_under_a_smooth_law(scheme, build, march):
    """The exact solver knows a linear one; the others see the velocity of now, or claim order 1."""
    linear = NonlinearDamper.table(name="d", direction=[1.0, -1.0], points=((0.0, 0.0), (1.0, 0.7)))
    problem = pair(build, linear)
    true = EXACT.solve(problem, {}).displacement[-1]
    errors = [np.abs(march(problem, scheme, 2.0**-5 / 2**k).displacement[-1] - true).max() for k in range(3)]
    assert -np.polyfit(range(3), np.log2(errors), 1)[0] == pytest.approx(ORDERS[scheme], abs=0.35)


def test_the_exact_solver_passes_from_line_to_line(build):
    """Events are where the rate is that of a bend; the case valve_damper has the proof."""
    problem = pair(build, VALVES)
    found = EXACT.solve(problem, {})
    along = VALVES.direction
    assert found.events["valves"].size == 2
    for t, v in zip(found.time, found.velocity, strict=True):
        if t in found.events["valves"]:
            assert np.abs(np.array(VALVES.breaks) - along @ v).min() < 1e-13


@pytest.mark.all_schemes
def test_event_driven_integrators_take_lines_and_curves(build):
    solver = load_solver("scipy")
    for device in (VALVES, DRAG):
        problem = pair(build, device, stops=(Stop("wall", [1.0, 0.0], 0.31, 200.0),))
        found = solver.solve(problem, {"scheme": "DOP853"})
        fine = SOLVER.solve(
            problem, {"scheme": "runge_kutta_54", "step": 2e-4, **SCHEMES["runge_kutta_54"].constant_step}
        )
        assert found.displacement[-1] == pytest.approx(fine.displacement[-1], abs=1e-7)
        own = found.elements[device.name]
        assert own["rate"] == pytest.approx(found.velocity @ device.direction, abs=1e-12)
        assert own["force"] == pytest.approx(device.force(own["rate"]), abs=1e-12)
        assert {name: times.size > 0 for name, times in found.events.items()} == {"wall": True, device.name: True}


def test_curves_beside_set_valued_friction_are_refused_in_a_line(build):
    problem = pair(build, DRAG, frictions=(Friction("pad", ([1.0, 0.0],), 1.0, 0.3, 0.3),))
    with pytest.raises(NotImplementedError, match="'pad'"):
        load_solver("scipy").solve(problem, {"scheme": "DOP853"})
    with pytest.raises(NotImplementedError, match="'drag'"):
        EXACT.solve(problem, {})


def test_sticking_beside_a_damper_with_valves(build):
    """What sticks does not move the damper, and slips on when the other mass pulls."""
    pad = Friction("pad", ([1.0, 0.0],), 2.0, 0.5, 0.4)
    problem = pair(build, VALVES, frictions=(pad,), end=4.0)
    exact, by_events = EXACT.solve(problem, {}), load_solver("scipy").solve(problem, {"scheme": "DOP853"})
    assert exact.elements["pad"]["stuck"].any()
    assert exact.displacement[-1] == pytest.approx(by_events.displacement[-1], abs=1e-9)


def test_the_step_rule_sees_a_damper(build):
    stiff = NonlinearDamper.table(name="stiff", direction=[1.0, 0.0], points=((0.0, 0.0), (1.0, 4000.0)))
    with pytest.raises(StepError, match="'stiff'"):
        SOLVER.solve(pair(build, stiff), {"scheme": "symplectic_euler", "step": 1e-2})


def test_pieces_are_modes_of_the_initial_value_problem(build):
    written = as_initial_value(pair(build, VALVES))
    assert [mode.name for mode in written.modes] == [f"valves_{i}" for i in range(6)]
    assert written.mode == "valves_4"
