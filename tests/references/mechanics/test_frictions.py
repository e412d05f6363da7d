"""Coulomb friction in exact arithmetic against closed forms: one, several together, on a stop, in two directions."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from veridyn import Friction, Load, Stop, polynomial
from veridyn.references.engine import enclosure
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter


def test_a_block_comes_to_rest_and_stays_there(body, prove_all):
    """2 kg with 3 m/s against 5 N: it rests after 1.2 s and 1.8 m, and 9 J are gone."""
    pad = Friction("pad", "x1", normal=20.0, static=0.5, kinetic=0.25)
    forms = {
        "pad_rests#1": mpf(12) / 10,
        "x1@2": mpf(18) / 10,
        "v_x1@2": 0,
        "integral power_pad": 9,
        "smallest friction_pad": -5,
    }
    prove_all(body(mass=2.0, initial_velocity=[3.0], frictions=pad), forms)


def test_the_static_coefficient_holds_and_the_kinetic_slides(body, prove_all):
    """The load 4 t slips at 5 N: t = 5/4; then x'' = 4 t - 5/2."""
    pad = Friction("pad", "x1", normal=10.0, static=0.5, kinetic=0.25)
    lapse = mpf(3) / 4
    forms = {
        "pad_slips_back#1": None,
        "pad_slips_ahead#1": mpf(5) / 4,
        "x1@2": mpf(5) / 2 * lapse**2 / 2 + 4 * lapse**3 / 6,
        "friction_pad@1": -4,
        "friction_pad@1.5": -mpf(5) / 2,
    }
    prove_all(body(loads=Load("x1", polynomial(0.0, 4.0)), frictions=pad), forms)


def test_of_two_frictions_at_once_one_lets_go(body, prove_all):
    """Two blocks, 1 kg on 2 kg: the base slips at 3 N, both move as one; the top slips where 1 kg would take 2 N."""
    frictions = (
        Friction("top", {"x1": 1, "x2": -1}, normal=8.0, static=0.25, kinetic=0.25),
        Friction("base", "x2", normal=24.0, static=0.125, kinetic=0.125),
    )
    problem = body(2, mass=np.diag([1.0, 2.0]), loads=Load("x2", polynomial(0.0, 4.0)), frictions=frictions, end=3.0)
    forms = {
        "base_slips_ahead#1": mpf(3) / 4,
        "top_slips_back#1": mpf(9) / 4,
        "v_x1 - v_x2@2": 0,
        "v_x1@2": mpf(2) / 3 * mpf(5) / 4 * mpf(5) / 4,
        "friction_top@2": mpf(5) / 3,
        "count top_slips_ahead": 0,
    }
    prove_all(problem, forms)


def test_friction_on_a_stop_takes_its_share_of_the_impulse(body, prove_all):
    """The push has the impulse 2 N s: a quarter of it brakes the slide, from 2 m/s to 3/2 m/s."""
    wall, rub = Stop("wall", "x1", gap=0.5, stiffness=100.0), Friction("rub", "x2", "wall", static=0.5, kinetic=0.25)
    forms = {"v_x2@1.5": mpf(3) / 2, "integral friction_rub": -mpf(1) / 2, "count rub_rests": 0}
    prove_all(body(2, initial_velocity=[1.0, 2.0], stops=wall, frictions=rub), forms)


def test_friction_on_a_stop_may_rest_before_the_stop_opens(body, prove_all):
    """The slide of 1/4 m/s ends in the middle of the contact, where the impulse is 1 N s; then the stop opens."""
    wall, rub = Stop("wall", "x1", gap=0.5, stiffness=100.0), Friction("rub", "x2", "wall", static=0.5, kinetic=0.25)
    forms = {"rub_rests#1": lambda: mpf(1) / 2 + mpmath.pi / 20, "v_x2@1.5": 0, "count wall_opens": 1}
    prove_all(body(2, initial_velocity=[1.0, 0.25], stops=wall, frictions=rub), forms)


@pytest.mark.parametrize("stops", [(), Stop("wall", "x1", gap=1.0, restitution=0.5)], ids=["alone", "wall far away"])
def test_a_spring_sticks_with_the_force_of_the_sliding(body, prove_all, stops):
    """It slides against 4 N from 1 m/s to rest in 1/4 s; then the spring of 100 N/m drives it back as a cosine.

    Beside a rigid stop the second route goes through the modes of the first.
    """
    pad = Friction("pad", "x1", normal=16.0, static=0.5, kinetic=0.25, law="regularised", stiffness=100.0)
    forms = {
        "pad_sticks#1": mpf(1) / 4,
        "largest x1": mpf(1) / 8,
        "x1@1/2": lambda: mpf(1) / 8 - (1 - mpmath.cos(mpf(5) / 2)) / 25,
    }
    prove_all(body(initial_velocity=[1.0], frictions=pad, stops=stops, end=0.5), forms)


def test_two_tangents_stick_together_and_slip_by_their_resultant(body, prove_all):
    """Loads 3 t and 4 t reach 5 N at one second; what follows has no formula and says so."""
    pad = Friction("pad", ("x1", "x2"), normal=10.0, static=0.5, kinetic=0.25)
    loads = (Load("x1", polynomial(0.0, 3.0)), Load("x2", polynomial(0.0, 4.0)))
    values = prove_all(
        body(2, loads=loads, frictions=pad, end=1.5),
        {"x1@1/2": 0, "friction_pad@1/2": mpf(5) / 2, "pad_slips#1": 1, "x1@1.5": None},
    )
    assert "two directions" in values["x1@1.5"].routes[0]


def test_a_slide_in_two_directions_is_followed_up_to_its_end(body, prove_all):
    """1.25 m/s against 2.5 m/s²: after 1/4 s half of it is left."""
    pad = Friction("pad", ("x1", "x2"), normal=10.0, static=0.5, kinetic=0.25)
    problem = body(2, initial_velocity=[0.75, 1.0], frictions=pad, end=1.0)
    prove_all(problem, {"v_x1@1/4": mpf(3) / 8, "v_x2@1/4": mpf(1) / 2})


def test_two_tangents_along_one_line_are_one(body, prove_all):
    """2 kg with 3 m/s against 5 N of two tangents, whose length is 1: as with one, to rest after 1.2 s and 1.8 m."""
    pad = Friction("pad", (np.array([0.75]), np.array([-1.0])), normal=16.0, static=0.5, kinetic=0.25)
    forms = {"pad_rests#1": mpf(12) / 10, "x1@2": mpf(18) / 10, "integral power_pad": 9, "smallest friction_pad": -4}
    prove_all(body(mass=2.0, initial_velocity=[3.0], frictions=pad), forms)


def test_two_tangents_between_two_bodies_are_one_line(body, prove_all):
    """5 N take 10 m/s² of 3 m/s between two bodies of 1 kg: they go together after 0.3 s, at 1.5 m/s."""
    tangents = (np.array([0.0, 0.0]), np.array([-1.0, 1.0]))
    pad = Friction("pad", tangents, normal=20.0, static=0.5, kinetic=0.25)
    forms = {"pad_rests#1": mpf(3) / 10, "v_x1@2": mpf(3) / 2, "v_x2@2": mpf(3) / 2}
    prove_all(body(2, initial_velocity=[3.0, 0.0], frictions=pad), forms)


def test_tangents_across_each_other_stay_two(body, prove_all):
    """They differ by a tenth of a degree: what follows the start of the slip has no formula."""
    pad = Friction("pad", (np.array([1.0, 0.0]), np.array([1.0, 2e-3])), normal=10.0, static=0.5, kinetic=0.25)
    values = prove_all(body(2, loads=Load("x1", polynomial(0.0, 4.0)), frictions=pad), {"x1@2": None})
    assert "two directions" in values["x1@2"].routes[0]


def test_a_spring_that_touches_the_limit_of_friction_is_held(body, prove_all):
    """1 kg on 1 N/m under 1 N swings to 2 N, all that friction holds: it never slips; with a hair less it does at π."""
    for held, slips in ((2.0, 0), (2.0 - 2.0**-40, 1)):
        pad = Friction("pad", "x1", normal=held, static=1.0, kinetic=0.5)
        stiffness = np.array([[1.0, -1.0], [-1.0, 1.0]])
        problem = body(2, stiffness=stiffness, loads=Load("x2", polynomial(1.0)), frictions=pad, end=4.0)
        prove_all(problem, {"count pad_slips_ahead": slips})


def test_a_slide_that_touches_rest_goes_on_if_the_static_coefficient_is_no_larger(body, prove_all, monkeypatch):
    """The load balances the slide of two bodies; v1 = 1 + cos √2 t touches zero. Who may stick there is not decided."""
    fields = {
        "stiffness": np.array([[1.0, -1.0], [-1.0, 1.0]]),
        "initial_displacement": [0.0, 0.5],
        "initial_velocity": [2.0, 0.0],
        "loads": Load("x2", polynomial(0.5)),
        "end": 100.0,
    }
    forms = {"count pad_rests": 0, "x1@100": lambda: 100 + mpmath.sin(100 * mpmath.sqrt(2)) / mpmath.sqrt(2)}
    prove_all(body(2, frictions=Friction("pad", "x1", normal=1.0, static=0.5, kinetic=0.5), **fields), forms)
    sticky = Friction("pad", "x1", normal=1.0, static=0.75, kinetic=0.5)
    monkeypatch.setattr(enclosure, "TOP", 128)
    prove_all(body(2, frictions=sticky, **fields), {"x1@3": None}, digits=6)


def test_a_last_phase_is_proved_to_last(body):
    """After the slide the pad holds a spring that swings below its limit for ever; a slide without friction goes on."""
    pad = Friction("pad", "x1", normal=2.0, static=1.0, kinetic=0.5)
    stiffness = np.array([[1.0, -1.0], [-1.0, 1.0]])

    def state(values):
        return body(2, stiffness=stiffness, initial_velocity=[values["v"], 0.0], frictions=pad, end=20.0)

    motion = make_quantities(state, (Parameter("v", "m/s", "velocity", "1"),))
    rests = motion.settled().event("pad_rests", -1)
    assert rests().value is not None
    brief = make_quantities(lambda values: replace(state(values), end=0.01), motion.parameters).settled()
    assert "is not proved to last for ever" in brief.count("pad_rests")().routes[0]
    assert brief.count("pad_rests")(v="1e-3").value is not None
