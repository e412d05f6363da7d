"""Known time integrators: their eigenvalues, limits and orders, and how they are read and march."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from veridyn.references.methods.discrete import LinearProblem, march, read_method
from veridyn.references.methods.recurrences import MatrixSystem, assemble
from veridyn.references.methods.tableaux import TABLEAUX, read_entry, read_tableau

from .linear_chain import COUNT, RAYLEIGH, START, STEP, difference, linear, solved

# --- eigenvalues --------------------------------------------------------------------------------------------------


def of_oscillator(method, omega_h, ratio):
    """Return the recurrence of an oscillator in units of the step."""
    w = mpmath.mpf(omega_h)
    matrices = (np.array([[entry]], dtype=object) for entry in (mpmath.mpf(1), 2 * ratio * w, w * w))
    return assemble(method.rule(), MatrixSystem(*matrices, mpmath.mpf(1)))


def eigenvalues(method, omega_h, ratio=0.0):
    """Return those of the amplification matrix; the numbers of a method have fifty digits."""
    with mpmath.workdps(50):
        matrix = mpmath.matrix(of_oscillator(method, omega_h, ratio).step.tolist())
        return mpmath.eig(matrix, left=False, right=False)


def spectral_radius(method, omega_h, ratio=0.0):
    return float(max(map(abs, eigenvalues(method, omega_h, ratio))))


@pytest.mark.parametrize("x", [0.1, 1.0, 1.9, 30.0])
@pytest.mark.parametrize("xi", [0.0, 0.1])
def test_closed_forms_of_eigenvalues(x, xi):
    a, b = eigenvalues(read_method("symplectic-euler", {}), x, xi)
    assert float(mpmath.re(a + b)) == pytest.approx(2 - x * x - 2 * xi * x, rel=1e-14)
    assert float(mpmath.re(a * b)) == pytest.approx(1 - 2 * xi * x, rel=1e-14)
    z = np.exp(1j * np.arccos(-xi)) * x / 2  # half the exact exponent: the trapezoidal rule
    assert nearest(eigenvalues(read_method("newmark", {}), x, xi), (1 + z) / (1 - z)) < 1e-12
    implicit = eigenvalues(read_method("runge-kutta", {"tableau": "implicit-euler"}), x, xi)
    assert nearest(implicit, 1 / (1 - 2 * z)) < 1e-12


def nearest(numbers, target):
    """Return the least distance from a target."""
    return min(abs(number - target) for number in numbers)


LIMITS = [
    ("central-difference", {}, 0.0, 2.0),
    ("central-difference", {}, 0.3, 2.0),
    ("central-difference", {"velocity": "extrapolated"}, 0.1, 2 * (math.sqrt(1.04) - 0.2)),
    ("symplectic-euler", {}, 0.0, 2.0),
    ("symplectic-euler", {}, 0.1, 2 * (math.sqrt(1.01) - 0.1)),
    ("de-vogelaere", {}, 0.0, math.sqrt(8)),
    ("newmark", {}, 0.0, math.inf),
    ("newmark", {"beta": "1/6"}, 0.0, math.sqrt(12)),
    ("newmark", {"beta": "1/12"}, 0.0, math.sqrt(6)),
    ("newmark", {"gamma": 0.6}, 0.0, math.sqrt(20)),  # 1/sqrt(gamma/2 - beta)
    ("newmark", {"gamma": 0.499}, 0.0, 0.0),
    ("hht-alpha", {"alpha": "-1/3"}, 0.0, math.inf),
    ("generalised-alpha", {"rho_inf": 0}, 0.0, math.inf),
    ("wilson-theta", {"theta": 1.37}, 0.0, math.inf),
    ("runge-kutta", {"tableau": "euler"}, 0.0, 0.0),
    ("runge-kutta", {"tableau": "euler"}, 0.25, 0.5),
    ("runge-kutta", {"tableau": "heun"}, 0.0, 0.0),
    ("runge-kutta", {"tableau": "cash-karp"}, 0.0, 0.0),
    ("runge-kutta", {"tableau": "bogacki-shampine"}, 0.0, math.sqrt(3)),
    ("runge-kutta", {"tableau": "rk4"}, 0.0, math.sqrt(8)),
    ("runge-kutta", {"tableau": "gauss-2"}, 0.0, math.inf),
]


EVERYWHERE = np.logspace(-1.5, 6, 31)


@pytest.mark.parametrize(("name", "parameters", "ratio", "limit"), LIMITS)
def test_limits_of_stability(name, parameters, ratio, limit):
    method = read_method(name, parameters)
    below = EVERYWHERE[limit > EVERYWHERE].tolist() + [limit * (1 - 1e-12)] * (0 < limit < math.inf)
    assert all(spectral_radius(method, x, ratio) <= 1 + 1e-15 for x in below)
    if limit < math.inf:
        assert spectral_radius(method, limit * (1 + 1e-12) or 0.5, ratio) > 1 + 1e-13


def test_wilson_is_unconditionally_stable_from_its_known_theta_on():
    def stable(theta):
        method = read_method("wilson-theta", {"theta": theta})
        return [spectral_radius(method, x) <= 1 + 1e-15 for x in EVERYWHERE]

    assert not all(stable(1.366))
    assert all(stable(1.36603))  # (1 + sqrt(3))/2


def test_dormand_prince_loses_stability_where_its_polynomial_says():
    """R(z) = 1 + z + ... + z^5/120 + z^6/600 on the imaginary axis."""

    def modulus(y):
        z = mpmath.mpc(0, y)
        return abs(sum(z**i / mpmath.factorial(i) for i in range(6)) + z**6 / 600) - 1

    limit = float(mpmath.findroot(modulus, (0.9, 1.1), solver="anderson"))
    method = read_method("runge-kutta", {"tableau": "dormand-prince"})
    assert spectral_radius(method, limit * (1 - 1e-10)) < 1 < spectral_radius(method, limit * (1 + 1e-10))


@pytest.mark.parametrize(
    ("name", "parameters", "radius"),
    [
        ("hht-alpha", {"alpha": "-0.1"}, 0.9 / 1.1),
        ("hht-alpha", {"alpha": "-1/3"}, 0.5),
        ("generalised-alpha", {"rho_inf": 0.8}, 0.8),
        ("generalised-alpha", {"rho_inf": "0.3"}, 0.3),
        ("newmark", {}, 1.0),
        ("runge-kutta", {"tableau": "radau-iia-2"}, 0.0),
    ],
)
def test_spectral_radius_of_infinite_frequency(name, parameters, radius):
    # where three eigenvalues meet at infinity the radius approaches its limit with (omega h)^(-2/3)
    assert spectral_radius(read_method(name, parameters), 1e15) == pytest.approx(radius, abs=1e-9)


def test_period_of_central_differences():
    x = 0.7
    z = max(eigenvalues(read_method("central-difference", {}), x), key=mpmath.im)
    assert float(mpmath.arg(z)) == pytest.approx(2 * math.asin(x / 2), rel=1e-14)


# --- order --------------------------------------------------------------------------------------------------------

STATED = {
    **dict.fromkeys(("euler", "implicit-euler"), 1),
    **dict.fromkeys(("midpoint", "heun", "ralston", "implicit-midpoint", "trapezoidal"), 2),
    **dict.fromkeys(("lobatto-iiic-2", "sdirk-2", "tr-bdf2", "bogacki-shampine-2"), 2),
    **dict.fromkeys(("kutta-3", "heun-3", "ssp-3", "bogacki-shampine", "radau-iia-2", "norsett-3"), 3),
    **dict.fromkeys(("rk4", "three-eighths", "gill", "merson", "fehlberg-4", "cash-karp-4", "dormand-prince-4"), 4),
    **dict.fromkeys(("gauss-2", "lobatto-iiia-3", "lobatto-iiib-3", "lobatto-iiic-3"), 4),
    **dict.fromkeys(("cash-karp", "dormand-prince", "radau-iia-3", "fehlberg-5", "verner-5"), 5),
    **dict.fromkeys(("gauss-3", "verner-6"), 6),
}


def power(error):
    """Return the power of the step with which an error shrinks."""
    with mpmath.workdps(50):
        return float(mpmath.log10(error(mpmath.mpf("1e-3")) / error(mpmath.mpf("1e-4"))))


def error_of_a_step(method, h, load=1):
    """Return that of the state after a step of x'' + 0.4 x' + x = load exp(-t/2) from x = 1, v = 0.3."""
    r, state = of_oscillator(method, h, 0.2), mpmath.matrix([1, 0.3 * h, load * h * h])
    exact = mpmath.expm(mpmath.matrix([[0, 1, 0], [-h * h, -0.4 * h, 1], [0, 0, -h / 2]]), method="taylor") * state
    found = r.step @ np.array(list(state)[:2])
    for push, instant in zip(r.loads, method.rule().instants, strict=True):
        found = found + push[:, 0] * state[2] * mpmath.exp(-instant * h / 2)
    return max(abs(found[0] - exact[0]), abs(found[1] - exact[1]) / h)


