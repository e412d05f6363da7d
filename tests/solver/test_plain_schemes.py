"""The kernels against plain implementations of the published formulas, written here once more.

Random modal systems with stops and friction; a few hundred steps, short of the horizon where rounding
is amplified by grazing contacts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic

EPS = 2.220446e-16


def section(stop, y, z):
    """Gap and inward normal of a stop in the plane of its local coordinates."""
    place = np.array([y, z])
    if stop.geometry == "profile":
        corners = [r * np.array([math.cos(angle), math.sin(angle)]) for angle, r in stop.profile]
        k = max(k for k, (angle, _) in enumerate(stop.profile) if angle <= math.atan2(z, y) % (2 * math.pi))
        along = (corners[k + 1] - corners[k]) / np.linalg.norm(corners[k + 1] - corners[k])
        n = np.array([-along[1], along[0]])
        return n @ (place - corners[k]), n
    if stop.lateral is not None:
        inside = -1.0 if stop.geometry == "circle" else 1.0
        return inside * (math.hypot(y, z) - stop.gap), inside * place / math.hypot(y, z)
    inward = 1.0 if stop.geometry == "parallel planes" and y < 0 else -1.0
    return stop.gap + inward * y, np.array([inward, 0.0])


@dataclass
class Law:
    """One stop with Coulomb friction, as formulas: gap d, inward normal (n_y, n_z), anchor of the stick."""

    stop: Stop
    friction: Friction | None
    stuck: bool = False
    force: np.ndarray = field(default_factory=lambda: np.zeros(2))
    anchor: np.ndarray | float = 0.0
    before: np.ndarray = field(default_factory=lambda: np.zeros(2))
    row: tuple[float, ...] = ()

    def directions(self, n, size):
        """Direction of the contact force, and tangents, as nodal directions."""
        given = self.friction.tangents if self.friction else ()
        tangents = np.array([*given, *[np.zeros(size)] * (2 - len(given))])
        if self.stop.lateral is None:
            return n[0] * self.stop.normal, tangents
        plane = np.array([self.stop.normal, self.stop.lateral])
        return n @ plane, np.array([np.array([-n[1], n[0]]) @ plane, tangents[1]])

    def __call__(self, x, v):
        """Return the nodal force (n,) at the position x (n,) and velocity v (n,)."""
        lateral = 0.0 if self.stop.lateral is None else self.stop.lateral @ x + self.stop.lateral_offset
        d, n = section(self.stop, self.stop.normal @ x + self.stop.offset, lateral)
        push, tangents = self.directions(n, x.size)
        slip, vn = tangents @ v, push @ v
        if d > 0:
            self.stuck, self.force, self.anchor, self.before = False, np.zeros(2), x.copy(), np.zeros(2)
            self.row = (0.0, d, vn, 0.0, 0.0)
            return np.zeros(x.size)
        fn = max(0.0, -self.stop.stiffness * d - self.stop.damping * vn)
        ft = self.tangential(fn, x, tangents, slip) if self.friction else np.zeros(2)
        self.row = (fn, d, vn, ft[0], float(self.stuck))
        return fn * push + ft @ tangents

    def tangential(self, fn, x, tangents, slip):
        law, speed = self.friction, math.hypot(*slip)
        slides = not self.stuck and slip @ self.before >= 0 and speed > 1e-6
        self.before = slip
        if not slides:
            trial = self.force - law.stiffness * (tangents @ (x - self.anchor)) - law.damping * slip
            self.stuck = math.hypot(*trial) <= law.static * fn
            if self.stuck:
                return trial
        self.force = -law.kinetic * fn * slip / speed if speed > EPS else np.zeros(2)
        self.anchor = x.copy()
        return self.force

    def save(self):
        return (self.stuck, self.force, self.anchor, self.before)

    def restore(self, saved):
        self.stuck, self.force, self.anchor, self.before = saved


class Plain:
    """A modal system: g(t, q, v) is everything but the modal damping c v."""

    def __init__(self, problem):
        self.modes, self.loads = problem.modes, problem.loads
        self.c = np.diag(self.modes.damping_matrix) / self.modes.masses
        self.coupling = self.modes.damping_matrix / self.modes.masses[:, None] - np.diag(self.c)
        rubbing = {f.normal: f for f in problem.frictions}
        self.laws = [Law(s, rubbing.get(s.name)) for s in problem.stops]

    def g(self, t, q, v):
        phi = self.modes.shapes
        nodal = sum((float(load.function(t)) * load.direction for load in self.loads), start=np.zeros(phi.shape[0]))
        for law in self.laws:
            nodal = nodal + law(phi @ q, phi @ v)
        return phi.T @ nodal / self.modes.masses - self.modes.omega**2 * q - self.coupling @ v

    def row(self):
        return [x for law in self.laws for x in law.row]


def symplectic_euler(plain, q, v, t, dt, steps):
    g = plain.g(t, q, v)
    yield t, q, v, plain.row()
    for _ in range(steps):
        v = v + dt * (g - plain.c * v)
        q = q + dt * v
        t += dt
        g = plain.g(t, q, v)
        yield t, q, v, plain.row()


def devogelaere(plain, q, v, t, dt, steps):
    h, c = dt / 2, plain.c
    g = plain.g(t, q, v)
    yield t, q, v, plain.row()
    q_half = q - h * v + dt**2 / 8 * (g - c * v)
    g_half = g + plain.modes.omega**2 * (q - q_half)
    v_half = ((4 + c * dt) * v - dt * (g_half + g)) / (4 - c * dt)
    for _ in range(steps):
        q_half = q + h * v + dt**2 / 24 * (4 * g - g_half - c * (4 * v - v_half))
        g_half = plain.g(t + h, q_half, (q_half - q) / h)
        v_half = 4 / (4 + c * dt) * (v + dt / 4 * (g + g_half - c * v))
        q_new = q + dt * v + dt**2 / 6 * (g + 2 * g_half - c * (v + 2 * v_half))
        t += dt
        g_new = plain.g(t, q_new, (q_new - q_half) / h)
        v = 6 / (6 + c * dt) * (v + dt / 6 * (g_new + 4 * g_half + g - c * (4 * v_half + v)))
        q, g = q_new, g_new
        yield t, q, v, plain.row()


def central_differences(plain, q, v, t, dt, steps):
    a, u = plain.g(t, q, v) - plain.c * v, v
    yield t, q, v, plain.row()
    for k in range(steps):
        u = u + a * (dt / 2 if k == 0 else dt)
        q = q + dt * u
        v = u + dt / 2 * a
        t += dt
        a = plain.g(t, q, v) - plain.c * v
        yield t, q, v, plain.row()


@dataclass
class ImplicitStep:
    """Newmark's formulas, the balance between the ends of a step: Newton's method with a matrix of differences.

    A step in which it wanders between branches of the laws keeps the forces of its start.
    """

    beta: float = 1 / 4
    gamma: float = 1 / 2
    alpha_m: float = 0.0
    alpha_f: float = 0.0

    def __call__(self, plain, q, v, t, dt, steps):
        w2, c, kept = plain.modes.omega**2, plain.c, self.alpha_f
        f = plain.g(t, q, v) + w2 * q
        a = f - w2 * q - c * v
        yield t, q, v, plain.row()
        for _ in range(steps):
            t, past = t + dt, kept * (f - c * v - w2 * q) - self.alpha_m * a
            star = q + dt * v + (1 / 2 - self.beta) * dt**2 * a, v + (1 - self.gamma) * dt * a
            saved = [law.save() for law in plain.laws]

            def moved(a, star=star):
                return star[0] + self.beta * dt**2 * a, star[1] + self.gamma * dt * a

            def forces(a, t=t, saved=saved, moved=moved):
                for law, state in zip(plain.laws, saved, strict=True):
                    law.restore(state)
                return plain.g(t, *moved(a)) + w2 * moved(a)[0]

            def under(f, star=star, past=past):
                implicit = 1 - self.alpha_m + (1 - kept) * (self.gamma * dt * c + self.beta * dt**2 * w2)
                return (past + (1 - kept) * (f - c * star[1] - w2 * star[0])) / implicit

            first = under(f)
            found, settled = root(lambda a, under=under, forces=forces: under(forces(a)) - a, first)
            end = np.where(settled, found, first)
            f, (q, v) = forces(end), moved(end)
            a = under(f)
            yield t, q, v, plain.row()


def root(function, x):
    """Root of a function, one pass more than it needs, and which entries Newton's method has found."""
    found = False
    for _ in range(25):
        left = function(x)
        if found:
            return x, np.full(x.size, fill_value=True)
        settled = np.abs(left) <= 1e-9 * (1 + np.abs(x).max())
        found = settled.all()
        matrix = np.column_stack([(function(x + 1e-3 * e) - left) / 1e-3 for e in np.eye(x.size)])
        x = x - np.linalg.solve(matrix, left)
    return x, settled


