"""SDND106 (EDF V5.01.106): two masses on a spring, one of which sticks, slips and sticks."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import pulled_pair
from veridyn.references.certified import Certified
from veridyn.references.parameters import Number
from veridyn.solver.elements import Friction, Load
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Piecewise
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd106 import further, measures, theory
from veridyn.validation_cases.sdnd106.figures import figures
from veridyn.validation_cases.sdnd106.measures import RUBBING, STIFFNESS_NUMBER, period
from veridyn.validation_cases.sdnd106.published import PUBLISHED, TEST_ERRATA

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
STEPS_PER_PERIOD = 9973  # 1.4e-5 s; a prime, so that no step ends where m1 breaks away, at T/4
INSTANTS = ("0.02", "0.15", "0.2", "0.339965")
SHORTEST_END = 0.35  # s, as in Code_Aster's test


def problem(values: Values) -> MechanicalProblem:
    """Return the ideal problem: set-valued friction under a constant normal force, a pull that ends at once."""
    m1, m2, k, normal, mu_s, mu_d = (float(values[name]) for name in ("m1", "m2", "k", "normal", "mu_s", "mu_d"))
    # one period more than the slips last, so that creep shows
    end = max(SHORTEST_END, theory.last_change(values) + period(values))
    pull = Piecewise((0.0, str(values["t_off"])), ((str(values["pull"]),), (0.0,)))
    return MechanicalProblem(
        name="sdnd106",
        mass=np.diag([m1, m2]),
        stiffness=k * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        initial_displacement=np.zeros(2),
        initial_velocity=np.zeros(2),
        end=end,
        output_times=_outputs(end, period(values) / OUTPUTS_PER_PERIOD),
        loads=(Load(np.array([0.0, 1.0]), pull),),
        frictions=(Friction(RUBBING, (np.array([1.0, 0.0]),), normal, mu_s, mu_d),),
    )


def _outputs(end: float, spacing: float) -> NDArray[np.float64]:
    """Return output instants (m,): evenly spaced, and those of the published values."""
    even = np.linspace(0.0, end, round(end / spacing) + 1)
    between = [t for t in map(float, INSTANTS) if np.abs(even - t).min() > 1e-3 * spacing]
    return np.union1d(even, between)


def settings(values: Values, scheme: str) -> Settings:
    """Return step and penalty of our schemes."""
    stiffness = STIFFNESS_NUMBER * float(values["m1"]) / period(values) ** 2
    step = period(values) / STEPS_PER_PERIOD
    return {"scheme": scheme, "step": step, "tangential_stiffness": stiffness, **SCHEMES[scheme].only_shorter}


def _state(what: str, instant: str) -> Quantity:
    def reference(
        *,
        m1: Number,
        m2: Number,
        k: Number,
        normal: Number,
        mu_s: Number,
        mu_d: Number,
        pull: Number,
        t_off: Number,
        digits: int = 30,
    ) -> Certified:
        return pulled_pair.state(
            what=what,
            time=instant,
            m1=m1,
            m2=m2,
            k=k,
            normal=normal,
            mu_s=mu_s,
            mu_d=mu_d,
            pull=pull,
            t_off=t_off,
            digits=digits,
        )

    kind, unit = ("displacement", "m") if what.startswith("x") else ("velocity", "m/s")
    return Quantity(
        f"{what}@{instant}",
        unit,
        f"{kind} of m{what[1]} at {instant} s",
        reference,
        partial(measures.state_at, what=what, time=float(instant)),
        partial(theory.state, what=what, time=float(instant)),
    )


STATES = tuple(_state(what, instant) for what in ("x1", "x2", "v1", "v2") for instant in INSTANTS)
CHANGES = (
    Quantity(
        "slip_start", "s", "first break-away of m1", pulled_pair.slip_start, measures.slip_start, theory.slip_start
    ),
    Quantity("slip_end", "s", "end of the last slip of m1", pulled_pair.slip_end, measures.slip_end, theory.slip_end),
    Quantity("slips", "", "number of slips", pulled_pair.slips, measures.count_slips, theory.slips),
    Quantity(
        "final_position",
        "m",
        "displacement of m1 a period after the last slip",
        pulled_pair.final_position,
        measures.final_position,
        theory.final_position,
    ),
    Quantity(
        "dissipated_energy",
        "J",
        "mu_d times normal force times the path slid",
        pulled_pair.dissipated_energy,
        measures.dissipated_energy,
        theory.dissipated_energy,
    ),
)

VARIANTS = (
    Variant("stat-dyna", {}),
    Variant("equal", {"mu_s": "0.2"}),
    Variant("twice", {"m1": "3", "t_off": "0.31"}),
    Variant("holds", {"mu_s": "0.65"}),
)


CASE = Case(
    name="sdnd106",
    title="Stick, slip, stick of two masses",
    document="V5.01.106",
    summary="Two masses on a spring, one pulled, one rubbing: break-away against static friction, slip under kinetic "
    "friction, pull taken away on the way, stick for good.",
    statement=(
        "A mass m1 rests on a plane under the normal force N, friction mu_s at rest, mu_d in motion; a spring k "
        "couples it to a mass m2 that slides freely. A force acts on m2 from t = 0 to t_off; everything starts at "
        "rest.",
        "While m1 sticks, x2 = F/k (1 - cos omega t) with omega² = k/m2, until k x2 = mu_s N. While it slips, the "
        "centre of mass is driven by F - mu_d N and the spring oscillates with omega² = k/m1 + k/m2; the slip ends at "
        "the first root of v1. Afterwards m2 swings on the spring and m1 sticks for ever.",
        "Variant stat-dyna is modelling A of the manual; equal has one coefficient, twice slips two times, holds "
        "never.",
    ),
    equations=(
        "m1 x1'' = k (x2 - x1) + R, m2 x2'' = k (x1 - x2) + f, f = F for t < t_off else 0",
        "|R| <= mu_s N if x1' = 0, R = -mu_d N sign(x1') else",
        "stick: x2 = F/k (1 - cos(omega t)), omega = sqrt(k/m2), k x2(t_1) = mu_s N",
        "slip: u'' + Omega² u = f/m2 + mu_d N/m1, X'' = (f - mu_d N)/(m1 + m2)",
        "u = x2 - x1, Omega² = k/m1 + k/m2, x1 = X - m2 u/(m1 + m2)",
        "t_1 = acos(1 - mu_s N/F)/omega, x1'(t_2) = 0, t_2 > t_1, x1 = x1(t_2) for t > t_2",
    ),
    parameters=pulled_pair.PARAMETERS,
    variants=VARIANTS,
    quantities=(*STATES, *CHANGES),
    problem=problem,
    settings=settings,
    modelling=(
        "Two coordinates, constant normal force; the pull is a jump, not the ramp of 1e-6 s of Code_Aster's file.",
        "Set-valued friction is regularised: tangential spring k_T = 9e6 m1/T² with critical damper, T the period of "
        "m2 while m1 sticks; step T/9973.",
        "Parity runs copy Code_Aster's model instead: modes (1, 1) and (1, -1) of generalised mass 10, an obstacle of "
        "1e4 N/m with 1 m overlap, k_T = 5e7 N/m, automatic tangential damping 2 sqrt(m k_T) = 44721.36 N s/m of the "
        "rigid-body mode, ramp of 1e-6 s, steps that end on the archived instants.",
    ),
    published=PUBLISHED,
    remarks=(
        "One coefficient of friction instead of two (mu_s = mu_d = 0.2) breaks away at 0.0275 s instead of 0.0351 s.",
        "A velocity threshold for stick, without a look at the direction, holds m1 at once after the break-away: it "
        "needs a millisecond to reach 0.2 m/s. Later v1 dips to 9.2 m/s at 0.127 s and does not come near zero before "
        "the end.",
        "A pull that ends inside a step leaves up to F h of momentum too much or too little, order 1 for every scheme.",
        "A penalised stick lets m1 glide with k v2/k_T while the spring winds up: with k_T = 5e7 N/m 2.7e-3 m/s at the "
        "break-away, 4e-4 m at the end.",
    ),
    errata=TEST_ERRATA,
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="stat-dyna",
)
