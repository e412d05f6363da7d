"""Rocking block: a slender block that rocks on its edges and loses speed whenever it changes the edge."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("R", "m", "half of the diagonal", "1"),
    Parameter("alpha", "rad", "angle between diagonal and long side", "1/5"),
    Parameter("theta0", "rad", "angle of release", "1/10"),
)
REQUIRED = (Requirement("alpha < pi/2", "no block has its diagonal so far from its long side"),)


def on_edge(name: str, side: int, other: str) -> Mode:
    """Return the mode in which the block stands on the edge of a side, up to its impact on the other one."""
    impact = Change(
        name="impact", guard="theta", direction=-side, reset={"theta": 0, "w": "(1 - 3*sin(alpha)**2/2)*w"}, mode=other
    )
    return Mode(name=name, rates=("w", f"3*g/(4*R)*(theta - {side}*alpha)"), events=(impact,))


PROBLEM = InitialValueProblem(
    name="rocking_block",
    states=("theta", "w"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(on_edge("right", 1, "left"), on_edge("left", -1, "right"), Mode(name="rest", rates=(0, 0))),
    initial=("theta0", 0),
    end=3.0,
    output_times=evenly(3.0, 600),
    accumulation=Accumulation(event="impact", mode="rest", reset={"theta": 0, "w": 0}),
)


def rate(p: Any) -> Any:
    """Return the constant p of rocking (1/s)."""
    return mpmath.sqrt(3 * p.g / (4 * p.R))


def amplitude(p: Any, number: int) -> Any:
    """Return the largest angle after so many impacts over alpha, from the energy that each of them leaves."""
    left = (1 - 3 * mpmath.sin(p.alpha) ** 2 / 2) ** (2 * number)
    return 1 - mpmath.sqrt(1 - left * (1 - (1 - p.theta0 / p.alpha) ** 2))


def quarter(p: Any, number: int) -> Any:
    """Return the time (s) from the turning point to the next impact, after so many impacts."""
    return mpmath.acosh(1 / (1 - amplitude(p, number))) / rate(p)


def impact(p: Any, number: int) -> Any:
    """Return an instant of impact (s): a quarter, then halves of periods that grow shorter."""
    return quarter(p, 0) + 2 * sum(quarter(p, n) for n in range(1, number))


def angle(p: Any, number: int) -> Any:
    """Return the turning point after so many impacts (rad)."""
    return (-1) ** number * p.alpha * amplitude(p, number)


def state(p: Any, place: int) -> Any:
    """Return angle or velocity at 1.1 s: a hyperbolic cosine about the turning point, from which a block may fall."""
    time, number, falls = mpmath.mpf("1.1"), 0, p.theta0 >= p.alpha
    while not falls and impact(p, number + 1) < time:
        number += 1
    turn = impact(p, number) + quarter(p, number) if number else 0
    swing = 1 - (p.theta0 / p.alpha if falls else amplitude(p, number))
    side, lapse = (-1) ** number * p.alpha, rate(p) * (time - turn)
    return (side * (1 - swing * mpmath.cosh(lapse)), -side * swing * rate(p) * mpmath.sinh(lapse))[place]


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="Housner's periods and amplitudes")
HITS = tuple(("impact", n) for n in (1, 2, 3))
QUANTITIES = (
    *(of.event("impact", n, second=partial(impact, number=n)) for n in (1, 2, 3)),
    of.smallest("theta", "rad", name="turn_1", second=partial(angle, number=1), after=HITS[0], until=HITS[1]),
    of.largest("theta", "rad", name="turn_2", second=partial(angle, number=2), after=HITS[1], until=HITS[2]),
    of.value("theta", "1.1", "rad", scale="theta0", second=partial(state, place=0)),
    of.value("w", "1.1", "rad/s", scale="sqrt(g/R)*theta0", second=partial(state, place=1)),
)

CASE = Case(
    name="rocking_block",
    title="Rocking block",
    document="Housner 1963",
    topics=("multibody", "impact", "accumulation"),
    summary="A slender block is released from a tilt, rocks on its two edges and loses speed at every impact.",
    statement=(
        "A rectangular block of half diagonal R stands on a rigid floor, its diagonal at alpha to its long side; it "
        "is released at the angle theta0 and does not slide; from alpha on it does not come back. The moment of the "
        "weight is linearised.",
        "At theta = 0 the edge changes; the moment of momentum about the new edge is kept: the angular velocity "
        "w falls to (1 - 3/2 sin² alpha) w.",
    ),
    sketch=draw.sketch(
        draw.ground((-1.8, 0), (2.4, 0)),
        draw.dashed((-0.6, 0), (-0.6, 2.8), (0.6, 2.8), (0.6, 0)),
        draw.turned((*draw.box((0, 1.4), 1.2, 2.8), *draw.thin((0.6, 0), (0, 1.4))), -10.0, (0.6, 0)),
        draw.dot((0.6, 0)),
        draw.words((0.05, 0.8), "R"),
        draw.arc((0.6, 0), 3.2, 90, 80, "θ"),
        draw.arrow((-1.5, 2.4), (-1.5, 1.5), "g"),
    ),
    shown=ShownMotion(portraits=(("theta", "w"),)),
    equations=of.equations(
        "phi_n = 1 - sqrt(1 - r^n (1 - (1 - phi_0)^2)), phi = |theta|/alpha, r = (1 - 3/2 sin(alpha)^2)^2",
        "T_n = acosh(1/(1 - phi_n))/p, p = sqrt(3 g/(4 R))",
    ),
    parameters=of.motion.parameters,
    requirements=REQUIRED,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("stocky", {}), Variant("slender", {"alpha": "1/8", "theta0": "1/16"})),
    quantities=QUANTITIES,
    modelling=("Integrators are started anew after every impact.",),
    sources=(
        "G. W. Housner: The behavior of inverted pendulum structures during earthquakes. Bulletin of the "
        "Seismological Society of America 53 (1963) 403-417.",
    ),
    remarks=(
        "The stiffness is negative and the force jumps at theta = 0: the period depends on the amplitude.",
        "A coefficient of restitution of one's own choice replaces the kinematic one of a block that does not bounce.",
    ),
    held={
        "alpha": "an upright block becomes one that overturns, or that stops at the first impact",
        "theta0": "as alpha: beyond alpha the block overturns",
    },
)

test_rocking_block = verifies(CASE)
