"""Faults of real releases show the wrong numbers of their reports, and their sound twins the right ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.time_functions import constant

from .faults.field import HOSTS
from .hosts.field import rigid_body
from .hosts.field.structure import modes_of

ROUNDING = 5e-14
BY_NAME = {host.name: host for host in HOSTS}


def motion(rates, initial, end, *events, start=0.0, outputs=None):
    """Return an initial value problem in the states x and v, as many as there are rates."""
    return InitialValueProblem(
        name="motion",
        states=("x", "v")[: len(rates)],
        modes=(Mode(name="moves", rates=rates, events=events),),
        initial=initial,
        start=start,
        end=end,
        output_times=outputs,
    )


def structure(mass, stiffness, displacement, end, damping=None):
    """Return a structure that is released from a displacement."""
    return MechanicalProblem(
        mass=np.atleast_2d(mass),
        stiffness=np.atleast_2d(stiffness),
        damping=np.zeros_like(np.atleast_2d(mass)) if damping is None else damping,
        initial_displacement=np.atleast_1d(displacement),
        end=end,
    )


def last(solver, problem, **settings):
    return np.array(solver.solve(problem, settings)["displacement"])[-1]


# ---- what is measured on a solver


def errors_of_sine(solver):
    """Return errors at t = 1 on y' = cos t."""
    clock = motion(("cos(t)",), (0,), 1.0)
    return [abs(solver.solve(clock, {"step": 1 / n})["states"][-1, 0] - math.sin(1)) for n in (10, 20, 40, 80)]


def errors_of_oscillator(solver, counts=(10, 20, 40, 80)):
    """Return errors at t = 1 on x'' + x = 0."""
    problem, exact = motion(("v", "-x"), (1, 0), 1.0), np.array([math.cos(1), -math.sin(1)])
    return [np.abs(solver.solve(problem, {"step": 1 / n})["states"][-1] - exact).max() for n in counts]


def trees(order):
    """Return the rooted trees of an order, each the sorted tuple of its branches."""
    if order == 1:
        return {()}
    grafted = set()
    for size in range(1, order):
        grafted |= {tuple(sorted((*tree, branch))) for tree in trees(order - size) for branch in trees(size)}
    return grafted


def weights_of_tree(method, tree):
    """Return the weights of a tree at the stages, its order and its density."""
    stages, order, density = np.ones(method.nodes.size), 1, 1
    for branch in tree:
        inner, size, dense = weights_of_tree(method, branch)
        stages, order, density = stages * (method.stages @ inner), order + size, density * dense
    return stages, order, density * order


def defect_of_order_8(solver):
    """Return the largest relative defect of the conditions of order 8."""
    parts = [weights_of_tree(solver.method, tree) for tree in trees(8)]
    return max(abs(density * (solver.method.weights @ stages) - 1) for stages, _, density in parts)


def crossings(solver):
    """Return how many roots of a cubic, and crossings of a level near the top of an oscillation, are seen."""
    cubic = motion(("3*t**2 + 12*t - 4",), (-120,), 4.0, Change(name="root", guard="x"), start=-8.0)
    swing = motion(("v", "-x"), (1, 0), 50.0, Change(name="level", guard="x - 0.9999"))
    found = solver.solve(cubic, {"rtol": 1e-3, "atol": 1e-6}), solver.solve(swing, {"rtol": 1e-6, "atol": 1e-8})
    return [found[0]["events"]["root"].size, found[1]["events"]["level"].size]


def error_before_event(solver):
    """Return relative errors of x' = x shortly before an event at x = 50 that does nothing."""
    near, same = np.linspace(3.882, 3.912, 16), Change(name="same", guard="x - 50", direction=1, reset={"x": "x"})
    problem = motion(("x",), (1,), 5.0, same, outputs=np.array([0, *near, 5]))
    errors = []
    for rtol in (1e-3, 1e-6, 1e-9):
        answer = solver.solve(problem, {"rtol": rtol, "atol": rtol / 1000})
        before = np.isin(answer["time"], near)
        errors.append(np.abs(answer["states"][before, 0] / np.exp(near) - 1).max())
    return errors