@pytest.mark.parametrize("tableau", TABLEAUX)
def test_tableaux_have_the_order_of_their_source(tableau):
    method = read_method("runge-kutta", {"tableau": tableau})
    assert power(lambda h: error_of_a_step(method, h)) == pytest.approx(STATED[tableau] + 1, abs=0.01)


ORDERS = [
    # method, parameters: order, without damping, of frequency and damping, of frequency without damping
    ("newmark", {}, 2, 2, 2, 2),
    ("newmark", {"gamma": 0.501}, 1, 1, 1, 1),
    ("newmark", {"beta": 0.2525}, 2, 2, 2, 2),
    ("newmark", {"beta": "1/12"}, 2, 2, 2, 4),  # Fox and Goodwin
    ("hht-alpha", {"alpha": -0.1}, 2, 2, 2, 2),
    ("hht-alpha", {"alpha": -0.1, "load": "midpoint"}, 2, 2, 2, 2),
    ("hht-alpha", {"alpha": -0.1, "gamma": 0.5}, 1, 1, 1, 1),
    ("generalised-alpha", {"rho_inf": 0.8}, 2, 2, 2, 2),
    ("generalised-alpha", {"alpha_m": 2 / 3, "alpha_f": 0}, 0, 0, 0, 0),  # its memory of the acceleration doubles
    ("wilson-theta", {"theta": 1.4}, 2, 2, 2, 2),
    ("central-difference", {}, 2, 2, 2, 2),
    ("central-difference", {"velocity": "extrapolated"}, 2, 2, 2, 2),
    ("symplectic-euler", {}, 1, 1, 1, 2),
    ("symplectic-euler", {"form": "position-first"}, 1, 1, 1, 2),
    ("de-vogelaere", {}, 3, 4, 3, 4),
]


