"""Discovery: every module here with ``DEFECTS`` holds defects of one kind."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache

import veridyn.mutation.defects as room
from veridyn.mutation.defects.defect import Defect
from veridyn.solver.errors import SolverInputError


class UnknownDefect(SolverInputError):
    """There is no defect of that name."""


@cache
def all_defects() -> dict[str, Defect]:
    """Return all defects by name, kind after kind."""
    modules = [importlib.import_module(f"{room.__name__}.{m.name}") for m in pkgutil.iter_modules(room.__path__)]
    return {defect.name: defect for module in modules for defect in vars(module).get("DEFECTS", ())}


def chosen(names: Sequence[str]) -> list[Defect]:
    """Return the defects of these names, all if there are none.

    Raises
    ------
    UnknownDefect
        If there is none of a name; the message suggests the nearest.
    """
    known = all_defects()
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise UnknownDefect(f"unknown defect {name!r}: {hint}docs/what-the-suite-catches.md lists all")
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())
