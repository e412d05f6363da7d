"""Checks that the parts of a response agree: who is asked, what is read, how far it may be from zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from veridyn.solver.elements import Friction, Stop
from veridyn.solver.errors import MissingHistory
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.validation_cases import consistency
from veridyn.validation_cases.case import Case, Observation, Quantity, Subject, Variant
from veridyn.validation_cases.tolerances import cited, from_theory

OWN = Subject("own", ("newmark", "itmi"), own=True, ours=True)
FOREIGN = Subject("foreign", ("",), own=False)
EVERYTHING, NOTHING = Variant("all", {}), Variant("none", {}, frozenset())
TIME = np.linspace(0.0, 1.0, 11)
CITED = cited("somebody", 1e-2)
SLIDING = MechanicalProblem(
    name="sliding mass",
    mass=np.eye(1),
    initial_displacement=np.zeros(1),
    initial_velocity=np.zeros(1),
    end=1.0,
    frictions=(Friction("rubs", (np.ones(1),), normal=1.0, static=0.1, kinetic=0.1),),
)
STRUCK = replace(SLIDING, frictions=(), stops=(Stop("wall", np.ones(1), gap=0.25, stiffness=100.0),))


class Showing:
    """A bench that shows the same whatever is asked; the mass speeds up by 1 m/s²."""

    def __init__(self, problem=SLIDING, events=(), late=0.0, **elements):
        histories = {element: {name: np.asarray(h) for name, h in of.items()} for element, of in elements.items()}
        x, v = TIME[:, None] ** 2 / 2, TIME[:, None] - late * 0.1
        response = Response(TIME, x, v, histories, events={"rubs": np.asarray(events, dtype=float)})
        self.seen = Observation({}, problem, response)

    def observe(self, run):
        return self.seen


@pytest.fixture
def case():
    speed = Quantity("speed", "m/s", "speed", lambda **_: None, None, lambda *_: CITED)
    return Case(
        name="made-up", title="", document="", summary="", statement=(), modelling=(), remarks=(), parameters=(),
        variants=(EVERYTHING, NOTHING), quantities=(speed,), problem=lambda values: SLIDING,
        settings=lambda values, scheme: {"scheme": scheme, "step": 0.5}, published=(), further_checks=(),
    )  # fmt: skip


def of_step(run, scheme):
    return from_theory(2, 1.0, run.settings["step"], what=scheme)


def energy(case, subject):
    return list(consistency.energy(case, subject, EVERYTHING, "of the start", lambda o: 4.0, of_step, CITED))


def cone(case, limit=0.1):
    (check,) = consistency.friction_cone(case, FOREIGN, EVERYTHING, "of mu N", lambda o: limit)
    return check


def test_every_scheme_is_compared_with_zero(case):
    made = energy(case, OWN)
    assert [check.id for check in made] == [f"all-balance:energy_residual-{scheme}" for scheme in OWN.schemes]
    assert {(check.reference(), check.unit, check.kind) for check in made} == {(0.0, "of the start", "balance")}
    assert [check.run.settings["scheme"] for check in made] == list(OWN.schemes)


def test_ours_are_held_to_theory_and_others_to_what_is_cited(case):
    assert [check.tolerance() for check in energy(case, OWN)] == [
        from_theory(2, 1.0, 0.5, what=scheme) for scheme in OWN.schemes
    ]
    assert [check.tolerance() for check in energy(case, FOREIGN)] == [CITED]


def test_energy_from_nowhere_is_read_over_its_scale(case):
    """From 0.1 to 0.9 m/s, with a friction that takes 0.1 N over the 0.4 m between: 0.4 J + 0.04 J."""
    (check,) = energy(case, FOREIGN)
    assert check.measure(Showing(rubs={"force": np.full(11, -0.1)})) == pytest.approx(0.44 / 4)


@pytest.mark.parametrize(("force", "excess"), [(0.15, 0.5), (-0.15, 0.5), (0.1, 0.0), (0.02, 0.0)])
def test_a_friction_may_reach_its_limit_but_not_exceed_it(case, force, excess):
    check = cone(case)
    assert check.measure(Showing(rubs={"force": np.append(np.zeros(10), force)})) == pytest.approx(excess)
    assert (check.kind, check.unit, check.quantity, check.reference()) == ("balance", "of mu N", "friction_cone", 0.0)
    assert check.tolerance().value == pytest.approx(8 * 2.2e-16, rel=0.02, abs=0)
    assert (check.tolerance().kind, "|F| <= mu N" in check.tolerance().reason) == ("absolute", True)


def test_the_two_forces_of_a_plane_are_one(case):
    plane = replace(SLIDING.frictions[0], tangents=(np.ones(1), np.zeros(1)))
    shown = Showing(replace(SLIDING, frictions=(plane,)), rubs={"force": np.full(11, 0.3), "force_2": np.full(11, 0.4)})
    assert cone(case).measure(shown) == pytest.approx(4.0)


def test_of_several_frictions_the_first_is_judged(case):
    two = replace(SLIDING, frictions=(SLIDING.frictions[0], replace(SLIDING.frictions[0], name="holds")))
    shown = Showing(two, rubs={"force": np.full(11, 0.3)}, holds={"force": np.full(11, 0.4)})
    assert cone(case).measure(shown) == pytest.approx(2.0)


def test_a_friction_without_force_is_not_judged(case):
    with pytest.raises(MissingHistory, match="force of friction 'rubs'"):
        cone(case).measure(Showing())


def test_a_velocity_may_belong_to_the_middle_of_a_step_and_not_to_its_end(case):
    made = list(consistency.velocities(case, OWN, EVERYTHING))
    assert [check.id for check in made] == [f"all-balance:velocity_residual-{scheme}" for scheme in OWN.schemes]
    late, tolerance = [made[0].measure(Showing(late=late)) for late in (0.5, 1.0)], made[0].tolerance()
    assert late == pytest.approx([0.5, 1.0])
    assert late[0] < tolerance.value < late[1]
    assert tolerance.value == 0.75
    assert [check.tolerance() for check in consistency.velocities(case, FOREIGN, EVERYTHING)] == [tolerance]


@pytest.mark.parametrize(("subject", "allowed"), [(OWN, 1e-8), (FOREIGN, 1e-3)])
def test_forces_of_stops_follow_from_penetrations(case, subject, allowed):
    check = next(consistency.stop_forces(case, subject, EVERYTHING))
    right = 100 * np.maximum(0.0, TIME**2 / 2 - 0.25)
    assert check.measure(Showing(STRUCK, wall={"normal_force": right})) == pytest.approx(0.0, abs=1e-14)
    assert check.measure(Showing(STRUCK, wall={"normal_force": 0.998 * right})) == pytest.approx(0.002)
    assert (check.tolerance().value, check.tolerance().kind) == (allowed, "absolute")
    assert (check.quantity, check.kind, check.unit) == ("stop_force_residual", "balance", "of the largest force")


def test_flags_of_others_change_at_events_alone(case):
    (check,) = consistency.flags(case, FOREIGN, EVERYTHING)
    shown = Showing(events=[TIME[3]], rubs={"stuck": [1.0] * 3 + [0.0] * 4 + [1.0] * 4})
    assert check.measure(shown) == 1.0
    assert (check.id, check.tolerance().kind) == ("all-events:flags_off_events", "exact")


def test_our_schemes_locate_no_events(case):
    assert list(consistency.flags(case, OWN, EVERYTHING)) == []


@pytest.mark.parametrize("checks", [consistency.velocities, consistency.stop_forces, consistency.flags])
@pytest.mark.parametrize("subject", [OWN, FOREIGN])
def test_what_a_variant_does_not_ask_is_not_checked(case, checks, subject):
    assert list(checks(case, subject, NOTHING)) == []
