"""Chaplygin's sleigh: a blade that cannot slide sideways turns the sleigh until it runs straight."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "1", "positive"),
    Parameter("J", "kg m^2", "moment of inertia about the centre of mass", "1", "positive"),
    Parameter("a", "m", "distance from the blade to the centre of mass, ahead", "1", "positive"),
    Parameter("v_0", "m/s", "velocity of the blade at the start, along its heading", "-0.9", "any"),
    Parameter("w_0", "rad/s", "angular velocity at the start", "0.5", "positive"),
)
PROBLEM = InitialValueProblem(
    name="chaplygin_sleigh",
    states=("v", "w", "h", "x", "y"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="sleigh",
            rates=("a*w**2", "-m*a*v*w/(J + m*a**2)", "w", "v*cos(h)", "v*sin(h)"),
            events=(Change(name="cusp", guard="v", direction=1),),
        ),
    ),
    initial=("v_0", "w_0", 0, 0, 0),
    end=5.0,
    output_times=evenly(5.0, 1000),
    invariants={"energy": "m*v**2/2 + (J + m*a**2)*w**2/2"},
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def scales(p: Any) -> tuple[Any, Any, Any, Any]:
    """Return final velocity, largest angular velocity, rate, instant of the cusp."""
    whole = p.J + p.m * p.a**2
    twice = p.m * p.v_0**2 + whole * p.w_0**2
    fast, turning = mpmath.sqrt(twice / p.m), mpmath.sqrt(twice / whole)
    rate = fast * p.m * p.a / whole
    return fast, turning, rate, -mpmath.atanh(p.v_0 / fast) / rate


def velocity(p: Any, time: Any) -> Any:
    """Return the velocity of the blade."""
    fast, _, rate, cusp = scales(p)
    return fast * mpmath.tanh(rate * (time - cusp))


def turning(p: Any, time: Any) -> Any:
    """Return the angular velocity."""
    _, most, rate, cusp = scales(p)
    return most / mpmath.cosh(rate * (time - cusp))


def heading(p: Any, time: Any) -> Any:
    """Return the heading: Gudermann's function."""
    _, most, rate, cusp = scales(p)
    return (
        most / rate * (2 * mpmath.atan(mpmath.tanh(rate * (time - cusp) / 2)) + mpmath.asin(mpmath.tanh(rate * cusp)))
    )


def place(p: Any, wave: Any) -> Any:
    """Return a coordinate of the blade at 5 s, by quadrature."""
    return mpmath.quad(lambda t: velocity(p, t) * wave(heading(p, t)), mpmath.linspace(0, 5, 6))


of = Quantities(MOTION, how="hyperbolic functions")
BY_AREA = "quadrature of the closed velocity"
TOTAL = MOTION.closed(
    lambda p: arb.pi() * ((p.J + p.m * p.a**2) / (p.m * p.a**2)).sqrt(),
    second=lambda p: mpmath.pi * scales(p)[1] / scales(p)[2],
    how="largest angular velocity over the rate",
)
QUANTITIES = (
    of.event("cusp", second=lambda p: scales(p)[3]),
    of.value("v", "5", "m/s", second=partial(velocity, time=5)),
    of.value("w", "5", "rad/s", second=partial(turning, time=5)),
    of.value("h", "5", "rad", second=partial(heading, time=5)),
    of.value("x", "5", "m", second=partial(place, wave=mpmath.cos), how=BY_AREA),
    of.value("y", "5", "m", second=partial(place, wave=mpmath.sin), how=BY_AREA),
    of.quantity("total_turn", "rad", "change of the heading from the far past to the far future", TOTAL, None),
)

CASE = Case(
    name="chaplygin_sleigh",
    title="Chaplygin's sleigh",
    document="Chaplygin 1911",
    topics=("multibody", "constraints"),
    summary="A rigid body on a blade that cannot slide sideways: backwards it is unstable, turns, and runs straight.",
    statement=(
        "v' = a w², (J + m a²) w' = -m a v w: velocity v of the blade along its heading h, angular velocity w.",
        "The blade begins at the origin with heading 0 and runs backwards; at the cusp it stands for an instant.",
        "The energy is constant, volume in the phase space is not: v = V tanh(k (t - t0)), w = W sech(k (t - t0)).",
    ),
    sketch=draw.sketch(
        draw.turned(
            (
                *draw.outline((-0.2, -0.8), (3.0, -0.8), (3.0, 0.8), (-0.2, 0.8)),
                *draw.edge((-0.5, 0), (0.5, 0)),
                *draw.dot((1.6, 0)),
                *draw.thin((0, 0), (1.6, 0)),
                *draw.arrow((0.0, 0), (-1.5, 0), ""),
            ),
            25.0,
        ),
        draw.words((-1.65, -0.75), "v"),
        draw.words((0.65, 0.65), "a"),
        draw.words((-0.9, 0.35), "blade"),
        draw.words((2.1, 0.6), "m, J"),
        draw.arc((0, 0), 3.6, 5, 22, "h", turns=True),
        draw.dashed((0, 0), (3.9, 0)),
        draw.words((3.9, -0.35), "seen from above"),
    ),
    shown=ShownMotion(curves=("v", "w"), portraits=(("x", "y"),), true_to_scale=True),
    equations=of.equations("v = V tanh(k (t - t0)), w = W/cosh(k (t - t0)), k = V m a/(J + m a^2)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("backwards", {}), Variant("slender", {"J": "1/4"})),
    quantities=QUANTITIES,
    modelling=("The centre of mass is a ahead of the blade.",),
    sources=(
        "S. A. Chaplygin: On the theory of motion of nonholonomic systems. The reducing-multiplier theorem. "
        "Matematicheskii Sbornik 28 (1911).",
        "J. I. Neimark, N. A. Fufaev: Dynamics of Nonholonomic Systems. American Mathematical Society (1972).",
    ),
    remarks=(
        "A blade that is made a constraint of positions (holonomic) keeps its heading: no turn.",
        "The velocity settles: its late errors say nothing, those of heading and place stay.",
    ),
)

test_chaplygin_sleigh = verifies(CASE)
