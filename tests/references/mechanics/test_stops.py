"""Stops in exact arithmetic against closed forms: elastic, damped, two-sided, round, rigid."""

from __future__ import annotations

import mpmath
import numpy as np
import sympy
from mpmath import mpf

import veridyn
from veridyn import Load, Stop


def test_a_penalty_stop_gives_half_a_wave(body, prove_all):
    """A body of 1 kg and 1 m/s on 100 N/m: half a period of pi/10, the largest push 10 N, the impulse 2 N s."""
    problem = body(initial_velocity=[1.0], stops=Stop("wall", "x1", gap=0.5, stiffness=100.0))
    prove_all(
        problem,
        {
            "wall_opens#1": lambda: mpf(1) / 2 + mpmath.pi / 10,
            "x1@0.6": lambda: mpf(1) / 2 + mpmath.sin(1) / 10,
            "largest x1": lambda: mpf(6) / 10,
            "largest push_wall": 10,
            "smallest push_wall": 0,
            "integral push_wall": 2,
            "v_x1@wall_opens#1": -1,
            "count wall_closes": 1,
        },
    )


def test_a_gap_may_have_irrational_factors(body, prove_all):
    """Along (1, 1)/sqrt(2) a body has 1 m/s: what the touch leaves at zero is so exactly."""
    root = sympy.sqrt(2)
    line = np.array([1 / root, 1 / root])
    wall = Stop("wall", line, gap=0.5, stiffness=100.0)
    forms = {"wall_opens#1": lambda: mpf(1) / 2 + mpmath.pi / 10, "integral push_wall": 2, "count wall_closes": 1}
    prove_all(body(2, initial_velocity=line, stops=wall), forms)


def test_a_damped_stop_does_not_pull(body, prove_all):
    """x = v e^(-2 t) sin(w t)/w with w² = 96: the push ends where tan(w t) = 4 w/(96 - 4), before the gap opens."""
    problem = body(initial_velocity=[1.0], stops=Stop("wall", "x1", gap=0.5, stiffness=100.0, damping=4.0))

    def part():
        w = mpmath.sqrt(96)
        # push = 100 x + 4 x' is zero: (100 - 8) sin(w t)/w + 4 cos(w t) = 0
        return (mpmath.pi - mpmath.atan(4 * w / 92)) / w

    def impulse():
        w, t = mpmath.sqrt(96), part()
        rate = mpmath.exp(-2 * t) * (mpmath.cos(w * t) - 2 * mpmath.sin(w * t) / w)
        return 1 - rate

    forms = {
        "wall_parts#1": lambda: mpf(1) / 2 + part(),
        "integral push_wall": impulse,
        "smallest push_wall": 0,
        "count wall_opens": 1,
    }
    values = prove_all(problem, forms)
    assert values["wall_parts#1"].value < veridyn.prove(problem, ["wall_opens#1"])["wall_opens#1"].value


def test_two_sides_have_gaps_and_events_of_their_own(body, prove_all):
    """Between walls 1 m apart: free for half a second, then one, contacts of pi/10."""
    wall = Stop("wall", "x1", gap=0.5, stiffness=100.0, geometry="parallel planes")
    forms = {
        "count wall_above_closes": 3,
        "count wall_below_closes": 2,
        "wall_below_closes#1": lambda: mpf(3) / 2 + mpmath.pi / 10,
        "smallest gap_wall_above": lambda: -mpf(1) / 10,
        "smallest x1": lambda: -mpf(6) / 10,
        "largest gap_wall_below": lambda: mpf(11) / 10,
    }
    prove_all(body(initial_velocity=[1.0], stops=wall, end=6.0), forms)


def test_a_round_stop_keeps_energy_and_angular_momentum(body, prove_all):
    ring = Stop("ring", "x1", gap=0.5, stiffness=100.0, geometry="circle", lateral="x2")
    problem = body(2, initial_velocity=[1.0, 0.0], initial_displacement=[0.0, 0.25], stops=ring, end=1.5)

    def contact():
        """Half a period of the radius: from energy and angular momentum, by quadrature between its turning points."""
        push, momentum, radius = mpf(100), mpf(1) / 4, mpf(1) / 2

        def square(r):
            return 1 - push * (r - radius) ** 2 - (momentum / r) ** 2

        top = mpmath.findroot(square, mpf("0.585"))
        return mpmath.quad(lambda u: 2 * u / mpmath.sqrt(square(top - u * u)), [0, mpmath.sqrt(top - radius)])

    reach = lambda: mpmath.sqrt(mpf(3)) / 4  # noqa: E731
    prove_all(
        problem,
        {
            "ring_closes#1": reach,
            "ring_opens#1": lambda: reach() + 2 * contact(),
            "x1*v_x2 - x2*v_x1@1.5": lambda: -mpf(1) / 4,
            "v_x1**2 + v_x2**2@1.5": 1,
        },
    )


def test_a_rigid_stop_with_restitution_has_an_impulse(body, prove_all):
    """A ball that falls 1/2 m with 4 m/s²: hits at 1/2 s with 2 m/s, leaves with 1 m/s, hits again after 1/2 s."""
    problem = body(loads=Load("x1", 4.0), stops=Stop("floor", "x1", gap=0.5, restitution=0.5), end=1.2)
    forms = {
        "floor_hits#1": mpf(1) / 2,
        "floor_hits#2": 1,
        "v_x1@floor_hits#1": -1,
        "v_x1@-floor_hits#1": 2,
        "integral push_floor": mpf(3) + mpf(3) / 2,
        "largest x1": mpf(1) / 2,
    }
    prove_all(problem, forms)


def test_a_rigid_stop_without_restitution_holds_while_it_is_pushed(body, prove_all):
    """The load 1 - t holds the body at the stop for a second, then pulls it off: x = 1 - (t - 1)³/6."""
    stop = Stop("floor", "x1", gap=1, restitution=0)
    pulled = body(initial_displacement=[1.0], loads=Load("x1", veridyn.polynomial(1.0, -1.0)), stops=stop)
    forms = {
        "floor_releases#1": 1,
        "push_floor@1/4": mpf(3) / 4,
        "x1@2": lambda: mpf(5) / 6,
        "integral push_floor": 0.5,
        "v_x1@1/2": 0,
    }
    prove_all(pulled, forms)
    prove_all(
        body(initial_displacement=[1.0], loads=Load("x1", -1.0), stops=stop), {"x1@2": -1, "count floor_releases": 0}
    )


def test_a_body_that_touches_a_stop_which_does_not_push_stays(body, prove_all):
    for stop in (Stop("wall", "x1", gap=1, restitution=0.5), Stop("wall", "x1", gap=1, stiffness=10.0, damping=1.0)):
        prove_all(body(initial_displacement=[1.0], stops=stop), {"x1@2": 1, "integral push_wall": 0})


def test_an_impact_while_another_stop_is_touched_shares_impulses(body, prove_all):
    """x1 rests on its stop; x2 hits, through a bar x1 + x2, the second: both get an impulse, x1 does not enter."""
    stops = (Stop("a", {"x1": -1}, gap=0, restitution=0), Stop("b", {"x1": 1, "x2": 1}, gap=0.5, restitution=0))
    problem = body(2, initial_velocity=[0.0, 1.0], stops=stops, mass=np.diag([1.0, 3.0]), loads=Load("x1", -1.0))
    forms = {"v_x1@b_hits#1": 0, "v_x2@b_hits#1": 0, "integral push_a": lambda: 2 + mpf(3), "integral push_b": 3}
    prove_all(problem, forms)
