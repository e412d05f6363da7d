"""A constant force that crosses a simply supported beam: three modes, ten, and all of them."""

import math
from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.engine.jets import Jet, chain, value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("B", "N m^2", "bending stiffness", "1", "positive"),
    Parameter("r", "kg/m", "mass per length", "1", "positive"),
    Parameter("L", "m", "span", "1", "positive"),
    Parameter("P", "N", "force", "1", "positive"),
    Parameter("c", "m/s", "speed of the force", "1", "positive"),
)
MODES = (1, 2, 3)
PROBLEM = InitialValueProblem(
    name="moving_load_beam",
    states=tuple(f"{name}{n}" for n in MODES for name in "qv"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="crossing",
            rates=tuple(
                rate for n in MODES for rate in (f"v{n}", f"2*P/(r*L)*sin({n}*pi*c*t/L) - ({n}*pi/L)**4*B/r*q{n}")
            ),
        ),
    ),
    initial=(0, 0) * len(MODES),
    end=1.0,
    output_times=evenly(1.0, 2000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def coordinate(p: Any, n: int, time: Any) -> Any:
    """Return a modal coordinate, from Duhamel's integral of a sine; by half the sum and difference of frequencies.

    So it has no pole where they agree, and the vibration grows with the time.
    """
    own, drive = (n * mpmath.pi / p.L) ** 2 * mpmath.sqrt(p.B / p.r), n * mpmath.pi * p.c / p.L
    half, off = (own + drive) / 2, (own - drive) / 2
    swung = mpmath.sin(half * time) * mpmath.cos(off * time) / half
    return p.P / (p.r * p.L * own) * (swung - time * mpmath.cos(half * time) * mpmath.sinc(off * time))


def deflection(p: Any, modes: int) -> Any:
    """Return the deflection at midspan and 0.5 s with so many modes: even ones have a node there."""
    return mpmath.fsum((-1) ** (n // 2) * coordinate(p, n, mpmath.mpf("0.5")) for n in range(1, modes + 1, 2))


def product(p: Any, n: int) -> Any:
    """Return a modal coordinate at 0.5 s in balls: Duhamel's product of sines is a sum of cosines, integrated."""
    own = (n * arb.pi() / p.L) ** 2 * (p.B / p.r).sqrt()
    drive = n * arb.pi() * p.c / p.L
    near = ((drive + own) / 4).cos() * sinc((drive - own) / 4) / 2  # (sin a - sin b)/(drive - own) of their halves
    return p.P / (p.r * p.L) * (((drive / 2).sin() + (own / 2).sin()) / (drive + own) - near) / own


def sinc(z: Any) -> Any:
    """Return sin(z)/z in a ball, with its derivative where z has one."""
    x = value(z)

    def rate(x: Any) -> Any:
        if value(x).contains(0):
            # sin(x)/x is the mean of cos(s x) for s from 0 to 1, so that its derivative is within |x|/3, and that of
            # the derivative within 1/3.
            within = arb(0, 1) / 3
            return Jet(within * abs(x.value), within * x.slope) if isinstance(x, Jet) else within * abs(x)
        return (x.cos() - sinc(x)) / x

    return chain(z, x.sinc(), rate)


def ten_modes(p: Any) -> Any:
    """Return the deflection with ten modes in balls."""
    return sum(((-1) ** (n // 2) * product(p, n) for n in range(3, 11, 2)), start=product(p, 1))


def is_on_beam(values: Values) -> bool:
    """Whether the force is on the beam at 0.5 s."""
    return float(values["c"]) <= 2 * float(values["L"])


of = Quantities(MOTION, how="Duhamel's integral of a sine")
at_half = partial(of.value, at="0.5", unit="m", scale="P*L**3/(48*B)", applies=is_on_beam)
TEN = MOTION.closed(ten_modes, second=partial(deflection, modes=10), how="Duhamel's integral of a sine")
CRITICAL = MOTION.closed(
    lambda p: arb.pi() / p.L * (p.B / p.r).sqrt(),
    second=lambda p: mpmath.sqrt(p.B * mpmath.pi**2 / (p.r * p.L**2)),
    how="the same formula, arranged otherwise",
)
QUANTITIES = (
    at_half("q1", name="one_mode", second=partial(deflection, modes=1)),
    at_half("q1 - q3", name="three_modes", second=partial(deflection, modes=3)),
    at_half("q2", name="second_mode", second=lambda p: coordinate(p, 2, mpmath.mpf("0.5"))),
    of.quantity("ten_modes", "m", "deflection at midspan at 0.5 s with ten modes", TEN, None, applies=is_on_beam),
    of.quantity("critical_speed", "m/s", "speed at which the force is in resonance with mode 1", CRITICAL, None),
)

CASE = Case(
    name="moving_load_beam",
    title="Force that crosses a beam",
    document="Frýba 1999",
    topics=("many modes", "modal superposition"),
    summary="A constant force crosses a simply supported beam: the deflection at midspan by one, three and ten modes.",
    statement=(
        "B w,xxxx + r w,tt = P δ(x - c t), w = Σ q_n sin(n π x/L), from rest; the force is on the beam until L/c.",
        "Each mode is driven by a sine: q_n'' + ω_n² q_n = 2 P/(r L) sin(n π c t/L), ω_n = (n π/L)² sqrt(B/r).",
        "The solver is given the first three modes; even ones have a node at midspan.",
    ),
    sketch=draw.sketch(
        draw.box((3.5, 0), 7.0, 0.2),
        draw.pivot((0, -0.1)),
        draw.pivot((7, -0.1)),
        draw.disc((2.4, 0.3), 0.2),
        draw.arrow((2.4, 1.6), (2.4, 0.55), ""),
        draw.words((2.1, 1.3), "P"),
        draw.arrow((2.8, 0.6), (3.7, 0.6), "c"),
        draw.path(lambda x: (x, -0.1 - 0.5 * math.sin(3.14159 * x / 7)), 0, 7),
        draw.span((0, -1.2), (7, -1.2), ""),
        draw.words((3.5, -1.5), "L"),
        draw.words((4.6, -0.85), "w"),
    ),
    shown=ShownMotion(curves=("q1", "q2", "q3")),
    equations=of.equations("ω_n = (n π/L)^2 sqrt(B/r)", "c_cr = π/L sqrt(B/r)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("below_critical", {}), Variant("faster", {"c": "2"})),
    quantities=QUANTITIES,
    sources=(
        "L. Frýba: Vibration of Solids and Structures under Moving Loads, 3rd edition. Thomas Telford (1999).",
        "S. P. Timoshenko: On the forced vibrations of bridges. Philosophical Magazine 43 (1922) 1018-1019.",
    ),
    remarks=(
        "A force that jumps from node to node of a mesh excites modes that a moving one does not.",
        "What the sum leaves out, ten modes less three, is an error of the model; no step makes it smaller.",
        "The third mode has 81 times the stiffness of the first: a step that suits one is too long for the other.",
    ),
)

test_moving_load_beam = verifies(CASE)
