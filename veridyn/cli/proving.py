"""`veridyn prove`: the proved truth of a problem of the user's own."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from veridyn.api.limits import SECONDS
from veridyn.api.proving import names_of, prove
from veridyn.cli.texts import STATED, describe_derivative, name_derivative, print_json, print_lines
from veridyn.files.problem_files import load_problem
from veridyn.problem.mechanical import Problem
from veridyn.references.parameters import ParameterError
from veridyn.run.document import SCHEMA_VERSION, make_reference_row
from veridyn.run.exit_code import ExitCode
from veridyn.run.screen import console


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


def _list_names(problem: Problem) -> str:
    parts = (f"{what}: {', '.join(names)}" for what, names in names_of(problem).items() if names)
    return "write x@1.5, hit#2, count hit, largest x, smallest x or integral x, with " + "; ".join(parts)
