"""SDND103: the motion and its error, the spring, and what the kink costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.solver.balance import element_history
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.plotting import figure, guide, panel, series, thinned
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdnd103.further import (
    CHOSEN,
    LEVELS,
    free_errors,
    free_steps,
    worst_error,
)
from veridyn.validation_cases.sdnd103.measures import SPRING

STUDIED = ("symplectic_euler", "devogelaere", "runge_kutta_54")
DOTS = 7  # every seventh state is drawn, so that the law shows between them


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    o = bench.observe(case.run(subject, case.variant(CHOSEN), subject.schemes[0]))
    label = subject.schemes[0] or subject.name
    yield _motion(case, o, label)
    yield _spring(case, o, label)
    if subject.own:
        yield _orders(case, subject, bench)


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


def _orders(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    """Return errors over the step, along the chosen motion and in free vibration."""
    chosen, free = [], []
    for scheme in (s for s in STUDIED if s in subject.schemes):
        base = case.run(subject, case.variant(CHOSEN), scheme)
        steps = halvings(float(base.settings["step"]), LEVELS)
        errors = [worst_error(bench.observe(constant_step(base, h))) for h in steps]
        chosen.append(series(scheme, "computed", steps, errors))
        free_longest = [level[0] for level in free_steps(base.values)]
        free.append(series(scheme, "computed", free_longest, free_errors(case, base, bench)))
    return figure(
        case.name,
        "orders",
        "What the kink costs: nothing along the chosen motion, the fourth and fifth order in free vibration",
        "Above: largest error of the displacement over a0. Below: largest error of the first five zeros of "
        "the free vibration that reaches 0.4 x0 on the same spring, over the time between two; worst of twelve steps "
        "per halving.",
        [
            panel("step (s)", "error/a0, chosen motion", [*chosen, guide("order 5", steps, 6e-10, 5)], log=True),
            panel("step (s)", "relative error, free", [*free, guide("order 3", free_longest, 1e-6, 3)], log=True),
        ],
    )
