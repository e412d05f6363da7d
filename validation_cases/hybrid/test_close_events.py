"""Close events: two bodies bounce nearly or exactly at once while a third just touches a ceiling."""

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

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("c", "m", "height of the floor", "0.3", "positive"),
    Parameter("h", "m", "height of release of the first body above the floor", "1", "positive"),
    Parameter("s", "1", "delay of every impact of the second body over its instant in the first", "1/1000", "any"),
    Parameter("e", "1", "coefficient of restitution", "0.8", "non-negative"),
    Parameter("b", "m/s", "velocity of the thrown body", "4", "positive"),
    Parameter("r", "s", "half the time for which the thrown body would be above the ceiling", "1/2000", "positive"),
)
END = "1.9"  # s
CEILING = "(b**2/(2*g) - g*r**2/2)"
REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("s > -1", "the second body is not released above the floor"),
    Requirement("r < b/g", "the thrown body begins above the ceiling"),
    Requirement(f"c < {CEILING}", "the floor is above the ceiling"),
)


def fall(place: str, speed: str, event: str) -> Mode:
    """Return how one body falls and bounces off the floor."""
    change = Change(name=event, guard=f"{place} - c", direction=-1, reset={place: "c", speed: f"-e*{speed}"})
    return Mode(name="flight", rates=(speed, "-g"), events=(change,))


def together(*parts: Mode) -> Mode:
    """Return what does not touch each other as one mode."""
    rates = tuple(rate for part in parts for rate in part.rates)
    return Mode(name="flight", rates=rates, events=tuple(change for part in parts for change in part.events))


# The floor is open from below: only a fall through it is an event, the rise before it must change nothing.
THROWN = Mode(
    name="flight",
    rates=("w", "-g"),
    events=(
        Change(name="ceiling", guard=f"z - {CEILING}", direction=1, reset={"z": CEILING, "w": "-e*w"}),
        Change(name="landing", guard="z - c", direction=-1, reset={"z": "c", "w": "-e*w"}, waits="open from below"),
    ),
)
FIRST, SECOND = fall("x", "u", "first"), fall("y", "v", "second")


def problem(states: tuple[str, ...], initial: tuple[Any, ...], mode: Mode) -> InitialValueProblem:
    """Return the problem of some of the bodies."""
    return InitialValueProblem(
        name="close_events",
        states=states,
        parameters={p.name: p.default for p in PARAMETERS},
        modes=(mode,),
        initial=initial,
        end=float(END),
        output_times=evenly(float(END), 380),
    )


X, Y, Z = ("c + h", 0), ("c + h*(1 + s)**2", 0), (0, "b")
PROBLEM = problem(("x", "u", "y", "v", "z", "w"), (*X, *Y, *Z), together(FIRST, SECOND, THROWN))


def motion(states: tuple[str, ...], initial: tuple[Any, ...], mode: Mode) -> Quantities:
    """Return what is asked of one body.

    No equation of a body, no guard and no reset has a state of another. So each moves as if it were alone, and its
    proof is not stopped by events of others at the same instant.
    """
    return Quantities(hybrid.motion(problem(states, initial, mode), PARAMETERS, restrict(*REQUIRED)), how=HOW)


def touch(p: Any, number: int, delay: Any) -> Any:
    """Return the instant of an impact: flight k lasts 2 e^k times the first fall."""
    flights = mpmath.fsum(p.e**k for k in range(1, number))
    return (1 + delay) * mpmath.sqrt(2 * p.h / p.g) * (1 + 2 * flights)


def delay(p: Any, body: str) -> Any:
    """Return the delay of a body."""
    return p.s if body == "y" else mpmath.mpf(0)


def impact(p: Any, *, body: str, number: int) -> Any:
    """Return the instant of an impact of a body."""
    return touch(p, number, delay(p, body))


def impacts(p: Any, body: str) -> int:
    """Return how many impacts a body has had at the end."""
    if p.e == 1:
        fall = touch(p, 1, delay(p, body))
        return int(mpmath.floor((mpmath.mpf(END) / fall + 1) / 2))
    if touch(p, 1, delay(p, body)) * (1 + p.e) / (1 - p.e) <= mpmath.mpf(END):
        raise CertificationError("the body has come to rest")
    number = 0
    while touch(p, number + 1, delay(p, body)) < mpmath.mpf(END):
        number += 1
    return number


