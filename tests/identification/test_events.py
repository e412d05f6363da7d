"""Events and output between steps: what sound solvers show, and faults by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from veridyn.identification.dense import read_dense
from veridyn.identification.event_probes import SQUARES
from veridyn.identification.events import COUNTS, describe_location, read_events
from veridyn.identification.examinee import Examinee
from veridyn.identification.reading import Reading, join
from veridyn.identification.step_control import find_step_control
from veridyn.identification.stepping import StepControl
from veridyn.solver.contract.opening import open_gate

SOLVERS = Path(__file__).with_name("hybrid_solvers.py")


def read(spec: str, scheme: str = "") -> tuple[Reading, StepControl | None]:
    examinee = Examinee(open_gate(spec, in_process=True), scheme)
    control = find_step_control(examinee)
    parts = (read_events(examinee, control, 1e-15), read_dense(examinee, control, 1e-15, None))
    return join(parts), control


def find_value(reading: Reading, name: str) -> float | str:
    return next(figure.value for figure in reading.figures if figure.name == name)


@pytest.mark.parametrize("spec", [f"{SOLVERS}:SOUND", "scipy"])
def test_sound_treatment_of_events_shows_no_deviation(spec: str) -> None:
    reading, control = read(spec)
    assert (control is None) == (spec == "scipy")
    assert reading.deviations == ()
    assert reading.gaps == ()
    assert find_value(reading, "events located by") == "root, to rounding"
    assert find_value(reading, "two events in a step") == "both, in order"
    assert find_value(reading, "direction of events") == "obeyed"


@pytest.mark.parametrize(("name", "words"), [("CHORD", "chord"), ("END", "end of the step")])
def test_what_locates_events_is_told(name: str, words: str) -> None:
    assert find_value(read(f"{SOLVERS}:{name}")[0], "events located by") == words


def test_output_of_lower_order_is_told() -> None:
    sound, parabola = (read(f"{SOLVERS}:{name}")[0] for name in ("SOUND", "PARABOLA"))
    assert find_value(sound, "order between steps, nonlinear") == pytest.approx(4.0, abs=0.2)
    assert find_value(parabola, "order between steps, nonlinear") == pytest.approx(3.0, abs=0.2)


FAULTS = {
    "LAST": ["of two events 0.001 of a step apart: the second alone"],
    "BLIND": ["3 events of direction 1 where", "3 events of direction -1 where"],
    "LATE_REPORT": ["events are reported up to 0.077 s"],
    "IN_TURN": ["resets: 1 and 2 exchanged give 2 and 2"],
    "SINGLE_CLOCK": ["instants of events are kept in single precision: an event at 1024 s is 5e-05 s off"],
    "SINGLE_GUARDS": ["guards are evaluated in single precision: an event at a state of 1024"],
    "CUT": ["output in a step that an event cuts: error"],
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named(name: str) -> None:
    lines = read(f"{SOLVERS}:{name}")[0].deviations
    assert len(lines) == len(FAULTS[name]), lines
    assert [words in line for words, line in zip(FAULTS[name], lines, strict=True)] == [True] * len(lines), lines


def test_location_in_words() -> None:
    steps = [1.0 / count for count in COUNTS]
    assert describe_location(steps, [1e-15] * len(steps), 1e-12) == "root, to rounding"
    assert describe_location(steps, [3e-7, 2e-7, 3e-7, 2e-7], 1e-12) == "root, to 3e-07 s"
    assert describe_location(steps, [h * 2.0**-20 for h in steps], 1e-12) == "halvings, to 1e-06 of the step"
    assert describe_location(steps, [h**3 for h in steps], 1e-12) == "interpolation, order 3.0 of the step"
    assert all(0.0 < float(square) < 1.0 for square in SQUARES)
