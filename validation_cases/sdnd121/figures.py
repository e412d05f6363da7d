"""SDND121: the first contacts, one of them close up, the errors of all 140 instants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.validation_cases import impact_figures, impact_theory
from veridyn.validation_cases.case import Bench, Case, Subject

SHOWN = 0.5  # s


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver."""
    scheme = subject.schemes[0]
    run = case.run(subject, case.variants[0], scheme)
    o = bench.observe(run)
    label = scheme or subject.name
    yield impact_figures.history(case, o, label, SHOWN)
    yield impact_figures.close_up(case, o, label, 1)
    yield impact_figures.close_up(case, o, label, 70)
    allowed = impact_theory.of_each_instant(run.values, scheme, run.settings["step"]) if subject.own else np.empty(0)
    yield impact_figures.errors_of_instants(case, o, label, allowed)
