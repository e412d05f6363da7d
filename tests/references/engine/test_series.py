"""Taylor coefficients of noted operations, against the series of the library and closed forms."""

from __future__ import annotations

import pytest
from flint import arb, arb_series

from veridyn.references.engine.enclosure import precision
from veridyn.references.engine.jets import Jet
from veridyn.references.engine.series import Code, Tape, Taylor, traced

ONE = arb(1)
ORDER = 8  # the library's series have ten terms
AT = arb("0.28125")


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


def coefficients(law, column=(AT, 3, -1, 0.375)):
    """Return the coefficients of a function of a series that is given, and what the library makes of the same."""
    tape = Tape()
    t = tape.note(Code.GIVEN)
    place = tape.place(law(t))
    column = [*map(arb, column), *[arb(0)] * ORDER][: ORDER + 1]
    return tape.run({t.place: column}, {}, ORDER)[place], law(arb_series(column, ORDER + 1))


LAWS = {
    "sum": lambda t: t + t + t,
    "sum with numbers": lambda t: 2 + t - 5,
    "reversed difference": lambda t: 2 - t,
    "negative": lambda t: -t,
    "scaled": lambda t: t * 3 / 7,
    "scaled from the left": lambda t: 4 * t,
    "product": lambda t: t * (t + 1),
    "square": lambda t: t * t,
    "quotient": lambda t: (t + 3) / (t * t + 1),
    "inverse": lambda t: 1 / t,
    "constant over": lambda t: 5 / (2 + t),
    "power -1": lambda t: (t + 1) ** -1,
    "power 1": lambda t: t**1,
    "power 2": lambda t: t**2,
    "power 3": lambda t: t**3,
    "power 4": lambda t: t**4,
    "power 5": lambda t: t**5,
    "power 7": lambda t: t**7,
    "power 12": lambda t: t**12,
    "exp": lambda t: t.exp(),
    "log": lambda t: t.log(),
    "sqrt": lambda t: t.sqrt(),
    "sin": lambda t: t.sin(),
    "cos": lambda t: t.cos(),
    "sin and cos": lambda t: t.sin() * 2 - t.cos(),
    "tan": lambda t: t.tan(),
    "atan": lambda t: t.atan(),
    "asin": lambda t: t.asin(),
    "acos": lambda t: t.acos(),
    "nested": lambda t: (t.sin() * t + 3).log() / t.exp(),
}


@pytest.mark.parametrize("name", LAWS)
def test_coefficients_are_those_of_the_library(name):
    found, truth = coefficients(LAWS[name])
    for k in range(ORDER + 1):
        assert found[k].overlaps(truth[k])
        assert found[k].rad() < arb(2) ** -140


@pytest.mark.parametrize("power", ["0.5", "-1.5", "3.25"])
def test_powers_that_are_no_whole_numbers(power):
    found, truth = coefficients(lambda t: t ** arb(power) if isinstance(t, Taylor) else (t.log() * arb(power)).exp())
    assert all(a.overlaps(b) and a.rad() < arb(2) ** -130 for a, b in zip(found, list(truth), strict=True))


def test_negative_whole_powers():
    found, truth = coefficients(lambda t: t**-2 if isinstance(t, Taylor) else 1 / (t * t))
    assert all(found[k].overlaps(truth[k]) for k in range(ORDER + 1))


def test_hyperbolic_functions():
    halves = {"sinh": lambda up, down: (up - down) / 2, "cosh": lambda up, down: (up + down) / 2}
    for name, half in halves.items():
        found, _ = coefficients(lambda t, name=name: getattr(t, name)() if isinstance(t, Taylor) else t)
        _, truth = coefficients(lambda t, half=half: half(t.exp(), (-t).exp()))
        assert all(found[k].overlaps(truth[k]) and found[k].rad() < arb(2) ** -140 for k in range(ORDER + 1))
    found, truth = coefficients(
        lambda t: t.tanh() if isinstance(t, Taylor) else (t.exp() - (-t).exp()) / (t.exp() + (-t).exp())
    )
    assert all(found[k].overlaps(truth[k]) for k in range(ORDER + 1))


