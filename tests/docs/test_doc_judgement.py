"""The page on judgement says what the code does: numbers, names of layers, relations and claims."""

from pathlib import Path

import pytest

from veridyn.baseline import COST_GROWTH, DIGITS_KEPT, DIGITS_LOST
from veridyn.references.discrete import METHODS
from veridyn.reports.tally import LAYERS
from veridyn.solver.contract import KEYS
from veridyn.validation_cases.core import invariance, levels, methods, uncertainty
from veridyn.validation_cases.core.relations import RELATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "judgement.md").read_text(encoding="utf-8")
NAMES = [*LAYERS, *(relation.name for relation in RELATIONS), *METHODS]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_explained(name):
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", [key for key in KEYS if key != "damped_order"])
def test_every_claim_is_explained(name):
    assert f'"{name}"' in PAGE or f"`{name}`" in PAGE


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (uncertainty.SAFETY, "U = {:g} max("),
        (uncertainty.ROUNDING, "*rounding*: {:.0e} of the scale"),
        (uncertainty.ORDER_LOST, "largest admissible loss {:g} |"),
        (
            uncertainty.SLOPE_LOST,
            "slope of the largest error (of all quantities, over their scales) over the tolerance: 1, "
            "largest admissible loss {:g}",
        ),
        (uncertainty.AGREEMENT, "agree to {:g}"),
        (levels.CONFIRMING, "on up to two finer levels"),
        (invariance.REPEATED, "to {:.0e} of the scale"),
        (methods.DISCRETE, "to {:.0e} |"),
        (DIGITS_LOST, "half a digit"),
        (DIGITS_KEPT, "up to {:g} digits"),
        (COST_GROWTH, "more than a tenth"),
    ],
)
def test_numbers_are_those_of_the_code(number, sentence):
    text = sentence.format(number).replace("e-0", "e-")
    assert text in PAGE


def test_numbers_in_words():
    assert (2, 0.5, pytest.approx(1.1)) == (levels.CONFIRMING, DIGITS_LOST, COST_GROWTH)