def state(p: Any, *, body: str, place: int) -> Any:
    """Return height or velocity of a body at the end, by counting flights."""
    number = impacts(p, body)
    lapse = mpmath.mpf(END) - (touch(p, number, delay(p, body)) if number else 0)
    height = 0 if number else p.h * (1 + delay(p, body)) ** 2
    speed = p.e**number * p.g * touch(p, 1, delay(p, body)) if number else 0
    return (p.c + height + speed * lapse - p.g * lapse**2 / 2, speed - p.g * lapse)[place]


def graze(p: Any) -> Any:
    """Return the instant at which the thrown body touches the ceiling."""
    return p.b / p.g - p.r


HOW = "closed form, flight by flight"
of = motion(("x", "u"), X, FIRST)
other = motion(("y", "v"), Y, SECOND)
thrown = motion(("z", "w"), Z, THROWN)
QUANTITIES = (
    *(
        body.event(event, number, second=partial(impact, body=name, number=number))
        for body, name, event in ((of, "x", "first"), (other, "y", "second"))
        for number in (1, 2, 3)
    ),
    thrown.event("ceiling", 1, second=graze),
    thrown.event("landing", 1),
    thrown.event("landing", 2),
    of.value("x", END, "m", scale="h", second=partial(state, body="x", place=0)),
    of.value("u", END, "m/s", scale="sqrt(2*g*h)", second=partial(state, body="x", place=1)),
    other.value("y", END, "m", scale="h", second=partial(state, body="y", place=0)),
    other.value("v", END, "m/s", scale="sqrt(2*g*h)", second=partial(state, body="y", place=1)),
    of.count("first", END, second=partial(impacts, body="x")),
    other.count("second", END, second=partial(impacts, body="y")),
    thrown.value("z", END, "m", scale="c"),
    thrown.value("w", END, "m/s", scale="b"),
)

CASE = Case(
    name="close_events",
    title="Close events",
    document="Shampine 2000",
    topics=("impact", "simultaneous events", "grazing"),
    summary="Events within any step: impacts a thousandth apart or at once, a touch, a floor open from below.",
    statement=(
        "Two points fall from c + h and c + h (1 + s)^2 on a floor at the height c; there each velocity v becomes "
        "-e v. Every impact of the second is late by the share s of its instant; for s = 0 both come at once.",
        "A third point is thrown from 0 with b. It passes the floor, which is open from below, and touches a ceiling: "
        "without it, it would be above its height for 2 r. There, and where it falls on the floor, w becomes -e w.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.5, 0), (5.8, 0)),
        draw.disc((0.4, 1.9), 0.22),
        draw.disc((1.7, 2.15), 0.22),
        draw.arrow((0.4, 1.6), (0.4, 0.9), "v"),
        draw.arrow((1.7, 1.85), (1.7, 1.05), "v"),
        draw.span((0.9, 0), (0.9, 1.68), "h"),
        draw.span((2.15, 0), (2.15, 1.93), "h (1 + s)²"),
        draw.ground((5.6, 2.4), (3.9, 2.4)),
        draw.path(lambda y: (4.8, y), -1.0, 1.6),
        draw.disc((4.8, -1.2), 0.22),
        draw.arrow((4.8, 1.5), (4.8, 2.15), ""),
        draw.words((5.4, -1.2), "b"),
        draw.words((4.75, 2.85), "ceiling, just touched"),
    ),
    shown=ShownMotion(curves=("x", "y", "z")),
    equations=(
        "x'' = -g, y'' = -g, z'' = -g",
        "t_n = sqrt(2 h/g) (1 + 2 Σ_{k=1}^{n-1} e^k) for x, (1 + s) times that for y, b/g - r for the ceiling",
    ),
    parameters=of.motion.parameters,
    problem=PROBLEM.with_parameters,
    variants=(
        Variant("apart", {}),
        Variant("together", {"s": "0"}),
        Variant("second_earlier", {"s": "-1/1000"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Flights are parabolas: methods of order 2 or more have no error between events, whatever the step.",),
    sources=(
        "L. F. Shampine, S. Thompson: Event location for ordinary differential equations. Computers and Mathematics "
        "with Applications 39 (2000) 43-54. https://doi.org/10.1016/S0898-1221(00)00045-6",
    ),
    remarks=(
        "A solver that does not look at the rest of a step after an event in it loses the second impact, and that "
        "body falls through the floor.",
        "A solver that handles one of two events at an instant, or the first of its list, loses the other.",
        "A solver that compares signs at the ends of steps alone passes the ceiling and does not see it.",
        "A solver that takes no notice of the direction of an event bounces off the floor from below.",
        "Guards in single precision put the touch off by a hundredth of r: it comes with a small velocity.",
    ),
)

test_close_events = verifies(CASE)
