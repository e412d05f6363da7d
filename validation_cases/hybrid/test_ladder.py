"""Ladder that slides down a wall and leaves it."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("l", "m", "half the length", "1", "positive"),
    Parameter("a", "rad", "angle with the floor at the start", "5*pi/12", "positive"),
)
# x is how far the centre is from the wall, u its velocity
PROBLEM = InitialValueProblem(
    name="ladder",
    states=("theta", "w", "x", "u"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="leans",
            rates=("w", "-3*g/(4*l)*cos(theta)", "u", "3*g/4*cos(theta)*(3*sin(theta) - 2*sin(a))"),
            events=(Change(name="release", guard="3*sin(theta) - 2*sin(a)", direction=-1, mode="free"),),
        ),
        Mode(
            name="free",
            rates=("w", "(w**2*sin(theta) - g/l)*cos(theta)/(1/3 + cos(theta)**2)", "u", 0),
            events=(Change(name="landing", guard="sin(theta)", direction=-1, reset={"w": 0}, mode="lies"),),
        ),
        Mode(name="lies", rates=(0, 0, "u", 0)),
    ),
    initial=("a", 0, "l*cos(a)", 0),
    end=2.0,
    output_times=evenly(2.0, 800),
)
REQUIRED = (Requirement("a < pi/2", "the ladder does not lean on the wall"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def leaving_angle(p: Any) -> Any:
    """Return the angle at which the wall is left: two thirds of the height at the start."""
    return mpmath.asin(2 * mpmath.sin(p.a) / 3)


def turning(p: Any, angle: Any) -> Any:
    """Return the angular velocity downwards at an angle below that, by the energy."""
    fallen = p.g / p.l * (mpmath.sin(p.a) - mpmath.sin(angle))
    return mpmath.sqrt((2 * fallen - (drift(p) / p.l) ** 2) / (mpmath.mpf(1) / 3 + mpmath.cos(angle) ** 2))


def drift(p: Any) -> Any:
    """Return the velocity of the centre away from the wall, once it is left."""
    return p.l * mpmath.sin(leaving_angle(p)) * mpmath.sqrt(p.g * mpmath.sin(p.a) / (2 * p.l))


def leaning(p: Any) -> Any:
    """Return how long the ladder leans: a pendulum of swing a + π/2 that starts from rest, by elliptic integrals."""
    k = mpmath.sin(p.a / 2 + mpmath.pi / 4)
    left_at = mpmath.asin(mpmath.sin(leaving_angle(p) / 2 + mpmath.pi / 4) / k)
    return (mpmath.ellipk(k**2) - mpmath.ellipf(left_at, k**2)) / mpmath.sqrt(3 * p.g / (4 * p.l))


def falling(p: Any) -> Any:
    """Return how long it falls free of the wall."""
    return mpmath.quad(lambda angle: 1 / turning(p, angle), [0, leaving_angle(p) / 2, leaving_angle(p)])


def landed(p: Any) -> Any:
    """Return how far the centre is from the wall at the landing."""
    return p.l * mpmath.cos(leaving_angle(p)) + drift(p) * falling(p)


of = Quantities(MOTION, how="elliptic integrals, energy and quadrature")
FLAT = mpmath.mpf(0)
QUANTITIES = (
    of.event("release", name="t_release", second=leaning),
    of.value("theta", ("release", 1), "rad", name="theta_release", second=leaving_angle),
    of.value("-w", ("release", 1), "rad/s", name="w_release", second=lambda p: turning(p, leaving_angle(p))),
    of.value("u", ("release", 1), "m/s", name="u_release", second=drift),
    of.event("landing", name="t_landing", second=lambda p: leaning(p) + falling(p)),
    of.value("-w", ("landing", 1), "rad/s", before=True, name="w_landing", second=partial(turning, angle=FLAT)),
    of.value("x", ("landing", 1), "m", name="x_landing", second=landed),
)

CASE = Case(
    name="ladder",
    title="Ladder that leaves the wall",
    document="Scholten 1996",
    topics=("multibody", "release"),
    summary="A ladder slides down a smooth wall, and leaves it before it reaches the floor.",
    statement=(
        "A uniform rod of length 2 l slides between a wall and a floor, both without friction, from rest at the "
        "angle a. The wall pushes with 3/4 m g cos(theta) (3 sin(theta) - 2 sin(a)), and is left where that ends.",
        "Then the centre keeps its velocity u along the floor, until the rod lies on it.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 3.6), (0, 0)),
        draw.ground((0, 0), (4.2, 0)),
        draw.bar((0.08, 2.9), (2.2, 0.08), "", 0.12),
        draw.words((1.65, 1.75), "2 l"),
        draw.arc((0, 2.9), 0.7, 270, 307),
        draw.words((0.42, 1.75), "theta"),
        draw.arrow((2.5, 0.35), (3.4, 0.35), "u"),
        draw.dot((1.14, 1.49)),
        draw.arrow((3.8, 2.6), (3.8, 1.7), "g"),
    ),
    shown=ShownMotion(curves=("theta", "x")),
    equations=of.equations(
        "w^2 = 3 g/(2 l) (sin(a) - sin(θ)), sin(θ_r) = 2/3 sin(a), u^2 = 2/9 g l sin(a)^3",
        "(1/3 + cos(θ)^2) w^2/2 + u^2/(2 l^2) = g/l (sin(a) - sin(θ))",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("steep", {}), Variant("flat", {"a": "pi/4", "l": "2"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    sources=(
        "P. Scholten, A. Simoson: The falling ladder paradox. The College Mathematics Journal 27 (1996) 49-54. "
        "https://doi.org/10.1080/07468342.1996.11973743",
        "M. Kapranidis, R. Koo: Variations on the sliding ladder problem. The College Mathematics Journal 39 (2008) "
        "374-379. https://doi.org/10.1080/07468342.2008.11922314",
    ),
    remarks=(
        "A wall that holds (a joint, a constraint of two sides) keeps the rod: it lands with its centre at x = l, "
        "at rest along the floor.",
        "Wall and rod are in contact and at rest at the release: it is seen by the force, not by a gap.",
        "An angle of release that depends on g or l is wrong: 2/3 of the height it is for every ladder.",
    ),
)

test_ladder = verifies(CASE)
