"""The parts from which checks are made: truth, parity, orders, and which of them a solver is asked."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from veridyn.references.certified import Certified
from veridyn.references.parameters import Parameter
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Observation, Published, Quantity, Subject, Variant
from veridyn.validation_cases.checks import checks, truth_checks
from veridyn.validation_cases.making import always, asked_of, check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks, parity_id
from veridyn.validation_cases.tolerances import HALF_UNIT, cited, exactly, from_theory

OWN = Subject("own", ("symplectic_euler", "devogelaere"), own=True, ours=True)
FOREIGN = Subject("foreign", ("",), own=False)
A, B = Variant("a", {}), Variant("b", {"m": "2"}, frozenset({"speed"}))


def _certified(*, m, digits=30):
    return Certified(float(m), digits, "closed form")


def _tolerance(values, scheme, settings):
    return cited(f"{scheme or 'anyone'} at {settings.get('step')}", 1e-3)


QUANTITIES = (
    Quantity("speed", "m/s", "speed", _certified, lambda seen: 3.0, _tolerance),
    Quantity("place", "m", "place", _certified, lambda seen: 4.0, _tolerance),
    Quantity("hidden", "m", "in no response", _certified, None, _tolerance),
)


@pytest.fixture
def case(make_run):
    """Two variants, three quantities, one further check; the problem is a free mass."""
    problem = make_run().build

    def further(case, subject, variant):
        yield check_of(
            case, variant, "", case.run(FOREIGN, variant, ""), quantity="more", kind="balance", unit="",
            measure=always(0.0), reference=always(0.0), tolerance=always(exactly("none")),
        )  # fmt: skip

    def make(*published):
        return Case(
            name="made-up", title="", document="", summary="", statement=(), modelling=(), remarks=(),
            parameters=(Parameter("m", "kg", "mass", "1"),), variants=(A, B), quantities=QUANTITIES, problem=problem,
            settings=lambda values, scheme: {"scheme": scheme, "step": 0.5}, published=published,
            further_checks=(further,),
        )  # fmt: skip

    return make


@pytest.fixture
def no_frozen(monkeypatch):
    """Freeze the speed of variant a by one scheme; a made-up case has no folder."""
    values = {"a-speed-devogelaere": 3.0}
    monkeypatch.setattr("veridyn.validation_cases.frozen.frozen_values", lambda case: values)


def ids(made):
    return [check.id for check in made]


TRUTH_A = [f"a-{q}-{s}" for s in OWN.schemes for q in ("speed", "place")]
TRUTH_B = [f"b-speed-{s}" for s in OWN.schemes]


def test_each_scheme_is_asked_what_the_variant_asks(case):
    assert ids(truth_checks(case(), OWN, A)) == TRUTH_A
    assert ids(truth_checks(case(), OWN, B)) == TRUTH_B


def test_truth_then_frozen_then_further(case, no_frozen):
    assert ids(checks(case(), OWN)) == [
        *TRUTH_A, "a-frozen:speed-devogelaere", "a-balance:more", *TRUTH_B, "b-balance:more",
    ]  # fmt: skip


def test_one_variant_may_be_chosen(case, no_frozen):
    assert ids(checks(case(), OWN, only="b")) == [*TRUTH_B, "b-balance:more"]


def test_parameters_of_the_user_are_asked_the_truth_alone(case, no_frozen):
    assert ids(checks(case(), OWN, variants=[A])) == TRUTH_A


def test_frozen_values_are_asked_of_our_own_settings_alone(case, no_frozen):
    foreign = ids(checks(case(), FOREIGN, only="a"))
    changed = ids(checks(case(), Subject("own", OWN.schemes, True, {"step": 1}, ours=True), only="a"))
    assert foreign == ["a-speed", "a-place", "a-balance:more"]
    assert changed == [*TRUTH_A, "a-balance:more"]


@pytest.mark.parametrize(
    ("subject", "reason"), [(OWN, "cited: devogelaere at 0.5"), (FOREIGN, "cited: anyone at None")]
)
def test_the_tolerance_of_a_truth_knows_whose_it_is(case, subject, reason):
    check = list(truth_checks(case(), subject, B))[-1]
    assert check.tolerance().reason == reason
    assert check.reference().value == 2.0
    assert (check.kind, check.unit, check.case, check.variant) == ("truth", "m/s", "made-up", "b")


def test_a_check_reads_the_response_to_its_run(make_run, bench):
    read = reading(make_run(), lambda seen: seen.response.displacement[-1, 0])
    assert read(bench) == 1.0


def test_a_quantity_is_found_by_name(case):
    assert quantity_of(case(), "place") is QUANTITIES[1]
    with pytest.raises(KeyError):
        quantity_of(case(), "nothing")


@pytest.mark.parametrize(("subject", "value"), [(OWN, 1.0), (FOREIGN, 2.0)])
def test_the_sharp_tolerance_is_for_our_own(subject, value):
    assert asked_of(subject, cited("sharp", 1.0), cited("blunt", 2.0))().value == value


def test_an_order_is_a_check_of_its_scheme(case):
    made = case()
    run = made.run(OWN, A, "devogelaere")
    check = order_check(made, A, run, "place", lambda bench: 3.9, 4.0, from_theory(1, 1.0, 0.1, what="local orders"))
    assert check.id == "a-order:order_of_place-devogelaere"
    assert (check.kind, check.unit, check.reference(), check.measure(None)) == ("order", "", 4.0, 3.9)
    assert check.tolerance().value == 0.1


def printed(value="0.40907", **changes):
    cell = {"variant": "a", "quantity": "speed", "verdict": "reproduced", "scheme": "devogelaere"}
    return Published("V5.01.101 §2.1 [a]", value=value, **{**cell, **changes})


def parity(case, *cells, subject=OWN, variant=A, runs=1):
    """Compare with printed values; what is read is the sum over the observations."""
    made = case(*cells)
    run = made.run(OWN, A, "devogelaere")
    chosen = run if runs == 1 else (run,) * runs

    def read(cell, *seen):
        return sum(float(s.response.displacement[-1, 0]) for s in seen) * float(cell.value)

    return list(parity_checks(made, subject, variant, lambda case, cell: chosen, read))


def test_a_printed_value_is_compared_to_half_a_unit_of_its_last_digit(case):
    (check,) = parity(case, printed())
    assert check.id == parity_id(printed()) == "a-parity:speed@V5.01.101_2.1_a-devogelaere"
    assert (check.reference(), check.unit, check.published, check.kind) == (0.40907, "m/s", "0.40907", "parity")
    assert check.tolerance().value == pytest.approx(HALF_UNIT * 1e-5)
    assert check.tolerance().kind == "absolute"


def test_a_misprint_is_compared_with_what_should_be_printed(case):
    (check,) = parity(case, printed(verdict="misprint", correct="0.41", explanation="two digits swapped"))
    assert check.reference() == 0.41
    assert check.published == "0.40907"
    assert check.tolerance().value == pytest.approx(HALF_UNIT * 1e-2)


def test_a_last_digit_is_granted_for_its_reason(case):
    (check,) = parity(case, printed(verdict="last digit", units=2.0, explanation="single precision"))
    assert check.tolerance().value == pytest.approx(2e-5)
    assert "single precision" in check.tolerance().reason


def test_roundings_of_the_data_add_to_the_last_digit(case):
    (check,) = parity(case, printed(verdict="last digit", rounding=3e-5, explanation="rounded modes"))
    assert check.tolerance().value == pytest.approx(3e-5 + HALF_UNIT * 1e-5)
    assert check.tolerance().kind == "absolute"


def test_what_is_printed_as_zero_must_be_zero(case):
    (check,) = parity(case, printed("0.00"))
    assert (check.tolerance().kind, check.tolerance().value) == ("exact", 0.0)


@pytest.mark.parametrize("runs", [1, 2])
def test_two_models_may_be_compared(case, bench, runs):
    (check,) = parity(case, printed("2.5"), runs=runs)
    assert check.measure(bench) == 2.5 * runs


def test_of_two_models_the_first_names_the_check(case):
    made = case(printed())
    first, second = (made.run(OWN, A, scheme) for scheme in ("devogelaere", "symplectic_euler"))
    (check,) = parity_checks(made, OWN, A, lambda case, cell: (first, second), lambda *_: 0.0)
    assert check.run is first


@pytest.mark.parametrize(
    "change", [{"verdict": "not reproduced"}, {"scheme": ""}, {"scheme": "newmark"}, {"variant": "b"}]
)
def test_values_of_others_are_not_compared(case, change):
    assert "newmark" in SCHEMES
    assert parity(case, printed(**change)) == []


@pytest.mark.parametrize("subject", [FOREIGN, Subject("own", OWN.schemes, True, {"step": 1})])
def test_parity_is_asked_of_our_own_settings_alone(case, subject):
    assert parity(case, printed(), subject=subject) == []


def test_what_is_no_quantity_brings_its_unit(case):
    (check,) = parity(case, printed(quantity="force@0.1", unit="N"))
    assert check.unit == "N"


def test_an_observation_reads_parameters_as_floats(case):
    seen = Observation(MappingProxyType(case().values({"m": "1/4"})), None, np.empty(0))
    assert seen["m"] == 0.25
