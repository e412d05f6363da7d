"""Particle that slides down a sphere and leaves it."""

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
    Parameter("R", "m", "radius of the sphere", "1", "positive"),
    Parameter("mu", "1", "coefficient of friction", "0.3", "non-negative"),
    Parameter("v_0", "m/s", "speed at the top", "2.5", "positive"),
)
PUSH = "g*cos(theta) - R*w**2"  # of the sphere, by mass
PROBLEM = InitialValueProblem(
    name="slide_off_sphere",
    states=("theta", "w", "x", "y", "u", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slides",
            rates=("w", f"g/R*sin(theta) - mu/R*({PUSH})", "R*w*cos(theta)", "-R*w*sin(theta)", 0, 0),
            events=(
                Change(
                    name="release",
                    guard=PUSH,
                    direction=-1,
                    reset={"u": "R*w*cos(theta)", "v": "-R*w*sin(theta)"},
                    mode="flies",
                ),
                Change(name="stop", guard="w", direction=-1, reset={"w": 0}, mode="rests"),
            ),
        ),
        Mode(
            name="flies",
            rates=(0, 0, "u", "v", 0, "-g"),
            events=(Change(name="landing", guard="y + R", direction=-1, reset={"u": 0, "v": 0}, mode="rests"),),
        ),
        Mode(name="rests", rates=(0, 0, 0, 0, 0, 0)),
    ),
    initial=(0, "v_0/R", 0, "R", 0, 0),
    end=3.0,
    output_times=evenly(3.0, 1200),
)
REQUIRED = (Requirement("v_0**2 < g*R", "the particle leaves the sphere at the top"),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def square(p: Any, angle: Any) -> Any:
    """Return the square of the speed at an angle: linear in it is what friction takes."""
    share = 1 + 4 * p.mu**2
    forced = [2 * ((2 * p.mu**2 - 1) * mpmath.cos(a) - 3 * p.mu * mpmath.sin(a)) / share for a in (angle, 0)]
    return p.g * p.R * (forced[0] + (p.v_0**2 / (p.g * p.R) - forced[1]) * mpmath.exp(2 * p.mu * angle))


def release_angle(p: Any) -> Any:
    """Return the angle of the release, the one root: the push grows weaker wherever it vanishes."""
    return mpmath.findroot(
        lambda angle: square(p, angle) / (p.g * p.R) - mpmath.cos(angle), (0, mpmath.pi / 2), solver="anderson"
    )


def speed(p: Any) -> Any:
    """Return the speed at the release: what the sphere still bends with no push."""
    return mpmath.sqrt(p.g * p.R * mpmath.cos(release_angle(p)))


def sliding(p: Any) -> Any:
    """Return how long the particle slides."""
    return mpmath.quad(lambda angle: p.R / mpmath.sqrt(square(p, angle)), mpmath.linspace(0, release_angle(p), 5))


def falling(p: Any) -> Any:
    """Return how long it flies to the floor, on which the sphere lies."""
    angle, down = release_angle(p), speed(p) * mpmath.sin(release_angle(p))
    return (mpmath.sqrt(down**2 + 2 * p.g * p.R * (1 + mpmath.cos(angle))) - down) / p.g


def landed(p: Any) -> Any:
    """Return how far from the axis it lands."""
    return p.R * mpmath.sin(release_angle(p)) + speed(p) * mpmath.cos(release_angle(p)) * falling(p)


of = Quantities(MOTION, how="the speed as a function of the angle, quadrature")
QUANTITIES = (
    of.event("release", name="t_off_sphere", second=sliding),
    of.value("theta", ("release", 1), "rad", name="theta_off_sphere", second=release_angle),
    of.value("R*w", ("release", 1), "m/s", name="speed_off_sphere", second=speed),
    of.event("landing", name="t_on_floor", second=lambda p: sliding(p) + falling(p)),
    of.value("x", ("landing", 1), "m", name="x_on_floor", second=landed),
)

CASE = Case(
    name="slide_off_sphere",
    title="Particle that leaves a sphere",
    document="Mungan 2003",
    topics=("multibody", "friction", "release"),
    summary="A particle slides down a sphere, with friction or without, and leaves it before it reaches the equator.",
    statement=(
        "A particle starts at the top of a fixed sphere of radius R with the speed v_0. Friction is mu times the push "
        "of the sphere, g cos(theta) - R w^2 by mass: it depends on the speed.",
        "Where the push ends, the particle leaves and falls freely to the floor on which the sphere lies. Friction "
        "that takes all speed near the top keeps it there.",
    ),
    sketch=draw.sketch(
        draw.ground((-2.0, -1.8), (4.4, -1.8)),
        draw.disc((0, 0), 1.8),
        draw.dot((0, 0)),
        draw.thin((0, 0), (0, 1.8)),
        draw.thin((0, 0), (1.33, 1.21)),
        draw.arc((0, 0), 0.8, 90, 42, "theta"),
        draw.disc((1.44, 1.31), 0.17),
        draw.path(lambda t: (1.44 + 1.2 * t, 1.31 - 1.1 * t - 0.9 * t * t), 0, 1.33),
        draw.words((-0.6, 0.6), "R"),
        draw.arrow((3.8, 1.2), (3.8, 0.3), "g"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=of.equations(
        "R^2 w^2 = g R (C e^(2 μ θ) + 2 ((2 μ^2 - 1) cos(θ) - 3 μ sin(θ))/(1 + 4 μ^2))",
        "C = v_0^2/(g R) - 2 (2 μ^2 - 1)/(1 + 4 μ^2), R w^2 = g cos(θ) at the release",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("rough", {}), Variant("smooth", {"mu": "0", "v_0": "0.3"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    sources=(
        "C. Mungan: Sliding on the surface of a rough sphere. The Physics Teacher 41 (2003) 326-328.",
        "T. Prior, E. Mele: A block slipping on a sphere with friction: exact and perturbative solutions. American "
        "Journal of Physics 75 (2007) 423-426.",
    ),
    remarks=(
        "Friction of the weight alone, mu g cos(theta), as on an incline, keeps the particle to 0.729 rad instead of "
        "0.556: the push grows weaker with the speed, too.",
        "A sphere that also pulls (a joint, a constraint of two sides) is never left. The release is seen by the push: "
        "the gap opens only with the cube of the time after it.",
        "Below 0.903 m/s at the top friction of 0.3 takes all speed, and the particle stays: no release, no landing.",
    ),
)

test_slide_off_sphere = verifies(CASE)
