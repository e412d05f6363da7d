"""Known time integrators: each against another formulation, and the solvers that use them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from veridyn.references.methods.discrete import LinearProblem, march, read_method
from veridyn.references.methods.tableaux import TABLEAUX

from .linear_chain import COUNT, COUPLED, RAYLEIGH, ROUNDING, START, STEP, M, difference, force, linear, solved


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
