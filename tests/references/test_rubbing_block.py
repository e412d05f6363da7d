"""Rubbing block: regimes, balances, random parameters, what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.parameters import resolve
from veridyn.validation_cases.mechanics import test_frictions as case

TRUTHS = {quantity.name: quantity.reference for quantity in case.CASE.quantities}
CHANGES = sum(name.startswith("change_") for name in TRUTHS)  # that are asked; a stronger push may make more
INSTANTS = ("0.4", "0.67", "1.06", "1.3")

CAPTURE = {"w0": "0"}
ELASTIC = CAPTURE | {"kt": "2000", "ct": "60"}
near = st.floats(0.8, 1.25)


@given(st.sampled_from(({}, CAPTURE, ELASTIC, CAPTURE | {"kt": "500", "ct": "400"})), near, near, near)
@settings(max_examples=12, deadline=None)
def test_both_routes_agree(changes, push, speed, stiffness):
    drawn = {"F": repr(140 * push), "v0": repr(10 * speed), "k": repr(200 * stiffness)}
    parameters = {name: f"{float(value):.6g}" for name, value in drawn.items()} | changes
    phases = len(str(case.ORDER(**parameters).value).split())
    for number in range(1, min(phases, CHANGES) + 1):
        TRUTHS[f"change_{number}"](**parameters).confirm()
    for time in INSTANTS:
        for what in ("displacement", "friction", "across"):
            TRUTHS[f"{what}@{time}"](**parameters).confirm()


@pytest.mark.parametrize(
    ("parameters", "phases"),
    [
        ({}, "slip- slip+ stick slip-"),
        (CAPTURE, "slip- stick slip+ stick slip-"),
        (ELASTIC, "stick slip- stick slip+ stick slip-"),
        (CAPTURE | {"F": "1e-9"}, "stick"),
    ],
)
def test_phases(parameters, phases):
    assert case.ORDER(**parameters).value == phases


def test_stick_lies_between_the_kinetic_and_the_static_limit():
    held = abs(float(TRUTHS["friction@0.67"](**CAPTURE)))
    assert 100 < held < 200
    x, push = float(TRUTHS["displacement@0.67"](**CAPTURE)), 140 * math.cos(7 * 0.67)
    assert held == pytest.approx(abs(200 * x - push), rel=1e-9)


@pytest.mark.parametrize("name", ["kc", "v0", "w0"])
def test_what_moves_the_block_along_moves_nothing_across(name):
    """The events of the motion along, whose instants it moves, leave the one across alone."""
    varied = resolve(case.PARAMETERS, {})[name].varied()
    derivative = TRUTHS["across@1.3"](**{name: varied}).derivative
    assert derivative.value == 0
    assert derivative.radius == 0
    assert TRUTHS["displacement@1.3"](**{name: varied}).derivative.value != 0


def test_a_stiff_stick_nears_the_rigid_one():
    rigid = float(TRUTHS["displacement@1.3"](**CAPTURE))
    far, close = (
        abs(float(TRUTHS["displacement@1.3"](kt=kt, ct=ct, **CAPTURE)) - rigid)
        for kt, ct in (("2e6", "8000"), ("2e8", "80000"))
    )
    assert close < far / 5


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mu_s": "0.25"}, "friction would not be larger at rest"),
        ({"w0": "4"}, "the block leaves the floor"),
        ({"t1": "0.3"}, "ends before it starts"),
        ({"kt": "2000"}, "an elastic stick under a force that swings"),
    ],
)
def test_what_the_equations_do_not_say_is_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        TRUTHS["change_1"](**wrong)


def test_a_change_after_the_end_does_not_exist():
    assert TRUTHS["change_6"]().value is None


@pytest.mark.parametrize(
    ("parameters", "least", "most"),
    [(CAPTURE, 0.193, 0.194), (CAPTURE | {"F": "1e-9"}, 0.11, 1.0), (ELASTIC, math.inf, math.inf)],
)
def test_stick_may_hold_by_little(parameters, least, most):
    """At 0.645 s friction jumps from 100 N to -151.4 N with a limit of 200 N: 48.6 N of a jump of 251.4 N are left."""
    assert least <= case.find_least_spare(resolve(case.PARAMETERS, parameters)) <= most
