"""The study of seeded faults itself: a fault that hangs, crashes or cannot be made does not stop it, and it goes on."""

import contextlib
import json
import time
from types import SimpleNamespace

import pytest

from . import study
from .catalogue import load_hosts
from .examine import NO_ANSWER, search, try_place, try_places
from .fault import Fault, Host
from .test_study import OSCILLATOR, examination
from .trial import find_places


def test_variants_are_tried_up_to_the_first_that_detects():
    examined = examination("event-driven", "load_amplitude")
    assert try_places(examined, find_places(("sdld31",))).detected
    trials = [entry["trial"] for entry in examined.entries if entry["trial"]["fault"]]
    assert [bool(trial["failures"]) for trial in trials] == [False] * (len(trials) - 1) + [True]


def test_the_smallest_size_is_delivered():
    examined = examination("event-driven", "displacement_size")
    search(examined, try_place(examined, OSCILLATOR))
    smallest = examined.entries[-1]["smallest"]
    assert examined.fault.smallest < smallest["detected"] < examined.fault.size
    assert smallest["survived"] < smallest["detected"]


# --- faults that give no answer ------------------------------------------------------------------------------------


class Crashing:
    """Raises in every solve."""

    name, version, capabilities = "crashing", "1", frozenset({"mechanical", "loads", "damping"})

    def solve(self, problem, settings):
        raise ZeroDivisionError


class Hanging(Crashing):
    """Ends no solve, and catches every exception."""

    name = "hanging"

    def solve(self, problem, settings):
        while True:
            with contextlib.suppress(Exception):
                time.sleep(60.0)


def breaking(size):
    raise KeyError("made wrongly")


FRAGILE = Host(
    "fragile",
    load_hosts()["event-driven"].solver,
    (
        Fault("crashes", "method", "Every solve raises.", lambda _: Crashing()),
        Fault("unmakeable", "method", "The fault cannot be made.", breaking),
        Fault("hangs", "method", "No solve ends.", lambda _: Hanging()),
    ),
)


def test_a_solver_that_raises_is_detected_as_an_error():
    assert try_place(examination(FRAGILE, "crashes"), OSCILLATOR).layers == {"error"}


def test_a_fault_that_cannot_be_made_is_an_entry():
    trial = try_place(examination(FRAGILE, "unmakeable"), OSCILLATOR)
    assert (trial.detected, list(trial.broken)) == (False, ["make"])


def test_a_fault_that_hangs_is_tried_once_and_does_not_stop_the_study(monkeypatch):
    monkeypatch.setitem(load_hosts(), "fragile", FRAGILE)
    plan = study.Plan(study.choose(["fragile"], ["hangs", "crashes"])[::-1], (OSCILLATOR.case,))
    observed = study.Study()
    study.run(plan, observed, 1, 1.0)
    assert observed.finished == {("fragile", "hangs"), ("fragile", "crashes")}
    (hanging,) = observed.trials["fragile", "hangs"]
    assert hanging.failures == {f"{NO_ANSWER}: hanging gave no answer within 1 s": ("error", None)}


# --- the command ---------------------------------------------------------------------------------------------------


def command(folder, *options):
    return study.main(
        ["sdld31", "--host", "event-driven", "--fault", "answer_cached", "--report", str(folder), *options]
    )


def test_the_command_tries_a_fault_in_a_process_and_resumes(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("veridyn.run.journal.Found.done", lambda _: None)
        assert command(tmp_path) == 0
    first = json.loads((tmp_path / "detection.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(study, "Pool", SimpleNamespace)  # nothing is left for a process
    monkeypatch.setattr(study, "run", lambda *_: None)
    assert command(tmp_path, "--resume") == 0
    again = json.loads((tmp_path / "detection.json").read_text(encoding="utf-8"))
    assert (again["trials"], again["sound"]) == (first["trials"], first["sound"])


@pytest.mark.parametrize("option", [("--host", "explicite"), ("--fault", "answer_cachde")])
def test_an_unknown_name_is_bad_input(option, capsys):
    assert study.main(option) == 2
    assert "did you mean" in capsys.readouterr().err
