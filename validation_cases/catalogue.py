"""Discovery: every folder here with a ``case.py`` that defines ``CASE`` is a case."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec

import veridyn.validation_cases as room
from veridyn.validation_cases.case import Case


class UnknownCase(ValueError):
    """There is no case of that name."""


@cache
def case_names() -> tuple[str, ...]:
    """Return the names of all cases, sorted."""
    folders = (m.name for m in pkgutil.iter_modules(room.__path__) if m.ispkg)
    return tuple(sorted(name for name in folders if find_spec(f"{room.__name__}.{name}.case")))


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
    case: Case = importlib.import_module(f"veridyn.validation_cases.{name}.case").CASE
    return case


def all_cases() -> tuple[Case, ...]:
    """Return all cases."""
    return tuple(load_case(name) for name in case_names())
