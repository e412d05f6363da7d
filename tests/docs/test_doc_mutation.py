"""The committed page on mutation testing is what the last run gave, and every survivor has a reason."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load_page():
    spec = importlib.util.spec_from_file_location("mutation_page", ROOT / "tests" / "mutation" / "page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_survivor_has_a_reason_and_no_reason_is_stale():
    made = load_page()
    assert set(made.survivors(made.recorded())) == set(made.reasons())


def test_page_is_up_to_date():
    made = load_page()
    text = made.page(made.recorded(), made.reasons())
    assert made.PAGE.read_text(encoding="utf-8") == text, "run: python tests/mutation/page.py"
