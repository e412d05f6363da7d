"""The exact solver does not depend on how a problem is written down.

Random structures with full matrices, stops and frictions along coordinates, oblique and dependent directions; the
coefficient of rest above that of sliding; frictions under constant forces and under those of stops, elastic or rigid
with any restitution; supports that move, and elements that see them or not. `tox -e truth` tries more of them:
``VERIDYN_PROBLEMS=10000 python -m pytest tests/properties/test_exact_order.py``.
"""

import os
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.basis import driven_displacement
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, pulse
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.exact.solver import SOLVER

PROBLEMS = int(os.environ.get("VERIDYN_PROBLEMS", "10"))
BATCH = 40
SAME = 1e-8  # of the largest displacement; rounding grows with every event
SURE = 240  # problems, of which none has so many impacts that rounding decides


def direction(rng, n, others):
    """Return a coordinate, an oblique direction, or a combination of the others."""
    kind = rng.integers(3)
    if kind == 0:
        return np.eye(n)[rng.integers(n)]
    if kind == 1 and others:
        return sum(rng.choice([-1.0, 1.0]) * others[i] for i in rng.integers(len(others), size=2))
    return rng.normal(size=n)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n, stops, frictions = rng.integers(1, 5), rng.integers(3), rng.integers(1, 5)
    g, h = rng.normal(size=(2, n, n))
    damping = [0.0, 0.05][rng.integers(2)]
    stiffness = 10 * h @ h.T + np.eye(n)
    tangents = []
    for _ in range(frictions):
        tangents.append(direction(rng, n, tangents))
    walls = tuple(
        Stop(f"stop{i}", direction(rng, n, []), rng.uniform(-0.02, 0.1), rng.uniform(50, 500), 2.0 * rng.integers(2))
        for i in range(stops)
    )
    rubs = []
    for j, tangent in enumerate(tangents):
        kinetic = rng.uniform(0.1, 0.6)
        static = kinetic * [1.0, 1.4][rng.integers(2)]
        normal = f"stop{rng.integers(stops)}" if stops and rng.integers(2) else rng.uniform(0.5, 3.0)
        rubs.append(Friction(f"rub{j}", (tangent,), normal, static, kinetic))
    moving = rng.integers(2)
    loads = [Load(rng.normal(size=n), Harmonic(rng.uniform(1, 6), rng.uniform(1, 5), rng.uniform(0, 6)))]
    if rng.integers(3) == 0:
        loads.append(Load(rng.normal(size=n), pulse(5.0, 0.5, 1.0)))
    return MechanicalProblem(
        name=f"seed {seed}",
        mass=g @ g.T + np.eye(n),
        stiffness=stiffness,
        damping=damping * stiffness,
        initial_displacement=0.1 * moving * rng.normal(size=n),
        initial_velocity=0.1 * moving * rng.normal(size=n),
        stops=walls,
        frictions=tuple(rubs),
        loads=tuple(loads),
        end=2.0,
        output_times=np.linspace(0.0, 2.0, 21),
    )


def hit_hard(seed):
    """Return a random problem with rigid stops, several of which may be hit together; none presses a friction."""
    problem, rng = random_problem(seed), np.random.default_rng([seed, 2])
    n, normals = problem.size, []
    for _ in range(rng.integers(1, 4)):
        normals.append(direction(rng, n, normals))
    restitution = [0.0, rng.uniform(), 1.0][rng.integers(3)]
    stops = [
        Stop(f"rigid{i}", normal, max(0.0, float(normal @ problem.initial_displacement)) + rng.integers(2) * 0.02,
             restitution=restitution)
        for i, normal in enumerate(normals)
    ]  # fmt: skip
    return replace(
        problem, stops=(*problem.stops[:1], *stops), frictions=tuple(map(pressed_by_itself, problem.frictions))
    )


def rubbing(rng, friction, stop):
    """Return a friction under a stop, along its plane."""
    normal, along = stop.normal, friction.tangents[0]
    square = normal @ normal
    if np.linalg.norm(along - normal * (normal @ along) / square) < 0.1:
        along = rng.normal(size=normal.size)
    along = along - normal * (normal @ along) / square
    return replace(friction, normal=stop.name, tangents=(along * np.sqrt(square / (along @ along)),))


def on_rigid(seed):
    """Return a random problem whose frictions are, most of them, under the forces of rigid stops."""
    problem, rng = hit_hard(seed), np.random.default_rng([seed, 4])
    rigid = [stop for stop in problem.stops if stop.rigid and stop.normal.any()]
    if problem.size == 1 or not rigid:  # no plane to rub on
        return on_rigid(seed + 1_000_000)
    frictions = [rubbing(rng, f, rigid[rng.integers(len(rigid))]) if rng.integers(4) else f for f in problem.frictions]
    return replace(problem, frictions=tuple(frictions))


def driven(seed):
    """Return a random problem on moving supports; what stops and rubs is fixed to them, or to the ground."""
    problem, rng = (random_problem, hit_hard, on_rigid)[seed % 3](seed), np.random.default_rng([seed, 3])
    frames = rng.choice(["relative", "absolute"], size=8)
    rigid = rng.choice(["relative", "absolute"])  # those of both frames may crush a body
    supports = tuple(
        SupportMotion.from_acceleration(f"base{i}", rng.normal(size=problem.size), Harmonic(*rng.uniform(1, 5, size=3)))
        for i in range(rng.integers(1, 3))
    )
    stops = [replace(s, frame=rigid if s.rigid else frame) for s, frame in zip(problem.stops, frames, strict=False)]
    moved = replace(problem, supports=supports)
    start = driven_displacement(moved, np.zeros(1))[0]
    stops = [
        replace(s, gap=s.gap + max(0.0, float(s.normal @ start))) if s.rigid and rigid == "absolute" else s
        for s in stops
    ]
    rubs = [replace(f, frame=frame) for f, frame in zip(problem.frictions, frames[::-1], strict=False)]
    return replace(moved, stops=tuple(stops), frictions=tuple(rubs))


