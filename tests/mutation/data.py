"""What is mutated, what may survive, and what the last run gave: three files beside this one, as records."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULT = HERE / "result.json"
COVERAGE = HERE / "coverage.json"


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


@dataclass(frozen=True)
class Group:
    """Rooms whose coverage is judged together: a name, files by patterns of paths, and the tests that guard them.

    ``uncompiled``: tests that are run once more without a compiler, so that lines of kernels are counted.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    uncompiled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Covered:
    """What a run covered of a group: statements and branches, all of them and those reached; missed lines by file."""

    name: str
    statements: int
    reached: int
    branches: int
    taken: int
    missed: dict[str, list[int]]

    @property
    def percent(self) -> float:
        """Share of statements and branches together that were reached, in percent."""
        return 100 * (self.reached + self.taken) / (self.statements + self.branches)


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


def read_groups() -> list[Group]:
    """Return the groups of files whose coverage is judged."""
    return [Group(**entry) for entry in _read("subjects.toml")["coverage"]]


def read_gaps() -> list[tuple[str, str]]:
    """Return what is not covered, by place, with the reason."""
    return [(entry["place"], entry["reason"]) for entry in _read("survivors.toml").get("gap", [])]


def read_coverage() -> list[Covered]:
    """Return what the last run covered."""
    return [Covered(**row) for row in json.loads(COVERAGE.read_text(encoding="utf-8"))] if COVERAGE.exists() else []
