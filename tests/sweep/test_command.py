"""`veridyn sweep`: table, document, picture, check, exit status."""

from __future__ import annotations

import csv
import math
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from numpy.testing import assert_equal

from veridyn.sweep import command
from veridyn.sweep import store as sweep_store
from veridyn.validation_cases.judgement.sweeping import OUTCOMES


def test_table(sweep, out):
    seen = sweep("--set", "m=2")
    assert (seen.status, seen.err) == (0, "")
    kept = out.table()
    assert kept["a0"].shape == (12,)
    assert kept["mu"].shape == (10,)
    assert kept["m"] == 2.0
    assert {kept[name].shape for name in ("wear_power", "regime", "slips", "slip_start", "slip_end")} == {(12, 10)}
    eta = kept["mu"][None, :] * kept["g"] / kept["a0"][:, None]
    assert np.array_equal(kept["regime"], np.select([eta >= 1, eta > 0.5370292721463151], [0, 1], 2))
    assert np.array_equal(kept["wear_power"] == 0, eta >= 1)
    assert np.array_equal(np.isnan(kept["slip_start"]), eta >= 1)


@pytest.mark.usefixtures("undrawn")
def test_csv_says_the_same(sweep, out):
    sweep()
    kept = out.table()
    with (out / "sweep.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == [
        "a0 [m/s²]", "mu", "wear_power [W]", "regime", "slips", "slip_start [s]", "slip_end [s]",
    ]  # fmt: skip
    power = kept["wear_power"].ravel()
    assert [float(row["wear_power [W]"]) for row in rows] == power.tolist()
    assert [float(row["mu"]) for row in rows[:10]] == kept["mu"].tolist()
    assert {row["regime"] for row in rows} == {"stick", "stick-slip", "slip-slip"}
    assert all((row["slip_end [s]"] == "") == (row["regime"] == "stick") for row in rows)


@pytest.mark.usefixtures("undrawn")
def test_large_tables_are_not_written_as_text(sweep, out, monkeypatch):
    sweep()
    monkeypatch.setattr(sweep_store, "CSV_POINTS", 119)
    assert sweep().status == 0
    assert not (out / "sweep.csv").exists()


@pytest.mark.usefixtures("undrawn")
def test_document(sweep, out):
    sweep(check="2")
    found = out.document()
    assert found["points"] == 120
    assert found["shape"] == [12, 10]
    assert sum(found["counts"].values()) == 120
    assert found["environment"]["command"].startswith("veridyn sweep sdnd104 --over a0=0.5:20:12")
    assert [p["unit"] for p in found["parameters"]["swept"]] == ["m/s²", "1"]
    assert {p["name"]: p["value"] for p in found["parameters"]["fixed"]}["t_end"] == 12.0
    assert found["timing"]["points"] == 120
    assert found["check"]["points"] == 2
    assert found["check"]["passed"]
    assert not (out / ".veridyn" / "chunks").exists()


def test_check_states_its_digits(veridyn):
    # no folder: what is found goes to the terminal only
    seen = veridyn("sweep", "sdnd104", "--over", "a0=2,15", "--over", "mu=0.1")
    assert seen.status == 0
    worst = re.search(r"check: 2 random points against the certified reference: worst (\S+) digits", seen.out)
    assert float(worst[1]) > 14.0


def test_check_finds_a_wrong_quantity(sweep, out, monkeypatch):
    solve = command.solve_chunk

    def solve_wrongly(*arguments):
        for found in solve(*arguments):
            yield {**found, "wear_power": found["wear_power"] * (1 + 1e-9), "slips": found["slips"] + 1}

    monkeypatch.setattr(command, "solve_chunk", solve_wrongly)
    seen = sweep(over=("--over", "a0=2,15"), check="2")
    assert seen.status == 1
    assert seen.out.count("FAILED at") == 2
    found = out.document()["check"]
    assert not found["passed"]
    assert found["worst_digits"] == pytest.approx(9.0, abs=0.1)
    assert all(finding["wrong"] == ["slips"] and not finding["unknown"] for finding in found["findings"])


@pytest.mark.usefixtures("undrawn")
def test_check_takes_the_same_points_again(sweep, out):
    sweep(check="1")
    first = out.document()["check"]
    sweep(check="1")
    assert out.document()["check"] == first


def test_a_limit_of_the_reference_costs_no_sweep(sweep, out, monkeypatch):
    """More slips than the reference follows one by one."""
    monkeypatch.setattr("veridyn.references.problems.sliding_phases.MOST_FOLLOWED", 3)
    seen = sweep("--set", "mu=1.234e-4", over=("--over", "a0=1"), check="1")
    assert seen.status == 0
    assert "not compared at" in seen.out
    (finding,) = out.document()["check"]["findings"]
    assert "before the motion repeats: shorten the window" in finding["unknown"]


def test_verdict_without_numbers():
    stuck = [command.PointFinding({}, {}, ())]
    assert command.verdict_of(stuck, 11.0)["passed"]
    assert command.verdict_of([command.PointFinding({}, {}, ("regime",))], 11.0)["passed"] is False


