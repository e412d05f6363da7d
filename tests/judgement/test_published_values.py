"""Every value that a document prints has a source and a verdict that the certified truth confirms."""

from decimal import Decimal

import mpmath

from veridyn.cli.errata import errata_page
from veridyn.validation_cases.judgement.catalogue import all_cases
from veridyn.validation_cases.judgement.tolerances import HALF_UNIT, unit_in_last_place

CELLS = [(case, cell) for case in all_cases() for cell in case.published]


def rounds_to(truth, printed):
    """Tell whether a truth prints as these digits, signs aside (the documents lost some)."""
    with mpmath.workdps(50):
        distance = abs(abs(mpmath.mpf(truth)) - abs(mpmath.mpf(printed)))
        return distance <= HALF_UNIT * mpmath.mpf(unit_in_last_place(printed))


def is_complete(case, cell):
    return (
        bool(cell.source)
        and cell.verdict in ("reproduced", "misprint", "inaccurate")
        and Decimal(cell.value).is_finite()
        and cell.variant in {variant.name for variant in case.variants}
        and bool(cell.explanation or cell.verdict == "reproduced")
    )


def has_the_verdict_of_the_truth(case, cell):
    quantity = {q.name: q for q in case.quantities}[cell.quantity]
    truth = quantity.truth(case.values({**case.variant(cell.variant).changes, **cell.at})).value
    right = rounds_to(truth, cell.value)
    if cell.verdict == "misprint":
        return not right or "printed in" in cell.explanation  # right digits in a wrong place
    return right == (cell.verdict == "reproduced")


def says_an_opposite_sign(case, cell):
    """A printed sign that is not that of the truth is said to be so."""
    quantity = {q.name: q for q in case.quantities}[cell.quantity]
    truth = quantity.truth(case.values({**case.variant(cell.variant).changes, **cell.at})).value
    return mpmath.mpf(truth) * mpmath.mpf(cell.value) >= 0 or "sign" in cell.explanation


def corrects_a_misprint(cell):
    return cell.verdict == "misprint" and not rounds_to(cell.correct, cell.value)


def places(pairs):
    return [f"{case.name} {cell.variant} {cell.quantity} {cell.value}" for case, cell in pairs]


def test_every_cell_is_complete():
    assert places(pair for pair in CELLS if not is_complete(*pair)) == []


def test_every_verdict_is_that_of_the_certified_truth():
    assert places(pair for pair in CELLS if not has_the_verdict_of_the_truth(*pair)) == []


def test_every_opposite_sign_is_said():
    assert places(pair for pair in CELLS if not says_an_opposite_sign(*pair)) == []


def test_what_should_be_printed_is_said_of_misprints_alone():
    assert places((case, cell) for case, cell in CELLS if cell.correct and not corrects_a_misprint(cell)) == []


def test_the_page_of_errata_lists_every_wrong_value():
    page, wrong = errata_page(), (pair for pair in CELLS if pair[1].verdict != "reproduced")
    assert places((case, cell) for case, cell in wrong if f"| {cell.value} |" not in page) == []