def pressed_by_itself(friction):
    return replace(friction, normal=1.0) if friction.normal == "stop1" else friction


def scaled(rng, friction):
    """Return the same friction, its tangent of another length and sign."""
    factor = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-3, 3))
    size, tangents = abs(factor), (factor * friction.tangents[0],)
    if isinstance(friction.normal, str):
        return replace(friction, tangents=tangents, static=friction.static / size, kinetic=friction.kinetic / size)
    return replace(friction, tangents=tangents, normal=friction.normal / size)


def rewritten(rng, problem):
    """Return the problem in another order of coordinates, stops and frictions, and the order of the coordinates."""
    order = rng.permutation(problem.size)
    stops = [replace(s, normal=s.normal[order]) for s in problem.stops]
    frictions = [scaled(rng, replace(f, tangents=(f.tangents[0][order],))) for f in problem.frictions]
    return order, replace(
        problem,
        mass=problem.mass[np.ix_(order, order)],
        stiffness=problem.stiffness[np.ix_(order, order)],
        damping=problem.damping[np.ix_(order, order)],
        initial_displacement=problem.initial_displacement[order],
        initial_velocity=problem.initial_velocity[order],
        stops=tuple(stops[i] for i in rng.permutation(len(stops))),
        frictions=tuple(frictions[i] for i in rng.permutation(len(frictions))),
        loads=tuple(replace(load, direction=load.direction[order]) for load in problem.loads),
        supports=tuple(replace(s, influence=s.influence[order]) for s in problem.supports),
    )


def at_outputs(problem, response):
    instants = np.searchsorted(response.time, problem.output_times[::-1] - 1e-9)
    return response.displacement[np.minimum(instants, response.time.size - 1)]


def difference(seed, drawn=random_problem):
    """Return how far two ways to write one problem differ, of the largest displacement, and whether rounding decides.

    So the solver says where impacts have magnified it, and where there are more of them than it takes.
    """
    problem = drawn(seed)
    order, other = rewritten(np.random.default_rng([seed, 1]), problem)
    try:
        responses = [SOLVER.solve(p, {"most_impacts": 10_000}) for p in (problem, other)]
    except SolverFailure as refusal:
        if "jam" in str(refusal):  # no motion obeys the laws: both ways must say so
            with pytest.raises(SolverFailure, match="jam"):
                SOLVER.solve(other, {})
            return 0.0, False
        if "most_impacts" not in str(refusal):
            raise
        return np.inf, True
    one, two = (at_outputs(p, r) for p, r in zip((problem, other), responses, strict=True))
    unsure = any(r.counters.get("undetermined", 0) for r in responses)
    return np.abs(one[:, order] - two).max() / (np.abs(one).max() or 1.0), unsure


def different(seeds, drawn=random_problem):
    """Return the seeds whose two ways differ although rounding does not decide; among the first it never does."""
    found = {seed: difference(seed, drawn) for seed in seeds}
    return {seed: (d, unsure) for seed, (d, unsure) in found.items() if not (seed >= SURE if unsure else d <= SAME)}


@pytest.mark.parametrize("first", range(0, PROBLEMS, BATCH))
def test_order_scale_and_coordinates_do_not_matter(first):
    assert different(range(first, min(first + BATCH, PROBLEMS))) == {}


@pytest.mark.parametrize("first", range(0, PROBLEMS, BATCH))
def test_so_it_is_with_rigid_stops(first):
    assert different(range(first, min(first + BATCH, PROBLEMS)), hit_hard) == {}


@pytest.mark.parametrize("first", range(0, PROBLEMS // 3, BATCH))
def test_so_it_is_with_friction_under_rigid_stops(first):
    assert different(range(first, min(first + BATCH, PROBLEMS // 3)), on_rigid) == {}


@pytest.mark.parametrize("first", range(0, PROBLEMS // 3, BATCH))
def test_so_it_is_on_moving_supports(first):
    assert different(range(first, min(first + BATCH, PROBLEMS // 3)), driven) == {}


def test_what_was_refused_or_differed_once():
    """One friction on a rigid stop, slow hops beside slow turns, a plastic impact, a tangent without length."""
    assert different([1666, 7701]) == {}
    hit = [difference(seed, hit_hard) for seed in (2149, 2700, 2703, 2862, 3534)]
    assert [(d, unsure) for d, unsure in hit if unsure or d > SAME] == []


def test_of_parallel_stops_the_stronger_friction_sticks():
    """Two stops at one place, either of which may carry the body: the order in which they are listed said which."""
    assert different([383], driven) == {}


def test_the_solver_says_where_rounding_decides():
    d, unsure = difference(5298, hit_hard)
    assert d > SAME
    assert unsure


def test_endless_impacts_end_in_a_line():
    """Hops become smaller and smaller, and never end: there are more than a million of them."""
    with pytest.raises(
        SolverFailure, match=r"seed 3109: more than 100 impacts before .*raise the setting most_impacts"
    ):
        SOLVER.solve(hit_hard(3109), {"most_impacts": 100})
