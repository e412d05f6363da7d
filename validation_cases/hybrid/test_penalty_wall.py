"""Mass that bounces off a stiff spring in place of a wall, to which values and derivatives tend."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.validation_cases.hybrid import test_hertz_impact as hertz
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

END, OUTPUTS = "2.5", 2500  # s
PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m^n", "stiffness of the contact", "10000"),
    Parameter("n", "1", "power of the indentation in the force", "1"),
    Parameter("d", "m", "distance of the wall", "1"),
    Parameter("v0", "m/s", "velocity at the start", "1"),
)
# ((x - d)²)^(n/2) is real where a step passes the end of contact; 1e-60 gives it a derivative at d
POWER, LINE = "k/m*((x - d)**2 + 1e-60)**(n/2)", "k/m*(x - d)"
TOUCH = Change(name="touch", guard="x - d", direction=1, reset={"x": "d"}, mode="contact")
LEAVE = Change(name="leave", guard="x - d", direction=-1, reset={"x": "d"}, mode="return")


def push(deceleration: str, parameters: tuple[Parameter, ...]) -> InitialValueProblem:
    """Return the problem of a contact that slows the mass down so much."""
    return InitialValueProblem(
        name="penalty_wall",
        states=("x", "v"),
        parameters={p.name: p.default for p in parameters},
        modes=(
            Mode(name="approach", rates=("v", 0), events=(TOUCH,)),
            Mode(name="contact", rates=("v", f"-{deceleration}"), events=(LEAVE,)),
            Mode(name="return", rates=("v", 0)),
        ),
        initial=(0, "v0"),
        end=float(END),
        output_times=evenly(float(END), OUTPUTS),
    )


CURVED, LINEAR = push(POWER, PARAMETERS), push(LINE, tuple(p for p in PARAMETERS if p.name != "n"))
MOTION, FOLLOWED = hybrid.motion(CURVED, PARAMETERS), hybrid.motion(LINEAR, PARAMETERS)


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem; with n = 1 its contact is linear, also beyond its end, and the engine follows it."""
    return (LINEAR if values["n"] == exact(1) else CURVED).with_parameters(values)


# ---- enclosures


def leave(p: Any) -> Any:
    """Return the instant (s) at which the mass leaves the spring."""
    return p.d / p.v0 + hertz.ratio(p) * hertz.depth(p) / p.v0


def place(p: Any) -> Any:
    """Return the place (m) at the end; `Absent` while the contact lasts, or has not begun."""
    if not less(leave(p), arb(END), "the mass leaves the spring at the end of the motion"):
        raise Absent("the mass has not left the spring at the end of the motion")
    return p.d - p.v0 * (arb(END) - leave(p))


# ---- second routes


def left(p: Any) -> Any:
    """Return that instant by a quadrature."""
    return (p.d + hertz.quadrature(p) * hertz.deepest(p)) / p.v0


def returned(p: Any) -> Any:
    """Return that place by a quadrature."""
    return p.d - p.v0 * (mpmath.mpf(END) - left(p))


def leaves(values: Values) -> bool:
    """Whether the mass leaves the spring before the end."""
    return LEAVING.compute(values).value is not None and float(LEAVING.compute(values)) < float(END)


HOW = "integral of 1/velocity over the indentation"
of = Quantities(MOTION, 1e-4, "this suite: less than a tenth of the delay by the stiffest contact here", HOW)
LEAVING = MOTION.closed(leave, second=left, how=HOW)
PLACE = MOTION.closed(place, second=returned, how=HOW)
LATE = MOTION.closed(lambda p: hertz.ratio(p) * hertz.depth(p), second=lambda p: left(p) * p.v0 - p.d, how=HOW)
BACK = MOTION.closed(lambda p: -p.v0, second=lambda p: -mpmath.sqrt(p.v0**2), how="energy")


QUANTITIES = (
    of.quantity("t_leave", "s", "instant at which contact ends", LEAVING, partial(event_instant, event="leave")),
    of.quantity(f"x@{END}", "m", f"x at {END} s", PLACE, partial(value_at, expression="x", at=END), scale="d"),
    of.quantity(f"v@{END}", "m/s", f"v at {END} s", BACK, partial(value_at, expression="v", at=END), observable=leaves),
    of.quantity("late", "m", "how far the mass is behind one that a rigid wall has turned", LATE, None),
)

CASE = Case(
    name="penalty_wall",
    title="Stiff spring in place of a wall",
    document="Johnson 1985",
    topics=("impact", "singular law", "gradients"),
    summary="A mass bounces off a spring that is made stiffer: values and derivatives tend to those of a rigid wall.",
    statement=(
        "A mass comes from x = 0 with v0 and meets at x = d a spring with the force k (x - d)^n, which gives back all "
        "the energy: linear with n = 1, after Hertz with n = 3/2.",
        "A rigid elastic wall leaves x = 2 d - v0 t. The spring is late by v0 times the duration of contact, which "
        "falls as k^(-1/(n + 1)), and so do all its derivatives.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.8, 0), (5.2, 0)),
        draw.ground((5.2, 0), (5.2, 1.4)),
        draw.disc((0.4, 0.5), 0.5, "m"),
        draw.arrow((1.0, 0.5), (1.9, 0.5), "v0"),
        draw.spring((3.6, 0.5), (5.2, 0.5), "k, n"),
        draw.span((0.9, -0.6), (3.6, -0.6), "d"),
    ),
    shown=ShownMotion(curves=("x", "v"), motion=FOLLOWED.history(x="x", v="v")),
    equations=of.equations("x = 2 d - v_0 t + late, late = r ((n + 1) m v_0^2/(2 k))^(1/(n + 1))"),
    parameters=of.motion.parameters,
    problem=make_problem,
    variants=(
        Variant("stiff", {}),
        Variant("stiffer", {"k": "1000000"}),
        Variant("soft", {"k": "100"}),
        Variant("hertz", {"n": "1.5"}),
    ),
    quantities=QUANTITIES,
    modelling=(
        "The power is written as ((x - d)² + 1e-60)^(n/2), which has a derivative at d; no quantity moves by 1e-50.",
        "r is duration times speed over largest indentation: π for n = 1.",
    ),
    sources=hertz.CASE.sources[1:2],
    remarks=(
        "Within the contact derivatives by k, d and v0 are as large as sqrt(k): a step that is too long for it leaves "
        "them there.",
        "A damped spring whose factor is held (Hunt and Crossley's law, case hunt_crossley) tends to a restitution "
        "that falls with the speed: its derivative by v0 is that of e(v0) v0, and not e.",
    ),
)

test_penalty_wall = verifies(CASE)
