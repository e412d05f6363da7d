"""The commands `bench` and `manual`, from recorded results and with a run of their own."""

import json

import pytest


@pytest.fixture
def timed(tmp_path):
    """Write a timing file."""

    def write(name, median, **changes):
        stats = dict.fromkeys(("min", "median", "mean", "q1", "q3"), median) | {"stddev": 0.0, "rounds": 7}
        info = {"solver": "veridyn", "case": "sdnd101", "variant": "2-shocks", "scheme": "newmark"}
        data = {
            "machine_info": {"cpu": {"brand_raw": "A fast one"}, "python_version": "3.12.1"},
            "datetime": f"2026-01-01T00:00:00.{name}",
            "benchmarks": [{"extra_info": info | {"first_call": 1.0}, "stats": stats}],
        }
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(data | changes), encoding="utf-8")
        return file

    return write


def test_a_timing_report_of_a_recorded_run_against_an_older_one(veridyn, timed, tmp_path):
    old, new, folder, past = timed("1", 1e-3), timed("2", 2e-3), tmp_path / "report", tmp_path / "past"
    assert veridyn("bench", "--results", old, "--history", past).status == 0
    seen = veridyn("bench", "--results", new, "--against", old, "--history", past, "--report", folder)
    assert (seen.status, seen.err) == (0, "")
    assert "against the baseline: 1 slower" in seen.out
    assert sorted(file.name for file in folder.glob("timing.*")) == ["timing.html", "timing.json", "timing.md"]
    assert len(list(past.iterdir())) == 2
    assert "2 runs, 1 ms to 2 ms" in (folder / "timing.md").read_text(encoding="utf-8")


def test_a_baseline_that_is_none_is_said_before_anything_runs(veridyn, tmp_path):
    seen = veridyn("bench", "--against", tmp_path / "none.json")
    assert (seen.status, "no such file" in seen.err) == (2, True)


@pytest.fixture(scope="module")
def results(veridyn, tmp_path_factory):
    file = tmp_path_factory.mktemp("run") / "results.json"
    assert veridyn("run", "sdnd101", "--set", "v0=2", "--scheme", "symplectic_euler", "--json", file).status == 0
    return file


def test_a_manual_of_recorded_results(veridyn, results, tmp_path):
    pytest.importorskip("typst")
    seen = veridyn("manual", "--results", results, "--output", tmp_path)
    assert (seen.status, seen.err) == (0, "")
    assert seen.out.split() == [str(tmp_path / "manual.html"), str(tmp_path / "manual.pdf")]
    assert (tmp_path / "manual.pdf").read_bytes().startswith(b"%PDF-")


def test_a_requirement_that_is_not_met_fails_the_manual(veridyn, results, tmp_path):
    requirements = tmp_path / "requirements.csv"
    requirements.write_text("id;text;cases;quantities;tolerance\nR-1;Force;sdnd101;peak_force;digits=15\n", "utf-8")
    arguments = ("--results", results, "--requirements", requirements, "--output", tmp_path / "out", "--no-pdf")
    assert veridyn("manual", *arguments).status == 1
    assert "requirements not met: R-1" in (tmp_path / "out" / "manual.html").read_text(encoding="utf-8")
    requirements.write_text("id;text;cases\nR-1;Force;sdnd999\n", "utf-8")
    seen = veridyn("manual", *arguments)
    assert (seen.status, "line 2, column cases: unknown case 'sdnd999'" in seen.err) == (2, True)


@pytest.mark.all_schemes
def test_a_manual_runs_our_own_solver_without_results(veridyn, tmp_path):
    seen = veridyn("manual", "sdld103", "--output", tmp_path, "--no-pdf")
    assert (seen.status, seen.err) == (0, "")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["manual.html", "results.csv", "results.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sdnd999",), "sdnd999"),
        (("sdnd104", "--results", "RESULTS"), "no results of sdnd104 in the file; it has sdnd101"),
        (("--results", "none.json"), "none.json: no such file"),
    ],
)
def test_a_manual_of_what_does_not_exist(veridyn, results, tmp_path, arguments, said):
    given = [str(results) if word == "RESULTS" else word for word in arguments]
    seen = veridyn("manual", *given, "--output", tmp_path / "out", "--no-pdf")
    assert (seen.status, said in seen.err) == (2, True)


def test_a_part_never_replaces_the_whole(veridyn, results):
    seen = veridyn("manual", "sdnd101", "--results", results, "--output", results.parent, "--no-pdf")
    assert (seen.status, "would lose the cases" in seen.err) == (2, True)


def test_a_missing_typesetter_is_said_before_the_run(veridyn, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "typst", None)
    seen = veridyn("manual", "--output", tmp_path / "out")
    assert (seen.status, 'pip install "veridyn[manual]"' in seen.err) == (2, True)
    assert not (tmp_path / "out").exists()
