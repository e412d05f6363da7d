"""Damped stop: five rebounds with their error, and the force that ends before the stop is let go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import damped_stop
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.damped_stop import measures

SHOWN = "light"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    o, label = shown(case, SHOWN, observer)
    yield _rebounds(case, o, label)
    if measures.STOP in o.response.elements:
        yield _force(case, o, label)
    remark = "a touch inside a step, where the force jumps, leaves order 1"
    yield from convergence("rebound_5", remark, SHOWN)(case, observer)


def _rebounds(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = damped_stop.motion(**measures.given(o.values))
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    curves = [series("reference", "reference", time, true), series("computed", "computed", time, x)]
    return figure(
        case.name,
        "rebounds",
        "Five rebounds",
        f"Reference dashed, {label} solid, positive into the stop; beneath, the error.",
        [
            panel("t (s)", "displacement (m)", curves),
            panel("t (s)", "error (m)", [series("error", "error", time, x - true)]),
        ],
    )


def _force(case: Case, o: Observation, label: str) -> dict[str, Any]:
    opened = measures.opening(o, 1)
    time, push = thinned(o.response.time, measures.force(o), start=0.0, end=opened)
    motion = damped_stop.motion(**measures.given(o.values))
    true = np.array([float(motion("force", t)) for t in time.tolist()])
    elastic = np.array([o["kc"] * max(0.0, float(motion("displacement", t))) for t in time.tolist()])
    return figure(
        case.name,
        "force",
        "Force of the first contact",
        f"Reference dashed, {label} solid; beside them k_c x alone. The force jumps at the touch and ends before the "
        "gap opens.",
        [
            panel(
                "t (s)",
                "force (N)",
                [
                    series("reference", "reference", time, true),
                    series("computed", "computed", time, push),
                    series("k_c x", "limit", time, elastic),
                ],
            )
        ],
    )
