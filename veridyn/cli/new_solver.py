"""The command `new-solver`: a solver that runs, for users to put theirs in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.problem.printable import print_line
from veridyn.run.exit_code import ExitCode

NAME = "mine"  # of the skeletons, and in their texts
CLIENT = "veridyn.h"
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Language:
    """How a solver is written in a language: the usual suffix, how it is built, and how it is named to veridyn.

    ``build`` and ``solver`` hold ``{file}`` and ``{stem}``; ``client``: whether the header of the protocol lies beside.
    ``as_text``: what the name of the skeleton ends with, so that it is no module of this package.
    """

    suffix: str
    solver: str
    build: tuple[str, ...] = ()
    client: bool = False
    as_text: str = ""


LANGUAGES = {
    "python": Language(".py", "{file}:SOLVER", as_text=".txt"),
    "c": Language(".c", "cmd:./{stem}", ("cc -std=c99 -O2 -o {stem} {file} -lm",), client=True),
    "c++": Language(".cpp", "cmd:./{stem}", ("c++ -std=c++17 -O2 -o {stem} {file}",), client=True),
    "fortran": Language(
        ".f90",
        "cmd:./{stem}",
        ("cc -x c -DVERIDYN_EXPORT -O2 -c veridyn.h -o client.o", "gfortran -O2 -o {stem} {file} client.o -lm"),
        client=True,
    ),
    "julia": Language(".jl", "cmd:julia {file}"),
    "octave": Language(".m", "cmd:octave-cli --quiet --no-init-file {file}"),
    "javascript": Language(".mjs", "cmd:node {file}"),
}
"""The languages of skeletons, by name; MATLAB reads that of Octave."""


def new_solver(*, file: Path, language: str | None, kind: str) -> int:
    """Write a solver that runs, and say how to build and judge it; returns the exit status 0.

    Raises
    ------
    SolverInputError
        If the name cannot name a program, no language is known for its suffix, there is no skeleton of that kind, or a
        file is there already or cannot be written.
    """
    chosen = _choose_language(file, language)
    if kind != "mechanical" and chosen is not LANGUAGES["python"]:
        raise SolverInputError(
            f"--kind {kind}: there is a skeleton in Python alone, mine.py; for other languages see "
            "docs/command-protocol.md and examples/harnesses/hybrid.c"
        )
    if not BARE.fullmatch(file.stem):
        raise SolverInputError(f"{file.name!r} cannot name a solver: letters, digits and _, e.g. mine{chosen.suffix}")
    written = {file: _read_skeleton(chosen, kind, file.stem)}
    client = file.with_name(CLIENT)
    if chosen.client and not _is_ours(client):
        written[client] = _read(CLIENT)
    for place, text in written.items():
        _write(place, text)
        print_line(place)
    _say_what_follows(chosen, file)
    return ExitCode.FINE


def _choose_language(file: Path, name: str | None) -> Language:
    if name:
        return LANGUAGES[name]
    found = [language for language in LANGUAGES.values() if language.suffix == file.suffix]
    if not found:
        suffixes = [language.suffix for language in LANGUAGES.values()]
        hint = did_you_mean(file.suffix, suffixes, f"known are {', '.join(suffixes)}")
        raise SolverInputError(f"{file}: no language has the suffix {file.suffix!r}: {hint}; or name a --language")
    return found[0]


def _read_skeleton(language: Language, kind: str, stem: str) -> str:
    """Return the text of a skeleton under the name of its file."""
    source = f"{'initial_value' if kind == 'initial-value' else NAME}{language.suffix}{language.as_text}"
    return re.sub(rf"\b{NAME}\b", stem, _read(source))


def _read(name: str) -> str:
    return files("veridyn.skeletons").joinpath(name).read_text(encoding="utf-8")


def _is_ours(client: Path) -> bool:
    """Tell whether the header lies there already, as this version has it; raises SolverInputError if it is another."""
    if not client.exists():
        return False
    if client.read_text(encoding="utf-8", errors="replace") != _read(CLIENT):
        raise SolverInputError(
            f"{client} is there and is not that of this version; remove it, or choose another folder"
        )
    return True


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise SolverInputError(f"{file} is there already, and nothing is overwritten; choose another name") from None
    except OSError as error:
        raise SolverInputError(f"cannot write {file}: {error.strerror or error}") from None


def _say_what_follows(language: Language, file: Path) -> None:
    names = {"file": file.name, "stem": file.stem}
    solver = language.solver.format(**names)
    quoted = f'"{solver}"' if " " in solver else solver
    print_line("It runs as it is; put your solver in its place:" + (f" in {file.parent}" if file.parent.name else ""))
    for command in (*(line.format(**names) for line in language.build), *_list_commands(quoted)):
        print_line(f"  {command}")


def _list_commands(solver: str) -> tuple[str, ...]:
    return f"veridyn doctor --solver {solver}", f"veridyn run --quick --solver {solver}"
