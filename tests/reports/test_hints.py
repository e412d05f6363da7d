"""What failed checks resemble."""

import pytest

from veridyn.reports import hints as room
from veridyn.reports.hints import (
    FEWEST,
    Hint,
    Pattern,
    diagnosis,
    hints,
    load_patterns,
    name_failure,
    similarity,
    weights_of,
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


def recognised(patterns, apart):
    """Diagnose each pattern by the others, without those that must stand apart from it; count what is said, and right.

    The others count in the cases on which the one was tried.
    """
    weights, told, right = weights_of(patterns), 0, 0
    for one in patterns:
        others = [other for other in patterns if other is not one and not apart(one, other)]
        tried = lambda failure, cases=one.cases: failure.partition(" ")[0] in cases  # noqa: E731
        found = room._nearest((similarity(one.failures, other, weights, tried), other) for other in others)
        told += found is not None
        right += found is not None and found.part == one.part
    return told, right


def test_the_pattern_of_a_fault_without_it_is_compared_with_the_others():
    twin = pattern("twin", "contact", *SOFT.failures, host="elsewhere")
    assert recognised([SOFT, twin, LOUD], apart=lambda one, other: False) == (2, 2)
    assert recognised([SOFT, twin, LOUD], apart=lambda one, other: other is twin or one is twin)[0] == 0


APART = {
    "the fault": lambda one, other: False,
    "the solver": lambda one, other: one.host == other.host,
}


@pytest.mark.parametrize(("apart", "share"), [("the fault", 0.5), ("the solver", 0.3)])
def test_four_of_five_diagnoses_are_right(apart, share):
    """With the fault, or the whole solver that it was seeded into, left out; of the others nothing is said."""
    told, right = recognised(load_patterns(), apart=APART[apart])
    assert right >= 0.8 * told
    assert told >= share * len(load_patterns())


def test_a_failed_run_gets_a_hint_in_its_document(make_record):
    nearest = next(p for p in load_patterns() if p.part == "contact" and len(p.cases) == 1 and len(p.failures) > 5)
    names = [name.split(" ", 2) for name in nearest.failures]

    failed = [
        make_record(case=case, layer=layer, quantity=q, verdict="fail", solver="mine", scheme="")
        for case, layer, q in names
        if layer != "error"
    ]
    (said,) = document(failed, [], [], ["veridyn"]).messages
    assert said.kind == "hint"
    assert said.text.startswith("what fails with mine resembles faults of the part contact (similarity ")


def test_nothing_is_said_where_nothing_fails(failed):
    assert list(hints(failed(passed=SOFT.failures))) == []


def test_nothing_is_said_of_a_solver_that_never_answered(make_record):
    names = [name.split(" ", 2) for name in next(p for p in load_patterns() if len(p.failures) > 5).failures]
    silent = [
        make_record(case=case, layer=layer, quantity=q, verdict="error") for case, layer, q in names if layer != "error"
    ]
    assert list(hints(silent)) == []
