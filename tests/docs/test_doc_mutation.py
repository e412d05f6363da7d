"""The committed page on mutation testing is what the last run gave, and every survivor has a reason."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(f"mutation_{name}", ROOT / "tests" / "mutation" / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_results_are_those_of_modules_of_the_selection_and_the_page_names_the_others():
    chosen, tried = {subject.path for subject in load("selection").subjects()}, set(load("page").recorded())
    assert tried <= chosen
    waiting = load("page").PAGE.read_text(encoding="utf-8").partition("## Not tried yet")[2]
    assert {line.strip("* `") for line in waiting.splitlines() if line.startswith("*")} == chosen - tried


def test_every_reference_is_in_the_selection():
    modules = {path.name for path in (ROOT / "references").glob("*.py")} - {"__init__.py"}
    chosen = {subject.path for subject in load("selection").subjects()}
    assert {f"references/{name}" for name in modules} <= chosen


def test_every_survivor_has_a_reason_and_no_reason_is_stale():
    made = load("page")
    assert set(made.survivors(made.recorded())) == set(made.reasons())


def test_page_is_up_to_date():
    made = load("page")
    text = made.page(made.recorded(), made.reasons())
    assert made.PAGE.read_text(encoding="utf-8") == text, "run: python tests/mutation/page.py"
