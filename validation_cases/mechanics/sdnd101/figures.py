"""SDND101: histories, force close-up, the convergence study and the hundredth impact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import elastic_stop
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd101.measures import FEW, given, true_instants

SHOWN = "2-shocks"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o, label = shown(case, SHOWN, observer)
    yield _history(case, o, label)
    yield _portrait(case, o, label)
    yield _force(case, o, label)
    remark = "contacts begin and end inside steps, which leaves order 2"
    yield from convergence(case, SHOWN, "contact_duration", observer, remark)


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = elastic_stop.motion(**given(o.values), digits=15)
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    instants = true_instants(o.values, FEW)
    return figure(
        case.name,
        "displacement",
        "Displacement over two impacts",
        f"Reference dashed, {label} solid; the stop is touched above zero. Vertical lines: true contact instants.",
        [
            panel(
                "t (s)",
                "x (m)",
                [series("reference", "reference", time, true), series(label, "computed", time, x)],
                events=list(zip(instants.tolist(), ("touch", "release") * 2, strict=True)),
            ),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _portrait(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x, v = thinned(
        o.response.time, o.response.displacement[:, 0], o.response.velocity[:, 0], start=0.0, end=o.problem.end
    )
    motion = elastic_stop.motion(**given(o.values), digits=15)
    true = np.array([[float(motion("displacement", t)), float(motion("velocity", t))] for t in time.tolist()])
    return figure(
        case.name,
        "phase-portrait",
        "Phase portrait over two impacts",
        f"Reference dashed, {label} solid: two half ellipses that meet at the stop, narrow in contact. A solver that "
        "loses or makes energy leaves the closed curve.",
        [
            panel(
                "x (m)",
                "v (m/s)",
                [series("reference", "reference", *true.T), series(label, "computed", x, v)],
                events=[(0.0, "stop")],
            )
            | {"height": 1.3}
        ],
    )


def _force(case: Case, o: Observation, label: str) -> dict[str, Any]:
    duration = float(elastic_stop.contact_duration(**given(o.values), digits=15))
    start = float(elastic_stop.contact_start(shock=2, **given(o.values), digits=15))
    window = (start - 0.1 * duration, start + 1.1 * duration)
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=window[0], end=window[1])
    motion = elastic_stop.motion(**given(o.values), digits=15)
    fine = np.linspace(*window, 300)
    true = np.array([float(motion("force", t)) for t in fine.tolist()])
    computed = np.maximum(0.0, o["kc"] * x)
    error = computed - np.array([float(motion("force", t)) for t in time.tolist()])
    return figure(
        case.name,
        "force",
        "Force of the second impact",
        f"Half sine of duration pi/w_c; dots are the samples of {label}, beneath them their "
        "error. The largest sample is not the peak.",
        [
            panel(
                "t (s)",
                "force (N)",
                [
                    series("reference", "reference", fine, true),
                    series(label, "computed", time, computed, marker=True),
                ],
                events=[(start, "touch"), (start + duration / 2, "peak"), (start + duration, "release")],
            ),
            panel("t (s)", "error (N)", [series(label, "error", time, error)]),
        ],
    )
