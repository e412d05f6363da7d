"""A problem in one line, as a shell or a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veridyn.problem.mechanical import Problem

PARTS = {
    "loads": "load",
    "supports": "moving support",
    "stops": "stop",
    "frictions": "friction",
    "devices": "device",
    "varying": "varying matrix",
    "constraints": "constraint",
}
NAMED = 4  # unknowns


def summarize(problem: Problem) -> str:
    """Return a problem in a line: kind, name, unknowns, how many elements of each sort, span of time."""
    names = problem.unknowns
    known = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    counts = {name: len(getattr(problem, field, ())) for field, name in PARTS.items()}
    said = [f"{name} ×{count}" if count > 1 else name for name, count in counts.items() if count]
    parts = [known, *said, f"{problem.start:g} s to {problem.end:g} s"]
    return f"<{type(problem).__name__} {problem.name}: {', '.join(parts)}>"