@pytest.mark.parametrize(("name", "parameters", "phase", "free"), [(*o[:2], *o[4:]) for o in ORDERS if o[2]])
def test_orders_of_frequency_and_damping(name, parameters, phase, free):
    method = read_method(name, parameters)
    for ratio, order in ((mpmath.mpf("0.2"), phase), (0, free)):
        rate = mpmath.mpc(-ratio, mpmath.sqrt(1 - ratio**2))
        error = power(lambda h, s=rate, xi=ratio: nearest(eigenvalues(method, h, xi), mpmath.exp(s * h)))
        assert error == pytest.approx(order + 1, abs=0.02)


def test_a_memory_that_doubles_does_not_converge():
    name, parameters, *orders = next(o for o in ORDERS if not o[2])
    assert orders == [0] * 4
    assert spectral_radius(read_method(name, parameters), 1e-9) == pytest.approx(2)


def test_instants_of_stages_count_where_there_is_a_load():
    method = read_method("runge-kutta", {"A": [[], ["1/2"]], "b": [0, 1], "c": [0, "0.4"]})
    for load, order in ((0, 2), (1, 1)):
        assert power(lambda h, f=load: error_of_a_step(method, h, f)) == pytest.approx(order + 1, abs=0.01)


def oscillation(t, xi):
    """Return displacement and velocity of x'' + 2 xi x' + x = exp(-t/2) from x = 1, v = 0.3."""
    particular = 1 / (0.25 - xi + 1)
    wd, x0, v0 = math.sqrt(1 - xi * xi), 1 - particular, 0.3 + particular / 2
    b, decay = (v0 + xi * x0) / wd, np.exp(-xi * t)
    x = decay * (x0 * np.cos(wd * t) + b * np.sin(wd * t))
    v = decay * wd * (b * np.cos(wd * t) - x0 * np.sin(wd * t)) - xi * x
    return x + particular * np.exp(-t / 2), v - particular / 2 * np.exp(-t / 2)


