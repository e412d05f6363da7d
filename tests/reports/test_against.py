"""Two runs held against each other."""

import pytest

from veridyn.reports.against import SHOWN, compare
from veridyn.reports.markdown import changes
from veridyn.reports.writer import write
from veridyn.results import convert


@pytest.fixture
def turns(make_document, make_result):
    """Return the turns between two lists of changed records."""

    def between(before, now):
        documents = [convert(make_document(results=[make_result(**r) for r in records])) for records in (now, before)]
        return compare(*documents)

    return between


def test_a_run_against_itself_is_unchanged(typed):
    found = compare(typed, typed)
    assert (found.changes, found.unchanged, found.is_worse) == ((), len(typed.results), False)
    assert found.headline.startswith("0 became worse, 0 vanished, 0 became better, 0 appeared")


@pytest.mark.parametrize(
    ("before", "now", "turn", "grave"),
    [
        ({"verdict": "pass"}, {"verdict": "fail"}, "worse", True),
        ({"verdict": "fail"}, {"verdict": "error"}, "worse", True),
        ({"verdict": "pass"}, {"verdict": "not applicable"}, "worse", True),
        ({"verdict": "fail"}, {"verdict": "pass"}, "better", False),
        ({"error": 1e-5}, {"error": 2.1e-5}, "worse", False),
        ({"error": 2.1e-5}, {"error": 1e-5}, "better", False),
        ({"error": 1e-5}, {"error": None}, None, False),
        ({"error": 1e-5}, {"error": 1.9e-5}, None, False),
        ({"error": 0.0}, {"error": 1e-14}, None, False),
        ({"error": 0.0}, {"error": 3e-14}, "worse", False),
        ({"error": 0.0, "error_kind": "absolute"}, {"error": 3e-14, "error_kind": "absolute"}, None, False),
        ({"error_kind": "absolute"}, {"error": 1.0}, None, False),
    ],
)
def test_what_a_change_is_called(turns, before, now, turn, grave):
    found = turns([before], [now])
    assert [change.turn for change in found.changes] == ([turn] if turn else [])
    assert found.is_worse is grave


def test_checks_that_are_in_one_run_only(turns):
    found = turns([{"quantity": "a"}, {"quantity": "b"}], [{"quantity": "b"}, {"quantity": "c"}])
    assert {(change.turn, change.record.quantity) for change in found.changes} == {
        ("vanished", "a"),
        ("appeared", "c"),
    }
    assert found.is_worse


def test_a_check_that_occurs_twice_is_compared_in_order(turns):
    found = turns([{"error": 1e-5}, {"error": 1e-3}], [{"error": 1e-5}, {"error": 1e-5}])
    assert [change.turn for change in found.changes] == ["better"]


def test_other_machines_and_versions_are_said(doc, make_document):
    other = make_document(environment={**doc["environment"], "machine": "arm64", "veridyn": "0.2.0"})
    assert compare(convert(other), convert(doc)).remarks == (
        "The machines differ: x86_64 before, arm64 now.",
        "The versions of veridyn differ: 0.1.0 before, 0.2.0 now.",
    )


def test_the_page_shows_verdicts_before_errors(turns):
    found = turns(
        [{"quantity": "a"}, {"quantity": "b"}], [{"quantity": "a", "error": 1.0}, {"quantity": "b", "verdict": "fail"}]
    )
    page = changes(found)
    assert page.index("| b | pass | fail |") < page.index("| a | pass | pass |")


def test_the_page_counts_what_it_does_not_show(turns):
    page = changes(turns([], [{"quantity": f"q{i}"} for i in range(SHOWN + 3)]))
    assert "What appeared: 53" in page
    assert "3 more of them." in page


def test_names_stay_text(turns, hostile):
    page = changes(turns([], [{"case": hostile, "solver": hostile, "quantity": hostile}]))
    assert "<script>" not in page
    assert "&amp;lt;" not in page  # escaped once


def test_the_report_begins_with_what_changed(make_plain, make_result, tmp_path, hostile):
    typed = convert(make_plain())
    before = make_plain(results=[make_result(), make_result(quantity=hostile), make_result(quantity="gone")])
    written = write(typed, tmp_path, compare(typed, convert(before)))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert tmp_path / "against.md" in written
    assert page.index("<caption>What vanished: 2") < page.index('id="failures"')
    assert "<script>alert" not in page


def test_a_report_without_comparison_takes_the_old_one_away(make_plain, tmp_path):
    typed = convert(make_plain())
    write(typed, tmp_path, compare(typed, typed))
    write(typed, tmp_path)
    assert not (tmp_path / "against.md").exists()
    assert 'id="against"' not in (tmp_path / "index.html").read_text(encoding="utf-8")
