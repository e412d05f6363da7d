"""SDLD103: histories with their error, and how errors fall with the refined setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import driven_chain
from veridyn.validation_cases.core.case import Case, Values
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdld103.measures import NODES

Floats = NDArray[np.float64]


SHOWN = "A"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _history(case, observer)
    yield from convergence("relative_NO2@1.0", "a smooth load, so that nothing caps the order", SHOWN)(case, observer)


def _true(values: Values, node: str, times: Floats) -> Floats:
    motion = driven_chain.motion(**values, digits=20)
    number = NODES.index(node) + 2
    return np.array([float(motion(f"relative displacement {number}", t)) for t in times.tolist()])


def _history(case: Case, observer: Runner) -> dict[str, Any]:
    curves, errors = [], []
    o, label = shown(case, SHOWN, observer)
    for i, node in enumerate(NODES):
        time, x = thinned(o.response.time, o.response.displacement[:, i], start=0.0, end=o.problem.end)
        true = _true(o.values, node, time)
        name = "" if i else "reference"  # one entry in the legend serves all three
        curves += [series(name, "reference", time, true), series(node, "computed", time, x)]
        errors.append(series(node, "error", time, x - true))
    return figure(
        case.name,
        "relative-displacement",
        "Relative displacements",
        f"Reference dashed, {label} solid; beneath, the error.",
        [panel("t (s)", "relative displacement (m)", curves), panel("t (s)", "error (m)", errors)],
    )
