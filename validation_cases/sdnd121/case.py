"""SDND121 (EDF V5.01.121): forced vibration against one stop, every instant of contact over four seconds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from veridyn.references import impact_oscillator
from veridyn.solver.elements import Load, Stop
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Harmonic
from veridyn.validation_cases import impact_quantities, impact_theory, vibro_impact
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd121 import further
from veridyn.validation_cases.sdnd121.figures import figures
from veridyn.validation_cases.sdnd121.published import PUBLISHED
from veridyn.validation_cases.tolerances import Tolerance, cited

STEP_NUMBER = math.sqrt((1e10 + 2e6) / 156.0) * 4e-6  # w_c h: 4e-6 s at the default parameters, as the test
INSTANTS = {"touch_1": 1, "release_1": 2, "touch_10": 19, "touch_35": 69, "touch_70": 139, "release_70": 140}

ASTER_INSTANTS = cited("tolerance of Code_Aster's test sdnd121a for instants", 2e-4)
ASTER_FORCES = cited("1e-3, the precision that Code_Aster's tests ask for where they state none", 1e-3)


def problem(values: Values) -> MechanicalProblem:
    """Return the problem over its whole span."""
    m, k, kc, gap = (float(values[name]) for name in ("m", "k", "kc", "gap"))
    return MechanicalProblem(
        name="sdnd121",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.zeros(1),
        end=float(values["t_end"]),
        output_times=vibro_impact.output_times(values),
        loads=(Load(np.ones(1), Harmonic(str(values["F"]), str(values["Omega"]))),),
        stops=(Stop("stop", np.ones(1), gap=gap, stiffness=kc),),
        coordinates=("x",),
    )


def step_of(values: Values) -> float:
    """Return the step of our schemes (s)."""
    return STEP_NUMBER / vibro_impact.contact_frequency(values)


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: 4e-6 s at the default parameters; of a million states those near the outputs are kept."""
    return {"scheme": scheme, "step": step_of(values), "archive_at": "output_times", **SCHEMES[scheme].only_shorter}


def _of_force(contact: int, values: Values, scheme: str, chosen: Settings) -> Tolerance:
    return impact_theory.of_force(values, scheme, chosen, contact) if scheme else ASTER_FORCES


def _peak(contact: int) -> Quantity:
    return impact_quantities.where_decided(
        Quantity(
            f"peak_force_{contact}",
            "N",
            f"largest force of contact {contact}",
            partial(impact_oscillator.peak_force, contact=contact),
            partial(vibro_impact.peak_force, contact=contact),
            partial(_of_force, contact),
        ),
        step_of,
        lambda _: 2 * contact,
    )


QUANTITIES = (
    *(impact_quantities.instant(name, number, ASTER_INSTANTS, step_of) for name, number in INSTANTS.items()),
    *(_peak(contact) for contact in (1, 70)),
    impact_quantities.largest_force(ASTER_FORCES, step_of),
)


CASE = Case(
    name="sdnd121",
    title="Forced vibration against one stop",
    document="V5.01.121",
    summary="A load drives an oscillator against a stiff stop seventy times in four seconds; all 140 instants of "
    "contact, forces, energy.",
    statement=(
        "A mass m on a spring k, at rest, is driven by F sin(Omega t) against an elastic stop k_c at a gap. Nothing "
        "is damped.",
        "Flights and contacts are free vibrations of w = sqrt(k/m) and w_c = sqrt((k + k_c)/m) about a forced one; "
        "an instant of contact is the next root of displacement = gap. A contact lasts 0.39 ms, a flight up to a "
        "hundred times as long.",
        "The motion does not repeat, but it forgives: a deviation grows by no more than 4.3 over the whole run.",
    ),
    equations=(
        "m x'' + k x = F sin(Omega t) - N, N = k_c max(0, x - gap), x(0) = x'(0) = 0",
        "w = sqrt(k/m), w_c = sqrt((k + k_c)/m), tau = t - t_j",
        "flight: x = P cos(w tau) + Q sin(w tau) + F/(k - m Omega²) sin(Omega t)",
        "contact: x = P cos(w_c tau) + Q sin(w_c tau) + F/(k + k_c - m Omega²) sin(Omega t) + k_c gap/(k + k_c)",
        "x(t_{j+1}) = gap, t_{j+1} > t_j",
    ),
    parameters=impact_oscillator.parameters(
        m="156", k="2e6", kc="1e10", gap="1e-3", F="3000", Omega="10*pi", t_end="4"
    ),
    variants=(Variant("a", {}),),
    quantities=QUANTITIES,
    problem=problem,
    settings=settings,
    modelling=(
        "One mode; the stop is the penalty spring itself, so that no modelling error remains.",
        "Step 4e-6 s as in Code_Aster's test: w_c h = 0.032, a hundred steps per contact, a million in all.",
        "Output is asked for every 4e-6 s around contacts and every 1e-4 s in between; our schemes keep the states "
        "nearest to these instants.",
        "Contact instants are roots of the gap between samples, forces come from a spline of the penetration.",
    ),
    published=PUBLISHED,
    remarks=(
        "With steps of 8e-5 s, five in a contact, there are 72 contacts; sixteen of them are where they should be.",
        "A stop that damps 1 % of critical makes 84 contacts of 70; a damping ratio of 1e-3 of the structure moves "
        "instants by 2.6 ms, six times as long as a contact lasts.",
        "The trapezoidal rule with gamma = 0.6 keeps the count, and moves the instants by 2.2 ms.",
        "A stop 2 % too soft moves no instant by more than 1e-4 s, within the 2e-4 of the instant that Code_Aster's "
        "test grants: forces tell, 1.1 % too small.",
        "Where in a step a contact begins is chance: the errors of seventy contacts add up like a root, and an impact "
        "hardly magnifies them.",
    ),
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="a",
)
