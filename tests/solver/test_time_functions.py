"""Time functions: one record, the same load in float and in any precision."""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.basis import modal_basis
from veridyn.problem.elements import Load
from veridyn.problem.errors import ProblemError
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.scalars import check_scalar, to_float, to_mpf
from veridyn.problem.time_functions import (
    Harmonic,
    Piecewise,
    Sum,
    Windowed,
    constant,
    polynomial,
    pulse,
    sample,
    step,
    table,
    time_function,
)
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.integration import IntegrationJob, Storage
from veridyn.solver.integrators.kernels import function_table

from .conftest import entry

tabulate = entry(function_table.tabulate)

examples = settings(deadline=None, max_examples=60, derandomize=True)

SINE = Harmonic("1.01", "2*pi", "0.3")
KINKED = Piecewise(("0.1", "0.7"), (("0", "1.1", "0.3"), ("0.768", "-2", "1/3", "0.01")))
BOTH = Sum((SINE, KINKED))
RAMP = table([0.0, 1.0, 3.0], [0.0, 2.0, 1.0])

SMOOTH = pytest.mark.parametrize("f", [SINE, KINKED, BOTH], ids=["harmonic", "piecewise", "sum"])
INSTANTS = pytest.mark.parametrize("t", ["0.05", "0.11", "0.69", "0.71", "2.5"])


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("1.01", "mpf(101)/100"),
        ("3/4", "mpf(3)/4"),
        ("2*pi", "2*pi"),
        ("pi", "pi"),
        ("pi/3", "pi/3"),
        ("-1/2 * pi / 4", "-pi/8"),
        ("1e-3*pi", "pi/1000"),
    ],
)
def test_scalar_means_what_it_says_in_every_arithmetic(text, exact):
    with mpmath.workdps(40):
        truth = eval(exact, {"mpf": mpmath.mpf, "pi": +mpmath.pi})
        assert mpmath.almosteq(to_mpf(text), truth, rel_eps=mpmath.mpf(10) ** -39)
    assert to_float(text) == pytest.approx(float(truth), rel=4e-16)


def test_float_is_what_it_is():
    assert to_mpf(0.1) == mpmath.mpf(0.1)
    assert to_float(0.1) == 0.1


