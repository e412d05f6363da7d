"""Two balls in a row: one is pushed against the other, elastic or not."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

END = "3"  # s
PARAMETERS = (
    Parameter("m1", "kg", "mass of the ball that is pushed", "1"),
    Parameter("m2", "kg", "mass of the ball ahead", "2"),
    Parameter("d", "m", "distance of the balls at the start", "1"),
    Parameter("v1", "m/s", "velocity of the first ball at the start", "1", "any"),
    Parameter("v2", "m/s", "velocity of the second ball at the start", "0", "any"),
    Parameter("F", "N", "force on the first ball", "1"),
    Parameter("e", "1", "coefficient of restitution", "0.5"),
)
# D is the energy that the impacts have taken
HIT = Change(
    name="hit",
    guard="x2 - x1",
    direction=-1,
    reset={
        "x2": "x1",
        "u1": "u1 - (1 + e)*m2/(m1 + m2)*(u1 - u2)",
        "u2": "u2 + (1 + e)*m1/(m1 + m2)*(u1 - u2)",
        "D": "D + (1 - e**2)*m1*m2/(m1 + m2)*(u1 - u2)**2/2",
    },
)
PROBLEM = InitialValueProblem(
    name="pushed_balls",
    states=("x1", "u1", "x2", "u2", "D"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="apart", rates=("u1", "F/m1", "u2", 0, 0), events=(HIT,)),),
    initial=(0, "v1", "d", "v2", 0),
    end=float(END),
    output_times=evenly(float(END), 600),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)


def closing(p: Any) -> Any:
    """Return the speed (m/s) at which the balls meet first: the gap falls as a body under the weight F/m1."""
    return mpmath.sqrt((p.v1 - p.v2) ** 2 + 2 * p.F / p.m1 * p.d)


def hit(p: Any, number: int) -> Any:
    """Return the instant (s) of an impact, as of a ball that bounces under the weight F/m1."""
    first = (p.v2 - p.v1 + closing(p)) * p.m1 / p.F
    return first + 2 * closing(p) * p.m1 / p.F * mpmath.fsum(p.e**k for k in range(1, number))


def hits(p: Any) -> int:
    """Return how many impacts there are up to the end."""
    end, number = mpmath.mpf(END), 0
    if p.e < 1 and hit(p, 1) + 2 * closing(p) * p.m1 / p.F * p.e / (1 - p.e) <= end:
        raise CertificationError("the balls stay together")
    while hit(p, number + 1) < end:
        number += 1
    return number


def gap(p: Any) -> tuple[Any, Any]:
    """Return the distance of the balls at the end, and its rate."""
    number, end = hits(p), mpmath.mpf(END)
    lapse = end - (hit(p, number) if number else 0)
    start, rate = (0, p.e**number * closing(p)) if number else (p.d, p.v2 - p.v1)
    return start + rate * lapse - p.F / p.m1 * lapse**2 / 2, rate - p.F / p.m1 * lapse


def centre(p: Any) -> tuple[Any, Any]:
    """Return place and velocity of the centre of mass at the end: no impact changes it."""
    both, end = p.m1 + p.m2, mpmath.mpf(END)
    rate = (p.m1 * p.v1 + p.m2 * p.v2) / both
    return p.m2 * p.d / both + rate * end + p.F / both * end**2 / 2, rate + p.F / both * end


def ball(p: Any, body: int, order: int) -> Any:
    """Return place or velocity of a ball at the end, from the centre of mass."""
    share = -p.m2 if body == 1 else p.m1
    return centre(p)[order] + share / (p.m1 + p.m2) * gap(p)[order]


def loss(p: Any) -> Any:
    """Return the energy (J) that impacts have taken: that of the relative motion, of e^(2 n) of which is left."""
    return p.m1 * p.m2 / (p.m1 + p.m2) * (1 - p.e ** (2 * hits(p))) * closing(p) ** 2 / 2


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="centre of mass and distance")
SPEED = "abs(v1) + F/m1"
QUANTITIES = (
    of.event("hit", 1, second=partial(hit, number=1)),
    of.value("u2", ("hit", 1), "m/s", scale=SPEED),
    *(
        of.value(name, END, unit, second=partial(ball, body=body, order=order), scale=SPEED)
        for body in (1, 2)
        for order, (name, unit) in enumerate(((f"x{body}", "m"), (f"u{body}", "m/s")))
    ),
    of.value("D", END, "J", second=loss, scale="F*d + m1*v1**2"),
)

CASE = Case(
    name="pushed_balls",
    title="Two balls in a row",
    document="this suite",
    topics=("impact", "gradients"),
    summary="A force pushes a ball against another: the end of both is known as a function of the start.",
    statement=(
        "Two balls on a line: the first, at 0, has the velocity v1 and is pushed by the force F; the second, at d, has "
        "v2. Where they meet, their relative velocity is turned, and e of it stays.",
        "The centre of mass moves under F, whatever the impacts; the distance falls and bounces as a ball under the "
        "weight F/m1. D is the energy that impacts have taken.",
    ),
    derivatives=("F",),
    sketch=draw.sketch(
        draw.ground((-1.8, 0), (5.2, 0)),
        draw.disc((0, 0.5), 0.5, "m1"),
        draw.disc((3.6, 0.6), 0.6, "m2"),
        draw.arrow((-1.6, 0.5), (-0.55, 0.5), "F"),
        draw.arrow((0, 1.3), (0.9, 1.3), "v1"),
        draw.arrow((3.6, 1.5), (4.3, 1.5), "v2"),
        draw.span((0.5, -0.5), (3.0, -0.5), "d"),
    ),
    shown=ShownMotion(curves=("x1", "x2")),
    equations=of.equations("t_1 = (v_2 - v_1 + c) m_1/F, c = sqrt((v_1 - v_2)^2 + 2 F d/m_1)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("inelastic", {}),
        Variant("elastic", {"e": "1"}),
        Variant("equal", {"e": "1", "m2": "1", "v2": "0.2"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "Balls are points; without a force the derivative by the distance d would be that of one impact alone.",
    ),
    remarks=(
        "A derivative that leaves out how the instant moves gives 0 for that of the velocity by d; in truth every "
        "impact that comes later comes faster.",
        "Equal elastic balls exchange their velocities: the derivatives of one go over to the other.",
    ),
)

test_pushed_balls = verifies(CASE)
