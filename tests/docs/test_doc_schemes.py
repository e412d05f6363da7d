"""Tables of the page on schemes hold what is measured."""

from pathlib import Path

from scheme_tables import renewed, tables

PAGE = (Path(__file__).parents[2] / "docs" / "schemes.md").read_text(encoding="utf-8")


def test_tables_are_those_measured():
    assert renewed(PAGE, tables()) == PAGE
