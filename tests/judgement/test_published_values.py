"""Every value that a document prints has a source and a verdict that the certified truth confirms."""

from collections import Counter
from decimal import Decimal
from functools import cache

import mpmath
import pytest

from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import all_cases, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.tolerances import HALF_UNIT, unit_in_last_place

CELLS = [
    pytest.param(case, cell, id=f"{case.name}-{number}-{cell.quantity}")
    for case in all_cases()
    for number, cell in enumerate(case.published)
]
REFERENCES = [param for param in CELLS if not param.values[1].scheme]
COMPUTED = [param for param in CELLS if param.values[1].scheme and param.values[1].verdict != "not reproduced"]
ROUNDED = 1000 * 2.3e-16  # what a thousand steps round, in units of the quantity
MISSED = [param for param in CELLS if param.values[1].verdict == "not reproduced"]


def rounds_to(truth, printed):
    """Tell whether a truth prints as these digits, signs aside (the documents lost some)."""
    with mpmath.workdps(50):
        distance = abs(abs(mpmath.mpf(truth)) - abs(mpmath.mpf(printed)))
        return distance <= HALF_UNIT * mpmath.mpf(unit_in_last_place(printed))


@cache
def parity_checks(name):
    """Count what the parity checks of a case compare with, by (variant, scheme, printed)."""
    case = load_case(name)
    found = [check for check in checks(case, Subject.of(SOLVER)) if check.kind == "parity"]
    return Counter((check.variant, check.scheme, check.published, check.reference()) for check in found)


@pytest.mark.parametrize(("case", "cell"), CELLS)
def test_every_cell_is_complete(case, cell):
    assert cell.source
    assert cell.verdict in ("reproduced", "misprint", "inaccurate", "last digit", "not reproduced")
    assert Decimal(cell.value).is_finite()
    assert cell.variant in {variant.name for variant in case.variants}
    assert cell.explanation or cell.verdict == "reproduced"


@pytest.mark.parametrize(("case", "cell"), REFERENCES)
def test_reference_cells(case, cell):
    quantity = {q.name: q for q in case.quantities}[cell.quantity]
    truth = quantity.truth(case.values({**case.variant(cell.variant).changes, **cell.at})).value
    right = rounds_to(truth, cell.value)
    assert (cell.verdict == "inaccurate") == (not right and cell.verdict != "misprint")
    if cell.verdict == "reproduced":
        assert right
    if cell.verdict == "misprint" and right:
        assert "printed in" in cell.explanation  # right digits in a wrong place
    assert not cell.units


@pytest.mark.parametrize(("case", "cell"), COMPUTED)
def test_computed_cells(case, cell):
    compared = parity_checks(case.name)
    printed = cell.correct or cell.value
    assert compared[cell.variant, cell.scheme, cell.value, float(printed)] >= 1
    assert cell.verdict != "inaccurate"
    if cell.correct:
        assert cell.verdict == "misprint"
        assert not rounds_to(cell.correct, cell.value)


@pytest.mark.parametrize("case", [case for case in all_cases() if case.published], ids=lambda case: case.name)
def test_no_computed_cell_escapes_parity(case):
    expected = sum(1 for cell in case.published if cell.scheme and cell.verdict != "not reproduced")
    assert parity_checks(case.name).total() == expected


@pytest.mark.parametrize(("case", "cell"), MISSED)
def test_what_is_not_reproduced_says_what_is_known(case, cell):
    assert cell.scheme
    assert len(cell.explanation) > 20


@pytest.mark.parametrize(("case", "cell"), [p for p in CELLS if p.values[1].units])
def test_granted_units_have_a_reason(case, cell):
    assert len(cell.explanation) > 20
    least = ROUNDED / unit_in_last_place(cell.value)
    most = 10_000.0 if "rounding:" in cell.explanation else 2.0  # digits that the arithmetic of the code does not have
    assert HALF_UNIT < cell.units <= max(most, least)
    assert cell.verdict in ("last digit", "misprint")


@pytest.mark.parametrize(("case", "cell"), [p for p in CELLS if p.values[1].verdict == "last digit"])
def test_an_open_last_digit_grants_units(case, cell):
    assert cell.units > 0 or cell.rounding > 0
