"""SDLD31: growth at resonance with its error, and the phase that the schemes gain or lose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import forced_oscillator
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Bench, Case, Subject
from veridyn.validation_cases.plotting import figure, panel, series, thinned
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdld31.further import DRIFT_NUMBER, UNDAMPED, true_zeros
from veridyn.validation_cases.sdld31.measures import zeros


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _growth(case, subject, bench)
    if subject.own:
        yield _drift(case, subject, bench)


def _growth(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    o = bench.observe(case.run(subject, case.variant("321b"), subject.schemes[0]))
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o["T"])
    given: dict[str, Any] = {name: value for name, value in o.values.items() if name != "T"}
    motion = forced_oscillator.motion(**given)
    true = np.array([float(motion.displacement(t)) for t in time.tolist()])
    xi, w = o["xi"], o["omega0"]
    envelope = o["F"] / (2 * xi * o["m"] * w**2) * (1 - np.exp(-xi * w * time))
    label = subject.schemes[0] or subject.name
    return figure(
        case.name,
        "growth-at-resonance",
        "Growth at resonance, ξ = 0.01",
        f"Reference dashed, {label} solid, within the envelope F/(2 ξ m w0²) (1 - e^(-ξ w0 t)); beneath, the error.",
        [
            panel(
                "t (s)",
                "displacement (m)",
                [
                    series("reference", "reference", time, true),
                    series("computed", "computed", time, x),
                    series("envelope", "limit", time, envelope),
                ],
            ),
            panel("t (s)", "error (m)", [series("error", "error", time, x - true)]),
        ],
    )


def _drift(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    curves = []
    for scheme in subject.schemes:
        if SCHEMES[scheme].phase is None:
            continue
        run = case.run(subject, case.variant(UNDAMPED), scheme)
        w = float(run.values["omega0"])
        o = bench.observe(constant_step(run, DRIFT_NUMBER / w))
        true, found = true_zeros(w, o["T"]), zeros(o)
        ahead = w * (true - found[np.abs(found[:, None] - true).argmin(axis=0)])
        curves.append(series(scheme, "computed", w * true, np.abs(ahead)))
    return figure(
        case.name,
        "phase-drift",
        "Phase drift at undamped resonance",
        f"Phase gained or lost over the radians passed, w0 h = {DRIFT_NUMBER:g}: half the phase error of the scheme "
        "per radian.",
        [panel("w0 t (rad)", "phase error (rad)", curves, log=True)],
    )
