"""Kepler's problem: eccentric orbits of two bodies."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import less
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import hull, rooted, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (Parameter("e", "1", "eccentricity", "0.9", "positive"),)
PROBLEM = InitialValueProblem(
    name="kepler",
    states=("x", "y", "u", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="orbit", rates=("u", "v", "-x/(x**2 + y**2)**(3/2)", "-y/(x**2 + y**2)**(3/2)")),),
    initial=("1 - e", 0, 0, "sqrt((1 + e)/(1 - e))"),
    end=100.0,
    output_times=evenly(100.0, 10000),
    invariants={"energy": "(u**2 + v**2)/2 - 1/sqrt(x**2 + y**2)", "angular momentum": "x*v - y*u"},
)
HALVINGS = 20  # of the bracket of an anomaly


REQUIRED = (Requirement("e < 1", "the orbit is no ellipse"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def anomaly(p: Any, time: int) -> Any:
    """Return the eccentric anomaly: E - e sin E - t grows with E; bisection, then Newton's intervals."""
    e, low, high = value(p.e), arb(time - 1), arb(time + 1)  # |E - t| is e at most

    def late(E: Any) -> Any:
        return E - e * E.sin() - time

    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if less(late(middle), arb(0), "an anomaly") else (low, middle)
    E = newton(late, lambda E: 1 - e * E.cos(), hull(low, high))
    return rooted(E, lambda E: E - p.e * E.sin() - time)


def place(p: Any, time: int, axis: int) -> Any:
    """Return a coordinate of the body on its ellipse, in a ball."""
    E = anomaly(p, time)
    return (E.cos() - p.e, (1 - p.e**2).sqrt() * E.sin())[axis]


@per_precision
def true_anomaly(e: Any, time: int) -> Any:
    """Return the angle from perihelion by Kepler's second law: the area swept, by quadrature."""
    goal = mpmath.mpf(time) - 2 * mpmath.pi * mpmath.nint(mpmath.mpf(time) / (2 * mpmath.pi))

    def late(angle: Any) -> Any:
        parts = [angle * k / 8 for k in range(9)]
        return (1 - e**2) ** 1.5 * mpmath.quad(lambda f: (1 + e * mpmath.cos(f)) ** -2, parts) - goal

    return mpmath.findroot(late, (-mpmath.pi, mpmath.pi), solver="anderson", maxsteps=200, tol=mpmath.eps)


def swept(p: Any, time: int, axis: int) -> Any:
    """Return a coordinate by the true anomaly."""
    angle = true_anomaly(p.e, time)
    radius = (1 - p.e**2) / (1 + p.e * mpmath.cos(angle))
    return radius * (mpmath.cos(angle), mpmath.sin(angle))[axis]


of = Quantities(MOTION, 1e-6, "a millionth of the major axis, since no document asks for less")


def coordinates(time: int) -> Iterator[Quantity]:
    """Yield both coordinates at an instant."""
    for axis, name in enumerate("xy"):
        second = partial(swept, time=time, axis=axis)
        truth = MOTION.closed(partial(place, time=time, axis=axis), second=second, how="the area swept, by quadrature")
        measure = partial(value_at, expression=name, at=str(time))
        yield of.quantity(f"{name}@{time}", "1", f"{name} at {time}", truth, measure, scale="1")


def invariant(name: str, of_name: str, truth: Any, second: Any) -> Quantity:
    """Return an invariant of the motion, read at 1."""
    known = MOTION.closed(truth, second=second, how="position and velocity at perihelion")
    measure = partial(value_at, expression=PROBLEM.invariants[of_name], at="1")
    return of.quantity(name, "1", f"{of_name} at 1", known, measure)


def speed(p: Any) -> Any:
    """Return the velocity at perihelion."""
    return mpmath.sqrt((1 + p.e) / (1 - p.e))


QUANTITIES = (
    *(quantity for time in (1, 20, 100) for quantity in coordinates(time)),
    invariant("energy@1", "energy", lambda _: arb(-1) / 2, lambda p: speed(p) ** 2 / 2 - 1 / (1 - p.e)),
    invariant("momentum@1", "angular momentum", lambda p: (1 - p.e**2).sqrt(), lambda p: (1 - p.e) * speed(p)),
)
FIRST = frozenset({"x@1", "y@1", "energy@1", "momentum@1"})

CASE = Case(
    name="kepler",
    title="Kepler's problem",
    document="DETEST D5",
    topics=("close encounter", "long time"),
    summary="Two bodies on an eccentric orbit: long calm far out, a near collision every turn.",
    statement=(
        "r'' = -r/|r|³ in the plane, from the perihelion of an ellipse with the major half axis 1 and eccentricity e.",
        "The eccentric anomaly solves E - e sin E = t; x = cos E - e, y = sqrt(1 - e²) sin E.",
    ),
    sketch=draw.sketch(
        draw.path(lambda a: (2.6 * math.cos(a), 1.7 * math.sin(a)), 0, 6.2832),
        draw.disc((1.97, 0), 0.3),
        draw.disc((2.6, 0), 0.13),
        draw.arrow((2.6, 0), (2.6, 1.2), ""),
        draw.dot((-1.6, 1.34), 0.12),
        draw.thin((1.97, 0), (-1.6, 1.34)),
        draw.words((0.1, 0.95), "r"),
        draw.span((-2.6, -2.0), (2.6, -2.0), ""),
        draw.words((0, -2.3), "2"),
        draw.words((3.65, -0.3), "perihelion"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=of.equations("E - e sin(E) = t, x = cos(E) - e, y = sqrt(1 - e^2) sin(E)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("detest_d5", {}, FIRST | {"x@20", "y@20"}, of.until(20.0, 2000)),
        Variant("sixteen_turns", {}),
        Variant("near_collision", {"e": "0.99"}, FIRST, of.until(2.0, 200)),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Lengths in major half axes; a turn takes 2 π.",),
    sources=(
        "T. E. Hull, W. H. Enright, B. M. Fellen, A. E. Sedgwick: Comparing numerical methods for ordinary "
        "differential equations. SIAM Journal on Numerical Analysis 9 (1972) 603-637, problem D5. "
        "https://doi.org/10.1137/0709052",
    ),
    remarks=(
        "The velocity at perihelion is that at aphelion times (1 + e)/(1 - e): steps have to vary as much and more.",
        "An error of the energy becomes one of the period: errors of the place grow as t², symplectic ones as t.",
    ),
    held={"e": "near 1 no double precision follows the orbit"},
)

test_kepler = verifies(CASE)
