"""Tables of the page on schemes hold what is measured."""

from pathlib import Path

import pytest
from scheme_tables import renewed, tables

PAGE = (Path(__file__).parents[2] / "docs" / "schemes.md").read_text(encoding="utf-8")


@pytest.mark.all_schemes
def test_tables_are_those_measured():
    assert renewed(PAGE, tables()) == PAGE
