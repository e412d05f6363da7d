"""Events that are close to each other show what a solver does inside a step: each fault fails a layer, no sound one."""

import pytest

from veridyn.validation_cases.judgement.runner import Runner

from .faults.events import FAULTS, SOLVER
from .timed import TimedGate
from .trial import Place, judge_place, summarise

SECONDS = 60.0  # of a solve
APART, TOGETHER = (Place("close_events", variant) for variant in ("apart", "together"))


def layers(solver, place, *judged):
    """Return the layers, of those that are judged, in which a solver fails on a variant."""
    records = judge_place(Runner(TimedGate(solver, SECONDS)), place, lambda check: check.layer in judged)
    trial = summarise(records, None, host=solver.name, fault="", size=None, place=place)
    assert not trial.broken
    return trial.layers


@pytest.mark.parametrize("place", [APART, TOGETHER], ids=lambda place: place.variant)
def test_a_sound_solver_passes(place):
    assert layers(SOLVER, place, "criterion", "convergence", "claim", "invariance") == set()


@pytest.mark.parametrize(
    ("name", "place", "layer"),
    [
        ("blind_after_event", APART, "criterion"),
        ("last_at_once", TOGETHER, "criterion"),
        ("first_of_list", APART, "criterion"),
        ("directions_ignored", APART, "criterion"),
        ("signs_at_ends", APART, "criterion"),
        ("asleep_at_start", APART, "invariance"),
        ("guards_single", APART, "criterion"),
        ("instants_single", APART, "convergence"),
        ("twenty_bisections", APART, "claim"),
    ],
)
def test_a_fault_fails_a_layer(name, place, layer):
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    assert layers(fault.make(0.0), place, layer) == {layer}
