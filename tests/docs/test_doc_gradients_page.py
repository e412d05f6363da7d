"""The table of derivatives: what is stored is proved again, and each kind of derivative has its name."""

import json
from pathlib import Path

import gradients_page
import pytest

import veridyn

STORED = json.loads((Path(gradients_page.__file__).parent / "gradients.json").read_text(encoding="utf-8"))
TRUTHS = {(truth["motion"], truth["by"]): truth for truth in STORED["truths"]}


def test_stored_truths_are_the_closed_forms():
    e, g, h = 0.8, 9.81, 1.0
    fall = (2 * h / g) ** 0.5
    assert TRUTHS["bounce", "e"]["true"] == pytest.approx(g * fall * (0.8 - fall), rel=1e-12)
    assert TRUTHS["slide", "v"]["true"] == pytest.approx(3.0 / (0.4 * g), rel=1e-12)
    assert TRUTHS["strike", "d"]["true"] == pytest.approx(-(1 + e) / 2, rel=1e-12)
    assert TRUTHS["stop", "k"]["true"] == pytest.approx(-3.141592653589793 / 2 / 400**1.5, rel=1e-12)
    proved = veridyn.prove(gradients_page.STATEMENTS["stop"][0], ["x@0.6"], derivative="gap")
    assert float(proved["x@0.6"]) == pytest.approx(TRUTHS["stop", "gap"]["true"], rel=1e-12)


@pytest.mark.parametrize(
    ("derivative", "difference", "said"),
    [
        (0.589, 0.589, "right"),
        (-1.0, 0.589, "as if the instants of events did not move"),
        (0.0, 0.589, "zero, as if the instants of events did not move"),
        (20.0, 20.0, "that of its own answers, which follow the number otherwise"),
        (20.0, 0.589, "another"),
        (float("inf"), 0.589, "not a number"),
        (None, 0.589, "none"),
    ],
)
def test_what_a_derivative_is(derivative, difference, said):
    row = {"derivative": derivative, "difference": difference}
    assert gradients_page.judge(row, TRUTHS["bounce", "h"]) == said


def test_every_row_is_on_the_page():
    page = gradients_page.write_page(STORED)
    for row in STORED["rows"]:
        assert f"| {row['simulator']} | {row['way']} |" in page
        assert (row["motion"], row["by"]) in TRUTHS
    assert page.count("| right |") == sum(
        gradients_page.judge(row, TRUTHS[row["motion"], row["by"]]) == "right" for row in STORED["rows"]
    )
