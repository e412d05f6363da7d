"""Rotor that whirls: gyroscopic forces, internal damping, and a stop on one side."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures import impacts
from veridyn.validation_cases.measures.consistency import energy, positions, rates, stop_forces, velocities
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import displacement_at

PARAMETERS = (
    Parameter("m", "kg", "moment of inertia about a diameter over the square of the lever", "1", "positive"),
    Parameter("k", "N/m", "stiffness of the shaft", "1e4", "positive"),
    Parameter("W", "rad/s", "speed of rotation", "150", "positive"),
    Parameter("j", "1", "polar moment of inertia over that about a diameter", "0.3", "positive"),
    Parameter("c_e", "N s/m", "external damping", "2", "positive"),
    Parameter("c_i", "N s/m", "internal damping, which turns with the rotor", "2", "non-negative"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e6", "positive"),
    Parameter("gap", "m", "distance of the stop, towards positive x", "5e-3", "positive"),
    Parameter("a", "m", "deflection at the start, away from the stop", "2e-2", "positive"),
)
END = 0.15
INSTANTS = ("0.02", "0.07", "0.15")
CONTACTS = 4
SPACING = 1e-4  # s, of the output
TOUCH, RELEASE = "stop_closes", "stop_opens"  # events
KINK = 2.0  # regularity: the force of the stop has a kink


# ---- the problem, for solvers and for its proof


def problem(values: Values) -> MechanicalProblem:
    """Return the rotor beside its stop."""
    m, k, W, j, external, internal, kc, gap, a = numbers(values, *(p.name for p in PARAMETERS))
    one, turn = np.eye(2, dtype=int), np.array([[0, 1], [-1, 0]])
    return MechanicalProblem(
        name="whirling_rotor",
        mass=m * one,
        damping=(external + internal) * one + j * m * W * turn,
        stiffness=k * one + internal * W * turn,
        initial_displacement=np.array([-a, 0.0]),
        end=END,
        output_times=np.linspace(0.0, END, round(END / SPACING) + 1),
        stops=(Stop("stop", np.array([1.0, 0.0]), gap, kc),),
        coordinates=("x", "y"),
    )


MOTION = make_quantities(problem, PARAMETERS)


# ---- the two roots of the free whirl, as a complex number z = x + i y


def roots(p: Any) -> tuple[Any, Any]:
    """Return the rates of forward and backward whirl, z = x + i y (1/s)."""
    result = mpmath.polyroots(
        [p.m, mpmath.mpc(p.c_e + p.c_i, -p.j * p.m * p.W), mpmath.mpc(p.k, -p.c_i * p.W)], maxsteps=200
    )
    forward, backward = sorted(result, key=lambda root: -root.imag)
    return forward, backward


def rate(p: Any, side: int, part: str) -> Any:
    """Return a part of the rate of forward (0) or backward whirl (1)."""
    return getattr(roots(p)[side], part)


def split(p: Any) -> tuple[Any, Any]:
    """Return real and imaginary part of the root of the discriminant, over 2 m; without cancellation."""
    c, g = p.c_e + p.c_i, p.j * p.m * p.W
    real, other = c**2 - g**2 - 4 * p.m * p.k, 4 * p.m * p.c_i * p.W - 2 * c * g
    size = (((real**2 + other**2).sqrt() - real) / 2).sqrt()
    return other / (4 * size * p.m), size / (2 * p.m)


def sheds(p: Any) -> Any:
    """Return the rate at which damping alone takes the motion away (1/s)."""
    return (p.c_e + p.c_i) / (2 * p.m)


# ---- what is asked


places = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of the deflection at the start", regularity=KINK)
times = Quantities(MOTION, 1e-3, "this suite asks 1e-3 of the span", regularity=KINK)
forces = Quantities(MOTION, 1e-2, "this suite asks 1e-2", regularity=KINK)


def _place(name: str, axis: int, time: str) -> Quantity:
    """Return a coordinate at an instant."""
    measure = partial(displacement_at, time=float(time), place=axis)
    truth, words = MOTION.value(name, time), f"displacement along {name} at {time} s"
    return places.quantity(f"{name}@{time}", "m", words, truth, measure, scale="a")


def _contacts(number: int) -> tuple[Quantity, ...]:
    """Return instants and largest force of a contact."""
    touch, release = (MOTION.event(name, number) for name in (TOUCH, RELEASE))
    push = MOTION.largest("push_stop", after=(TOUCH, number), until=(RELEASE, number))
    start, end, peak = (partial(impacts.part, field=f, number=number) for f in ("start", "end", "peak_force"))
    return (
        times.quantity(f"touch_{number}", "s", f"start of contact {number}", touch, start, scale=str(END)),
        times.quantity(f"release_{number}", "s", f"end of contact {number}", release, end, scale=str(END)),
        forces.quantity(f"peak_force_{number}", "N", f"largest force of contact {number}", push, peak),
    )


def _rate(name: str, unit: str, words: str, side: int, part: str, closed: Callable[[Any], Any]) -> Quantity:
    """Return a static quantity: a part of the rate of a whirl."""
    truth = MOTION.closed(closed, second=partial(rate, side=side, part=part), how="roots of a polynomial")
    return forces.quantity(name, unit, words, truth, None, regularity=math.inf)


PATH = tuple(_place(name, axis, t) for t in INSTANTS for axis, name in enumerate("xy"))
RATES = (
    _rate("growth", "1/s", "growth of the forward whirl", 0, "real", lambda p: split(p)[0] - sheds(p)),
    _rate("growth_backward", "1/s", "growth of the backward whirl", 1, "real", lambda p: -split(p)[0] - sheds(p)),
    _rate(
        "forward", "rad/s", "angular velocity of the forward whirl", 0, "imag", lambda p: p.j * p.W / 2 + split(p)[1]
    ),
    _rate("backward", "rad/s", "that of the backward whirl", 1, "imag", lambda p: p.j * p.W / 2 - split(p)[1]),
)
TOUCHES = tuple(quantity for number in range(1, CONTACTS + 1) for quantity in _contacts(number))
FREE = frozenset(q.name for q in (*PATH, *RATES))


CASE = Case(
    name="whirling_rotor",
    title="Rotor that whirls and rubs",
    document="Genta 2005",
    topics=("rotor", "impact"),
    summary="A disk on an elastic shaft, let go, whirls forwards and backwards at two speeds and hits a stop; internal "
    "damping drives the forward whirl.",
    statement=(
        "The centre of a tilting disk on a shaft of stiffness k is let go at x = -a. It turns at W: its gyroscopic "
        "moment couples the velocities with j m W, skew, and its internal damping the displacements with c_i W, skew.",
        "In one number z = x + i y the free motion is m z'' + (c_e + c_i - i j m W) z' + (k - i c_i W) z = 0: two "
        "circular whirls, forward and backward. A stop k_c stands at x = gap.",
        "The forward whirl grows where internal damping, c_i (W - w_f), outweighs external damping c_e w_f.",
    ),
    sketch=draw.sketch(
        draw.line((-3.0, 0), (-1.5, 0.3), (0, 0.4), (1.5, 0.3), (3.0, 0)),
        draw.dashed((-3.4, 0), (3.4, 0)),
        draw.pivot((-3.0, 0)),
        draw.pivot((3.0, 0)),
        draw.turned(draw.box((0, 0.4), 0.3, 2.2), -6.0, (0, 0.4)),
        draw.words((-0.6, 1.3), "m"),
        draw.words((1.6, 0.65), "k"),
        draw.arc((3.5, 0), 0.5, -70, 70, "W", turns=True),
        draw.shifted(
            (
                *draw.disc((-0.4, 0.3), 0.9),
                *draw.dot((-0.4, 0.3)),
                *draw.axes((0, 0), 2.9, 1.8, ("x", "y")),
                *draw.edge((1.2, -0.5), (1.2, 0.5)),
                *draw.spring((1.2, 0.3), (2.4, 0.3), "k_c", 5),
                *draw.ground((2.4, -0.3), (2.4, 0.7)),
                *draw.arc((-0.4, 0.3), 1.15, 100, 200, "", turns=True),
            ),
            7.0,
        ),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=(
        "m x'' + (c_e + c_i) x' + j m W y' + k x + c_i W y = -k_c max(0, x - gap)",
        "m y'' + (c_e + c_i) y' - j m W x' + k y - c_i W x = 0, x(0) = -a, y(0) = x'(0) = y'(0) = 0",
        "m s^2 + (c_e + c_i - i j m W) s + k - i c_i W = 0",
        "z = -a (s exp(r t) - r exp(s t))/(s - r)",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("rubs", {}),
        Variant("whirls", {"gap": "1"}, FREE),
        Variant("gyroscopic", {"c_i": "0"}),
        Variant("precesses", {"gap": "1", "c_i": "0"}, FREE),
        Variant("unstable", {"gap": "1", "W": "600", "j": "0.2", "c_e": "1", "c_i": "3"}, FREE),
    ),
    quantities=(*PATH, *TOUCHES, *RATES),
    residuals=(
        energy("of k a²/2", lambda o: o["k"] * o["a"] ** 2 / 2),
        stop_forces(),
        velocities(),
        positions(),
        rates(),
    ),
    problem=problem,
    modelling=(
        "Tilt is told as the deflection at a lever: m is the moment of inertia about a diameter over its square.",
        "Damping and stiffness matrices have skew parts: the first takes no energy, the second gives and takes it.",
        "Drawn is the rotor that does not turn, in its motion towards the stop.",
        "Contact instants are roots of the gap between samples, forces come from a spline of the penetration.",
    ),
    sources=("G. Genta: Dynamics of Rotating Systems. Springer (2005).",),
    remarks=(
        "A solver that takes the symmetric part of the matrices swings in a line along x: y stays zero.",
        "The wrong sign of one skew part damps the forward whirl and drives the backward one, -3.90 and -0.10 1/s for "
        "-0.98 and -3.02; the wrong sign of both is a mirror image, with the same x.",
        "Gyroscopic forces that come 1e-4 s late feed the forward whirl, by 0.34 1/s, and damp the backward one, by "
        "0.14.",
        "Modes of the symmetric matrices leave the internal damping out of the stiffness: no rotor is unstable.",
    ),
)

test_whirling_rotor = verifies(CASE)
