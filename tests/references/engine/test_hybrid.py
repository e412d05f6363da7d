"""Motions of problems with events, resets and modes: readings to a few digits against closed forms, or why not."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest
import sympy
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Condition, Mode
from veridyn.references.engine.enclosure import Absent, Undecided
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet, exact
from veridyn.references.problems import hybrid, hybrid_modes, hybrid_run
from veridyn.references.problems.hybrid import motion
from veridyn.references.problems.hybrid_system import HybridSystem
from veridyn.references.requirements import Requirement, restrict

DIGITS = 12


def problem(states, modes, initial, end, **more):
    return InitialValueProblem(
        name="made-up",
        states=states,
        parameters=more.pop("parameters", {}),
        modes=modes,
        initial=initial,
        end=end,
        **more,
    )


def free(states, rates, initial, end, *events, **more):
    return problem(states, (Mode(name="free", rates=rates, events=events),), initial, end, **more)


def ball(**more):
    """Falls from h with x'' = -g and keeps the share e of its speed."""
    impact = Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"})
    given = {"g": 2, "h": 1, "e": "0.5"}
    return motion(free(("y", "v"), ("v", "-g"), ("h", 0), 3, impact, parameters=given), **more)


def belt():
    """A block sticks to a belt until its spring pulls with Fs, and slips until it is as fast again."""
    release = Change(name="release", guard="Fs - x", direction=-1, reset={"v": "vb"}, mode="slip")
    stick = Change(name="stick", guard="vb - v", direction=-1, reset={"v": "vb"}, mode="stick")
    modes = (
        Mode(name="stick", rates=("v", 0), events=(release,)),
        Mode(name="slip", rates=("v", "Fk - x"), events=(stick,)),
    )
    return motion(problem(("x", "v"), modes, (0, "vb"), 20, parameters={"vb": "0.5", "Fs": "1.5", "Fk": 1}))


def swing(*events, rates=("v", "-x"), initial=(1, 0), end=7, **more):
    return motion(free(("x", "v"), rates, initial, end, *events, **more))


BALL, BELT = ball(), belt()
TURN = Change(name="turn", guard="v", direction=-1)
ZERO = Change(name="zero", guard="x", direction=0)
RISE = Change(name="rise", guard="x", direction=1)
SWING = swing(ZERO)
CUBE = swing(TURN, rates=("v", "-b*x**3"), end=8, parameters={"b": 1})


def close(reading, truth, **given):
    """Tell whether a reading is proved to some digits, and is what it should be."""
    found = reading(digits=DIGITS, **given)
    with mpmath.workdps(30):
        return found.value is not None and abs(found.value - truth) < mpmath.mpf(10) ** -DIGITS * max(1, abs(truth))


def why(reading, **given):
    """Return why there is no value."""
    found = reading(digits=DIGITS, **given)
    assert found.value is None
    return found.routes[0]


# ---- events, values, counts, extremes of phases that are affine


@pytest.mark.parametrize(("number", "instant"), [(1, 1), (2, 2), (3, 2.5), (5, 2.875)])
def test_instants_of_impacts(number, instant):
    assert close(BALL.event("impact", number), instant)


def test_the_last_impact_before_the_end_and_none_behind_it():
    assert "no event" in why(BALL.event("impact", 3), e="0.9")
    assert close(BALL.event("impact", 2), 2.8, e="0.9")


def test_values_at_instants_and_on_both_sides_of_an_event():
    assert close(BALL.value("y", "0.5"), 0.75)
    assert close(BALL.value("y", "1.5"), 0.25)
    assert close(BALL.value("y + 2*v", "0.5"), 0.75 - 2)
    assert close(BALL.value("v", ("impact", 1), before=True), -2)
    assert close(BALL.value("v", ("impact", 1)), 1)
    assert close(BALL.value("v", ("impact", 2)), 0.5)
    assert close(BALL.value("h*t", "2"), 2)
    assert close(BALL.value("y", "h/2"), 0.75)


def test_at_an_instant_that_may_be_an_event_both_sides_are_held():
    assert "nothing more than" in why(BALL.value("v", "1"))
    assert "nothing more than" in why(BALL.value("v", "2"))


def test_counts_up_to_an_instant_or_the_end():
    assert close(BALL.count("impact", until="1.5"), 1)
    assert close(BALL.count("impact", until="2.25"), 2)
    assert close(BALL.count("impact"), 2, e="0.9")
    assert close(BALL.count("impact", until="0.5"), 0)
    assert why(BALL.count("impact", until="2"))


def test_extremes_between_instants_and_events():
    assert close(BALL.largest("y", after=("impact", 1), until=("impact", 2)), 0.25)
    assert close(BALL.largest("y", until="2"), 1)
    assert close(BALL.largest("y", after="0.5", until="0.75"), 0.75)
    assert close(BALL.largest("y", after="1.25", until="1.375"), 0.234375)
    assert close(BALL.smallest("y", until="0.5"), 0.75)
    assert close(BALL.smallest("v", until="1.5"), -2)
    assert close(BALL.largest("v", until="1.5"), 1)
    assert close(BALL.largest("h + 0*y", until="1"), 1)
    assert close(SWING.smallest("x"), -1)
    assert close(SWING.largest("x", after=1), 1)
    with mpmath.workdps(30):
        assert close(SWING.largest("x", after="0.5", until=1), mpmath.cos(mpmath.mpf("0.5")))


def test_after_an_event_what_was_before_its_reset_is_over():
    """The ball meets the floor at -2 and leaves it at 1: the largest speed after the impact is that of the rebound."""
    assert close(BALL.smallest("v", after=("impact", 1), until="1.25"), 0.5)
    assert close(BALL.largest("v**2", after=("impact", 1), until=("impact", 2)), 1)
    assert close(BALL.largest("v**2", until=("impact", 1)), 4)
    assert close(BALL.instant_of_largest("v**2", after=("impact", 1), until="1.5"), 1)
    BALL.largest("v**2", after=("impact", 1), until=("impact", 2))().confirm()


def test_where_a_value_is_largest():
    assert close(BALL.instant_of_largest("y", after=("impact", 1), until=("impact", 2)), 1.5)
    assert close(BALL.instant_of_largest("y", until="2"), 0)
    assert close(BALL.instant_of_largest("y", after="1.25", until="1.375"), 1.375)
    assert close(BALL.instant_of_largest("v", until=("impact", 1)), 0)
    assert "at which of several instants" in why(BALL.instant_of_largest("0*y + h", until="1"))
    varied = exact("0.5").varied()
    top = BALL.instant_of_largest("y", after=("impact", 1), until=("impact", 2))
    assert abs(top(e=varied).derivative.value - 1) < 1e-25  # 1 + e


def test_quantities_are_combined():
    """Both routes of v/v0 are those of its parts, and of parameters."""
    before, after = (BALL.value("v", ("impact", 1), before) for before in (True, False))
    ratio = BALL.combine("ratio", lambda p: p.h * p.b / p.a, {"a": before, "b": after})
    assert close(ratio, -0.5)
    assert len(ratio().confirm().routes) == 2
    assert abs(ratio(e=exact("0.5").varied()).derivative.value + 1) < 1e-25
    late = BALL.combine("late", lambda p: 2 * p.third, {"third": BALL.event("impact", 3)})
    assert "no event" in why(late, e="0.9")


def test_events_of_either_name():
    either = BELT.event("release or stick", 2)
    assert either().value == BELT.event("stick", 1)().value
    assert len(either().confirm().routes) == 2
    assert close(BELT.count("release or stick"), float(BELT.count("release")()) + float(BELT.count("stick")()))
    with pytest.raises(ParameterError, match="unknown event 'stuck'"):
        BELT.event("release or stuck")


def test_the_last_event_before_the_end():
    last = BALL.event("impact", -1)
    assert close(last, 2.8, e="0.9")
    assert len(last(e="0.9").confirm().routes) == 2
    with mpmath.workdps(30):
        assert close(BALL.value("v", ("impact", -1), before=True), -2 * mpmath.mpf("0.9"), e="0.9")
    assert "no event" in why(BALL.event("impact", -1), h=100)


def test_a_history_is_read_anywhere_and_has_events():
    history = BALL.history("1.75", height="y", energy="v**2/2 + 2*y")()
    assert [float(history("height", t)) for t in ("0.5", "1.25")] == [0.75, 0.1875]
    assert float(history("energy", "1.5")) == 0.5
    assert [float(t) for t, _ in history.events()] == [0, 1]


def test_a_history_is_read_at_many_instants_in_any_order_as_at_each():
    history = BALL.history("1.75", height="y")()
    times = ["1.25", "0.5", "1.75", "0"]
    assert history.sample("height", times) == [history("height", t) for t in times]
    with pytest.raises(Absent, match="no motion beyond is found"):
        history.sample("height", ["0.5", "1e3"])
    with pytest.raises(ParameterError, match="non-negative"):
        history.sample("height", ["0.5", "-1"])


def test_derivatives_of_readings():
    varied = exact("0.5").varied()
    for reading, truth in (
        (BALL.event("impact", 2), 2),  # 1 + 2 e
        (BALL.event("impact", 3), 4),  # 1 + 2 e + 2 e²
        (BALL.value("v", ("impact", 1)), 2),  # 2 e
        (BALL.largest("y", after=("impact", 1), until=("impact", 2)), 1),  # e²
    ):
        assert abs(reading(e=varied).derivative.value - truth) < 1e-25


def test_modes_follow_each_other():
    """Slips last 2 (π - atan(gap/vb)), sticks 2 gap/vb."""
    with mpmath.workdps(30):
        slip = 2 * (mpmath.pi - mpmath.atan(1))
    assert close(BELT.event("release", 1), 3)
    assert close(BELT.event("stick", 1), 3 + slip)
    assert close(BELT.event("release", 2), 5 + slip)
    with mpmath.workdps(30):
        assert close(BELT.largest("x"), 1 + mpmath.sqrt(mpmath.mpf(1) / 2))
    assert close(BELT.value("v", "1"), 0.5)


def test_events_that_fall_rise_or_cross():
    with mpmath.workdps(30):
        quarter = mpmath.pi / 2
    assert close(SWING.event("zero", 2), 3 * quarter)
    assert close(swing(RISE).event("rise", 1), 3 * quarter)
    assert "no event" in why(swing(RISE).event("rise", 2))
    assert close(SWING.count("zero"), 2)
    assert close(SWING.value("v", ("zero", 2), before=True), 1)
    assert close(SWING.value("v", ("zero", 2)), 1)


def test_an_event_that_is_terminal_ends_the_motion():
    last = swing(Change(name="end", guard="x", direction=-1, terminal=True))
    with mpmath.workdps(30):
        assert close(last.event("end"), mpmath.pi / 2)
    assert close(last.value("v", ("end", 1)), -1)
    assert "ends before" in why(last.value("x", 3))
    assert "ends before" in why(last.largest("x", after=3, until=4))
    assert "no event" in why(last.event("end", 2))


def test_loads_that_are_waves_or_polynomials_stay_affine():
    """x'' = -4 x + sin t + t from rest at 1, and what grows with the square of time."""
    driven = swing(rates=("v", "-4*x + sin(W*t) + t"), parameters={"W": 1})
    system = driven._system(ParameterSet())
    assert system.modes["free"].rows is not None
    with mpmath.workdps(30):
        t = mpmath.mpf(3)
        truth = mpmath.cos(2 * t) + (2 * mpmath.sin(t) - mpmath.sin(2 * t)) / 6 + t / 4 - mpmath.sin(2 * t) / 8
        assert close(driven.value("x", 3), truth)
    squared = swing(rates=("v", "-4*x + t**2 - 2*t**3"))
    assert squared._system(ParameterSet()).modes["free"].rows is not None
    with mpmath.workdps(30):  # x'' = -4 x + t² - 2 t³ has the particular solution -t³/2 + t²/4 + 3 t/4 - 1/8
        free = mpmath.mpf(9) / 8 * mpmath.cos(2 * t) - mpmath.mpf(3) / 8 * mpmath.sin(2 * t)
        assert close(squared.value("x", 3), free - t**3 / 2 + t**2 / 4 + 3 * t / 4 - mpmath.mpf(1) / 8)
    for rates in (
        ("v", "-x + sin(t**2)"),
        ("v", "-t*x"),
        ("v", "-x*v"),
        ("v", "-x + sin(x)"),
        ("v", "-sqrt(x + 2)"),
    ):
        assert swing(rates=rates)._system(ParameterSet()).modes["free"].rows is None


def test_a_motion_may_begin_at_any_instant():
    later = swing(ZERO, start=2, end=5)
    with mpmath.workdps(30):
        assert close(later.event("zero"), 2 + mpmath.pi / 2)
        assert close(later.value("x", 3), mpmath.cos(1))
        assert close(later.value("x", 2), 1)


# ---- phases that are not affine


def quarter_of_cube():
    with mpmath.workdps(30):
        return mpmath.gamma(mpmath.mpf(1) / 4) ** 2 / (4 * mpmath.sqrt(mpmath.pi))


def test_smooth_phases_have_events_values_and_extremes():
    """x'' = -x³ from 1 at rest turns back from below after half a period."""
    assert close(CUBE.event("turn", 1), 4 * quarter_of_cube())
    assert close(CUBE.smallest("x", until=5), -1)
    stiffer = swing(rates=("v", "-x - x**3"), end=3)
    with mpmath.workdps(30):
        assert close(stiffer.smallest("v"), -mpmath.sqrt(mpmath.mpf(3) / 2))
    assert close(CUBE.value("x**4 + 2*v**2", 3), 1)


def test_smooth_phases_after_an_event_begin_next_to_it():
    wall = Change(name="hit", guard="x", direction=-1, reset={"x": 0, "v": "-v"})
    struck = swing(wall, rates=("v", "-x**3"), end=6)
    assert close(struck.event("hit", 2), 3 * quarter_of_cube())
    with mpmath.workdps(30):
        assert close(struck.value("v", ("hit", 1)), mpmath.sqrt(mpmath.mpf(1) / 2))


def test_derivatives_of_smooth_motions():
    """x'' = -b x³: instants go with 1/sqrt b."""
    found = CUBE.event("turn", 1)(digits=DIGITS, b=exact(1).varied())
    assert abs(found.derivative.value + 2 * quarter_of_cube()) < mpmath.mpf(10) ** -DIGITS


def test_a_motion_that_grows_beyond_bounds_is_absent():
    assert "beyond bounds" in why(swing(rates=("v", "x**3"), initial=(1, 1), end=5).value("x", 5))


# ---- where guards vanish


def test_a_guard_that_the_start_leaves_at_zero_comes_back():
    with mpmath.workdps(30):
        assert close(swing(ZERO, initial=(0, 1)).event("zero"), mpmath.pi)
        half = swing(Change(name="half", guard="x**2 + v - 1", direction=-1), initial=(0, 1))
        assert close(half.event("half"), mpmath.pi / 2)  # of cos t (1 - cos t)


def test_a_guard_may_vanish_with_four_derivatives_at_the_start():
    """t⁴/24 - t⁵/120 is positive up to t = 5."""
    rates = ("a", "b", "c", "1 - t")
    slow = motion(free(("x", "a", "b", "c"), rates, (0, 0, 0, 0), 6, Change(name="zero", guard="x", direction=-1)))
    assert close(slow.event("zero"), 5)


def test_a_guard_that_the_start_leaves_at_zero_may_know_the_time():
    """cos t + t/2 - 1 rises from zero and comes back."""
    with mpmath.workdps(30):
        truth = mpmath.findroot(lambda t: mpmath.cos(t) + t / 2 - 1, (0.8, 1.4), solver="anderson")
        assert close(swing(Change(name="level", guard="x + t/2 - 1", direction=-1)).event("level"), truth)


def test_a_guard_that_stays_zero_is_undecided():
    still = swing(ZERO, rates=("v", 0), initial=(0, 0))
    assert "stays zero" in why(still.event("zero"))


def test_what_a_reset_leaves_is_found_symbolically():
    """After an impact at d the gap is zero exactly, whatever the radius of the instant."""
    wall = Change(name="hit", guard="d - x", direction=-1, reset={"v": "-v"})
    struck = swing(wall, initial=(0, 1), parameters={"d": "0.5"})
    with mpmath.workdps(30):
        assert close(struck.event("hit", 1), mpmath.pi / 6)
        assert close(struck.event("hit", 2), 3 * mpmath.pi / 2)
    assert close(struck.largest("x"), 0.5)


def test_affine_expressions_have_their_factors():
    a, b, one = sympy.symbols("a b one")
    k = sympy.Symbol("k")
    assert hybrid_modes._linear(k * a - 3, [a, b, one], 2) == {0: k, 2: -3}
    assert hybrid_modes._linear(2 * b + one, [a, b, one], 2) == {1: 2, 2: 1}
    assert hybrid_modes._linear(b + one * 4 + 5, [a, b, one], 2) == {1: 1, 2: 9}
    assert hybrid_modes._linear(a * b, [a, b, one], 2) is None
    assert hybrid_modes._linear(a**2, [a, b, one], 2) is None
    assert hybrid_modes._linear(sympy.Abs(a), [a, b, one], 2) is None


# ---- parameters that are sought or follow


def test_a_parameter_is_sought_at_an_event():
    """The height from which the ball is at 4 h - 9 = 0 on the ground: v² = 4 h."""
    sought = BALL.where("h", "v + 3", at=("impact", 1))
    assert close(sought.value("h", 0), 2.25)
    assert close(sought.event("impact"), 1.5)
    moved = sought.value("h", 0)(g=exact(2).varied()).derivative.value  # 9/(2 g)
    assert abs(moved + 1.125) < 1e-20
    assert "h" not in {parameter.name for parameter in sought.parameters}
    assert why(BALL.where("e", "v + 3", at=("impact", 1)).event("impact"))


def test_a_parameter_is_sought_to_many_digits():
    found = BALL.where("h", "v + 3", at=("impact", 1)).value("h", 0)(digits=300)
    assert (found.value, found.digits) == (2.25, 300)


def test_a_parameter_that_is_nowhere_is_undecided():
    found = BALL.where("h", "v**2 + 1", at=("impact", 1)).event("impact")
    assert "h" in why(found)


def test_parameters_may_follow_from_others():
    fallen = BALL.knowing(("h",), lambda p: {"h": p.g / 2})
    speed = fallen.value("v", ("impact", 1), before=True, second=lambda p: -p.g)
    assert close(speed, -2)
    slope = speed(g=exact(2).varied()).derivative
    assert abs(slope.value + 1) <= slope.radius < 1e-30
    with pytest.raises(ParameterError):
        speed(h=1)


def test_parameters_may_have_rules():
    ruled = ball(parameters=(Parameter("e", "", "restitution", "0.5", "positive"),))
    assert close(ruled.event("impact", 2), 2)
    with pytest.raises(ParameterError):
        ruled.event("impact")(e="-1")
    checked = ball(record=restrict(Requirement("h >= 1", "the ball lies too low")))
    assert close(checked.event("impact"), 1)
    with pytest.raises(ParameterError, match=r"h = 0.5: the ball lies too low; needed: h >= 1"):
        checked.event("impact")(h="0.5")


def test_a_closed_form_is_one_of_balls():
    assert close(BALL.closed(lambda p: (2 * p.h / p.g).sqrt()), 1)
    assert BALL.closed(lambda p: p.h * arb.pi())().routes == (hybrid.CLOSED,)


def test_names_that_are_not_there_are_refused():
    for ask in (BALL.event, BALL.count):
        with pytest.raises(ParameterError):
            ask("impcat")
    with pytest.raises(ParameterError):
        BALL.value("y", ("impcat", 1))
    with pytest.raises(ParameterError):
        BALL.where("h", "v", at=("impcat", 1))


# ---- how far a motion was looked at


def test_a_motion_is_followed_only_as_far_as_it_is_read():
    system = HybridSystem(BALL.problem)
    o = ParameterSet(g=exact(2), h=exact(1), e=exact("0.5"))
    run = hybrid_run.follow_motion(system, o)
    before = len(run.kept)
    assert next(iter(run)).by == "impact"
    assert len(run.kept) == max(1, before)
    assert hybrid_run.find_phase(run, "impact", 3) is run.kept[2]
    assert hybrid_run.find_next_phase(system, o, run.kept[1]) is run.kept[2].phase


def test_what_stopped_a_motion_is_raised_again():
    def source():
        yield from ()
        raise Undecided("it grazes")

    run = hybrid_run.PhaseCache(source())
    for _ in range(2):
        with pytest.raises(Undecided):
            list(run)
    with pytest.raises(Absent):
        hybrid_run.find_phase(hybrid_run.PhaseCache(iter(())), "impact", 1)


def test_more_bits_may_be_spared():
    found = ball(spare=32).event("impact", 2)
    assert close(found, 2)
    assert ball(spare=32).where("h", "v + 3", at=("impact", 1)).spare == 32
    assert ball(spare=32).knowing(("h",), lambda p: {"h": p.g}).spare == 32


def test_what_was_proved_is_counted():
    assert ball().event("impact", 2)(digits=DIGITS).proved.startswith("2 phases, 2 events, ")


# ---- what defines modes and orbits


FLOOR = (Condition(expression="x + 1/2", meaning="the mass is above the floor"),)


def test_a_condition_ends_what_is_known():
    """cos t is above -1/2 up to 2 pi/3."""
    fenced = motion(problem(("x", "v"), (Mode(name="a", rates=("v", "-x"), conditions=FLOOR),), (1, 0), 7))
    assert close(fenced.value("x", 2), mpmath.cos(2))
    assert "a: up to t = 2.0943951 s the mass is above the floor, then no longer" in why(fenced.value("x", 3))


@pytest.mark.parametrize(
    ("start", "speed", "holds"), [("-0.6", 0, False), ("-1/2", "0.1", True), ("-1/2", "-0.1", False)]
)
def test_a_condition_holds_where_a_mode_begins(start, speed, holds):
    """At zero it is the first derivative that is not zero which tells."""
    modes = (Mode(name="a", rates=("v", "-x"), conditions=FLOOR),)
    fenced = motion(problem(("x", "v"), modes, (start, speed), 7)).value("x", "0.1")
    if holds:
        assert fenced().value is not None
    else:
        assert "a begins at t = 0 s, but not so that the mass is above the floor" in why(fenced)


def test_a_mode_begins_past_no_event_unless_it_waits():
    past = Change(name="low", guard="x", direction=-1, reset={"v": 0})
    begun = swing(past, initial=("-1/2", 1))
    assert "begins at t = 0 s past its event low" in why(begun.value("x", 1))
    waiting = swing(replace(past, waits="the mass comes from below"), initial=("-1/2", 1))
    assert close(waiting.value("x", 1), mpmath.sin(1) - mpmath.cos(1) / 2)


def test_an_orbit_that_is_presumed_is_proved():
    right = BELT.presuming("release", "stick", "release")
    assert close(right.event("release"), 3)
    wrong = BELT.presuming("release", "release")
    assert why(wrong.event("release")) == "presumes the orbit release, release, but event 2 is stick"
    assert close(wrong.closed(lambda p: p.Fs), 1.5)  # no part of the orbit
    assert close(BELT.presuming("release", close=3).event("release"), 3)
    assert "the last at t = 2 s, but it is at 3 s" in why(BELT.presuming("release", close=2).event("release"))
    with pytest.raises(ParameterError, match="released"):
        BELT.presuming("released")
