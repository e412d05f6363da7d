"""SDLD103: every digit of the statement, by modes and without, in any units."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.certified import agreeing_digits
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import exact
from veridyn.validation_cases.mechanics import test_sdld103 as sdld103

NODES = (2, 3, 4)
LONG = make_quantities(partial(sdld103.chain, end=20.0), sdld103.PARAMETERS)


def relative_displacement(node, time, **given):
    return sdld103.find_relative(LONG, node - 2, str(exact(time).rational))(**given)


def absolute_displacement(node, time, **given):
    return sdld103.find_absolute(LONG, node - 2, str(exact(time).rational))(**given)


def frequency(number, **given):
    return sdld103.find_frequency(number)(**given)


RELATIVE = {
    "0.1": ("-0.847734188451155", "-0.768448622532617", "-0.4096316080501845"),
    "0.3": ("-15.52017404706947", "-17.69234367343033", "-11.0371762890819"),
    "0.5": ("-43.64490494079278", "-49.93098801908948", "-31.24152977921834"),
    "0.7": ("-85.08300861699458", "-97.07114948831373", "-60.58331618658443"),
    "1.0": ("-174.7902348521968", "-199.7218584746822", "-124.8032798298684"),
}
ABSOLUTE = {
    "0.1": ("0.40226581154885", "0.064884710800716", "0.0070350586164822"),
    "0.3": ("85.729825952931", "49.80765632657", "22.712823710918"),
    "0.5": ("737.60509505921", "470.90234531424", "229.17513688745"),
    "0.7": ("2916.166991383", "1903.762183845", "939.83335048008"),
    "1.0": ("12325.209765148", "8133.6114748587", "4041.8633868368"),
}
# The statement computed these in double precision; what cancelled there is not compared.
EARLY = {
    "0.01": ("9.8766600254493e-10", 7),
    "0.02": ("2.4950079027916e-07", 9),
    "0.03": ("6.254680493643e-06", 11),
    "0.04": ("6.0582884522511e-05", 12),
    "0.05": ("3.4719096524262e-04", 12),
    "0.06": ("1.4234878580921e-03", 13),
    "0.07": ("4.6214355201234e-03", 13),
    "0.08": ("1.2624518073958e-02", 13),
    "0.09": ("3.0182503e-02", 7),
}


def assert_agree(result, text, digits):
    with mpmath.workdps(40):
        assert agreeing_digits(result.value, mpmath.mpf(text)) >= digits, (result.text(), text)


def assert_printed(result, text):
    """The value is the printed one, to one unit of its last digit."""
    with mpmath.workdps(40):
        unit = mpmath.mpf(10) ** Decimal(text).as_tuple().exponent
        assert abs(result.value - mpmath.mpf(text)) <= unit, (result.text(), text)


@pytest.mark.parametrize("time", RELATIVE)
def test_relative_displacements(time):
    for node, text in zip(NODES, RELATIVE[time], strict=True):
        assert_printed(relative_displacement(node=node, time=time), text)


@pytest.mark.parametrize("time", ABSOLUTE)
def test_absolute_displacements(time):
    for node, text in zip(NODES, ABSOLUTE[time], strict=True):
        assert_printed(absolute_displacement(node=node, time=time), text)


@pytest.mark.parametrize("time", EARLY)
def test_early_absolute_displacements(time):
    text, digits = EARLY[time]
    assert_agree(absolute_displacement(node=3, time=time), text, digits)


def test_frequencies():
    found = [frequency(number=number).confirm() for number in (1, 2, 3)]
    for result, text in zip(found, ("3.85203112728", "7.11762543417", "9.29962579015"), strict=True):
        assert_printed(result, text)
    with mpmath.workdps(30):
        assert agreeing_digits((2 * mpmath.pi * found[1].value) ** 2, mpmath.mpf(2000)) >= 29


def test_hundred_digits():
    result = relative_displacement(node=4, time="0.1", digits=100)
    assert result.digits == 100
    assert result.text().startswith("-0.40963160805018453138557867558353736567")


@pytest.mark.parametrize(("name", "value"), [("m", 0), ("k", -1), ("a", "nan"), ("a", 0)])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=name):
        frequency(number=1, **{name: value})


def test_there_are_three_frequencies():
    with pytest.raises(ParameterError, match="there are 3 modes"):
        frequency(number=4)


def test_at_the_start_everything_rests():
    assert absolute_displacement(node=3, time=0).text() == "0"


numbers = st.floats(0.01, 100)


@given(numbers, numbers, numbers, st.floats(0.01, 20), st.sampled_from(NODES))
@settings(max_examples=20, deadline=None)
def test_routes_agree_and_parts_add_up(m, k, a, time, node):
    given_ = {"m": m, "k": k, "a": a, "node": node, "time": time}
    absolute, relative = (f(**given_).confirm() for f in (absolute_displacement, relative_displacement))
    driven = (5 - node) / 48 * a * time**4
    assert float(absolute) - float(relative) == pytest.approx(driven, rel=1e-12)


@pytest.mark.parametrize("digits", [0, 10000])
@pytest.mark.parametrize("time", [0, 1])
def test_digits_are_checked(time, digits):
    with pytest.raises(ParameterError, match="digits"):
        relative_displacement(node=2, time=time, digits=digits)


@pytest.mark.parametrize(
    ("m", "k", "part", "node", "text"),
    [
        ("1e30", "1e-30", "relative", 4, "-260.416666666666666666666666667"),  # all inertia: psi a t^4/12
        ("1e30", "1e-30", "absolute", 2, "8.68055555555555555555555555556e-60"),  # (k/m) a t^6/360
        ("1e-6", "1e6", "absolute", 2, "781.249999956250000000064941873"),  # all stiffness: static, less inertia
        ("10", "1e12", "relative", 2, "-4.37499999977214889449693625972e-7"),
    ],
)
def test_chains_of_any_stiffness(m, k, part, node, text):
    read = relative_displacement if part == "relative" else absolute_displacement
    assert read(m=m, k=k, node=node, time="0.5").confirm().text() == text


def test_more_digits_stay_inside():
    coarse, fine = (absolute_displacement(node=4, time="0.7", digits=d) for d in (5, 1000))
    assert abs(coarse.value - fine.value) <= coarse.radius


def test_before_the_start_there_is_nothing():
    result = relative_displacement(node=2, time=-1)
    assert (result.value, "before the start" in result.routes[0]) == (None, True)


def test_derivatives_of_frequencies_and_displacements():
    """k df/dk = f/2; everything is proportional to a."""
    result = frequency(number=2, k=exact("1e4").varied())
    assert float(result.derivative) * 1e4 == pytest.approx(float(result) / 2, rel=1e-14)
    moved = absolute_displacement(a=exact("2e5").varied(), node=2, time="0.3")
    assert float(moved.derivative) * 2e5 == pytest.approx(float(moved), rel=1e-14)
