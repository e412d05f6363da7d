"""What failed checks resemble."""

import re

import pytest

from veridyn.document import document
from veridyn.reports import teeth
from veridyn.reports.hints import MOST, Pattern, hints, jaccard, known, learn, patterns_of, recognised, resembling
from veridyn.validation_cases.defects.catalogue import all_defects
from veridyn.verification import verify

SOFT = Pattern("soft", "contact", "Too soft.", frozenset({"c v-truth:force -", "c v-truth:time +"}), frozenset("c"))
LOUD = Pattern("loud", "numerics", "Too loud.", frozenset({"c v-truth:force +"}), frozenset("c"))


def record(quantity, value, verdict="fail"):
    return {
        "case": "c",
        "variant": "v",
        "kind": "truth",
        "quantity": quantity,
        "value": value,
        "reference": "1.0",
        "verdict": verdict,
        "solver": "s",
        "scheme": "",
    }


def test_the_nearest_pattern_comes_first():
    found = resembling([record("force", 0.9), record("time", 1.1)], [LOUD, SOFT])
    assert [(hint.pattern.defect, hint.similarity) for hint in found] == [("soft", 1.0)]


def test_the_side_of_the_truth_counts():
    (found,) = resembling([record("force", 1.1)], [LOUD, SOFT])
    assert found.pattern is LOUD


def test_only_checks_that_were_asked_count():
    (found,) = resembling([record("time", 1.1)], [SOFT])
    assert found.similarity == 1.0


def test_cases_on_which_a_defect_was_not_tried_do_not_count():
    elsewhere = [{**record("mass", 1.1), "case": "d"} for _ in range(5)]
    (found,) = resembling([record("force", 0.9), record("time", 1.1), *elsewhere], [SOFT])
    assert found.similarity == 1.0


def test_nothing_is_said_where_nothing_resembles():
    unlike = [record("mass", 1.1), record("force", 0.9), record("length", 2.0), record("time", 0.5)]
    assert resembling(unlike, [LOUD, SOFT]) == []


def test_nothing_is_said_where_nothing_fails():
    assert list(hints([record("force", 1.0, "pass")])) == []


def test_similarity_of_nothing_is_none():
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_known_patterns_are_those_of_defects_that_exist():
    assert {pattern.defect for pattern in known()} <= set(all_defects())
    assert len(known()) > 100


PLACES = {failure.rpartition(" ")[0] for pattern in known() for failure in pattern.failures}


@pytest.mark.parametrize("pattern", known(), ids=lambda p: p.defect)
def test_its_own_pattern_gives_a_hint_of_its_kind(pattern):
    twins = [known_one for known_one in known() if known_one.failures == pattern.failures]
    failed = {failure.rpartition(" ")[0] for failure in pattern.failures}
    passed = [{**_failed(f"{place} +"), "verdict": "pass"} for place in PLACES - failed]
    found = resembling([*map(_failed, pattern.failures), *passed], known())
    assert found[0].similarity == 1.0
    kinds = {hint.pattern.kind for hint in found}
    assert pattern.kind in kinds or (len(twins) > MOST and kinds <= {twin.kind for twin in twins})


def _failed(failure):
    """Make a record that fails as a pattern says, e.g. "sdnd101 2-shocks-truth:peak_force +"."""
    place, _, where = failure.rpartition(" ")
    case, _, check = place.partition(" ")
    variant, kind, quantity = re.fullmatch(r"(.*)-(truth|events|balance|order|parity):(.*)", check).groups()
    value = {"+": 2.0, "-": 0.0, "": None}[where]
    return {**record(quantity, value), "case": case, "variant": variant, "kind": kind}


def test_hints_tell_kinds_better_than_chance_with_the_defect_left_out():
    told = recognised(known())
    answers = [answer for members in told.values() for answer in members]
    assert sum(first for first, _ in answers) > 0.4 * len(answers)  # by chance one in six
    assert sum(among for _, among in answers) > 0.6 * len(answers)


def test_a_failed_run_gets_a_hint():
    records = verify("veridyn.validation_cases.defects:penalty_one_percent_high", ["sdnd101"])
    (said,) = document(records, [], [], ["veridyn"])["messages"]
    assert said.startswith("hint: what fails with penalty_one_percent_high symplectic_euler resembles contact: ")


def test_patterns_are_learnt_from_what_was_caught():
    run = {
        "defect": "soft",
        "case": "c",
        "judged_by": "theory",
        "asked": ["a", "b"],
        "caught": {"a": "-"},
        "broken": [],
    }
    found = {"cases": ["c"], "defects": [{"name": "soft", "kind": "contact", "what": "Too soft."}], "runs": [run]}
    assert list(patterns_of(learn(found))) == [
        Pattern("soft", "contact", "Too soft.", frozenset({"c a -"}), frozenset("c"))
    ]


FOUND = {  # what was found of three defects on two cases
    "cases": ["c", "d"],
    "defects": [{"name": name, "kind": "contact"} for name in ("one", "two", "three")],
    "runs": [
        {"defect": "one", "case": "c", "judged_by": "theory", "asked": ["a", "b"], "caught": {"a": "-"}, "broken": []},
        {"defect": "one", "case": "d", "judged_by": "theory", "asked": ["a"], "caught": {}, "broken": []},
        {"defect": "two", "case": "c", "judged_by": "theory", "asked": ["a", "b"], "caught": {}, "broken": []},
    ],
}


def test_who_survives_and_who_was_not_tried():
    assert teeth.survivors(FOUND) == ["two"]
    assert teeth.untried(FOUND) == ["three"]


def test_checks_that_catch_nothing_are_known():
    assert teeth.silent(FOUND) == [("c", "b"), ("d", "a")]


NOW = teeth.current(FOUND, ["two", "one"], {("c", "a"), ("c", "new")})


def test_checks_that_no_case_asks_any_more_drop_out():
    assert teeth.catches(NOW) == {("c", "a"): ["one"]}
    assert teeth.silent(NOW) == []


def test_cases_and_defects_that_do_not_exist_any_more_drop_out():
    assert NOW["cases"] == ["c"]
    assert [defect["name"] for defect in NOW["defects"]] == ["two", "one"]
    assert {(run["defect"], run["case"]) for run in NOW["runs"]} == {("one", "c"), ("two", "c")}


def test_checks_that_no_defect_was_asked_are_known_once_all_checks_are():
    assert teeth.unasked(FOUND) == []
    assert teeth.unasked(NOW) == [("c", "new")]
    assert "1 of 2 checks were asked about none of them" in teeth.summary(NOW)


def test_a_catch_of_a_check_that_is_asked_no_more_counts_no_more():
    gone = teeth.current(FOUND, ["one"], {("c", "b")})
    assert teeth.catches(gone) == {("c", "b"): []}
    assert teeth.survivors(gone) == ["one"]


def test_defects_that_one_case_alone_catches_are_known():
    assert teeth.only_caught_by(FOUND) == {"c": ["one"]}


def test_the_side_of_what_is_no_number_is_not_told():
    assert teeth.side({"value": "stick", "reference": "slip"}) == ""
