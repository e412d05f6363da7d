"""Figures that driven oscillators with a stop have in common: gap, a contact close up, errors of instants."""

from __future__ import annotations

from typing import Any

import numpy as np

from veridyn.references import impact_oscillator
from veridyn.references.motion import Motion
from veridyn.solver.postprocessing.balance import stop_gap
from veridyn.validation_cases.core.case import Case, Observation
from veridyn.validation_cases.measures import impact_conditioning, impacts, vibro_impact
from veridyn.validation_cases.measures.plotting import Floats, figure, panel, series, thinned

FINE = 200  # points of a true curve


def _true(o: Observation) -> Motion:
    return impact_oscillator.motion(digits=15, **vibro_impact.given(o.values))


def history(case: Case, o: Observation, label: str, end: float) -> dict[str, Any]:
    """Return the gap up to an instant, computed and true, and its error."""
    time, gap = thinned(o.response.time, stop_gap(o.problem, o.response, o.problem.stops[0]), start=0.0, end=end)
    motion = _true(o)
    true = o["gap"] - np.array([float(motion("displacement", t)) for t in time.tolist()])
    instants = vibro_impact.true_instants(o.values)
    touches = [(t, "touch") for t in instants[0::2] if t <= end]
    curves = [series("reference", "reference", time, true), series(label, "computed", time, gap)]
    return figure(
        case.name,
        "gap",
        "Gap until the first contacts are over",
        f"Reference dashed, {label} solid; the stop is touched below zero. Vertical lines: true touches.",
        [
            panel("t (s)", "gap (m)", curves, events=touches),
            panel("t (s)", "error (m)", [series(label, "error", time, gap - true)]),
        ],
    )


def close_up(case: Case, o: Observation, label: str, contact: int) -> dict[str, Any]:
    """Return the force of one contact over time and over the penetration."""
    touch, release = vibro_impact.true_instants(o.values)[2 * contact - 2 : 2 * contact]
    margin = 0.2 * (release - touch)
    fine = np.linspace(touch - margin, release + margin, FINE)
    motion = _true(o)
    true = np.array([float(motion("force", t)) for t in fine.tolist()])
    time, gap, reported = _sampled(o, touch - margin, release + margin)
    true_gap = o["gap"] - np.array([float(motion("displacement", t)) for t in fine.tolist()])
    return figure(
        case.name,
        f"contact-{contact}",
        f"Contact {contact} close up",
        f"Over the time after the touch at {touch:.6g} s, and over the penetration, where the law of the stop is a "
        f"line. Reference dashed, dots: {label}.",
        [
            panel("time after the touch (s)", "force (N)", _pair(label, fine - touch, true, time - touch, reported)),
            panel("penetration (m)", "force (N)", _pair(label, -true_gap, true, -gap, reported)),
        ],
    )


def _pair(label: str, x: Floats, true: Floats, seen: Floats, computed: Floats) -> list[dict[str, Any]]:
    return [series("reference", "reference", x, true), series(label, "computed", seen, computed, marker=True)]


def _sampled(o: Observation, start: float, end: float) -> tuple[Floats, ...]:
    """Return instants, gaps and forces in a window; forces as reported, or from the gap where none are."""
    stop = o.problem.stops[0]
    gap = stop_gap(o.problem, o.response, stop)
    implied = stop.stiffness * np.maximum(0.0, -gap)
    force = o.response.elements.get(stop.name, {}).get("normal_force", implied)
    return thinned(o.response.time, gap, force, start=start, end=end)


def errors_of_instants(case: Case, o: Observation, label: str) -> dict[str, Any]:
    """Return the error of every instant of contact over the time."""
    true = vibro_impact.true_instants(o.values)
    seen = impacts.instants(o)
    known = min(true.size, seen.size)
    error = np.abs(seen[:known] - true[:known])
    curves = [series(label, "computed", true[:known], np.maximum(error, 1e-17), marker=True)]
    return figure(
        case.name,
        "instants",
        "Error of every instant of contact",
        f"{label}; the contacts magnify a perturbation by up to {impact_conditioning.amplification(o.values):.2g}.",
        [panel("t (s)", "error (s)", curves) | {"yscale": "log"}],
    )
