"""The errata page is what the records of the cases give."""

from veridyn.cli.errata import errata_page
from veridyn.validation_cases.judgement.catalogue import all_cases


def test_every_wrong_value_is_listed():
    page = errata_page()
    for case in all_cases():
        for value in case.published:
            if value.verdict != "reproduced":
                assert f"| {value.value} |" in page
