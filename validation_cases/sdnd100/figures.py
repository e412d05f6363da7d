"""SDND100: the decay, the phase portrait with the places where friction holds, and convergence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import friction_decay
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.making import quantity_of
from veridyn.validation_cases.plotting import POINTS, figure, guide, panel, series, thinned
from veridyn.validation_cases.refining import refined
from veridyn.validation_cases.sdnd100 import measures

LINE = "line"


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    label = subject.schemes[0] or subject.name
    o = bench.observe(case.run(subject, case.variant(LINE), subject.schemes[0]))
    yield _decay(case, o, label)
    many = bench.observe(case.run(subject, case.variant("twenty"), subject.schemes[0]))
    yield _portrait(case, many, label)
    if subject.own:
        yield _convergence(case, subject, bench)


def _decay(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = friction_decay.motion(**o.values, digits=15)
    true = np.array([float(motion.displacement(t)) for t in time.tolist()])
    turns, held = motion.turns(), float(motion.held())
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
                events=[(float(t), f"turn {n}") for n, (t, _) in enumerate(turns[1:], start=1)],
            ),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _portrait(case: Case, o: Observation, label: str) -> dict[str, Any]:
    response = o.response
    histories = (response.displacement[:, 0], response.velocity[:, 0])
    time, x, v = thinned(response.time, *histories, start=0.0, end=o.problem.end, points=2 * POINTS)
    motion = friction_decay.motion(**o.values, digits=15)
    places, speeds = (np.array([float(f(t)) for t in time.tolist()]) for f in (motion.displacement, motion.velocity))
    held = float(motion.held())
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
                    series("reference", "reference", places, speeds),
                    series(label, "computed", x, v),
                    series("friction holds", "limit", [-held, held], [0.0, 0.0]),
                ],
            )
        ],
    )


def _convergence(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    """Error of the final position over the step, penalty refined with it."""
    truth = float(quantity_of(case, "final_position").truth(case.values(case.variant(LINE).changes)))
    steps: list[float] = []
    curves = []
    for scheme in subject.schemes[:3]:
        base = case.run(subject, case.variant(LINE), scheme)
        steps = halvings(4 * float(base.settings["step"]), 4)
        errors = [abs(measures.final_position(bench.observe(refined(base, h))) / truth - 1) for h in steps]
        curves.append(series(scheme, "computed", steps, errors))
    return figure(
        case.name,
        "convergence",
        "Convergence of the final position",
        "Relative error over the step, with k_T step² kept constant: what is seen is the stick spring that unwinds "
        "after the last stop.",
        [panel("step (s)", "relative error", [*curves, guide("order 2", steps, 3e-4, 2)], log=True)],
    )
