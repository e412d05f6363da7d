"""Ball that is thrown on a ridge: to one side or the other, and on the edge itself."""

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import Certified, undefined
from veridyn.references.parameters import Exact, Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.reference import Reference
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

END = "0.8"  # s
PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("h", "m", "height of release above the ridge", "1.22625"),
    Parameter("d", "m", "distance from the ridge at release", "0.7"),
    Parameter("u0", "m/s", "velocity of release, along the ground", "1"),
    Parameter("s", "1", "tangent of both slopes", "0.5"),
    Parameter("e", "1", "coefficient of restitution", "0.8"),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)
Side = Literal["left", "right"]


def strike(side: Side) -> Change:
    """Return the impact on one slope: of the velocity along its normal, e is left and turned."""
    rise = "s" if side == "left" else "(-s)"
    press = f"(1 + e)*(v - {rise}*u)/(1 + s**2)"
    reset = {"y": f"{rise}*x", "u": f"u + {rise}*{press}", "v": f"v - {press}"}
    return Change(name="hit", guard=f"y - {rise}*x", direction=-1, reset=reset)


def make_problem(*modes: Mode) -> InitialValueProblem:
    """Return the problem of a ball above some slopes."""
    return InitialValueProblem(
        name="ridge",
        states=("x", "y", "u", "v"),
        parameters={p.name: p.default for p in PARAMETERS},
        modes=modes,
        initial=("-d", "h", "u0", 0),
        end=float(END),
        output_times=evenly(float(END), 320),
    )


def slope(side: Side, *ends: Change) -> Mode:
    """Return the motion above one slope."""
    return Mode(name=side, rates=("u", "v", 0, "-g"), events=(strike(side), *ends))


OVER = Change(name="over", guard="x", direction=1, reset={"x": 0}, mode="right")
BACK = Change(name="back", guard="x", direction=-1, reset={"x": 0}, mode="left")
PROBLEM = make_problem(slope("left", OVER), slope("right", BACK))
RECORD = restrict(*REQUIRED)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, RECORD)


# ---- the second route


def fall(p: Any, rise: Any) -> Any:
    """Return the instant (s) at which the parabola meets a slope that goes on for ever."""
    tilt = rise * p.u0 / p.g
    return -tilt + mpmath.sqrt(tilt**2 + 2 * (p.h + rise * p.d) / p.g)


def fall_on(p: Any, side: Side) -> Any:
    """Return the instant (s) of the impact on one slope."""
    return fall(p, p.s if side == "left" else -p.s)


def leave(p: Any, side: Side, place: int) -> Any:
    """Return place or height at the end, after all impacts, in the frame of the slope and back."""
    rise, hit, end = p.s if side == "left" else -p.s, fall_on(p, side), mpmath.mpf(END)
    if hit > end:
        return (p.u0 * end - p.d, p.h - p.g * end**2 / 2)[place]
    angle = mpmath.atan(rise)
    down, pull = p.g * mpmath.sin(angle), p.g * mpmath.cos(angle)  # along the slope and on it
    far, along = (p.u0 * hit - p.d) / mpmath.cos(angle), p.u0 * mpmath.cos(angle) - down * hit
    away, lapse = p.e * (p.u0 * mpmath.sin(angle) + pull * hit), end - hit
    while (flight := 2 * away / pull) < lapse:
        far, along = far + along * flight - down * flight**2 / 2, along - down * flight
        away, lapse = p.e * away, lapse - flight
    far, off = far + along * lapse - down * lapse**2 / 2, away * lapse - pull * lapse**2 / 2
    return (
        far * mpmath.cos(angle) - off * mpmath.sin(angle),
        far * mpmath.sin(angle) + off * mpmath.cos(angle),
    )[place]


def meet(p: Any) -> Any:
    """Return the instant (s) of the impact: the ridge is where both slopes are above the ball, the later one."""
    return max(fall(p, p.s), fall(p, -p.s))


# ---- quantities


def _height(values: Values) -> Exact:
    """Return the height of release over that from which a ball hits the edge itself, g (d/u0)²/2."""
    g, h, d, u0 = (values[name].plain for name in ("g", "h", "d", "u0"))
    return exact(2) * h * u0 * u0 / (g * d * d)


def _is_on_edge(values: Values) -> bool:
    return _height(values) == exact(1)


def _hits_left(values: Values) -> bool:
    return not _is_on_edge(values) and float(_height(values)) < 1


def _hits_right(values: Values) -> bool:
    return not (_is_on_edge(values) or _hits_left(values))


def _may_hit_left(values: Values) -> bool:
    return not _hits_right(values)


def _may_hit_right(values: Values) -> bool:
    return not _hits_left(values)


