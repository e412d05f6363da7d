"""Files of a quality system: what they say, and one line with culprit and remedy for every wrong one."""

import pytest

from veridyn.files.quality import read_quality, read_requirements
from veridyn.problem.errors import SolverInputError
from veridyn.results import ErrorKind

KNOWN = {"sdnd101": ["peak_force", "impulse"], "sdnd104": ["wear_power"]}
HEAD = "id;text;cases;quantities;tolerance\n"


def test_requirements_are_read(table):
    text = (
        HEAD
        + "R-1;The force, in a limit.;sdnd101;peak_force im*;rel=1e-3\nR-2;Wear;;wear_power;digits=4\nR-3;All;sdnd*;;"
    )
    first, second, third = read_requirements(table(text), KNOWN)
    assert (first.id, first.text) == ("R-1", "The force, in a limit.")
    assert (first.cases, first.quantities) == (("sdnd101",), ("peak_force", "im*"))
    assert (first.tolerance.value, first.tolerance.kind) == (1e-3, ErrorKind.RELATIVE)
    assert (second.cases, second.tolerance.value) == ((), pytest.approx(1e-4))
    assert (third.quantities, third.tolerance) == ((), None)


WRONG = {
    "nothing": ("", "holds no table"),
    "header alone": (HEAD, "line 1: no rows below the header; write one requirement a row"),
    "no id": ("text;cases\nForce;sdnd101\n", "line 1: no column id; a table of requirements has the columns id, text"),
    "other columns": ("id;text;case\nR-1;Force;sdnd101\n", "line 1: unknown column 'case'; did you mean cases"),
    "empty id": (HEAD + ";Force;sdnd101;;\n", "line 2, column id: a requirement without id; give it one"),
    "id twice": (HEAD + "R;Force;sdnd101;;\nR;Wear;sdnd104;;\n", "line 3, column id: requirement R stands twice"),
    "unknown case": (
        HEAD + "R;Force;sdnd110;;\n",
        "line 2, column cases: unknown case 'sdnd110'; did you mean sdnd104",
    ),
    "unknown quantity": (
        HEAD + "R;Force;sdnd101;peak_forse;\n",
        "line 2, column quantities: unknown quantity 'peak_forse'; did you mean peak_force",
    ),
    "quantity of another case": (HEAD + "R;Force;sdnd101;wear_power;\n", "unknown quantity 'wear_power'"),
    "neither": (HEAD + "R;Force;;;\n", "line 2, column cases: R names neither cases nor quantities"),
    "nan": (HEAD + "R;Force;sdnd101;;rel=nan\n", "line 2, column tolerance: 'rel=nan' is no tolerance; write rel=1e-3"),
    "bare number": (HEAD + "R;Force;sdnd101;;0.01\n", "'0.01' is no tolerance"),
    "negative": (HEAD + "R;Force;sdnd101;;abs=-1\n", "'abs=-1' is no tolerance"),
    "too wide": (HEAD + "R;Force;sdnd101;;;x\n", "line 2: 6 cells under 5 columns"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requirements_are_refused(table, name):
    text, said = WRONG[name]
    with pytest.raises(SolverInputError) as refused:
        read_requirements(table(text, "requirements.csv"), KNOWN)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


WRONG_QUALITY = {
    "no TOML": ("number = ", "quality.toml: "),
    "unknown key": ("nummer = '1'", "unknown key 'nummer'; did you mean number"),
    "number": ("number = 1", "number must be a text in quotes, got 1"),
    "no table": ("revisions = 'A'", "revisions must be tables; write [[revisions]]"),
    "no author": ("[[revisions]]\nrevision='A'\ndate=2026-01-01\nchange='x'", "revisions 1: no author; write author"),
    "unknown in a table": ("[[assessments]]\ncheck='x'\ntext='y'", "assessments 1: unknown key 'check'; did you mean"),
}


@pytest.mark.parametrize("name", WRONG_QUALITY)
def test_a_wrong_quality_file_is_refused(table, name):
    text, said = WRONG_QUALITY[name]
    with pytest.raises(SolverInputError) as refused:
        read_quality(table(text, "quality.toml"))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_dates_are_texts_and_nothing_is_needed(table):
    assert read_quality(table("", "quality.toml")).revision == ""
    text = "number='7'\n[[revisions]]\nrevision='A'\ndate=2026-01-31\nauthor='N'\nchange='x'\n"
    read = read_quality(table(text, "quality.toml"))
    assert (read.number, read.revision, read.revisions[0].date) == ("7", "A", "2026-01-31")
