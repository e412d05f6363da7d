"""Frozen values of our own solver: a change beyond 1e-9 must be explained, not overlooked.

What is nothing but error, the velocity of a mass at rest say, has no such digits: there a millionth of what the truth
allows counts as no change.

They live in ``frozen.json`` beside the case and are changed only by ``veridyn freeze``, which shows old and new.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from veridyn.validation_cases.case import Case, Check
from veridyn.validation_cases.tolerances import Tolerance

TOLERANCE = 1e-9
OF_AN_ERROR = 1e-6
REASON = "own value frozen; libraries may change the last digits"


def frozen_file(case: Case) -> Path:
    """Return where the frozen values of a case live."""
    return Path(str(resources.files(f"veridyn.validation_cases.{case.name}"))) / "frozen.json"


def frozen_values(case: Case) -> dict[str, float]:
    """Return the frozen values by check id (none if the case has none yet)."""
    file = frozen_file(case)
    if not file.exists():
        return {}
    values: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return values


def frozen_checks(case: Case, truth: Iterable[Check]) -> Iterator[Check]:
    """Yield the comparison of each measured number with its frozen value."""
    known = frozen_values(case)
    for check in truth:
        if check.id in known:
            yield _frozen_check(check, known[check.id])


def _frozen_check(check: Check, value: float) -> Check:
    return replace(check, kind="frozen", reference=lambda: value, tolerance=lambda: unchanged(value, check.tolerance()))


def unchanged(value: float, truth: Tolerance) -> Tolerance:
    """Return how far a value may be from its frozen one; ``truth`` is how far it may be from the truth."""
    rounding = TOLERANCE * abs(value)
    error = OF_AN_ERROR * truth.value if truth.kind == "absolute" else 0.0
    if error > rounding:
        return Tolerance(error, "absolute", f"{REASON}, here of an error: a millionth of what the truth allows")
    return Tolerance(TOLERANCE, "relative" if value else "absolute", REASON)


def freeze(case: Case, values: dict[str, Any]) -> list[tuple[str, float | None, float | None]]:
    """Write new frozen values; return (id, old, new) of those that change by more than the tolerance."""
    old = frozen_values(case)
    new = {key: float(v) for key, v in values.items() if isinstance(v, float)}
    changed = [
        (key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if key not in old or key not in new or abs(new[key] - old[key]) > TOLERANCE * abs(old[key])
    ]
    frozen_file(case).write_text(json.dumps(new, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return changed