@pytest.mark.parametrize(
    ("over", "texts"),
    [
        (("a0=0.5:20:12", "mu=0.1:1:10", "omega=2,6"), 1),
        (("a0=0.5:20:12:log", "mu=0.1:1:10:log"), 1),
        (("mu=0.5,0.1,0.3", "a0=3,15,7"), 1),
        (("mu=0.5,0.1", "a0=15"), 1),
        (("a0=0.5:20:30",), 1),
        (("a0=15",), 1),
        (("omega=1:9:5", "m=1:2:5"), 1),  # no border crosses this plane
        (("a0=0.5:0.9:5", "mu=0.1:1:5"), 1),  # nothing slips
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_picture(sweep, out, over, texts):
    seen = sweep(over=[word for spec in over for word in ("--over", spec)])
    assert (seen.status, seen.err) == (0, "")
    root = ET.fromstring((out / "sweep.svg").read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")
    images = len(list(root.iter("{http://www.w3.org/2000/svg}image")))
    assert (images > 0) == (len(over) > 1)


def test_the_picture_is_the_same_every_time(sweep, out):
    sweep()
    first = (out / "sweep.svg").read_bytes()
    sweep()
    assert (out / "sweep.svg").read_bytes() == first


def test_without_matplotlib_only_the_picture_is_missing(sweep, out, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    seen = sweep()
    assert seen.status == 0
    assert 'pip install "veridyn[report]"' in seen.err
    assert (out / "sweep.json").exists()
    assert not (out / "sweep.svg").exists()


@pytest.mark.usefixtures("undrawn")
def test_threads(sweep, out):
    sweep("-n", "1")
    one = out.table()
    sweep()
    assert_equal(one, out.table())


# ---- any case, any solver


def solved(veridyn, folder, *arguments):
    seen = veridyn("sweep", *arguments, "--output", folder, "-n", "1")
    with np.load(folder / "sweep.npz", allow_pickle=False) as kept:
        return seen, {name: kept[name] for name in kept.files}


@pytest.mark.usefixtures("undrawn")
def test_any_solver_sweeps_any_case(veridyn, tmp_path):
    seen, kept = solved(veridyn, tmp_path, "sdnd101", "--solver", "exact", "--over", "v0=1,2,3", "--over", "m=50,100")
    assert (seen.status, seen.err) == (0, "")
    assert kept["peak_time_1"].shape == (3, 2)
    np.testing.assert_allclose(kept["peak_time_1"][:, 1], math.sqrt(2.0) * kept["peak_time_1"][:, 0], rtol=1e-12)
    assert (kept["outcome"] == OUTCOMES.index("answered")).all()
    assert "check: 5 random points" in seen.out


@pytest.mark.usefixtures("undrawn")
def test_settings_and_schemes_reach_the_solver(veridyn, tmp_path):
    over = ("sdnd101", "--solver", "scipy", "--scheme", "RK45", "--over", "v0=2", "--check", "1", "--set")
    seen, coarse = solved(veridyn, tmp_path / "coarse", *over, "rtol=1e-2")
    assert seen.status == 1
    assert "FAILED at v0=2" in seen.out
    seen, fine = solved(veridyn, tmp_path / "fine", *over, "rtol=1e-9")
    assert seen.status == 0
    assert coarse["peak_time_1"] != fine["peak_time_1"]


@pytest.mark.usefixtures("undrawn")
def test_initial_value_problems_and_what_is_refused(veridyn, tmp_path):
    """A ball that loses no speed never comes to rest."""
    seen, kept = solved(veridyn, tmp_path, "bouncing_ball", "--over", "e=0.5,1", "--check", "2")
    assert seen.status == 0
    assert np.isnan(kept["t_infinity"]).tolist() == [False, True]
    rows = (tmp_path / "sweep.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].endswith("outcome")
    assert [row.rpartition(",")[2] for row in rows[1:]] == ["answered", "answered"]


@pytest.mark.usefixtures("undrawn")
def test_a_solver_that_cannot_is_told_at_each_point(veridyn, tmp_path, foreign_mass):
    asked = ("sdnd101", "--solver", foreign_mass, "--over", "v0=1,2", "--check", "1")
    seen, kept = solved(veridyn, tmp_path / "out", *asked)
    assert seen.status == 0
    assert kept["outcome"].tolist() == [OUTCOMES.index("failed"), OUTCOMES.index("failed")]
    assert "the point is failed" in seen.out


@pytest.fixture
def foreign_mass(tmp_path):
    """A solver that fails on everything."""
    file = tmp_path / "failing.py"
    file.write_text(
        "class Failing:\n"
        "    name, version, capabilities = 'failing', '1', {'mechanical', 'contact'}\n"
        "    def solve(self, problem, settings):\n"
        "        raise ZeroDivisionError\n",
        encoding="utf-8",
    )
    return f"{file}:Failing"
