"""`veridyn prove`: the proved truth of a problem of the user's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from veridyn.api.front import SECONDS
from veridyn.api.proving import names_of, prove
from veridyn.cli.texts import STATED, describe_derivative, name_derivative, print_json, print_lines
from veridyn.inputs import InputError, parse_json, read_text
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.mechanical import Problem
from veridyn.references.parameters import ParameterError
from veridyn.run.document import SCHEMA_VERSION, make_reference_row
from veridyn.run.exit_code import ExitCode
from veridyn.run.screen import console
from veridyn.solver.contract.loading import load_attribute


def prove_problem(
    problem: str,
    quantities: Sequence[str],
    digits: int,
    derivative: Sequence[str],
    *,
    as_json: bool,
    seconds: float = SECONDS,
) -> int:
    """Print proved values of a problem; returns the exit status 0."""
    posed = load_problem(problem)
    if not quantities:
        raise ParameterError(f"nothing is asked; {_list_names(posed)}")
    values = prove(posed, list(quantities), digits=digits, derivative=derivative, seconds=seconds)
    lines = [make_reference_row(value, quantity=name, unit="") for name, value in values.items()]
    if as_json:
        rows = [{"name": line.quantity, **{name: getattr(line, name) for name in STATED}} for line in lines]
        return print_json(
            {"schema_version": SCHEMA_VERSION, "problem": posed.name, **name_derivative(derivative), "quantities": rows}
        )
    out = console()
    out.print(Text(describe_derivative(derivative) + posed.name))
    print_lines(out, lines)
    return ExitCode.FINE


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
        raise ProblemError(f"{path} cannot be read: {error}") from None
    inner = data.get("problem") if isinstance(data, dict) else None  # what `export` writes holds it
    return problem_from_json(json.dumps(inner if isinstance(inner, dict) else data))


def _list_names(problem: Problem) -> str:
    parts = (f"{what}: {', '.join(names)}" for what, names in names_of(problem).items() if names)
    return "write x@1.5, hit#2, count hit, largest x, smallest x or integral x, with " + "; ".join(parts)
