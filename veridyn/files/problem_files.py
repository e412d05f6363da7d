"""Problems of the user by what a command names: a JSON file, or an object or function in a Python file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from veridyn.inputs import InputError, explain_error, parse_json, read_text
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import Problem
from veridyn.solver.contract.loading import load_attribute


def names_problem(spec: str) -> bool:
    """Tell whether a text names a problem of the user and no case."""
    return spec.endswith(".json") or ":" in spec


def load_problem(spec: str) -> Problem:
    """Return the problem in a JSON file, or the object or function that ``path/file.py:name`` names.

    Raises
    ------
    ProblemError
        If there is none.
    """
    if spec.endswith(".json"):
        return _read_file(Path(spec))
    result: Any = load_attribute(spec)
    made = result() if isinstance(result, Callable) else result  # type: ignore[arg-type]
    if not isinstance(made, Problem):
        raise ProblemError(f"{spec}: {made!r:.80} is no problem")
    return made


def _read_file(path: Path) -> Problem:
    try:
        data = parse_json(read_text(path))
    except (OSError, InputError) as error:
        raise ProblemError(f"{path} cannot be read: {explain_error(error)}") from None
    inner = data.get("problem") if isinstance(data, dict) else None  # what `export` writes holds it
    return problem_from_json(json.dumps(inner if isinstance(inner, dict) else data))
