"""SDND121: the first contacts, two of them close up, the errors of all 140 instants, convergence of the last one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veridyn.validation_cases.core.case import Case
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures import impact_figures
from veridyn.validation_cases.measures.plotting import convergence, shown

SHOWN = 0.5  # s


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o, label = shown(case, "a", observer)
    yield impact_figures.history(case, o, label, SHOWN)
    yield impact_figures.close_up(case, o, label, 1)
    yield impact_figures.close_up(case, o, label, 70)
    yield impact_figures.errors_of_instants(case, o, label)
    yield from convergence("release_70", "where in a step a contact begins is chance", "a")(case, observer)