def test_a_polynomial_that_ends_has_coefficients_that_are_exactly_zero():
    found, _ = coefficients(lambda t: t * t, (2, 1))
    assert [int(x.mid().unique_fmpz()) for x in found] == [4, 4, 1, *[0] * (ORDER - 2)]
    assert all(x.is_exact() for x in found)


# ---- what is noted


def test_what_is_made_twice_is_noted_once():
    tape = Tape()
    t = tape.note(Code.GIVEN)
    assert t.sin() is t.sin()
    assert (t + t).place == (t + t).place
    before = len(tape)
    assert t.cos().place
    assert len(tape) == before


def test_zeros_are_not_noted():
    t = Tape().note(Code.GIVEN)
    assert t + 0 is t
    assert 0 + t is t
    assert t * 0 == 0
    assert isinstance(t * 0, arb)


def test_a_whole_power_takes_few_products():
    tape = Tape()
    t = tape.note(Code.GIVEN)
    t**12
    assert sum(op.code == Code.PRODUCT for op in tape) == 4
    assert not any(op.code == Code.POWER for op in tape)


def test_pairs_take_functions_as_their_parts():
    tape = Tape()
    t = tape.note(Code.GIVEN)
    pair = Jet(t, tape.note(Code.GIVEN))
    for law in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x / y):
        assert isinstance(law(t, pair), Jet)
        assert isinstance(law(pair, t), Jet)


def test_a_constant_has_a_place():
    tape = Tape()
    place = tape.place(arb(3))
    assert tape.run({}, {}, 2)[place] == [3, 0, 0]


# ---- motions


def test_a_motion_by_its_rates():
    """x' = v, v' = -4 x, with the reading x² + v²/4, which is constant."""
    noted = traced(lambda _, y: (y[1], -4 * y[0]), lambda _, y: (y[0] * y[0] + y[1] * y[1] / 4,), 2, 0)
    x, v, energy = noted.expand(arb(0), (ONE, arb(0)), 8)
    wave = (arb_series([0, 2], 9)).cos()
    assert all(x[k].overlaps(wave[k]) for k in range(9))
    assert all(v[k].overlaps(wave[k + 1] * (k + 1)) for k in range(8))
    assert energy[0] == 1
    assert all(energy[k].contains(0) and energy[k].rad() < 1e-50 for k in range(1, 9))


def test_time_is_a_function_too():
    """x' = t from t = 3, x = 1: 1 + 3 s + s²/2."""
    (x,) = traced(lambda t, _: (t,), lambda *_: (), 1, 0).expand(arb(3), (ONE,), 4)
    assert [float(c) for c in x] == [1, 3, 0.5, 0, 0]


def test_directions_follow_the_derivative_of_the_motion():
    """x' = x²: x = q/(1 - q s) moves with q as 1/(1 - q s)²; a reading t x moves as t/(1 - q s)²."""
    noted = traced(lambda _, y: (y[0] * y[0],), lambda t, y: (t * y[0],), 1, 1)
    (direction,) = noted.along
    assert noted.plain <= min(direction.rates)
    q = arb("0.5")
    given = {noted.now: [arb(2), ONE, *[arb(0)] * 5]}
    states = {place: [start] for place, start in zip((*noted.rates, *direction.rates), (q, ONE), strict=True)}
    known = noted.tape.run({**given, **states}, {**noted.rates, **direction.rates}, 5)
    moved, read = (known[place] for place in direction.asked)
    assert [float(c) for c in moved] == [(k + 1) * 0.5**k for k in range(6)]
    assert [float(c) for c in read] == [2 * (k + 1) * 0.5**k + (k * 0.5 ** (k - 1) if k else 0) for k in range(6)]


def test_a_run_may_end_early():
    tape = Tape()
    t = tape.note(Code.GIVEN)
    t + 1
    t + 2
    assert tape.run({t.place: [ONE]}, {}, 0, 2) == [[1], [2]]
