"""Parameters that nobody had tried: what held at the defaults is proved, refused with a reason, or undefined with one.

Each row was false once, or ended a command: a condition of a mode, or the orbit of a quantity, had been assumed.
"""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest

import veridyn
from veridyn.api.front import references
from veridyn.references.certified import Certified, Route
from veridyn.references.parameters import ParameterError
from veridyn.validation_cases.judgement.catalogue import load_case

UNDEFINED = [
    # a mode would begin past the event that ends it: the stop would pull, the base slide against its drive
    ("sliding_base", {"A": "0.35"}, "peak", "past its event"),
    ("belt_damped", {"z": "0.04297", "F_k": "3.437"}, "period", "slip begins at t = 0 s past its event stick"),
    ("bilinear_gap_free", {"A": "0.3", "k_2": "10"}, "period_gapped", "past its event to_gap"),
    ("rocking_block", {"alpha": "1.2", "theta0": "0.5"}, "theta@1.1", "past its event impact"),
    ("shaw_holmes", {"branch": "-1", "d": "0", "W": "2"}, "V", "past its event impact"),
    # another orbit
    ("friction_damper", {"W": "0.24", "F": "3"}, "X", "presumes the orbit slip_left, turn, slip_right, turn"),
    (
        "impact_damper",
        {"W": "1.05", "d": "0.00001"},
        "x_impact",
        "the last at t = 5.983",
    ),
    ("shaw_holmes", {"n": "2", "W": "2.8", "d": "0.000001"}, "V", "presumes the orbit impact, the last at t = 4.48"),
    # what the statement excludes
    ("overturning", {"share": "0.21"}, "theta_end", "the block has not come back to the floor"),
    ("painleve", {"mu": "0.6", "w_0": "-4.7", "u_0": "1.3"}, "t_stop", "past its event lift_off"),
    ("painleve", {"theta_0": "3.988", "w_0": "-0.506", "u_0": "3.026"}, "t_stop", "past its event lies"),
    ("pin_pendulum", {"phi_0": "2.5"}, "phi_end", "the string is taut"),
    ("lorenz", {"s": "1"}, "r_H", "no steady roll"),
    ("rimless_wheel", {"a": "pi/80", "l": "10", "w_0": "20"}, "w_least", "beyond the vertical"),
    # one of two routes assumes what does not hold
    ("newmark_block", {"n": "1.5", "a_y": "0.05", "a_b": "0.1"}, "t_turn", "there is no event turn"),
    # nothing in the range of doubles tells whether it exists
    ("power_law_oscillator", {"a": "2000000", "A": "0.1"}, "x@1", "not decided in the range of doubles"),
    ("sdnd106", {"mu_s": "0.2", "m2": "2.5"}, "phase_time_1", "is not proved to last for ever"),
    # without a load a guard is zero from the start on, and stays it
    ("sdnd102", {"a": "0"}, "displacement@0.05", "a guard stays zero where a phase begins"),
    # the blocks slide on for longer than anybody looks
    ("block_stack", {"g": "0.00000981"}, "lower_way", "is not proved to last for ever"),
    # the window ends before
    ("tripped_block", {"mu": "0.01", "L": "10", "v_0": "1.66"}, "reach", "no event down"),
]

# Values from a program of its own in 60 digits: the mass leaves when the force turns, where the stop would have pulled.
FOLLOWED = [
    ("rigid_stop", {"e": "0", "W": "10"}, "x@1.4_in_contact", "-0.41459451143666273918"),
    ("rigid_stop", {"e": "0", "W": "10"}, "hits_in_contact", "5"),
    ("rigid_stop", {"e": "0", "W": "10"}, "t_3_in_contact", "1.57821148260772583806"),
    # each swing brings the oscillator back after its period, however slowly it leaves the stop
    ("grazing_impact", {"A": "1.01", "e": "5e-7"}, "impacts_until_16", "3"),
    # complete elliptic integrals, in 40 digits
    ("pendulum", {"theta0": "-90"}, "period", "7.41629870920548767374"),
    ("duffing_free", {"a": "-1", "A2": "0.5"}, "period", "4.68568033658707943571"),
    # a spring in turn with none, by the eigenvalues of the product of both motions
    ("mathieu_meissner", {"d": "0.3", "e": "0.3"}, "growth", "0.160217284466471198693"),
    # a pulse that ends while it pushes back: a slide on under a_y alone
    ("newmark_block", {"n": "1.5", "a_y": "0.05", "a_b": "0.1"}, "t_stop", "1.28319974188076128431"),
    # a block that is released beyond the place of its balance falls on, as a hyperbolic cosine
    ("rocking_block", {"alpha": "0.06589", "theta0": "0.08981"}, "theta@1.1", "0.302838683018506828713"),
    # moments of inertia in another order than at the defaults, by Taylor series of a program of its own
    ("euler_top", {"a1": "0.001", "a3": "0", "I3": "0.3"}, "w1@10", "0.00024043868014407653500"),
    # in resonance with the first mode, by quadrature of Duhamel's integral
    ("moving_load_beam", {"L": "2", "c": "pi/2"}, "ten_modes", "0.0443670479291969248301"),
    # a ball that is still in flight, u0 t - d
    ("ridge", {"g": "0.5", "d": "0.0000007"}, "x_right", "0.7999993"),
    # one that the end finds on its way up, and a block that is pushed faster than friction brakes
    ("bank_shot", {"b": "50", "a": "0.0000045"}, "range", "0.00001125"),
    ("stop_and_go", {"P": "50", "v0": "1", "x0": "-0.3"}, "v@3", "101.5"),
    # a wall so far that the mass does not feel it: v0 t
    ("soft_wall", {"l": "0.05", "F": "0.000001", "d": "1000000"}, "x_max", "2"),
    # 2 J less those of the spring of 1/8 N/m on the way back, 4 m long, though no crush remains
    ("sdnd105", {"m": "0.1", "k": "2", "k3": "0.000001"}, "dissipated_energy", "1"),
    # sqrt(2/(a + 1)) A^((a + 1)/2)
    ("power_law_oscillator", {"a": "2000000", "A": "0.1"}, "speed", "3.1622768695992607533112e-1000004"),
]

