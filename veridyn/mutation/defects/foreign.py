"""The defects that any solver can have, around the exact solver: ``veridyn.mutation.defects.foreign:NAME``."""

from typing import Any

from veridyn.mutation.defects import all_defects
from veridyn.mutation.defects.defect import Foreign


def __getattr__(name: str) -> Any:
    """Return a defect around the exact solver, by name."""
    found = {} if name.startswith("_") else all_defects()
    if name not in found or not found[name].outside:
        raise AttributeError(f"there is no defect {name!r} that any solver can have")
    return Foreign(found[name])
