"""The exact solver: roots that are proven, series without remainder, events to the last bits."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, Piecewise, polynomial, pulse
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.exact.solver import SOLVER, ExactComputation
from veridyn.solver.exact.transitions import EventState
from veridyn.solver.integrators.kernels import roots
from veridyn.solver.integrators.kernels.roots import MOST_AHEAD
from veridyn.solver.integrators.kernels.series import ORDER
from veridyn.solver.integrators.modal import SOLVER as OWN
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.mechanics.sdnd104.statement import CHANGES

from .conftest import entry

bernstein = entry(roots.bernstein)
first_root = entry(roots.first_root)
falls = entry(roots.falls)

examples = settings(deadline=None, max_examples=200, derandomize=True)
ONE = np.ones(1)


def problem(**changes):
    n = len(changes.get("initial_displacement", [0.0]))
    given_ = {"name": "test", "mass": np.eye(n), "initial_displacement": np.zeros(n), "initial_velocity": np.zeros(n)}
    return MechanicalProblem(**{**given_, "end": 1.0, **changes})


def test_polynomials_of_different_degrees_on_different_segments():
    loads = (
        Load(ONE, Piecewise(("0", "1"), (("1",), ("1", "0", "0", "2")))),
        Load(ONE, Piecewise(("0", "1.5"), (("0", "3"), ("5",)))),
    )
    r = SOLVER.solve(problem(mass=2 * np.eye(1), loads=loads, end=3.0, output_times=np.linspace(0, 3, 31)), {})
    t = r.time
    late, later = np.maximum(t - 1, 0), np.maximum(t - 1.5, 0)
    first = t**2 / 2 + 2 * late**5 / 20
    ramp = np.where(t < 1.5, t**3 / 2, 1.5**3 / 2 + 1.5 * 1.5**2 * later + 5 * later**2 / 2)
    np.testing.assert_allclose(r.displacement[:, 0], (first + ramp) / 2, rtol=1e-13, atol=1e-15)


def root(polynomial_, width):
    coefficients, intervals = np.zeros(ORDER + 1), np.empty((MOST_AHEAD, ORDER + 1))
    coefficients[: polynomial_.coef.size] = polynomial_.coef * width ** np.arange(polynomial_.coef.size)
    bernstein(coefficients, intervals[0])
    found = first_root(coefficients, 1.0, *falls(intervals[0]), intervals, np.empty(MOST_AHEAD))
    return found if found < 0 else found * width


roots = st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=7)


@examples
@given(roots)
def test_first_root_is_found_and_none_is_invented(given_roots):
    inside = sorted(r for r in given_roots if r > 0)
    assume(all(abs(r) > 1e-3 and abs(r - 2.0) > 1e-3 for r in given_roots))
    assume(all(b - a > 1e-3 for a, b in pairwise(inside)))
    p = np.polynomial.Polynomial.fromroots(given_roots)
    p = p if p(0.0) > 0 else -p
    first = next((r for r in inside if r < 2.0), None)
    found = root(p, 2.0)
    assert found == pytest.approx(-1.0 if first is None else first, abs=1e-9)


def test_close_pair_of_roots_is_not_passed_over():
    p = np.polynomial.Polynomial.fromroots([0.7, 0.7 + 1e-6, 5.0]) * -1
    assert root(p, 2.0) == pytest.approx(0.7, abs=1e-9)


@pytest.mark.parametrize("lift", [1e-9, 1e-14])
def test_dip_that_stays_above_zero_is_no_root(lift):
    assert root(np.polynomial.Polynomial([0.49 + lift, -1.4, 1.0]), 2.0) == -1.0


@pytest.mark.parametrize("depth", [1e-6, 1e-10, 1e-14])
def test_dip_just_below_zero_is_found(depth):
    assert root(np.polynomial.Polynomial([0.25 - depth, -1.0, 1.0]), 2.0) == pytest.approx(0.5 - depth**0.5, abs=1e-8)


def test_root_at_the_very_end():
    assert root(np.polynomial.Polynomial([2.0, -1.0]), 2.0) == 2.0


@pytest.mark.parametrize("damping", [0.0, 0.4, 30.0])
def test_free_vibration_is_exact(damping):
    """Against the exponential of the system, over hundreds of steps of the series."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=(3, 3))
    mass, stiffness = a @ a.T + np.eye(3), 50 * np.diag([1.0, 2.0, 5.0]) + 10
    x, v = rng.normal(size=3), rng.normal(size=3)
    c = damping * mass
    r = SOLVER.solve(
        problem(mass=mass, stiffness=stiffness, damping=c, initial_displacement=x, initial_velocity=v, end=20.0),
        {},
    )
    inverse = np.linalg.inv(mass)
    system = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ stiffness, -inverse @ c]])
    expected = np.concatenate((x, v)) @ expm(20.0 * system).T
    np.testing.assert_allclose(np.concatenate((r.displacement[-1], r.velocity[-1])), expected, atol=2e-12)


