"""Functions that numba compiles, with a cache on disk that may be missing, full or damaged.

numba's own cache raises where the disk is full or a file is cut, so that a solver would seem to fail. Nothing public
sets another: `_cache` of a dispatcher is private (tried with numba 0.61 to 0.68).
"""

import contextlib
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache


class Cache(FunctionCache):  # type: ignore[misc]  # numba states no types
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
    """Return a decorator that compiles with options of `numba.njit`, and keeps the result on disk where it can."""
    decorate = numba.njit(**options)

    def apply(function: Any) -> Any:
        compiled = decorate(function)
        if hasattr(compiled, "stats"):  # plain Python if compilation is switched off
            # In a read-only installation, for a user without a home that can be written, numba has no place. A
            # folder for temporary files would not do: who writes there first would choose what runs here.
            with contextlib.suppress(RuntimeError):
                compiled._cache = Cache(function)  # noqa: SLF001 - nothing public sets it
        return compiled

    return apply
