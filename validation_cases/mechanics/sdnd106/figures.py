"""SDND106: displacements, velocities, spring force against the limits of friction, phase portrait of the spring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import pulled_pair
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd106 import measures

SHOWN = "stat-dyna"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o, label = shown(case, SHOWN, observer)
    histories = (*o.response.displacement.T, *o.response.velocity.T)
    time, x1, x2, v1, v2 = thinned(o.response.time, *histories, start=0.0, end=o.problem.end)
    motion = pulled_pair.motion(**o.values, digits=15)
    true = np.array([[float(motion(what, t)) for what in ("x1", "v1", "x2", "v2")] for t in time.tolist()])
    yield _velocities(case, o, true, (time, v1, v2), label)
    yield _spring(case, o, true, (time, x1, x2), label)
    yield _portrait(case, o, true, (x2 - x1, v1), label)
    yield from convergence("final_position", "forces that jump inside a step leave order 1", SHOWN)(case, observer)


def _velocities(case: Case, o: Observation, true: Any, computed: Any, label: str) -> dict[str, Any]:
    time, v1, v2 = computed
    return figure(
        case.name,
        "velocity",
        "Stick, slip, stick: velocities",
        f"Reference dashed, {label} solid; v1 dips without reaching zero. Vertical lines: true changes of phase.",
        [
            panel(
                "t (s)",
                "velocity (m/s)",
                [
                    series("reference", "reference", time, true[:, 1]),
                    series("", "reference", time, true[:, 3]),
                    series(f"m1, {label}", "computed", time, v1),
                    series(f"m2, {label}", "computed", time, v2),
                ],
                events=measures.changes(o.values),
            ),
            panel("t (s)", "error of m1 (m/s)", [series(label, "error", time, v1 - true[:, 1])]),
        ],
    )


def _spring(case: Case, o: Observation, true: Any, computed: Any, label: str) -> dict[str, Any]:
    time, x1, x2 = computed
    grip, edge = o["mu_s"] * o["normal"], [0.0, o.problem.end]
    return figure(
        case.name,
        "spring",
        "Spring force and the limits of static friction",
        f"Reference dashed, {label} solid; m1 breaks away when the spring reaches mu_s N.",
        [
            panel(
                "t (s)",
                "k (x2 - x1) (N)",
                [
                    series("reference", "reference", time, o["k"] * (true[:, 2] - true[:, 0])),
                    series(label, "computed", time, o["k"] * (x2 - x1)),
                    series("±mu_s N", "limit", edge, [grip, grip]),
                    series("", "limit", edge, [-grip, -grip]),
                ],
                events=measures.changes(o.values),
            )
        ],
    )


def _portrait(case: Case, o: Observation, true: Any, computed: Any, label: str) -> dict[str, Any]:
    u, v1 = computed
    held = o["mu_s"] * o["normal"] / o["k"]
    rest = (true[:, 1] == 0) & (true[:, 0] > 0)
    return figure(
        case.name,
        "portrait",
        "Phase portrait of m1 against the spring",
        f"Velocity of m1 over the elongation of the spring; reference dashed, {label} solid. On the segment, where the "
        "elongation is within mu_s N/k, m1 can rest: there it ends.",
        [
            panel(
                "x2 - x1 (m)",
                "v1 (m/s)",
                [
                    series("reference", "reference", true[:, 2] - true[:, 0], true[:, 1]),
                    series(label, "computed", u, v1),
                    series("friction holds", "limit", [-held, held], [0.0, 0.0]),
                    series("rest at the end", "guide", (true[:, 2] - true[:, 0])[rest], true[rest, 1], marker=True),
                ],
            )
        ],
    )
