"""Damped stop: five rebounds with their error, and the force that ends before the stop is let go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import damped_stop
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.damped_stop import measures, theory
from veridyn.validation_cases.plotting import figure, panel, series, thinned


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    o = bench.observe(case.run(subject, case.variants[0], subject.schemes[0]))
    label = subject.schemes[0] or subject.name
    yield _rebounds(case, o, label)
    if measures.STOP in o.response.elements:
        yield _force(case, o, label)


def _rebounds(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = damped_stop.motion(**theory.given(o.values))
    true = np.array([float(motion.displacement(t)) for t in time.tolist()])
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
    motion = damped_stop.motion(**theory.given(o.values))
    true = np.array([float(motion.stop_force(t)) for t in time.tolist()])
    elastic = np.array([o["kc"] * max(0.0, float(motion.displacement(t))) for t in time.tolist()])
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