def test_loads_are_exact():
    """A free mass under t³, a pulse and a sine."""
    loads = (
        Load(ONE, polynomial(0.0, 0.0, 0.0, 1.0)),
        Load(ONE, pulse(2.0, 0.25, 0.5)),
        Load(3 * ONE, Harmonic(2.0, 5.0, 0.3)),
    )
    r = SOLVER.solve(problem(loads=loads), {})
    sine = 6 * (math.sin(0.3) - math.sin(5.3)) / 25 + 6 * math.cos(0.3) / 5
    assert r.displacement[-1, 0] == pytest.approx(1 / 20 + 2 * (0.75**2 - 0.5**2) / 2 + sine, rel=1e-14)


def test_ten_thousand_impacts_keep_count_time_and_energy():
    stops = (Stop("right", ONE, 0.5, 1e4), Stop("left", -ONE, 0.5, 1e4))
    cycle, count = 1.0 + math.pi / 100, 10_000
    motion = ExactComputation(problem(stops=stops, initial_velocity=[1.0], end=0.25 + count * cycle)).run(np.empty(0))
    assert motion.rows.times.size == 1 + 2 * count
    closings = motion.rows.times[1::2]
    np.testing.assert_allclose(closings, 0.5 + cycle * np.arange(count), rtol=2 * count * 2.0**-53)
    np.testing.assert_allclose(np.abs(motion.rows.states[1:, 1]), 1.0, rtol=1e-11)


@pytest.mark.parametrize("a0", ["15", "1.5", "1.01"])
def test_phase_changes_of_the_sliding_block(a0):
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(a0, "2*pi"))
    friction = Friction("shoe", (ONE,), 1.0, 1.0, 1.0)
    motion = ExactComputation(problem(supports=(shake,), frictions=(friction,), end=12.0)).run(np.empty(0))
    truth = CHANGES(a0=a0, mu=1, g=1, m=1, omega="2*pi", t_start=0, t_end=12)
    times = [float(event.time) for event in truth if float(event.time) > 0]
    np.testing.assert_allclose(motion.rows.times[1:], times, rtol=1e-13)


@pytest.mark.parametrize(
    ("outputs", "times"),
    [
        ((0.25, 0.4995, 0.5005, 0.75), [0.0, 0.25, 0.5, 0.75]),
        ((0.25, 0.4995), [0.0, 0.25, 0.4995, 0.5]),
        ((0.25, 0.5005), [0.0, 0.25, 0.5, 0.5005]),
        ((0.25, 0.5), [0.0, 0.25, 0.5]),
    ],
)
def test_outputs_next_to_an_event_are_left_out_but_the_last(outputs, times):
    prepared = ExactComputation(problem(stops=(Stop("stop", ONE, 0.5, 1.0),), initial_velocity=[1.0]))
    motion = prepared.run(np.array(outputs), near=1e-3)
    assert motion.rows.times == pytest.approx(times, rel=1e-12)
    assert motion.begins.tolist() == [t in (0.0, 0.5) for t in times]


def test_equal_runs_give_equal_bits():
    stop = Stop("stop", ONE, 0.1, 1e3)
    prepared = ExactComputation(problem(stiffness=np.eye(1), stops=(stop,), initial_velocity=[1.0], end=50.0))
    first, second = prepared.run(np.empty(0)), prepared.run(np.empty(0))
    assert np.array_equal(first.rows.times, second.rows.times)
    assert np.array_equal(first.rows.states, second.rows.states)


WEIGHT = (Load(ONE, polynomial(9.81)),)


