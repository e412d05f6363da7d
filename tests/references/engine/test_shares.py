"""Derivatives that are zero since a parameter scales the motion: proved by exact shares, and not claimed elsewhere."""

from fractions import Fraction

import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.shares import NONE, Share, Weight, add, make_share, scale, share_of_root, subtract, weigh
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.validation_cases.mechanics.sdnd104.statement import find_change

PARAMETERS = (
    Parameter("m", "kg", "mass", "2", "positive"),
    Parameter("k", "N/m", "stiffness", "50", "positive"),
    Parameter("F", "N", "load", "0", "any"),
    Parameter("a", "m", "displacement at the start", "0.3", "any"),
)


def swing(rate="(F - k*x)/m"):
    """Return the quantities of a mass on a spring that passes zero again and again."""
    return hybrid.motion(
        InitialValueProblem(
            name="swing",
            states=("x", "v"),
            parameters={p.name: p.default for p in PARAMETERS},
            modes=(Mode(name="swing", rates=("v", rate), events=(Change(name="zero", guard="x", direction=0),)),),
            initial=("a", 0),
            end=3.0,
        ),
        PARAMETERS,
    )


def differentiate(quantity, name, **values):
    """Return the derivative of a quantity with respect to a parameter."""
    default = next(p.default for p in PARAMETERS if p.name == name)
    varied = exact(values.pop(name, default)).varied()
    return quantity(**values, **{name: varied}).derivative


def test_the_amplitude_does_not_move_the_instants_of_a_linear_motion():
    derivative = differentiate(swing().event("zero", 2), "a")
    assert derivative.value == 0
    assert derivative.radius == 0


def test_what_is_proportional_to_the_amplitude_has_its_slope():
    there = swing().value("v", ("zero", 1))
    assert float(differentiate(there, "a")) == pytest.approx(float(there()) / 0.3, rel=1e-14)


def test_a_load_that_does_not_grow_with_the_amplitude_moves_the_instants():
    derivative = differentiate(swing().event("zero", 1), "a", F="3")
    near = [swing().event("zero", 1)(F="3", a=a).value for a in ("0.2999999", "0.3000001")]
    assert float(derivative) == pytest.approx(float((near[1] - near[0]) / 2e-7), rel=1e-7)


def test_time_that_scales_takes_the_instants_along():
    """The instants go with sqrt(m): their share of m is a half, and a state at a fixed phase has none."""
    zero = swing().event("zero", 1)
    assert float(differentiate(zero, "m")) == pytest.approx(float(zero()) / 4, rel=1e-14)
    energy = swing().value("m*v**2/2", ("zero", 1))  # k a²/2, whatever the mass
    assert differentiate(energy, "m").value == 0


def test_a_motion_that_is_not_linear_claims_no_zero():
    derivative = differentiate(swing("-k*sin(x)/m").event("zero", 1), "a")
    assert float(derivative) > 1e-3


def test_shares_follow_the_rules_of_products_and_powers():
    one, third = Share(Fraction(1), 0), Share(Fraction(1, 3), 0)
    assert add(one, third) == Share(Fraction(4, 3), 0)
    assert subtract(one, one) == NONE
    assert scale(third, 3) == one
    assert add(one, Share(Fraction(1), 1)) is None  # 1 + pi is no such number
    assert make_share(exact("0").varied()) is None


def test_states_that_drive_each_other_otherwise_have_no_share():
    ones = [(0, 1, NONE), (1, 0, NONE)]
    shares = {0.5: Share(Fraction(1), 0), 2.0: Share(Fraction(2), 0)}
    weights = weigh(ones, [0.5, 0], shares.get)
    assert weights.states == {0: Weight(Share(Fraction(1), 0), 0), 1: Weight(Share(Fraction(1), 0), 1)}
    assert weights.at(NONE, 2) == [Share(Fraction(1), 0)] * 2
    assert weigh(ones, [0.5, 2.0], shares.get).at(NONE, 2) == [None, None]


def test_a_state_without_a_share_leaves_those_alone_that_it_does_not_drive():
    """A sum of both states is driven by what has no common share; nothing is driven by it but the last state."""
    edges = [(0, 1, NONE), (1, 0, NONE), (2, 0, NONE), (3, 2, NONE)]
    one = Share(Fraction(1), 0)
    shares = {0.5: one, 2.0: None, 1.0: NONE}
    weights = weigh(edges, [0.5, 0, 2.0, 0], shares.get)
    assert weights.at(NONE, 4) == [one, one, None, None]
    assert share_of_root(weights, {1: 1.0}, shares.get) == NONE
    assert share_of_root(weights, {1: 1.0, 3: 1.0}, shares.get) is None


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_mass_that_does_no_more_than_work_moves_no_instant(number):
    derivative = find_change(number)(m=exact("1").varied(), t_end="6").derivative
    assert derivative.value == 0
    assert derivative.radius == 0
