"""A mass that bounces off a stop with a dashpot: restitution from the law of the stop."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from veridyn.references import damped_stop
from veridyn.references.certified import Certified
from veridyn.references.parameters import Number
from veridyn.solver.elements import Stop
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.damped_stop import further, measures, theory
from veridyn.validation_cases.damped_stop.figures import figures
from veridyn.validation_cases.tolerances import Tolerance, cited

STEP_NUMBER = 0.0025  # w_c h
OUTPUT_NUMBER = 0.01  # w_c times the spacing of the requested output
CYCLES = 4.9  # five contacts and the flight after the last of them

ASTER = "1e-3, Code_Aster's tolerance for impacts (test SDND101A)"


def spacing(values: Values) -> float:
    """Return the spacing of the requested output (s)."""
    return OUTPUT_NUMBER / theory.frequencies(values)[1]


def problem(values: Values) -> MechanicalProblem:
    """Return the problem over its first five contacts."""
    m, k, kc, cc, v0 = (float(values[name]) for name in theory.NAMES)
    end = CYCLES * float(damped_stop.touch(contact=2, **theory.given(values), digits=20))
    return MechanicalProblem(
        name="damped_stop",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.array([v0]),
        end=end,
        output_times=np.linspace(0.0, end, math.ceil(end / spacing(values)) + 1),
        stops=(Stop(measures.STOP, np.ones(1), gap=0.0, stiffness=kc, damping=cc),),
        coordinates=("x",),
    )


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: 5e-5 s at the default parameters."""
    return {"scheme": scheme, "step": STEP_NUMBER / theory.frequencies(values)[1], **SCHEMES[scheme].only_shorter}


def _reference(read: Callable[..., Certified], number: int) -> Callable[..., Certified]:
    def reference(*, m: Number, k: Number, kc: Number, cc: Number, v0: Number, digits: int = 30) -> Certified:
        return read(contact=number, m=m, k=k, kc=kc, cc=cc, v0=v0, digits=digits)

    return reference


def _foreign(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - the same for all parameters
    return cited(ASTER, 1e-3)


def _allowed(name: str, number: int) -> Callable[[Values, str, Settings], Tolerance]:
    """Return the tolerance of a quantity of one contact."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if not scheme:
            return _foreign(values, scheme, chosen)
        step = theory.step_of(chosen)
        if name == "rebound":
            return theory.speed(values, scheme, step, number)
        if name == "peak_force":
            return theory.peak_force(values, scheme, step, number, spacing(values))
        contacts = number - 1 if name == "touch" else number
        return theory.instant(values, scheme, step, contacts, spacing(values))

    return tolerance


def _pushing(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    if not scheme:
        return _foreign(values, scheme, chosen)
    return theory.force_duration(values, scheme, theory.step_of(chosen), spacing(values))


def _restitution(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of one contact in flight to flight: that of the first two, one of which is noticed late."""
    if not scheme:
        return _foreign(values, scheme, chosen)
    return theory.speed(values, scheme, theory.step_of(chosen), 2)


def _of_contact(name: str, number: int, unit: str, definition: str) -> Quantity:
    return Quantity(
        f"{name}_{number}",
        unit,
        definition.format(number),
        _reference(getattr(damped_stop, name), number),
        measures.reader(name, number),
        _allowed(name, number),
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
        _pushing,
    ),
    Quantity(
        "restitution",
        "1",
        "speed of a touch over that of the touch before, contact 5",
        damped_stop.restitution,
        measures.restitution,
        _restitution,
    ),
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
    problem=problem,
    settings=settings,
    modelling=(
        "One mode; the stop is the penalty spring with its dashpot itself, so that no modelling error remains.",
        "Step 0.0025/w_c: the jump of the force makes every scheme one of order 1.",
        "Instants are roots of the displacement between samples, rebounds and forces tops of parabolas.",
    ),
    published=(),
    remarks=(
        "A stop that may pull until the gap opens holds the mass back: e = exp(-π β/w_d), 0.729 instead of 0.745.",
        "1 % of damping is 0.28 % of the speed after one contact and 1.4 % after five.",
        "A touch that is noticed a step late costs the speed 2 β h, of order 1 in any scheme; the first contact, which "
        "begins at t = 0, does not have that error.",
        "A dashpot that sees a velocity λ h back acts as if the mass were lighter by 2 β λ h in contact: of order 1, "
        "also in de Vogelaere's scheme (λ = 1/4), and so by theory, sign included.",
        "The peak of a stop with its dashpot comes before the deepest penetration: a peak force times 1/k_c is none.",
    ),
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="light",
)
