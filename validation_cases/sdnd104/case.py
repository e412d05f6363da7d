"""SDND104 (EDF V5.01.104): wear power of a mass that rubs on a shaking plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from veridyn.references import sliding_block
from veridyn.solver.elements import Friction, SupportMotion
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Harmonic
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd104 import further, measures
from veridyn.validation_cases.sdnd104.figures import figures
from veridyn.validation_cases.sdnd104.measures import STIFFNESS_NUMBER, departure_of, stick_of
from veridyn.validation_cases.sdnd104.published import PUBLISHED, SETTINGS_ERRATA
from veridyn.validation_cases.sdnd104.sweep import SWEEP
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory, penalty

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
STEPS_PER_PERIOD = 10_000  # 1e-4 s at the default period of 1 s, as Code_Aster's test

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


def settings(values: Values, scheme: str) -> Settings:
    """Step and penalty of our schemes, the manual's at the default parameters."""
    period = 2 * math.pi / float(values["omega"])
    step = period / STEPS_PER_PERIOD
    stiffness = STIFFNESS_NUMBER * float(values["m"]) / period**2
    return {"scheme": scheme, "step": step, "tangential_stiffness": stiffness, **SCHEMES[scheme].only_shorter}


def _is_stick(values: Values) -> bool:
    return sliding_block.regime(**_block(values)).value == "stick"


def _block(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}


def _foreign(values: Values) -> Tolerance:
    eta = float(values["mu"]) * float(values["g"]) / float(values["a0"])
    if eta >= 1:
        return cited(ASTER_TOLERANCE, 5e-4, kind="absolute")
    return cited(ASTER_TOLERANCE, 5e-3 if eta > 0.95 else 5e-4)


def _power(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the wear power; see the reasons for its parts."""
    if not scheme:
        return _foreign(values)
    if _is_stick(values):
        return exactly("the mass never slips and the adherence flag says so: exactly zero")
    mu, g, m, omega = (float(values[name]) for name in ("mu", "g", "m", "omega"))
    step, tau = float(chosen["step"]), math.sqrt(m / float(chosen["tangential_stiffness"]))
    stick = stick_of(values)
    elastic = penalty(
        m * g * omega / math.pi * (mu * g + (stick.relative_acceleration if stick else 2 * mu * g)) * tau**2,
        what="N × phase changes per second × (elastic slip mu N/k_T + drift of one time constant m/k_T)",
    )
    # a reversal that leaves slowly lets the penalised law stick for a time constant before it slides on
    delay = step + (tau if stick or departure_of(values) < mu * g else 0.0)
    velocity = (stick.relative_acceleration if stick else 2 * mu * g) * delay
    if stick and stick.arrests(velocity):
        slip = m * g * omega / math.pi * velocity * stick.time_to_arrest(velocity)
        what = "the velocity left at the start of a stick is arrested within it"
        return combined(elastic, from_theory(1, slip / step, step, what=what, kind="absolute"))
    what = "a reversal seen up to one step late, or a stick too short to arrest it, leaves a velocity error"
    return combined(elastic, from_theory(1, m * g * velocity / step, step, what=what, kind="absolute"))


def _scaled(factor: Any) -> Any:
    """Tolerance of a multiple of the wear power."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        power = _power(values, scheme, chosen)
        if power.kind == "absolute":
            return Tolerance(power.value * factor(values), power.kind, power.reason)
        return power

    return tolerance


def _instant(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    if _is_stick(values):
        return exactly("there is no slip")
    if not scheme:
        period = 2 * math.pi / float(values["omega"])
        what = "tolerance 5e-4 of Code_Aster's test SDND104A, taken as a part of the period"
        spacing = period / OUTPUTS_PER_PERIOD
        return combined(
            cited(what, 5e-4 * period, kind="absolute"),
            from_theory(1, 1.0, spacing, what="flags change at the requested output instants", kind="absolute"),
        )
    step, k = float(chosen["step"]), float(chosen["tangential_stiffness"])
    settle = 5 * math.sqrt(float(values["m"]) / k)
    return combined(
        from_theory(1, 1.0, step, what="flags change at samples", kind="absolute"),
        penalty(settle, what="five time constants sqrt(m/k_T) of the penalised stick"),
    )


QUANTITIES = (
    Quantity(
        "wear_power",
        "W",
        "mean over [t_start, t_end] of N |v|, N = m g (Archard: without mu)",
        sliding_block.wear_power,
        measures.wear_power,
        _power,
    ),
    Quantity(
        "friction_power",
        "W",
        "mean over [t_start, t_end] of mu N |v| (dissipated)",
        sliding_block.friction_power,
        measures.friction_power,
        _scaled(lambda v: float(v["mu"])),
    ),
    Quantity(
        "wear_energy",
        "J",
        "integral over [t_start, t_end] of N |v|",
        sliding_block.wear_energy,
        measures.wear_energy,
        _scaled(lambda v: float(v["t_end"]) - float(v["t_start"])),
    ),
    Quantity(
        "asymptotic_wear_power",
        "W",
        "mean of N |v| over a period once the motion is periodic",
        sliding_block.asymptotic_wear_power,
        None,
        _power,
    ),
    Quantity(
        "regime",
        "",
        "stick, stick-slip or slip-slip, from the first slip on",
        sliding_block.regime,
        measures.regime,
        lambda *_: exactly("the regime is a matter of kind"),
    ),
    Quantity("slip_start", "s", "first instant of slip", sliding_block.slip_start, measures.slip_start, _instant),
    Quantity(
        "slip_end", "s", "end of the first slip: stick or reversal", sliding_block.slip_end, measures.slip_end, _instant
    ),
)

VARIANTS = tuple(Variant(f"a0={a0}", {"a0": a0}) for a0 in ("15", "1.5", "1.01", "0.99"))


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
    variants=VARIANTS,
    quantities=QUANTITIES,
    problem=problem,
    settings=settings,
    modelling=(
        "Relative motion of the mass on the plane, one rigid-body mode, constant normal force N = m g.",
        "Set-valued friction is regularised: tangential spring k_T = 9e6 N/m (at m = 1 kg, period 1 s) with "
        "critical damper.",
        "Step 1e-4 s, one hundredth of a percent of the period; the adaptive scheme may shrink it.",
        "Parity runs copy Code_Aster's model instead: a spring of 3e-5 N/m, an obstacle of 20 N/m with 0.5 m overlap "
        "(N = 10 N exactly), k_T = 9e6 N/m, 8 blocks on [4, 12] s.",
    ),
    published=PUBLISHED,
    remarks=(
        "Smoothing friction with tanh(v/v_s) gives wear at a0 = 0.99, where there is none, and many times too "
        "much at 1.01.",
        "A step ten times longer, or k_T ten times larger at the same step, breaks the step rule.",
        "Another k_N or overlap of the obstacle changes N and with it everything.",
        "Without the adherence filter the micro-sliding of the penalised stick counts as wear: 4.4e-6 W instead of 0.",
        "A state machine without a limit on the step jumps over the break-away and reports no wear.",
    ),
    errata=SETTINGS_ERRATA,
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="a0=1.5",
    work_precision=("a0=15", "a0=1.5", "a0=1.01"),
    sweep=SWEEP,
)