@pytest.mark.parametrize(("stiffness", "damping"), [(1e12, 0.0), (1e12, 1e3), (1e6, 1e6)])
def test_a_body_at_rest_on_a_stop_costs_nothing(stiffness, damping):
    floor = Stop("floor", ONE, 0.0, stiffness, damping)
    sinking = 9.81 / stiffness
    p = problem(stops=(floor,), loads=WEIGHT, initial_displacement=[sinking], end=10.0)
    r = SOLVER.solve(p, {})
    assert r.counters["steps"] < 1000
    np.testing.assert_allclose(r.displacement[:, 0], sinking, rtol=1e-13)


def test_a_body_that_comes_to_rest_costs_no_more():
    floor = Stop("floor", ONE, 0.0, 1e8, 2e4)
    p = problem(stops=(floor,), loads=WEIGHT, initial_velocity=[1.0], end=1000.0)
    r = SOLVER.solve(p, {})
    assert r.counters["steps"] < 2000
    assert r.displacement[-1, 0] == pytest.approx(9.81e-8, rel=1e-12)


@pytest.mark.parametrize("changes", [{"stiffness": [[-1.0]]}, {"loads": (Load(ONE, Harmonic(1e-6, 1.0)),)}])
def test_what_looks_like_rest_goes_on_where_it_should(changes):
    """An unstable balance that is left, and a small drive, beside a body at rest on a hard stop."""
    both = {name: np.diag([value[0][0], 0.0]) for name, value in changes.items() if name != "loads"}
    loads = tuple(Load(np.eye(2)[0], load.function) for load in changes.get("loads", ()))
    weight = (Load(np.eye(2)[1], polynomial(9.81)),)
    floor = Stop("floor", np.eye(2)[1], 0.0, 1e8)
    p = problem(initial_displacement=[1e-12, 9.81e-8], stops=(floor,), **both, loads=weight + loads, end=3.0)
    r = SOLVER.solve(p, {})
    truth = 1e-12 * np.cosh(r.time) if both else 1e-12 + 1e-6 * (r.time - np.sin(r.time))
    np.testing.assert_allclose(r.displacement[:, 0], truth, rtol=1e-9)


def test_more_modes_than_the_first_tables_hold():
    """Three stops and two frictions, shaken: more than eight modes are met."""
    k = 20 * np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    rows = np.eye(3)
    p = problem(
        stiffness=k,
        initial_displacement=np.zeros(3),
        initial_velocity=[1.0, -1.0, 2.0],
        stops=tuple(Stop(f"stop{i}", row, 0.05 + 0.02 * i, 5e3) for i, row in enumerate(rows)),
        frictions=tuple(Friction(f"rub{i}", (rows[i],), 0.3, 1.2, 1.0) for i in range(2)),
        loads=(Load(rows[2], Harmonic(8.0, 4.0)),),
        end=8.0,
    )
    prepared = ExactComputation(p)
    motion = prepared.run(np.empty(0))
    assert len(prepared.tables.flows) > 8
    assert np.all(np.diff(motion.rows.times) > 0)
    assert np.unique(motion.modes).size == len(np.unique(motion.modes))


