"""What is mutated, what may survive, and what the last run gave: three files beside this one, as records."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULT = HERE / "result.json"


@dataclass(frozen=True)
class Subject:
    """A module by its path in the checkout, the tests that guard it, and the size of the sample.

    ``without``: slow tests that are left out, in the words of pytest -k. ``jit``: whether kernels are compiled.
    """

    module: str
    tests: tuple[str, ...]
    sample: int
    without: str = ""
    jit: bool = True


@dataclass(frozen=True)
class Survivor:
    """A mutant that no test notices: the function that it is in, the changed lines before and after."""

    function: str
    before: str
    after: str


@dataclass(frozen=True)
class Choice:
    """Lines that are a matter of choice, by how they begin: whatever they say, what is proved stays proved."""

    module: str
    line: str
    reason: str

    def covers(self, module: str, line: str) -> bool:
        """Tell whether a line of a module is such a line."""
        return module == self.module and line.strip().startswith(self.line)


@dataclass(frozen=True)
class Result:
    """What a run gave of a module: plausible mutants, those of free choice, those tried, survivors, seconds."""

    module: str
    plausible: int
    chosen: int
    tried: int
    survivors: tuple[Survivor, ...]
    seconds: int


def _read(name: str) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def read_subjects() -> list[Subject]:
    """Return all modules under mutation, those first that everything rests on."""
    groups = _read("subjects.toml")["group"]
    return [
        Subject(module, tuple(group["tests"]), group["sample"], group.get("without", ""), group.get("jit", True))
        for group in groups
        for module in group["modules"]
    ]


def read_choices() -> list[Choice]:
    """Return the lines that are a matter of choice."""
    return [Choice(**entry) for entry in _read("survivors.toml").get("choice", [])]


def read_reasons() -> dict[tuple[str, str, str], str]:
    """Return why a mutant survives, by module, line and mutated line."""
    entries = _read("survivors.toml").get("survivor", [])
    return {(entry["module"], entry["before"], entry["after"]): entry["reason"] for entry in entries}


def read_results() -> list[Result]:
    """Return what the last run gave."""
    rows = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else []
    return [Result(**{**row, "survivors": tuple(Survivor(**one) for one in row["survivors"])}) for row in rows]
