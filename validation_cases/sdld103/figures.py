"""SDLD103: histories with their error, and the orders of the schemes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import driven_chain
from veridyn.validation_cases.case import Bench, Case, Subject, Values
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.plotting import figure, guide, panel, series, study, thinned
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdld103.further import COARSE, ORDER_LEVELS
from veridyn.validation_cases.sdld103.measures import NODES, relative

Floats = NDArray[np.float64]


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _history(case, subject, bench)
    if subject.own:
        yield _orders(case, subject, bench)


def _true(values: Values, node: str, times: Floats) -> Floats:
    motion = driven_chain.motion(driven_chain.uniform_chain(m=values["m"], k=values["k"], a=values["a"]), digits=20)
    number = NODES.index(node) + 2
    return np.array([float(motion.displacement("relative", number, t)) for t in times.tolist()])


def _history(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    curves, errors = [], []
    scheme = subject.schemes[0]
    o = bench.observe(case.run(subject, case.variants[0], scheme))
    for i, node in enumerate(NODES):
        time, x = thinned(o.response.time, o.response.displacement[:, i], start=0.0, end=o.problem.end)
        true = _true(o.values, node, time)
        name = "" if i else "reference"  # one entry in the legend serves all three
        curves += [series(name, "reference", time, true), series(node, "computed", time, x)]
        errors.append(series(node, "error", time, x - true))
    label = scheme or subject.name
    return figure(
        case.name,
        "relative-displacement",
        "Relative displacements",
        f"Reference dashed, {label} solid; beneath, the error: the phase error of the free vibration, not the growing "
        "forced part.",
        [panel("t (s)", "relative displacement (m)", curves), panel("t (s)", "error (m)", errors)],
    )


def _orders(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    steps = halvings(COARSE, ORDER_LEVELS)
    curves = []
    for scheme in subject.schemes:
        base = case.run(subject, case.variants[0], scheme)
        true = _true(base.values, "NO2", np.array([1.0]))[0]
        errors = [abs(relative(bench.observe(constant_step(base, h)), "NO2", 1.0) / true - 1) for h in steps]
        curves += study(scheme, steps, errors)
    return figure(
        case.name,
        "convergence",
        "Orders of the schemes on the linear problem",
        "Relative error of NO2 at 1 s over the step. Symplectic Euler and central differences give the same "
        "displacements at constant step. Dotted: the fit over the asymptotic range, whose order the legend gives.",
        [
            panel(
                "step (s)",
                "relative error",
                [*curves, guide("order 2", steps, 3e-5, 2), guide("order 4", steps, 1e-7, 4)],
                log=True,
            )
        ],
    )
