"""Every value that a document prints has a source and a verdict that the certified truth confirms."""

from decimal import Decimal

import mpmath
import pytest

from veridyn.validation_cases.core.catalogue import all_cases
from veridyn.validation_cases.core.tolerances import HALF_UNIT, unit_in_last_place

CELLS = [
    pytest.param(case, cell, id=f"{case.name}-{number}-{cell.quantity}")
    for case in all_cases()
    for number, cell in enumerate(case.published)
]


def rounds_to(truth, printed):
    """Tell whether a truth prints as these digits, signs aside (the documents lost some)."""
    with mpmath.workdps(50):
        distance = abs(abs(mpmath.mpf(truth)) - abs(mpmath.mpf(printed)))
        return distance <= HALF_UNIT * mpmath.mpf(unit_in_last_place(printed))


def test_documents_print_values_of_most_cases():
    assert len(CELLS) > 100


@pytest.mark.parametrize(("case", "cell"), CELLS)
def test_every_cell_is_complete(case, cell):
    assert cell.source
    assert cell.verdict in ("reproduced", "misprint", "inaccurate")
    assert Decimal(cell.value).is_finite()
    assert cell.variant in {variant.name for variant in case.variants}
    assert cell.explanation or cell.verdict == "reproduced"


@pytest.mark.parametrize(("case", "cell"), CELLS)
def test_the_verdict_is_that_of_the_certified_truth(case, cell):
    quantity = {q.name: q for q in case.quantities}[cell.quantity]
    truth = quantity.truth(case.values({**case.variant(cell.variant).changes, **cell.at})).value
    right = rounds_to(truth, cell.value)
    assert (cell.verdict == "inaccurate") == (not right and cell.verdict != "misprint")
    if cell.verdict == "reproduced":
        assert right
    if cell.verdict == "misprint" and right:
        assert "printed in" in cell.explanation  # right digits in a wrong place


@pytest.mark.parametrize(("case", "cell"), CELLS)
def test_what_should_be_printed_is_said_of_misprints_alone(case, cell):
    if cell.correct:
        assert cell.verdict == "misprint"
        assert not rounds_to(cell.correct, cell.value)
