"""The table of kinds: where the class of each is found. A new kind is a module, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from veridyn.inputs import InputError, parse_json
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import FORMAT_VERSION, Problem

KINDS = {"mechanical": "mechanical:MechanicalProblem", "initial value": "initial_value:InitialValueProblem"}
"""Where the class of each kind is found: imported when one is read."""


def problem_from_json(text: str) -> Problem:
    """Read a problem of any kind from JSON.

    Raises `ProblemError` if the text is not JSON, the format version or the kind is unknown, or the content is
    malformed.
    """
    return join_problem(text, {})


def join_problem(text: str, arrays: Mapping[str, NDArray[Any]]) -> Problem:
    """Read a problem from a JSON document and the fields beside it, as `Problem.split` returns them.

    Raises `ProblemError` as `problem_from_json` does.
    """
    try:
        data = parse_json(text)
    except InputError as error:
        raise ProblemError(f"problem: {error}") from None
    if not isinstance(data, dict) or data.pop("format_version", None) != FORMAT_VERSION:
        raise ProblemError(f"problem lacks format_version {FORMAT_VERSION}")
    kind = data.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise ProblemError(f"unknown problem kind {kind!r}; known: {', '.join(KINDS)}")
    module, _, name = KINDS[kind].partition(":")
    result: type[Problem] = getattr(import_module(f"veridyn.problem.{module}"), name)
    return result.from_dict({**data, **arrays})
