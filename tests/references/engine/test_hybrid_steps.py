"""Second routes of motions with events: steps, their own search for events, what is read, against closed forms."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import mpmath
import pytest
import sympy
from mpmath import mpf

import veridyn
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import exact
from veridyn.references.second_routes import hybrid_steps
from veridyn.references.second_routes.hybrid_steps import (
    HybridEvent,
    HybridMode,
    HybridProblem,
    HybridStep,
    Steps,
    falling,
)

t, x, v, w, e, h = sympy.symbols("t x v w e h")


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(hybrid_steps.WORKING):
        yield


def near(found, truth, digits=16) -> bool:
    return abs(found - truth) < mpf(10) ** -digits * max(1, abs(truth))


FROM_REST = (sympy.Integer(1), sympy.Integer(0))


def swinging(*events, end=7, initial=FROM_REST, start=0) -> Steps:
    """x'' = -x from 1 at rest."""
    mode = HybridMode("free", (v, -x), events)
    return Steps(HybridProblem(("x", "v"), (), (mode,), "free", initial, mpf(end), mpf(start)), ())


def bouncing(end=3) -> Steps:
    """A ball that falls from h with x'' = -2 and keeps the share e of its speed: impacts at s, s (1 + 2 e), …"""
    impact = HybridEvent("impact", x, "flight", -1, False, {"x": sympy.Integer(0), "v": -e * v})
    problem = HybridProblem(
        ("x", "v"), ("e", "h"), (HybridMode("flight", (v, sympy.Integer(-2)), (impact,)),), "flight",
        (h, sympy.Integer(0)), mpf(end),
    )  # fmt: skip
    return Steps(problem, (mpf("0.5"), mpf(1)))


# ---- a step


def test_a_step_is_extrapolated_to_twenty_digits():
    step = HybridStep(lambda _, y: (y[0],), (mpf(1),), mpf(0), "free", (mpf(2),))
    assert near(step.at(mpf("0.5"))[0], 2 * mpmath.exp(mpf("0.5")), 20)
    assert step.at(mpf(0)) == (2,)


def test_a_step_begins_at_its_instant():
    step = HybridStep(lambda t, y: (t * t, y[0]), (mpf(1), mpf(1)), mpf(3), "free", (mpf(1), mpf(0)))
    lapse = mpf("0.25")
    first, second = step.at(lapse)
    assert near(first, 1 + ((3 + lapse) ** 3 - 27) / 3, 20)
    assert near(second, lapse + ((3 + lapse) ** 4 - 81) / 12 - 9 * lapse, 20)


def test_an_extrapolation_that_does_not_converge_is_an_error():
    step = HybridStep(lambda _, y: (y[0],), (mpf(1),), mpf(0), "free", (mpf(1),))
    with pytest.raises(CertificationError):
        step.at(mpf(1), 4)
    rough = HybridStep(lambda _, y: (abs(y[0]) ** mpf("0.1"),), (mpf("1e-9"),), mpf(0), "free", (mpf(0),))
    assert rough.at(mpf(1)) == (0,)
    with pytest.raises(CertificationError):
        HybridStep(lambda t, _: (mpmath.sign(t - mpf("0.3")),), (mpf(1),), mpf(0), "free", (mpf(0),)).at(mpf(1))


def test_small_states_are_sharp_beside_their_own_size():
    """Of a state of 1e-30 beside one of 1, with its own scale."""
    sizes = (mpf(1), mpf(10) ** -30)
    step = HybridStep(lambda _, y: (y[0], 2 * y[1]), sizes, mpf(0), "free", (mpf(1), mpf(10) ** -30))
    _, other = step.at(mpf("0.5"))
    assert near(other * mpf(10) ** 30, mpmath.e, 18)


# ---- events


@pytest.mark.parametrize(
    ("direction", "instants"), [(-1, ["0.5", "2.5"]), (1, ["1.5", "3.5"]), (0, ["0.5", "1.5", "2.5", "3.5"])]
)
def test_events_fall_rise_or_cross(direction, instants):
    steps = swinging(HybridEvent("zero", x, "", direction), end=11.5)
    for number, share in enumerate(instants, start=1):
        assert near(steps.event("zero", number)[0], mpf(share) * mpmath.pi)
    with pytest.raises(CertificationError):
        steps.event("zero", len(instants) + 1)
    assert steps.count("zero", mpf(5)) == sum(float(s) * 3.14159 < 5 for s in instants)
    assert steps.count("zero", mpf("0.1")) == 0


def test_the_guard_of_a_rising_event_is_turned_around():
    assert falling(HybridEvent("up", x, "", 1)) == -x
    assert falling(HybridEvent("down", x, "", -1)) == x
    assert falling(HybridEvent("cross", x, "", 0)) == x


def test_events_fall_unless_they_say_otherwise():
    steps = swinging(HybridEvent("zero", x, ""), initial=(sympy.Integer(-1), sympy.Integer(0)))
    assert near(steps.event("zero", 1)[0], 3 * mpmath.pi / 2)


def test_an_event_right_after_the_start_is_met():
    """cos t falls below 1 - 1.25e-17 after 5e-9 s."""
    level = sympy.Rational("1.25e-17")
    steps = swinging(HybridEvent("soon", x - 1 + level, "", -1, True), end=1)
    assert abs(steps.event("soon", 1)[0] - mpf("5e-9")) < mpf("1e-10")


def test_a_guard_that_the_start_leaves_at_zero_comes_back_later():
    steps = swinging(HybridEvent("back", x, "", -1), initial=(sympy.Integer(0), sympy.Integer(1)))
    assert near(steps.event("back", 1)[0], mpmath.pi)


def test_a_guard_that_dips_between_the_ends_of_a_step_is_met():
    """cos t + 0.999 is negative between π - 0.0447 and π + 0.0447, inside one step."""
    steps = swinging(HybridEvent("dip", x + sympy.Rational(999, 1000), "", -1))
    assert near(steps.event("dip", 1)[0], mpmath.acos(mpf("-0.999")))


def test_a_guard_that_turns_twice_between_the_ends_of_a_step_is_met():
    """After an impact a guard leaves zero, falls below it, and is above it again where a long step would end."""
    with mpmath.workdps(60):
        found = veridyn.reference("rigid_stop", k="25")
        assert abs(found["t_4"].value - mpf("0.490711467689841370493304321482")) < mpf(10) ** -28
    assert "not confirmed" not in found["t_4"].routes[0]


def test_a_terminal_event_ends_the_motion():
    steps = swinging(HybridEvent("zero", x, "", -1, True))
    assert near(steps.event("zero", 1)[0], mpmath.pi / 2)
    with pytest.raises(CertificationError):
        steps.event("zero", 2)
    assert len(steps.crossings) == 1


def test_of_two_events_in_a_step_the_first_counts():
    first = HybridEvent("first", x - sympy.Rational(1, 2), "", -1, True)
    second = HybridEvent("second", x, "", -1, True)
    for events in ((first, second), (second, first)):
        steps = swinging(*events)
        assert near(steps.event("first", 1)[0], mpmath.pi / 3)
        with pytest.raises(CertificationError):
            steps.event("second", 1)


def test_impacts_reset_the_state():
    steps = bouncing()
    for number in (1, 2, 3, 4):
        truth = 1 + 2 * (1 - mpf("0.5") ** (number - 1))
        if truth < 3:
            time, crossing = steps.event("impact", number)
            assert near(time, truth)
            assert near(crossing.before[1][1], -2 * mpf("0.5") ** (number - 1))
            assert near(crossing.after[1][1], mpf("0.5") ** number * 2)
            assert crossing.after[1][0] == 0
    assert steps.count("impact", mpf("2.25")) == 2


def test_a_mode_follows_another():
    """x grows by 1 a second up to 1, then by 3; and from then on nothing happens."""
    up = HybridMode("slow", (sympy.Integer(1),), (HybridEvent("switch", 1 - x, "fast"),))
    fast = HybridMode("fast", (sympy.Integer(3),), ())
    steps = Steps(HybridProblem(("x",), (), (up, fast), "slow", (sympy.Integer(0),), mpf(2)), ())
    assert near(steps.at(mpf("1.5"))[1][0], mpf("2.5"))
    assert steps.at(mpf("1.5"))[0].mode == "fast"
    assert near(steps.at(mpf("0.5"))[1][0], mpf("0.5"))


def test_steps_that_come_to_a_halt_are_an_error():
    """x' = x² from 1 is infinite at t = 1."""
    mode = HybridMode("free", (x**2,), ())
    steps = Steps(HybridProblem(("x",), (), (mode,), "free", (sympy.Integer(1),), mpf(2)), ())
    with pytest.raises(CertificationError):
        steps.value(x, sympy.Rational(3, 2), False)


