"""Known time integrators: each against another formulation, known limits and orders, and the solvers that use them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.linalg import eigh

from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.methods.discrete import LinearProblem, march, read_method
from veridyn.references.methods.recurrences import MatrixSystem, assemble
from veridyn.references.methods.tableaux import TABLEAUX, read_entry, read_tableau
from veridyn.solver.integrators.modal import SOLVER

M = np.array([[2.0, 0.3, 0.0], [0.3, 1.5, 0.2], [0.0, 0.2, 1.0]])
K = np.array([[300.0, -120.0, 0.0], [-120.0, 250.0, -80.0], [0.0, -80.0, 90.0]])
RAYLEIGH = 0.4 * M + 0.002 * K
COUPLED = np.array([[1.0, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])
STEP, COUNT, START = 0.01, 400, 0.25
LOADS = (Load([1.0, 0.0, 2.0], Harmonic(3.0, 5.0, 0.4)), Load([0.0, 1.0, -1.0], Harmonic(2.0, 9.0, 1.1)))

ROUNDING = 1e-12  # of 400 steps in double precision, relative to the largest value; measured: below 2e-13


def force(t):
    return sum(load.direction * load.function(t) for load in LOADS)


def linear(damping=RAYLEIGH):
    return LinearProblem(M, damping, K, force, np.array([0.02, -0.01, 0.03]), np.array([0.1, 0.3, -0.2]), START)


def difference(one, other):
    """Return the largest difference of displacements and of velocities, relative to the largest value."""
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(one, other, strict=True))


def recorded(steps):
    """Return displacement and velocity (count + 1, n) of pairs."""
    return tuple(map(np.array, zip(*steps, strict=True)))


# --- other formulations -------------------------------------------------------------------------------------------


def effective_stiffness(p, alpha_m, alpha_f, beta, gamma, load):
    """Alpha methods, solved for the displacement at the end of the step."""
    x, v, h = p.displacement, p.velocity, STEP
    a = np.linalg.solve(p.mass, p.force(START) - p.damping @ v - p.stiffness @ x)
    yield x, v
    new = 1 - alpha_f
    left = p.mass * (1 - alpha_m) / (beta * h * h) + new * (p.damping * gamma / (beta * h) + p.stiffness)
    for i in range(COUNT):
        a_free = -x / (beta * h * h) - v / (beta * h) - (1 / (2 * beta) - 1) * a
        v_free = v + h * ((1 - gamma) * a + gamma * a_free)
        f = load(START + i * h, START + (i + 1) * h, new)
        inner = p.mass @ ((1 - alpha_m) * a_free + alpha_m * a) + p.damping @ (new * v_free + alpha_f * v)
        x_new = np.linalg.solve(left, f - inner - alpha_f * p.stiffness @ x)
        a = a_free + x_new / (beta * h * h)
        v = v_free + x_new * gamma / (beta * h)
        x = x_new
        yield x, v


def on_the_chord(t, t_new, new):
    return (1 - new) * force(t) + new * force(t_new)


def at_the_instant(t, t_new, new):
    return force((1 - new) * t + new * t_new)


def wilson_bathe(p, theta, load):
    """Wilson's method as in Bathe's book, solved for the displacement at the end of theta h."""
    x, v, h, reach = p.displacement, p.velocity, STEP, theta * STEP
    a = np.linalg.solve(p.mass, p.force(START) - p.damping @ v - p.stiffness @ x)
    yield x, v
    left = p.stiffness + 6 / reach**2 * p.mass + 3 / reach * p.damping
    for i in range(COUNT):
        right = load(START + i * h, START + (i + 1) * h, theta)
        right = right + p.mass @ (6 / reach**2 * x + 6 / reach * v + 2 * a)
        right = right + p.damping @ (3 / reach * x + 2 * v + reach / 2 * a)
        far = np.linalg.solve(left, right)
        a_new = 6 / (theta * reach**2) * (far - x) - 6 / (theta * reach) * v + (1 - 3 / theta) * a
        x = x + h * v + h * h / 6 * (a_new + 2 * a)
        v = v + h / 2 * (a_new + a)
        a = a_new
        yield x, v


def three_instants(p):
    """Central differences of displacements alone; the velocity is the difference over two steps."""
    x, v, h = p.displacement, p.velocity, STEP
    a = np.linalg.solve(p.mass, p.force(START) - p.damping @ v - p.stiffness @ x)
    before = x - h * v + h * h / 2 * a
    left = p.mass / h**2 + p.damping / (2 * h)
    for i in range(COUNT + 1):
        right = p.force(START + i * h) - (p.stiffness - 2 / h**2 * p.mass) @ x
        after = np.linalg.solve(left, right - (p.mass / h**2 - p.damping / (2 * h)) @ before)
        yield x, (after - before) / (2 * h)
        before, x = x, after


def half_steps(p):
    """Central differences with a velocity at half-steps, led on by half a step."""
    x, v, h, weight = p.displacement, p.velocity, STEP, STEP / 2
    half = v
    yield x, v
    for i in range(COUNT):
        a = np.linalg.solve(p.mass, p.force(START + i * h) - p.damping @ v - p.stiffness @ x)
        half, weight = half + weight * a, h
        x, v = x + h * half, half + h / 2 * a
        yield x, v


def kicks(p, position_first=False, implicit=False):
    """Symplectic Euler as a change of momentum."""
    x, momentum, h = p.displacement, p.mass @ p.velocity, STEP
    by_velocity = np.linalg.inv(p.mass)
    yield x, p.velocity
    for i in range(COUNT):
        if position_first:
            x = x + h * by_velocity @ momentum
        push = p.force(START + (i + position_first) * h) - p.stiffness @ x
        drag = p.damping @ by_velocity
        if implicit:
            momentum = np.linalg.solve(np.eye(len(x)) + h * drag, momentum + h * push)
        else:
            momentum = momentum + h * (push - drag @ momentum)
        if not position_first:
            x = x + h * by_velocity @ momentum
        yield x, by_velocity @ momentum


def fu(p):
    """De Vogelaere's method with Fu's damping, implicit formulas written as such, in accelerations per unit mass."""
    inverse = np.linalg.inv(p.mass)
    c, k, h, one = inverse @ p.damping, inverse @ p.stiffness, STEP, np.eye(len(p.mass))
    x, v = p.displacement, p.velocity
    g = inverse @ p.force(START) - k @ x
    x_old = x - h / 2 * v + h * h / 8 * (g - c @ v)
    g_old = inverse @ p.force(START) - k @ x_old
    # v = v_old + h/4 (g_old - c v_old + g - c v), the trapezoidal rule over the half-step
    v_old = np.linalg.solve(one - h / 4 * c, v - h / 4 * (g_old + g - c @ v))
    yield x, v
    for i in range(COUNT):
        t = START + i * h
        x_half = x + h / 2 * v + h * h / 24 * (4 * (g - c @ v) - (g_old - c @ v_old))
        g_half = inverse @ p.force(t + h / 2) - k @ x_half
        v_half = np.linalg.solve(one + h / 4 * c, v + h / 4 * (g - c @ v + g_half))
        x = x + h * v + h * h / 6 * (g - c @ v + 2 * (g_half - c @ v_half))
        g_new = inverse @ p.force(t + h) - k @ x
        # Simpson's rule
        v = np.linalg.solve(one + h / 6 * c, v + h / 6 * (g - c @ v + 4 * (g_half - c @ v_half) + g_new))
        g, g_old, v_old = g_new, g_half, v_half
        yield x, v


def first_order(p, tableau):
    """Runge-Kutta on y' = L y + g(t), all stages at once."""
    a, b, c = (part.astype(float) for part in (tableau.stages, tableau.step, tableau.instants))
    n, h = len(p.mass), STEP
    inverse = np.linalg.inv(p.mass)
    rate = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ p.stiffness, -inverse @ p.damping]])
    left = np.eye(2 * n * len(b)) - h * np.kron(a, rate)
    y = np.concatenate((p.displacement, p.velocity))
    yield y[:n], y[n:]
    for i in range(COUNT):
        pushes = [np.concatenate((np.zeros(n), inverse @ p.force(START + (i + s) * h))) for s in c]
        slopes = np.linalg.solve(left, np.concatenate([rate @ y + push for push in pushes]))
        y = y + h * b @ slopes.reshape(len(b), -1)
        yield y[:n], y[n:]


