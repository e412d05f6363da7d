"""Faults are detected by the layers that should, and sound hosts pass."""

import pytest

from . import sound, study
from .catalogue import load_hosts
from .examine import Examination, judge_sound, try_place, try_places
from .trial import CARD, Place, find_places

OSCILLATOR, BALL = Place("sdld31", "let-go"), Place("bouncing_ball", "elastic")
CHEAP = [
    ("event-driven", "displacement_size", OSCILLATOR, "convergence"),
    ("event-driven", "tolerance_ignored", OSCILLATOR, "claim"),
    ("event-driven", "answer_cached", OSCILLATOR, "invariance"),
    ("scipy", "reset_missed", BALL, "criterion"),
    ("scipy", "state_left", BALL, "invariance"),
]


def examination(host, name, **more):
    chosen = load_hosts()[host] if isinstance(host, str) else host
    (fault,) = (fault for fault in chosen.faults if fault.name == name)
    return Examination(chosen, fault, more.pop("seconds", 60.0), **more)


@pytest.mark.parametrize(("host", "name", "place", "layer"), CHEAP)
def test_a_fault_is_detected_by_its_layer(host, name, place, layer):
    trial = try_place(examination(host, name), place)
    assert layer in trial.layers
    assert not trial.broken


@pytest.mark.parametrize(("host", "place"), [("event-driven", OSCILLATOR), ("scipy", BALL)])
def test_a_sound_host_passes(host, place):
    sound = judge_sound(examination(host, load_hosts()[host].faults[0].name), place)
    assert not sound.detected
    assert sum(sound.judged.values()) > 10


def test_of_a_host_that_states_nothing_the_card_tells():
    trial = try_places(examination("hht", "beta", silent=True), find_places(("sdld31",)))
    assert (trial.place, trial.layers) == (CARD, {"card"})


@pytest.mark.parametrize("module", [study, sound])
def test_a_stored_command_can_be_repeated_anywhere(module):
    """No place, no number of processes: what remains chooses the same."""
    words = ["sdld31", "--host", "scipy", "--host", "exact", "--report", "/places/of/mine", "-n", "2", "--resume"]
    given = module.make_parser().parse_args(words)
    *command, folder = module.make_command(given)
    again = module.make_parser().parse_args([*command[3:], folder])
    assert (command[:3], folder) == (["python", "-m", module.__name__], "DIR")
    assert (again.cases, again.host, again.jobs, again.resume) == (given.cases, given.host, 1, False)
