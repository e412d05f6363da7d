"""veridyn: verification of solvers of nonlinear dynamics.

The front door: `verify` runs a solver through the cases, `reference` gives certified values,
`cases` lists what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from veridyn.front import cases, reference
    from veridyn.verification import verify

__all__ = ["__version__", "cases", "reference", "verify"]


def __getattr__(name: str) -> Any:
    """Import the front door on first use: listing needs no numerical library."""
    if name == "verify":
        from veridyn.verification import verify

        return verify
    if name in ("cases", "reference"):
        from veridyn import front

        return getattr(front, name)
    raise AttributeError(f"module 'veridyn' has no attribute {name!r}")
