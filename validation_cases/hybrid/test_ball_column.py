"""Two balls one above the other on a floor: errors of the start grow with every impact."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

SHORT, LONG = "3", "40"  # s
PARAMETERS = (
    Parameter("m1", "kg", "mass of the lower ball", "2"),
    Parameter("m2", "kg", "mass of the upper ball", "1"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("h1", "m", "height of the lower ball at the start", "0.5"),
    Parameter("h2", "m", "height of the upper ball at the start", "1.2"),
    Parameter("w1", "m/s", "velocity of the lower ball at the start", "0", "any"),
    Parameter("w2", "m/s", "velocity of the upper ball at the start", "0", "any"),
)
TO_LOWER, TO_UPPER = "((m1 - m2)*{0}1 + 2*m2*{0}2)/(m1 + m2)", "((m2 - m1)*{0}2 + 2*m1*{0}1)/(m1 + m2)"
FLOOR = {"y1": 0, "v1": "-v1"}
HIT = {"y2": "y1", "v1": TO_LOWER.format("v"), "v2": TO_UPPER.format("v")}
# places q and velocities p of the tangent: how far a neighbour is off, per metre of the height of the lower ball
TURN = {"q1": "-q1", "p1": "-p1 - 2*g*q1/v1"}
SWAP = {f"{of}{body}": rule.format(of) for of in "qp" for body, rule in (("1", TO_LOWER), ("2", TO_UPPER))}


def make_problem(
    states: tuple[str, ...],
    rates: tuple[str, ...],
    initial: tuple[Any, ...],
    floor: dict[str, Any],
    hit: dict[str, Any],
) -> InitialValueProblem:
    """Return the problem of the balls, alone or with a tangent beside them."""
    events = (
        Change(name="floor", guard="y1", direction=-1, reset=floor),
        Change(name="hit", guard="y2 - y1", direction=-1, reset=hit),
    )
    return InitialValueProblem(
        name="ball_column",
        states=states,
        parameters={p.name: p.default for p in PARAMETERS},
        modes=(Mode(name="apart", rates=rates, events=events),),
        initial=initial,
        end=float(LONG),
        output_times=evenly(float(LONG), 8000),
    )


BALLS, RATES, START = ("y1", "v1", "y2", "v2"), ("v1", "-g", "v2", "-g"), ("h1", "w1", "h2", "w2")
PROBLEM = make_problem(BALLS, RATES, START, FLOOR, HIT)
BESIDE = make_problem(
    (*BALLS, "q1", "p1", "q2", "p2"),
    (*RATES, "p1", "0", "p2", "0"),
    (*START, 1, 0, 0, 0),
    FLOOR | TURN,
    HIT | SWAP,
)
REQUIRED = (Requirement("h2 > h1", "the upper ball is not above the lower one"),)
RECORD = restrict(*REQUIRED)
MOTION, TANGENT = (hybrid.motion(problem, PARAMETERS, RECORD, spare=64) for problem in (PROBLEM, BESIDE))


def march(p: Any, end: str, off: Any = 0) -> tuple[Any, ...]:
    """Return the state at an instant (s), flight by flight, from a lower ball that is ``off`` (m) at the start.

    The balls meet as on straight lines, since both fall alike.
    """
    y1, v1, y2, v2, left = p.h1 + off, p.w1, p.h2, p.w2, mpmath.mpf(end)
    while True:
        to_floor = (v1 + mpmath.sqrt(v1**2 + 2 * p.g * y1)) / p.g
        to_hit = (y2 - y1) / (v1 - v2) if v1 > v2 else mpmath.inf
        lapse = min(to_floor, to_hit, left)
        y1, y2 = (y + v * lapse - p.g * lapse**2 / 2 for y, v in ((y1, v1), (y2, v2)))
        v1, v2, left = v1 - p.g * lapse, v2 - p.g * lapse, left - lapse
        if not left:
            return y1, v1, y2, v2
        if lapse == to_floor:
            y1, v1 = mpmath.mpf(0), -v1
        else:
            centre = (p.m1 * v1 + p.m2 * v2) / (p.m1 + p.m2)
            y2, v1, v2 = y1, 2 * centre - v1, 2 * centre - v2


def grow(p: Any, end: str) -> Any:
    """Return the derivative of y1 at an instant by h1, as a difference quotient: no tangent is followed.

    Its error is the square of the step times growth to the third; so the step has more digits than both.
    """
    digits = mpmath.mp.dps
    with mpmath.workdps(3 * digits + 150):
        step = mpmath.mpf(10) ** -(digits + 60)
        return (march(p, end, step)[0] - march(p, end, -step)[0]) / (2 * step)


of = Quantities(MOTION, how="flight by flight")
beside = Quantities(TANGENT, how="difference quotient of the flights")


def growth(end: str) -> Quantity:
    """Return the derivative of the place of the lower ball by its place at the start."""
    truth = TANGENT.value("q1", end, second=partial(grow, end=end), how=beside.how)
    return of.quantity(f"growth@{end}", "1", f"derivative of y1 at {end} s by h1", truth, None)


def far(name: str, place: int) -> Quantity:
    """Return a state at an instant up to which no double holds it."""
    truth = MOTION.value(name, LONG, second=lambda p: march(p, LONG)[place], how=of.how)
    return of.quantity(f"{name}@{LONG}", "m", f"{name} at {LONG} s", truth, None)


def near(name: str, place: int, unit: str, scale: str) -> Quantity:
    """Return a state at an instant up to which a double holds it."""
    return of.value(name, SHORT, unit, scale=scale, second=lambda p: march(p, SHORT)[place])


QUANTITIES = (
    *(near(f"y{body}", 2 * body - 2, "m", "h2") for body in (1, 2)),
    *(near(f"v{body}", 2 * body - 1, "m/s", "sqrt(2*g*h2)") for body in (1, 2)),
    of.event("hit", 1),
    of.count("floor", SHORT),
    growth(SHORT),
    *(far(f"y{body}", 2 * body - 2) for body in (1, 2)),
    growth(LONG),
)

CASE = Case(
    name="ball_column",
    title="Two balls, one above the other",
    document="Wojtkowski 1990",
    topics=("impact", "chaos", "sensitive", "gradients"),
    summary="Two balls bounce on a floor and on each other: within 40 s a derivative grows to 3·10^29.",
    statement=(
        "Two balls on one vertical line fall from h1 and h2 with the velocities w1 and w2. The floor and the balls are "
        "elastic. If the lower ball is heavier, neighbours part exponentially.",
        "growth is the derivative of the place of the lower ball by its place at the start. A tangent that moves "
        "beside the balls gives it: the floor takes (q, p) to (-q, -p - 2 g q/v), the impact of the balls acts on it "
        "as on the velocities.",
    ),
    derivatives=("h1",),
    sketch=draw.sketch(
        draw.ground((-1.5, 0), (2.2, 0)),
        draw.disc((0, 1.3), 0.45, "m1"),
        draw.disc((0, 3.0), 0.3, "m2"),
        draw.span((-0.9, 0), (-0.9, 1.3), "h1"),
        draw.span((1.0, 0), (1.0, 3.0), "h2"),
        draw.arrow((2.2, 2.6), (2.2, 1.7), "g"),
    ),
    shown=ShownMotion(curves=("y1", "y2"), until=float(SHORT)),
    equations=of.equations("q_1' = p_1, q_2' = p_2, p_1' = p_2' = 0", "growth = q_1 of q_1(0) = 1"),
    parameters=of.motion.parameters,
    problem=of.until(float(SHORT), 600),
    variants=(
        Variant("heavy_below", {}),
        Variant("nearly_equal", {"m1": "1.1"}),
        Variant("thrown", {"w1": "2", "w2": "-1"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "Solvers are asked for 3 s. What lies at 40 s is proved; no double precision holds it, nor its derivative.",
    ),
    sources=(
        "M. P. Wojtkowski: A system of one dimensional balls with gravity. Communications in Mathematical Physics 126 "
        "(1990) 507-533. https://doi.org/10.1007/BF02125698",
    ),
    remarks=(
        "A derivative is as large as the growth and still has all its digits, if the code follows the same motion; "
        "beyond the horizon of doubles it is that of another one.",
        "A tangent that leaves out 2 g q/v at the floor grows with the time alone.",
        "Of four start values the determinant of the derivatives is 1 at every instant, whatever they grow to.",
    ),
    held={"m1": "a lighter ball below needs another horizon"},
)

test_ball_column = verifies(CASE)
