"""Bouc and Wen's hysteresis under an imposed displacement: virgin curve, steady loop, energy."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities, write_start
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("b", "1", "beta, of the velocity times z", "0.6", "positive"),
    Parameter("g", "1", "gamma, of the speed times z", "0.4", "positive"),
    Parameter("n", "1", "exponent", "1", among=("1", "2")),
    Parameter("X", "m", "largest displacement", "1.5", "positive"),
    Parameter("loop", "1", "1 begins on the steady loop, 0 without displacement", "0", among=("0", "1")),
)


def bent(z: str) -> str:
    """Return the power n of a positive number, for n = 1 and n = 2, as a polynomial."""
    return f"((2 - n)*({z}) + (n - 1)*({z})**2)"


def branch(name: str, way: int, slope: str, event: Change) -> Mode:
    """Return the mode of a way of the displacement and a sign of z, until the event."""
    return Mode(name=name, rates=(f"({way})*({slope})", way, f"({way})*z"), events=(event,))


TOP = Change(name="top", guard="x - X", direction=1, reset={"x": "X"}, mode="down_unloading")
UNLOADED = Change(name="unloaded", guard="z", direction=-1, reset={"z": 0}, mode="down_loading")
BOTTOM = Change(name="bottom", guard="x + X", direction=-1, reset={"x": "-X"}, mode="up_unloading")
RELOADED = Change(name="reloaded", guard="z", direction=1, reset={"z": 0}, mode="up_loading")
# x moves with 1 m/s, up and down; W is the work on the element. Z is z at X on the steady loop
PROBLEM = InitialValueProblem(
    name="bouc_wen",
    states=("z", "x", "W"),
    parameters={**{p.name: p.default for p in PARAMETERS}, "Z": "0.01"},
    modes=(
        branch("up_loading", 1, f"1 - (b + g)*{bent('z')}", TOP),
        branch("down_unloading", -1, f"1 + (b - g)*{bent('z')}", UNLOADED),
        branch("down_loading", -1, f"1 - (b + g)*{bent('-z')}", BOTTOM),
        branch("up_unloading", 1, f"1 + (b - g)*{bent('-z')}", RELOADED),
    ),
    initial=(0, 0, 0),
    end=8.0,
    output_times=evenly(8.0, 1600),
)
VIRGIN = hybrid.motion(PROBLEM, PARAMETERS)
LOOP = PROBLEM.with_parameters({}, initial=("-Z", "-X", 0), mode="up_unloading")
CYCLE = hybrid.motion(LOOP, PARAMETERS).where("Z", "z - Z", at=("top", 1))


def loaded(p: Any, way: Any) -> Any:
    """Return z after a way from z = 0."""
    s = p.b + p.g
    return -mpmath.expm1(-s * way) / s if p.n == 1 else mpmath.tanh(mpmath.sqrt(s) * way) / mpmath.sqrt(s)


def unloading(p: Any, z: Any) -> Any:
    """Return the way back to z = 0."""
    r = p.b - p.g
    if r == 0:
        return z
    if p.n == 1:
        return mpmath.log1p(r * z) / r
    root = mpmath.sqrt(abs(r))
    return (mpmath.atan if r > 0 else mpmath.atanh)(root * z) / root


def opposite(p: Any, z: Any) -> Any:
    """Return -z at the other end of the displacement."""
    return loaded(p, 2 * p.X - unloading(p, z))


def steady(p: Any) -> Any:
    """Return z at X on the steady loop."""
    return mpmath.findroot(lambda z: opposite(p, z) - z, loaded(p, p.X), tol=mpmath.eps)


def under(p: Any, s: Any, z: Any) -> Any:
    """Return the work on a branch of slope 1 - s z^n from 0 to z."""
    if s == 0:
        return z**2 / 2
    return -(z + mpmath.log1p(-s * z) / s) / s if p.n == 1 else -mpmath.log1p(-s * z**2) / (2 * s)


def lost(p: Any) -> Any:
    """Return the work of a loop."""
    z = steady(p)
    return 2 * (under(p, p.b + p.g, z) - under(p, p.g - p.b, z))


def is_steady(values: Values) -> bool:
    """Tell whether the motion begins on the steady loop."""
    return values["loop"].rational != 0


def is_virgin(values: Values) -> bool:
    """Tell whether it begins without displacement."""
    return not is_steady(values)


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem from its start."""
    return (
        LOOP.with_parameters({**values, "Z": write_start(STEADY, values)})
        if is_steady(values)
        else PROBLEM.with_parameters(values)
    )


