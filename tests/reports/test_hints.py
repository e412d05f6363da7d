"""What failed checks resemble."""

import math

import pytest

from veridyn.reports import hints as room
from veridyn.reports.hints import (
    FEWEST,
    Hint,
    Pattern,
    diagnosis,
    find_nearest,
    hints,
    load_learnt,
    load_patterns,
    name_failure,
)
from veridyn.run.document import document


def pattern(fault, part, *failures, cases="c", host="h"):
    return Pattern(host, fault, part, f"Is {fault}.", frozenset(failures), frozenset(cases))


SOFT = pattern("soft", "contact", "c criterion force", "c criterion time", "c convergence force")
LOUD = pattern("loud", "output", "c criterion force", "c criterion velocity", "c claim slope")
PATTERNS = (SOFT, LOUD)


@pytest.fixture
def failed(make_record):
    """Make failed records from names as patterns have them, and passed ones."""

    def make(*names, passed=()):
        made = []
        for name in (*names, *passed):
            case, layer, quantity = name.split(" ")
            verdict = "pass" if name in passed else "fail"
            made.append(make_record(case=case, layer=layer, quantity=quantity, verdict=verdict))
        return made

    return make


def test_the_part_whose_pattern_is_nearest_is_named(failed):
    found = diagnosis(failed(*SOFT.failures, passed=LOUD.failures - SOFT.failures), PATTERNS)
    assert found == Hint("contact", 1.0, SOFT)


def test_nothing_is_said_of_few_failures(failed):
    assert diagnosis(failed(*sorted(SOFT.failures)[: FEWEST - 1]), PATTERNS) is None


def test_nothing_is_said_where_parts_tie(failed):
    twin = pattern("twin", "output", *SOFT.failures)
    assert diagnosis(failed(*SOFT.failures), [SOFT, twin]) is None
    assert diagnosis(failed(*SOFT.failures), [SOFT, pattern("twin", "contact", *SOFT.failures)]) is not None


def test_nothing_is_said_where_nothing_resembles(failed):
    assert diagnosis(failed("c criterion mass", "c criterion length", "c claim slope"), PATTERNS) is None


def test_checks_that_were_not_judged_do_not_count(failed):
    """A solver without refinement has neither convergence nor claims."""
    everything = [*failed("c criterion force", "c criterion time"), *failed("c criterion force")]
    assert diagnosis(everything, [SOFT]).similarity == 1.0
    judged = [*everything, *failed(passed=["c convergence force"])]
    assert diagnosis(judged, [SOFT]).similarity < 1.0


def test_what_fails_in_cases_that_were_not_tried_lowers_the_similarity(failed):
    assert diagnosis(failed(*SOFT.failures, "d criterion mass"), PATTERNS).similarity == pytest.approx(0.73, abs=0.05)
    elsewhere = [f"d criterion {name}" for name in ("mass", "length", "angle", "work", "speed", "heat")]
    assert diagnosis(failed(*SOFT.failures, *elsewhere), PATTERNS) is None


def test_a_rare_failure_says_more_than_a_common_one(failed):
    common = ["c criterion x", "c criterion v"]
    contact = pattern("stop", "contact", *common, "c criterion force")
    others = [pattern(f"other {n}", "output", *common, f"c criterion {n}") for n in "pqrs"]
    passed = [f"c criterion {n}" for n in "pqrs"]
    assert diagnosis(failed(*common, "c criterion force", passed=passed), [contact, *others]).part == "contact"


@pytest.mark.parametrize(
    ("quantity", "stem"),
    [
        ("x2@0.339965", "x"),
        ("peak_time_2", "peak_time"),
        ("zero[12]", "zero"),
        ("order:v@1.5e-3", "order:v"),
        ("slope", "slope"),
    ],
)
def test_numbers_in_names_do_not_count(quantity, stem):
    assert name_failure("c", "claim", quantity) == f"c claim {stem}"


def test_parts_are_named_only_where_nine_of_ten_hints_were_right():
    """The trials: each pattern is diagnosed by those of other solvers."""
    least = load_learnt().least
    said = []
    for one in load_patterns():
        hint = find_nearest(one.failures, [other for other in load_patterns() if other.host != one.host])
        if hint and hint.similarity >= least.get(hint.part, math.inf):
            said.append((hint.part, one.part))
    assert {part for part, _ in said} == set(least)
    for part in least:
        right = [true == part for named, true in said if named == part]
        assert len(right) >= 10
        assert sum(right) >= 0.9 * len(right)


def test_nothing_is_said_of_a_part_whose_hints_mislead(make_record, monkeypatch):
    failed = records_of(make_record, next(p for p in load_patterns() if p.part == "device" and len(p.failures) > 5))
    assert list(hints(failed))
    monkeypatch.setattr(room, "load_learnt", lambda: room.Learnt(failures=(), patterns=(), least={}))
    assert list(hints(failed)) == []


def records_of(make_record, pattern):
    names = [name.split(" ", 2) for name in pattern.failures]
    return [
        make_record(case=case, layer=layer, quantity=q, verdict="fail", solver="mine", scheme="", value=None)
        for case, layer, q in names
        if layer != "error"
    ]


def test_a_failed_run_gets_a_hint_in_its_document(make_record):
    nearest = next(p for p in load_patterns() if p.part == "device" and len(p.cases) == 1 and len(p.failures) > 5)
    (said,) = document(records_of(make_record, nearest), [], [], ["veridyn"]).messages
    assert said.kind == "hint"
    assert said.text.startswith("what fails with mine resembles faults of the part device (similarity ")


def test_nothing_is_said_where_nothing_fails(failed):
    assert list(hints(failed(passed=SOFT.failures))) == []


def test_nothing_is_said_of_a_solver_that_never_answered(make_record):
    names = [name.split(" ", 2) for name in next(p for p in load_patterns() if len(p.failures) > 5).failures]
    silent = [
        make_record(case=case, layer=layer, quantity=q, verdict="error") for case, layer, q in names if layer != "error"
    ]
    assert list(hints(silent)) == []
