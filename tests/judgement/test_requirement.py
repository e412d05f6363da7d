"""What a user requires of every number: digits or a relative error, positive and no more than a thousand."""

import pytest

from veridyn.solver.contract.errors import SettingsError
from veridyn.validation_cases.judgement.tolerances import read_requirement


@pytest.mark.parametrize(
    ("text", "relative"),
    [("digits=6", 1e-6), ("digits = 0.5", 10**-0.5), ("rel=1e-3", 1e-3), ("rel=2", 2.0), ("rel=999.5", 999.5)],
)
def test_a_requirement_is_read(text, relative):
    found = read_requirement(text)
    assert found.relative == pytest.approx(relative)
    assert found.text.startswith("required: ")


@pytest.mark.parametrize(
    "text",
    ["", "6", "digits", "digits=", "digits=six", "digit=6", "digits=0", "digits=-1", "digits=-0.5", "rel=0", "rel=1000",
     "rel=1000.5", "rel=nan", "rel=inf"],
)  # fmt: skip
def test_what_is_no_requirement_is_refused(text):
    with pytest.raises(SettingsError):
        read_requirement(text)