def test_both_masses_meet_their_stops_at_one_instant():
    rows = np.eye(2)
    stops = tuple(Stop(f"stop{i}", row, 0.5, 1e4) for i, row in enumerate(rows))
    p = problem(initial_displacement=[0.0, 0.0], initial_velocity=[1.0, 1.0], stops=stops)
    r = SOLVER.solve(p, {})
    for stop in stops:
        np.testing.assert_allclose(r.events[stop.name], [0.5, 0.5 + math.pi / 100], rtol=1e-13)
    np.testing.assert_allclose(r.velocity[-1], [-1.0, -1.0], rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_search_of_all_states_agrees_with_switching_one_by_one(seed):
    """Four coupled bodies at rest on dry ground, pulled: who slips, and which way, is unique."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(4, 4))
    rows = np.eye(4)
    p = problem(
        mass=a @ a.T + 0.3 * np.eye(4),
        initial_displacement=np.zeros(4),
        initial_velocity=np.zeros(4),
        frictions=tuple(
            Friction(f"rub{i}", (row,), "floor" if i == 3 else 1.0, 1.0, 1.0) for i, row in enumerate(rows)
        ),
        stops=(Stop("floor", rows[0], -1e-3, 1e3),),
        loads=(Load(2.5 * rng.normal(size=4), polynomial(0.0, 1.0)),),
        end=1e-9,
    )
    prepared = ExactComputation(p)
    motion = prepared.run(np.empty(0))
    settled = prepared.tables.arrays.states[motion.modes[0]]
    phase = prepared._phase(0.0, prepared.drives[0])
    searched = prepared.transitions.find(EventState(prepared.start, phase, prepared.first, -1))
    assert searched.states.tolist() == settled.tolist()
    assert not searched.ambiguous
    assert settled[0] == 1


def test_frictions_along_one_line_hold_and_drag_like_one():
    """Tangents of other lengths, and forces that differ: stick lasts until all of them give way together."""
    load = Load(ONE, Harmonic(5.0, 3.0))
    parts = (Friction("small", (ONE,), 0.5, 0.8, 0.5), Friction("large", (-2 * ONE,), 1.0, 0.8, 0.5))
    whole = (Friction("all", (ONE,), 2.5, 0.8, 0.5),)
    one, two = (SOLVER.solve(problem(frictions=f, loads=(load,), end=9.0), {}) for f in (whole, parts))
    np.testing.assert_allclose(two.displacement[-1], one.displacement[-1], rtol=1e-12)
    for name in ("small", "large"):
        np.testing.assert_allclose(two.events[name], one.events["all"], rtol=1e-12)


def shaken(a0, **friction):
    """The block of SDND104 over three periods."""
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(a0, "2*pi"))
    frictions = (Friction("shoe", (ONE,), 1.0, 1.0, 1.0, **friction),)
    return problem(supports=(shake,), frictions=frictions, end=3.0, output_times=np.linspace(0.0, 3.0, 301))


@pytest.mark.all_schemes
def test_penalised_friction_agrees_with_small_steps():
    """De Vogelaere's scheme has the same law, written apart: stick through a spring and a critical damper."""
    chosen = {"tangential_stiffness": 9e4}
    exact = SOLVER.solve(shaken(1.5), chosen)
    small = OWN.solve(shaken(1.5), {"scheme": "devogelaere", "step": 2e-5, "archive_every": 500, **chosen})
    assert exact.counters["events"] == 11
    np.testing.assert_allclose(small.displacement[-1], exact.displacement[-1], atol=1e-10)
    stuck = exact.elements["shoe"]["stuck"]
    assert set(stuck) == {0.0, 1.0}
    assert np.abs(exact.elements["shoe"]["sliding_velocity"][stuck == 1]).max() > 0  # an elastic stick creeps


@pytest.mark.parametrize(("mu", "g", "a0"), [("0.099", 10, "0.99"), ("0.2", 9.81, "1.962"), ("0.7", 9.81, "6.867")])
def test_a_shaking_that_touches_the_friction_cone_never_slips(mu, g, a0):
    """The guard falls to zero within rounding and rises again, once in every half period."""
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(a0, "2*pi"))
    friction = Friction("shoe", (ONE,), g, float(mu), float(mu))
    motion = ExactComputation(problem(supports=(shake,), frictions=(friction,), end=50.0)).run(np.empty(0))
    assert motion.rows.times.tolist() == [0.0]


@pytest.mark.parametrize("excess", [1e-6, 1e-8, 1e-10])
def test_a_shaking_that_barely_leaves_the_cone_slips_as_long_as_it_should(excess):
    """Where sin(ωt) = 1/(1 + excess) slip begins, and it lasts 1.5 times as long as the excess: the velocity is a
    cubic with a double root at its start.
    """
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(1 + excess, 1.0))
    friction = Friction("shoe", (ONE,), 1.0, 1.0, 1.0)
    motion = ExactComputation(problem(supports=(shake,), frictions=(friction,), end=4.0)).run(np.empty(0))
    before = math.acos(1 / (1 + excess))
    resolution = 1e-15 / before  # (s) an error of the guard over its slope
    np.testing.assert_allclose(
        motion.rows.times[1:] - math.pi / 2, [-before, 2 * before], rtol=excess, atol=4 * resolution
    )


def at(response, t):
    return value_at(response.time, response.displacement[:, 0], t)


