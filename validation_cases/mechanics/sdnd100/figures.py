"""SDND100: the decay, the phase portrait with the places where friction holds, and convergence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import friction_decay
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import POINTS, convergence, figure, panel, series, shown, thinned

LINE = "line"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    yield _decay(case, *shown(case, LINE, observer))
    yield _portrait(case, *shown(case, "twenty", observer))
    remark = "friction that turns inside a step leaves order 1 or 2; penalised, it unwinds after the last stop"
    yield from convergence("final_position", remark, LINE)(case, observer)


def _decay(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = friction_decay.motion(**o.values, digits=15)
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    turns, held = motion.events(), float(friction_decay.held(**o.values, digits=15))
    edge = [0.0, o.problem.end]
    return figure(
        case.name,
        "decay",
        "Free decay under dry friction",
        f"Reference dashed, {label} solid; the turning points fall by 2 C each, and the first between the limits ±C is "
        "the last. Vertical lines: true turning points.",
        [
            panel(
                "t (s)",
                "x (m)",
                [
                    series("reference", "reference", time, true),
                    series(label, "computed", time, x),
                    series("friction holds", "limit", edge, [held, held]),
                    series("", "limit", edge, [-held, -held]),
                ],
                events=[(float(t), name) for t, name in turns[1:]],
            ),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _portrait(case: Case, o: Observation, label: str) -> dict[str, Any]:
    response = o.response
    histories = (response.displacement[:, 0], response.velocity[:, 0])
    time, x, v = thinned(response.time, *histories, start=0.0, end=o.problem.end, points=2 * POINTS)
    motion = friction_decay.motion(**o.values, digits=15)
    true = [[float(motion(name, t)) for t in time.tolist()] for name in ("displacement", "velocity")]
    held = float(friction_decay.held(**o.values, digits=15))
    return figure(
        case.name,
        "portrait",
        "Phase portrait of twenty half cycles",
        f"Half circles about ±C (x over v/omega would be round); reference dashed, {label} solid. The thick segment "
        "holds all states of rest: the slider stops at the first turning point on it.",
        [
            panel(
                "x (m)",
                "v (m/s)",
                [
                    series("reference", "reference", *true),
                    series(label, "computed", x, v),
                    series("friction holds", "limit", [-held, held], [0.0, 0.0]),
                ],
            )
        ],
    )
