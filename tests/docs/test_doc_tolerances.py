"""The numbers in the tolerance policy are those of a run."""

import re
from functools import cache
from pathlib import Path

import pytest

from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.workbench import Workbench

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tolerance-policy.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (sd\w+) \| `([^`]+)` \| (\S+) \| (\S+) \| (\S+) \|", flags=re.MULTILINE)


@cache
def checks_of(case):
    return {check.id: check for check in checks(load_case(case), Subject.of(SOLVER))}


def number(text):
    return None if text == "–" else pytest.approx(float(text), rel=0.1)


def test_the_founding_cases_are_quoted():
    assert {row[0] for row in ROW.findall(PAGE)} >= {"sdnd101", "sdnd104", "sdld103"}


@pytest.mark.parametrize("row", ROW.findall(PAGE), ids=lambda row: f"{row[0]}-{row[1]}")
def test_quoted_check(row):
    case, name, error, tolerance, margin = row
    record = judge(checks_of(case)[name], Workbench(SOLVER))
    assert record.error == number(error)
    assert record.tolerance == number(tolerance)
    assert record.margin == number(margin)
