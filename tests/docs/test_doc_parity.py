"""The parity page is what a result file and the records of the cases give."""

from pathlib import Path

import pytest

from veridyn.parity_table import parity_page
from veridyn.validation_cases.case import Published
from veridyn.validation_cases.catalogue import all_cases, load_case
from veridyn.validation_cases.parity import parity_id

PAGE = (Path(__file__).parents[2] / "docs" / "parity.md").read_text(encoding="utf-8")
ENVIRONMENT = {"command": "veridyn run", "veridyn": "0"}


def results(case, value=None):
    """A result file whose parity checks all gave a value, or what is printed."""
    cells = [cell for cell in case.published if cell.scheme and cell.verdict != "not reproduced"]
    records = [
        {"case": case.name, "id": parity_id(cell), "kind": "parity", "value": float(value or cell.value)}
        for cell in cells
    ]
    return {"environment": ENVIRONMENT, "results": records}


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_every_printed_value_stands_in_the_committed_page(case):
    part = PAGE.partition(f"\n## {case.name}: ")[2].partition("\n## ")[0]
    for cell in case.published:
        if cell.scheme:
            row = f"| {cell.scheme} | {cell.variant} | {cell.quantity} | {cell.value} |"
            assert row in part, "run: veridyn run --json FILE; python -m veridyn.parity_table FILE docs/parity.md"
            assert cell.verdict in part


def test_shows_what_ours_gave_and_how_far_it_is():
    page = parity_page(results(load_case("sdnd101"), "100"), [load_case("sdnd101")])
    assert "| symplectic_euler | 2-shocks | sampled_impulse_1 | 1.98093E2 | 100 | 5e-01 | misprint |" in page


def test_counts_the_verdicts():
    case = load_case("sdnd104")
    page = parity_page(results(case), [case])
    verdicts = [cell.verdict for cell in case.published if cell.scheme]
    counts = (len(verdicts), *map(verdicts.count, ("reproduced", "last digit", "misprint", "not reproduced")))
    assert f"| sdnd104 | {' | '.join(map(str, counts))} |" in page


def test_a_result_file_without_a_check_is_refused():
    with pytest.raises(KeyError):
        parity_page({"environment": ENVIRONMENT, "results": []}, [load_case("sdnd101")])


def test_what_is_not_reproduced_needs_no_check():
    case = load_case("sdnd104")
    missed = [cell for cell in case.published if cell.verdict == "not reproduced"]
    assert missed
    assert all(isinstance(cell, Published) for cell in missed)
    page = parity_page(results(case), [case])
    assert all(f"| {cell.value} |  |  | not reproduced |" in page for cell in missed)
