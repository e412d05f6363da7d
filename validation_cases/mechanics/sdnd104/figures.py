"""SDND104: the manual's figures, redrawn from the reference and the solver under test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import sliding_block
from veridyn.solver.errors import CapabilityError, SolverFailure
from veridyn.validation_cases.core.case import Case, Observation, Values, Variant
from veridyn.validation_cases.core.runner import Runner, Statement
from veridyn.validation_cases.measures.plotting import convergence, figure, panel, series, shown, thinned
from veridyn.validation_cases.mechanics.sdnd104 import measures

Floats = NDArray[np.float64]

SHOWN = 3.0  # periods of a history
SLIPPING = (0.02 + 0.979 * np.sin(np.linspace(0, np.pi / 2, 52))).tolist()  # eta, close where slips get short
MAP = (0.06, 0.12, 0.2, 0.28, 0.36, 0.44, 0.5, 0.53, 0.545, 0.6, 0.68, 0.76, 0.84, 0.92, 0.97, 1.02)


def figures(case: Case, observer: Runner) -> Iterator[dict[str, Any]]:
    """Yield the figures as data, drawn for the first scheme of the solver where one is enough."""
    for name in ("a0=15", "a0=1.5", "a0=1.01"):
        yield _history(case, observer, name)
    yield _portrait(case, observer)
    yield _limit(case)
    yield _regime_map(case, observer)
    remark = "without sticks a reversal inside a step leaves order 1; with sticks it may be 2"
    yield from convergence("wear_power", remark, "a0=1.5")(case, observer)


def _given(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}


def _history(case: Case, observer: Runner, name: str) -> dict[str, Any]:
    o, label = shown(case, name, observer)
    period = 2 * math.pi / o["omega"]
    time, slip = thinned(o.response.time, o.response.velocity[:, 0], start=0.0, end=SHOWN * period)
    true = sliding_block.motion(**_given(o.values), until=SHOWN * period + period, digits=15)
    plane = np.array([float(true("plate_velocity", t)) for t in time.tolist()])
    mass = np.array([float(true("mass_velocity", t)) for t in time.tolist()])
    regime = sliding_block.regime(**_given(o.values)).value
    events = [
        (float(e.time), e.kind) for e in sliding_block.slip_events(**_given(o.values), until=SHOWN * period, digits=15)
    ]
    return figure(
        case.name,
        f"velocity-{name}",
        f"Velocities for {name} m/s²: {regime}",
        f"Velocity of plane and mass over {SHOWN:g} periods; reference dashed, {label} solid; beneath, the error "
        "of the "
        "mass velocity. Vertical lines: true slip and stick events.",
        [
            panel(
                "t (s)",
                "velocity (m/s)",
                [
                    series("plane", "guide", time, plane),
                    series("mass, reference", "reference", time, mass),
                    series(f"mass, {label}", "computed", time, plane + slip),
                ],
                events=events,
            ),
            panel("t (s)", "error (m/s)", [series(label, "error", time, plane + slip - mass)]),
        ],
    )


def _portrait(case: Case, observer: Runner) -> dict[str, Any]:
    """Velocity of the mass over that of the plane: sticking lies on the diagonal."""
    curves: list[dict[str, Any]] = []
    label = ""
    for number, name in enumerate(("a0=15", "a0=1.5", "a0=1.01")):
        o, label = shown(case, name, observer)
        period = 2 * math.pi / o["omega"]
        time, slip = thinned(o.response.time, o.response.velocity[:, 0], start=2 * period, end=3 * period)
        true = sliding_block.motion(**_given(o.values), until=4 * period, digits=15)
        plane = np.array([float(true("plate_velocity", t)) for t in time.tolist()])
        mass = np.array([float(true("mass_velocity", t)) for t in time.tolist()])
        scale = o["a0"] / o["omega"]
        curves += [
            series("" if number else "reference", "reference", plane / scale, mass / scale),
            series(name, "computed", plane / scale, (plane + slip) / scale),
        ]
    ends = [-1.0, 1.0]
    return figure(
        case.name,
        "phase-portrait",
        "Phase portrait of the third period, in units of a0/ω",
        f"Reference dashed, {label} solid. On the diagonal the mass sticks to the plane; slip leaves "
        "it. At a0=15, slip-slip, the motion is not yet periodic: the curve is open. At a0=1.01 the slips are too "
        "short to see.",
        [
            panel(
                "velocity of the plane (a0/ω)",
                "velocity of the mass (a0/ω)",
                [*curves, series("stick", "guide", ends, ends)],
            )
            | {"height": 1.4}
        ],
    )


def _limit(case: Case) -> dict[str, Any]:
    """Slip-slip: the broken line of the mass velocity and its periodic limit (eta = 0.4)."""
    values = case.values({"a0": "2.5"})
    given = _given(values)
    period = 2 * math.pi / float(values["omega"])
    until = 4 * period
    true = sliding_block.motion(**given, until=until, digits=15)
    time = np.linspace(0.0, until, 601)
    plane = np.array([float(true("plate_velocity", t)) for t in time.tolist()])
    mass = np.array([float(true("mass_velocity", t)) for t in time.tolist()])
    theta = float(sliding_block.theta(**given))
    limit = _limit_velocity(values, theta, time)
    reversals = np.asarray(theta + math.pi / float(values["omega"]) * np.arange(8), dtype=np.float64)
    distance = np.abs(
        [float(true("mass_velocity", t)) for t in reversals.tolist()] - _limit_velocity(values, theta, reversals)
    )
    return figure(
        case.name,
        "limit",
        "Slip-slip: convergence to the periodic limit (a0 = 2.5 m/s², eta = 0.4)",
        "The mass velocity is a broken line of slopes ±mu g that meets the plane at every reversal; it tends to "
        "the periodic "
        "limit whose slips start theta = acos(pi eta/2)/omega after each half-period. Beneath, its distance from the "
        "limit at these instants.",
        [
            panel(
                "t (s)",
                "velocity (m/s)",
                [
                    series("plane", "guide", time, plane),
                    series("mass", "reference", time, mass),
                    series("periodic limit", "limit", time, limit),
                ],
                events=[(theta, "theta")],
            ),
            panel("t (s)", "distance (m/s)", [series("distance from the limit", "computed", reversals, distance)])
            | {"yscale": "log", "height": 0.7},
        ],
    )


def _limit_velocity(values: Values, theta: float, time: Floats) -> Floats:
    """Zigzag of slopes ±mu g between the plane velocities at theta and half a period later."""
    half = math.pi / float(values["omega"])
    slope = float(values["mu"]) * float(values["g"])
    phase = np.mod(time - theta, 2 * half)
    rising = -slope * half / 2 + slope * phase
    return np.where(phase < half, rising, slope * half / 2 - slope * (phase - half))


def _periodic(case: Case, observer: Runner, eta: float) -> Observation | None:
    """Return what the solver gives after the transient, None if it fails there."""
    values = case.values({"a0": f"{1 / eta:.12g}"})
    period = 2 * math.pi / float(values["omega"])
    late = {"a0": f"{1 / eta:.12g}", "t_start": f"{30 * period:.17g}", "t_end": f"{31 * period:.17g}"}
    statement = Statement(case, Variant(f"eta={eta}", late))
    try:
        return observer.observe(observer.default_run(statement, observer.subject.schemes[0]))
    except SolverFailure:  # a point less in a figure; the checks report the failure
        return None


def _regime_map(case: Case, observer: Runner) -> dict[str, Any]:
    """Instants of slip within a period, wear power and its error over eta, with the borders of the regimes."""
    critical = float(sliding_block.critical_eta())
    label, axis = observer.subject.schemes[0] or observer.subject.name, "η = μ g/a0 (-)"
    late = [o for eta in MAP if (o := _periodic(case, observer, eta))]
    seen = [_eta(o.values) for o in late]
    power = np.array([measures.wear_power(o) / _scale(o.values) for o in late])
    true = np.array([_asymptotic(case, eta) for eta in seen])
    borders = [(0.0, "slip-slip"), (critical, "stick-slip"), (1.0, "stick")]
    grid = [*SLIPPING, 1.0, 1.1]
    curve = series("reference", "reference", grid, [_asymptotic(case, eta) for eta in grid])
    return figure(
        case.name,
        "regime-map",
        "Regimes and wear power over η = μ g/a0",
        "Above, over the period of the periodic motion: slip begins on the lowest line and ends on the dotted "
        "one, and a slip the other way begins on the highest; between these two the mass sticks. Left of "
        "η* = 2/√(π² + 4) one slip follows the other without a stick, from η = 1 on there is no slip. Beneath: mean "
        f"wear power over m g a0/ω, dots: {label}.",
        [
            panel(axis, "instant over period (-)", [*_true_slips(case), _slips(late, label)], events=borders),
            panel(
                axis,
                "P ω/(m g a0) (-)",
                [curve, series(label, "computed", seen, power, marker=True)],
                events=[(eta, "") for eta, _ in borders],
            ),
            panel(axis, "error (-)", [series(label, "error", seen, power - true, marker=True)]),
        ],
    )


def _eta(values: Values) -> float:
    return float(values["mu"]) * float(values["g"]) / float(values["a0"])


def _true_slips(case: Case) -> list[dict[str, Any]]:
    """Return where in the period slip begins, ends, and begins the other way."""
    begins, ends = np.transpose([_true_slip(case.values({"a0": f"{1 / eta:.12g}"})) for eta in SLIPPING])
    return [
        series("slip begins", "reference", SLIPPING, begins),
        series("slip ends", "limit", SLIPPING, ends),
        series("", "reference", SLIPPING, begins + 0.5),
    ]


def _true_slip(values: Values) -> tuple[float, float]:
    """Return begin and end of the first slip of the periodic motion, over the period."""
    given, period = _given(values), 2 * math.pi / float(values["omega"])
    if sliding_block.regime(**given).value == "slip-slip":
        begin = float(sliding_block.theta(**given, digits=10)) / period
        return begin, begin + 0.5
    return (
        float(sliding_block.slip_start(**given, digits=10)) / period,
        float(sliding_block.slip_end(**given, digits=10)) / period,
    )


def _slips(late: list[Observation], label: str) -> dict[str, Any]:
    """Return the same instants of computed motions, from the last slip that is followed by another."""
    points: list[tuple[float, float]] = []
    for o in late:
        period = 2 * math.pi / o["omega"]
        try:
            slips = [phase for phase in measures.slip_phases(o) if phase.direction]
        except CapabilityError:  # the sticks are too short to be told
            continue
        pairs = [(one, other) for one, other in pairwise(slips) if one.direction < 0]
        for one, other in pairs[-1:]:
            turn = period * math.floor(one.start / period)
            points += [(_eta(o.values), (t - turn) / period) for t in (one.start, one.end, other.start)]
    x, y = np.transpose(points) if points else ([], [])
    return series(label, "computed", x, y, marker=True)


def _scale(values: Values) -> float:
    return float(values["m"]) * float(values["g"]) * float(values["a0"]) / float(values["omega"])


def _asymptotic(case: Case, eta: float) -> float:
    values = case.values({"a0": f"{1 / eta:.12g}"})
    return float(sliding_block.asymptotic_wear_power(**_given(values), digits=10)) / _scale(values)
