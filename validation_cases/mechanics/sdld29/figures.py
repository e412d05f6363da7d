"""SDLD29: mass 4 under the force and after it, with its error, and how errors fall with the refined setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import damped_chain
from veridyn.references.damped_chain import LOADED
from veridyn.validation_cases.core.case import Case
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned

SHOWN = "non-proportional"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _history(case, observer)
    yield from convergence("x4@0.09", "while the load acts nothing caps the order", SHOWN)(case, observer)
    yield from convergence("x4@1.45", "a load that ends inside a step leaves order 1", SHOWN)(case, observer)


def _history(case: Case, observer: Runner) -> dict[str, Any]:
    o, label = shown(case, SHOWN, observer)
    time, x = thinned(o.response.time, o.response.displacement[:, LOADED - 1], start=0.0, end=o.problem.end)
    motion = damped_chain.motion(**dict[str, Any](o.values))
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    curves = [series("reference", "reference", time, true), series("computed", "computed", time, x)]
    return figure(
        case.name,
        "mass-4",
        "Mass 4 under the force and after it",
        f"Reference dashed, {label} solid; beneath, the error.",
        [
            panel("t (s)", "displacement (m)", curves, events=[(o["duration"], "load ends")]),
            panel("t (s)", "error (m)", [series("error", "error", time, x - true)], events=[(o["duration"], "")]),
        ],
    )