def delays_of_impacts(solver):
    """Return how late the first three impacts of a ball are, with communication steps of 0.01 s and 0.001 s."""
    impact = Change(name="impact", guard="x", direction=-1, reset={"v": "-0.8*v"})
    ball = motion(("v", "-9.81"), (1, 0), 1.8, impact)
    exact = math.sqrt(2 / 9.81) * np.array([1, 2.6, 3.88])
    return [solver.solve(ball, {"step": step})["events"]["impact"][:3] - exact for step in (1e-2, 1e-3)]


def after_a_turn(solver):
    """Return the displacement after a period of x'' + x = 0, with 100 to 800 steps."""
    turn = 2 * math.pi
    return [last(solver, structure(1.0, 1.0, 1.0, turn), step=turn / n)[0] for n in (100, 200, 400, 800)]


def after_100_steps(solver):
    return last(solver, structure(1.0, 1.0, 1.0, 50.0), step=0.5)


def radius(solver, frequency):
    """Return the spectral radius of a step of unit length."""
    columns = []
    for x, v, a in np.eye(3):
        begun = replace(solver, first_acceleration=lambda problem, force, a=a: np.array([a]))
        problem = replace(structure(1.0, frequency**2, x, 1.0), initial_velocity=np.array([v]))
        columns.append(np.ravel(begun.march(problem, np.array([0.0, 1.0])))[1::2])
    return np.abs(np.linalg.eigvals(np.transpose(columns))).max()


def radius_at_long_steps(solver):
    return radius(solver, 1e4)


def is_stable_around(solver):
    return [radius(solver, frequency) <= 1 + 1e-12 for frequency in (6.58, 6.60)]


def errors_of_release(solver):
    """Return errors at 1 s after the release of a mass of 2 kg on a spring of 72 N/m."""
    problem = structure(2.0, 72.0, 1.0, 1.0)
    return [last(solver, problem, step=1 / n)[0] - math.cos(6) for n in (250, 2000)]


def chain_with_two_ratios(solver):
    """Return displacements of three masses at 0.5 s, of whose modes two are damped."""
    chain = structure(10 * np.eye(3), 1e4 * (2 * np.eye(3) - np.eye(3, k=1) - np.eye(3, k=-1)), [0.01, 0, 0], 0.5)
    omega, shapes = modes_of(chain)
    back = chain.mass @ shapes
    damping = back @ np.diag(2 * omega * np.array([0.02, 0.05, 0])) @ back.T
    return last(solver, replace(chain, damping=damping), step=1e-3)


def tops(solver):
    """Return the heights after the first, fifth and tenth bounce without loss, with 60 steps a second."""
    ball = replace(
        structure(1.0, 0.0, 1.0, 12.0),
        loads=(Load(np.ones(1), constant(-9.81)),),
        stops=(Stop("floor", -np.ones(1), 0.0, restitution=1.0),),
    )
    x = solver.solve(ball, {"step": 1 / 60})["displacement"]
    highest = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:])) + 1
    return x[highest[[0, 4, 9]]]


def spin_at_10_seconds(solver):
    """Return the angular velocity in principal axes of a body whose own axes are turned by 0.5 about the third."""
    turn = np.array([[math.cos(0.5), -math.sin(0.5), 0], [math.sin(0.5), math.cos(0.5), 0], [0, 0, 1]])
    start, times = np.concatenate((turn @ np.ones(3), [1, 0, 0, 0])), np.linspace(0, 10, 1001)
    return turn.T @ rigid_body.march(solver.law, turn @ np.diag([1.0, 2, 3]) @ turn.T, start, times)[-1, :3]


def place_of_rest(solver):
    """Return where a body stops that slides with 2 m/s at 30 degrees to the first axis."""
    friction = Friction("sole", tuple(np.eye(2)), 9.81, 0.4, 0.4)
    slide = replace(
        structure(np.eye(2), np.zeros((2, 2)), [0, 0], 1.0),
        initial_velocity=2 * np.array([math.cos(math.pi / 6), 0.5]),
        frictions=(friction,),
    )
    return last(solver, slide, step=2e-4)


@dataclass(frozen=True)
class Numbers:
    """What a measure shows on the sound twin and on the fault; ``rel`` is half a unit of the last digit or so."""

    host: str
    fault: str
    measure: Callable[[Any], Any]
    right: Any
    wrong: Any
    rel: float = 5e-3


