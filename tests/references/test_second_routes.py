"""The second route of every reference agrees with the first, in the variant that stands for the case.

Further variants, and that the routes share no algorithm, are the business of `check_routes.py`; `tox -e truth` runs it,
and the second routes that take seconds.
"""

import pytest

from veridyn.validation_cases.judgement.catalogue import case_names, load_case

DIGITS = 12
LONG = {
    *("arenstorf", "duffing_forced", "friction_damper", "kepler", "pin_pendulum", "pleiades"),
    *("sdnd103", "sdnd107", "tube_between_stops", "van_der_pol"),
}
CASES = [pytest.param(name, marks=[pytest.mark.truth] if name in LONG else []) for name in case_names()]


@pytest.mark.parametrize("name", CASES)
def test_the_second_route_confirms_the_first(name):
    case = load_case(name)
    variant = case.default_variant
    values = case.values(variant.changes)
    truths = {quantity.name: quantity.truth(values, DIGITS) for quantity in case.select_quantities(variant)}
    confirmed = [name for name, truth in truths.items() if truth.second]
    for name in confirmed:
        truths[name].confirm(name)
    assert confirmed
