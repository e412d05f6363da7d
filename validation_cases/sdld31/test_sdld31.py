"""The checks of sdld31 as pytest tests."""

import pytest

from veridyn.validation_cases.judge import Record, explain


@pytest.mark.verifies("sdld31")
def test_sdld31(record: Record) -> None:
    """Every check of the case passes for the solver under test."""
    assert record.verdict == "pass", explain(record)
