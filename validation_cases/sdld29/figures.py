"""SDLD29: mass 4 under the force and after it, with the errors of all schemes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import damped_chain
from veridyn.references.damped_chain import LOADED
from veridyn.validation_cases.case import Bench, Case, Subject
from veridyn.validation_cases.plotting import figure, panel, series, thinned


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    curves, errors = [], []
    variant = case.variants[0]
    for number, scheme in enumerate(subject.schemes):
        o = bench.observe(case.run(subject, variant, scheme))
        x = o.response.displacement[:, LOADED - 1]
        time, x = thinned(o.response.time, x, start=0.0, end=o.problem.end)
        motion = damped_chain.motion(**dict[str, Any](o.values))
        true = np.array([float(motion.displacement(t)) for t in time.tolist()])
        if number == 0:
            curves = [series("reference", "reference", time, true), series("computed", "computed", time, x)]
        errors.append(series(scheme or subject.name, "error", time, x - true))
    ends = [(float(case.values(variant.changes)["duration"]), "load ends")]
    yield figure(
        case.name,
        "mass-4",
        "Mass 4 under the force and after it",
        f"Reference dashed, {subject.schemes[0] or subject.name} solid; beneath, the errors of all schemes: what lags "
        "and what loses part of a step when the load ends.",
        [
            panel("t (s)", "displacement (m)", curves, events=ends),
            panel("t (s)", "error (m)", errors, events=[(end, "") for end, _ in ends]) | {"height": 1.4},
        ],
    )
