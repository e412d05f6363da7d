"""Den Hartog's forced mass with dry friction where it never stops: amplitude, phase, and the friction that stops it."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import less
from veridyn.references.engine.jets import value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("b", "1", "frequency of the load over the natural one", "0.8", "positive"),
    Parameter("f", "1", "friction over the amplitude of the load", "0.3", "positive"),
)
GAIN = "(1/(1 - b**2))"
DRAG = "(f*sin(pi/b)/(b*(1 + cos(pi/b))))"  # f times the U of Den Hartog, tan(pi/(2 b))/b
TOP = f"sqrt({GAIN}**2 - {DRAG}**2)"
LOAD = f"(({TOP})*cos(b*t) + ({DRAG})*sin(b*t))/{GAIN}"  # cos(b t + phi)


def moves(name: str, side: int, other: str) -> Mode:
    """Return the mode in which the mass moves to a side, until it turns."""
    turn = Change(name=f"turn_{name}", guard="v", direction=-side, reset={"v": 0}, mode=other)
    return Mode(name=name, rates=("v", f"{LOAD} - x - ({side})*f", f"({side})*f*v"), events=(turn,))


# D is the work of friction; the motion begins at its largest displacement
PROBLEM = InitialValueProblem(
    name="den_hartog_nonstop",
    states=("x", "v", "D"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(moves("left", -1, "right"), moves("right", 1, "left")),
    initial=(TOP, 0, 0),
    end=11.0,
    output_times=evenly(11.0, 1100),
)
REQUIRED = (
    Requirement(f"{GAIN}**2 >= {DRAG}**2 + f**2/b**4", "friction stops the mass where it turns", "f <= f_crit"),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)).presuming("turn_left", "turn_right")


# ---- enclosures


def drag(p: Any) -> Any:
    """Return f tan(pi/(2 b))/b, the part of the load that friction takes."""
    return p.f * (arb.pi() / (2 * p.b)).tan() / p.b


def angle(p: Any) -> Any:
    """Return the phase of the load at the largest displacement, between -pi/2 and 3 pi/2."""
    gain = 1 / (1 - p.b**2)
    lag = (drag(p) / (gain**2 - drag(p) ** 2).sqrt()).atan()
    return -lag if less(value(p.b), arb(1), "resonance") else arb.pi() - lag


def least_stop(p: Any) -> Any:
    """Return the friction at which the mass has no acceleration after it has turned."""
    tangent = (arb.pi() / (2 * p.b)).tan() / p.b
    return 1 / ((tangent**2 + 1 / p.b**4) * (1 - p.b**2) ** 2).sqrt()


# ---- second routes


def tangent(p: Any) -> Any:
    """Return T = tan(pi/(2 b))."""
    return mpmath.tan(mpmath.pi / (2 * p.b))


def amplitude(p: Any) -> Any:
    """Return the amplitude by Den Hartog: friction takes a part at right angles to it."""
    return mpmath.sqrt((1 / (1 - p.b**2)) ** 2 - (p.f * tangent(p) / p.b) ** 2)


def phase(p: Any) -> Any:
    """Return the phase of the load at the largest displacement."""
    side = mpmath.sign(1 - p.b)
    return mpmath.atan2(-side * p.f * tangent(p) / p.b, side * amplitude(p))


def stopping(p: Any) -> Any:
    """Return the friction f at which the acceleration after a turn, f - b² X, vanishes; over the load's as unknown."""
    gain = 1 / abs(1 - p.b**2)

    def left(share: Any) -> Any:
        return 1 - (share * tangent(p) / p.b) ** 2 - share**2 / p.b**4

    return gain * mpmath.findroot(left, (mpmath.mpf(0), p.b**2), solver="anderson", tol=mpmath.eps)


HOW = "Den Hartog's amplitude"
of = Quantities(MOTION, how=HOW)
TURNED = MOTION.value("-x", ("turn_left", 1), second=amplitude, how=HOW)
PHASE = MOTION.closed(angle, second=phase, how="angle of a point in the plane")
LEAST = MOTION.closed(least_stop, second=stopping, how="root of the acceleration after a turn")
QUANTITIES = (
    of.quantity("X", "1", "amplitude", TURNED, partial(value_at, expression="-x", at=("turn_left", 1))),
    of.event("turn_left", name="t_half", second=lambda p: mpmath.pi / p.b),
    of.value("D", ("turn_right", 1), "1", name="work", second=lambda p: 4 * p.f * amplitude(p)),
    of.quantity("phi", "rad", "phase of the load at the largest displacement", PHASE, None),
    of.quantity("f_crit", "1", "friction that stops the mass where it turns", LEAST, None),
)

CASE = Case(
    name="den_hartog_nonstop",
    title="Den Hartog's mass that never stops",
    document="Den Hartog 1931",
    topics=("friction", "resonance"),
    summary="A load that always exceeds the friction: amplitude and phase in closed form, to the friction that stops.",
    statement=(
        "x'' + x + f sgn(x') = cos(b t + phi), without dimensions, from the largest displacement of its periodic "
        "motion; the mass moves for half a cycle to either side.",
        "X² = V² - (f U)², V = 1/(1 - b²), U = tan(pi/(2 b))/b; cos(phi) = X/V, sin(phi) = -f U/V. For b > 1/2 the "
        "mass stops where f exceeds b² X: its acceleration after a turn vanishes first.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1"),
        draw.ground((1.2, -0.45), (4.2, -0.45)),
        draw.words((3.6, -0.9), "f"),
        draw.arrow((3.0, 0), (4.0, 0), "cos(b t + phi)"),
        draw.arrow((2.5, 0.7), (3.3, 0.7), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations("x = f - f cos(t) - f T sin(t) + X cos(b t) + f T/b sin(b t), T = tan(π/(2 b))"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("below_resonance", {}),
        Variant("above_resonance", {"b": "1.25", "f": "0.5"}),
        Variant("slow", {"b": "0.6", "f": "0.2"}),
        Variant("fast", {"b": "2"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=(
        "D is the work of friction, 4 f X in a cycle.",
        "That the mass does not stop between two turns is proved for every motion asked, not for all below f_crit.",
    ),
    sources=(
        "J. P. Den Hartog: Forced vibrations with combined Coulomb and viscous friction. Transactions of the "
        "ASME 53 (1931) APM-53-9, 107-115.",
        "H.-K. Hong, C.-S. Liu: Coulomb friction oscillator: modelling and responses to harmonic loads and base "
        "excitations. Journal of Sound and Vibration 229 (2000) 1171-1192.",
        "G. Csernák, G. Stépán: On the periodic response of a harmonically excited dry friction oscillator. Journal "
        "of Sound and Vibration 295 (2006) 649-658.",
    ),
    remarks=(
        "Friction made continuous as f tanh(v/0.1) takes 0.0073 of the amplitude of 2.626, f tanh(v/0.01) 0.0008: the "
        "error is that of the law, and no step makes it smaller.",
        "A dashpot that takes the same work in a cycle gives 2.567 instead of 2.626, with 4 f/pi for tan(pi/(2 b))/b.",
        "At resonance, b = 1, friction below pi/4 bounds no amplitude: near it errors of b grow without bound.",
        "The direction of friction changes where the velocity is zero: a solver that sticks there for a step is late.",
    ),
    held={"b": "another frequency may bear less friction", "f": "more friction stops the mass"},
)

test_den_hartog_nonstop = verifies(CASE)
