"""Failures grouped by what explains them."""

import math
import time

import pytest

from veridyn.results import ReportError, convert, read, unstructure
from veridyn.results.causes import explain_failures, find_causes, list_unexplained

TRUTH = "2.0"


@pytest.fixture
def fail(make_result):
    """Make a failed check whose answer is a multiple of the truth, which is 2."""

    def make(name, *, factor=1.1, layer="criterion", tolerance=1e-3, **changes):
        value, error = 2.0 * factor, abs(2.0 * factor - 2.0)
        record = {
            "quantity": name,
            "layer": layer,
            "value": value,
            "reference": TRUTH,
            "error": error,
            "error_kind": "absolute",
            "tolerance": tolerance,
            "margin": tolerance / error if error else None,
            "digits": max(-math.log10(error / 2.0), 0.0) if error else None,
            "verdict": "fail",
            "id": f"{changes.get('variant', '')}-{layer}:{name}",
        }
        return make_result(**record | changes)

    return make


@pytest.fixture
def causes_of(make_document):
    """Return the causes of some records, as kinds, counts and texts."""

    def find(*records, **changes):
        found = find_causes(convert(make_document(results=list(records), **changes)))
        return [(cause.kind.value, cause.count, cause.text) for cause in found]

    return find


def test_errors_of_the_same_text_are_one_but_for_their_numbers(fail, causes_of):
    told = [f"no sample between 0 and {n}.5e-3 s" for n in range(4)]
    errors = [fail(f"q{n}", verdict="error", detail=text, value=None, error=None) for n, text in enumerate(told)]
    other = fail("x", verdict="error", detail="singular matrix", value=None, error=None)
    assert causes_of(*errors, other) == [
        ("error", 4, "4 checks of shoe end in the same error: no sample between 0 and 0.5e-3 s"),
        ("error", 1, "x of shoe[a0=15] ends in an error: singular matrix"),
    ]


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.0003, "3 answers of shoe are 1.0003 times the truth"),
        (-1.0, "3 answers of shoe are -1 times the truth"),
        (0.0, "3 answers of shoe are 0"),
    ],
)
def test_answers_that_share_a_factor_are_one(fail, causes_of, factor, text):
    failed = [fail(f"q{n}", factor=factor, layer="convergence", tolerance=1e-7) for n in range(3)]
    lost = fail("order:q1", layer="claim", factor=0.1)
    (found,) = causes_of(*failed, lost)
    further = ", with 1 further failure of the same quantities"
    assert found == ("factor", 4, text + further.replace("failure", "failures"))


def test_a_factor_with_a_name_is_named(fail, make_document):
    failed = [fail(f"q{n}", factor=1000.0) for n in range(3)]
    (cause,) = find_causes(convert(make_document(results=failed)))
    assert cause.remedy == "look for mm in place of m, or g in place of kg"


def test_answers_that_are_alike_by_chance_share_no_factor(fail, causes_of):
    """Of eight wrong answers three agree: that is less than half of those of the case."""
    factors = (1.5, 1.5, 1.5, 1.9, 0.3, -2.0, 7.0, 0.6)
    kinds = [kind for kind, _, _ in causes_of(*(fail(f"q{n}", factor=f) for n, f in enumerate(factors)))]
    assert "factor" not in kinds
    assert [kind for kind, _, _ in causes_of(fail("a", factor=1.5), fail("b", factor=1.5))] == ["case"]


def test_a_wide_tolerance_makes_answers_no_more_alike(fail, causes_of):
    failed = [fail(f"q{n}", factor=factor, tolerance=0.5) for n, factor in enumerate((1.3, 1.6, 1.9))]
    assert [kind for kind, _, _ in causes_of(*failed)] == ["case"]


def test_two_factors_are_two_causes(fail, causes_of):
    failed = [fail(f"q{n}", case=case, factor=f) for case, f in (("a", 1.5), ("b", 0.7)) for n in range(3)]
    texts = sorted(text for _, _, text in causes_of(*failed, cases=[]))
    assert texts == ["3 answers of a are 1.5 times the truth", "3 answers of b are 0.7 times the truth"]


def test_a_default_that_is_too_coarse_is_told_with_the_level_that_would_do(fail, make_result, make_document):
    errors = ((0.4, 0.5), (0.2, 0.05), (0.1, 0.004), (0.05, 0.0003))
    levels = [{"setting": "step", "size": size, "value": 2.0 + e, "error": e} for size, e in errors]
    failed = fail("q", factor=1.25, tolerance=0.01, settings={"step": 0.4})
    holds = fail("q", layer="convergence", factor=1.00015, tolerance=0.001, verdict="pass", levels=levels)
    (cause,) = find_causes(convert(make_document(results=[failed, holds])))
    assert (cause.kind.value, cause.remedy) == ("coarse", "step=0.1 in shoe[a0=15] would do")
    never = fail("q", factor=1.25, tolerance=1e-5)
    (cause,) = find_causes(convert(make_document(results=[never, holds])))
    assert cause.kind.value == "case"


