"""The generated page on what the suite catches knows all defects."""

from pathlib import Path

from veridyn.validation_cases.defects.catalogue import all_defects

PAGE = Path(__file__).parents[2] / "docs" / "what-the-suite-catches.md"


def test_every_defect_is_on_the_page_with_what_is_wrong():
    text = PAGE.read_text(encoding="utf-8")
    for defect in all_defects().values():
        assert f"| {defect.name} | " in text, "run veridyn teeth, then python -m veridyn.catches"
