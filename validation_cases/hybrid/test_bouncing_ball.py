"""Bouncing ball: infinitely many impacts in finite time (Zeno), then rest."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Accumulation, Change, Mode
from veridyn.references.certified import CertificationError, Certified, exact_zero
from veridyn.references.engine.enclosure import ball, decided, less
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.reference import Reference
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at, values_after

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("h", "m", "height of release", "1"),
    Parameter("e", "1", "coefficient of restitution", "0.8", "non-negative"),
)
PROBLEM = InitialValueProblem(
    name="bouncing_ball",
    states=("y", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flight",
            rates=("v", "-g"),
            events=(Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"}),),
        ),
        Mode(name="rest", rates=(0, 0)),
    ),
    initial=("h", 0),
    end=5.0,
    output_times=evenly(5.0, 500),
    accumulation=Accumulation(event="impact", mode="rest", reset={"y": 0, "v": 0}),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def settled(reading: Reference[Certified], time: int) -> Reference[Certified]:
    """Return a reading at an instant (s) that is zero where the ball has come to rest."""

    def read(values: Values, digits: int, **_: Any) -> Certified:
        g, h, e = (values[name].plain for name in "ghe")

        def rests() -> bool:
            fall = (2 * ball(h) / ball(g)).sqrt()
            return less(
                fall * (1 + ball(e)), time * (1 - ball(e)), "the ball comes to rest at the instant that is read"
            )

        if e != exact(1) and decided(rests, digits):
            return exact_zero("the impacts have accumulated: the ball rests", digits)
        return reading.rule(values, digits)

    return replace(reading, rule=read)


def impact(p: Any, number: int) -> Any:
    """Return an instant of impact: flight k lasts 2 e^k sqrt(2 h/g)."""
    flights = mpmath.nsum(lambda k: p.e**k, [1, number - 1]) if number > 1 else 0
    return mpmath.sqrt(2 * p.h / p.g) * (1 + 2 * flights)


def limit(p: Any) -> Any:
    """Return the instant at which impacts accumulate, by the geometric series."""
    return (2 * p.h / p.g) ** 0.5 * (1 + p.e) / (1 - p.e)


def length(p: Any) -> Any:
    """Return the length of the path, by the geometric series."""
    return p.h * (1 + p.e**2) / (1 - p.e**2)


def heights(p: Any) -> Any:
    """Return the length of the path as a sum over flights."""
    return p.h * (1 + 2 * mpmath.nsum(lambda n: p.e ** (2 * n), [1, mpmath.inf]))


def state(p: Any, place: int) -> Any:
    """Return height or velocity at 2 s, by counting flights."""
    time, fall, number = mpmath.mpf(2), mpmath.sqrt(2 * p.h / p.g), 1
    if time < fall:
        return (p.h - p.g * time**2 / 2, -p.g * time)[place]
    if p.e < 1 and limit(p) < time:
        raise CertificationError("the ball has come to rest")
    while impact(p, number + 1) < time:
        number += 1
    lapse, v = time - impact(p, number), p.e**number * p.g * fall
    return (v * lapse - p.g * lapse**2 / 2, v - p.g * lapse)[place]


def path(o: Observation) -> float:
    """Length of the path (m): the first height and twice that of every flight, from the velocity after its impact."""
    return o["h"] + float((values_after(o, "impact", "v") ** 2).sum()) / o["g"]


def comes_to_rest(values: Values) -> bool:
    """Whether impacts accumulate."""
    return values["e"].rational < 1


def rests_in_time(values: Values) -> bool:
    """Whether they do so before the end."""
    g, h, e = (float(values[name]) for name in "ghe")
    return math.sqrt(2 * h / g) * (1 + e) / (1 - e) < PROBLEM.end


NO_REST = "the ball loses no speed at its impacts: it never comes to rest"
of = Quantities(MOTION)
LIMIT = MOTION.closed(limit, second=lambda p: impact(p, mpmath.inf), how="numerical sum")
LENGTH = MOTION.closed(length, second=heights, how="numerical sum")
Y, V = (
    settled(
        MOTION.value(
            name, "2", second=partial(state, place=place), how="closed form of the flight that holds the instant"
        ),
        time=2,
    )
    for place, name in enumerate("yv")
)
QUANTITIES = (
    *(of.event("impact", n, second=partial(impact, number=n), how="geometric series") for n in (1, 2, 10)),
    of.limit("impact", LIMIT, applies=comes_to_rest, absent=NO_REST, observable=rests_in_time),
    of.quantity(
        "path",
        "m",
        "length of the path until rest",
        LENGTH,
        path,
        applies=comes_to_rest,
        absent=NO_REST,
        observable=rests_in_time,
    ),
    of.quantity("y@2", "m", "y at 2 s", Y, partial(value_at, expression="y", at="2"), scale="h"),
    of.quantity("v@2", "m/s", "v at 2 s", V, partial(value_at, expression="v", at="2"), scale="sqrt(2*g*h)"),
    of.count("impact", "2"),
)

CASE = Case(
    name="bouncing_ball",
    title="Bouncing ball",
    document="Brogliato 2016",
    topics=("impact", "accumulation"),
    summary="A ball loses a share of its speed at each of infinitely many impacts in finite time, and rests.",
    statement=(
        "A point falls from the height h under gravity g. At the floor, y = 0, its velocity v becomes -e v.",
        "Flight n lasts 2 e^n sqrt(2 h/g): for e < 1 impacts accumulate at T, and the ball rests from then on.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.6, 0), (6.4, 0)),
        draw.path(lambda x: (x, 2.6 * (1 - x * x)), 0, 1),
        draw.disc((0, 2.6), 0.25),
        draw.span((-0.45, 0), (-0.45, 2.35), ""),
        draw.words((-0.7, 1.2), "h"),
        draw.arrow((5.6, 2.6), (5.6, 1.7), "g"),
        draw.path(lambda x: (x, 2.5 * (x - 1) * (2.6 - x)), 1, 2.6),
        draw.path(lambda x: (x, 2.5 * (x - 2.6) * (3.88 - x)), 2.6, 3.88),
        draw.path(lambda x: (x, 2.5 * (x - 3.88) * (4.9 - x)), 3.88, 4.9),
        draw.path(lambda x: (x, 2.5 * (x - 4.9) * (5.7 - x)), 4.9, 5.7),
        draw.words((3.2, 1.6), "v becomes -e v"),
    ),
    shown=ShownMotion(until=4.0),
    derivatives=("e",),
    equations=of.equations("t_n = sqrt(2 h/g) (1 + 2 Σ_{k=1}^{n-1} e^k), T = sqrt(2 h/g) (1 + e)/(1 - e)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("lossy", {}),
        Variant("elastic", {"e": "1"}, frozenset({"t_impact_1", "t_impact_2", "y@2", "v@2"})),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "Integrators are started anew after every impact; where impacts follow within 1e-8 of the span the ball rests.",
        "The limit is read from the last three impacts that are apart by more than 1e-4 of the span (Aitken).",
    ),
    sources=("B. Brogliato: Nonsmooth Mechanics: Models, Dynamics and Control, 3rd edition. Springer (2016).",),
    remarks=(
        "A solver that steps over events falls through the floor, or stalls at the limit.",
        "An absolute tolerance is no tolerance near the limit: flights there are lower than any.",
    ),
)

test_bouncing_ball = verifies(CASE)
