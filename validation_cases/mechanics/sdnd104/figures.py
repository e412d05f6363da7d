"""SDND104: the manual's figures, redrawn from the reference and the solver under test."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from veridyn.references.problems import sliding_block
from veridyn.results import Figure
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.validation_cases.judgement.case import (
    Case,
    FigureMaker,
    Floats,
    Observation,
    Values,
    Variant,
    floats,
)
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.measures.plotting import (
    Curves,
    HistoryCurve,
    convergence,
    figure,
    history,
    panel,
    portrait,
    series,
    true,
)
from veridyn.validation_cases.mechanics.sdnd104.slips import slip_phases
from veridyn.validation_cases.mechanics.sdnd104.statement import FIRST_CHANGES, HISTORY, SLIP_END, SLIP_START, period_of

SHOWN = 3.0  # periods of a history
SLIPPING = (0.02 + 0.979 * np.sin(np.linspace(0, np.pi / 2, 28))).tolist()  # eta, close where slips get short
MAP = (0.06, 0.12, 0.2, 0.28, 0.36, 0.44, 0.5, 0.53, 0.545, 0.6, 0.68, 0.76, 0.84, 0.92, 0.97, 1.02)


def _plane(o: Observation, times: Floats) -> Floats:
    return np.asarray(-o["a0"] / o["omega"] * np.cos(o["omega"] * times))


def _mass(o: Observation) -> Floats:
    return np.asarray(_plane(o, o.response.time) + o.response.velocity[:, 0])


def _beside(o: Observation, times: Floats) -> Curves:
    return [series("plane", "guide", times, _plane(o, times))]


def _changes(values: Values) -> list[tuple[float, str]]:
    return [(float(change.time), change.kind) for change in FIRST_CHANGES.compute(values, 15)]


def _diagonal(o: Observation, times: Floats) -> Curves:
    return [series("stick", "guide", _plane(o, times), _plane(o, times))]


MASS = HistoryCurve("velocity (m/s)", _mass, true(HISTORY, "mass_velocity"), "mass")
PLANE = HistoryCurve("velocity of the plane (m/s)", lambda o: _plane(o, o.response.time), _plane)


def _velocities(name: str, regime: str) -> FigureMaker:
    return history(
        f"velocity-{name}",
        f"Velocities for {name} m/s²: {regime}",
        f"Velocity of plane and mass over {SHOWN:g} periods. Vertical lines: true slip and stick events.",
        MASS,
        variant=name,
        events=_changes,
        beside=_beside,
        window=lambda values: (0.0, SHOWN * period_of(values)),
    )


def _at(case: Case, eta: float) -> Values:
    return case.values({"a0": f"{1 / eta:.12g}"})


def _limit(case: Case, _: Runner) -> Iterator[Figure]:
    """Yield slip-slip: the broken line of the mass velocity and its periodic limit (eta = 0.4)."""
    values = _at(case, 0.4)
    half, mass, begin = period_of(values) / 2, HISTORY.compute(values), float(sliding_block.theta.compute(values))
    time, reversals = np.linspace(0.0, 8 * half, 601), np.linspace(begin, begin + 7 * half, 8)
    limit, distance = _zigzag(values, begin, time), _zigzag(values, begin, reversals)
    distance -= np.array(mass.sample("mass_velocity", reversals.tolist()), dtype=float)
    plane, moves = (np.array(mass.sample(f"{of}_velocity", time.tolist()), dtype=float) for of in ("plate", "mass"))
    yield figure(
        case.name,
        "limit",
        "Slip-slip: convergence to the periodic limit (a0 = 2.5 m/s², eta = 0.4)",
        "The mass velocity is a broken line of slopes ±mu g that meets the plane at every reversal; it tends to the "
        "periodic limit whose slips start theta = acos(pi eta/2)/omega after each half-period. Beneath, its distance "
        "from the limit at these instants.",
        [
            panel(
                "t (s)",
                "velocity (m/s)",
                [
                    series("plane", "guide", time, plane),
                    series("mass", "reference", time, moves),
                    series("periodic limit", "limit", time, limit),
                ],
                events=[(begin, "theta")],
            ),
            panel(
                "t (s)",
                "distance (m/s)",
                [series("distance from the limit", "computed", reversals, abs(distance))],
                log_y=True,
                height=0.7,
            ),
        ],
    )


def _zigzag(values: Values, begin: float, time: Floats) -> Floats:
    """Return the line of slopes ±mu g between the plane velocities at an instant and half a period later."""
    mu, g, half = *floats(values, "mu", "g"), period_of(values) / 2
    phase = np.mod(time - begin, 2 * half)
    return np.asarray(mu * g * np.where(phase < half, phase - half / 2, 1.5 * half - phase))


def _periodic(case: Case, observer: Runner, eta: float) -> Observation | None:
    """Return what the solver gives after the transient, None if it fails there."""
    period = period_of(case.values())
    late = {"a0": f"{1 / eta:.12g}", "t_start": f"{30 * period:.17g}", "t_end": f"{31 * period:.17g}"}
    statement = Statement(case, Variant(f"eta={eta}", late))
    try:
        return observer.observe(observer.default_run(statement, observer.subject.schemes[0]))
    except SolverFailure:  # a point less in a figure; the checks report the failure
        return None


def _regime_map(case: Case, observer: Runner) -> Iterator[Figure]:
    """Yield instants of slip within a period, wear power and its error over eta, with the borders of the regimes."""
    label, axis = observer.subject.schemes[0] or observer.subject.name, "η = μ g/a0 (-)"
    wear_power: Any = next(q.measure for q in case.quantities if q.name == "wear_power")
    late = [o for eta in MAP if (o := _periodic(case, observer, eta))]
    seen = [o["mu"] * o["g"] / o["a0"] for o in late]
    power = np.array([wear_power(o) * o["omega"] / (o["m"] * o["g"] * o["a0"]) for o in late])
    borders = [(0.0, "slip-slip"), (float(sliding_block.critical_eta()), "stick-slip"), (1.0, "stick")]
    grid = [*SLIPPING, 1.0, 1.1]
    curve = series("reference", "reference", grid, _powers(case, grid))
    begins, ends = np.transpose([_true_slip(_at(case, eta)) for eta in SLIPPING])
    yield figure(
        case.name,
        "regime-map",
        "Regimes and wear power over η = μ g/a0",
        "Above, over the period of the periodic motion: slip begins on the lowest line and ends on the dotted "
        "one, and a slip the other way begins on the highest; between these two the mass sticks. Left of "
        "η* = 2/√(π² + 4) one slip follows the other without a stick, from η = 1 on there is no slip. Beneath: mean "
        f"wear power over m g a0/ω, dots: {label}.",
        [
            panel(
                axis,
                "instant over period (-)",
                [
                    series("slip begins", "reference", SLIPPING, begins),
                    series("slip ends", "limit", SLIPPING, ends),
                    series("", "reference", SLIPPING, begins + 0.5),
                    series(label, "computed", *_slips(late, seen), marker=True),
                ],
                events=borders,
            ),
            panel(
                axis,
                "P ω/(m g a0) (-)",
                [curve, series(label, "computed", seen, power, marker=True)],
                events=[(eta, "") for eta, _ in borders],
            ),
            panel(axis, "error (-)", [series(label, "error", seen, power - _powers(case, seen), marker=True)]),
        ],
    )


def _powers(case: Case, etas: list[float]) -> Floats:
    """Return the true wear power of the periodic motion, over m g a0/omega."""
    result = []
    for eta in etas:
        m, g, a0, omega = floats(values := _at(case, eta), "m", "g", "a0", "omega")
        result.append(float(sliding_block.asymptotic_wear_power.compute(values, 10)) / (m * g * a0 / omega))
    return np.array(result)


def _true_slip(values: Values) -> tuple[float, float]:
    """Return begin and end of the first slip of the periodic motion, over the period."""
    if sliding_block.regime.compute(values).value == "slip-slip":
        begin = float(sliding_block.theta.compute(values, 10)) / period_of(values)
        return begin, begin + 0.5
    begin, end = (float(f.compute(values, 10)) for f in (SLIP_START, SLIP_END))
    return begin / period_of(values), end / period_of(values)


def _slips(late: list[Observation], etas: list[float]) -> tuple[list[float], list[float]]:
    """Return the same instants of computed motions, from the last slip that is followed by another."""
    points: list[tuple[float, float]] = []
    for o, eta in zip(late, etas, strict=True):
        period = period_of(o.values)
        try:
            slips = [phase for phase in slip_phases(o) if phase.direction]
        except CapabilityError:  # the sticks are too short to be told
            continue
        for one, other in [(one, other) for one, other in pairwise(slips) if one.direction < 0][-1:]:
            turn = math.floor(one.start / period)
            points += [(eta, t / period - turn) for t in (one.start, one.end, other.start)]
    return [eta for eta, _ in points], [t for _, t in points]


FIGURES = (
    _velocities("a0=15", "slip-slip"),
    _velocities("a0=1.5", "stick-slip"),
    _velocities("a0=1.01", "stick-slip"),
    portrait(
        "phase-portrait",
        "Phase portrait of the third period",
        "On the diagonal the mass sticks to the plane; slip leaves it. At a0=15, slip-slip, the motion is not yet "
        "periodic: the curve is open. At a0=1.01 the slips are too short to see.",
        PLANE,
        MASS,
        variants=("a0=15", "a0=1.5", "a0=1.01"),
        beside=_diagonal,
        window=lambda values: (2 * period_of(values), SHOWN * period_of(values)),
    ),
    _limit,
    _regime_map,
    convergence("wear_power", "without sticks a reversal inside a step leaves order 1; with sticks it may be 2"),
)
