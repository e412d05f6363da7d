"""Free vibration with viscous damping and dry friction, up to the stop."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.engine.jets import value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("w", "rad/s", "natural angular frequency", "2*pi", "positive"),
    Parameter("z", "1", "damping ratio", "0.05", "positive"),
    Parameter("d", "m", "displacement at which friction just holds the spring", "0.01", "positive"),
    Parameter("x_0", "m", "displacement at the start, at rest", "1", "positive"),
)

SPAN = 8  # s, of the motion


def moving(name: str, side: int) -> tuple[Mode, Mode]:
    """Return the modes in which the mass moves to a side, before and beyond the place from which it will return."""
    other = "left" if side > 0 else "right"
    rates = ("v", f"-2*z*w*v - w**2*(x + ({side})*d)")
    held = Change(name="stop", guard="v", direction=-side, reset={"v": 0}, mode="rest")
    passes = Change(name="pass", guard=f"x - ({side})*d", direction=side, mode=f"far_{name}")
    turn = Change(name="turn", guard="v", direction=-side, reset={"v": 0}, mode=other)
    return Mode(name=name, rates=rates, events=(passes, held)), Mode(name=f"far_{name}", rates=rates, events=(turn,))


PROBLEM = InitialValueProblem(
    name="coulomb_viscous",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(*moving("left", -1), *moving("right", 1), Mode(name="rest", rates=(0, 0))),
    initial=("x_0", 0),
    end=float(SPAN),
    output_times=evenly(SPAN, 200 * SPAN),
)
REQUIRED = (
    Requirement("x_0 > d", "friction holds the mass where it is let go"),
    Requirement("z < 1", "the mass creeps back and never turns"),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


# ---- enclosures of what is left of the motion at its end


def half(p: Any) -> Any:
    """Return how long a half cycle takes (s)."""
    return arb.pi() / (p.w * (1 - p.z**2).sqrt())


def last(p: Any) -> tuple[int, Any]:
    """Return the number of half cycles, and the displacement (m) at the stop: from turn to turn."""
    q = (-p.z * arb.pi() / (1 - p.z**2).sqrt()).exp()
    number, x = 1, (p.x_0 - p.d) * q - p.d
    while less(value(p.d), value(x), "a turn is at the place where friction just holds the spring"):
        number, x = number + 1, (x - p.d) * q - p.d
    if less(arb(SPAN), value(number * half(p)), "a stop at the end of the motion"):
        raise Absent(f"the mass stops after {SPAN} s")
    return number, x if number % 2 == 0 else -x


def end(p: Any) -> Any:
    """Return the instant of the stop (s)."""
    return last(p)[0] * half(p)


# ---- second routes


def reach(p: Any) -> tuple[Any, Any]:
    """Return the factor q of a half cycle, and how far beyond the middle the amplitudes tend (m)."""
    q = mpmath.exp(-mpmath.pi * mpmath.tan(mpmath.asin(p.z)))
    return q, p.d * (1 + q) / (1 - q)


def amplitude(p: Any, number: int) -> Any:
    """Return the amplitude after so many half cycles (m): exponential about -reach."""
    q, beyond = reach(p)
    return q**number * (p.x_0 + beyond) - beyond


def halves(p: Any) -> int:
    """Return the number of half cycles, from the logarithms of the first and the last distance to -reach."""
    q, beyond = reach(p)
    return int(mpmath.ceil(mpmath.log((p.d + beyond) / (p.x_0 + beyond)) / mpmath.log(q)))


def rest(p: Any) -> Any:
    """Return where the mass stops (m)."""
    return (-1) ** halves(p) * amplitude(p, halves(p))


def stop(p: Any) -> Any:
    """Return when it stops (s)."""
    return halves(p) * mpmath.pi / (p.w * mpmath.cos(mpmath.asin(p.z)))


def turns(p: Any) -> Any:
    """Return how often it turns up to the end of the motion; the last half cycle ends in the stop."""
    return min(halves(p) - 1, int(mpmath.floor(SPAN * halves(p) / stop(p))))


of = Quantities(MOTION, how="recursion of the amplitudes")
END = MOTION.closed(end, second=stop, how="logarithms of the envelope")
REST = MOTION.closed(lambda p: last(p)[1], second=rest, how="logarithms of the envelope")
QUANTITIES = (
    of.value("-x", ("turn", 1), "m", name="x_1", second=partial(amplitude, number=1)),
    of.value("x", ("turn", 2), "m", name="x_2", second=partial(amplitude, number=2)),
    of.count("turn", str(SPAN), name="turns", second=turns),
    of.quantity("t_stop", "s", "instant of the stop", END, partial(event_instant, event="stop")),
    of.quantity("x_stop", "m", "x at the stop", REST, partial(value_at, expression="x", at=("stop", 1)), scale="d"),
)

CASE = Case(
    name="coulomb_viscous",
    title="Viscous damping and dry friction",
    document="Feeny 1996",
    topics=("friction",),
    summary="A mass on a spring with a dashpot and dry friction: the envelope decays by both laws, and it stops.",
    statement=(
        "x'' + 2 z w x' + w² x = -w² d sgn(x'), let go at x_0: friction is the force of the spring at x = d.",
        "In a half cycle the mass vibrates about -d or d; the distance from there falls to q times what it was. It "
        "stops for good at the first turn within d of the middle.",
    ),
    sketch=draw.sketch(
        draw.oscillator("m w²", "2 z w m"),
        draw.ground((1.8, -0.7), (4.2, -0.7)),
        draw.words((3.6, -1.15), "m w² d"),
        draw.arrow((2.5, 0.9), (3.4, 0.9), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations(
        "X_n = q^n (x_0 + d (1 + q)/(1 - q)) - d (1 + q)/(1 - q), q = exp(-π z/sqrt(1 - z^2))",
        "t_n = n π/(w sqrt(1 - z^2))",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("viscous", {}), Variant("dry", {"z": "0.01", "d": "0.06"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "Whether the mass will stop is known when it has, or has not, passed the place where friction just holds the "
        "spring: two modes to each side, and no decision at an instant at which the velocity is zero.",
    ),
    sources=(
        "B. F. Feeny, J. W. Liang: A decrement method for the simultaneous estimation of Coulomb and viscous "
        "friction. Journal of Sound and Vibration 195 (1996) 149-154. https://doi.org/10.1006/jsvi.1996.0411",
    ),
    remarks=(
        "Friction that is made continuous creeps back to x = 0: there is no stop, and x_stop is lost.",
        "Friction held over a step by its sign at the beginning pushes back beyond the turn: the mass chatters about "
        "the stop, and turns are counted that are none.",
        "One damping ratio fitted to the first decrement stops nowhere: by it the motion never ends.",
    ),
    held=dict.fromkeys(("z", "d", "x_0"), "turns are counted: another envelope has another number of them"),
)

test_coulomb_viscous = verifies(CASE)
