"""SDND107: histories with their error, hysteresis of the device, orders of the schemes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import zener
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.plotting import figure, guide, panel, series, thinned
from veridyn.validation_cases.refining import archived_whole, constant_step
from veridyn.validation_cases.sdnd107 import measures
from veridyn.validation_cases.sdnd107.further import COARSE, LEVELS, error_at
from veridyn.validation_cases.sdnd107.published import TIMES
from veridyn.validation_cases.sdnd107.theory import DIGITS


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    scheme = subject.schemes[0]
    label = scheme or subject.name
    seen = {name: bench.observe(case.run(subject, case.variant(name), scheme)) for name in ("linear", "power")}
    yield _history(case, seen["power"], label)
    yield _loops(case, seen, label)
    if subject.own:
        yield _orders(case, subject, bench)


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    force = measures.history(o, "force")
    time, x, f = thinned(o.response.time, o.response.displacement[:, 0], force, start=0.0, end=o.problem.end)
    motion = zener.motion(**o.values, digits=DIGITS)
    states = [motion.state(t) for t in time.tolist()]
    true_x, true_f = (np.array([float(state[i]) for state in states]) for i in (0, 2))
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
        states = [motion.state(t) for t in np.linspace(0.0, o.problem.end, 400).tolist()]
        true = [[float(s.x) for s in states], [float(s.force) for s in states]]
        curves = [series("reference", "reference", *true), series(label, "computed", x, f)]
        panels.append(panel(f"elongation (m), variant {name}", "force (N)", curves))
    caption = "What the loops enclose is dissipated; the linear device starts at the force of the sudden stretch."
    return figure(case.name, "loops", "Hysteresis of the device", caption, panels)


def _orders(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    steps, curves = halvings(COARSE, LEVELS), []
    for scheme in subject.schemes:
        base = case.run(subject, case.variant("power"), scheme)
        motion = zener.motion(**base.values, digits=DIGITS)
        true = np.array([float(motion.displacement(time)) for time in TIMES])
        errors = [error_at(bench.observe(constant_step(archived_whole(base), h)), true) for h in steps]
        curves.append(series(scheme, "computed", steps, errors))
    return figure(
        case.name,
        "convergence",
        "Order 2 for all schemes: the device sees a line between two evaluations",
        "Largest error of the displacement at six instants over the step, variant power.",
        [panel("step (s)", "error (m)", [*curves, guide("order 2", steps, 1e-5, 2)], log=True)],
    )
