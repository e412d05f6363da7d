"""Timing reports: what pytest-benchmark recorded, against a baseline, over stored runs."""

import copy
import json
from xml.etree import ElementTree

import pytest

from veridyn.reports.timing import compare, html, make_page, read_history, read_timing, several, spark, text, timing_of
from veridyn.results import ReportError


def benchmark(median=2e-3, spread=1e-5, **changes):
    """One solution, seven rounds."""
    stats = {"min": 0.9 * median, "median": median, "mean": 1.1 * median, "stddev": spread, "rounds": 7}
    info = {"solver": "veridyn", "case": "shoe", "variant": "a0=15", "scheme": "euler", "first_call": 1.5}
    digits = {"digits": 4.0, "fewest_digits": 3.25}
    return {
        "name": "test_solve",
        "extra_info": info | digits | changes,
        "stats": stats | {"q1": median - spread / 2, "q3": median + spread / 2},
    }


def kernel():
    info = {"against": "a loop", "case": "shoe", "scheme": "euler", "ratio": 1.25, "general_ns_per_step": 50.0}
    return {"name": "kernel", "extra_info": info | {"others_ns_per_step": {"a loop": 40.0}}, "stats": {}}


def run(*benchmarks, date="2026-01-02T03:04:05+00:00", cpu="A fast one"):
    return {
        "machine_info": {"cpu": {"brand_raw": cpu}, "python_version": "3.12.1"},
        "commit_info": {"id": "abc"},
        "datetime": date,
        "benchmarks": list(benchmarks) or [benchmark(), kernel()],
    }


@pytest.fixture
def stored(tmp_path):
    """Store runs in a folder."""

    def store(*runs):
        folder = tmp_path / "history"
        folder.mkdir()
        for number, one in enumerate(runs):
            (folder / f"{number}.json").write_text(json.dumps(one), encoding="utf-8")
        return folder

    return store


def turns(now, before):
    return [change.turn for change in compare(timing_of(run(*now)), timing_of(run(*before))).changes]


def test_a_line_has_its_statistics_first_call_and_digits(hostile):
    row = make_page(timing_of(run()), "veridyn bench").parts["shoe a0=15"][0]
    assert row.cells == (
        "veridyn", "euler", "2 ms", "2–2 ms", "1.8 ms", "2.2 ± 0.01 ms", "7", "1.5 s", "4.0", "3.2",
    )  # fmt: skip


def test_kernels_give_a_sentence():
    assert timing_of(run()).sentences == (
        "General kernel over a loop (shoe, euler): 1.25 (ns per step: general 50, a loop 40)",
    )


@pytest.mark.parametrize(
    ("factor", "spread", "turn"),
    [
        (1.0, 1e-5, "no change"),
        (1.09, 1e-5, "no change"),
        (1.2, 1e-5, "slower"),
        (0.8, 1e-5, "quicker"),
        (1.2, 1e-3, "no change"),
    ],
)
def test_a_change_is_one_beyond_the_noise(factor, spread, turn):
    assert turns([benchmark(2e-3 * factor, spread)], [benchmark(2e-3, spread)]) == [turn]


def test_lines_of_one_run_only():
    new, gone = benchmark(scheme="new"), benchmark(scheme="gone")
    assert sorted(turns([benchmark(), new], [benchmark(), gone])) == ["gone", "new", "no change"]


def test_a_time_of_zero_has_no_ratio():
    assert turns([benchmark(0.0, 0.0)], [benchmark(0.0, 0.0)]) == ["no change"]


def test_other_machines_are_said():
    compared = compare(timing_of(run()), timing_of(run(cpu="A slow one")))
    assert compared.remarks == (
        "The machines differ: A slow one before, A fast one now. The ratios compare machines as much as code.",
    )


def test_the_page_shows_ratio_noise_and_verdict():
    now, before = timing_of(run(benchmark(3e-3))), timing_of(run())
    page = make_page(now, "veridyn bench", compare(now, before))
    assert page.parts["shoe a0=15"][0].cells[-5:] == ("2 ms", "1.50", "±10 %", "1.50", "slower")
    assert "Against the baseline: 1 slower" in html(page)
    assert "| 2 ms | 1.50 | ±10 % | 1.50 | slower |" in text(page)


def test_history_draws_the_runs_of_this_machine_in_order(stored):
    runs = [run(benchmark(median), date=date) for median, date in ((1e-3, "2026-01-03"), (4e-3, "2026-01-01"))]
    now = timing_of(run(date="2026-01-04"))
    past = read_history(stored(*runs, run(cpu="Another", date="2026-01-02")), now)
    assert past.medians(now.lines[0].key) == [4e-3, 1e-3, 2e-3]
    assert past.elsewhere == 1
    page = make_page(now, "veridyn bench", past=past)
    assert page.parts["shoe a0=15"][0].past == "3 runs, 4 ms to 2 ms"
    assert html(page).count('class="spark"') == 1
    assert "1 of other machines left out" in html(page)


def test_the_present_run_counts_once_where_it_is_stored_too(stored):
    past = read_history(stored(run()), timing_of(run()))
    assert len(past.runs) == 1


@pytest.mark.parametrize("medians", [[1e-3], [1e-3, 1e-3], [1e-3, 2e-3, 0.5e-3], [0.0, 1e-3]])
def test_a_spark_line_stays_within_its_frame(medians):
    drawn = ElementTree.fromstring(spark(medians))
    circle = drawn.find("{*}circle")
    assert 0 <= float(circle.get("cx")) <= 110
    assert 0 <= float(circle.get("cy")) <= 22


def test_nothing_to_draw():
    assert spark([]) == spark([0.0]) == ""


def test_names_stay_text(hostile):
    names = dict.fromkeys(("solver", "case", "variant", "scheme"), hostile)
    now = timing_of(run(benchmark(**names), date=hostile, cpu=hostile))
    page = make_page(now, hostile, compare(now, timing_of(run())))
    assert "<script>" not in html(page)
    assert "<script>" not in text(page)


def test_times_share_a_unit():
    assert several(1e-3, 2e-3, between="–") == "1–2 ms"
    assert several(0.5, 2.0, between=" ± ") == "0.5 ± 2 s"


def broken(change):
    data = copy.deepcopy(run())
    change(data)
    return data


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        broken(lambda d: d.pop("datetime")),
        broken(lambda d: d["benchmarks"][0]["stats"].pop("median")),
        broken(lambda d: d["benchmarks"][0]["stats"].update(median="quick")),
        broken(lambda d: d["benchmarks"][0]["stats"].update(min=float("nan"))),
        broken(lambda d: d["benchmarks"][0]["extra_info"].pop("solver")),
        broken(lambda d: d.update(machine_info=None)),
    ],
)
def test_what_is_no_timing_file_is_refused(data, tmp_path):
    file = tmp_path / "timing.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ReportError, match=r"timing\.json"):
        read_timing(file)


def test_files_that_cannot_be_read(tmp_path):
    for content in ("{", "", "\0", "[" * 100_000, "9" * 5_000):
        (tmp_path / "a.json").write_text(content, encoding="utf-8")
        with pytest.raises(ReportError, match=r"a\.json"):
            read_timing(tmp_path / "a.json")
    with pytest.raises(ReportError):
        read_timing(tmp_path / "b.json")
    with pytest.raises(ReportError):
        read_history(tmp_path / "c", timing_of(run()))
