"""Run-up of an unbalanced rotor through resonance, at a constant acceleration."""

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
    Parameter("w", "rad/s", "natural angular frequency", "1", "positive"),
    Parameter("c", "1/s", "damping over mass", "0.1", "positive"),
    Parameter("f", "m/s^2", "size of the turning force over mass", "1", "positive"),
    Parameter("r", "rad/s^2", "half the acceleration of the force: its phase is r t²", "0.01", "positive"),
)
PROBLEM = InitialValueProblem(
    name="run_up",
    states=("x", "u", "y", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="rotor", rates=("u", "f*cos(r*t**2) - c*u - w**2*x", "v", "f*sin(r*t**2) - c*v - w**2*y")),),
    initial=(0, 0, 0, 0),
    end=60.0,
    output_times=evenly(60.0, 3000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def swept(p: Any, root: Any, time: Any) -> Any:
    """Return the integral of exp(root (time - τ) + i r τ²) over τ from 0 to an instant, by the error function."""
    middle, size = root / (2j * p.r), mpmath.sqrt(-1j * p.r)
    between = mpmath.erf(size * (time - middle)) - mpmath.erf(-size * middle)
    return mpmath.exp(root * time - 1j * p.r * middle**2) * mpmath.sqrt(mpmath.pi) / (2 * size) * between


def critical(p: Any, time: Any, s: Any) -> Any:
    """Return the integrand of Duhamel's integral at critical damping."""
    return (time - s) * mpmath.exp(-p.w * (time - s) + 1j * p.r * s**2)


def place(p: Any, part: str, time: int) -> Any:
    """Return a coordinate, parts of z = x + i y (Duhamel's integral)."""
    root = mpmath.sqrt(mpmath.mpc(p.c**2 / 4 - p.w**2))
    if root == 0:  # critically damped: no two exponentials
        return getattr(p.f * mpmath.quad(partial(critical, p, time), mpmath.linspace(0, time, time + 1)), part)
    one, other = -p.c / 2 + root, -p.c / 2 - root
    return getattr(p.f * (swept(p, one, time) - swept(p, other, time)) / (2 * root), part)


of = Quantities(MOTION, how="complex error function")
RESONANCE = MOTION.closed(
    lambda p: p.w / (2 * p.r), second=lambda p: p.w / p.r / 2, how="the same formula, arranged otherwise"
)
QUANTITIES = (
    *(of.value("x", str(t), "m", scale="f/w**2", second=partial(place, part="real", time=t)) for t in (40, 60)),
    *(of.value("y", str(t), "m", scale="f/w**2", second=partial(place, part="imag", time=t)) for t in (40, 60)),
    of.quantity("resonance", "s", "instant at which the force turns at w", RESONANCE, None),
)

CASE = Case(
    name="run_up",
    title="Rotor that runs up",
    document="Lewis 1932",
    topics=("rotor", "resonance"),
    summary="A force of growing angular velocity takes an oscillator through resonance: beats after a late peak.",
    statement=(
        "z'' + c z' + w² z = f exp(i r t²), z = x + i y, from rest: the force turns at 2 r t, a linear chirp.",
        "Duhamel's integral is an error function of a complex argument.",
        "The peak is lower than that of a steady force and comes later; then old and new oscillation beat.",
    ),
    sketch=draw.sketch(
        draw.oscillator("w²", "c"),
        draw.arrow((3.0, 0.0), (3.9, 0.7), ""),
        draw.arc((3.0, 0), 1.25, 0, 70, turns=True),
        draw.words((5.0, 0.9), "angle r t²"),
        draw.words((3.8, 0.2), "f"),
        draw.arrow((2.5, 0.9), (2.5, 1.6), "y"),
        draw.arrow((2.5, -0.9), (3.5, -0.9), "x"),
    ),
    shown=ShownMotion(curves=("x", "y")),
    equations=of.equations("s^2 + c s + w^2 = 0", "z = f/(s_1 - s_2) (exp(s_1 t) E(s_1) - exp(s_2 t) E(s_2))"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("slow", {}), Variant("fast", {"r": "0.02"})),
    quantities=QUANTITIES,
    sources=(
        "F. M. Lewis: Vibration during acceleration through a critical speed. Transactions of the ASME 54 (1932) "
        "APM-54-24, 253-261.",
        "G. Genta: Dynamics of Rotating Systems. Springer (2005).",
    ),
    remarks=(
        "A force from a table, linear between its points, has the wrong phase: the error grows with r t.",
        "A step that suits the start is too long at the end, where the force turns at 2 r t.",
    ),
)

test_run_up = verifies(CASE)
