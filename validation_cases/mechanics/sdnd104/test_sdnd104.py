"""SDND104 (EDF V5.01.104): wear power of a mass that rubs on a shaking plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from veridyn.references import sliding_block
from veridyn.references.certified import Certified, PhaseChange, classification, exact_count, undefined
from veridyn.references.parameters import Number
from veridyn.solver.problem.elements import Friction, SupportMotion
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import Harmonic
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.measures.consistency import (
    energy,
    flags,
    friction_cone,
    friction_law,
    rates,
    velocities,
)
from veridyn.validation_cases.mechanics.sdnd104 import measures
from veridyn.validation_cases.mechanics.sdnd104.figures import figures
from veridyn.validation_cases.mechanics.sdnd104.published import PUBLISHED, SETTINGS_ERRATA
from veridyn.validation_cases.mechanics.sdnd104.sweep import SWEEP

OUTPUTS_PER_PERIOD = 1000  # requested of any solver

ASTER_TOLERANCE = "tolerance of Code_Aster's test SDND104A for this amplitude (TEST_TABLE)"


def problem(values: Values) -> MechanicalProblem:
    """Return the ideal problem: relative motion on the plane, set-valued Coulomb friction under N = m g."""
    m, mu = (float(values[name]) for name in ("m", "mu"))
    shake = Harmonic(str(values["a0"]), str(values["omega"]))
    return MechanicalProblem(
        name="sdnd104",
        mass=np.array([[m]]),
        stiffness=np.zeros((1, 1)),
        initial_displacement=np.zeros(1),
        initial_velocity=np.zeros(1),
        end=float(values["t_end"]),
        output_times=_outputs(values),
        supports=(SupportMotion.from_acceleration("plane", np.ones(1), shake),),
        frictions=(Friction("shoe", (np.ones(1),), m * float(values["g"]), mu, mu),),
        coordinates=("slip",),
    )


def _outputs(values: Values) -> Any:
    """Return the output instants: even spacing before the window and within it, so that its ends are among them."""
    start, end = (float(values[name]) for name in ("t_start", "t_end"))
    spacing = 2 * math.pi / float(values["omega"]) / OUTPUTS_PER_PERIOD
    before = np.linspace(0.0, start, math.ceil(start / spacing - 1e-9) + 1)
    return np.concatenate((before[:-1], np.linspace(start, end, math.ceil((end - start) / spacing - 1e-9) + 1)))


JUMPS = 1.0  # regularity: friction jumps where slips end


def _is_stick(values: Values) -> bool:
    return bool(sliding_block.regime(**_block(values)).value == "stick")


def _period(values: Values) -> float:
    """Period of the plane (s)."""
    return 2 * math.pi / float(values["omega"])


def _block(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}


def _power(values: Values) -> Tolerance:
    """Return the criterion of the wear power."""
    eta = float(values["mu"]) * float(values["g"]) / float(values["a0"])
    if eta >= 1:
        return cited(ASTER_TOLERANCE, 5e-4, kind="absolute")
    return cited(ASTER_TOLERANCE, 5e-3 if eta > 0.95 else 5e-4)


def _scaled(factor: Callable[[Values], float], values: Values) -> Tolerance:
    """Return the criterion of a multiple of the wear power."""
    power = _power(values)
    if power.kind == "relative":
        return power
    return Tolerance(power.value * factor(values), power.kind, power.reason)


def _friction(values: Values) -> float:
    return float(values["mu"])


def _window(values: Values) -> float:
    return float(values["t_end"]) - float(values["t_start"])


def _largest_power(values: Values) -> float:
    """Power scale (W): normal force times the largest velocity of the plane."""
    m, g, a0, omega = (float(values[name]) for name in ("m", "g", "a0", "omega"))
    return m * g * a0 / omega


def _times(factor: Callable[[Values], float], values: Values) -> float:
    return _largest_power(values) * factor(values)


def _instant(values: Values) -> Tolerance:
    """Return the criterion of a change of phase."""
    if _is_stick(values):
        return exactly("there is no slip")
    what = "tolerance 5e-4 of Code_Aster's test SDND104A, taken as a part of the period, and one requested output"
    return cited(what, (5e-4 + 1 / OUTPUTS_PER_PERIOD) * _period(values), kind="absolute")


ENERGY = Quantity(
    "wear_energy",
    "J",
    "integral over [t_start, t_end] of N |v|",
    sliding_block.wear_energy,
    measures.wear_energy,
    partial(_scaled, _window),
    partial(_times, _window),
    JUMPS,
)
WEAR = (
    Quantity(
        "wear_power",
        "W",
        "mean over [t_start, t_end] of N |v|, N = m g (Archard: without mu)",
        sliding_block.wear_power,
        measures.wear_power,
        _power,
        _largest_power,
        JUMPS,
    ),
    Quantity(
        "friction_power",
        "W",
        "mean over [t_start, t_end] of mu N |v| (dissipated)",
        sliding_block.friction_power,
        measures.friction_power,
        partial(_scaled, _friction),
        partial(_times, _friction),
        JUMPS,
    ),
    ENERGY,
    Quantity(
        "asymptotic_wear_power",
        "W",
        "mean of N |v| over a period once the motion is periodic",
        sliding_block.asymptotic_wear_power,
        None,
        _power,
    ),
)
REGIME = Quantity(
    "regime",
    "",
    "stick, stick-slip or slip-slip, from the first slip on",
    sliding_block.regime,
    measures.regime,
    exactly("the regime is a matter of kind"),
    regularity=JUMPS,
)


def _at_instant(name: str, what: str, reference: Callable[..., Certified], measure: Any, applies: Any) -> Quantity:
    """Return the quantity of a change of phase."""
    return Quantity(name, "s", what, reference, measure, _instant, _period, JUMPS, at_samples=True, applies=applies)


def _number_of_changes(
    *, a0: Number, mu: Number, g: Number, m: Number, omega: Number, t_end: Number, digits: int = 30
) -> Certified:
    found = _changes(a0=a0, mu=mu, g=g, m=m, omega=omega, t_end=t_end)
    return exact_count(len(found), "changes of phase of the certified motion", digits, "quasi-analytical")


def _order(
    *,
    a0: Number,
    mu: Number,
    g: Number,
    m: Number,
    omega: Number,
    t_end: Number,
    digits: int = 30,  # noqa: ARG001
) -> Certified:
    found = _changes(a0=a0, mu=mu, g=g, m=m, omega=omega, t_end=t_end)
    return classification(" ".join(event.kind for event in found), "changes of phase of the certified motion")


def _change(
    number: int, *, a0: Number, mu: Number, g: Number, m: Number, omega: Number, t_end: Number, digits: int = 30
) -> Certified:
    found = _changes(a0=a0, mu=mu, g=g, m=m, omega=omega, t_end=t_end, digits=digits)
    return found[number].time if -len(found) <= number < len(found) else undefined("there are fewer changes of phase")


@lru_cache(maxsize=64)  # several quantities read them
def _changes(*, t_end: Number, digits: int = 15, **block: Number) -> tuple[PhaseChange, ...]:
    return sliding_block.slip_events(**block, until=t_end, digits=digits)


def _has_change(number: int, values: Values) -> bool:
    count = len(_changes(**_block(values), t_end=values["t_end"]))
    return -count <= number < count


CHANGES = (2, 3)  # changes of phase that are compared one by one, counted from 0, after the first slip
LAST = -1
PHASES = (
    _at_instant("slip_start", "first instant of slip", sliding_block.slip_start, measures.slip_start, None),
    _at_instant(
        "slip_end", "end of the first slip: stick or reversal", sliding_block.slip_end, measures.slip_end, None
    ),
    Quantity(
        "phase_changes",
        "",
        "number of changes of phase up to t_end",
        _number_of_changes,
        measures.count_changes,
        exactly("changes of phase are counted"),
        regularity=JUMPS,
    ),
    Quantity(
        "phase_order",
        "",
        "changes of phase in order of time, by the phase that begins",
        _order,
        measures.phase_order,
        exactly("phases have an order"),
        regularity=JUMPS,
    ),
    *(
        _at_instant(
            f"phase_time_{number + 1}" if number != LAST else "last_phase_time",
            f"instant of change of phase {number + 1}" if number != LAST else "instant of the last change of phase",
            partial(_change, number),
            partial(measures.phase_time, number=number),
            partial(_has_change, number),
        )
        for number in (*CHANGES, LAST)
    ),
)


def _dissipated(o: Observation) -> float:
    """Return the dissipated energy of the window (J); where nothing slips, that of the plane's motion."""
    worn = float(ENERGY.truth(o.values))
    return o["mu"] * worn or 0.5 * o["m"] * (o["a0"] / o["omega"]) ** 2


