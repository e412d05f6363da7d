"""Jeffcott's rotor: unbalance, internal damping that excites, and the gyroscopic whirl of its disk."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass of the disk", "1", "positive"),
    Parameter("k", "N/m", "stiffness of the shaft", "1", "positive"),
    Parameter("c_e", "N s/m", "external damping, which stands still", "0.1", "positive"),
    Parameter("c_i", "N s/m", "internal damping, which turns with the shaft", "0.05", "positive"),
    Parameter("W", "rad/s", "speed of rotation", "1.2", "positive"),
    Parameter("e", "m", "distance from the centre of the disk to its centre of mass", "0.01", "positive"),
    Parameter("I_d", "kg m^2", "moment of inertia of the disk about a diameter", "1", "positive"),
    Parameter("I_p", "kg m^2", "moment of inertia of the disk about its axis", "1.5", "positive"),
    Parameter("k_t", "N m/rad", "stiffness against tilting", "1", "positive"),
    Parameter("a_0", "rad", "tilt about x at the start", "0.01", "positive"),
)
PROBLEM = InitialValueProblem(
    name="jeffcott",
    states=("x", "u", "y", "v", "a", "p", "b", "q"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="rotor",
            rates=(
                "u",
                "e*W**2*cos(W*t) - (k*x + (c_e + c_i)*u + c_i*W*y)/m",
                "v",
                "e*W**2*sin(W*t) - (k*y + (c_e + c_i)*v - c_i*W*x)/m",
                "p",
                "-(k_t*a + I_p*W*q)/I_d",
                "q",
                "-(k_t*b - I_p*W*p)/I_d",
            ),
        ),
    ),
    initial=(0, 0, 0, 0, "a_0", 0, 0, 0),
    end=20.0,
    output_times=evenly(20.0, 1000),
    invariants={"energy of tilting": "I_d*(p**2 + q**2)/2 + k_t*(a**2 + b**2)/2"},
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def free(one: Any, other: Any, start: Any, speed: Any, time: Any) -> Any:
    """Return the sum of two exponentials that begins at a place with a velocity."""
    share = (speed - other * start) / (one - other)
    return share * mpmath.exp(one * time) + (start - share) * mpmath.exp(other * time)


def roots(p: Any) -> tuple[Any, Any]:
    """Return the roots of m s² + (c_e + c_i) s + k - i c_i W."""
    root = mpmath.sqrt((p.c_e + p.c_i) ** 2 - 4 * p.m * (p.k - 1j * p.c_i * p.W))
    return tuple((-(p.c_e + p.c_i) + sign * root) / (2 * p.m) for sign in (1, -1))


def centre(p: Any, part: str, time: int) -> Any:
    """Return a coordinate of the centre of the disk, parts of z = x + i y."""
    orbit = p.m * p.e * p.W**2 / (p.k - p.m * p.W**2 + 1j * p.c_e * p.W)
    z = orbit * mpmath.expj(p.W * time) + free(*roots(p), -orbit, -1j * p.W * orbit, time)
    return getattr(z, part)


def whirl(p: Any, sign: int) -> Any:
    """Return the angular velocity of the forward or backward whirl: I_d s² = I_p W s + k_t."""
    return (p.I_p * p.W + sign * mpmath.sqrt((p.I_p * p.W) ** 2 + 4 * p.I_d * p.k_t)) / (2 * p.I_d)


def tilt(p: Any, part: str, time: int) -> Any:
    """Return a tilt of the disk, parts of a + i b."""
    return getattr(free(1j * whirl(p, 1), 1j * whirl(p, -1), p.a_0, 0, time), part)


def whirls(p: Any, sign: int) -> Any:
    """Return the same in ball arithmetic."""
    return (p.I_p * p.W + sign * ((p.I_p * p.W) ** 2 + 4 * p.I_d * p.k_t).sqrt()) / (2 * p.I_d)


def growth(p: Any) -> Any:
    """Return the larger real part of the roots, in real numbers."""
    half = (p.c_e + p.c_i) / (2 * p.m)
    real, imaginary = half**2 - p.k / p.m, p.c_i * p.W / p.m
    return (((real**2 + imaginary**2).sqrt() + real) / 2).sqrt() - half


def orbit(p: Any) -> Any:
    """Return the radius of the orbit that unbalance keeps up."""
    return p.m * p.e * p.W**2 / ((p.k - p.m * p.W**2) ** 2 + (p.c_e * p.W) ** 2).sqrt()


of = Quantities(MOTION, how="complex exponentials")
ORBIT = MOTION.closed(
    orbit,
    second=lambda p: p.m * p.e * p.W**2 / abs(mpmath.mpc(p.k - p.m * p.W**2, p.c_e * p.W)),
    how="absolute value of a complex number",
)
GROWTH = MOTION.closed(growth, second=lambda p: max(s.real for s in roots(p)), how="complex square root")
THRESHOLD = MOTION.closed(
    lambda p: (p.k / p.m).sqrt() * (1 + p.c_e / p.c_i),
    second=lambda p: mpmath.sqrt(p.k) * (p.c_e + p.c_i) / (p.c_i * mpmath.sqrt(p.m)),
    how="the same formula, arranged otherwise",
)


def whirls_by_roots(p: Any, *, sign: int) -> Any:
    """Return the frequency of forward (1) or backward (-1) whirl (rad/s), from the roots of the polynomial."""
    return sorted(mpmath.polyroots([p.I_d, -p.I_p * p.W, -p.k_t]))[::-sign][0]


FORWARD, BACKWARD = (
    MOTION.closed(
        partial(whirls, sign=sign),
        second=partial(whirls_by_roots, sign=sign),
        how="roots of the polynomial",
    )
    for sign in (1, -1)
)
QUANTITIES = (
    of.value("x", "20", "m", scale="e", second=partial(centre, part="real", time=20)),
    of.value("y", "20", "m", scale="e", second=partial(centre, part="imag", time=20)),
    of.value("a", "20", "rad", scale="a_0", second=partial(tilt, part="real", time=20)),
    of.value("b", "20", "rad", scale="a_0", second=partial(tilt, part="imag", time=20)),
    of.quantity("orbit", "m", "radius of the orbit that the unbalance keeps up", ORBIT, None),
    of.quantity("growth", "1/s", "rate at which whirling grows, below 0: decays", GROWTH, None),
    of.quantity("threshold", "rad/s", "speed above which internal damping excites", THRESHOLD, None),
    of.quantity("forward", "rad/s", "forward whirl of the tilting disk", FORWARD, None),
    of.quantity("backward", "rad/s", "backward whirl of the tilting disk", BACKWARD, None),
)

CASE = Case(
    name="jeffcott",
    title="Jeffcott's rotor",
    document="Jeffcott 1919",
    topics=("rotor", "resonance"),
    summary="A disk on a turning shaft: unbalance, internal damping that excites above a speed, gyroscopic whirl.",
    statement=(
        "z = x + i y: m z'' + c_e z' + c_i (z' - i W z) + k z = m e W² exp(i W t), from rest.",
        "Internal damping drops out of the orbit that the unbalance keeps up; above W_c it lets a whirl grow.",
        "The tilt a + i b: I_d θ'' - i I_p W θ' + k_t θ = 0, let go at a_0: forward and backward whirl (Campbell).",
    ),
    sketch=draw.sketch(
        draw.line((-3.0, 0), (-1.5, 0.25), (0, 0.35), (1.5, 0.25), (3.0, 0)),
        draw.dashed((-3.4, 0), (3.4, 0)),
        draw.pivot((-3.0, 0)),
        draw.pivot((3.0, 0)),
        draw.box((0, 0.35), 0.3, 2.2),
        draw.dot((0, 0.6), 0.08),
        draw.words((0.45, 0.75), "e"),
        draw.words((-0.6, 1.2), "m"),
        draw.words((1.7, 0.6), "k"),
        draw.arc((3.5, 0), 0.5, -70, 70, "W", turns=True),
        draw.shifted(
            (
                *draw.disc((0, 0), 1.2),
                *draw.dot((0.25, 0.2)),
                *draw.dot((0.6, 0.45), 0.1),
                *draw.axes((-0.3, -0.3), 2.2, 2.0, ("x", "y")),
            ),
            6.6,
        ),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=of.equations("W_c = sqrt(k/m) (1 + c_e/c_i)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("above_resonance", {}), Variant("self_excited", {"W": "4"})),
    quantities=QUANTITIES,
    sources=(
        "H. H. Jeffcott: The lateral vibration of loaded shafts in the neighbourhood of a whirling speed. "
        "Philosophical Magazine 37 (1919) 304-314.",
        "G. Genta: Dynamics of Rotating Systems. Springer (2005).",
    ),
    remarks=(
        "Damping and stiffness are no symmetric matrices: a code that keeps half of them loses threshold and whirl.",
        "The wrong sign of the gyroscopic term exchanges forward and backward whirl: a is right, b has the wrong sign.",
        "A method with damping of its own hides the growth above the threshold: too long a step makes a rotor stable.",
    ),
)

test_jeffcott = verifies(CASE)
