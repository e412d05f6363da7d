"""Massless coordinates: the condensed problem moves as the equations by hand do, and as a problem of small masses."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from veridyn import Friction, Harmonic, Load, MechanicalProblem, NonlinearDamper, Stop, condensed
from veridyn.problem.errors import ProblemError
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as MODAL

TIMES = np.linspace(0.0, 3.0, 301)


def springs(n, *links):
    """Return a matrix (n, n) of springs or dashpots (i, j, k); j = None is the ground."""
    matrix = np.zeros((n, n))
    for i, j, k in links:
        line = np.eye(n)[i] - (0 if j is None else np.eye(n)[j])
        matrix += k * np.outer(line, line)
    return matrix


def chain(**changes):
    """Return mass 0, behind it a massless plate 1 on a spring; a Maxwell element with the node 2 holds the mass."""
    given = {
        "mass": np.diag([2.0, 0.0, 0.0]),
        "stiffness": springs(3, (0, None, 30.0), (0, 1, 500.0), (0, 2, 80.0)),
        "damping": springs(3, (2, None, 12.0), (0, None, 0.4)),
        "initial_displacement": [0.01, 0.0, 0.02],
        "initial_velocity": [1.0, 0.0, 0.0],
        "end": 3.0,
        "output_times": TIMES,
    }
    return condensed(**{**given, **changes})


def by_hand(p, loads=lambda t: np.zeros(3), wall=math.inf, k_wall=math.inf):
    """Return x (k, 3), velocity of the mass and force of the wall, from the equations of the first order."""
    kp = 500.0 * k_wall / (500.0 + k_wall) if k_wall < math.inf else 500.0

    def push(x):
        return kp * max(0.0, x - wall)

    def rate(t, y):
        x, v, s = y
        f = loads(t)
        return [v, (f[0] + f[1] - 30 * x - 80 * (x - s) - 0.4 * v - push(x)) / 2, (f[2] + 80 * (x - s)) / 12]

    start = [0.01, 1.0, 0.02]
    y = solve_ivp(rate, (0.0, 3.0), start, t_eval=TIMES, method="DOP853", rtol=1e-11, atol=1e-13, max_step=2e-3).y
    force = np.array([push(x) for x in y[0]])
    plate = y[0] + np.array([loads(t)[1] for t in TIMES]) / 500 - force / 500
    return np.column_stack((y[0], plate, y[2])), y[1], force


@pytest.mark.all_schemes
def test_springs_and_dashpots_are_condensed_exactly():
    wave = Harmonic(5.0, 7.0, 0.3)
    loads = (Load([1.0, 0.5, 2.0], wave), Load("x3", 1.5))
    c = chain(loads=loads)
    x, v, _ = by_hand(c, lambda t: np.array([1.0, 0.5, 2.0]) * wave(t) + np.array([0.0, 0.0, 1.5]))
    r = c.restored(EXACT.solve(c.problem, {}))
    assert c.problem.coordinates == ("x1", "z_x3")
    assert np.abs(r.displacement - x).max() < 1e-9
    assert np.abs(r.velocity[:, 0] - v).max() < 1e-8
    assert np.abs(r.velocity[1:-1, 2] - np.gradient(x[:, 2], TIMES)[1:-1]).max() < 1e-2
    assert np.isnan(r.velocity[:, 1]).all()
    step = MODAL.solve(c.problem, {"scheme": "newmark", "step": 1e-4})
    at = np.searchsorted(step.time, TIMES[:-1] - 1e-9)
    assert np.abs(step.displacement[at, 0] - x[:-1, 0]).max() < 1e-5


@pytest.mark.parametrize(("law", "k_wall"), [({"restitution": 0.5}, math.inf), ({"stiffness": 2e3}, 2e3)])
def test_a_plate_without_mass_meets_a_wall(law, k_wall):
    c = chain(stops=Stop("wall", "x2", gap=0.03, **law))
    x, v, force = by_hand(c, wall=0.03, k_wall=k_wall)
    assert force.max() > 10
    r = c.restored(EXACT.solve(c.problem, {}))
    at = np.searchsorted(r.time, TIMES[np.isin(TIMES, r.time)])
    kept = np.isin(TIMES, r.time)
    assert np.abs(r.displacement[at] - x[kept]).max() < 1e-8
    assert np.abs(r.velocity[at, 0] - v[kept]).max() < 1e-7
    assert np.abs(r.elements["wall"]["normal_force"][at] - force[kept]).max() < 1e-5
    gap = r.elements["wall"]["gap"]
    assert np.abs(gap - (0.03 - r.displacement[:, 1])).max() < 1e-12
    assert gap.min() == pytest.approx(-force.max() / k_wall, abs=1e-4 * abs(gap).max())
    pressed = r.elements["wall"]["normal_force"] > 0
    rate = r.elements["wall"]["normal_velocity"]
    assert np.abs(rate + r.velocity[:, 1])[pressed | (gap > 0)].max() < 1e-12
    assert k_wall < math.inf or np.abs(rate[pressed]).max() < 1e-12


def test_a_small_mass_tends_to_none():
    """Between planes, coupled by full matrices; two massless nodes with dashpots, one without."""
    rng = np.random.default_rng(3)
    n, massive = 5, [0, 3]
    g, h = rng.normal(size=(2, n, n))
    stiffness, damping = 100 * (g @ g.T + np.eye(n)), h @ h.T + np.eye(n)
    damping[2, :] = damping[:, 2] = 0.0
    weights = np.zeros(n)
    weights[massive] = 1.0, 2.0
    given = {
        "stiffness": stiffness,
        "damping": damping,
        "initial_velocity": weights,
        "end": 0.5,
        "output_times": np.linspace(0.0, 0.5, 51),
        "loads": Load(weights, Harmonic(3.0, 9.0)),
    }
    c = condensed(mass=np.diag(weights), **given)
    x = c.restored(EXACT.solve(c.problem, {})).displacement
    off = []
    for small in (1e-2, 1e-3, 1e-4):
        heavy = MechanicalProblem(mass=np.diag(weights + small * (weights == 0)), **given)
        off.append(np.abs(EXACT.solve(heavy, {}).displacement - x).max() / np.abs(x).max())
    # what has no dashpot rings with an amplitude v/w, as the root of its mass; samples meet the ringing by chance
    assert off[0] > off[1] > off[2]
    assert off[2] == pytest.approx(math.sqrt(1e-2) * off[0], rel=0.3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": np.eye(3)}, "no coordinate is without mass"),
        ({"mass": [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]}, "not positive definite"),
        ({"stiffness": springs(3, (0, None, 30.0), (0, 2, 80.0))}, "no spring holds x2"),
        ({"stiffness": springs(3, (0, None, 30.0), (0, 1, 80.0))}, "no spring holds x3"),
        ({"damping": springs(3, (1, 2, 5.0))}, "not enough dashpots damp x2, x3"),
        ({"stops": Stop("wall", "x3", gap=0.1, restitution=1.0)}, "stop 'wall' acts on a coordinate without mass but"),
        ({"stops": Stop("wall", "x2", gap=0.1, stiffness=1e3, damping=1.0)}, "stop 'wall' is damped, or absolute"),
        (
            {"stops": Stop("wall", "x2", gap=0.1, stiffness=1e3), "loads": Load("x2", 1.0)},
            "load 1 moves what stop 'wall' meets",
        ),
        ({"frictions": Friction("rub", "x2", 1.0, 0.3, 0.3)}, "friction 'rub' acts on coordinates without mass"),
        (
            {
                "devices": NonlinearDamper(
                    name="d", direction="x3", breaks=(0.0,), coefficients=((0.0, 1.0), (0.0, 2.0))
                )
            },
            "device 'd' acts on coordinates without mass",
        ),
    ],
)
def test_what_has_no_law_is_refused_in_a_line(changes, message):
    with pytest.raises(ProblemError, match=message) as caught:
        chain(**changes)
    assert "\n" not in str(caught.value)