def test_a_feature_explains_what_fails_with_it_and_nowhere_else(fail, make_result, causes_of):
    needs = {"a": ["mechanical", "contact"], "b": ["mechanical", "contact", "loads"], "c": ["mechanical", "loads"]}
    plan = [
        {"solver": "veridyn", "case": case, "variant": "", "checks": [f"-criterion:{case}"], "needs": tags}
        for case, tags in needs.items()
    ]
    solvers = [{"name": "veridyn"}]

    def place(case, **changes):
        return fail(case, case=case, variant="", factor=1.0 + 0.1 * ord(case) ** 2, **changes)

    failed, passed = [place("a"), place("b")], place("c", verdict="pass")
    state = {"plan": plan, "planned": 3, "solvers": solvers, "cases": []}
    assert causes_of(*failed, passed, **state) == [
        ("feature", 2, "all 2 variants with contact fail (2 checks), none of 1 without")
    ]
    alone = {kind for kind, _, _ in causes_of(*failed, place("c"), **state)}
    assert alone == {"case"}, "where everything fails no feature is the reason"


def test_claims_of_one_name_are_one(fail, make_result, causes_of):
    claims = [
        make_result(layer="claim", quantity=f"order:q{n}", value=0.9 + n / 10, reference=2.0, verdict="fail")
        for n in range(3)
    ]
    beside = fail("q1", layer="convergence", factor=1.7)
    assert causes_of(*claims, beside) == [
        (
            "claim",
            4,
            "3 checks of shoe do not keep the claim of order: 0.9 to 1.1 where 2 is claimed, with 1 further failures "
            "of the same quantities",
        )
    ]


def test_digits_that_are_missing_are_counted(make_result, causes_of):
    """Of a claim of digits the correct digits tell, not the values, which are of all kinds."""
    failed = {"layer": "claim", "verdict": "fail", "value": 70.0, "reference": 70.1}
    claims = [make_result(quantity=f"digits:q{n}", digits=4.0 + n, **failed) for n in (1, 2)]
    ((kind, count, text),) = causes_of(*claims)
    assert (kind, count) == ("claim", 2)
    assert text == "2 checks of shoe do not keep the claim of digits: 5 to 6"


def test_relations_are_one_each(make_result, causes_of):
    failed = [make_result(case=case, layer="invariance", quantity="other_units", verdict="fail") for case in "abc"]
    (found,) = causes_of(*failed, cases=[])
    assert found[:2] == ("invariance", 3)
    assert "other_units, 3 checks of 3 cases fail" in found[2]


def test_each_failure_has_one_cause(doc, make_document, fail, make_result):
    records = [
        *(fail(f"q{n}", factor=1.0003) for n in range(4)),
        *(fail(f"order:q{n}", layer="claim") for n in range(6)),
        *(fail(f"slope:q{n}", layer="claim") for n in range(6)),
        *(fail(f"e{n}", verdict="error", detail="no") for n in range(3)),
        *(fail(f"r{n}", layer="invariance") for n in range(3)),
        *(fail(f"c{n}", factor=3.0 + n**2) for n in range(3)),
        fail("order:c1", layer="claim"),
        fail("slope:c1", layer="claim"),
        make_result(quantity="fine"),
    ]
    document = convert(make_document(results=records))
    members = [id(record) for _, group in explain_failures(document) for record in group]
    failed = [id(record) for record in document.results if record.verdict.value in ("fail", "error")]
    assert sorted(members) == sorted(failed)
    assert len(set(members)) == len(members)
    assert all(cause.count == len(group) for cause, group in explain_failures(document))
    left = {record.quantity for record in list_unexplained(document)}
    assert "c1" in left
    assert not left & {"q1", "e1"}


def test_the_command_judges_the_check_again(fail, make_document):
    solvers = [{"name": "veridyn", "specification": "my solver.py:it"}]
    (cause,) = find_causes(convert(make_document(results=[fail("q")], solvers=solvers)))
    assert cause.command == "veridyn run shoe --variant a0=15 --scheme euler --solver 'my solver.py:it' -v"


def test_causes_that_do_not_follow_from_the_results_are_refused(fail, make_document, save):
    written = unstructure(convert(make_document(results=[fail("q")])))
    assert read(save(written)).causes
    written["causes"][0]["count"] = 2
    with pytest.raises(ReportError, match="states other causes of its failures than its results show"):
        read(save(written))


def test_time_grows_as_the_number_of_failures(fail, make_document):
    def measure(count):
        records = [fail(f"q{n}", factor=1.0 + (n * 0.6180339887) % 1.0) for n in range(count)]
        document = convert(make_document(results=records))
        begin = time.process_time()
        find_causes(document)
        return time.process_time() - begin

    assert measure(4000) < 12 * measure(1000)
