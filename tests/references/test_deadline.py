"""A limit of time: what takes too long says how far it came, and the next try begins anew."""

from __future__ import annotations

import re
import sys
import time
import weakref

import mpmath
import pytest
from flint import ctx

import veridyn
from veridyn.references.deadline import Depth, Limit, OutOfTime, check_time, may_be_cut, time_limit
from veridyn.references.engine.enclosure import precision


def test_without_a_limit_nothing_is_looked_at():
    check_time("far")
    with time_limit(None):
        check_time("far")


def test_the_earlier_of_two_limits_holds():
    with time_limit(0.0), time_limit(100.0), pytest.raises(OutOfTime, match="step 3"):
        check_time("step", 3)
    check_time("after")


def test_a_value_that_takes_too_long_is_undefined_and_says_how_far_it_came():
    late = veridyn.reference("pendulum", theta0="1.25", seconds=0.0)["theta@100"]
    assert late.value is None
    assert late.routes[0].startswith("not within 0 s: it came to ")
    assert late.routes[0].endswith("; --seconds gives it more")
    assert veridyn.reference("pendulum", theta0="1.25")["theta@100"].value is not None  # nothing of it was kept


def test_how_far_it_came_goes_from_the_precision_to_the_part():
    late = veridyn.reference("lorenz", r="28000000", seconds=1.0)["z@1"].routes[0]
    assert re.search(
        r"it came to \d+ bits, phase 1 \(\w+\) from t = 0 s on, \d+ steps, to \S+ s after its start;", late
    )


def test_what_a_place_above_leaves_behind_is_not_told():
    limit = Limit(ends=0.0)
    for depth, words in ((Depth.PHASE, "phase 1"), (Depth.PART, "9 parts"), (Depth.PHASE, "phase 2")):
        limit.reach(depth, words)
    assert limit.words == "phase 2"


class Slow:
    """What takes its time to be cleared: longer than the limit."""

    def __del__(self):
        spin()


def go_on_after(clear):
    clear()
    while True:
        pass


def spin():
    ends = time.monotonic() + 0.2
    while time.monotonic() < ends:
        pass


@pytest.mark.parametrize("clear", [Slow, lambda: weakref.WeakValueDictionary({1: Slow()}), spin])
def test_the_alarm_cuts_nothing_whose_errors_are_lost(clear):
    with pytest.raises(OutOfTime), time_limit(0.05):
        go_on_after(clear)  # the warning of an error that is lost would fail the test


def precisions():
    return ctx.prec, ctx.cap, mpmath.mp.prec, mpmath.iv.prec


def change_precisions():
    """Work as both routes do: one precision within the other, quadratures and roots, which set their own."""
    with precision(192), precision(64), mpmath.workdps(40), precision(384), mpmath.workdps(17):
        mpmath.findroot(lambda x: mpmath.quad(mpmath.cos, [0, x], maxdegree=1) - mpmath.mpf("0.5"), 0.5, tol=1e-2)
        ctx.prec, mpmath.mp.dps = 777, 99  # of who would set them back by a line of its own
    return precisions()


def cut_at(number, work):
    """Do work that an alarm cuts at its line of a number, or as soon after it as may be; tell whether it was cut."""
    lines = 0

    def trace(frame, *_):
        nonlocal lines
        lines += 1
        if lines >= number and may_be_cut(frame):
            raise OutOfTime("cut")
        return trace

    def limited():
        with time_limit(1000.0):
            work()

    sys.settrace(trace)
    try:
        limited()
    except OutOfTime:
        return True
    finally:
        sys.settrace(None)
    return False


def test_no_precision_is_left_behind_wherever_an_alarm_cuts():
    before, number = precisions(), 0
    while cut_at(number, change_precisions):
        assert precisions() == before, f"cut at line {number}"
        number += 1 if number < 150 else 41
    assert number > 1000
    with time_limit(0.0), pytest.raises(OutOfTime):
        check_time("no limit is left behind either")
    check_time("all is over")