@pytest.mark.parametrize(
    ("name", "parameters", "damped", "free"),
    [
        *(o[:4] for o in ORDERS if o[2] > 0 and o[1] != {"gamma": 0.501}),
        *(("runge-kutta", {"tableau": t}, n, n) for t, n in STATED.items() if n < 5),
    ],
)
def test_errors_shrink_with_the_order(name, parameters, damped, free):
    for xi, order in ((0.0, free), (0.2, damped)):
        assert observed_order(read_method(name, parameters), xi) == pytest.approx(order, abs=0.2), xi


def observed_order(method, xi):
    one = np.array([[1.0]])
    problem = LinearProblem(one, 2 * xi * one, one, lambda t: np.array([math.exp(-t / 2)]), one[0], 0.3 * one[0])
    errors = []
    for count in (160, 320):
        x, v = march(method, problem, 4.0 / count, count)
        exact = oscillation(np.linspace(0, 4.0, count + 1), xi)
        errors.append(max(np.abs(x[:, 0] - exact[0]).max(), np.abs(v[:, 0] - exact[1]).max()))
    return math.log2(errors[0] / errors[1])


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("newmarck", {}, "unknown method 'newmarck': did you mean newmark"),
        ("zzz", {}, "unknown method 'zzz': known are newmark"),
        ("newmark", {"betta": 1}, "unknown parameter of newmark 'betta': did you mean beta"),
        ("newmark", {"beta": "a quarter"}, "beta must be a finite number"),
        ("newmark", {"beta": "pi/4"}, "beta must be a rational number"),
        ("hht-alpha", {}, "hht-alpha needs alpha: give"),
        ("hht-alpha", {"alpha": 0.9}, r"alpha of hht-alpha must lie in \[-1/3, 0\].*1 \+ alpha means -1/10"),
        ("hht-alpha", {"alpha": 0.1}, r"alpha of hht-alpha must lie in \[-1/3, 0\], got 1/10$"),
        ("hht-alpha", {"alpha": -0.1, "load": "mid"}, "unknown load of hht-alpha 'mid': did you mean midpoint"),
        ("generalised-alpha", {}, "either rho_inf, or alpha_m and alpha_f"),
        ("generalised-alpha", {"alpha_m": 0.1}, "either rho_inf, or alpha_m and alpha_f"),
        ("generalised-alpha", {"rho_inf": 1, "alpha_m": 0.1, "alpha_f": 0.2}, "either rho_inf, or"),
        ("generalised-alpha", {"rho_inf": 1.1}, r"rho_inf of generalised-alpha must lie in \[0, 1\], got 11/10"),
        ("generalised-alpha", {"alpha_m": 1, "alpha_f": 0}, "must be below 1, got 1 and 0"),
        ("wilson-theta", {"theta": 0.9}, "theta of wilson-theta must not be below 1, got 9/10"),
        ("runge-kutta", {}, "runge-kutta needs either tableau, a name, or A and b"),
        ("runge-kutta", {"tableau": "rk4", "b": [1]}, "either tableau"),
        ("runge-kutta", {"A": [[]]}, "both A and b"),
        ("runge-kutta", {"tableau": "rk-4"}, "unknown tableau 'rk-4': did you mean rk4"),
        ("runge-kutta", {"A": [[], [1]], "b": [1]}, "A must have 1 rows of at most 1 entries"),
        ("runge-kutta", {"A": [[], ["sqrt(x)"]], "b": [0, 1]}, r"A\[1\]\[0\] must be a finite number"),
    ],
)
def test_what_cannot_be_read_is_named(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        read_method(name, parameters)


def test_numbers_are_exact_and_defaults_follow_their_formulas():
    assert read_method("newmark", {"beta": 0.3025}).numbers["beta"] == Fraction(121, 400)
    hht = read_method("hht-alpha", {"alpha": "-1/10"}).numbers
    assert (hht["beta"], hht["gamma"]) == (Fraction(121, 400), Fraction(3, 5))
    chung = read_method("generalised-alpha", {"rho_inf": "1/2"}).numbers
    assert [chung[k] for k in ("alpha_m", "alpha_f", "beta", "gamma")] == [0, *map(Fraction, ("1/3", "4/9", "5/6"))]


def test_roots_are_read():
    with mpmath.workdps(50):
        root2, root3 = mpmath.sqrt(2), mpmath.sqrt(3)
        entry = read_entry("1/4 - sqrt(12)/6 + 2e-1*sqrt(9)", "x")
        assert mpmath.almosteq(entry, mpmath.mpf(17) / 20 - root3 / 3, 1e-48)
        tableau = read_tableau([["sqrt(2)/2", "1/4-sqrt(2)/2"], []], [1, "1-sqrt(2)/2"])
        assert mpmath.almosteq(tableau.instants[0], mpmath.mpf(1) / 4, 1e-48)
        assert mpmath.almosteq(tableau.step[1], 1 - 1 / root2, 1e-48)


# --- marching -----------------------------------------------------------------------------------------------------


def test_many_small_steps_lose_no_digit():
    """Undamped central differences have a closed form: 2 asin(w h/2) of phase a step."""
    one, h, count = np.array([[1.0]]), 1e-3, 100_000
    problem = LinearProblem(one, 0 * one, one, lambda t: np.zeros(1), one[0], 0 * one[0])
    x, _ = march(read_method("central-difference", {}), problem, h, count)
    with mpmath.workdps(40):
        phase = 2 * mpmath.asin(mpmath.mpf(h) / 2)
        exact = [float(mpmath.cos(i * phase)) for i in range(0, count + 1, 1000)]
    assert np.abs(x[::1000, 0] - exact).max() < 1e-15


def test_an_unstable_march_overflows_quietly():
    one = np.array([[1.0]])
    problem = LinearProblem(one, 0 * one, 1e8 * one, lambda t: np.zeros(1), one[0], 0 * one[0])
    x, _ = march(read_method("central-difference", {}), problem, 1.0, 1000)
    assert np.abs(x[1, 0]) > 1e7
    assert not np.isfinite(x[-1, 0])


@pytest.mark.parametrize(
    ("changed", "step", "count", "message"),
    [
        ({"mass": np.eye(2)}, 0.1, 1, r"mass has shape \(2, 2\), the displacement asks for \(3, 3\)"),
        ({"velocity": np.zeros(2)}, 0.1, 1, r"velocity has shape \(2,\)"),
        ({}, 0.0, 1, "positive step"),
        ({}, 0.1, -1, "count not below 0"),
        ({"mass": np.zeros((3, 3))}, 0.1, 1, "singular"),
    ],
)
def test_a_march_that_makes_no_sense_is_refused(changed, step, count, message):
    with pytest.raises(ValueError, match=message):
        march(read_method("newmark", {}), replace(linear(), **changed), step, count)


@pytest.mark.all_schemes
def test_instants_that_a_program_sums_explain_its_last_digits():
    """Newmark's kernel adds step to step; its loads are those of the sums."""
    times = np.cumsum([START] + [STEP] * COUNT)
    response, method = solved(RAYLEIGH, "newmark", {}), read_method("newmark", {})
    even, summed = (difference(response, march(method, linear(), STEP, COUNT, t)) for t in (None, times))
    assert summed < 2e-14 < even


@pytest.mark.parametrize(
    "times", [START + 1.01 * STEP * np.arange(11), START + STEP * np.arange(10), np.full(11, np.nan)]
)
def test_times_that_are_no_even_grid_are_refused(times):
    with pytest.raises(ValueError, match=r"times must be the 11 instants 0\.25 s \+ i × 0\.01 s up to rounding"):
        march(read_method("newmark", {}), linear(), STEP, 10, times)


def test_no_step_is_the_start():
    x, v = march(read_method("newmark", {}), linear(), STEP, 0)
    assert np.array_equal(x, [linear().displacement])
    assert np.array_equal(v, [linear().velocity])
