"""Deliberate defects: solvers with one thing wrong, each of which the suite must catch.

``--solver veridyn.mutation.defects:NAME`` puts one of them under test.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a defect by name; they are found when one is asked for."""
    from veridyn.mutation.defects.catalogue import all_defects

    found = {} if name.startswith("_") else all_defects()
    if name not in found:
        raise AttributeError(f"there is no defect {name!r}")
    return found[name]
