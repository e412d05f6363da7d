"""Beam on a stop: mid-span with its error, and what the number of modes changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import beam_on_stop
from veridyn.validation_cases.beam_stop import beam, theory
from veridyn.validation_cases.case import Bench, Case, Subject, Values
from veridyn.validation_cases.plotting import figure, panel, series, thinned

SHOWN = {1: "one mode", 3: "three modes", 5: "five modes"}
POINTS = 400


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _history(case, subject, bench)
    if subject.own:
        yield _truncation(case)


def _true(values: Values, times: list[float]) -> list[float]:
    motion = beam_on_stop.motion(**dict[str, Any](values))
    return [float(motion.mid_span(t)) for t in times]


def _history(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    o = bench.observe(case.run(subject, case.variants[0], subject.schemes[0]))
    middle = beam.mid_span(o.response.displacement.shape[1])
    time, w = thinned(o.response.time, o.response.displacement[:, middle], start=0.0, end=o["T"])
    true = np.array(_true(o.values, time.tolist()))
    marks = [(t, "") for t in theory.events(tuple(o.values.items()))]
    label = subject.schemes[0] or subject.name
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
