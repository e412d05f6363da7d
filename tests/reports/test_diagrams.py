import pytest

from veridyn.reports import style
from veridyn.reports.comparison import diagram, levels, prices


@pytest.fixture
def points(make_typed_point):
    return [
        make_typed_point(),
        make_typed_point(settings={"scheme": "euler", "step": 5e-5, "penalty": 9e6}, error=None, detail="diverged"),
        make_typed_point(solver="other", scheme="", settings={}, wall_time=0.5, error=1e-9),
    ]


def series_of(found):
    return {series.label: series for series in found.figure.panels[0].series}


def test_a_line_per_subject_with_gaps_where_it_failed(points):
    found = diagram(points, [], dict.fromkeys(["veridyn · euler", "other"]), ["cpu"])
    panel = found.figure.panels[0]
    assert (panel.xscale, panel.yscale) == ("log", "log")
    lines = series_of(found)
    assert lines["veridyn · euler"].x == (
        0.012,
        None,
    )
    assert lines["veridyn · euler"].y == (
        1.96e-5,
        None,
    )
    assert lines["other"].y == (1e-9,)
    assert "1 setting without an error cannot be shown. Machine: cpu." in found.figure.caption


def test_a_subject_that_is_not_shown_keeps_its_colour(points):
    solvers = dict.fromkeys(["absent", "veridyn · euler", "other"])
    drawn = diagram(points, [], solvers, ["cpu"]).figure.panels[0].series
    assert [series.label for series in drawn] == ["", "veridyn · euler", "other"]


def test_many_schemes_of_one_solver_share_its_colour(points):
    solvers = {"veridyn · euler": "veridyn", "other": "other", **{f"other · {n}": "other" for n in range(17)}}
    assert diagram(points, [], solvers, ["cpu"]).families == (0, *18 * [1])


@pytest.mark.parametrize("solvers", [[*17 * ["veridyn"], "other"], 19 * ["veridyn"]])
def test_few_subjects_and_schemes_of_one_solver_have_a_colour_each(points, solvers):
    named = dict(zip(["veridyn · euler", *map(str, range(18))], solvers, strict=False))
    assert set(diagram(points, [], named, ["cpu"]).families) == {None}


@pytest.mark.parametrize("changes", [{"error": None}, {"error": 0.0}, {"wall_time": None}])
def test_nothing_to_show(make_typed_point, changes):
    assert diagram([make_typed_point(**changes)], [], {"veridyn · euler": None}, ["cpu"]) is None


def test_what_the_criteria_admit_is_drawn_if_all_admit_the_same(points, make_record):
    order = dict.fromkeys(["veridyn · euler", "other"])
    results = [make_record(tolerance=5e-4), make_record(tolerance=5e-4), make_record(layer="claim", tolerance=1e-9)]
    limit = series_of(diagram(points, results, order, ["cpu"]))["admitted by the criteria"]
    assert (limit.role, limit.y) == ("limit", (5e-4, 5e-4))
    several = [*results, make_record(tolerance=1e-3)]
    assert "admitted by the criteria" not in series_of(diagram(points, several, order, ["cpu"]))


def test_machines_of_the_runs_that_are_shown(make_typed_point):
    found = diagram([make_typed_point(run=2)], [], {"veridyn · euler · run 2": None}, ["first", "second"])
    assert found.figure.caption.endswith("Machine: second.")


@pytest.mark.parametrize(
    ("repeats", "said"),
    [
        ([5, 5], "solve: the minimum of 5 solves after the first call. Each"),
        ([1, 1], "solve: the minimum of 1 solve after the first call. Each"),
        ([3, 0, 9], "the minimum of 3 to 9 solves after the first call, or the first call where it was too slow"),
        ([0], "solve: the first call. Each"),
    ],
)
def test_the_caption_says_what_the_time_is(make_typed_point, repeats, said):
    points = [make_typed_point(repeats=number) for number in repeats]
    assert said in diagram(points, [], {"veridyn · euler": None}, ["cpu"]).figure.caption


def test_levels_say_what_differs(points):
    first, other = levels(points, 1)
    assert (first.subject, first.version, first.settings) == ("veridyn · euler", "0.1.0", "penalty = 9000000")
    assert [settings for settings, _ in first.levels] == ["step = 1e-4", "step = 5e-5"]
    assert [point.detail for _, point in first.levels] == ["", "diverged"]
    assert other.levels[0][0] == "defaults"


def test_fifteen_lines_can_be_told_apart():
    looks = [style.look("computed", number, marker=False) for number in range(15)]
    marks = [style.mark(number) for number in range(15)]
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == 15
    assert len({(look["color"], mark) for look, mark in zip(looks, marks, strict=True)}) == 15


def test_times_to_digits_name_the_cheapest_setting_and_the_ratio_to_the_quickest(make_typed_point):
    found = prices(
        [
            make_typed_point(solver="slow", scheme="", wall_time=0.4, digits=13.0),
            make_typed_point(solver="slow", scheme="", wall_time=0.02, digits=4.5),
            make_typed_point(solver="quick", scheme="", wall_time=0.01, digits=4.0),
            make_typed_point(solver="quick", scheme="", wall_time=0.1, digits=8.3),
            make_typed_point(solver="poor", scheme="", wall_time=1e-6, digits=3.9),
            make_typed_point(solver="broken", scheme="", wall_time=None, digits=None),
        ],
        runs=1,
    )
    assert list(found.items()) == [
        ("quick", ("10 ms (×1)", "100 ms (×1)", "–")),
        ("slow", ("20 ms (×2)", "400 ms (×4)", "400 ms (×1)")),
    ]


def test_the_uncertainty_of_the_reference_is_drawn_where_errors_come_near_it(make_typed_point):
    known = "uncertainty of the reference"
    far = diagram([make_typed_point(error=1e-6, uncertainty=1e-30)], [], {"veridyn · euler": None}, ["cpu"])
    assert known not in series_of(far)
    near = diagram([make_typed_point(error=1e-6, uncertainty=2e-8)], [], {"veridyn · euler": None}, ["cpu"])
    assert series_of(near)[known].y == (2e-8, 2e-8)