def undefined_on_edge(truth: Reference[Certified], name: str) -> Reference[Certified]:
    """Return a reading that does not exist for a ball which hits the edge."""

    def read(values: Values, digits: int, **_: Any) -> Certified:
        if _is_on_edge(values):
            return undefined(f"the edge turns the ball, to a side that nothing states: see {name}_left, {name}_right")
        return truth.rule(values, digits)

    return replace(truth, rule=read)


def kinked_on_edge(truth: Reference[Certified], left: Reference[Certified]) -> Reference[Certified]:
    """Return an instant of impact that has a value for a ball which hits the edge, and no derivative there.

    By what leaves the ball on the edge, the slope, it has one.
    """

    def read(values: Values, digits: int, **_: Any) -> Certified:
        if not _is_on_edge(values):
            return truth.rule(values, digits)
        result = left.rule(values, digits)
        if not any(values[name].slope for name in ("g", "h", "d", "u0")):
            return result
        differs = undefined("the slopes differ beside the edge: see t_left and t_right")
        return replace(result, derivative=differs, curvature=differs)

    return replace(truth, rule=read)


HOW = "frame of the slope"
of = Quantities(MOTION, how=HOW)


def beside(side: Side) -> tuple[Quantity, ...]:
    """Return instant, place and height of a ball that hits one slope, which goes on for ever."""
    alone = hybrid.motion(make_problem(slope(side)), PARAMETERS, RECORD)
    other = Quantities(alone, how=HOW)
    applies, seen = (_may_hit_left, _hits_left) if side == "left" else (_may_hit_right, _hits_right)
    return (
        other.event("hit", name=f"t_{side}", second=partial(fall_on, side=side), applies=applies, observable=seen),
        *(
            other.value(
                name,
                END,
                "m",
                name=f"{name}_{side}",
                scale="h",
                second=partial(leave, side=side, place=i),
                applies=applies,
                observable=seen,
            )
            for i, name in enumerate("xy")
        ),
    )


LEFT, RIGHT = beside("left"), beside("right")
QUANTITIES = (
    of.quantity(
        "t_hit",
        "s",
        "instant of the impact",
        kinked_on_edge(MOTION.event("hit", second=meet, how=HOW), LEFT[0].reference),
        partial(event_instant, event="hit"),
    ),
    *(
        of.quantity(
            f"{name}@{END}",
            "m",
            f"{name} at {END} s",
            undefined_on_edge(MOTION.value(name, END), name),
            partial(value_at, expression=name, at=END),
            scale="h",
        )
        for name in "xy"
    ),
    *LEFT,
    *RIGHT,
)

CASE = Case(
    name="ridge",
    title="Ball on a ridge",
    document="this suite",
    topics=("impact", "simultaneous events", "gradients"),
    summary="A ball hits the left slope of a ridge, the right one, or the edge, where no derivative exists.",
    statement=(
        "A ball is thrown along the ground with u0, at the distance d from a ridge and the height h above it. Both "
        "slopes have the tangent s; of the velocity along their normal, e is left and turned.",
        "With h = g (d/u0)²/2 it hits the edge. The instant of the impact has a kink there: its derivatives from both "
        "sides differ. Place and height after the impact jump, and are undefined on the edge.",
        "Names with left and right are of a ball that hits this slope, as if it went on for ever: on the edge they are "
        "the limits, and their derivatives those of one side.",
    ),
    derivatives=("s",),
    sketch=draw.sketch(
        draw.plane((-3.0, -1.5), (0, 0), (3.0, -1.5)),
        draw.disc((-2.0, 2.2), 0.22),
        draw.arrow((-1.75, 2.2), (-0.9, 2.2), "u0"),
        draw.path(lambda x: (x, 2.2 - 0.55 * (x + 2.0) ** 2), -2.0, -0.15),
        draw.span((-2.0, 2.7), (0, 2.7), "d"),
        draw.span((0.5, 0), (0.5, 2.2), "h"),
        draw.words((-1.9, -1.4), "s"),
        draw.arrow((2.6, 2.2), (2.6, 1.3), "g"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),)),
    equations=of.equations("t_left = -s u_0/g + sqrt((s u_0/g)^2 + 2 (h + s d)/g), t_right of -s for s"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("left", {}),
        Variant("right", {"d": "0.3"}),
        Variant("edge", {"d": "0.5"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Flights are parabolas: methods of order 2 or more have no error between events.",),
    remarks=(
        "On the edge a solver gives the derivative of the side that its order of events takes, and no sign that "
        "there are two.",
        "A difference quotient across the edge is the jump over the step: it grows without bound as the step falls.",
    ),
)

test_ridge = verifies(CASE)
