"""SDND102: the gap to the wall, the contact whose sample was printed, convergence of a late instant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veridyn.validation_cases.core.case import Case
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures import impact_figures
from veridyn.validation_cases.measures.plotting import convergence, shown

SAMPLED = 4  # the contact that holds the printed sample


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o, label = shown(case, "a", observer)
    yield impact_figures.history(case, o, label, o.problem.end)
    yield impact_figures.close_up(case, o, label, SAMPLED)
    yield from convergence("release_10", "where in a step a contact begins is chance", "a")(case, observer)
