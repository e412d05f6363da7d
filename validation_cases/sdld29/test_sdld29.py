"""The checks of sdld29 as pytest tests."""

import pytest

from veridyn.validation_cases.judge import Record, explain


@pytest.mark.verifies("sdld29")
def test_sdld29(record: Record) -> None:
    """Every check of the case passes for the solver under test."""
    assert record.verdict == "pass", explain(record)
