"""What CalculiX 2.20 does without a word, each by a small deck that shows it; it fails where that is mended."""

import math
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import adapter

DECKS = Path(__file__).parents[2] / "examples" / "findings" / "calculix"
VERSION = "2.20"


@pytest.fixture(scope="module")
def ccx():
    if adapter("calculix").version != VERSION:
        pytest.skip(f"findings are those of CalculiX {VERSION}")
    return os.environ.get("VERIDYN_CCX", "ccx")


def run(ccx, folder, text, limit=60):
    """Return exit status (None: stopped), log, and the first components of all tables: (kind, node, value)."""
    (folder / "deck.inp").write_text(text)
    log, one = folder / "log", {**os.environ, "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out:
        try:
            done = subprocess.run([ccx, "deck"], cwd=folder, env=one, stdout=out, timeout=limit, check=False)
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = None
    rows, kind = [], ""
    for line in (folder / "deck.dat").read_text().splitlines():
        words = line.split()
        if "for set" in line:
            kind = words[0]
        elif len(words) == 4 and words[0].isdigit():
            rows.append((kind, int(words[0]), float(words[1])))
    return status, log.read_text(errors="replace"), rows


def deck(name):
    return (DECKS / f"{name}.inp").read_text()


def tip(rows):
    return rows[-1][2]


def test_modal_dynamics_leaves_out_the_stop(ccx, tmp_path):
    status, log, rows = run(ccx, tmp_path, deck("modal_dynamic_without_the_stop"))
    held = tip(run(ccx, tmp_path, deck("direct_with_the_stop"))[2])
    assert (status, "*ERROR" in log) == (0, False)
    assert tip(rows) == pytest.approx(0.01727, rel=1e-2)
    assert held == pytest.approx(0.00362, rel=1e-2)


def test_modal_dynamics_leaves_out_initial_velocities(ccx, tmp_path):
    status, log, rows = run(ccx, tmp_path, deck("modal_dynamic_without_the_initial_velocity"))
    assert (status, "*ERROR" in log, tip(rows)) == (0, False, 0.0)


def test_zeros_after_an_error(ccx, tmp_path):
    status, log, rows = run(ccx, tmp_path, deck("zeros_after_an_error"))
    assert (status, "*ERROR" in log, tip(rows)) == (0, True, 0.0)


def test_fixed_increments_iterate_without_end(ccx, tmp_path):
    status, log, _ = run(ccx, tmp_path, deck("iterations_without_end"), limit=3)
    assert (status, "*ERROR" in log) == (None, False)
    assert log.count("no convergence") > 100


def test_automatic_increments_gain_energy_at_a_stop(ccx, tmp_path):
    status, log, rows = run(ccx, tmp_path, deck("automatic_increments_over_a_stop"))
    assert (status, "*ERROR" in log) == (0, False)
    assert [v for kind, node, v in rows if kind == "velocities" and node == 1][-1] == pytest.approx(-1.1428, abs=1e-3)


def test_the_initial_acceleration_lacks_the_dashpot(ccx, tmp_path):
    text = deck("initial_acceleration_without_the_dashpot")
    errors = []
    for increment in ("0.01,0.1", "0.005,0.1"):
        _, _, rows = run(ccx, tmp_path, text.replace("0.01,0.1", increment))
        velocity = [v for kind, node, v in rows if kind == "velocities" and node == 1][-1]
        errors.append(velocity - math.exp(-0.2))
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.05)  # a method of second order would give 4
