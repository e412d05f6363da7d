"""SDND100 (EDF V5.01.100): free decay of a slider under dry friction, until it stops for good."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import friction_decay
from veridyn.references.certified import Certified
from veridyn.references.parameters import Number
from veridyn.solver.elements import Friction
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd100 import further, measures, theory
from veridyn.validation_cases.sdnd100.figures import figures
from veridyn.validation_cases.sdnd100.measures import SLIDER, STIFFNESS_NUMBER, half_cycles_of, period, share_of
from veridyn.validation_cases.sdnd100.published import INSTANTS, PUBLISHED, TEST_ERRATA

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
LAST = 4  # half periods after which the displacement is asked for
STEPS_PER_PERIOD = 10_000  # 6.3e-6 s at the default period


def problem(values: Values) -> MechanicalProblem:
    """Return the ideal problem: motion along the line, set-valued friction of the plane or of one direction."""
    m, k, mu, g, x0, angle = (float(values[name]) for name in ("m", "k", "mu", "g", "x0", "angle"))
    # one period more than the motion lasts, so that creep shows, and up to the last instant that is asked for
    end = max((half_cycles_of(values) + 2) * period(values) / 2, LAST * period(values) / 2, float(INSTANTS[-1]))
    along = [math.cos(angle), math.sin(angle)][: int(float(values["directions"]))]
    return MechanicalProblem(
        name="sdnd100",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.array([x0]),
        initial_velocity=np.zeros(1),
        end=end,
        output_times=_outputs(end, period(values) / OUTPUTS_PER_PERIOD),
        frictions=(Friction(SLIDER, tuple(np.array([part]) for part in along if part), m * g, mu, mu),),
        coordinates=("s",),
    )


def _outputs(end: float, spacing: float) -> NDArray[np.float64]:
    """Return output instants (m,): evenly spaced, and those of the published values where they lie between."""
    even = np.linspace(0.0, end, round(end / spacing) + 1)
    between = [t for t in map(float, INSTANTS) if t < end and np.abs(even - t).min() > 1e-3 * spacing]
    return np.union1d(even, between)


def settings(values: Values, scheme: str) -> Settings:
    """Return step and penalty of our schemes; along the line the stiffness is that of STIFFNESS_NUMBER."""
    stiffness = STIFFNESS_NUMBER * float(values["m"]) / (period(values) * share_of(values)) ** 2
    step = period(values) / STEPS_PER_PERIOD
    return {"scheme": scheme, "step": step, "tangential_stiffness": stiffness, **SCHEMES[scheme].only_shorter}


def _component(instant: str) -> Quantity:
    def reference(
        *,
        m: Number,
        k: Number,
        mu: Number,
        g: Number,
        x0: Number,
        angle: Number,
        directions: Number,
        digits: int = 30,
    ) -> Certified:
        return friction_decay.component(
            time=instant, m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions, digits=digits
        )

    return Quantity(
        f"component@{instant}",
        "m",
        f"displacement along the axis x at {instant} s",
        reference,
        partial(measures.component_at, time=float(instant)),
        partial(theory.component, time=lambda _: float(instant)),
    )


def _component_after(number: int) -> Quantity:
    def reference(
        *,
        m: Number,
        k: Number,
        mu: Number,
        g: Number,
        x0: Number,
        angle: Number,
        directions: Number,
        digits: int = 30,
    ) -> Certified:
        return friction_decay.component_after(
            number=number, m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions, digits=digits
        )

    return Quantity(
        f"component_{number}",
        "m",
        f"displacement along the axis x after {number} half periods",
        reference,
        partial(measures.component_after, number=number),
        partial(theory.component, time=lambda values: number * period(values) / 2),
    )


AFTER = tuple(_component_after(number) for number in range(1, LAST + 1))
AT = tuple(_component(instant) for instant in INSTANTS)
STOP = (
    Quantity(
        "half_cycles",
        "",
        "number of slips until the last stop",
        friction_decay.half_cycles,
        measures.half_cycles,
        theory.half_cycles,
    ),
    Quantity("stop_time", "s", "end of the last slip", friction_decay.stop_time, measures.stop_time, theory.stop_time),
    Quantity(
        "final_position",
        "m",
        "displacement along the line a period after the last stop",
        friction_decay.final_position,
        measures.final_position,
        theory.final_position,
    ),
    Quantity(
        "dissipated_energy",
        "J",
        "friction force along the line times the path slid",
        friction_decay.dissipated_energy,
        measures.dissipated_energy,
        theory.dissipated_energy,
    ),
)

ONLY_STOP = frozenset(quantity.name for quantity in STOP)
ALONG = {"angle": "0"}
VARIANTS = (
    Variant("isotropic", {}),
    Variant("unidirectional", {"directions": "1"}),
    Variant("line", ALONG),
    Variant("twenty", {**ALONG, "x0": "4.05e-3"}, ONLY_STOP),
    Variant("one", {**ALONG, "x0": "2.5e-4"}, ONLY_STOP),
    Variant("held", {**ALONG, "x0": "0.8e-4"}, ONLY_STOP),
)


CASE = Case(
    name="sdnd100",
    title="Free decay under dry friction",
    document="V5.01.100",
    summary="A mass on a spring, released on a plane with Coulomb friction: half cycles whose amplitude falls by a "
    "constant, then a stop for good, away from the place where the spring is slack.",
    statement=(
        "A mass m on a spring k is guided along a straight line at an angle to the axis x, pressed with its weight m g "
        "on a plane with the coefficient of friction mu, and released at x0 with velocity 0.",
        "With R = mu m g and C = R/k every half cycle lasts pi/omega and takes 2 C from the amplitude; the first "
        "turning point between -C and C is the last. If friction acts along x only (directions = 1), its part along "
        "the line is R = mu m g cos(angle).",
        "Modellings A, B, C and E of the manual are the variant isotropic, D is unidirectional; line states the same "
        "motion with one tangent, for solvers that know no second; twenty has as many half cycles, one stops after the "
        "first, held never starts.",
    ),
    equations=(
        "m x'' + k x = -R sign(x') if x' != 0, x'' = 0 if x' = 0 and |k x| <= R",
        "R = mu m g, R = mu m g cos(angle) for directions = 1, C = R/k, omega = sqrt(k/m)",
        "x(0) = x0, x'(0) = 0, t_n = n pi/omega",
        "x = C sign(x_n) + (x_n - C sign(x_n)) cos(omega (t - t_n)) for t_n <= t <= t_{n+1}",
        "x_{n+1} = -x_n + 2 C sign(x_n) if |x_n| > C",
        "x_n = (-1)^n sign(x0) (|x0| - 2 n C), n_end = max(0, ⌈(|x0| - C)/(2 C)⌉)",
    ),
    parameters=friction_decay.PARAMETERS,
    variants=VARIANTS,
    quantities=(*AFTER, *AT, *STOP),
    problem=problem,
    settings=settings,
    modelling=(
        "One coordinate along the line; the tangents of friction are its parts along x and y, or along x alone.",
        "Set-valued friction is regularised: tangential spring k_T = 9e6 m/T² along the line with critical damper, so "
        "that its time constant is T/3000; step T/10000.",
        "Parity runs copy Code_Aster's model instead: one mode (1, 1) of generalised mass 2, an obstacle of 20 N/m "
        "with 0.5 m overlap (N = 10 N exactly), k_T = 4e5 N/m and its automatic tangential damping 1833.03 N s/m, "
        "which is 2 sqrt(m (k + k_T)) with the generalised mass and stiffness, 2 kg and 2e4 N/m.",
    ),
    published=PUBLISHED,
    remarks=(
        "Smoothing friction with tanh(v/v_s) lets the slider creep back to where the spring is slack: the final "
        "position decays instead of staying at 0.05 mm.",
        "A velocity threshold for stick, without a look at the force, stops the slider at its first turning point.",
        "Friction as two independent forces along x and y (a box instead of a cone) is too large by sqrt(2) at 45 "
        "degrees: the slider stops after 3 half cycles instead of 4.",
        "Friction that acts along one direction is taken for the isotropic one: 4 half cycles instead of 6.",
        "The stick of a penalised law starts with a slack spring, and the force of spring and critical damper "
        "overshoots by exp(-2): a slider released at 0.9e-4 m, within 12 percent of the limit, slips by an elastic "
        "length at the start.",
        "With k_T = 4e5 N/m, as Code_Aster's test has, the slider springs back by (R + k x)/k_T = 3.8e-6 m after the "
        "last stop, 7.5 percent of its final position; the test reads it before.",
    ),
    errata=TEST_ERRATA,
    further_checks=further.MAKERS,
    held={"directions": "one or two"},
    figures=figures,
    benchmark_variant="line",
)
