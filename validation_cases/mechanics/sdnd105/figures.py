"""SDND105: history, force over crush, and the order that the collapse leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import buckling_stop
from veridyn.solver.postprocessing.balance import element_history
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd105 import measures

COLLAPSING, SOFTENING = "a", "c"  # variants


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    collapsing, label = shown(case, COLLAPSING, observer)
    softening, _ = shown(case, SOFTENING, observer)
    yield _history(case, softening, label)
    yield _law(case, {COLLAPSING: collapsing, SOFTENING: softening}, label)
    remark = "where in a step the force collapses is chance, which leaves order 1"
    yield from convergence("residual_crush", remark, COLLAPSING)(case, observer)
    remark = "the force softens, and its kinks leave order 2"
    yield from convergence("return_time", remark, SOFTENING)(case, observer)


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, measures.path(o), start=0.0, end=o.problem.end)
    motion = buckling_stop.motion(**o.values, digits=15)
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    t = measures.truth(o.values)
    names = ("buckles", "softens", "collapsed", "turns", "released")
    instants = [*(instant for instant, _ in t.changes), t.turning, t.release]
    return figure(
        case.name,
        "displacement",
        "Displacement, variant c",
        f"Reference dashed, {label} solid. Vertical lines: true changes of phase.",
        [
            panel(
                "t (s)",
                "x (m)",
                [series("reference", "reference", time, true), series(label, "computed", time, x)],
                events=list(zip(instants, names, strict=True)),
            ),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _law(case: Case, seen: dict[str, Observation], label: str) -> dict[str, Any]:
    panels = []
    for name, o in seen.items():
        force = element_history(o.response, measures.STOP, of="buckling-stop")
        _, x, f = thinned(o.response.time, measures.path(o), force, start=0.0, end=o.problem.end)
        motion = buckling_stop.motion(**o.values, digits=15)
        corners = [
            instant for instant, _ in measures.truth(o.values).changes
        ]  # where the force may fall at once: both sides are drawn
        fine = sorted([*np.linspace(0.0, o.problem.end, 500), *corners, *np.nextafter(corners, 0.0)])
        true = np.array([[float(motion("displacement", t)), float(motion("force", t))] for t in fine])
        curves = [series("reference", "reference", true[:, 0], true[:, 1]), series(label, "computed", x, f)]
        panels.append(panel(f"crush (m), variant {name}", "force (N)", curves))
    caption = "Elastic contact, collapse or plateau and softening, and the elastic return to the residual crush."
    return figure(case.name, "law", "Force over crush", caption, panels)