@pytest.mark.parametrize("value", ["", "two", "-pi", "1/0", "2*pie", None, [1.0], "nan", "inf", "1e400"])
def test_nonsense_is_no_scalar(value, refused):
    with refused(ProblemError, "amplitude", repr(value), "is not a number"):
        check_scalar("amplitude", value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_scalar_is_finite(value, refused):
    with refused(ProblemError, "amplitude", "must be finite"):
        check_scalar("amplitude", value)


def test_harmonic_is_a_sine():
    with mpmath.workdps(40):
        t = mpmath.mpf("0.37")
        truth = mpmath.mpf("1.01") * mpmath.sin(2 * mpmath.pi * t + mpmath.mpf("0.3"))
        assert mpmath.almosteq(SINE(t), truth, rel_eps=mpmath.mpf(10) ** -38)


@pytest.mark.parametrize("order", range(-3, 5))
def test_harmonic_of_any_order_is_a_derivative_of_the_sine(order):
    f = Harmonic("1.01", "2*pi", "0.3", order)
    with mpmath.workdps(40):
        t, w = mpmath.mpf("0.37"), 2 * mpmath.pi
        truth = mpmath.mpf("1.01") * w**order * mpmath.sin(w * t + mpmath.mpf("0.3") + order * mpmath.pi / 2)
        assert mpmath.almosteq(f(t), truth, rel_eps=mpmath.mpf(10) ** -38)
    assert f(0.37) == pytest.approx(float(truth), rel=1e-13)


@SMOOTH
@INSTANTS
def test_derivative_is_exact(f, t):
    with mpmath.workdps(60):
        truth = mpmath.diff(f, mpmath.mpf(t), h=mpmath.mpf(10) ** -24)
        assert abs(f.antiderivative().derivative().derivative()(mpmath.mpf(t)) - truth) < mpmath.mpf(10) ** -30


@SMOOTH
@INSTANTS
def test_antiderivative_is_exact(f, t):
    with mpmath.workdps(40):
        a, b = mpmath.mpf("0.02"), mpmath.mpf(t)
        corners = [c for c in (mpmath.mpf("0.1"), mpmath.mpf("0.7")) if c < b]
        truth = mpmath.quad(f, [a, *corners, b])
        primitive = f.antiderivative()
        assert abs(primitive(b) - primitive(a) - truth) < mpmath.mpf(10) ** -36


def test_harmonic_antiderivative_has_zero_mean():
    assert np.mean(SINE.antiderivative()(np.arange(64) / 64)) == pytest.approx(0, abs=1e-16)


def test_piecewise_antiderivative_starts_at_zero():
    assert KINKED.antiderivative()(0.1) == 0


def test_second_antiderivative_of_the_square_is_a_twelfth_of_the_fourth_power():
    with mpmath.workdps(40):
        t = mpmath.mpf("0.3")
        quartic = polynomial("0", "0", "7").antiderivative().antiderivative()
        assert mpmath.almosteq(quartic(t), 7 * t**4 / 12, rel_eps=mpmath.mpf(10) ** -38)


@pytest.mark.parametrize(
    ("f", "t", "value"),
    [
        (constant(3.0), -0.1, 0.0),
        (constant(3.0), 0.0, 3.0),
        (polynomial(1.0, 0.0, 2.0), 3.0, 19.0),
        (step(2.0, "0.5"), 0.4999, 0.0),
        (step(2.0, "0.5"), 0.5, 2.0),
        (pulse(2.0, 1.0, 2.0), 0.9, 0.0),
        (pulse(2.0, 1.0, 2.0), 1.0, 2.0),
        (pulse(2.0, 1.0, 2.0), 2.0, 0.0),
        (RAMP, -1.0, 0.0),
        (RAMP, 0.5, 1.0),
        (RAMP, 2.0, 1.5),
        (RAMP, 9.0, 1.0),
        (Sum((step(2.0), constant(3.0))), 1.0, 5.0),
        (Sum(()), 1.0, 0.0),
    ],
)
def test_value(f, t, value):
    assert f(t) == value
    assert f(np.array([t, t])).tolist() == [value, value]
    assert f(mpmath.mpf(t)) == value


def test_jump_is_located_in_the_arithmetic_of_the_question():
    with mpmath.workdps(40):
        instant, hair = mpmath.mpf("0.1"), mpmath.mpf(10) ** -30
        assert [step(1.0, "0.1")(instant + d) for d in (-hair, 0, hair)] == [0, 1, 1]


def test_sampling_a_function_gives_its_table():
    assert sample(SINE, [0.0, 0.1, 0.3])(0.2) == pytest.approx((SINE(0.1) + SINE(0.3)) / 2)


def test_derivative_of_a_table_is_its_slope():
    assert RAMP.derivative()(np.array([0.5, 2.0, 4.0])).tolist() == [2.0, -0.5, 0.0]


@pytest.mark.parametrize("f", [step(1.0, "0.25"), pulse(1.0, "0.25", 2.0), table([0.25, 1.0], [1.0, 0.0])])
def test_jump_has_no_derivative(f, refused):
    with refused(ProblemError, "jumps at t = 0.25"):
        f.derivative()


@pytest.mark.parametrize("f", [SINE, SINE.antiderivative(), KINKED, BOTH, RAMP, Sum((BOTH, RAMP))])
def test_json_round_trip(f):
    assert time_function(json.loads(json.dumps(f.to_dict()))) == f


@pytest.mark.parametrize(
    ("data", "culprit"),
    [
        ({}, "unknown time function None"),
        ({"kind": "noise"}, "'noise'"),
        ({"kind": "harmonic", "omega": 1.0}, "'amplitude'"),
        ({"kind": "piecewise", "breaks": [0.0]}, "'coefficients'"),
        ({"kind": "piecewise", "breaks": 0.0, "coefficients": [[1.0]]}, "'piecewise'"),
        ({"kind": "piecewise", "breaks": [0.0], "coefficients": [1.0]}, "'piecewise'"),
        ({"kind": "sum", "summands": [{"kind": "noise"}]}, "'noise'"),
        ({"kind": "harmonic", "amplitude": 1.0, "omega": 1.0, "order": 0.5}, "order"),
        ({"kind": "harmonic", "amplitude": 1.0, "omega": 0.0}, "omega"),
        ({"kind": "harmonic", "amplitude": 1.0, "omega": "-2*pi"}, "omega"),
        ({"kind": "harmonic", "amplitude": "much", "omega": 1.0}, "amplitude"),
        ({"kind": "harmonic", "amplitude": 1.0, "omega": 1.0, "phase": float("nan")}, "phase"),
        ({"kind": "piecewise", "breaks": [], "coefficients": []}, "0 breaks"),
        ({"kind": "piecewise", "breaks": [0.0, 1.0], "coefficients": [[1.0]]}, "2 breaks"),
        ({"kind": "piecewise", "breaks": [0.0], "coefficients": [[]]}, "coefficients[0]"),
        ({"kind": "piecewise", "breaks": [1.0, 1.0], "coefficients": [[1.0], [2.0]]}, "breaks must increase"),
        ({"kind": "piecewise", "breaks": ["soon"], "coefficients": [[1.0]]}, "breaks[0]"),
        ({"kind": "piecewise", "breaks": [0.0], "coefficients": [[1.0, None]]}, "coefficients[0][1]"),
    ],
)
def test_malformed_function_is_refused(data, culprit, refused):
    with refused(ProblemError, culprit):
        time_function(data)


@pytest.mark.parametrize(
    ("times", "values", "culprit"),
    [
        ([0.0], [1.0], "1 times and 1 values"),
        ([0.0, 1.0], [1.0], "2 times and 1 values"),
        ([[0.0, 1.0]], [[1.0, 2.0]], "(1, 2)"),
        ([0.0, 0.0], [1.0, 2.0], "increase"),
        ([0.0, float("nan")], [1.0, 2.0], "finite"),
        ([0.0, 1.0], [float("inf"), float("inf")], "finite"),
    ],
)
def test_malformed_table_is_refused(times, values, culprit, refused):
    with refused(ProblemError, culprit):
        table(times, values)


numbers = st.floats(-10, 10, allow_subnormal=False)
harmonics = st.builds(Harmonic, numbers, st.floats(0.1, 20), numbers, st.integers(-2, 2))
rows = st.lists(numbers, min_size=1, max_size=4).map(tuple)
piecewise = st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True).flatmap(
    lambda ticks: st.builds(
        Piecewise,
        st.just(tuple(k / 8 for k in sorted(ticks))),
        st.lists(rows, min_size=len(ticks), max_size=len(ticks)).map(tuple),
    )
)
sums = st.lists(harmonics | piecewise, max_size=4).map(lambda terms: Sum(tuple(terms)))


