"""Initial value problems from event to event, by every integrator that is installed."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import default_settings, read_levels
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.responses import read_response
from veridyn.validation_cases.judgement.catalogue import load_case

BALL = InitialValueProblem(
    name="ball",
    states=("y", "v"),
    parameters={"e": "0.5"},
    modes=(
        Mode(
            name="flight",
            rates=("v", "-2"),
            events=(Change(name="impact", guard="y", direction=-1, reset={"v": "-e*v"}),),
        ),
        Mode(name="rest", rates=("0", "0")),
    ),
    initial=("1", "0"),
    end=4.0,
    output_times=np.linspace(0.0, 4.0, 41),
    accumulation=Accumulation(event="impact", mode="rest", reset={"y": "0", "v": "0"}),
)
SWING = InitialValueProblem(
    name="swing",
    states=("x", "v"),
    modes=(Mode(name="swings", rates=("v", "-x"), events=(Change(name="pass", guard="x", direction=0),)),),
    initial=("0", "1"),
    end=10.0,
    output_times=np.linspace(0.0, 10.0, 101),
)
BELT = InitialValueProblem(  # released where the spring overcomes static friction, caught at the speed of the belt
    name="belt",
    states=("x", "v"),
    parameters={"b": "0.2"},
    modes=(
        Mode(
            name="stick",
            rates=("b", "0"),
            events=(Change(name="slips", guard="x - 1.5", direction=1, reset={"x": "1.5"}, mode="slip"),),
        ),
        Mode(
            name="slip",
            rates=("v", "1 - x"),
            events=(Change(name="sticks", guard="v - b", direction=1, reset={"v": "b"}, mode="stick"),),
        ),
    ),
    initial=("1.5", "b"),
    mode="slip",
    end=30.0,
    output_times=np.linspace(0.0, 30.0, 301),
)


@pytest.fixture(
    params=[
        ("scipy", "DOP853"),
        ("scipy", "LSODA"),
        ("scipy", "BDF"),
        ("sundials", "BDF"),
        ("heyoka", "Taylor"),
        ("casadi", "erk"),
        ("casadi", "rosenbrock"),
        ("diffrax", "Tsit5"),
    ],
    ids="-".join,
)
def solve(request):
    name, scheme = request.param
    solver = (
        SCIPY
        if name == "scipy"
        else (pytest.importorskip({"sundials": "sksundae"}.get(name, name)), load_solver(name))[1]
    )
    return lambda problem: read_response(
        problem, solver.solve(problem, {"scheme": scheme, **default_settings(LocalGate(solver), problem, scheme)}), name
    )


def test_accumulating_impacts_end_in_the_rest_that_the_problem_states(solve):
    found = solve(BALL)
    n = np.arange(10)
    np.testing.assert_allclose(found.events["impact"][:10], 1 + 2 * (1 - 0.5**n), atol=1e-6)
    assert found.modes[-1] == "rest"
    np.testing.assert_array_equal(found.states[-1], [0.0, 0.0])
    np.testing.assert_allclose(found.before["impact"][0], [0.0, -2.0], atol=1e-7)


def test_accumulation_that_is_not_stated_is_a_failure():
    with pytest.raises(SolverFailure, match="at t = 3"):
        SCIPY.solve(replace(BALL, accumulation=None), {"scheme": "RK45", "most_events": 500})


def test_markers_change_nothing_and_none_is_at_the_start(solve):
    found = solve(SWING)
    np.testing.assert_allclose(found.events["pass"], np.pi * np.arange(1, 4), atol=1e-6)
    np.testing.assert_allclose(found.states[:, 0], np.sin(found.time), atol=1e-6)


@pytest.mark.parametrize("sides", [(1, -1), (-1, 1)])
def test_two_markers_of_one_guard_take_turns(solve, sides):
    """Where the one happens the other may happen again: neither may hide the other."""
    changes = tuple(Change(name={1: "up", -1: "down"}[side], guard="x", direction=side) for side in sides)
    r = solve(replace(SWING, modes=(replace(SWING.modes[0], events=changes),)))
    np.testing.assert_allclose(r.events["down"], [np.pi, 3 * np.pi], atol=1e-6)
    np.testing.assert_allclose(r.events["up"], [2 * np.pi], atol=1e-6)


def test_markers_at_one_instant_all_happen(solve):
    guards = {"one": "x", "other": "2*x", "third": "x*(3 + v)"}
    changes = tuple(Change(name=name, guard=guard, direction=-1) for name, guard in guards.items())
    r = solve(replace(SWING, modes=(replace(SWING.modes[0], events=changes),)))
    for name in guards:
        np.testing.assert_allclose(r.events[name], [np.pi, 3 * np.pi], atol=1e-6)


def test_a_power_of_what_is_zero_has_a_series(solve):
    still = Mode(name="pair", rates=("v", "-x - (x - y)**3", "w", "-y + (x - y)**3"))
    pair = InitialValueProblem(
        name="pair", states=("x", "v", "y", "w"), modes=(still,), initial=(1, 0, 1, 0), end=1.0, output_times=(0.0, 1.0)
    )
    np.testing.assert_allclose(solve(pair).states[-1, ::2], np.cos(1.0), atol=1e-6)


def test_stick_and_slip_follow_each_other(solve):
    found = solve(BELT)
    slip = 2 * (np.pi - np.arctan(0.5 / 0.2))
    cycle = slip + 2 * 0.5 / 0.2
    np.testing.assert_allclose(found.events["slips"], cycle * np.arange(1, 4), atol=1e-6)
    np.testing.assert_allclose(found.events["sticks"], slip + cycle * np.arange(len(found.events["sticks"])), atol=1e-6)


def test_a_guard_past_zero_where_its_mode_begins_has_to_pass_again(solve):
    """As docs/command-protocol.md says: an event is a change of sign."""
    turn = Change(name="turn", guard="x - 1", direction=1, reset={"v": "0"}, mode="swing")
    back = Change(name="back", guard="x - 1/2", direction=1, terminal=True)
    past = replace(
        SWING,
        mode="rises",
        modes=(
            Mode(name="rises", rates=("1", "0"), events=(turn,)),
            Mode(name="swing", rates=("v", "-x"), events=(back,)),
        ),
        initial=("0", "0"),
    )
    found = solve(past)
    np.testing.assert_allclose(found.events["turn"], [1.0], atol=1e-9)
    np.testing.assert_allclose(found.events["back"], [1 + 5 * np.pi / 3], atol=1e-6)


def test_a_release_that_rounding_begins_backwards_goes_on():
    """At the release of stick the acceleration is zero but for rounding: no stop follows at once."""
    pytest.importorskip("heyoka")
    case = load_case("den_hartog")
    problem = case.problem(case.values(case.variant("short_stick").changes))
    found = load_solver("heyoka").solve(problem, {"most_events": 50})
    assert {name: times.size for name, times in found.events.items()} == {
        "release_left": 3,
        "release_right": 2,
        "stop": 4,
    }


def test_a_terminal_event_ends_the_motion(solve):
    (mode,) = SWING.modes
    ended = Change(name="top", guard="v", direction=-1, terminal=True)
    found = solve(replace(SWING, modes=(replace(mode, events=(ended,)),)))
    assert found.time[-1] == pytest.approx(np.pi / 2, abs=1e-6)


def test_events_within_one_output_step_are_not_jumped_over():
    """A guard that dips below zero for a hundredth of the period."""
    (mode,) = SWING.modes
    grazing = Change(name="graze", guard="0.9995 - x", direction=-1)
    found = SCIPY.solve(replace(SWING, modes=(replace(mode, events=(grazing,)),)), {"scheme": "DOP853"})
    np.testing.assert_allclose(found.events["graze"], np.arcsin(0.9995) + 2 * np.pi * np.arange(2), atol=1e-7)


def test_a_reset_out_of_its_domain_is_named(solve):
    out = Change(name="out", guard="x - 1/2", direction=1, reset={"v": "sqrt(x - 1)"})
    with pytest.raises(SolverFailure) as caught:
        solve(replace(SWING, modes=(replace(SWING.modes[0], events=(out,)),)))
    assert "swing: event out at t = 0.523598" in str(caught.value)
    assert "resets v to sqrt(x - 1), which has no value there" in str(caught.value)


def test_modes_that_send_each_other_back_are_a_failure():
    here = Change(name="here", guard="x", direction=-1, mode="b")
    there = Change(name="there", guard="-x", direction=1, mode="a")
    modes = (Mode(name="a", rates=("-1",), events=(here,)), Mode(name="b", rates=("-1",), events=(there,)))
    circle = InitialValueProblem(name="circle", states=("x",), modes=modes, initial=("1",), end=2.0)
    with pytest.raises(SolverFailure, match="do not lead on"):
        SCIPY.solve(circle, {})


def test_a_mass_matrix_moves_the_states():
    heavy = replace(SWING, mass=(("1", "0"), ("0", "4 + 0*x")), modes=(Mode(name="swings", rates=("v", "-x")),))
    for scheme in ("DOP853", "Radau"):
        found = read_response(heavy, SCIPY.solve(heavy, {"scheme": scheme}), "scipy")
        np.testing.assert_allclose(found.states[:, 0], 2 * np.sin(found.time / 2), atol=1e-7)


def test_a_method_of_low_order_is_asked_for_fewer_digits_by_itself():
    sizes = {scheme: read_levels(LocalGate(SCIPY), SWING, scheme).sizes[-1] for scheme in SCIPY.schemes}
    assert sizes == {**dict.fromkeys(SCIPY.schemes, 1e-10), "LSODA": 1e-11, "RK23": 1e-6}
    found = read_response(
        SWING, SCIPY.solve(SWING, {"scheme": "RK23", **default_settings(LocalGate(SCIPY), SWING, "RK23")}), "scipy"
    )
    np.testing.assert_allclose(found.events["pass"], np.pi * np.arange(1, 4), atol=1e-4)
    by_itself = read_response(SWING, SCIPY.solve(SWING, {"scheme": "RK23"}), "scipy")
    np.testing.assert_array_equal(by_itself.states, found.states)


def test_constraints_are_not_for_integrators_of_ordinary_equations():
    dae = InitialValueProblem(
        name="dae", states=("x",), multipliers=("z",), modes=(Mode(name="m", rates=("z",)),),
        initial=("1", "-1"), constraints=("z + x",), index=1, end=1.0,
    )  # fmt: skip
    with pytest.raises(NotImplementedError, match="algebraic constraints"):
        SCIPY.solve(dae, {})


def test_opposite_turns_from_rest_alternate(solve):
    """Both are at zero at the start; where the one may happen again, the other happens."""
    turns = (Change(name="top", guard="v", direction=-1), Change(name="bottom", guard="v", direction=1))
    found = solve(replace(SWING, modes=(Mode(name="swings", rates=("v", "-x"), events=turns),), initial=("1", "0")))
    np.testing.assert_allclose(found.events["bottom"], np.pi * np.array([1, 3]), atol=1e-5)
    np.testing.assert_allclose(found.events["top"], [2 * np.pi], atol=1e-5)


def test_rounding_where_no_event_was_is_none():
    """Rosenbrock's method of CasADi leaves 1e-38 where it kept the number of an event: 0, none."""
    pytest.importorskip("casadi")
    case = load_case("toda")
    found = load_solver("casadi").solve(case.problem(case.values()), {"scheme": "rosenbrock", "rtol": 1e-8})
    assert found.events["crest"] == pytest.approx([8.14102036], abs=1e-6)
