"""A mass that bounces off a stop with a dashpot: restitution from the law of the stop."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from veridyn.references import damped_stop
from veridyn.references.certified import Certified, exact_count
from veridyn.solver.problem.elements import Stop
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.core.case import Case, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import cited, exactly
from veridyn.validation_cases.measures.consistency import positions, rates, residual, velocities
from veridyn.validation_cases.mechanics.damped_stop import measures
from veridyn.validation_cases.mechanics.damped_stop.figures import figures

OUTPUT_NUMBER = 0.01  # w_c times the spacing of the requested output
CONTACTS = 5
CYCLES = CONTACTS - 0.1  # that many contacts and the flight after the last of them
JUMPS = 1.0  # regularity: the force of the stop jumps at every touch

ASTER = cited("1e-3, Code_Aster's tolerance for impacts (test SDND101A)", 1e-3)


def problem(values: Values) -> MechanicalProblem:
    """Return the problem over its first five contacts."""
    m, k, kc, cc, v0 = (float(values[name]) for name in measures.NAMES)
    end = CYCLES * float(damped_stop.touch(contact=2, **measures.given(values), digits=20))
    spacing = OUTPUT_NUMBER / measures.contact_frequency(values)
    return MechanicalProblem(
        name="damped_stop",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.array([v0]),
        end=end,
        output_times=np.linspace(0.0, end, math.ceil(end / spacing) + 1),
        stops=(Stop(measures.STOP, np.ones(1), gap=0.0, stiffness=kc, damping=cc),),
        coordinates=("x",),
    )


def _count(*, digits: int = 30) -> Certified:
    return exact_count(CONTACTS, "equal cycles before the end of the run", digits)


def _of_contact(name: str, number: int, unit: str, definition: str) -> Quantity:
    return Quantity(
        f"{name}_{number}",
        unit,
        definition.format(number),
        partial(getattr(damped_stop, name), contact=number),
        partial(getattr(measures, name), number=number),
        ASTER,
        regularity=JUMPS,
    )


QUANTITIES = (
    *(_of_contact("touch", n, "s", "instant at which contact {} begins") for n in (2, 5)),
    *(
        _of_contact("opening", n, "s", "instant at which the mass leaves the place of the stop, contact {}")
        for n in (1, 5)
    ),
    *(_of_contact("rebound", n, "m", "largest distance from the stop after contact {}") for n in (1, 5)),
    *(_of_contact("peak_force", n, "N", "largest force of contact {}") for n in (1, 5)),
    Quantity(
        "force_duration",
        "s",
        "time that the stop pushes in contact 1",
        damped_stop.force_duration,
        measures.force_duration,
        ASTER,
        regularity=JUMPS,
    ),
    Quantity(
        "restitution",
        "1",
        "speed of a touch over that of the touch before, contact 5",
        damped_stop.restitution,
        measures.restitution,
        ASTER,
        regularity=JUMPS,
    ),
    Quantity("contacts", "", "number of contacts", _count, measures.contacts, exactly("contacts are counted")),
)

RESIDUALS = (
    residual(
        "largest_pull",
        "N",
        "largest force with which the stop pulls",
        measures.largest_pull,
        exactly("the force of a stop is never tensile"),
    ),
    velocities(),
    positions(),
    rates(),
)


CASE = Case(
    name="damped_stop",
    title="Mass that bounces off a damped stop",
    document="this suite",
    summary="An oscillator starts at zero gap towards a stop with spring and dashpot that never pulls: every contact "
    "takes the same share of the speed; instants, rebounds and forces of five contacts.",
    equations=(
        "m x'' + k x = -F,  F = max(0, k_c x + c_c x')  for x > 0, x(0) = 0, x'(0) = v0",
        "beta = c_c/(2m), omega² = (k + k_c)/m, omega_d² = omega² - beta²",
        "t_r = (pi - atan2(c_c omega_d, k_c - c_c beta))/omega_d",
        "e = sqrt(v_r² + omega_0² x_r²)/v",
    ),
    statement=(
        "A mass m on a spring k starts at x = 0 with velocity v0 towards a stop k_c, c_c at gap 0. The force of the "
        "stop jumps to c_c v at the touch, and it never pulls: it ends at t_r, while the stop is still compressed.",
        "All phases are linear in v: the speed falls by the same e in every contact, and all cycles last alike.",
    ),
    parameters=damped_stop.PARAMETERS,
    variants=(Variant("light", {}), Variant("strong", {"cc": "2500"})),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    problem=problem,
    modelling=(
        "One mode; the stop is the penalty spring with its dashpot itself, so that no modelling error remains.",
        "The force of the stop jumps at every touch, so that methods which step over touches are of order 1.",
        "Instants are roots of the displacement between samples; rebounds and forces are tops of polynomials through "
        "samples.",
    ),
    published=(),
    remarks=(
        "A stop that may pull until the gap opens holds the mass back: e = exp(-π β/w_d), 0.729 instead of 0.745.",
        "1 % of damping is 0.28 % of the speed after one contact and 1.4 % after five.",
        "A touch that is noticed a step late costs the speed 2 β h, of order 1 in any method; the first contact, which "
        "begins at t = 0, does not have that error.",
        "A dashpot that sees the velocity of λ h before acts as if the mass were lighter by 2 β λ h in contact: an "
        "error of order 1.",
        "The peak of a stop with its dashpot comes before the deepest penetration: a peak force times 1/k_c is none.",
    ),
    figures=(figures,),
    benchmark_variant="light",
)

test_damped_stop = verifies(CASE)
