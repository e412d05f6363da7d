"""Beam on a stop: mid-span with its error, what the number of modes changes, convergence of the last release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import beam_on_stop
from veridyn.validation_cases.core.case import Case, Values
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.beam_stop import beam, measures

SHOWN = {1: "one mode", 3: "three modes", 5: "five modes"}
POINTS = 400
MANY = "5-modes"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    yield _history(case, observer)
    yield _truncation(case)
    yield from convergence("release_5", "where in a step a contact begins is chance", MANY)(case, observer)


def _true(values: Values, times: list[float]) -> list[float]:
    motion = beam_on_stop.motion(**dict[str, Any](values))
    return [float(motion("mid_span", t)) for t in times]


def _history(case: Case, observer: Runner) -> dict[str, Any]:
    o, label = shown(case, MANY, observer)
    middle = beam.mid_span(o.response.displacement.shape[1])
    time, w = thinned(o.response.time, o.response.displacement[:, middle], start=0.0, end=o["T"])
    true = np.array(_true(o.values, time.tolist()))
    marks = [(t, "") for t in measures.instants(o.values)]
    stop = series("stop", "limit", [0.0, o["T"]], [-o["gap"], -o["gap"]])
    return figure(
        case.name,
        "mid-span",
        "Mid-span, five modes",
        f"Reference dashed, {label} solid, the stop below; beneath, the error.",
        [
            panel(
                "t (s)",
                "displacement (m)",
                [series("reference", "reference", time, true), series("computed", "computed", time, w), stop],
                events=marks,
            ),
            panel("t (s)", "error (m)", [series("error", "error", time, w - true)], events=marks),
        ],
    )


def _truncation(case: Case) -> dict[str, Any]:
    end, gap = (float(case.values()[name]) for name in ("T", "gap"))
    times = np.linspace(0.0, end, POINTS)
    curves = [
        series(name, "computed", times, _true(case.values({"N": str(n)}), times.tolist())) for n, name in SHOWN.items()
    ]
    stop = series("stop", "limit", [0.0, end], [-gap, -gap])
    return figure(
        case.name,
        "truncation",
        "What the number of modes changes",
        "True motions of mid-span with one, three and five modes: two, four and five contacts.",
        [panel("t (s)", "displacement (m)", [*curves, stop])],
    )
