"""The committed errata page is what the records of the cases give."""

from pathlib import Path

from veridyn.errata import errata_page
from veridyn.validation_cases.core.catalogue import all_cases

ROOT = Path(__file__).parents[2]


def test_page_is_up_to_date():
    committed = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    assert committed == errata_page(), "run: python -m veridyn.errata > docs/errata.md"


def test_every_wrong_value_is_listed():
    page = errata_page()
    for case in all_cases():
        for value in case.published:
            if value.verdict != "reproduced":
                assert f"| {value.value} |" in page