HOW = "branches in closed form"
STEADY = CYCLE.value("Z", "0", second=steady, how=HOW)
of = Quantities(VIRGIN, how=HOW)
on_loop = Quantities(CYCLE, how=HOW)
at_virgin = partial(of.value, "z", unit="1", applies=is_virgin)
at_top = partial(value_at, expression="z", at=("top", 1))
QUANTITIES = (
    at_virgin(("top", 1), name="z_top", second=lambda p: loaded(p, p.X)),
    at_virgin(("bottom", 1), name="z_bottom", second=lambda p: -opposite(p, loaded(p, p.X))),
    on_loop.quantity("z_max", "1", "z at X on the steady loop", STEADY, at_top, applies=is_steady),
    on_loop.value("W", ("bottom", 1), "J", name="energy", second=lost, applies=is_steady),
)

CASE = Case(
    name="bouc_wen",
    title="Bouc and Wen's hysteresis",
    document="Wen 1976",
    topics=("hysteresis",),
    summary="A hysteretic element between two displacements: virgin curve, the loop that it settles on, its energy.",
    statement=(
        "z' = x' - b |x'| z |z|^(n-1) - g x' |z|^n with x from 0 to X, to -X and back, at 1 m/s; n is 1 or 2.",
        "Loading has dz/dx = 1 - (b + g) |z|^n, unloading 1 + (b - g) |z|^n.",
        "The steady loop leads from (-X, -Z) to (X, Z); Z is the root of that condition.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0.7), (0, -0.7)),
        draw.box((1.6, 0), 1.5, 0.7, "z"),
        draw.line((0, 0), (0.85, 0)),
        draw.line((2.35, 0), (3.2, 0)),
        draw.dot((3.2, 0)),
        draw.arrow((3.2, 0.35), (4.1, 0.35), "x"),
        draw.axes((5.2, -1.0), 2.6, 2.2, ("x", "z")),
        draw.graph(
            (6.4, 0),
            (6.8, 0.45),
            (7.5, 0.7),
            (7.25, 0.1),
            (6.8, -0.45),
            (5.4, -0.75),
            (5.7, -0.1),
            (6.3, 0.4),
            (7.5, 0.7),
        ),
    ),
    shown=ShownMotion(curves=("x", "z"), portraits=(("x", "z"),)),
    equations=(*equations(PROBLEM), "n = 1: z = (1 - exp(-(b + g) x))/(b + g)"),
    parameters=PARAMETERS,
    variants=(
        Variant("virgin", {}),
        Variant("virgin_square", {"n": "2"}),
        Variant("loop", {"loop": "1"}),
        Variant("loop_square", {"loop": "1", "n": "2"}),
    ),
    quantities=QUANTITIES,
    problem=make_problem,
    modelling=("Branches are modes, so that corners and changes of the sign of z are events.",),
    sources=(
        "Y.-K. Wen: Method for random vibration of hysteretic systems. Journal of the Engineering Mechanics "
        "Division 102 (1976) 249-263. https://doi.org/10.1061/JMCEA3.0002106",
        "M. Ismail, F. Ikhouane, J. Rodellar: The hysteresis Bouc-Wen model, a survey. Archives of "
        "Computational Methods in Engineering 16 (2009) 161-188. https://doi.org/10.1007/s11831-009-9031-8",
    ),
    remarks=(
        "The sign of b - g bends the branch of unloading up or down: a wrong sign of g shows in the loop, not before.",
        "A step across a corner, where x turns, leaves an error of its first order in z, and the loop does not close.",
        "The law does not depend on the rate; a method whose answer does has mixed time and displacement.",
    ),
    held={
        "n": "1 or 2",
        "loop": "0 or 1",
        "b": "from g on unloading turns from a logarithm to another branch",
        "g": "see b",
    },
)

test_bouc_wen = verifies(CASE)