def generalised(rho):
    m, f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    return m, f, (1 - m + f) ** 2 / 4, 0.5 - m + f


OTHERS = [
    ("newmark", {}, lambda p: effective_stiffness(p, 0, 0, 0.25, 0.5, on_the_chord)),
    ("newmark", {"beta": 0.3025, "gamma": "3/5"}, lambda p: effective_stiffness(p, 0, 0, 0.3025, 0.6, on_the_chord)),
    ("hht-alpha", {"alpha": -0.1}, lambda p: effective_stiffness(p, 0, 0.1, 1.1**2 / 4, 0.6, on_the_chord)),
    (
        "hht-alpha",
        {"alpha": "-1/3", "load": "midpoint"},
        lambda p: effective_stiffness(p, 0, 1 / 3, 4 / 9, 5 / 6, at_the_instant),
    ),
    (
        "hht-alpha",
        {"alpha": "-0.05", "beta": 0.3, "gamma": 0.55},
        lambda p: effective_stiffness(p, 0, 0.05, 0.3, 0.55, on_the_chord),
    ),
    (
        "generalised-alpha",
        {"rho_inf": 0.8},
        lambda p: effective_stiffness(p, *generalised(0.8), on_the_chord),
    ),
    (
        "generalised-alpha",
        {"alpha_m": 0.1, "alpha_f": 0.4, "beta": 0.4, "gamma": 0.8, "load": "midpoint"},
        lambda p: effective_stiffness(p, 0.1, 0.4, 0.4, 0.8, at_the_instant),
    ),
    ("wilson-theta", {"theta": 1.4}, lambda p: wilson_bathe(p, 1.4, on_the_chord)),
    ("wilson-theta", {"theta": 1.5, "load": "midpoint"}, lambda p: wilson_bathe(p, 1.5, at_the_instant)),
    ("central-difference", {}, three_instants),
    (
        "central-difference",
        {"mass": "lumped"},
        lambda p: three_instants(replace(p, mass=np.diag(p.mass.sum(axis=1)))),
    ),
    ("central-difference", {"velocity": "extrapolated"}, half_steps),
    ("symplectic-euler", {}, kicks),
    ("symplectic-euler", {"form": "position-first"}, lambda p: kicks(p, position_first=True)),
    ("symplectic-euler", {"damping": "implicit"}, lambda p: kicks(p, implicit=True)),
    ("de-vogelaere", {}, fu),
    *(("runge-kutta", {"tableau": name}, lambda p, t=t: first_order(p, t)) for name, t in TABLEAUX.items()),
]


