"""The command line in this process, and small sweeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from veridyn.sweep import command
from veridyn.sweep import request as sweep_request

GRID = ("--over", "a0=0.5:20:12", "--over", "mu=0.1:1:10")


@pytest.fixture
def sweep(veridyn, tmp_path):
    """Sweep a grid of 120 points into a folder, without the check unless it is asked for."""

    def run(*arguments, over=GRID, check="0"):
        # the gate has tests of its own; a process for each sweep would take longer than the sweep
        asked = ("sdnd104", *over, "--check", check, "--output", tmp_path / "out", "--in-process")
        return veridyn("sweep", *asked, *arguments)

    return run


@dataclass(frozen=True)
class Folder:
    """What a sweep has written."""

    path: Path

    def __truediv__(self, name):
        return self.path / name

    def __str__(self):
        return str(self.path)

    def table(self):
        with np.load(self.path / "sweep.npz", allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}

    def document(self):
        return json.loads((self.path / "sweep.json").read_text(encoding="utf-8"))


@pytest.fixture
def out(tmp_path):
    return Folder(tmp_path / "out")


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the picture empty, which takes longer to draw than a small sweep to compute."""
    monkeypatch.setattr(command, "draw", lambda request, columns: "<svg/>")


@pytest.fixture
def small_chunks(monkeypatch):
    """Seven chunks in the grid of 120 points."""
    monkeypatch.setattr(sweep_request, "CHUNK", 18)
