"""Residuals: what is read where parts of a response must agree, and how far it may be from zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.contract.responses import Response
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures import consistency

TIME = np.linspace(0.0, 1.0, 11)
CITED = cited("somebody", 1e-2, kind="absolute")
SLIDING = MechanicalProblem(
    name="sliding mass",
    mass=np.eye(1),
    initial_displacement=np.zeros(1),
    initial_velocity=np.zeros(1),
    end=1.0,
    frictions=(Friction("rubs", (np.ones(1),), normal=1.0, static=0.1, kinetic=0.1),),
)
STRUCK = replace(SLIDING, frictions=(), stops=(Stop("wall", np.ones(1), gap=0.25, stiffness=100.0),))

ENERGY = consistency.energy("of the start", lambda o: 4.0, CITED)
CONE = consistency.friction_cone("of mu N", lambda o: 0.1)
VELOCITIES, FORCES, FLAGS = consistency.velocities(), consistency.stop_forces(), consistency.flags()
ALL = [ENERGY, CONE, VELOCITIES, FORCES, FLAGS]


def seen(problem=SLIDING, events=(), late=0.0, **elements):
    """What a response shows in which the mass speeds up by 1 m/s²."""
    histories = {element: {name: np.asarray(h) for name, h in of.items()} for element, of in elements.items()}
    x, v = TIME[:, None] ** 2 / 2, TIME[:, None] - late * 0.1
    response = Response(TIME, x, v, histories, events={"rubs": np.asarray(events, dtype=float)})
    return Observation({}, problem, response)


@pytest.mark.parametrize("residual", ALL, ids=lambda residual: residual.name)
def test_residuals_vanish_in_truth_and_have_a_scale(residual):
    assert residual.truth({}).value == 0
    assert residual.size({}) == 1.0
    assert residual.tolerance({}).kind in ("absolute", "exact")


@pytest.mark.parametrize("residual", ALL, ids=lambda residual: residual.name)
def test_what_is_differenced_between_samples_is_asked_the_criterion_alone(residual):
    assert not residual.converges
    assert consistency.residual("r", "", "r", len, CITED, converges=True).converges


def test_a_residual_may_depend_on_the_parameters():
    def applies(values):
        return values["xi"] == 0

    made = (
        consistency.energy("of it", len, CITED, applies), consistency.friction_cone("of it", len, applies),
        consistency.velocities(applies), consistency.stop_forces(applies), consistency.flags(applies),
    )  # fmt: skip
    assert [residual.applies for residual in made] == [applies] * 5


def test_energy_from_nowhere_is_read_over_its_scale():
    """From 0.1 to 0.9 m/s, with a friction that takes 0.1 N over the 0.4 m between: 0.4 J + 0.04 J."""
    assert ENERGY.measure(seen(rubs={"force": np.full(11, -0.1)})) == pytest.approx(0.44 / 4)
    assert (ENERGY.tolerance({}), ENERGY.unit) == (CITED, "of the start")


@pytest.mark.parametrize(("force", "excess"), [(0.15, 0.5), (-0.15, 0.5), (0.1, 0.0), (0.02, 0.0)])
def test_a_friction_may_reach_its_limit_but_not_exceed_it(force, excess):
    found = CONE.measure(seen(rubs={"force": np.append(np.zeros(10), force)}))
    assert found == pytest.approx(excess, abs=1e-15)
    assert (found <= CONE.tolerance({}).value) is (excess == 0)


def test_the_two_forces_of_a_plane_are_one():
    plane = replace(SLIDING.frictions[0], tangents=(np.ones(1), np.zeros(1)))
    shown = seen(replace(SLIDING, frictions=(plane,)), rubs={"force": np.full(11, 0.3), "force_2": np.full(11, 0.4)})
    assert CONE.measure(shown) == pytest.approx(4.0)


def test_of_several_frictions_the_first_is_judged():
    two = replace(SLIDING, frictions=(SLIDING.frictions[0], replace(SLIDING.frictions[0], name="holds")))
    shown = seen(two, rubs={"force": np.full(11, 0.3)}, holds={"force": np.full(11, 0.4)})
    assert CONE.measure(shown) == pytest.approx(2.0)


@pytest.mark.parametrize("residual", [ENERGY, CONE], ids=lambda residual: residual.name)
def test_a_friction_without_force_is_not_judged(residual):
    with pytest.raises(MissingHistory, match="force of friction 'rubs'"):
        residual.measure(seen())


def test_a_stop_without_force_is_not_judged():
    with pytest.raises(MissingHistory, match="wall"):
        FORCES.measure(seen(STRUCK))


def test_a_velocity_may_belong_to_the_middle_of_a_step_and_not_to_its_end():
    found = [VELOCITIES.measure(seen(late=late)) for late in (0.5, 1.0)]
    assert found == pytest.approx([0.5, 1.0])
    assert found[0] < VELOCITIES.tolerance({}).value == 0.75 < found[1]


def test_forces_of_stops_follow_from_penetrations():
    right = 100 * np.maximum(0.0, TIME**2 / 2 - 0.25)
    assert FORCES.measure(seen(STRUCK, wall={"normal_force": right})) == pytest.approx(0.0, abs=1e-14)
    assert FORCES.measure(seen(STRUCK, wall={"normal_force": 0.998 * right})) == pytest.approx(0.002)
    assert FORCES.tolerance({}).value == 1e-3


def test_flags_change_at_events_alone():
    shown = seen(events=[TIME[3]], rubs={"stuck": [1.0] * 3 + [0.0] * 4 + [1.0] * 4})
    assert FLAGS.measure(shown) == 1.0
    assert FLAGS.tolerance({}).kind == "exact"
