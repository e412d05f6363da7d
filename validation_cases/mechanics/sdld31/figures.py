"""SDLD31: growth at resonance with its error, and how errors beside resonance fall with the refined setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import forced_oscillator
from veridyn.validation_cases.core.case import Case
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned

SHOWN, REFINED = "321b", "31b"


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data."""
    yield _growth(case, observer)
    yield from convergence("x@1.0", "a smooth load beside resonance caps no order", REFINED)(case, observer)


def _growth(case: Case, observer: Runner) -> dict[str, Any]:
    o, label = shown(case, SHOWN, observer)
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o["T"])
    given: dict[str, Any] = {name: value for name, value in o.values.items() if name != "T"}
    motion = forced_oscillator.motion(**given)
    true = np.array([float(motion("displacement", t)) for t in time.tolist()])
    xi, w = o["xi"], o["omega0"]
    envelope = o["F"] / (2 * xi * o["m"] * w**2) * (1 - np.exp(-xi * w * time))
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
