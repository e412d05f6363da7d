"""Deliberate defects: solvers with one thing wrong, each of which the suite must catch.

``--solver veridyn.mutation.defects:NAME`` puts one of them under test.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veridyn.mutation.defects.defect import Defect


@cache
def all_defects() -> dict[str, Defect]:
    """Return all defects by name, kind after kind: those in ``DEFECTS`` of the modules here."""
    modules = [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    return {defect.name: defect for module in modules for defect in vars(module).get("DEFECTS", ())}


def __getattr__(name: str) -> Any:
    """Return a defect by name; they are found when one is asked for."""
    found = {} if name.startswith("_") else all_defects()
    if name not in found:
        raise AttributeError(f"there is no defect {name!r}")
    return found[name]
