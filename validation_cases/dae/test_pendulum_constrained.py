"""Pendulum in Cartesian coordinates (IFToMM A01): the same motion with equations of index 3, 2 and 1."""

import math
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("l", "m", "length of the rod", "1"),
    Parameter("m", "kg", "mass", "1"),
)
CONSTRAINTS = {
    1: "m*(u**2 + w**2) - s*(x**2 + y**2) - m*g*y",
    2: "x*u + y*w",
    3: "x**2 + y**2 - l**2",
}
PROBLEM = InitialValueProblem(
    name="pendulum_constrained",
    states=("x", "y", "u", "w"),
    multipliers=("s",),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="swings", rates=("u", "w", "-x*s", "-y*s - m*g")),),
    mass=((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, "m", 0), (0, 0, 0, "m")),
    initial=("l", 0, 0, 0, 0),
    constraints=(CONSTRAINTS[3],),
    index=3,
    end=10.0,
    output_times=evenly(10.0, 1000),
)
ANGLE = InitialValueProblem(
    name="pendulum_angle",
    states=("theta", "omega"),
    parameters=PROBLEM.parameters,
    modes=(Mode(name="swings", rates=("omega", "-g/l*sin(theta)")),),
    initial=("pi/2", 0),
    end=10.0,
)
MOTION = hybrid.motion(ANGLE, PARAMETERS)


def of_index(index: int, values: Values) -> InitialValueProblem:
    """Return the problem with the constraint differentiated to an index."""
    return PROBLEM.with_parameters(values, constraints=(CONSTRAINTS[index],), index=index)


def half_sine(p: Any) -> Any:
    """Return sin(theta/2) at 10 s, by the Jacobi elliptic function sn of modulus sin(pi/4)."""
    m = mpmath.mpf(1) / 2
    return mpmath.sqrt(m) * mpmath.ellipfun("sn", 10 * mpmath.sqrt(p.g / p.l) + mpmath.ellipk(m), m=m)


def sine(p: Any) -> Any:
    """Return sin(theta) at 10 s; the sign of cos(theta/2) is +, since |theta| never exceeds pi/2."""
    return 2 * half_sine(p) * mpmath.sqrt(1 - half_sine(p) ** 2)


def cosine(p: Any) -> Any:
    """Return cos(theta) at 10 s."""
    return 1 - 2 * half_sine(p) ** 2


of = Quantities(MOTION, 1e-4, "a ten-thousandth of the scale, since no document is at hand that asks for less")


def at_end(of_angle: str, second: Any, read: str, name: str, unit: str, scale: str) -> Quantity:
    """Return a quantity at 10 s: of the angle in truth, of Cartesian unknowns in a response."""
    truth = MOTION.value(of_angle, "10", second=second, how="Jacobi elliptic functions")
    return of.quantity(name, unit, f"{read} at 10 s", truth, partial(value_at, expression=read, at="10"), scale=scale)


CASE = Case(
    name="pendulum_constrained",
    title="Pendulum as a constrained point",
    document="IFToMM A01",
    topics=("multibody", "constraints"),
    summary="A point on a rod swings from the horizontal: the same motion as equations of index 3, 2 and 1.",
    statement=(
        "A point of mass m hangs on a massless rod of length l and is released at rest from the horizontal.",
        "Its Cartesian coordinates obey m r'' = -s r - m g e_y with a multiplier s, the tension over the length, that "
        "keeps it on the circle. The constraint is that of positions (index 3), velocities (2) or accelerations (1).",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0), 180.0),
        draw.dashed((0, 0), (0, -2.6)),
        draw.bar((0, 0), (1.9, -1.6), "l", 0.06),
        draw.disc((1.9, -1.6), 0.28, "m"),
        draw.path(lambda a: (2.48 * math.sin(a), -2.48 * math.cos(a)), 0.0, 1.57),
        draw.arrow((3.4, -0.4), (3.4, -1.3), "g"),
        draw.arrow((0.6, 0.5), (1.6, 0.5), "x"),
        draw.arrow((0.6, 0.5), (0.6, 1.5), "y"),
        draw.words((1.0, -2.7), "x² + y² = l²"),
    ),
    shown=ShownMotion(
        curves=("x", "y", "tension"),
        motion=MOTION.history(x="l*sin(theta)", y="-l*cos(theta)", tension="3*m*g*cos(theta)"),
    ),
    equations=(
        *equations(PROBLEM),
        "x = l sin(theta), y = -l cos(theta), theta'' = -g/l sin(theta), s l = 3 m g cos(theta)",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("index-3", {}, problem=partial(of_index, 3)),
        Variant("index-2", {}, problem=partial(of_index, 2)),
        Variant("index-1", {}, problem=partial(of_index, 1)),
    ),
    quantities=(
        at_end("l*sin(theta)", lambda p: p.l * sine(p), "x", "x@10", "m", "l"),
        at_end("-l*cos(theta)", lambda p: -p.l * cosine(p), "y", "y@10", "m", "l"),
        at_end("3*m*g*cos(theta)", lambda p: 3 * p.m * p.g * cosine(p), "s*l", "tension@10", "N", "3*m*g"),
    ),
    problem=PROBLEM.with_parameters,
    modelling=(
        "Error controls see what is determined best: positions alone for index 3, no multiplier for index 2.",
        "With the constraint of velocities or accelerations the length of the rod drifts.",
    ),
    sources=(
        "IFToMM Technical Committee for Multibody Dynamics: Library of computational benchmark problems, A01, "
        "simple pendulum. https://www.iftomm-multibody.org/benchmark",
        "M. González, D. Dopico, U. Lugrís, J. Cuadrado: A benchmarking system for MBS simulation software: "
        "problem standardization and performance measurement. Multibody System Dynamics 16 (2006) 179-190.",
    ),
    remarks=(
        "A multiplier that no error control sees may be far off while the positions look right.",
        "The wrong sign of the multiplier shows in the tension alone.",
    ),
    benchmark_variant="index-1",
)

test_pendulum_constrained = verifies(CASE)
