"""The integrator gives what it gave: a value that moves must be explained, not overlooked."""

import freeze
import pytest

from veridyn.solver.integrators.schemes import SCHEMES

FIRST = next(iter(SCHEMES))  # at every commit; `tox -e all-schemes` compiles the others


def moved(runs):
    """Return what the integrator gives otherwise than it gave."""
    found = {f"{run.variant} {run.scheme}": run.moved(run.measured()) for run in runs}
    return {run: values for run, values in found.items() if values}


@pytest.mark.parametrize("case", freeze.cases())
def test_frozen_values_of_the_first_scheme_do_not_move(case):
    runs = freeze.frozen(case)
    assert all(run.stored for run in runs)
    assert moved(run for run in runs if run.scheme == FIRST) == {}, "python tests/regression/freeze.py shows it"


@pytest.mark.all_schemes
@pytest.mark.parametrize("case", freeze.cases())
def test_frozen_values_do_not_move(case):
    runs = [run for run in freeze.frozen(case) if run.scheme != FIRST]
    assert moved(runs) == {}, "python tests/regression/freeze.py shows it"


def test_a_value_may_move_by_its_tolerance_alone():
    run = freeze.Frozen("c", "v", "s", {}, {"x": 2.0, "zero": 0.0, "error": [1e-6, 1e-10]})
    assert run.moved({"x": 2.0 + 1.9e-9, "zero": 0.9e-9, "error": 1.00009e-6}) == {}
    far = {"x": 2.0 - 2.1e-9, "zero": -1.1e-9, "error": 1.00011e-6}
    assert run.moved(far) == {name: (run.values()[name], far[name]) for name in far}


def test_what_appears_or_is_gone_counts_as_moved():
    run = freeze.Frozen("c", "v", "s", {}, {"x": 2.0})
    assert run.moved({"y": 1.0}) == {"x": (2.0, None), "y": (None, 1.0)}
    assert run.moved({"x": float("nan")}).keys() == {"x"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A copy of the frozen values of sdnd101, of the first scheme."""
    runs = [run for run in freeze.frozen("sdnd101") if run.scheme == FIRST]
    copy = tmp_path / "sdnd101.json"
    copy.write_bytes((freeze.FOLDER / "sdnd101.json").read_bytes())
    monkeypatch.setattr(freeze, "FOLDER", tmp_path)
    freeze.write("sdnd101", [(run, run.stored) for run in runs])
    return copy


def test_freezing_changes_what_moved_and_shows_it(files, capsys):
    (before, *others) = freeze.frozen("sdnd101")
    wrong = {**before.stored, "impulse": 1.0}
    freeze.write("sdnd101", [(before, wrong), *((run, run.stored) for run in others)])
    freeze.main(["sdnd101"])
    lines = capsys.readouterr().out.splitlines()
    said, new = lines[0].split(" -> ")
    assert said == f"sdnd101 2-shocks {before.scheme} impulse: 1.0"
    assert before.moved({**before.stored, "impulse": float(new)}) == {}
    assert lines[1:] == [f"sdnd101 2-shocks {before.scheme}: 1 values changed"] + [
        f"sdnd101 2-shocks {run.scheme}: 0 values changed" for run in others
    ]
    again, *rest = freeze.frozen("sdnd101")
    assert (again.stored["impulse"], rest) == (float(new), others)


def test_a_run_without_values_is_filled(files, capsys):
    (first, *_) = freeze.frozen("sdnd101")
    freeze.write("sdnd101", [(first, {})])
    freeze.main(["sdnd101"])
    (filled,) = freeze.frozen("sdnd101")
    assert [name for name, (old, _) in first.moved(filled.values()).items() if old is not None] == []
