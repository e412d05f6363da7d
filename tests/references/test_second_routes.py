"""The second route of every reference agrees with the first, in the variant that stands for the case.

Further variants, and that the routes share no algorithm, are the business of `check_routes.py`.
"""

import pytest

from veridyn.api import front
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

DIGITS = 12


@pytest.mark.parametrize("name", case_names())
def test_the_second_route_confirms_the_first(name):
    case = load_case(name)
    variant = case.default_variant
    truths = front.references(case, case.values(variant.changes), DIGITS, of=variant)
    confirmed = [quantity for quantity, truth in truths.items() if truth.second]
    for quantity in confirmed:
        truths[quantity].confirm(quantity)
    assert confirmed
