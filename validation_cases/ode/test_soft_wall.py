"""Mass that a force turns which grows exponentially towards a wall: contact without events."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

END = "2"  # s
PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("F", "N", "force at the wall", "1"),
    Parameter("l", "m", "length over which the force grows by e", "0.1"),
    Parameter("d", "m", "distance of the wall", "1"),
    Parameter("v0", "m/s", "velocity at the start", "1"),
)
PROBLEM = InitialValueProblem(
    name="soft_wall",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(name="flight", rates=("v", "-F/m*exp((x - d)/l)"), events=(Change(name="turn", guard="v", direction=-1),)),
    ),
    initial=(0, "v0"),
    end=float(END),
    output_times=evenly(float(END), 400),
)


def far_speed(p: Any) -> Any:
    """Return the speed (m/s) that the mass has far from the wall, by energy."""
    return mpmath.sqrt(p.v0**2 + 2 * p.F * p.l / p.m * mpmath.exp(-p.d / p.l))


def turn(p: Any) -> Any:
    """Return when it turns (s): v = V tanh(V (t* - t)/(2 l))."""
    # tanh a = v0/V, by sinh a: v0/V is 1 to a million digits where the wall is a million l away
    return 2 * p.l / far_speed(p) * mpmath.asinh(p.v0 * mpmath.sqrt(p.m / (2 * p.F * p.l)) * mpmath.exp(p.d / p.l / 2))


def reach(p: Any) -> Any:
    """Return where it turns (m): there the force has all the energy."""
    return p.d + p.l * mpmath.log(p.m * far_speed(p) ** 2 / (2 * p.F * p.l))


def angle(p: Any) -> Any:
    """Return the argument of the hyperbolic functions at the end."""
    return far_speed(p) * (mpmath.mpf(END) - turn(p)) / (2 * p.l)


def place(p: Any) -> Any:
    """Return the place (m) at the end."""
    return reach(p) - 2 * p.l * mpmath.log(mpmath.cosh(angle(p)))


def farthest(p: Any) -> Any:
    """Return the largest place (m) up to the end."""
    return reach(p) if turn(p) < mpmath.mpf(END) else place(p)


def speed(p: Any) -> Any:
    """Return the velocity (m/s) at the end."""
    return -far_speed(p) * mpmath.tanh(angle(p))


of = Quantities(
    hybrid.motion(PROBLEM, PARAMETERS),
    1e-4,
    "this suite: a hundredth of what the shortest l here moves the place",
    "hyperbolic functions",
)
QUANTITIES = (
    of.event("turn", 1, name="t_turn", second=turn),
    of.largest("x", "m", name="x_max", second=farthest),
    of.value("x", END, "m", scale="d", second=place),
    of.value("v", END, "m/s", scale="v0", second=speed),
)

CASE = Case(
    name="soft_wall",
    title="Wall of an exponential force",
    document="Toda 1967",
    topics=("impact", "gradients"),
    summary="A force that grows exponentially stands for a wall: its derivatives tend to those of an impact, slowly.",
    statement=(
        "m x'' = -F exp((x - d)/l): a mass comes with v0 from x = 0, turns near d and goes back. No event happens; "
        "the turn is marked.",
        "With V² = v0² + 2 F l exp(-d/l)/m it turns at d + l ln(m V²/(2 F l)), and x is 2 l ln cosh below that.",
        "A rigid wall at d leaves x = 2 d - v0 t. Here derivatives by v0 are -t + 4 l/v0 far behind the turn: off by "
        "4 l/v0, while the place is off by 2 l ln(2 m v0²/(F l)).",
    ),
    derivatives=("l",),
    sketch=draw.sketch(
        draw.ground((-0.8, 0), (4.4, 0)),
        draw.disc((0.4, 0.4), 0.4, "m"),
        draw.arrow((0.9, 0.4), (1.9, 0.4), "v0"),
        draw.dashed((4.0, 0), (4.0, 1.8)),
        draw.path(lambda x: (x, 1.6 * 2.718 ** (3 * (x - 4.2))), 2.2, 4.2),
        draw.span((0.4, -0.6), (4.0, -0.6), "d"),
        draw.words((4.6, 1.3), "F exp((x - d)/l)"),
    ),
    equations=of.equations("x = x_max - 2 l log(cosh(V (t - t_turn)/(2 l))), t_turn = 2 l/V atanh(v_0/V)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("soft", {}), Variant("stiffer", {"l": "0.05"}), Variant("stiff", {"l": "0.02"})),
    quantities=QUANTITIES,
    modelling=("One smooth mode: no event is located, and none moves.",),
    sources=(
        "M. Toda: Vibration of a chain with nonlinear interaction. Journal of the Physical Society of Japan 22 (1967) "
        "431-436. https://doi.org/10.1143/JPSJ.22.431",
    ),
    remarks=(
        "A derivative through such a wall is right for the wall that is computed; of a rigid one it is off by a share "
        "l/d, and a shorter l needs shorter steps.",
        "Steps that pass the wall at once meet a force beyond all numbers: the derivative is infinite or NaN.",
    ),
)

test_soft_wall = verifies(CASE)