ORDER_5 = [7.23e-9, 2.33e-10, 7.37e-12, 2.32e-13]
BODY = [-0.60347042, -1.27899314, 0.88772679]
NUMBERS = [
    Numbers(
        "fehlberg",
        "node",
        errors_of_sine,
        [9.55e-11, 2.98e-12, 9.3e-14, 0.0],
        [2.744e-4, 1.383e-4, 6.94e-5, 3.48e-5],
        2e-2,
    ),
    Numbers("fehlberg", "node", errors_of_oscillator, ORDER_5, ORDER_5),
    Numbers("fehlberg", "other_row", errors_of_oscillator, ORDER_5, [9.2e-8, 6.3e-9, 4.1e-10, 2.6e-11], 1e-2),
    Numbers("fehlberg", "entry", errors_of_oscillator, ORDER_5, [1.14e-5, 5.84e-6, 2.95e-6, 1.484e-6]),
    Numbers("prince-dormand", "first_row", defect_of_order_8, 0.0, 0.01448),
    Numbers("locating", "signs_at_ends", crossings, [3, 15], [1, 1], 0.0),
    Numbers(
        "adaptive",
        "slopes_of_the_whole_step",
        error_before_event,
        [1.22e-4, 8.91e-7, 9.89e-10],
        [0.196, 7.88e-3, 2.65e-4],
    ),
    Numbers(
        "communicating",
        "noticed_at_the_end",
        delays_of_impacts,
        [[0, 0, 0]] * 2,
        [[8.5e-3, 1.6e-2, 1.8e-2], [4.8e-4, 1.04e-3, 1.09e-3]],
        1e-2,
    ),
    Numbers(
        "velocity-verlet", "shares_swapped", after_a_turn, [1, 1, 1, 1], [-0.2008, -0.2321, -0.2488, -0.2574], 3e-4
    ),
    *(
        Numbers(host, "beta", measure, right, wrong, rel)
        for host in ("hht", "hht-named")
        for measure, right, wrong, rel in (
            (after_100_steps, 0.1677329147, 0.3123755435, 1e-9),
            (radius_at_long_steps, 0.904762, 1.755, 5e-4),
            (is_stable_around, [True, True], [True, False], 0.0),
        )
    ),
    Numbers(
        "average-acceleration",
        "first_acceleration",
        errors_of_release,
        [-8.05e-5, -1.257e-6],
        [-3.57e-3, -4.2e-4],
        7e-3,
    ),
    Numbers(
        "modal-superposition",
        "first_ratio_for_all",
        chain_with_two_ratios,
        [-0.00130493, 0.00453445, 0.00183026],
        [-0.00212423, 0.00365439, 0.00389415],
        5e-6,
    ),
    Numbers("impulses-at-a-stop", "gravity_reversed", tops, [1, 1, 1], [1.0763, 1.40875, 1.885625], 1e-6),
    Numbers("rigid-body", "diagonal_divided", spin_at_10_seconds, BODY, [0.50940983, -0.81876892, 1.31522904], 1e-7),
    Numbers(
        "rigid-body", "diagonal_in_the_product", spin_at_10_seconds, BODY, [1.66707848, 1.20557338, -0.32354031], 1e-7
    ),
    Numbers("impulses-of-friction", "box", place_of_rest, [0.441399, 0.254842], [0.382263, 0.127421], 2e-6),
]


@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: f"{case.host}-{case.fault}-{case.measure.__name__}")
def test_the_twin_is_right_and_the_fault_is_wrong(case):
    host = BY_NAME[case.host]
    (fault,) = [fault for fault in host.faults if fault.name == case.fault]
    for solver, expected in ((host.solver, case.right), (fault.make(0.0), case.wrong)):
        np.testing.assert_allclose(case.measure(solver), expected, rtol=case.rel, atol=ROUNDING)


def test_an_entry_behind_a_weight_of_zero_changes_no_bit():
    host = BY_NAME["fehlberg-4"]
    assert errors_of_oscillator(host.solver) == errors_of_oscillator(host.faults[0].make(0.0))


def test_every_fault_has_numbers():
    assert {(case.host, case.fault) for case in NUMBERS} == {
        (host.name, fault.name) for host in HOSTS for fault in host.faults if fault.name != "sleeping_entry"
    }