@pytest.mark.parametrize(("name", "parameters", "other"), OTHERS, ids=[f"{n}-{list(p.values())}" for n, p, _ in OTHERS])
def test_another_formulation_gives_the_same(name, parameters, other):
    # three instants lose digits in differences over a step
    allowed = 1e-10 if other is three_instants or parameters.get("mass") else ROUNDING
    for damping in (RAYLEIGH, COUPLED):
        problem = linear(damping)
        exact = march(read_method(name, parameters), problem, STEP, COUNT)
        assert difference(recorded(other(problem)), exact) < allowed


WRONG = [
    ("newmark", {"beta": 0.25}, {"beta": 0.251}),
    ("newmark", {"gamma": 0.5}, {"gamma": 0.501}),
    ("newmark", {"beta": 0.25}, {"beta": 0.2525}),
    ("hht-alpha", {"alpha": -0.1}, {"alpha": -0.101}),
    ("hht-alpha", {"alpha": -0.1}, {"alpha": -0.1, "load": "midpoint"}),
    ("hht-alpha", {"alpha": -0.1}, {"alpha": -0.1, "beta": 0.303}),
    ("generalised-alpha", {"rho_inf": 0.8}, {"rho_inf": 0.801}),
    ("generalised-alpha", {"rho_inf": 0.8}, {"rho_inf": 0.8, "load": "midpoint"}),
    ("generalised-alpha", {"rho_inf": 0.8}, {"rho_inf": 0.8, "gamma": 0.612}),
    ("wilson-theta", {"theta": 1.4}, {"theta": 1.401}),
    ("central-difference", {}, {"mass": "lumped"}),
    ("central-difference", {}, {"velocity": "extrapolated"}),
    ("symplectic-euler", {}, {"form": "position-first"}),
    ("symplectic-euler", {}, {"damping": "implicit"}),
    (
        "runge-kutta",
        {"tableau": "rk4"},
        {"A": [[], ["1/2"], [0, "0.501"], [0, 0, 1]], "b": ["1/6", "1/3", "1/3", "1/6"]},
    ),
    (
        "runge-kutta",
        {"tableau": "heun"},
        {"A": [[], [1]], "b": ["1/2", "1/2"], "c": [0, "0.999"]},
    ),
]


