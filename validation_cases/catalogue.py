"""Discovery: every folder here with a ``case.py`` that defines ``CASE`` is a case."""

from __future__ import annotations

import ast
import difflib
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import veridyn.validation_cases as room

if TYPE_CHECKING:
    from veridyn.validation_cases.case import Case


class UnknownCase(ValueError):
    """There is no case of that name."""


@dataclass(frozen=True)
class Listed:
    """A case as the list shows it."""

    name: str
    document: str
    title: str
    variants: tuple[str, ...]


@cache
def case_names() -> tuple[str, ...]:
    """Return the names of all cases, sorted."""
    folders = (m.name for m in pkgutil.iter_modules(room.__path__) if m.ispkg)
    return tuple(sorted(name for name in folders if find_spec(_module(name))))


def _module(name: str) -> str:
    return f"{room.__name__}.{name}.case"


@cache
def load_case(name: str) -> Case:
    """Return a case by name.

    Raises
    ------
    UnknownCase
        If there is none; the message suggests the nearest name.
    """
    if name not in case_names():
        near = difflib.get_close_matches(name.lower(), case_names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UnknownCase(f"unknown case {name!r}: {hint}`veridyn list` names all {len(case_names())}")
    case: Case = importlib.import_module(_module(name)).CASE
    return case


def all_cases() -> tuple[Case, ...]:
    """Return all cases."""
    return tuple(load_case(name) for name in case_names())


def listed() -> Iterator[Listed]:
    """Yield all cases as a list shows them, read in their source: nothing is imported, so a list takes no second."""
    return map(_read, case_names())


def _read(name: str) -> Listed:
    found = find_spec(_module(name))
    assert found is not None
    assert found.origin is not None
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    assigned = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    stated = {word.arg: word.value for word in assigned["CASE"].keywords}  # type: ignore[attr-defined]
    document, title = (ast.literal_eval(stated[word]) for word in ("document", "title"))
    return Listed(name, document, title, tuple(_variants(stated["variants"], assigned)))


def _variants(node: ast.expr, assigned: dict[str, ast.expr]) -> Iterator[str]:
    """Yield the names of variants: the first argument of every call in a tuple, itself given by name or not."""
    match node:
        case ast.Name(id=name):
            yield from _variants(assigned[name], assigned)
        case ast.Starred(value=several):
            yield from _variants(several, assigned)
        case ast.Tuple(elts=nodes):
            for each in nodes:
                yield from _variants(each, assigned)
        case ast.Call(args=[ast.Constant(value=str(name)), *_]):
            yield name