@examples
@given(st.lists(harmonics | piecewise | sums, min_size=1, max_size=4), st.integers(-80, 80))
def test_kernels_evaluate_the_same_function(build, functions, tick):
    problem = build.mass(loads=tuple(Load([1.0], f) for f in functions))
    system = system_arrays(problem, modal_basis(problem))
    work = Storage(2, IntegrationJob(system, np.zeros(1), np.zeros(1), 0.0, 1.0, 1 / 8), even=True).work
    tabulate(tick / 8, work.step, system.function_term, system.terms, system.parameter, work.instants, work.values)
    scale = 1e-12 * (1 + max(magnitude(f) for f in functions))
    for i, f in enumerate(functions):
        for row in (0, 1, 2):
            t = (tick + row) / 8
            assert work.values[row, i] == pytest.approx(float(f(t)), rel=1e-12, abs=scale)


def magnitude(f: TimeFunction) -> float:
    """Return a bound of the terms, to which cancellation is judged."""
    waves = [abs(g.amplitude) * g.omega**g.order for g in f.terms() if isinstance(g, Harmonic)]
    return sum(waves, start=10.0 * 21**3)


@examples
@given(harmonics | piecewise | sums, st.integers(-80, 80))
def test_float_and_multiple_precision_agree(f, tick):
    assert float(f(tick / 8)) == pytest.approx(float(f(mpmath.mpf(tick / 8))), rel=1e-12, abs=1e-12 * magnitude(f))


TEXTS = (
    Harmonic("1.01", "2*pi", 0.3, -1),
    Piecewise((0.0, "1/3", 2.0), ((1.0, 2.0), ("1.5",), (0.0, 1.0, -2.0))),
    Windowed(Harmonic("-1/3", "10*pi"), "0.1", "0.8", order=-1),
)


@pytest.mark.parametrize("function", TEXTS, ids=lambda f: f.kind)
def test_one_instant_gives_the_last_bit_that_many_give(function):
    instants = np.concatenate(([-1.0, 0.1, 1 / 3, 0.8, 2.0], np.linspace(-0.5, 3.0, 101)))
    assert [function(t) for t in instants.tolist()] == function(instants).tolist()


@pytest.mark.parametrize("function", TEXTS, ids=lambda f: f.kind)
def test_texts_are_read_once(function, monkeypatch):
    function(0.5)
    for name in ("to_float", "to_mpf"):
        monkeypatch.delattr(f"veridyn.problem.time_functions.{name}")
    assert np.isfinite(function(0.6))
