"""What the pages for users of other codes name exists here, and the tables and files that they show are read."""

import re
from pathlib import Path

import pytest

from veridyn.files.columns import history_columns
from veridyn.files.histories import recognise_columns
from veridyn.files.quality import read_quality, read_requirements
from veridyn.files.tables import read_table
from veridyn.run.posed import pose
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("by-hand-*.md"))


def read_blocks(page, language="text"):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_table_of_a_page_is_read(page, tmp_path):
    file = tmp_path / "results.csv"
    file.write_text(read_blocks(page)[-1], encoding="utf-8")
    table = read_table(file).filled(2)
    columns = recognise_columns(table, history_columns(pose("sdnd101").problem))
    assert {"time", "displacement_x"} <= set(columns)
    assert all(len(table.numbers(column)) == 2 for column in columns.values())


def test_every_case_and_scheme_that_users_of_code_aster_are_led_to_exists():
    text = (DOCS / "code-aster.md").read_text(encoding="utf-8")
    tests, rest = text.split("## Commands")
    cases = set(re.findall(r"`([a-z]\w+)`", tests))
    assert {"sdnd101", "sdld103", "obstacles"} <= cases
    assert cases <= set(case_names())
    schemes = set(re.findall(r"`(\w+)`", rest.split("| DYNA_NON_LINE")[0].split("SCHEMA_TEMPS")[1]))
    assert len(schemes) > 8
    assert schemes <= set(SCHEMES)


def test_the_files_that_the_manual_shows_are_read(tmp_path):
    page = DOCS / "manual.md"
    quality, requirements = tmp_path / "quality.toml", tmp_path / "requirements.csv"
    quality.write_text(read_blocks(page, "toml")[0], encoding="utf-8")
    requirements.write_text(read_blocks(page)[0], encoding="utf-8")
    assert read_quality(quality).revision == "A"
    known = {name: [q.name for q in load_case(name).quantities] for name in ("sdnd101", "sdnd104", "sdnd106")}
    assert [one.id for one in read_requirements(requirements, known)] == ["R-1", "R-2", "R-3"]
