"""Initial value problems: what is refused, what is generated, what JSON keeps."""

import ctypes
import json
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import ellipk

from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import FUNCTIONS, read, text
from veridyn.problem.generated import Names, c_source, compiled, equations, functions
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import read_response

IMPACT = Change(name="impact", guard="y", direction=-1, reset={"y": "0", "v": "-e*v"})
BALL = InitialValueProblem(
    name="ball",
    states=("y", "v"),
    parameters={"g": "9.81", "e": 0.8, "c": "1/3"},
    modes=(
        Mode(name="flight", rates=("v", "-g - c*v**2*sin(t) + exp(-y)/sqrt(2 + y**2)"), events=(IMPACT,)),
        Mode(name="rest", rates=("0", "0")),
    ),
    initial=("1", "2*c"),
    end=2.0,
    output_times=np.linspace(0.0, 2.0, 5),
    accumulation=Accumulation(event="impact", mode="rest", reset={"v": "0"}),
)
PENDULUM = InitialValueProblem(
    name="pendulum",
    states=("x", "y", "u", "w"),
    multipliers=("s",),
    parameters={"g": "9.81", "m": "2"},
    modes=(Mode(name="hangs", rates=("u", "w", "-2*x*s", "-2*y*s - m*g")),),
    initial=("1", "0", "0", "0", "0"),
    mass=(("1", "0", "0", "0"), ("0", "1", "0", "0"), ("0", "0", "m", "0"), ("0", "0", "0", "m")),
    constraints=("x**2 + y**2 - 1",),
    index=3,
    end=1.0,
)
NAMES = ("x", "y", "k")


# ---- expressions


def written(levels):
    """Texts of the grammar."""
    one = st.sampled_from(["x", "y", "k", "pi", "2", "0.1", "3e-2", "t"])
    call = st.tuples(st.sampled_from(sorted(FUNCTIONS)), levels).map(lambda p: f"{p[0]}({p[1]})")
    both = st.tuples(levels, st.sampled_from("+-*/"), levels).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})")
    power = st.tuples(levels, st.sampled_from(["2", "-1", "3/2", "(1/3)"])).map(lambda p: f"({p[0]})**{p[1]}")
    return st.one_of(one, call, both, power, levels.map(lambda e: f"-({e})"))


@settings(max_examples=80, deadline=None)
@given(st.recursive(st.sampled_from(["x", "y", "k", "1.5"]), written, max_leaves=6))
def test_what_is_written_is_read_again(given_text):
    try:
        found = read("it", given_text, (*NAMES, "t"))
    except ProblemError:  # what has no real value stays out
        assume(False)
    assert sympy.simplify(read("it", text(found), (*NAMES, "t")) - found) == 0  # factors may be multiplied out


def test_a_sign_stays_before_its_product():
    """A solver that is given a problem from its text computes as with the problem itself, to the last digit."""
    found = read("it", "-(x - y)*(x + y)/k", NAMES)
    assert read("it", text(found), NAMES) == found