@pytest.mark.parametrize(("name", "right", "wrong"), WRONG)
def test_a_parameter_off_in_the_third_digit_is_far_beyond_rounding(name, right, wrong):
    one, other = (march(read_method(name, parameters), linear(), STEP, COUNT) for parameters in (right, wrong))
    assert difference(one, other) > 1e3 * ROUNDING


# --- the integrators of the modal solver --------------------------------------------------------------------------

CONSTANT = {"smallest": 1, "largest": 1}
SCHEMES = [
    ("symplectic_euler", {}, "symplectic-euler", {}),
    ("euler_adaptive", CONSTANT, "symplectic-euler", {}),
    ("central_adaptive", CONSTANT, "central-difference", {"velocity": "extrapolated"}),
    ("newmark", {}, "newmark", {"beta": "1/4", "gamma": "1/2"}),
    ("newmark", {"beta": 0.3025, "gamma": 0.6}, "newmark", {"beta": 0.3025, "gamma": 0.6}),
    ("devogelaere", {}, "de-vogelaere", {}),
    ("devogelaere_adaptive", CONSTANT, "de-vogelaere", {}),
    ("runge_kutta_32", CONSTANT, "runge-kutta", {"tableau": "bogacki-shampine"}),
    ("runge_kutta_54", CONSTANT, "runge-kutta", {"tableau": "dormand-prince"}),
]


def solved(damping, scheme, options):
    p = linear(damping)
    problem = MechanicalProblem(
        name="three masses",
        mass=p.mass,
        damping=p.damping,
        stiffness=p.stiffness,
        loads=LOADS,
        initial_displacement=p.displacement,
        initial_velocity=p.velocity,
        start=START,
        end=START + COUNT * STEP,
    )
    response = SOLVER.solve(problem, {"scheme": scheme, "step": STEP, "check_step": False, **options})
    return response.displacement, response.velocity


def modal(p):
    """Return a problem in modal coordinates of unit mass, and the shapes."""
    omega2, shapes = eigh(p.stiffness, p.mass)
    back = shapes.T @ p.mass
    problem = LinearProblem(
        np.eye(len(omega2)),
        shapes.T @ p.damping @ shapes,
        np.diag(omega2),
        lambda t: shapes.T @ p.force(t),
        back @ p.displacement,
        back @ p.velocity,
        p.start,
    )
    return problem, shapes


@pytest.mark.parametrize(("scheme", "options", "name", "parameters"), SCHEMES)
@pytest.mark.parametrize("damping", [0 * M, RAYLEIGH, COUPLED], ids=["undamped", "proportional", "coupled"])
def test_the_modal_solver_follows_the_discrete_solution_to_rounding(scheme, options, name, parameters, damping):
    problem = linear(damping)
    if name == "de-vogelaere" and damping is COUPLED:
        (problem, shapes), parameters = modal(problem), {"damping": "diagonal"}
    else:
        shapes = np.eye(3)
    exact = [history @ shapes.T for history in march(read_method(name, parameters), problem, STEP, COUNT)]
    assert difference(solved(damping, scheme, options), exact) < ROUNDING


@pytest.mark.all_schemes
def test_the_modal_solver_treats_coupled_damping_of_de_vogelaere_as_a_force():
    exact = march(read_method("de-vogelaere", {}), linear(COUPLED), STEP, COUNT)
    assert difference(solved(COUPLED, "devogelaere", {}), exact) > 1e-5


@pytest.mark.all_schemes
@pytest.mark.parametrize("wrong", [{"beta": 0.251}, {"beta": 0.2525}, {"gamma": 0.501}, {"lagged": True}])
def test_a_seeded_fault_of_newmark_shows(wrong):
    exact = march(read_method("newmark", {}), linear(), STEP, COUNT)
    assert difference(solved(RAYLEIGH, "newmark", wrong), exact) > 1e3 * ROUNDING


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
