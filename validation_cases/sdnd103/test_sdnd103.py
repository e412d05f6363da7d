"""The checks of sdnd103 as pytest tests."""

import pytest

from veridyn.validation_cases.judge import Record, explain


@pytest.mark.verifies("sdnd103")
def test_sdnd103(record: Record) -> None:
    """Every check of the case passes for the solver under test."""
    assert record.verdict == "pass", explain(record)
