"""SDND107: histories with their error, hysteresis of the device, convergence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import zener
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd107 import measures
from veridyn.validation_cases.mechanics.sdnd107.measures import DIGITS


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    seen = {name: shown(case, name, observer) for name in ("linear", "power")}
    reported = {name: o for name, (o, _) in seen.items() if "force" in o.response.elements.get(measures.DEVICE, {})}
    label = seen["power"][1]
    if "power" in reported:
        yield _history(case, reported["power"], label)
    if reported:
        yield _loops(case, reported, label)
    remark = "a method that takes the elongation of the device for a line between two evaluations has order 2"
    yield from convergence("displacement@3.2", remark, "power")(case, observer)


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    force = measures.history(o, "force")
    time, x, f = thinned(o.response.time, o.response.displacement[:, 0], force, start=0.0, end=o.problem.end)
    motion = zener.motion(**o.values, digits=DIGITS)
    true_x, true_f = (np.array([float(motion(kind, t)) for t in time.tolist()]) for kind in ("displacement", "force"))
    return figure(
        case.name,
        "history",
        "Displacement and force, variant power",
        f"Reference dashed, {label} solid; the load ends at 0.8 s.",
        [
            panel(
                "t (s)", "x (m)", [series("reference", "reference", time, true_x), series(label, "computed", time, x)]
            ),
            panel(
                "t (s)", "F (N)", [series("reference", "reference", time, true_f), series(label, "computed", time, f)]
            ),
            panel("t (s)", "error of x (m)", [series(label, "error", time, x - true_x)]),
        ],
    )


def _loops(case: Case, seen: dict[str, Observation], label: str) -> dict[str, Any]:
    panels = []
    for name, o in seen.items():
        force = measures.history(o, "force")
        _, x, f = thinned(o.response.time, o.response.displacement[:, 0], force, start=0.0, end=o.problem.end)
        motion = zener.motion(**o.values, digits=DIGITS)
        times = np.linspace(0.0, o.problem.end, 400).tolist()
        true = [[float(motion(kind, t)) for t in times] for kind in ("displacement", "force")]
        curves = [series("reference", "reference", *true), series(label, "computed", x, f)]
        panels.append(panel(f"elongation (m), variant {name}", "force (N)", curves))
    caption = "What the loops enclose is dissipated; the linear device starts at the force of the sudden stretch."
    return figure(case.name, "loops", "Hysteresis of the device", caption, panels)
