"""Defaults of the command line from a file: `veridyn.toml`, or ``[tool.veridyn]`` of `pyproject.toml`, in this folder.

A table for each command holds options by their long names, as on the command line: ``[run]`` with ``jobs = 2``,
``solver = ["mine.py:SOLVER"]``, ``set = {step = 1e-4}``, ``quiet = true``. What the command line says comes first.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn.inputs import LARGEST_SETTINGS, InputError, explain_error, parse_toml, read_text
from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import nearest

FILE, PROJECT = "veridyn.toml", "pyproject.toml"


def completed(given: Sequence[str], commands: Mapping[str, argparse.ArgumentParser]) -> list[str]:
    """Return the arguments of a command line with the defaults of this folder, behind the name of the command.

    Raises
    ------
    SolverInputError
        If the file is no TOML, or has a command or an option that does not exist, or a value of the wrong kind.
    """
    if not given or given[0] not in commands or {"-h", "--help"} & set(given):
        return list(given)
    name, tables = _tables()
    for command, table in tables.items():
        _check(name, command, table, commands)
    options = _options(commands[given[0]])
    said = {option for option, action in options.items() if _is_said(action, given)}
    chosen = {option: value for option, value in tables.get(given[0], {}).items() if option not in said}
    arguments = [argument for option, value in chosen.items() for argument in _arguments(name, option, value)]
    return [given[0], *arguments, *given[1:]]


def _tables() -> tuple[str, Mapping[str, Any]]:
    """Return where the defaults stand, and the tables by command; none without a file."""
    if Path(FILE).is_file():
        return FILE, _read(FILE)
    if not Path(PROJECT).is_file():
        return FILE, {}
    tool = _read(PROJECT).get("tool", {})
    return f"{PROJECT}, [tool.veridyn]", tool.get("veridyn", {}) if isinstance(tool, dict) else {}


def _read(file: str) -> dict[str, Any]:
    try:
        return parse_toml(read_text(Path(file), LARGEST_SETTINGS))
    except (OSError, InputError) as error:
        raise SolverInputError(f"{file}: {explain_error(error)}") from None


def _check(name: str, command: str, table: Any, commands: Mapping[str, argparse.ArgumentParser]) -> None:
    if command not in commands:
        raise SolverInputError(f"{name}: there is no command {command!r}; {nearest(command, commands)}")
    if not isinstance(table, Mapping):
        raise SolverInputError(f"{name}: {command} must be a table of options, e.g. [{command}] with jobs = 2")
    known = _options(commands[command])
    for option in table:
        if option not in known:
            raise SolverInputError(f"{name}: {command} has no option {option!r}; {nearest(option, known)}")


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options of a command by their long names."""
    actions = parser._actions  # noqa: SLF001 - argparse has no public list of its options
    named = {option[2:]: action for action in actions for option in action.option_strings if option.startswith("--")}
    return {name: action for name, action in named.items() if name != "help"}


def _is_said(action: argparse.Action, given: Sequence[str]) -> bool:
    """Tell whether the command line has an option itself, by whatever name."""
    words = [argument.partition("=")[0] for argument in given]
    short = tuple(option for option in action.option_strings if not option.startswith("--"))
    return any(word in action.option_strings or (short and word.startswith(short)) for word in words)


def _arguments(name: str, option: str, value: Any) -> Iterator[str]:
    """Yield an option as the command line says it."""
    if isinstance(value, bool):
        yield from [f"--{option}"] if value else []
    elif isinstance(value, str | int | float):
        yield f"--{option}={value}"
    elif isinstance(value, list) and not any(isinstance(one, list) for one in value):
        yield from (argument for one in value for argument in _arguments(name, option, one))
    elif isinstance(value, dict) and not any(isinstance(one, list | dict) for one in value.values()):
        yield from (f"--{option}={key}={one}" for key, one in value.items())
    else:
        raise SolverInputError(f"{name}: {option} = {value!s:.60} must be a text, a number, true, or a list of them")
