"""What a record says: the truth as text with its digits, the digits of the answer, why a check failed."""

import math

import pytest
from msgspec import structs

from veridyn.results import Verdict
from veridyn.validation_cases.judgement.judge import correct_digits, explain, verifies


@pytest.fixture
def record(judged, make_right):
    """The record of the criterion of a right answer."""
    return judged(make_right(), layers=("criterion",))["only-end"]


def test_a_certified_truth_is_a_text_with_its_digits(judged, make_right, make_statement, make_quantity):
    quantity = make_quantity(truth=1.0)
    found = judged(make_right(), make_statement(quantity), layers=("criterion",))["only-end"]
    assert found.reference == quantity.reference().text()
    assert isinstance(found.reference, str)
    assert found.reference_digits == 30


def test_an_exact_answer_has_all_digits_of_a_double():
    assert correct_digits(1.0, 1.0) == pytest.approx(-math.log10(2.0**-53), abs=0.01)


@pytest.mark.parametrize(("text", "shown"), [("1" * 20, "1" * 20 + " m"), ("1" * 21, "1" * 20 + "… m")])
def test_a_long_truth_is_cut_where_a_failure_is_explained(record, text, shown):
    assert f"instead of {shown}" in explain(structs.replace(record, reference=text, detail=""))


def test_a_test_of_a_check_fails_as_its_verdict_does(record, make_statement):
    check = verifies(make_statement().case)
    check(record)
    with pytest.raises(AssertionError, match="made-up"):
        check(structs.replace(record, verdict=Verdict.FAIL))
