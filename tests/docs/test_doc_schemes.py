"""The page on schemes says what the code does: names, defaults, orders, phase errors, stability."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from scheme_tables import renewed, tables

from veridyn.solver.integrators import refining
from veridyn.solver.integrators.modal import SOLVER, CommonSettings
from veridyn.solver.integrators.schemes import SCHEMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")


def section(title):
    return PAGE.partition(f"\n{title}\n")[2].partition("\n## ")[0]


def rows(text):
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]


def settings_in_code():
    """Names and defaults of all settings."""
    found = {"scheme": "required"}
    for record in (CommonSettings, *(scheme.options for scheme in SCHEMES.values())):
        found |= {f.name: f.default if f.default is not f.default_factory else "required" for f in fields(record)}
    return found


def settings_in_page():
    return {row[0].split("`")[1]: row for row in rows(section("## Settings"))}


def test_every_setting_is_documented():
    assert settings_in_page().keys() == settings_in_code().keys()


@pytest.mark.parametrize(("name", "default"), list(settings_in_code().items()))
def test_default_is_right(name, default):
    shown = settings_in_page()[name][1].strip('"')
    if shown == "from the step":
        assert default == 0  # nothing is given
    else:
        assert float(shown) == default if isinstance(default, float) else shown == str(default)


def test_every_setting_can_be_given_on_the_command_line():
    known = {name for scheme in SOLVER.schemes for name in SOLVER.settings(scheme)}
    assert settings_in_code().keys() == {"scheme", *known}


def test_tables_are_those_measured():
    assert renewed(PAGE, tables()) == PAGE


def test_default_step_and_levels_are_those_of_the_code():
    text = section("## Default step and refinement")
    assert "The refinement levels are 8, 4, 2 and 1 times" in text
    assert refining.LEVELS == (8, 4, 2, 1)
    assert f"{refining.RUBBING:,} steps in the period of a load".replace(",", " ") in text
    assert f"Beyond {refining.MOST:,} steps".replace(",", " ") in text
    assert f"h = {refining.STICK}`" in text


def amplification(scheme, wh):
    """One step of an undamped scheme on q'' = -q as a matrix, written from the formulas of the page."""
    columns = []
    for q, v, g_half in np.eye(3):
        if scheme == "symplectic_euler":
            v_new = v - wh * q
            columns.append((q + wh * v_new, v_new, 0.0))
            continue
        half = q + wh / 2 * v + wh**2 / 24 * (-4 * q - g_half)
        new = q + wh * v + wh**2 / 6 * (-q - 2 * half)
        columns.append((new, v + wh / 6 * (-new - 4 * half - q), -half))
    return np.array(columns).T


def leading(scheme, wh):
    """Eigenvalue of largest modulus, upper half plane."""
    values = np.linalg.eigvals(amplification(scheme, wh))
    return max(values, key=lambda z: (round(abs(z), 12), z.imag))


def test_phase_of_symplectic_euler():
    z = leading("symplectic_euler", 0.05)
    assert np.angle(z) / 0.05 - 1 == pytest.approx(0.05**2 / 24, rel=1e-2)
    assert abs(z) == pytest.approx(1.0, abs=1e-14)


def test_phase_and_decay_of_devogelaere():
    z = leading("devogelaere", 0.2)
    assert 1 - np.angle(z) / 0.2 == pytest.approx(0.2**4 / 320, rel=1e-2)
    assert 1 - abs(z) == pytest.approx(0.2**6 / 576, rel=1e-2)


@pytest.mark.parametrize(("scheme", "limit"), [("symplectic_euler", 2.0), ("devogelaere", 2 * np.sqrt(2))])
def test_stability_limit(scheme, limit):
    below, above = (np.abs(np.linalg.eigvals(amplification(scheme, limit * f))).max() for f in (0.999, 1.001))
    assert below <= 1 + 1e-12 < above
