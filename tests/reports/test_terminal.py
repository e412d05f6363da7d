import io

import pytest
from rich.console import Console

from veridyn.reports.terminal import IN_FULL, full_table, summary_table
from veridyn.results import convert


@pytest.fixture
def printed(doc):
    """Print a document with one of the two functions, as into a pipe."""

    def show(function, width=80, document=doc):
        stream = io.StringIO()
        function(convert(document), Console(file=stream, width=width))
        return stream.getvalue()

    return show


@pytest.mark.parametrize("function", [summary_table, full_table])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_lines_fit_and_carry_no_control_codes(printed, function, width):
    text = printed(function, width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text


def test_summary_counts_then_failures_then_totals(printed):
    text = printed(summary_table, 120)
    places = [
        text.index(part) for part in ("shoe", "ERROR  spring", "FAIL  spring", "3 checks failed and 1 check ended")
    ]
    assert places == sorted(places)
    assert text.rstrip().endswith("1 fragile (margin < 2), 1 loose (criteria, margin > 1000)")


def test_failures_are_told_in_full(printed):
    text = printed(summary_table)
    for line in (
        "reference  15.2670995893716138593344827041 W",
        "error      3.0e-4 relative",
        "tolerance  1e-4",
    ):
        assert line in text
    assert "detail     too slow" in text


def test_a_failure_is_told_with_the_parts_of_its_tolerance_and_its_levels(printed):
    lines = [line.split() for line in printed(summary_table, 100).splitlines()]
    parts = ["parts", "0.03", "numerical", "uncertainty", "+", "0", "sampling", "+", "1.5e-8", "rounding"]
    start = lines.index(parts)
    assert lines[start + 1 : start + 5] == [
        ["step", "answer", "difference", "error", "observed", "order"],
        ["4e-4", "15.34", "–", "0.073", "–"],
        ["2e-4", "15.32", "0.020", "0.053", "0.46"],
        ["1e-4", "15.3071", "0.013", "0.040", "0.40"],
    ]


def test_of_many_answers_those_with_the_largest_change_are_told(printed, make_document, make_result):
    changes = [{"quantity": f"q{n}", "before": 1.0, "after": 2.0, "change": 1.0, "admissible": 0.1} for n in range(11)]
    record = make_result(layer="invariance", quantity="mirrored", verdict="fail", levels=changes)
    text = printed(summary_table, 100, make_document(results=[record]))
    assert "q7" in text
    assert "q8" not in text
    assert "and 3 more" in text


def test_of_many_failures_one_of_each_cause_is_shown(printed, make_document, make_result):
    errors = [make_result(quantity=f"q{n}", verdict="error", detail=f"no root near {n}.5 s") for n in range(IN_FULL)]
    failed = [make_result(layer="invariance", quantity=f"r{n}", verdict="fail", error=9.0) for n in range(5)]
    text = printed(summary_table, 200, make_document(results=[*errors, *failed]))
    assert "ERROR  shoe[a0=15] euler  q0 (criterion)" in text
    assert "q1 (criterion)" not in text
    assert all(f"FAIL  shoe[a0=15] euler  r{n} (invariance)" in text for n in range(5))
    assert f"and {IN_FULL - 1} further failures: -v lists every check" in text
    assert "30 checks of shoe end in the same error: no root near 0.5 s" in text
    assert "and 3 further causes" in text


def test_few_failures_are_all_shown(printed, make_document, make_result):
    results = [make_result(quantity=f"q{number}", verdict="fail") for number in range(IN_FULL)]
    text = printed(summary_table, 100, make_document(results=results))
    assert text.count("reference  ") == IN_FULL
    assert "further failures" not in text


def test_a_single_failure_has_no_cause_beside_it(printed, make_document, make_result):
    text = printed(summary_table, 100, make_document(results=[make_result(verdict="fail")]))
    assert "Causes" not in text


def test_a_remedy_that_no_list_of_causes_holds_stands_with_its_failure(printed, make_document, make_result):
    errors = {0.2: 0.05, 0.1: 0.004, 0.05: 0.0003}
    levels = [{"setting": "step", "size": size, "value": 2 + error, "error": error} for size, error in errors.items()]
    coarse = make_result(quantity="q", verdict="fail", value=2.1, reference=2.0, error=0.05, tolerance=0.01)
    holds = make_result(quantity="q", layer="convergence", verdict="pass", levels=levels)
    single = printed(summary_table, 200, make_document(results=[coarse, holds]))
    assert "would hold on a finer level: the default is too coarse" in single
    assert "step=0.1 in shoe[a0=15] would do" in single
    more = [make_result(quantity=f"r{n}{m}", verdict="error", detail="ABC"[n] * 9) for n in range(3) for m in range(2)]
    text = printed(summary_table, 200, make_document(results=[*more, coarse, holds]))
    assert text.index("step=0.1 in shoe[a0=15] would do") < text.index("Causes")


def test_a_claim_that_was_judged_nowhere_is_named(printed, make_document, make_result):
    missed = make_result(layer="claim", quantity="method", verdict="not applicable", detail="the samples are apart")
    text = printed(summary_table, 200, make_document(results=[make_result(), missed]))
    assert "Not judged: veridyn euler: the claim of method was judged nowhere; the samples are apart" in text
    judged = make_result(layer="claim", quantity="method", variant="b")
    assert "Not judged" not in printed(summary_table, 200, make_document(results=[missed, judged]))


def test_columns_of_verdicts_that_do_not_occur_are_left_out(printed, make_document, make_result):
    text = printed(summary_table, document=make_document(results=[make_result()], messages=[]))
    assert "xfail" not in text
    assert text.splitlines()[0].split() == ["case", "variant", "scheme", "criteria", "margin"]


def test_passed_checks_are_counted_by_layer(printed, make_document, make_result):
    results = [
        *(make_result(layer=layer, quantity=layer) for layer in ("criterion", "convergence", "claim")),
        *(make_result(layer="invariance", quantity=name) for name in ("mirrored", "repeated")),
        make_result(layer="claim", quantity="slope", verdict="fail"),
        make_result(layer="claim", quantity="order", verdict="not applicable"),
    ]
    lines = printed(summary_table, 100, make_document(results=results)).splitlines()
    assert lines[0].split() == [
        *("case", "variant", "scheme", "criteria", "convergence", "claims", "invariance", "n/a", "margin"),
    ]
    assert lines[2].split() == ["shoe", "a0=15", "euler", "1", "1", "1/2", "2", "1", "5.1"]


def test_one_solver_is_called_by_its_schemes(printed, make_document, make_result):
    text = printed(summary_table, document=make_document(results=[make_result()], messages=[]))
    assert "euler" in text
    assert "veridyn" not in text


def test_solvers_are_compared_where_it_fits(printed, make_document, make_result):
    results = [
        make_result(),
        make_result(solver="other", verdict="fail", digits=3.2),
        make_result(solver="few", case="a case with a long name", verdict="not applicable", digits=None),
    ]
    document = make_document(results=results, messages=[])
    text = printed(summary_table, 100, document)
    assert text.index("passed, fewest digits") > text.index("margin")
    lines = [line.split() for line in text.splitlines()]
    assert ["other", "·", "euler", "0/1", "3.2"] in lines
    assert ["few", "·", "euler", "n/a"] in lines
    assert "passed, fewest digits" not in printed(summary_table, 40, document)
    assert "passed, fewest digits" not in printed(summary_table, 100, make_document(results=[make_result()]))


def test_names_in_brackets_are_not_markup(printed, make_document, make_result):
    document = make_document(results=[make_result(variant="[red]x[/red]", verdict="fail")], messages=["[b]"])
    text = printed(summary_table, document=document)
    assert "shoe[[red]x[/red]]" in text
    assert "Note: [b]" in text


def test_full_table_lists_every_check(printed):
    text = printed(full_table, 120)
    assert text.count("wear_power") >= 6
    assert "slip_start[1]" in text
    assert "fragile" in text


def test_nothing_was_checked(printed, make_document):
    for function in (summary_table, full_table):
        assert "Nothing was checked" in printed(function, document=make_document(results=[]))
