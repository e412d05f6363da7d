"""The checks of sdnd101 as pytest tests."""

import pytest

from veridyn.validation_cases.judge import Record, explain


@pytest.mark.verifies("sdnd101")
def test_sdnd101(record: Record) -> None:
    """Every check of the case passes for the solver under test."""
    assert record.verdict == "pass", explain(record)
