"""SDLD103: the figures of the sheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veridyn.validation_cases.case import Bench, Case, Subject


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield from ()
