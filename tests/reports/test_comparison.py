from veridyn.reports import comparison
from veridyn.reports.comparison import matrices, score, standings


def test_score_counts_distinct_runs_once(make_record):
    records = [
        make_record(digits=4.0),
        make_record(digits=6.0, quantity="energy"),
        make_record(digits=9.0, layer="convergence"),
        make_record(digits=9.5, layer="claim"),
        make_record(digits=None, quantity="regime", wall_time=0.5),
        make_record(digits=5.0, variant="other"),
    ]
    scored = score(records)
    assert (scored.fewest, scored.median, scored.time) == ("4.0", "5.0", "520 ms")


def test_score_of_nothing():
    scored = score([])
    assert (scored.fewest, scored.median, scored.time) == ("–", "–", "–")


def test_a_matrix_per_variant_with_more_than_one_subject(make_record):
    results = [
        make_record(quantity="instants", layer="convergence"),
        make_record(),
        make_record(solver="b", scheme="", verdict="fail", digits=1.0, wall_time=2.0),
        make_record(solver="b", scheme="", layer="claim", quantity="order:wear_power"),
        make_record(variant="alone"),
    ]
    ((matrix,), _) = matrices(results, 1, 9)
    assert (matrix.variant, matrix.subjects) == ("a0=15", ["veridyn · euler", "b"])
    assert [(line.layer, line.quantity) for line in matrix.lines] == [
        ("criterion", "wear_power"),
        ("convergence", "instants"),
    ]
    assert [(cell.verdict, cell.digits) for cell in matrix.lines[0].cells] == [("pass", "4.7"), ("fail", "1.0")]
    assert [cell.verdict for cell in matrix.lines[1].cells] == ["pass", None]
    assert matrix.lines[1].cells[0].digits == "4.7"
    assert matrix.times == ["12 ms", "2 s"]


def test_the_worst_of_repeated_checks_is_shown(make_record):
    results = [make_record(), make_record(verdict="error", digits=None, detail="crash"), make_record(solver="b")]
    cell = matrices(results, 1, 9)[0][0].lines[0].cells[0]
    assert (cell.verdict, cell.digits) == ("error", "")
    assert cell.note.endswith("crash")


def test_runs_are_told_apart(make_record):
    ((matrix,), more) = matrices([make_record(run=1), make_record(run=2)], 2, 9)
    assert more == 0
    assert matrix.subjects == ["veridyn · euler · run 1", "veridyn · euler · run 2"]


def test_matrices_of_many_subjects_fit_the_page(make_record):
    results = [make_record(variant=v, solver=f"s{n}") for v in ("easy", "hard") for n in range(comparison.CELLS)]
    results[-1] = make_record(variant="hard", solver=results[-1].solver, verdict="fail")
    ((matrix,), more) = matrices(results, 1, 9)
    assert (matrix.variant, len(matrix.subjects), more) == ("hard", comparison.CELLS, 1)


def test_solvers_side_by_side_tell_what_was_wrong_in_silence(make_record):
    results = [
        make_record(),
        make_record(layer="claim", quantity="order:x", value=1.9),
        make_record(layer="claim", quantity="order:y", value=2.1, verdict="fail"),
        make_record(layer="convergence", verdict="fail", case="spring"),
        make_record(solver="b", scheme="", layer="claim", quantity="slope", value=0.97),
        make_record(solver="b", scheme="", layer="convergence", verdict="error", value=None, digits=None),
        make_record(solver="b", scheme="", case="spring", verdict="not applicable", value=None, digits=None),
    ]
    first, second = standings(results, 1)
    assert (first.subject, first.cases, first.claims, first.orders) == (
        "veridyn · euler",
        "2/2",
        "1/2",
        "1.90 · 2.00 · 2.10",
    )
    assert (first.slopes, first.silent, first.told) == ("–", "1 (spring)", "0")
    assert (second.cases, second.slopes, second.silent, second.told) == ("1/2", "0.97", "0", "1 (shoe)")
    assert standings(results[:4], 1) == []
