"""One-sided spring under gravity: a body that falls on an elastic support and flies again."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("grav", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("w", "rad/s", "natural frequency on the spring", "20", "positive"),
    Parameter("h", "m", "height of the fall", "0.5", "positive"),
)
# s is the time since the last change
PROBLEM = InitialValueProblem(
    name="bungee",
    states=("y", "v", "s"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flight",
            rates=("v", "-grav", 1),
            events=(
                Change(name="land", guard="y", direction=-1, reset={"y": 0, "s": 0}, mode="contact"),
                Change(name="apex", guard="v", direction=-1),
            ),
        ),
        Mode(
            name="contact",
            rates=("v", "-grav - w**2*y", 1),
            events=(Change(name="lift", guard="y", direction=1, reset={"y": 0, "s": 0}, mode="flight"),),
        ),
    ),
    initial=("h", 0, 0),
    end=10.0,
    output_times=evenly(10.0, 10000),
)


def speed(p: Any) -> Any:
    """Return the speed at y = 0 (m/s)."""
    return mpmath.sqrt(2 * p.grav * p.h)


def contact(p: Any) -> Any:
    """Return how long the body is on the spring."""
    return 2 / p.w * (mpmath.pi - mpmath.atan(p.w * speed(p) / p.grav))


def period(p: Any) -> Any:
    """Return the time from apex to apex."""
    return 2 * speed(p) / p.grav + contact(p)


def depth(p: Any) -> Any:
    """Return the largest penetration (m): sag, and the amplitude about it."""
    return p.grav / p.w**2 * (1 + mpmath.sqrt(1 + (p.w * speed(p) / p.grav) ** 2))


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="arcs about the sag")
QUANTITIES = (
    of.value("s", ("lift", 1), "s", before=True, name="contact", second=contact),
    of.event("apex", 1, name="period", second=period),
    of.event("apex", 5, name="five_periods", second=lambda p: 5 * period(p)),
    of.value("y", ("apex", 5), "m", name="height_5", second=lambda p: p.h),
    of.largest("-y", "m", name="penetration", until=("apex", 1), second=depth),
)

CASE = Case(
    name="bungee",
    title="One-sided spring under gravity",
    document="French 1971",
    topics=("impact", "nonlinear spring"),
    summary="A body falls on an elastic support that only pushes, or hangs on a rope that only pulls: flight, contact.",
    statement=(
        "y'' = -grav for y > 0, y'' = -grav - w² y for y < 0, without damping, from rest at the height h.",
        "On the spring the body moves on an arc about the sag grav/w²; it leaves with the speed of its landing.",
    ),
    sketch=draw.sketch(
        draw.box((0, 2.2), 1, 0.7, "m"),
        draw.arrow((0.9, 2.4), (0.9, 1.5), "g"),
        draw.ground((-0.9, -1.7), (0.9, -1.7)),
        draw.edge((-0.5, 0), (0.5, 0)),
        draw.spring((0, 0), (0, -1.7), "w²"),
        draw.span((-0.9, 0), (-0.9, 1.85), "h"),
        draw.dashed((-1.3, 0), (-0.5, 0)),
        draw.ground((4.6, 3.4), (3.0, 3.4)),
        draw.spring((3.8, 3.4), (3.8, 1.0), "w²"),
        draw.box((3.8, 0.65), 1, 0.7, "m"),
        draw.words((3.8, -0.1), "or a rope"),
    ),
    equations=of.equations("t_c = 2 (π - atan(w v/grav))/w, v = sqrt(2 grav h), T = 2 v/grav + t_c"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("stiff", {}), Variant("soft", {"w": "4"})),
    quantities=QUANTITIES,
    modelling=(
        "A support from below and a rope from above are the same equation; s is the time since the last change.",
    ),
    sources=("A. P. French: Vibrations and Waves. Norton (1971).",),
    remarks=(
        "Without gravity on the spring the contact takes pi/w: 9 % too short, on the soft spring 30 %.",
        "The height of the apex is that of the start: a method that steps across landings gains or loses there.",
    ),
)

test_bungee = verifies(CASE)
