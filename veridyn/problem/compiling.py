"""Functions that numba compiles, with a cache on disk that may be missing, full or damaged.

numba's own cache raises where the disk is full or a file is cut, so that a solver would seem to fail. Nothing public
sets another: `_cache` of a dispatcher is private (tried with numba 0.61 to 0.68).
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import FunctionCache


class Cache(FunctionCache):
    """numba's cache; where it cannot be read or written, a function is compiled in this process alone."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before for a signature, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - whatever a damaged file makes of unpickling and linking
            with contextlib.suppress(OSError):
                self.flush()  # an index without entries takes the place of one that may be damaged, too
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write what was compiled for a signature, if there is room."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def compiler(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator that compiles with options of `numba.njit`, and keeps the result on disk where it can.

    Plain Python comes back if compilation is switched off.
    """
    decorate = numba.njit(**options)

    def apply(function: Any) -> Any:
        compiled = decorate(function)
        if hasattr(compiled, "stats") and _has_place(Path(function.__code__.co_filename).parent):
            with contextlib.suppress(RuntimeError):  # numba has found no place after all
                compiled._cache = Cache(function)  # noqa: SLF001 - nothing public sets it
        return compiled

    return apply


def _has_place(beside: Path) -> bool:
    """Tell whether there is a place that only the user can write to: beside the source, or in a home.

    Without a home numba would take a folder `~` in the current one, which may be that of somebody else; who writes
    there first would choose what runs here. A folder for temporary files would not do for the same reason.
    """
    made = beside / "__pycache__"
    if config.CACHE_DIR or os.access(made if made.exists() else beside, os.W_OK):  # type: ignore[attr-defined]
        return True
    try:
        return Path.home().is_absolute()
    except RuntimeError:
        return False
