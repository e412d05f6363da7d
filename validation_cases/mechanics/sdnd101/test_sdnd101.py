"""SDND101 (EDF V5.01.101): a mass-spring system released against an elastic stop."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from veridyn.references import elastic_stop
from veridyn.references.certified import Certified, exact_count, exact_zero
from veridyn.solver.problem.elements import Stop
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.measures.consistency import (
    energy,
    positions,
    rates,
    residual,
    stop_forces,
    velocities,
)
from veridyn.validation_cases.mechanics.sdnd101 import measures
from veridyn.validation_cases.mechanics.sdnd101.figures import FIGURES
from veridyn.validation_cases.mechanics.sdnd101.measures import FEW, MANY, frequencies, true_instants
from veridyn.validation_cases.mechanics.sdnd101.published import PUBLISHED

OUTPUT_NUMBER = 0.02  # w_c times the spacing of the requested output, 2e-4 s at the default parameters
CYCLES_SHORT = 1.45  # two impacts: 0.5 s at the default parameters
KINKS = 2.0  # regularity: the slope of the force jumps where the stop is touched and left

ASTER = "tolerance of Code_Aster's test SDND101A"
INSTANTS = cited(ASTER + " for instants and durations", 1e-3)
FORCES = cited(ASTER + " for forces, impulses and velocities", 1e-3)
ENERGIES = cited("Code_Aster's tolerance of 1e-3 for forces, twice for energies", 2e-3)
BALANCES = cited("Code_Aster's tolerance of 1e-3 for forces, twice for energies", 2e-3, kind="absolute")


def _problem(values: Values, cycles: float) -> MechanicalProblem:
    m, k, kc, v0 = (float(values[name]) for name in ("m", "k", "kc", "v0"))
    w, wc = frequencies(values)
    end = cycles * (math.pi / w + math.pi / wc)
    return MechanicalProblem(
        name="sdnd101",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.array([v0]),
        end=end,
        output_times=np.linspace(0.0, end, math.ceil(end * wc / OUTPUT_NUMBER) + 1),
        stops=(Stop("stop", np.ones(1), gap=0.0, stiffness=kc),),
        coordinates=("x",),
    )


def problem(values: Values) -> MechanicalProblem:
    """Return the problem over its first two impacts."""
    return _problem(values, CYCLES_SHORT)


def long_problem(values: Values) -> MechanicalProblem:
    """Return the problem over a hundred impacts."""
    return _problem(values, MANY + 0.02)


def _count(number: int, *, digits: int = 30) -> Certified:
    return exact_count(number, "impacts of equal cycles before the end of the run", digits)


def _no_difference(*, digits: int = 30) -> Certified:
    return exact_zero("computed instants are the true ones", digits)


def _passed(number: int, values: Values) -> float:
    """Return how long so many cycles last (s)."""
    return number * float(true_instants(values, 2)[2])


def _off(number: int, values: Values) -> Tolerance:
    """Return the criterion of contact instants, absolute."""
    source = "a thousandth of the time passed, Code_Aster's tolerance for instants"
    return cited(source, 1e-3 * _passed(number, values), kind="absolute")


def _events(number: int, suffix: str) -> tuple[Quantity, Quantity]:
    """Return number and instants of impacts."""
    return (
        Quantity(
            f"impacts{suffix}",
            "",
            f"number of complete impacts; there are {number}",
            partial(_count, number),
            partial(measures.count, number=number),
            exactly("impacts are counted"),
        ),
        Quantity(
            f"contact_instants{suffix}",
            "s",
            f"largest difference of touches and releases of {number} impacts from the true ones",
            _no_difference,
            partial(measures.worst_instant, number=number),
            partial(_off, number),
            partial(_passed, number),
            KINKS,
        ),
    )


SHORT = (
    *(
        Quantity(
            f"peak_time_{n}",
            "s",
            f"instant of the largest force of impact {n}",
            partial(elastic_stop.peak_time, shock=n),
            partial(measures.peak_time, number=n),
            INSTANTS,
            regularity=KINKS,
        )
        for n in (1, 2)
    ),
    Quantity(
        "peak_force",
        "N",
        "largest force of impact 2",
        elastic_stop.peak_force,
        partial(measures.peak_force, number=2),
        FORCES,
        regularity=KINKS,
    ),
    Quantity(
        "contact_duration",
        "s",
        "duration of contact of impact 1, between roots of the gap",
        elastic_stop.contact_duration,
        partial(measures.contact_duration, number=1),
        INSTANTS,
        regularity=KINKS,
    ),
    Quantity(
        "flight_duration",
        "s",
        "duration of flight between impacts 1 and 2",
        elastic_stop.flight_duration,
        measures.flight_duration,
        INSTANTS,
        regularity=KINKS,
    ),
    Quantity(
        "impulse",
        "N s",
        "impulse of the stop alone in impact 2",
        elastic_stop.impulse,
        partial(measures.impulse, number=2),
        FORCES,
        regularity=KINKS,
    ),
    Quantity(
        "impact_velocity",
        "m/s",
        "rate of the gap when impact 2 begins (negative: approach)",
        elastic_stop.impact_velocity,
        measures.impact_velocity,
        FORCES,
        regularity=KINKS,
    ),
    *_events(FEW, ""),
)
LONG = (
    Quantity(
        f"peak_force_{MANY}",
        "N",
        f"largest force of impact {MANY}",
        elastic_stop.peak_force,
        partial(measures.peak_force, number=MANY),
        FORCES,
        regularity=KINKS,
    ),
    Quantity(
        f"impulse_{MANY}",
        "N s",
        f"impulse of the stop alone in impact {MANY}",
        elastic_stop.impulse,
        partial(measures.impulse, number=MANY),
        FORCES,
        regularity=KINKS,
    ),
    Quantity(
        f"contact_duration_{MANY}",
        "s",
        f"duration of contact of impact {MANY}, between roots of the gap",
        elastic_stop.contact_duration,
        partial(measures.contact_duration, number=MANY),
        INSTANTS,
        regularity=KINKS,
    ),
    Quantity(
        f"energy_{MANY}",
        "J",
        f"energy of the flight before impact {MANY}, from its largest distance",
        elastic_stop.energy,
        partial(measures.energy, number=MANY),
        ENERGIES,
        regularity=KINKS,
    ),
    *_events(MANY, f"_{MANY}"),
)


def _launched(o: Observation) -> float:
    return 0.5 * o["m"] * o["v0"] ** 2


RESIDUALS = (
    energy("of m v0²/2", _launched, BALANCES),
    residual(
        "impulse_residual",
        "of 2 m v0",
        "largest difference of stop impulse and change of momentum",
        measures.impulse_residual,
        BALANCES,
    ),
    velocities(),
    stop_forces(),
    positions(),
    rates(),
)


def _names(quantities: tuple[Quantity, ...]) -> frozenset[str]:
    return frozenset(quantity.name for quantity in quantities)


CASE = Case(
    name="sdnd101",
    title="Release of a mass-spring system against a stop",
    document="V5.01.101",
    summary="An oscillator starts at zero gap towards an elastic stop and rebounds periodically; forces, "
    "durations, impulses, a hundred impacts.",
    equations=(
        "m x'' + k x = -k_c x  for x > 0, x(0) = 0, x'(0) = v0",
        "omega_0 = sqrt(k/m), omega_c = sqrt((k + k_c)/m)",
        "F_max = k_c v0/omega_c, T_c = pi/omega_c, T_0 = pi/omega_0",
        "I = 2 k_c v0/omega_c²",
    ),
    statement=(
        "A mass m on a spring k starts at x = 0 with velocity v0 towards an elastic stop of stiffness k_c at gap 0. "
        "Nothing is damped.",
        "In contact x = (v0/w_c) sin(w_c t) with w_c = sqrt((k + k_c)/m), for half a period pi/w_c; in flight half a "
        "period pi/w of w = sqrt(k/m); then again. The period does not depend on the amplitude, so counts and "
        "durations stay right even when a solver loses or makes energy: forces and impulses of the hundredth impact "
        "tell.",
    ),
    parameters=elastic_stop.PARAMETERS,
    variants=(Variant("2-shocks", {}, _names(SHORT)), Variant("100-shocks", {}, _names(LONG), long_problem)),
    quantities=(*SHORT, *LONG),
    residuals=RESIDUALS,
    problem=problem,
    modelling=(
        "One mode; the stop is the penalty spring itself, so that no modelling error remains.",
        "Contact instants are reported events, or else roots of the gap between samples; forces and impulses come from "
        "a spline of the penetration.",
    ),
    published=PUBLISHED,
    remarks=(
        "Sampled durations are multiples of the step: 0.8 % off at 5e-4 s whatever the solver.",
        "Sampled peaks do not converge smoothly; interpolated contact durations do, with order 2.",
        "Methods with numerical damping, and variable steps of methods that are symplectic only at constant step, lose "
        "most of the energy in a hundred impacts while every duration stays right.",
        "A stiffness read per unit mass, or a restitution law instead of a spring, changes the force by orders "
        "of magnitude.",
    ),
    figures=FIGURES,
    benchmark_variant="2-shocks",
)

test_sdnd101 = verifies(CASE)
