"""Turns of a linear motion that may be the largest: those of smaller size are left out, ends and double roots too."""

import mpmath
import pytest
from flint import arb

from veridyn.references.engine import highs
from veridyn.references.engine.enclosure import Absent, to_mpf
from veridyn.references.engine.flows import Course, LinearFlow
from veridyn.references.engine.highs import find_high_turns

ONE = arb(1)


def swing(damping=0):
    """Return the course of x'' + 2 damping x' + x = 0 from x = 1 at rest."""
    flow = LinearFlow(({1: ONE}, {0: -ONE, 1: arb(-2 * damping)}))
    return Course(flow, (ONE, arb(0)))


def turns(course, until, size=lambda b: b, after=0, zeros=1):
    return [float(to_mpf(t)) for t in find_high_turns(course, {0: ONE}, arb(after), arb(until), size, zeros)]


def test_an_undamped_swing_has_all_its_maxima_and_no_minimum():
    assert turns(swing(), 20) == pytest.approx([float(2 * k * mpmath.pi) for k in (1, 2, 3)])
    assert turns(swing(), 20, abs) == pytest.approx([float(k * mpmath.pi) for k in range(1, 7)])


def test_of_a_damped_swing_the_first_turn_is_the_highest():
    assert turns(swing(0.5), 40, abs, after=2.5) == pytest.approx([float(2 * mpmath.pi / mpmath.sqrt(3))])


def test_what_is_high_before_the_stretch_hides_nothing():
    """From 3 s on the first maximum is the second of the motion; the start, which is higher, does not count."""
    late = turns(swing(0.125), 40, after=3)
    assert late[0] == pytest.approx(float(2 * mpmath.pi / mpmath.sqrt(1 - mpmath.mpf(1) / 64)))


def test_a_turn_at_a_place_where_a_part_of_a_piece_may_begin():
    """x = t - t²/2 turns at 1 s exactly, a multiple of any piece."""
    flow = LinearFlow(({1: ONE}, {2: -ONE}, {}), arb(4))
    assert turns(Course(flow, (arb(0), ONE, ONE)), 4, zeros=0) == [1.0]


def test_too_many_pieces_are_refused(monkeypatch):
    monkeypatch.setattr(highs, "MOST_PIECES", 10)
    with pytest.raises(Absent, match="shorten the time"):
        turns(swing(), 10_000)