@pytest.mark.parametrize(
    ("given_text", "meant"),
    [
        ("-x**2", -(sympy.Symbol("x") ** 2)),
        ("2**-1*x", sympy.Symbol("x") / 2),
        ("x/y/k", sympy.Symbol("x") / (sympy.Symbol("y") * sympy.Symbol("k"))),
        ("x - y - k", sympy.Symbol("x") - sympy.Symbol("y") - sympy.Symbol("k")),
        ("2**3**2", sympy.Integer(512)),
        (0.1, sympy.Rational(1, 10)),
        (sympy.Symbol("x", positive=True) * 0.1, sympy.Symbol("x") / 10),
    ],
)
def test_the_grammar_means_what_it_should(given_text, meant):
    assert read("it", given_text, NAMES) == meant


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("x +", "the end comes too early"),
        ("x y", "'y' after 'x'"),
        ("x^2", "'^2' after 'x'"),
        ("sin x", "'x' after 'sin'"),
        ("velocity", "unknown name 'velocity'; known are x, y, k, pi"),
        ("sinn(x)", "unknown name 'sinn'; did you mean sin?"),
        ("__import__('os')", "unknown name '__import__'"),
        ("1/0", "divides by zero"),
        ("log(0)", "zoo cannot be in an expression"),
        ("sqrt(-2)*x", "I cannot be in an expression"),
        ("9**9**9", "an exponent of a number is larger than 1000"),
        ("(" * 200 + "x", "nested deeper than 100"),
        ("x" + "+x" * 50_001, "characters; 100000 is the most"),
        ("1e9999", "'1e9999'"),
        (None, "None is no expression"),
        (sympy.Function("f")(sympy.Symbol("x")), "f(x) cannot be in an expression"),
    ],
)
def test_what_is_no_expression_is_refused_in_a_line(wrong, message):
    with pytest.raises(ProblemError) as caught:
        read("it", wrong, NAMES)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- problems


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": ("y", "y")}, "the name 'y' is taken twice"),
        ({"states": ("t", "v")}, "'t' is no name"),
        ({"initial": ("1",)}, "1 initial values for 2 unknowns"),
        ({"initial": ("1", "y")}, "initial value 2: unknown name 'y'"),
        ({"initial": ("1", "log(e - 0.8)")}, "initial value of v is not finite"),
        ({"mode": "flihgt"}, "unknown name 'flihgt'; did you mean flight?"),
        ({"modes": (Mode(name="flight", rates=("v",)),), "accumulation": None}, "1 rates for 2 states"),
        ({"parameters": {"g": "9.81", "e": "0.8", "c": "g"}}, "parameter c: unknown name 'g'"),
        ({"index": 2}, "index 2 must be 0 without constraints"),
        ({"accumulation": Accumulation(event="bounce", mode="rest")}, "accumulation: unknown name 'bounce'"),
        ({"mass": (("1", "0"),)}, "the mass matrix must have 2 rows of 2 entries"),
    ],
)
def test_a_wrong_problem_is_refused(changes, message):
    with pytest.raises(ProblemError) as caught:
        replace(BALL, **changes)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"guard": "e - 1"}, "the guard e - 1 is constant: it never changes sign"),
        ({"guard": "y**2 + 1"}, "the guard y**2 + 1 is never below zero: it never changes sign"),
        ({"guard": "-g*exp(y)"}, "the guard -g*exp(y) is never above zero: it never changes sign"),
        ({"direction": 2}, "direction 2 must be"),
        ({"reset": {"z": "0"}}, "reset: unknown name 'z'"),
        ({"mode": "sleep"}, "unknown name 'sleep'"),
    ],
)
def test_a_wrong_event_is_refused(changes, message):
    flight, rest = BALL.modes
    with pytest.raises(ProblemError) as caught:
        replace(BALL, modes=(replace(flight, events=(replace(flight.events[0], **changes),)), rest))
    assert message in str(caught.value)


def test_two_events_of_one_name_in_a_mode_are_refused():
    flight, rest = BALL.modes
    name = flight.events[0].name
    twice = replace(flight, events=(*flight.events, replace(flight.events[0], guard="v", direction=1)))
    with pytest.raises(ProblemError, match=f"mode flight has two events '{name}'; give each a name of its own"):
        replace(BALL, modes=(twice, rest))


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        (("1", "1/2", "0", "0", "0"), "contradict a constraint: x**2 + y**2 - 1 is 0.25"),
        (("1", "0", "0.1", "0", "0"), "contradict derivative 1 of a constraint"),
        (("1", "0", "0", "0", "1"), "contradict derivative 2 of a constraint"),
    ],
)
def test_inconsistent_initial_values_are_refused(initial, message):
    with pytest.raises(ProblemError) as caught:
        replace(PENDULUM, initial=initial)
    assert message in str(caught.value)


def test_needs_follow_from_the_content():
    assert BALL.needs == {"initial-value", "hybrid", "zeno"}
    assert PENDULUM.needs == {"initial-value", "dae:index-3"}
    marked = Mode(name="swings", rates=("v", "-y"), events=(Change(name="turn", guard="v", direction=-1),))
    assert replace(BALL, modes=(marked,), mode="swings", accumulation=None).needs == {"initial-value"}


@pytest.mark.parametrize("problem", [BALL, PENDULUM], ids=lambda p: p.name)
def test_json_keeps_everything(problem):
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert again.modes == problem.modes
    assert again.parameters == problem.parameters


@pytest.mark.parametrize("broken", [{"modes": 3}, {"modes": [{"name": "a"}]}, {"stats": []}, {"accumulation": [1]}])
def test_malformed_json_is_refused(broken):
    with pytest.raises(ProblemError):
        problem_from_json(json.dumps({**json.loads(BALL.to_json()), **broken}))


