"""Solvers in C: a source with some of its text replaced, compiled into a temporary folder when it is first needed."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from veridyn.solver.contract.loading import load_solver

SOURCES = Path(__file__).parents[3] / "examples" / "harnesses"
FLAGS = ("-std=c99", "-O0")  # most of the time is that of the compiler


def compiler() -> str:
    """Return the path of a C compiler; empty if there is none."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="compiled_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def build(text: str) -> Path:
    """Return the program of a C source. Raises ValueError with the words of the compiler if it does not compile."""
    stem = _folder() / f"program_{len(list(_folder().glob('*.c')))}"
    source = stem.with_suffix(".c")
    source.write_text(text, encoding="utf-8")
    command = [compiler(), *FLAGS, "-o", str(stem), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    return stem


def edited(text: str, *edits: tuple[str, str]) -> str:
    """Return a text with parts replaced, wherever they stand. Raises ValueError if one does not."""
    for old, new in edits:
        if old not in text:
            raise ValueError(f"the source has no {old!r}")
        text = text.replace(old, new)
    return text


@dataclass(frozen=True)
class Compiled:
    """A solver of a C source. It is compiled and started when anything of it is asked for."""

    text: str

    @cached_property
    def program(self) -> Any:
        """The running program."""
        return load_solver(f"cmd:'{build(self.text)}'")

    @property
    def name(self) -> str:
        """What the program calls itself."""
        return str(self.program.name)

    @property
    def version(self) -> str:
        """What the program says."""
        return str(self.program.version)

    @property
    def capabilities(self) -> frozenset[str]:
        """What the program offers."""
        return frozenset(self.program.capabilities)

    @property
    def settings(self) -> Mapping[str, str]:
        """What may be set."""
        return dict(self.program.settings)

    @property
    def claims(self) -> Mapping[str, Any]:
        """What the program claims."""
        return dict(self.program.claims)

    @property
    def refinement(self) -> Any:
        """Settings from coarse to fine, or the name of one."""
        return self.program.refinement

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the program answers."""
        answer: Mapping[str, Any] = self.program.solve(problem, settings)
        return answer
