"""The closed form of the rubbing mass against truth: borders of the regimes, tiny and random parameters, events."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.parameters import Exact, ParameterError
from veridyn.references.problems import sliding_block as truth
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.exact.many import RUBBING
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.kernels import sliding_block as kernel
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.judge import correct_digits
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.mechanics.sdnd104 import regimes

CRITICAL = 0.5370292721463151
REGIMES = ("stick", "stick-slip", "slip-slip")
USUAL = {"g": 10.0, "m": 1.0, "omega": 6.3, "t_start": 4.0, "t_end": 12.0}


def point(eta, **changed):
    """Parameters with a ratio near eta; the doubles are exact, their ratio is what it is."""
    return {"a0": 1.0 / eta, "mu": 0.1} | USUAL | changed


def below_one(delta, **changed):
    """Parameters with eta = 1 - delta as nearly as doubles tell."""
    return {"a0": 1.0, "mu": 1.0 - delta, **USUAL, "g": 1.0} | changed


def solved(*points, threads=1):
    columns = {name: np.array([p[name] for p in points]) for name in RUBBING}
    return EXACT.solve_many("sdnd104", columns, threads)


def exact(p):
    return {name: Exact(Fraction(value)) for name, value in p.items()}


POINTS = {
    "middle of stick-slip": point(0.7),
    "one minus 1e-3": below_one(1e-3),
    "one minus 1e-8, within a slip at the end": below_one(1e-8, omega=1.0, t_start=0.0, t_end=math.pi / 2),
    "one minus 1e-12": below_one(1e-12),
    "one minus one bit": below_one(2.0**-53),
    "one less than a bit below": {"a0": 3.0, "mu": 0.3, **USUAL},
    "one plus one bit": below_one(-(2.0**-52)),
    "above the slip-slip border": point(CRITICAL + 1e-3),
    "a trace above": point(CRITICAL + 1e-12),
    "a bit above": point(CRITICAL * (1 + 4e-16)),
    "a bit below": point(CRITICAL * (1 - 4e-16)),
    "a trace below": point(CRITICAL - 1e-12),
    "slip-slip": point(0.3),
    "slow approach to the limit": point(0.03, omega=15.0),
    "tiny eta": point(1e-5, omega=9.0),
    "almost no friction": point(1e-11, omega=3.0),
    "long window": point(0.4, omega=20.0, t_start=3.0, t_end=300.0),
    "window before the first slip": point(0.9, omega=0.1, t_start=0.0, t_end=1.0),
    "window within one slip": point(0.6, omega=1.0, t_start=1.0, t_end=2.0),
    "other scales": {"a0": 3e4, "mu": 0.02, "g": 1.6, "m": 250.0, "omega": 777.0, "t_start": 0.01, "t_end": 0.3},
}


@pytest.mark.parametrize("name", POINTS)
def test_truth(name):
    p = POINTS[name]
    found, values = {k: column[0] for k, column in solved(p).items()}, exact(p)
    for quantity in regimes.SWEEP.quantities:
        right, got = quantity.truth(values, 17), found[quantity.name]
        if quantity.labels:
            assert quantity.labels[got] == right.value
        elif right.value is None:
            assert math.isnan(got)
        elif quantity.counted or right.value == 0:
            assert got == right.value
        else:
            assert correct_digits(float(got), right) > 14.0, quantity.name


def test_critical_eta_is_the_one_of_the_reference():
    with mpmath.workdps(40):
        known = truth.critical_eta(digits=40).value
        assert abs(mpmath.mpf(kernel.CRITICAL) + mpmath.mpf(kernel.CRITICAL_REST) - known) < 1e-32
        assert abs(mpmath.mpf(math.pi) + mpmath.mpf(kernel.PI_REST) - mpmath.pi) < 1e-32


@pytest.mark.parametrize("variant", ["a0=15", "a0=1.5", "a0=1.01", "a0=0.99"])
def test_exact_solver(variant):
    """Two ways to the same doubles: series of the general solver, closed form of this one."""
    case = load_case("sdnd104")
    runner, statement = Runner(LocalGate(EXACT)), Statement(case, case.variant(variant))
    seen = runner.observe(runner.default_run(statement, EXACT.schemes[0]))
    (power,) = solved({name: float(value) for name, value in statement.values.items()})["wear_power"]
    measured = next(q for q in case.quantities if q.name == "wear_power").measure(seen)
    # 1.01 as a double is not 1.01: near eta = 1 the wear goes with the square of 1 - eta
    assert measured == pytest.approx(power, rel=1e-11, abs=0.0)


@settings(deadline=None, max_examples=60)
@given(
    st.floats(1e-3, 1.2),
    st.floats(0.1, 50.0),
    st.floats(0.0, 20.0),
    st.floats(1e-2, 20.0),
)
def test_energy_of_adjacent_windows_adds_up(eta, omega, start, length):
    middle, end = start + length, start + 2 * length
    parts = solved(
        point(eta, omega=omega, t_start=start, t_end=middle),
        point(eta, omega=omega, t_start=middle, t_end=end),
        point(eta, omega=omega, t_start=start, t_end=end),
    )
    work = parts["wear_power"] * np.array([middle - start, end - middle, end - start])
    assert np.all(work >= 0.0)
    assert work[0] + work[1] == pytest.approx(work[2], rel=1e-12, abs=1e-13 / eta / omega**2)


@settings(deadline=None, max_examples=60)
@given(st.floats(1e-3, 0.999), st.floats(0.5, 30.0))
def test_slips_are_counted(eta, omega):
    """A slip per half period, begun within it."""
    found = solved(point(eta, omega=omega))
    assert abs(found["slips"][0] - omega * 12.0 / math.pi) <= 1.0
    assert 0.0 < found["slip_start"][0] < found["slip_end"][0]
    assert found["slip_end"][0] - found["slip_start"][0] < 2 * math.pi / omega


@pytest.mark.parametrize("delta", [1e-6, 1e-9, 1e-12])
def test_wear_is_continuous_across_the_slip_slip_border(delta):
    either = solved(point(CRITICAL + delta), point(CRITICAL - delta))
    assert [REGIMES[code] for code in either["regime"]] == ["stick-slip", "slip-slip"]
    left, right = either["wear_power"]
    assert left == pytest.approx(right, rel=20 * delta)


def test_threads_give_the_same_bits():
    points = list(POINTS.values())
    one, several = solved(*points), solved(*points, threads=2)
    assert all(np.array_equal(one[name], several[name], equal_nan=True) for name in one)


RANGES = {name: (value, value) for name, value in point(0.5).items()}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"t_start": (0.0, 12.0)}, "window reversed: t_start = 12 must be less than t_end = 12"),
        ({"omega": (1.0, 1e6)}, "half periods are more than 1000000: shorten the window"),
        ({"g": (1e-60, 1.0)}, "g must lie between 1e-50 and 1e[+]50"),
        ({"m": (1.0, 1e60)}, "m must lie between 1e-50 and 1e[+]50"),
    ],
)
def test_what_cannot_be_solved_is_refused(changed, message):
    with pytest.raises(ParameterError, match=message):
        regimes.refuse(RANGES | changed)
