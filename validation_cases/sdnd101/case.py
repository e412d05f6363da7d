"""SDND101 (EDF V5.01.101): a mass-spring system released against an elastic stop."""

from __future__ import annotations

import math

import numpy as np

from veridyn.references import elastic_stop
from veridyn.references.certified import Certified
from veridyn.references.parameters import Number
from veridyn.solver.elements import Stop
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdnd101 import further, measures
from veridyn.validation_cases.sdnd101.figures import figures
from veridyn.validation_cases.sdnd101.measures import MANY, frequencies
from veridyn.validation_cases.sdnd101.published import PUBLISHED
from veridyn.validation_cases.sdnd101.theory import duration
from veridyn.validation_cases.tolerances import Tolerance, cited, from_theory

STEP_NUMBER = math.sqrt(10100.0) * 5e-4  # w_c h: 5e-4 s at the default parameters, as the manual
OUTPUT_NUMBER = 0.02  # w_c times the spacing of the requested output, 2e-4 s at the default parameters
CYCLES_SHORT = 1.45  # two impacts: 0.5 s at the default parameters

ASTER_TOLERANCE = "tolerance of Code_Aster's test SDND101A"


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


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: 5e-4 s at the default parameters."""
    step = STEP_NUMBER / frequencies(values)[1]
    return {"scheme": scheme, "step": step, **SCHEMES[scheme].only_shorter}


def _period(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of durations."""
    if not scheme:
        return cited(ASTER_TOLERANCE + " for instants and durations", 1e-3)
    return duration(values, scheme, chosen)


def _energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of forces: touching inside a step leaves up to k_c (v h)²/2 of energy uncounted."""
    if not scheme:
        return cited(ASTER_TOLERANCE + " for forces, impulses and velocities", 1e-3)
    wc = frequencies(values)[1]
    what = "contact inside a step leaves up to k_c (v h)²/2 uncounted: (w_c h)²/2 of the amplitude"
    return from_theory(2, wc**2 / 2, float(chosen["step"]), what=what)


def _peak_time_1(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    return elastic_stop.peak_time(shock=1, m=m, k=k, kc=kc, v0=v0, digits=digits)


def _peak_time_2(*, m: Number, k: Number, kc: Number, v0: Number, digits: int = 30) -> Certified:
    return elastic_stop.peak_time(shock=2, m=m, k=k, kc=kc, v0=v0, digits=digits)


QUANTITIES = (
    Quantity(
        "peak_time_1", "s", "instant of the largest force of impact 1", _peak_time_1, measures.peak_time_1, _period
    ),
    Quantity(
        "peak_time_2", "s", "instant of the largest force of impact 2", _peak_time_2, measures.peak_time_2, _period
    ),
    Quantity("peak_force", "N", "largest force of impact 2", elastic_stop.peak_force, measures.peak_force, _energy),
    Quantity(
        "contact_duration",
        "s",
        "duration of contact of impact 1, between roots of the gap",
        elastic_stop.contact_duration,
        measures.contact_duration,
        _period,
    ),
    Quantity(
        "flight_duration",
        "s",
        "duration of flight between impacts 1 and 2",
        elastic_stop.flight_duration,
        measures.flight_duration,
        _period,
    ),
    Quantity(
        "impulse", "N s", "impulse of the stop alone in impact 2", elastic_stop.impulse, measures.impulse, _energy
    ),
    Quantity(
        "impact_velocity",
        "m/s",
        "rate of the gap when impact 2 begins (negative: approach)",
        elastic_stop.impact_velocity,
        measures.impact_velocity,
        _energy,
    ),
)


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
        "In contact x = (v0/w_c) sin(w_c t) with w_c = sqrt((k + k_c)/m), for half a period pi/w_c; in flight "
        "half a period "
        "pi/w of w = sqrt(k/m); then again. The period does not depend on the amplitude, so counts and durations "
        "stay right "
        "even when a solver loses or makes energy: forces and impulses of the hundredth impact tell.",
    ),
    parameters=elastic_stop.PARAMETERS,
    variants=(Variant("2-shocks", {}), Variant("100-shocks", {}, frozenset())),
    quantities=QUANTITIES,
    problem=problem,
    settings=settings,
    modelling=(
        "One mode; the stop is the penalty spring itself, so that no modelling error remains.",
        "Step 5e-4 s as in the manual: w_c h = 0.05.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration; "
        "sampled values are used only for parity with the manual.",
    ),
    published=PUBLISHED,
    remarks=(
        "Sampled durations are multiples of the step: 0.8 % off at 5e-4 s whatever the scheme.",
        "Sampled peaks do not converge smoothly; interpolated contact durations do, with order 2.",
        "Schemes with numerical damping, and variable steps of schemes that are symplectic only at constant step, lose "
        "most of the energy in a hundred impacts while every duration stays right.",
        "A stiffness read per unit mass, or a restitution law instead of a spring, changes the force by orders "
        "of magnitude.",
    ),
    further_checks=further.makers(long_problem),
    figures=figures,
    benchmark_variant="2-shocks",
)
