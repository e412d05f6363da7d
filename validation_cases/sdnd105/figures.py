"""SDND105: history, force over crush, and the order that the collapse leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import buckling_stop
from veridyn.solver.balance import element_history
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.plotting import figure, guide, panel, series, thinned
from veridyn.validation_cases.refining import archived_whole, constant_step
from veridyn.validation_cases.sdnd105 import measures, theory

COARSE, LEVELS = 8e-3, 7  # s, halvings
SHOWN = ("symplectic_euler", "devogelaere", "runge_kutta_54")


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    scheme = subject.schemes[0]
    label = scheme or subject.name
    seen = {name: bench.observe(case.run(subject, case.variant(name), scheme)) for name in ("a", "c")}
    yield _history(case, seen["c"], label)
    yield _law(case, seen, label)
    if subject.own:
        yield _convergence(case, subject, bench)


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, measures.path(o), start=0.0, end=o.problem.end)
    motion = buckling_stop.motion(**o.values, digits=15)
    true = np.array([float(motion.displacement(t)) for t in time.tolist()])
    t = theory.truth(o.values)
    names = ("buckles", "softens", "collapsed", "turns", "released")
    instants = [*(phase.start for phase in t.loading[1:]), t.turning, t.release]
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
        t = theory.truth(o.values)
        corners = [phase.start for phase in t.loading[1:]]  # where the force may fall at once: both sides are drawn
        fine = sorted([*np.linspace(0.0, o.problem.end, 500), *corners, *np.nextafter(corners, 0.0)])
        true = np.array([[float(motion.displacement(instant)), float(motion.force(instant))] for instant in fine])
        curves = [series("reference", "reference", true[:, 0], true[:, 1]), series(label, "computed", x, f)]
        panels.append(panel(f"crush (m), variant {name}", "force (N)", curves))
    caption = "Elastic contact, collapse or plateau and softening, and the elastic return to the residual crush."
    return figure(case.name, "law", "Force over crush", caption, panels)


def _convergence(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    steps, curves = halvings(COARSE, LEVELS), []
    for name in ("a", "c"):
        for scheme in SHOWN:
            base = case.run(subject, case.variant(name), scheme)
            true = float(theory.truth(base.values).residual)
            seen = [bench.observe(constant_step(archived_whole(base), h)) for h in steps]
            errors = [abs(measures.residual_crush(o) / true - 1) for o in seen]
            curves.append(series(f"{name}: {scheme}", "computed", steps, errors))
    return figure(
        case.name,
        "convergence",
        "Residual crush: order 1 where the force collapses, order 2 where it has kinks",
        "Relative error over the step. In variant a it depends on where in a step the stop buckles, whatever the order "
        "of the scheme.",
        [
            panel(
                "step (s)",
                "relative error",
                [*curves, guide("order 1", steps, 5e-3, 1), guide("order 2", steps, 1e-4, 2)],
                log=True,
            )
        ],
    )
