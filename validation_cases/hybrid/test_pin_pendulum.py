"""Pendulum whose string meets a pin: the length changes, and with it the angular velocity."""

from dataclasses import replace

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Condition, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "1.02", "positive"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("l", "m", "length of the string", "1", "positive"),
    Parameter("l_p", "m", "distance of the pin from the support", "0.7", "positive"),
    Parameter("phi_p", "rad", "angle of the pin", "-pi/12", "any"),
    Parameter("d", "N s/m", "damping", "0.2", "positive"),
    Parameter("phi_0", "rad", "angle at the start, at rest", "pi/6", "any"),
)


def swinging(name: str, length: str, other: str, direction: int, ratio: str) -> Mode:
    """Return the mode of a length, up to where the string meets or leaves the pin."""
    kept = {"phi": "phi_p", "w": f"w*{ratio}"}
    passes = Change(name=f"to_{other}", guard="phi - phi_p", direction=direction, reset=kept, mode=other)
    turn = Change(name="turn", guard="w", direction=1)
    taut = Condition(expression=f"({length})*w**2 + g*cos(phi)", meaning="the string is taut")
    return Mode(name=name, rates=("w", f"-g*sin(phi)/({length}) - d*w/m"), events=(passes, turn), conditions=(taut,))


PROBLEM = InitialValueProblem(
    name="pin_pendulum",
    states=("phi", "w"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(swinging("long", "l", "short", -1, "l/(l - l_p)"), swinging("short", "l - l_p", "long", 1, "(l - l_p)/l")),
    initial=("phi_0", 0),
    end=5.0,
    output_times=evenly(5.0, 1000),
)
BEHIND = replace(PROBLEM, mode="short")  # begins with the string on the pin
# thrown at the pin so that the short pendulum turns where its string is level: there nothing pulls at it any more, and
# the least faster one would go slack before; on the way a turn at rest is ahead, so that the string is taut
THROWN = replace(
    PROBLEM,
    parameters={**PROBLEM.parameters, "w_0": "-2.2"},
    modes=tuple(replace(mode, conditions=()) for mode in PROBLEM.modes),
    initial=("phi_0", "w_0"),
    end=2.0,
    output_times=None,
)
THROW = hybrid.motion(THROWN, PARAMETERS).where("w_0", "phi + pi/2", at=("turn", 1))
REQUIRED = (Requirement("l_p <= l", "the pin lies beyond the string"),)
free = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED), spare=8))
behind = Quantities(hybrid.motion(BEHIND, PARAMETERS, restrict(*REQUIRED)))


def on_pin(values: Values) -> bool:
    """Tell whether the string is on the pin at the start."""
    return float(values["phi_0"]) < float(values["phi_p"])


def ahead(values: Values) -> bool:
    """Tell whether it is free."""
    return not on_pin(values)


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem that begins with the string on the pin, or free."""
    return (BEHIND if on_pin(values) else PROBLEM).with_parameters(values)


LEVEL = "w at the start that makes the string level"
QUANTITIES = (
    free.event("to_short", applies=ahead),
    free.event("to_long", applies=ahead),
    free.event("to_long", 2, applies=ahead),
    free.value("phi", "5", "rad", name="phi_end", scale="phi_0", applies=ahead),
    free.value("w", "5", "rad/s", name="w_end", scale="sqrt(g/l)*phi_0", applies=ahead),
    free.quantity("throw", "rad/s", LEVEL, THROW.value("w_0", "0"), None, applies=ahead),
    behind.event("to_long", name="behind_to_long_1", applies=on_pin),
    behind.event("to_short", name="behind_to_short_1", applies=on_pin),
    behind.event("to_long", 2, name="behind_to_long_2", applies=on_pin),
    behind.value("phi", "5", "rad", name="behind_phi_end", scale="phi_0", applies=on_pin),
    behind.value("w", "5", "rad/s", name="behind_w_end", scale="sqrt(g/l)*phi_0", applies=on_pin),
)

CASE = Case(
    name="pin_pendulum",
    title="Pendulum with a pin",
    document="ARGESIM C7",
    topics=("multibody", "impact"),
    summary="The string of a pendulum meets a pin and swings on about it, short: the comparison C7 of ARGESIM.",
    statement=(
        "A mass m on a string l with damping d swings from phi_0, at rest. At phi_p the string meets a pin at the "
        "distance l_p: from there on it has the length l - l_p, until phi comes back to phi_p.",
        "The velocity of the mass is kept, so that the angular velocity jumps by the ratio of the lengths.",
        "Behind the pin the motion begins with the short string. The throw is the angular velocity at phi_0 with which "
        "the short pendulum turns exactly where its string is level.",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0), 180.0),
        draw.dashed((0, 0), (0, -3.4)),
        draw.line((0, 0), (0.9, -1.5), (0.75, -3.0)),
        draw.dot((0.9, -1.5), 0.1),
        draw.disc((0.75, -3.0), 0.25, "m"),
        draw.words((1.5, -1.5), "pin"),
        draw.span((-0.5, 0), (0.4, -1.5), ""),
        draw.words((-0.5, -0.9), "l_p"),
        draw.words((1.4, -2.4), "l - l_p"),
        draw.arrow((2.4, -0.4), (2.4, -1.3), "g"),
    ),
    equations=(*equations(PROBLEM), "m l φ'' = -m g sin(φ) - d l φ', short: l - l_p instead of l"),
    parameters=PARAMETERS,
    variants=(
        Variant("from_ahead", {}),
        Variant("from_behind", {"phi_0": "-pi/6", "d": "0.1"}),
        Variant("thrown", {"d": "0.1"}, frozenset(("throw", "t_to_short_1"))),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=make_problem,
    modelling=("The motion ends after 5 s, that of the comparison after 10 s: the later passes tell nothing new.",),
    sources=(
        "ARGESIM/EUROSIM comparison C7, Constrained pendulum. Simulation News Europe 7 (1993).",
        "ARGESIM benchmark C7, Constrained pendulum. Simulation Notes Europe 29 (2019) 105-110.",
    ),
    remarks=(
        "The jump of the angular velocity belongs to the instant of contact: a code that changes the length first and "
        "the velocity a step later loses energy, or gains it, at every pass.",
        "A velocity that is divided by the ratio instead of multiplied makes the short pendulum slower: it turns "
        "before, and every later pass is early.",
        "A guard that is looked at after steps alone finds the pin late, at another angular velocity.",
    ),
    held={
        "phi_p": "the pendulum may never reach the pin",
        "phi_0": "as phi_p",
        "d": "as phi_p: the last passes may not happen",
        "l_p": "the pin is above the mass",
        "l": "as l_p",
    },
)

test_pin_pendulum = verifies(CASE)