def test_penalised_friction_tends_to_rigid_stick():
    """The difference falls like the elongation of the spring, mu N/k."""
    rigid = SOLVER.solve(shaken(1.5), {})
    late = rigid.time[-100:]
    errors = []
    for stiffness in (1e4, 1e6):
        soft = SOLVER.solve(shaken(1.5), {"tangential_stiffness": stiffness})
        errors.append(
            max(
                abs(value_at(soft.time, soft.displacement[:, 0], t) - value_at(rigid.time, rigid.displacement[:, 0], t))
                for t in late
            )
        )
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.5)


@pytest.mark.parametrize("law", [{}, {"law": "regularised", "stiffness": 1e4, "damping": 50.0}])
def test_friction_never_feeds_energy_and_stays_in_its_cone(law):
    p = problem(
        stiffness=[[50.0]],
        initial_displacement=[0.5],
        frictions=(Friction("rub", (ONE,), 2.0, 0.5, 0.4, **law),),
        end=6.0,
        output_times=np.linspace(0.0, 6.0, 3001),
    )
    r = SOLVER.solve(p, {})
    force, x, v = r.elements["rub"]["force"], r.displacement[:, 0], r.velocity[:, 0]
    assert np.abs(force).max() <= 0.5 * 2.0 * (1 + 1e-12)
    energy = 0.5 * v**2 + 25 * x**2
    assert np.all(energy <= energy[0] * (1 + 1e-12))
    assert law or np.all(np.diff(energy) < 1e-12)  # a spring of stick gives back what it has stored
    assert energy[-1] < 0.1 * energy[0]


def test_penalised_stick_under_a_stop_is_refused():
    """Where the force falls while the body turns, the law has no consistent state."""
    floor = Stop("floor", ONE, 0.1, 1e4)
    rub = Friction("rub", (ONE,), "floor", 0.3, 0.3, law="regularised", stiffness=1e4)
    with pytest.raises(NotImplementedError, match="'rub'"):
        SOLVER.solve(problem(stops=(floor,), frictions=(rub,)), {})


def test_endless_events_end_with_a_clear_failure():
    stops = (Stop("right", ONE, 1e-4, 1e8), Stop("left", -ONE, 1e-4, 1e8))
    with pytest.raises(SolverFailure, match=r"100 events.*most_events"):
        SOLVER.solve(problem(stops=stops, initial_velocity=[1.0]), {"most_events": 100})


def test_unknown_settings_are_refused():
    with pytest.raises(SettingsError, match=r"step.*most_events, most_impacts, tangential_stiffness"):
        SOLVER.solve(problem(), {"step": 1e-3})


def sliding(tangents, **changes):
    friction = Friction("rub", tuple(np.array(t) for t in tangents), 10.0, 0.1, 0.1, **changes)
    size = len(tangents[0])
    return problem(
        stiffness=1e4 * np.eye(size), initial_displacement=np.full(size, 1e-3), frictions=(friction,), end=0.2
    )


def test_two_tangents_along_one_line_are_a_cone_not_a_box():
    cosine = math.sqrt(0.5)
    line, plane = (SOLVER.solve(sliding(tangents), {}) for tangents in ([[1.0]], [[cosine], [-cosine]]))
    np.testing.assert_allclose(plane.events["rub"], line.events["rub"], rtol=1e-13)
    np.testing.assert_allclose(plane.displacement, line.displacement, atol=1e-17)
    shares = plane.elements["rub"]
    np.testing.assert_allclose(np.hypot(shares["force"], shares["force_2"]), np.abs(line.elements["rub"]["force"]))
    np.testing.assert_allclose(shares["force"], -shares["force_2"])
    np.testing.assert_allclose(shares["sliding_velocity"], cosine * line.elements["rub"]["sliding_velocity"])


def test_two_tangents_that_sliding_may_turn_between_are_refused():
    with pytest.raises(NotImplementedError):
        SOLVER.solve(sliding([[1.0, 0.0], [0.0, 1.0]]), {})


@examples
@given(st.floats(1.0, 30.0))
def test_the_last_output_is_the_end_whatever_the_rounding(end):
    swinging = problem(stiffness=[[40.0]], initial_velocity=[1.0], end=end, output_times=[0.0, end])
    assert SOLVER.solve(swinging, {}).time[-1] == end