def generalised_alpha(rho):
    """Chung and Hulbert's weights."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    return ImplicitStep((1 - alpha_m + alpha_f) ** 2 / 4, 1 / 2 - alpha_m + alpha_f, alpha_m, alpha_f)


def exact_propagation(plain, q, v, t, dt, steps):
    """Each mode by its closed form under a force that is a line, whose end is predicted once (ITMI)."""
    modes = plain.modes
    w2, xi = modes.omega**2, modes.damping
    decay, wd = xi * modes.omega, modes.omega * np.sqrt(1 - xi**2)

    def moved(q, v, f, slope):
        # the particular solution is the line (f + slope t)/w² - slope c/w⁴
        offset, rise = f / w2 - slope * plain.c / w2**2, slope / w2
        x, y = q - offset, v - rise
        e, co, si = np.exp(-decay * dt), np.cos(wd * dt), np.sin(wd * dt)
        b = (y + decay * x) / wd
        free, rate = e * (x * co + b * si), e * (wd * (b * co - x * si) - decay * (x * co + b * si))
        return free + offset + rise * dt, rate + rise

    f = plain.g(t, q, v) + w2 * q
    yield t, q, v, plain.row()
    for _ in range(steps):
        t, end, saved = t + dt, f, [law.save() for law in plain.laws]
        for _ in range(2):
            q_new, v_new = moved(q, v, f, (end - f) / dt)
            for law, state in zip(plain.laws, saved, strict=True):
                law.restore(state)
            end = plain.g(t, q_new, v_new) + w2 * q_new
        q, v, f = q_new, v_new, end
        yield t, q, v, plain.row()


class RungeKutta:
    """An explicit formula, its coefficients typed once more; every stage meets the contacts as the step found them."""

    def __init__(self, *rows):
        self.rows = rows

    def __call__(self, plain, q, v, t, dt, steps):
        a = plain.g(t, q, v) - plain.c * v
        yield t, q, v, plain.row()
        for _ in range(steps):
            saved, slopes = [law.save() for law in plain.laws], [(v, a)]
            for row in self.rows:
                for law, state in zip(plain.laws, saved, strict=True):
                    law.restore(state)
                q_new = q + dt * sum(w * dq for w, (dq, _) in zip(row, slopes, strict=True))
                v_new = v + dt * sum(w * dv for w, (_, dv) in zip(row, slopes, strict=True))
                slopes.append((v_new, plain.g(t + dt * sum(row), q_new, v_new) - plain.c * v_new))
            q, (v, a), t = q_new, slopes[-1], t + dt
            yield t, q, v, plain.row()


BOGACKI_SHAMPINE = RungeKutta((1 / 2,), (0, 3 / 4), (2 / 9, 3 / 9, 4 / 9))
DORMAND_PRINCE = RungeKutta(
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)


def adaptive_2020(plain, q, v, t, dt, end, *, largest, points=50.0, maximum=False, restore=True, tried=False):
    """Central differences under the control of 2020, retries included."""
    a, u, before, counter, floor = plain.g(t, q, v) - plain.c * v, v, 0.0, 1, np.full(q.size, 1e-15)
    yield t, q, v, plain.row()
    steps = 0
    while end - t > (steps + 1) * 10 * EPS:
        dt = min(dt, end - t)
        saved, first_try, tries = [law.save() for law in plain.laws], dt, 0
        while True:
            tries += 1
            last = first_try if tried and steps else before
            u_new = u + a * (last + dt) / 2
            q_new, v_new = q + dt * u_new, u_new + dt / 2 * a
            a_new = plain.g(t + dt, q_new, v_new) - plain.c * v_new
            ratio = np.max(np.abs(a_new - a) / np.maximum(np.abs(q_new - q), floor * dt))
            error = points * dt * math.sqrt(max(ratio, EPS)) / (2 * math.pi)
            if error < 1 or tries == 16:
                break
            dt /= 1.3333334
            if restore:
                for law, state in zip(plain.laws, saved, strict=True):
                    law.restore(state)
        q, v, u, a, t, before, steps = q_new, v_new, u_new, a_new, t + dt, dt, steps + 1
        floor = np.maximum(floor, 0.01 * np.abs(u)) if maximum else np.full(q.size, 0.01 * np.linalg.norm(u))
        if counter <= 4.5:
            counter += 1
        elif error < 0.75:
            dt, counter = dt * 1.1, 1
        dt = min(dt, largest)
        yield t, q, v, plain.row()


FIXED = {
    "symplectic_euler": symplectic_euler,
    "devogelaere": devogelaere,
    "devogelaere_adaptive": devogelaere,
    "central_adaptive": central_differences,
    "euler_adaptive": symplectic_euler,
    "newmark": ImplicitStep(),
    "generalised_alpha": generalised_alpha(0.8),
    "itmi": exact_propagation,
    "runge_kutta_32": BOGACKI_SHAMPINE,
    "runge_kutta_54": DORMAND_PRINCE,
}
SHARP = {name: {"iteration_tolerance": 1e-14} for name in ("newmark", "generalised_alpha")}
CORNERS = np.array([[0.0, 0.1], [1.0, 0.12], [2.5, 0.08], [3.5, 0.1], [5.0, 0.13], [2 * math.pi, 0.1]])


def slot(geometry, direction):
    """Return a stop on two sides, or one around the body or inside its way."""
    if geometry == "parallel planes":
        return Stop("slot", direction, 0.1, 150.0, geometry=geometry)
    lateral, own = [0.3, 1.0, -0.4], {"profile": CORNERS} if geometry == "profile" else {}
    gap = 0.0 if own else 0.1
    return Stop("slot", direction, gap, 150.0, 0.0, 0.01, geometry, lateral=lateral, lateral_offset=-0.02, **own)


def random_problem(seed, *, contact=True, end=3.0, geometry="parallel planes"):
    """Return two or three modes of three coordinates, a load, and stops that are hit and rubbed."""
    draw = np.random.default_rng(seed)
    r = 2 + seed % 2
    modes = Modes(
        omega=draw.uniform(2, 8, r),
        damping=draw.uniform(0, 0.1, r),
        masses=draw.uniform(0.5, 2, r),
        shapes=draw.normal(size=(3, r)),
    )
    tangents = tuple(draw.normal(size=3) for _ in range(1 + seed % 2))
    stops = (
        Stop("wall", draw.normal(size=3), 0.05, 200.0, damping=draw.uniform(0, 5), offset=0.01),
        slot(geometry, draw.normal(size=3)),
    )
    rubs = (
        Friction("rub", tangents, "wall", 0.4, 0.3, "regularised", 300.0, damping=draw.uniform(0, 5)),
        Friction("side rub", (*stops[1].directions[1:], draw.normal(size=3)), "slot", 0.3, 0.3, "regularised", 200.0),
    )
    return MechanicalProblem(
        name=f"random {seed}",
        modes=modes,
        initial_displacement=modes.shapes @ draw.uniform(-0.2, 0.2, r),
        initial_velocity=modes.shapes @ draw.uniform(-1, 1, r),
        end=end,
        loads=(Load(draw.normal(size=3), Harmonic(2.0, 3.0)),),
        stops=stops if contact else (),
        frictions=rubs if contact else (),
    )


def response_rows(response):
    """Return the histories of the elements side by side, as `Plain.row` orders them."""
    columns = []
    for stop, friction in (("wall", "rub"), ("slot", "side rub")):
        s, f = response.elements[stop], response.elements[friction]
        columns += [s["normal_force"], s["gap"], s["normal_velocity"], f["force"], f["stuck"]]
    return np.array(columns).T


def assert_same(response, states, shapes, *, elements=True):
    time, q, v, rows = (np.array(part) for part in zip(*states, strict=True))
    assert response.time == pytest.approx(time, rel=1e-13)
    scale = np.abs(q @ shapes.T).max()
    assert response.displacement == pytest.approx(q @ shapes.T, rel=1e-12, abs=1e-11 * scale)
    assert response.velocity == pytest.approx(v @ shapes.T, rel=1e-12, abs=1e-11 * np.abs(v @ shapes.T).max())
    if elements:
        assert response_rows(response) == pytest.approx(rows, abs=1e-9 * (1 + np.abs(rows).max()))
        forces = rows[:, [0, 5]]
        assert (forces > 0).any(axis=0).all(), "a stop that nothing touches tests nothing"
        assert {0.0, 1.0} == set(rows[:, [4, 9]].ravel()), "friction must stick and slide"


def start(problem):
    back = np.linalg.pinv(problem.modes.shapes)
    return back @ problem.initial_displacement, back @ problem.initial_velocity, problem.start


STOPS = [(seed, "parallel planes") for seed in (0, 1, 2, 3, 4, 5, 8, 9)]
STOPS += [(4, geometry) for geometry in ("circle", "outside circle", "profile")]


@pytest.mark.parametrize("scheme", FIXED)
def test_fixed_step(scheme, march):
    for seed, geometry in STOPS:
        problem, step, steps = random_problem(seed, geometry=geometry), 0.01, 300
        response = march(problem, scheme, step, **SHARP.get(scheme, {}))
        states = FIXED[scheme](Plain(problem), *start(problem), step, steps)
        assert_same(response, states, problem.modes.shapes)


@pytest.mark.parametrize("scheme", FIXED)
def test_fixed_step_without_contact(scheme, march):
    problem, step, steps = random_problem(3, contact=False, end=5.0), 0.01, 500
    response = march(problem, scheme, step)
    states = FIXED[scheme](Plain(problem), *start(problem), step, steps)
    assert_same(response, states, problem.modes.shapes, elements=False)


@pytest.mark.parametrize("scheme", FIXED)
@pytest.mark.parametrize("contact", [True, False])
def test_damping_that_couples_modes(scheme, contact, march):
    problem, step, steps = random_problem(3, contact=contact), 0.01, 300
    coupling = np.array([[0.0, 0.3, -0.2], [0.3, 0.0, 0.1], [-0.2, 0.1, 0.0]])
    problem = replace(problem, modes=replace(problem.modes, coupling=coupling))
    response = march(problem, scheme, step, **SHARP.get(scheme, {}))
    states = FIXED[scheme](Plain(problem), *start(problem), step, steps)
    assert_same(response, states, problem.modes.shapes, elements=contact)


VARIANTS = {
    "clean": ({}, {}),
    "growing": ({"points_per_period": 20.0, "largest": 2.0}, {"points": 20.0, "largest": 0.02}),
    "fine": ({"points_per_period": 80.0}, {"points": 80.0}),
    "maximum": ({"velocity_floor": "maximum"}, {"maximum": True}),
    "friction kept": ({"restore_friction": False}, {"restore": False}),
    "weight of try": ({"weight_of_try": True}, {"tried": True}),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_adaptive_step(variant, run):
    options, arguments = VARIANTS[variant]
    for seed, geometry in (*((k, "parallel planes") for k in (0, 3, 4, 7)), (4, "profile")):
        problem, step = random_problem(seed, end=1.0, geometry=geometry), 0.01
        response = run(problem, "central_adaptive", step, **{"largest": 1.0, **options})
        states = adaptive_2020(Plain(problem), *start(problem), step, problem.end, **{"largest": step, **arguments})
        assert_same(response, list(states), problem.modes.shapes, elements=False)


@pytest.mark.parametrize("variant", ["growing", "fine", "maximum", "friction kept", "weight of try"])
def test_every_option_matters(variant, run):
    problem = random_problem(7, end=1.0)
    clean = run(problem, "central_adaptive", 0.01, largest=1.0)
    changed = run(problem, "central_adaptive", 0.01, **{"largest": 1.0, **VARIANTS[variant][0]})
    assert not np.array_equal(clean.displacement[-1], changed.displacement[-1])
