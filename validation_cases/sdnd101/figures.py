"""SDND101: histories, force close-up, the convergence study and the hundredth impact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from veridyn.references import elastic_stop
from veridyn.solver.impacts import sampled_impacts
from veridyn.validation_cases.case import Bench, Case, Observation, Subject
from veridyn.validation_cases.convergence import halvings
from veridyn.validation_cases.plotting import figure, guide, panel, series, study, thinned
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdnd101 import measures
from veridyn.validation_cases.sdnd101.further import SHORT, true_instants

LEVELS = 6


def figures(case: Case, subject: Subject, bench: Bench) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    base = case.run(subject, case.variant(SHORT), subject.schemes[0])
    o = bench.observe(base)
    label = subject.schemes[0] or subject.name
    yield _history(case, o, label)
    yield _portrait(case, o, label)
    yield _force(case, o, label)
    if subject.own:
        yield _convergence(case, subject, bench)


def _given(o: Observation) -> dict[str, Any]:
    return {name: o.values[name] for name in ("m", "k", "kc", "v0")}


def _history(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=0.0, end=o.problem.end)
    motion = elastic_stop.motion(**_given(o), digits=15)
    true = np.array([float(motion.displacement(t)) for t in time.tolist()])
    instants = true_instants(o.values, 2)
    return figure(
        case.name,
        "displacement",
        "Displacement over two impacts",
        f"Reference dashed, {label} solid; the stop is touched above zero. Vertical lines: true contact instants.",
        [
            panel(
                "t (s)",
                "x (m)",
                [series("reference", "reference", time, true), series(label, "computed", time, x)],
                events=list(zip(instants.tolist(), ("touch", "release") * 2, strict=True)),
            ),
            panel("t (s)", "error (m)", [series(label, "error", time, x - true)]),
        ],
    )


def _portrait(case: Case, o: Observation, label: str) -> dict[str, Any]:
    time, x, v = thinned(
        o.response.time, o.response.displacement[:, 0], o.response.velocity[:, 0], start=0.0, end=o.problem.end
    )
    motion = elastic_stop.motion(**_given(o), digits=15)
    true = np.array([[float(motion.displacement(t)), float(motion.velocity(t))] for t in time.tolist()])
    return figure(
        case.name,
        "phase-portrait",
        "Phase portrait over two impacts",
        f"Reference dashed, {label} solid: two half ellipses that meet at the stop, narrow in contact. A solver that "
        "loses or makes energy leaves the closed curve.",
        [
            panel(
                "x (m)",
                "v (m/s)",
                [series("reference", "reference", *true.T), series(label, "computed", x, v)],
                events=[(0.0, "stop")],
            )
            | {"height": 1.3}
        ],
    )


def _force(case: Case, o: Observation, label: str) -> dict[str, Any]:
    duration = float(elastic_stop.contact_duration(**_given(o), digits=15))
    start = float(elastic_stop.contact_start(shock=2, **_given(o), digits=15))
    window = (start - 0.1 * duration, start + 1.1 * duration)
    time, x = thinned(o.response.time, o.response.displacement[:, 0], start=window[0], end=window[1])
    motion = elastic_stop.motion(**_given(o), digits=15)
    fine = np.linspace(*window, 300)
    true = np.array([float(motion.stop_force(t)) for t in fine.tolist()])
    computed = np.maximum(0.0, o["kc"] * x)
    error = computed - np.array([float(motion.stop_force(t)) for t in time.tolist()])
    return figure(
        case.name,
        "force",
        "Force of the second impact",
        f"Half sine of duration pi/w_c; dots are the samples of {label}, beneath them their "
        "error. The largest sample is not the peak.",
        [
            panel(
                "t (s)",
                "force (N)",
                [
                    series("reference", "reference", fine, true),
                    series(label, "computed", time, computed, marker=True),
                ],
                events=[(start, "touch"), (start + duration / 2, "peak"), (start + duration, "release")],
            ),
            panel("t (s)", "error (N)", [series(label, "error", time, error)]),
        ],
    )


def _sampled_peak(o: Observation) -> float:
    stop = o.response.elements["stop"]
    return sampled_impacts(o.response.time, stop["normal_force"], stop["normal_velocity"])[0].peak_force


def _convergence(case: Case, subject: Subject, bench: Bench) -> dict[str, Any]:
    """Return the study that the manual's closing remark asks for."""
    duration, force = (next(q for q in case.quantities if q.name == n) for n in ("contact_duration", "peak_force"))
    curves, steps = [], []
    for scheme in ("symplectic_euler", "devogelaere"):
        base = case.run(subject, case.variant(SHORT), scheme)
        steps = halvings(float(base.settings["step"]), LEVELS)
        seen = [bench.observe(constant_step(base, h)) for h in steps]
        readings = (
            ("contact duration, interpolated", measures.contact_duration, float(duration.truth(base.values))),
            ("peak force, sampled", _sampled_peak, float(force.truth(base.values))),
        )
        for name, read, truth in readings:
            errors = [abs(read(o) / truth - 1) for o in seen]
            curves += study(f"{scheme}: {name}", steps, errors)
    return figure(
        case.name,
        "convergence",
        "Convergence: sampled peaks do not converge smoothly, interpolated durations do",
        "Relative error over the step, six halvings from the manual's 5e-4 s. Dotted: the fit over the asymptotic "
        "range, whose order the legend gives. The duration of central differences follows (w_c h)²/24; the sampled "
        "peak depends on where the samples fall.",
        [panel("step (s)", "relative error", [*curves, guide("order 2", steps, 1.05e-4, 2)], log=True)],
    )