# ---- readings


def test_states_at_any_instant():
    steps = swinging()
    for instant in ("0", "0.1", "3.3", "7"):
        assert near(steps.value(x, sympy.Rational(instant), False), mpmath.cos(mpf(instant)))
        assert near(
            steps.value(x * v + t, sympy.Rational(instant), False), mpf(instant) - mpmath.sin(2 * mpf(instant)) / 2
        )


def test_a_motion_may_begin_later():
    steps = swinging(start=2, end=5)
    assert near(steps.value(x, sympy.Integer(4), False), mpmath.cos(2))
    assert near(steps.value(t, sympy.Integer(4), False), 4)


def test_both_sides_of_an_event():
    steps = bouncing()
    assert near(steps.value(v, ("impact", 1), True), -2)
    assert near(steps.value(v, ("impact", 1), False), 1)


def test_instants_are_expressions_in_the_parameters_or_events():
    steps = bouncing()
    assert steps.time(h + e) == mpf("1.5")
    assert near(steps.time(("impact", 2)), 2)


def test_the_largest_value_lies_inside_or_at_an_end():
    steps = swinging()
    assert near(steps.largest(x, sympy.Integer(4), sympy.Integer(7)), 1)  # at 2π
    assert near(steps.largest(x, sympy.Integer(1), sympy.Integer(5)), mpmath.cos(1))
    assert near(steps.largest(x, sympy.Integer(4), sympy.Integer(6)), mpmath.cos(6))
    assert near(steps.largest(-x, sympy.Integer(0), sympy.Integer(7)), 1)
    turns = [time for time, _, turned in steps.candidates(x, mpf(1), mpf(7)) if turned]
    assert [near(a, k * mpmath.pi, 13) for a, k in zip(turns, (1, 2), strict=True)] == [True, True]
    instants = [time for time, _, _ in steps.candidates(x, mpf(1), mpf(7))]
    assert near(min(instants), 1)
    assert near(max(instants), 7)


def test_the_largest_value_after_an_impact():
    steps = bouncing()
    assert near(steps.largest(x, ("impact", 1), ("impact", 2)), mpf("0.25"))


def test_steps_are_made_once_for_the_same_parameters():
    problem = bouncing().problem
    record = SimpleNamespace(e=exact("0.5"), h=exact("1"))
    first = hybrid_steps.steps(problem, record)
    assert hybrid_steps.steps(problem, record) is first
    other = hybrid_steps.steps(problem, SimpleNamespace(e=exact("0.25"), h=exact("1")))
    assert near(other.event("impact", 2)[0], mpf("1.5"))
    assert near(hybrid_steps.steps(problem, record, h=mpf(4)).event("impact", 1)[0], 2)


def test_a_parameter_is_sought_for_which_an_expression_is_zero():
    """The height from which a ball reaches the ground with speed 3: v² = 4 h."""
    problem = replace(bouncing().problem, parameters={"e": "0.5", "h": "2"})
    found = hybrid_steps.solved(problem, SimpleNamespace(e=exact("0.5")), "h", v + 3, ("impact", 1))
    assert near(found.numbers[1], mpf("2.25"))
