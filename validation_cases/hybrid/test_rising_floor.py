"""Ball on a floor that rises or falls: each impact moves with start, floor and restitution."""

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

END = "2"  # s
PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("h", "m", "height of release above the floor", "1"),
    Parameter("v0", "m/s", "velocity of release, upwards", "0.5", "any"),
    Parameter("w", "m/s", "velocity of the floor at the start, upwards", "0.4", "any"),
    Parameter("a", "m/s^2", "acceleration of the floor, upwards", "1", "any"),
    Parameter("e", "1", "coefficient of restitution", "0.8"),
)
FLOOR = "w*t + a*t**2/2"
AFTER = "(1 + e)*(w + a*t) - e*v"
# W is the work of the floor on the ball, for 1 kg
IMPACT = Change(
    name="impact",
    guard=f"y - ({FLOOR})",
    direction=-1,
    reset={"y": FLOOR, "v": AFTER, "W": f"W + (({AFTER})**2 - v**2)/2"},
)
PROBLEM = InitialValueProblem(
    name="rising_floor",
    states=("y", "v", "W"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="flight", rates=("v", "-g", 0), events=(IMPACT,)),),
    initial=("h", "v0", 0),
    end=float(END),
    output_times=evenly(float(END), 400),
)
REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("g + a > 0", "the floor falls faster than the ball"),
)


def approach(p: Any) -> Any:
    """Return the speed (m/s) of the first impact, seen from the floor: there the weight is g + a."""
    return mpmath.sqrt((p.v0 - p.w) ** 2 + 2 * (p.g + p.a) * p.h)


def impact(p: Any, number: int) -> Any:
    """Return the instant (s) of an impact: flight k lasts 2 e^k times the speed of the first over g + a."""
    first = (p.v0 - p.w + approach(p)) / (p.g + p.a)
    return first + 2 * approach(p) / (p.g + p.a) * mpmath.fsum(p.e**k for k in range(1, number))


def departure(p: Any, number: int) -> Any:
    """Return the velocity (m/s) after an impact."""
    return p.w + p.a * impact(p, number) + p.e**number * approach(p)


def impacts(p: Any) -> int:
    """Return how many impacts there are up to the end."""
    end, number = mpmath.mpf(END), 0
    if p.e < 1 and impact(p, 1) + 2 * approach(p) / (p.g + p.a) * p.e / (1 - p.e) <= end:
        raise CertificationError("the ball has come to rest")
    while impact(p, number + 1) < end:
        number += 1
    return number


def state(p: Any, place: int) -> Any:
    """Return height or velocity at the end, by counting flights."""
    number, end = impacts(p), mpmath.mpf(END)
    since = impact(p, number) if number else mpmath.mpf(0)
    height = p.w * since + p.a * since**2 / 2 if number else p.h
    speed, lapse = departure(p, number) if number else p.v0, end - since
    return (height + speed * lapse - p.g * lapse**2 / 2, speed - p.g * lapse)[place]


def work(p: Any) -> Any:
    """Return the work (J) of the floor on 1 kg: what the energy of the ball has gained."""
    return state(p, 1) ** 2 / 2 + p.g * state(p, 0) - p.v0**2 / 2 - p.g * p.h


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="flights, seen from the floor")
QUANTITIES = (
    *(of.event("impact", n, second=partial(impact, number=n)) for n in (1, 2)),
    of.value("v", ("impact", 1), "m/s", second=partial(departure, number=1), scale="sqrt(2*g*h)"),
    of.value("y", END, "m", second=partial(state, place=0), scale="h"),
    of.value("v", END, "m/s", second=partial(state, place=1), scale="sqrt(2*g*h)"),
    of.value("W", END, "J", second=work, scale="g*h"),
)

CASE = Case(
    name="rising_floor",
    title="Ball on a rising floor",
    document="this suite",
    topics=("impact", "gradients"),
    summary="A ball bounces on a floor that moves with a constant acceleration: all its derivatives are closed forms.",
    statement=(
        "A ball is released at the height h with the velocity v0 above a floor at w t + a t²/2. At an impact its "
        "velocity against the floor is turned, and e of it stays.",
        "Seen from the floor, the ball bounces at rest under the weight g + a. W is the work of the floor on 1 kg.",
        "An impact moves with every parameter. A derivative that holds it fixed in time misses -(1 + e) (g + a) dt of "
        "the velocity at each impact.",
    ),
    derivatives=("e",),
    sketch=draw.sketch(
        draw.ground((-1.2, 0), (3.2, 0)),
        draw.arrow((2.4, 0.1), (2.4, 1.0), "w, a"),
        draw.disc((0.4, 2.2), 0.25),
        draw.arrow((0.4, 2.5), (0.4, 3.2), "v0"),
        draw.span((-0.5, 0), (-0.5, 1.95), "h"),
        draw.arrow((3.6, 2.6), (3.6, 1.7), "g"),
    ),
    shown=ShownMotion(curves=("y", "v")),
    equations=of.equations("t_1 = (v_0 - w + c)/(g + a), c = sqrt((v_0 - w)^2 + 2 (g + a) h)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("rises", {}),
        Variant("falls", {"w": "-0.4", "a": "-1"}),
        Variant("elastic", {"e": "1", "a": "0"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Flights are parabolas: methods of order 2 or more have no error between events.",),
    remarks=(
        "A solver that turns the velocity of the ball, and not that against the floor, is wrong by (1 + e) (w + a t).",
        "A derivative through the reset needs the instant as well: the floor has moved and is faster a little later.",
    ),
)

test_rising_floor = verifies(CASE)
