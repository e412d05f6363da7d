"""Mass on a moving belt: the limit cycle of stick and slip."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "1", "positive"),
    Parameter("k", "N/m", "stiffness", "1", "positive"),
    Parameter("F_s", "N", "largest force of static friction", "1.5", "positive"),
    Parameter("F_k", "N", "force of kinetic friction", "1", "positive"),
    Parameter("v_b", "m/s", "velocity of the belt", "0.2", "positive"),
)
RELEASE = Change(name="slip", guard="k*x - F_s", direction=1, reset={"x": "F_s/k", "v": "v_b", "s": 0}, mode="slip")
# W is the work of the belt, s the time since the last change
PROBLEM = InitialValueProblem(
    name="belt_stick_slip",
    states=("x", "v", "W", "s"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slip",
            rates=("v", "(F_k - k*x)/m", "v_b*F_k", 1),
            events=(Change(name="stick", guard="v - v_b", direction=1, reset={"v": "v_b", "s": 0}, mode="stick"),),
        ),
        Mode(name="stick", rates=("v_b", 0, "v_b*k*x", 1), events=(RELEASE,)),
    ),
    initial=("F_s/k", "v_b", 0, 0),
    end=60.0,
    output_times=evenly(60.0, 6000),
)


REQUIRED = (Requirement("F_s >= F_k", "what slips would stick again at once, and for ever"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def slipping(p: Any) -> Any:
    """Return how long the mass slips: on a circle about F_k/k in the plane of x and v/ω."""
    omega = mpmath.sqrt(p.k / p.m)
    return 2 * (mpmath.pi - mpmath.atan((p.F_s - p.F_k) / p.k * omega / p.v_b)) / omega


def sticking(p: Any) -> Any:
    """Return how long it sticks: the belt carries it from the mirror point to the release."""
    return 2 * (p.F_s - p.F_k) / (p.k * p.v_b)


def period(p: Any) -> Any:
    """Return the period."""
    return slipping(p) + sticking(p)


def radius(p: Any) -> Any:
    """Return the radius of the circle (m)."""
    return mpmath.sqrt(((p.F_s - p.F_k) / p.k) ** 2 + p.v_b**2 * p.m / p.k)


def slowest(p: Any) -> Any:
    """Return the smallest velocity (m/s)."""
    return -radius(p) * mpmath.sqrt(p.k / p.m)


CYCLE_END = ("slip", 1)
of = Quantities(MOTION, how="circle in the phase plane")
QUANTITIES = (
    of.event("stick", 1, name="t_slip", second=slipping),
    of.value("s", ("slip", 1), "s", before=True, name="t_stick", second=sticking),
    of.event("slip", 1, name="period", second=period),
    of.event("slip", 2, name="end_of_cycle_2", second=lambda p: 2 * period(p)),
    of.largest("x", "m", name="x_max", second=lambda p: p.F_k / p.k + radius(p), after="0", until=CYCLE_END),
    of.smallest("v", "m/s", name="v_min", second=slowest, after="0", until=CYCLE_END),
    of.value("W", ("slip", 1), "J", name="belt_work", second=lambda p: p.v_b * p.F_k * period(p)),
)

CASE = Case(
    name="belt_stick_slip",
    title="Mass on a moving belt",
    document="Leine 1998",
    topics=("friction", "limit cycle"),
    summary="A belt drags a mass on a spring until static friction gives way: sticking and slipping, for ever.",
    statement=(
        "A mass m on a spring k rests on a belt that moves with v_b; friction is F_s at most in stick and F_k in slip.",
        "The motion begins on its limit cycle, as the mass is released: x = F_s/k, v = v_b.",
    ),
    sketch=draw.sketch(
        draw.oscillator("k"),
        draw.disc((1.2, -0.8), 0.35),
        draw.disc((4.6, -0.8), 0.35),
        draw.line((1.2, -0.45), (4.6, -0.45)),
        draw.line((1.2, -1.15), (4.6, -1.15)),
        draw.arrow((3.9, -0.15), (4.8, -0.15), "v_b"),
        draw.arrow((2.5, 0.7), (3.3, 0.7), "x"),
        draw.words((2.4, -1.5), "F_s, F_k"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations("t_slip = 2 (π - atan((F_s - F_k) ω/(k v_b)))/ω, ω = sqrt(k/m)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("slow", {}), Variant("fast", {"v_b": "1"}), Variant("soft", {"k": "1/4"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("W is the work of the belt on the mass, s the time since the last change of phase.",),
    sources=(
        "R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen: Stick-slip vibrations induced by "
        "alternate friction models. Nonlinear Dynamics 16 (1998) 41-54. https://doi.org/10.1023/A:1008289604683",
    ),
    remarks=(
        "Friction that is made continuous creeps in stick: the release comes late and the period is wrong.",
        "Where the mass would overtake the belt, a method with fixed steps overshoots and chatters.",
        "The mean of the friction over a cycle is F_k, whatever F_s is: the mean of the force of the spring.",
    ),
)

test_belt_stick_slip = verifies(CASE)
