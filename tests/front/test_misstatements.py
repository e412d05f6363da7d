"""Solvers that state nonsense cost nothing but themselves: a sound solver beside them keeps all its checks."""

import pytest

STATING = """
import os, sys, time
sys.path.insert(0, {folder!r})
from foreign import Foreign


class Raises(Foreign):
    @property
    def version(self):
        raise RuntimeError("no version")


class Leaves(Foreign):
    @property
    def claims(self):
        os._exit(5)


class Hangs(Foreign):
    @property
    def schemes(self):
        time.sleep(60)


class Misspelt(Foreign):
    capabilities = frozenset({{"mechanicle"}})
"""
TOLD = {
    "Raises": "RuntimeError: no version",
    "Leaves": "exit status 5",
    "Hangs": "was not loaded within 5 s",
    "Misspelt": "unknown capability 'mechanicle'",
}


@pytest.fixture
def stating(foreign, tmp_path):
    """Return the options that name solvers of the module above."""
    sound = foreign("Foreign")
    file = tmp_path / "stating.py"
    file.write_text(STATING.format(folder=sound.rpartition("/")[0]), encoding="utf-8")
    return lambda *names: [word for name in names for word in ("--solver", f"{file}:{name}")]


def test_a_sound_solver_keeps_all_its_checks(veridyn, foreign, stating):
    run = ("run", "sdnd101", "--set", "v0=2", "--solver", foreign("Foreign"), "--json", "-", "--no-work-precision")
    alone = veridyn(*run)
    beside = veridyn(*run, *stating(*TOLD), "--time-out", "5")
    assert (alone.status, beside.status, beside.err) == (0, 3, "")
    assert timeless(beside.document["results"]) == timeless(alone.document["results"])
    gaps = [message["text"] for message in beside.document["messages"] if message["kind"] == "gap"]
    assert all(any(text in gap for gap in gaps) for text in TOLD.values())


def timeless(rows):
    return [
        {**row, "wall_time": None, "levels": [{**level, "wall_time": None} for level in row["levels"]]} for row in rows
    ]


def test_alone_it_is_bad_input(veridyn, stating):
    seen = veridyn("run", "sdnd101", *stating("Raises"))
    assert (seen.status, seen.out) == (2, "")
    assert TOLD["Raises"] in seen.err
    assert seen.err.count("\n") == 1


def test_a_solver_that_was_imported_is_told(veridyn, foreign):
    seen = veridyn("run", "sdnd101", "--set", "v0=2", "--solver", foreign("Foreign"), "--in-process", "--json", "-")
    assert seen.status == 0
    assert any("--in-process" in message["text"] for message in seen.document["messages"])