# ---- what is generated


STATES = np.array([[0.5, -1.0], [1.0, 2.0], [0.0, 0.3]])


def by_hand(t, y):
    g, c = 9.81, 1 / 3
    return [y[1], -g - c * y[1] ** 2 * np.sin(t) + np.exp(-y[0]) / np.sqrt(2 + y[0] ** 2)]


def test_functions_are_those_written_by_hand():
    plain, times = functions(BALL), np.array([0.1, 0.7, 1.3])
    for t, y in zip(times, STATES, strict=True):
        np.testing.assert_allclose(plain.rhs(t, y), by_hand(t, y), rtol=1e-15)
        np.testing.assert_allclose(plain.reset("impact", t, y), [0.0, -0.8 * y[1]], rtol=1e-15)
        shift = 1e-6 * np.eye(2)
        slopes = [(plain.rhs(t, y + d) - plain.rhs(t, y - d)) / 2e-6 for d in shift]
        np.testing.assert_allclose(plain.jacobian(t, y), np.transpose(slopes), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(plain.rhs_over(times, STATES), [by_hand(*p) for p in zip(times, STATES, strict=True)])
    np.testing.assert_array_equal(plain.guards_over(times, STATES)[:, 0], STATES[:, 0])
    assert functions(BALL, "rest").guards_over(times, STATES).shape == (3, 0)


def test_constraints_follow_the_rates_and_have_no_mass():
    plain, y = functions(PENDULUM), np.array([0.6, 0.8, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(plain.rhs(0.0, y), [1.0, 2.0, -3.6, -4.8 - 19.62, 0.0], atol=1e-15)
    np.testing.assert_array_equal(plain.mass(0.0, y), np.diag([1.0, 1.0, 2.0, 2.0, 0.0]))


def test_out_of_domain_is_nan_not_an_exception():
    root = InitialValueProblem(
        name="root", states=("x",), modes=(Mode(name="m", rates=("x**(3/2) + log(x)",)),), initial=("1",), end=1.0
    )
    assert np.isnan(functions(root).rhs(0.0, np.array([-1.0])))
    assert np.isnan(functions(root).rhs_over(np.zeros(1), np.array([[-1.0]])))


def test_numba_gives_the_same():
    rates = BALL.modes[0].rates
    found = compiled(Names.from_problem(BALL), rates)(0.7, STATES[1], np.array(BALL.parameter_numbers))
    np.testing.assert_allclose(found, by_hand(0.7, STATES[1]), rtol=1e-15)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_source_gives_the_same(tmp_path):
    file, library = tmp_path / "ball.c", tmp_path / "ball.so"
    file.write_text(c_source(BALL), encoding="utf-8")
    subprocess.run(["cc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, file, "-lm"], check=True)
    code, out, plain = ctypes.CDLL(str(library)), (ctypes.c_double * 4)(), functions(BALL)
    y, p = (ctypes.c_double * 2)(0.5, -1.0), (ctypes.c_double * 3)(*BALL.parameter_numbers)
    for name, which, count, true in (
        ("rhs", (0,), 2, plain.rhs(0.7, STATES[0])),
        ("jacobian", (0,), 4, plain.jacobian(0.7, STATES[0]).ravel()),
        ("guards", (0,), 1, plain.guards(0.7, STATES[0])),
        ("reset", (0, 0), 2, plain.reset("impact", 0.7, STATES[0])),
        ("rhs", (1,), 2, [0.0, 0.0]),
    ):
        getattr(code, name)(*which, ctypes.c_double(0.7), y, p, out)
        np.testing.assert_allclose(out[:count], true, rtol=1e-15)


def test_equations_say_all_that_happens():
    assert equations(PENDULUM) == (
        "x' = u, y' = w, m u' = -2 s x, m w' = -g m - 2 s y",
        "x^2 + y^2 - 1 = 0",
        "x(0) = 1, y(0) = 0, u(0) = 0, w(0) = 0, s(0) = 0",
    )
    flight, impact, rest, initial = equations(BALL)
    assert flight.startswith("flight: y' = v, v' = ")
    assert (impact, rest) == ("impact: y = 0, y^+ = 0, v^+ = -e v", "rest: y' = 0, v' = 0")
    assert initial == "y(0) = 1, v(0) = 2 c"


def test_many_equations_take_several_lines():
    names = [f"x{i}" for i in range(12)]
    chain = InitialValueProblem(
        name="chain",
        states=names,
        modes=(Mode(name="flow", rates=[f"{b} - {a}" for a, b in pairwise([*names, names[0]])]),),
        initial=[0] * 12,
        end=1.0,
    )
    found = equations(chain)
    assert len(found) > 4
    assert max(map(len, found)) < 80
    assert ", ".join(found).count("'") == 12
    assert [f"{name}(0) = 0" for name in names] == [e for e in ", ".join(found).split(", ") if "(0)" in e]


# ---- what solvers return

ANSWER = {
    "time": BALL.output_times,
    "states": np.ones((5, 2)),
    "events": {"impact": [0.5]},
    "before": {"impact": [[0, -1]]},
}


def test_a_trajectory_is_checked_on_arrival():
    found = read_response(BALL, {**ANSWER, "modes": ["flight"] * 5}, "mine")
    np.testing.assert_array_equal(found.before["impact"], [[0.0, -1.0]])
    assert found.modes == ("flight",) * 5


def test_no_states_before_no_event_need_no_columns():
    """A program can write an empty list, but not one of rows of two."""
    found = read_response(BALL, {**ANSWER, "events": {"impact": []}, "before": {"impact": []}}, "mine")
    assert found.before["impact"].shape == (0, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"before": {"impact": []}}, "returned states before impact of shape (0,); (1, 2) is needed"),
        ({"states": np.ones((5, 1))}, "returned states of shape (5, 1); (5, 2) is needed"),
        ({"modes": ["flying"] * 5}, "returned the unknown mode 'flying'"),
        ({"modes": ["rest"]}, "returned 1 modes for 5 samples"),
        ({"modes": 3}, "returned modes that are no names"),
        ({"before": 3}, "returned states before events that are not states by event"),
        ({"events": {"bounce": [0.5]}}, "events of 'bounce'; the events are ['impact']"),
        ({"events": {"impact": [0.3]}}, "where time has no sample"),
        ({"time": np.linspace(0, 1, 5), "events": {}}, "the requested output instants go from 0 to 2"),
    ],
)
def test_a_malformed_trajectory_is_refused(changes, message):
    with pytest.raises(SolverFailure) as caught:
        read_response(BALL, {**ANSWER, **changes}, "mine")
    assert message in str(caught.value)


def test_a_trajectory_without_states_is_refused():
    with pytest.raises(SolverFailure, match="mine returned no states"):
        read_response(BALL, {"time": [0.0, 2.0]}, "mine")


@pytest.mark.parametrize("e", [0.5, 0.9, 0.99])
def test_events_that_accumulate_are_followed_up_to_their_limit(e):
    """The lapse of the last one tells little: for e = 0.99 a hundred times as much is left."""
    limit = np.sqrt(2 / 9.81) * (1 + e) / (1 - e)
    flight = Mode(name="flight", rates=("v", "-g"), events=(IMPACT,))
    falls = replace(BALL, modes=(flight, BALL.modes[1]), initial=("1", "0"), end=1.1 * limit, output_times=None)
    problem = replace(falls, parameters={**falls.parameters, "e": str(e)})
    response = SCIPY.solve(problem, {"rtol": 1e-9, "scheme": "DOP853"})
    assert response.events["impact"][-1] == pytest.approx(limit, rel=1e-7)
    assert response.states[-1].tolist() == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("scheme", ["DOP853", "RK45", "Radau", "LSODA"])
@pytest.mark.parametrize("order", [1, -1])
def test_an_event_at_the_minimum_of_another_guard_is_seen(scheme, order):
    """Where x turns, x² - 4 has a minimum between steps: both functions pass zero at once."""
    events = (Change(name="turn", guard="v", direction=0), Change(name="far", guard="x**2 - 4", direction=1))
    swing = InitialValueProblem(
        name="swing",
        states=("x", "v"),
        modes=(Mode(name="swing", rates=("v", "-sin(x)"), events=events[::order]),),
        initial=("1", "0"),
        end=50.0,
    )
    turns = SCIPY.solve(swing, {"scheme": scheme, "rtol": 1e-10, "atol": 1e-12}).events["turn"]
    half = 2 * ellipk(np.sin(0.5) ** 2)
    assert turns == pytest.approx(half * np.arange(1, 15), abs=1e-6)
