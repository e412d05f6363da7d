"""Ball that is thrown at a target by way of the floor: the throw of least cost is known exactly."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import Certified, exact_zero
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.reference import Reference
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at

END = "2.5"  # s
PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("e", "1", "coefficient of restitution", "0.962"),
    Parameter("L", "m", "distance of the target", "11"),
    Parameter("r", "s^2", "price of the energy of the throw", "0.4"),
    Parameter("a", "m/s", "velocity of the throw along the floor", "4.5"),
    Parameter("b", "m/s", "velocity of the throw upwards", "5"),
)
COST = "r*(a**2 + b**2)/2 + (x - L)**2/2"
BOUNCE = Change(name="bounce", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"}, mode="back")
CATCH = Change(name="catch", guard="y", direction=-1, reset={"y": 0, "u": 0, "v": 0}, mode="caught")
FLIGHT = ("u", 0, "v", "-g")
PROBLEM = InitialValueProblem(
    name="bank_shot",
    states=("x", "u", "y", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(name="out", rates=FLIGHT, events=(BOUNCE,)),
        Mode(name="back", rates=FLIGHT, events=(CATCH,)),
        Mode(name="caught", rates=(0, 0, 0, 0)),
    ),
    initial=(0, "a", 0, "b"),
    end=float(END),
    output_times=evenly(float(END), 500),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def lapse(p: Any) -> Any:
    """Return how long both flights last (s): each twice as long as gravity takes for its velocity upwards."""
    return 2 * p.b / p.g + 2 * p.e * p.b / p.g


def reach(p: Any) -> Any:
    """Return how far the ball is at the end (m): where it lands, if it does before."""
    return p.a * min(lapse(p), mpmath.mpf(END))


def cost(p: Any) -> Any:
    """Return the cost (m²)."""
    return p.r * (p.a**2 + p.b**2) / 2 + (reach(p) - p.L) ** 2 / 2


def is_stationary(values: Values) -> bool:
    """Tell whether the derivative of the cost by the velocity that is varied is zero, in exact numbers.

    The ball lands after c b with c = 2 (1 + e)/g. If that is before the end, the range is c a b, and the derivative by
    a is r a + (c a b - L) c b, and so for b.
    """
    if any(values[name].pi for name in values):
        return False
    g, e, target, price, a, b = (values[name].rational for name in ("g", "e", "L", "r", "a", "b"))
    c = 2 * (1 + e) / g
    one, other = (a, b) if values["a"].slope else (b, a)
    varied = {name: value.slope for name, value in values.items() if value.slope}
    if any(slope.slope for slope in varied.values()):  # the second derivative is not zero
        return False
    lands = c * b < Fraction(END)
    return lands and set(varied) in ({"a"}, {"b"}) and price * one + (c * a * b - target) * c * other == 0


def stationary(truth: Reference[Certified]) -> Reference[Certified]:
    """Return the cost, whose derivative is exactly zero at the minimum: no precision tells that from a small one."""

    def read(values: Values, digits: int, **_: Any) -> Certified:
        if not is_stationary(values):
            return truth.rule(values, digits)
        plain = truth.rule({name: value.plain for name, value in values.items()}, digits)
        return replace(plain, derivative=exact_zero("the throw is the one of least cost", digits))

    return replace(truth, rule=read)


of = Quantities(MOTION, how="range of both flights")
QUANTITIES = (
    of.event("bounce", 1, name="t_bounce", second=lambda p: 2 * p.b / p.g),
    of.event("catch", 1, name="t_catch", second=lapse),
    of.value("v", ("catch", 1), "m/s", before=True, name="v_down", second=lambda p: -p.e * p.b),
    of.value("x", END, "m", name="range", second=reach),
    of.quantity(
        "cost",
        "m^2",
        "cost of the throw: energy and miss",
        stationary(MOTION.value(COST, END, second=cost, how=of.how)),
        partial(value_at, expression=COST, at=END),
    ),
)

CASE = Case(
    name="bank_shot",
    title="Throw by way of the floor",
    document="this suite",
    topics=("impact", "gradients"),
    summary="The cheapest throw at a target with one bounce: a minimum that is known exactly, to descend to.",
    statement=(
        "A ball is thrown from the floor with the velocities a along it and b upwards, bounces once with the "
        "restitution e, and is caught where it lands, at x. The cost is r (a² + b²)/2 + (x - L)²/2 for a target at L.",
        "The range is x = c a b, c = 2 (1 + e)/g. At the minimum a = b, a² = (L - r/c)/c: there the gradient of the "
        "cost is zero, and the ball lands r/c before the target.",
        "The numbers are chosen so that a = b = 5 m/s, and the cost is 10.5 m² (variant best).",
    ),
    derivatives=("e",),
    sketch=draw.sketch(
        draw.ground((-0.6, 0), (7.0, 0)),
        draw.path(lambda x: (x, 0.9 * x * (3.2 - x)), 0, 3.2),
        draw.path(lambda x: (x, 0.75 * (x - 3.2) * (6.0 - x)), 3.2, 6.0),
        draw.arrow((0, 0), (0.6, 1.4), ""),
        draw.words((-0.3, 1.4), "a, b"),
        draw.dot((6.3, 0), 0.12),
        draw.span((0, -0.6), (6.3, -0.6), "L"),
        draw.arrow((6.8, 2.4), (6.8, 1.6), "g"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),)),
    equations=of.equations(
        "x = 2 (1 + e) a b/g, J = r (a^2 + b^2)/2 + (x - L)^2/2", "a = b = sqrt((L - r/c)/c), c = 2 (1 + e)/g"
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("off", {}),
        Variant("best", {"a": "5"}),
        Variant("lossy", {"e": "0.5", "L": "6"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Flights are parabolas: methods of order 2 or more have no error between events.",),
    remarks=(
        "A descent by a gradient that holds the landings fixed in time ends elsewhere: for it the range grows with a "
        "alone, and b only costs.",
        "At the minimum the derivatives of the cost are zero and those of the range are not: its error shows in them.",
    ),
)

test_bank_shot = verifies(CASE)
