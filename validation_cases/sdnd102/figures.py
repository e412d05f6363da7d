"""SDND102: the gap to the wall, and the contact whose sample was printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veridyn.validation_cases import impact_figures
from veridyn.validation_cases.case import Bench, Case, Subject

SAMPLED = 4  # the contact that holds the printed sample


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver."""
    scheme = subject.schemes[0]
    o = bench.observe(case.run(subject, case.variant("a"), scheme))
    label = scheme or subject.name
    yield impact_figures.history(case, o, label, o.problem.end)
    yield impact_figures.close_up(case, o, label, SAMPLED)
