"""The checks of sdnd106 as pytest tests."""

import pytest

from veridyn.validation_cases.judge import Record, explain


@pytest.mark.verifies("sdnd106")
def test_sdnd106(record: Record) -> None:
    """Every check of the case passes for the solver under test."""
    assert record.verdict == "pass", explain(record)
