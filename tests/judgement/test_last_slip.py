"""How many slips there are is asked only where the steps of a sound solver do not decide on the last one."""

from types import SimpleNamespace

import pytest

from veridyn.solver.contract.errors import CapabilityError
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.measures.friction import where_solvers_do_not_decide
from veridyn.validation_cases.mechanics import test_sdnd100, test_sdnd106


def test_every_slip_may_be_a_step_off():
    counted = where_solvers_do_not_decide(lambda o: 7.0, lambda values: values["left"], lambda _: 5, steps=100)
    assert counted(SimpleNamespace(values={"left": 0.315})) == 7.0
    with pytest.raises(CapabilityError, match=r"the last slip: it leaves 0\.31 of friction, less than 0\.314"):
        counted(SimpleNamespace(values={"left": 0.31}))


def test_a_mass_held_from_the_start_needs_what_a_penalised_friction_overshoots():
    measured = where_solvers_do_not_decide(lambda o: 0.0, lambda values: values["left"], lambda _: 0, steps=100)
    assert measured(SimpleNamespace(values={"left": 0.15})) == 0.0
    with pytest.raises(CapabilityError, match=r"the start leaves 0\.14 of friction, less than 0\.143"):
        measured(SimpleNamespace(values={"left": 0.14}))


def test_the_end_of_the_last_slip_of_sdnd100_is_asked_where_steps_do_not_decide():
    quantities = {quantity.name: quantity for quantity in load_case("sdnd100").quantities}
    values = load_case("sdnd100").values({**DECIDED_BY_STEPS["sdnd100"][1], "x0": "8.1938e-4", "angle": "0"})
    assert (test_sdnd100._left(values), test_sdnd100._half_cycles(values)) == (pytest.approx(0.0025, rel=0.1), 2)
    for name in ("stop_time", "turning_time_2"):
        with pytest.raises(CapabilityError, match="decide on the last slip"):
            quantities[name].measure(SimpleNamespace(values=values))


# after 127 half cycles three hundredths are left; after 92 slips a hundred-thousandth
DECIDED_BY_STEPS = {
    "sdnd100": (test_sdnd100, {"m": "0.5596", "k": "1.038e4", "mu": "0.1761", "g": "17.27", "x0": "1.329e-3",
                               "angle": "1.539", "directions": "1"}, 0.03, 127),
    "sdnd106": (test_sdnd106, {"m1": "5.149", "m2": "2.532", "k": "9511", "normal": "1.575e4", "mu_s": "0.2077",
                               "mu_d": "0.2066", "pull": "3472", "t_off": "0.1031"}, 1.1e-5, 92),
}  # fmt: skip


@pytest.mark.parametrize("name", DECIDED_BY_STEPS)
def test_what_the_last_slip_leaves_is_that_of_the_truth(name):
    module, changes, left, slips = DECIDED_BY_STEPS[name]
    values = load_case(name).values(changes)
    assert module._left(values) == pytest.approx(left, rel=0.05)
    assert (module._half_cycles if name == "sdnd100" else module._slips)(values) == slips
    with pytest.raises(CapabilityError):
        module._counted(lambda o: 0.0)(SimpleNamespace(values=values))


@pytest.mark.parametrize("name", DECIDED_BY_STEPS)
def test_every_variant_is_decided(name):
    case = load_case(name)
    for variant in case.variants:
        assert DECIDED_BY_STEPS[name][0]._counted(lambda o: 1.0)(SimpleNamespace(values=case.values(variant.changes)))