def _limit(o: Observation) -> float:
    return o["mu"] * o["m"] * o["g"]


def _slips(values: Values) -> bool:
    return not _is_stick(values)


LOOSEST = "half a percent of the dissipated energy, the loosest tolerance of Code_Aster's test SDND104A"
RESIDUALS = (
    energy("of the dissipated energy", _dissipated, cited(LOOSEST, 5e-3, kind="absolute")),
    friction_cone("of mu N", _limit),
    velocities(_slips),  # stuck for ever, the shoe moves as the spring of a penalised stick does
    flags(),
    rates(_slips),
    friction_law(),
)

VARIANTS = (
    Variant("a0=15", {"a0": "15"}),
    Variant("a0=1.5", {"a0": "1.5"}),
    Variant("a0=1.01", {"a0": "1.01"}),
    Variant("a0=0.99", {"a0": "0.99"}),
)
# the transient of a0 = 15 has died to 4e-8 by then: the mean over a period is that of the periodic limit
LATE_ONLY = frozenset({"wear_power", "slip_start", "slip_end", "last_phase_time"})
LATE = Variant("late", {"a0": "15", "t_start": "30", "t_end": "31"}, LATE_ONLY)


CASE = Case(
    name="sdnd104",
    title="Wear power of a rubbing shoe",
    document="V5.01.104",
    summary="A mass rests on a plane that shakes harmonically; Coulomb friction; wear power in the regimes "
    "stick, stick-slip and slip-slip.",
    equations=(
        "m v' = -mu m g sign(v - v_p), v_p = -a0/omega cos(omega t)",
        "eta = mu g/a0, eta* = 2/sqrt(pi² + 4) = 0.5370…",
        "theta = acos(pi eta/2)/omega",
        "P = 1/(t_2 - t_1) ∫_{t_1}^{t_2} m g |v - v_p| d t",
    ),
    statement=(
        "A mass m lies on a rigid plane under its weight m g. The plane accelerates with a0 sin(omega t); its "
        "velocity is -(a0/omega) cos(omega t). Coulomb friction mu acts between them. At t = 0 the mass moves "
        "with the plane.",
        "With eta = mu g/a0 and eta* = 2/sqrt(pi² + 4) = 0.5370…: eta >= 1 sticks for ever; eta* < eta < 1 "
        "sticks and slips, "
        "periodic from the first slip on; eta <= eta* slips to and fro and becomes periodic only in the limit.",
        "Wear power is the mean of N |v| (Archard), without the friction coefficient; friction power is mu times that.",
    ),
    parameters=sliding_block.PARAMETERS,
    variants=(*VARIANTS, LATE),
    quantities=(*WEAR, REGIME, *PHASES),
    residuals=RESIDUALS,
    problem=problem,
    modelling=(
        "Relative motion of the mass on the plane, one rigid-body mode, constant normal force N = m g.",
        "The regression tests hold Code_Aster's model instead: a spring of 3e-5 N/m, an obstacle of 20 N/m with 0.5 m "
        "overlap (N = 10 N exactly), k_T = 9e6 N/m, 8 blocks on [4, 12] s.",
    ),
    published=PUBLISHED,
    remarks=(
        "Smoothing friction with tanh(v/v_s) gives wear at a0 = 0.99, where there is none, and many times too "
        "much at 1.01.",
        "Another k_N or overlap of the obstacle changes N and with it everything.",
        "Without the adherence filter the micro-sliding of the penalised stick counts as wear: 4.4e-6 W instead of 0.",
        "A state machine without a limit on the step jumps over the break-away and reports no wear.",
    ),
    errata=SETTINGS_ERRATA,
    figures=(figures,),
    benchmark_variant="a0=1.5",
    work_precision=("a0=15", "a0=1.5", "a0=1.01"),
    sweep=SWEEP,
)

test_sdnd104 = verifies(CASE)
