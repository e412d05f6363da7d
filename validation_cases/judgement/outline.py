"""What a list says of a case, read where its module states it, so that nothing of the module runs.

To load all cases takes seconds, since each reads the expressions of its problem. A list needs titles, topics and the
names of variants alone, and those are literals in the call ``CASE = Case(…)``. Of a case that computes one of them the
module is loaded.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from veridyn.validation_cases.judgement.case import Case

CASE = b"\nCASE = "


@dataclass(frozen=True)
class Outline:
    """A line of the list of cases."""

    name: str
    topics: tuple[str, ...]
    title: str
    variants: tuple[str, ...]


def outline(case: Case) -> Outline:
    """Return the outline of a case that is loaded."""
    return Outline(case.name, case.topics, case.title, tuple(variant.name for variant in case.variants))


def read_outline(module: str, load: Callable[[], Case]) -> Outline:
    """Return the outline of the case of a module; `load` returns that case, where what it states are no literals."""
    spec = importlib.util.find_spec(module)
    file = Path(spec.origin) if spec and spec.origin else None
    try:
        stated = file and read_source(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        stated = None
    return stated or outline(load())


def read_source(source: bytes) -> Outline | None:
    """Return the outline of the case that a module states in one call of literals; None of another module.

    Raises SyntaxError if it is no Python, ValueError if what is looked for is no literal.
    """
    _, begin, rest = source.partition(CASE)  # what stands above it is most of a module, and takes as long to parse
    stated = [node.value for node in ast.parse(begin + rest).body if isinstance(node, ast.Assign) and _is_case(node)]
    if len(stated) != 1 or not _is_call(stated[0], "Case"):
        return None
    given = {each.arg: each.value for each in stated[0].keywords}
    if not {"name", "title", "topics", "variants"} <= set(given):
        return None
    name, title, topics = (ast.literal_eval(given[word]) for word in ("name", "title", "topics"))
    variants = given["variants"]
    calls = variants.elts if isinstance(variants, ast.Tuple) else []
    names = [ast.literal_eval(call.args[0]) for call in calls if _is_call(call, "Variant") and call.args]
    return Outline(name, topics, title, tuple(names)) if calls and len(names) == len(calls) else None


def _is_case(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "CASE"


def _is_call(node: ast.expr, function: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
