"""Cheap cases at random parameters: each set has values or reasons, and no solver differs (`tests/survey`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.survey.attempt import attempt
from tests.survey.drawing import draw_parameters
from tests.survey.entry import COMPLETE, PARTLY, REFUSED, WHOLLY, SetEntry
from tests.survey.page import unexplained
from veridyn.validation_cases.judgement.catalogue import load_case

SEED, SECONDS = 1, 10.0
CHEAP = (
    "bar_impact", "belt_damped", "block_stack", "bouc_wen", "damped_stop", "den_hartog_nonstop",

    "elastoplastic", "friction_damper", "galperin", "jeffcott", "kelvin_voigt",
    "newmark_block", "incline_block", "obstacles", "plane_slide", "pulled_slider", "sdnd101",
    "sdnd104", "slip_to_roll", "tripped_block",
)  # fmt: skip


def try_here(name: str, number: int) -> SetEntry:
    """Try a set in this process."""
    entry = SetEntry(name, number, draw_parameters(load_case(name), SEED, number))
    for item in attempt(name, entry.parameters, SECONDS):
        entry.take(item)
    return entry


@pytest.mark.parametrize("name", CHEAP)
def test_a_set_ends_with_values_or_reasons_and_no_solver_differs(name):
    entry = try_here(name, 0)
    assert entry.end in (COMPLETE, PARTLY, WHOLLY, REFUSED), entry.reasons
    assert all(entry.reasons.values())
    assert unexplained([entry]) == []
