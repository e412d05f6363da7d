"""SDND103: the motion and its error, the spring, and what the kink costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.solver.postprocessing.balance import element_history
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd103.measures import SPRING

CHOSEN = "chosen"
DOTS = 7  # every seventh state is drawn, so that the law shows between them


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o, label = shown(case, CHOSEN, observer)
    yield _motion(case, o, label)
    if "force" in o.response.elements.get(SPRING, {}):
        yield _spring(case, o, label)
    remark = "the support takes the kink of the spring away, so that the order of the method shows"
    yield from convergence("displacement@18", remark, CHOSEN)(case, observer)


def _motion(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    true = o["a0"] * np.sin(o["w0"] * time)
    return figure(
        case.name,
        "displacement",
        "The chosen motion, and the error",
        f"Reference dashed, {label} solid. The error is a free vibration, set off by the first step.",
        [
            panel("t (s)", "x (m)", [series("reference", "reference", time, true), series(label, "computed", time, x)]),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _spring(case: Case, o: Observation, label: str) -> dict[str, Any]:
    reach = 1.1 * o["a0"]
    u = np.linspace(-reach, reach, 201)
    softening = element_history(o.response, SPRING, of="device")
    _, x, force = thinned(o.response.time, o.response.displacement[:, 0], softening, start=0.0, end=o.problem.end)
    return figure(
        case.name,
        "spring",
        "The softening term of the spring",
        f"-k0 x |x|/x0; dots are the states of {label}. Its slope has a kink at zero.",
        [
            panel(
                "x (m)",
                "force (N)",
                [
                    series("law", "reference", u, -o["k0"] * u * np.abs(u) / o["x0"]),
                    series(label, "computed", x[::DOTS], force[::DOTS], marker=True),
                ],
            )
        ],
    )