REFUSED = [
    ("kepler", {"e": "2"}, "the orbit is no ellipse"),
    ("toda", {"m": "1.5"}, "no wave goes round the ring"),
    ("rimless_wheel", {"s": "0.02"}, "the wheel stops"),
    ("pin_pendulum", {"l_p": "1.5"}, "the pin"),
    ("coulomb_viscous", {"x_0": "0.005"}, "friction holds the mass"),
    ("bouc_wen", {"n": "1.5"}, "n must be 1 or 2"),
    ("coulomb_viscous", {"d": "0.12", "x_0": "0.06"}, "friction holds the mass"),
    ("trilinear", {"z": "1.2"}, "needed: z < 1"),
    ("vibrating_table", {"e": "1.29"}, "leaves the impact faster"),
    ("vibrating_table", {"n": "1.076"}, "n must be a whole number"),
    ("rigid_stop", {"e": "1.29"}, "leaves the impact faster"),
    ("rocking_block", {"alpha": "125000"}, "no block has its diagonal"),
    ("grazing_impact", {"e": "1.5"}, "leaves the impact faster"),
    ("ladder", {"a": "25*pi/6"}, "does not lean on the wall"),
    ("sliding_base", {"alpha": "7.5"}, "heavier"),
    ("sliding_base", {"z": "0.5"}, "creeps back"),
]


def read_quantity(name, parameters, quantity):
    """Return one quantity as `veridyn.reference` does, with time enough on a machine that is busy."""
    case = load_case(name)
    alone = replace(case, quantities=tuple(each for each in case.quantities if each.name == quantity))
    return references(alone, case.values(parameters), 30, seconds=300.0)[quantity]


@pytest.mark.parametrize(("case", "parameters", "quantity", "reason"), UNDEFINED, ids=lambda x: str(x)[:40])
def test_what_is_not_proved_has_no_value(case, parameters, quantity, reason):
    truth = read_quantity(case, parameters, quantity)
    assert truth.value is None
    assert reason in truth.routes[0]


@pytest.mark.parametrize(("case", "parameters", "quantity", "value"), FOLLOWED, ids=lambda x: str(x)[:40])
def test_a_mode_lasts_while_its_conditions_hold(case, parameters, quantity, value):
    truth = read_quantity(case, parameters, quantity)
    with mpmath.workdps(30):
        assert abs(truth.value / mpmath.mpf(value) - 1) < 1e-19
    assert len(truth.routes) == 2


@pytest.mark.parametrize(("case", "parameters", "reason"), REFUSED, ids=lambda x: str(x)[:40])
def test_parameters_of_another_problem_are_refused(case, parameters, reason):
    with pytest.raises(ParameterError, match=reason):
        veridyn.reference(case, **parameters)


def test_a_refusal_keeps_its_words_where_it_is_decided_whether_a_quantity_exists():
    case = load_case("sdnd106")
    quantity = next(each for each in case.quantities if each.name == "phase_time_1")
    with pytest.raises(ParameterError, match=r"friction would be larger in motion than at rest"):
        quantity.truth(case.values({"mu_d": "0.4"}))


def test_a_size_of_what_a_parameter_makes_negative_is_positive():
    """The swing begins on the other side: its angle measures the errors, and is no error."""
    case = load_case("pin_pendulum")
    values = case.values({"phi_0": "-0.3569", "phi_p": "-0.3668"})
    assert all(q.tolerance(values).value > 0 for q in case.quantities)


def test_what_has_no_value_is_not_observed():
    case = load_case("block_stack")
    values = case.values({"g": "0.00000981", "t_1": "0.5"})
    assert not any(q.is_observable(values) for q in case.quantities)


def test_a_throw_that_lands_after_the_end_is_not_the_one_of_least_cost():
    """By the formula of one that lands, r a + (c a b - L) c b, the derivative by a would be zero."""
    throw = {"g": "4", "e": "1", "L": "5", "r": "4", "a": "1", "b": "4"}
    assert veridyn.reference("bank_shot", derivative="a", **throw)["cost"].value == mpmath.mpf("-2.25")


@pytest.mark.parametrize("e", ["0", "0.3"])
def test_a_ball_that_has_come_to_rest_is_on_the_floor(e):
    truths = veridyn.reference("bouncing_ball", e=e)
    assert truths["y@2"].value == truths["v@2"].value == 0


def test_what_a_second_route_raises_leaves_the_first():
    def fail():
        raise ZeroDivisionError

    value = mpmath.mpf(2)
    truth = Certified(value, 30, "closed form", ("one", "another"), second=(Route("another", fail),)).settle()
    assert truth.value == value
    assert truth.routes == ("one; not confirmed by another: it divides by zero there",)


def test_where_an_engine_comes_to_no_number_the_rest_stands():
    truths = veridyn.reference("shaking_plane", b="0.05", mu="0.5")
    assert all(truth.routes for truth in truths.values())
