"""Ueda's oscillator: a driven cubic spring in chaos."""

import mpmath
import numpy as np

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities

PARAMETERS = (
    Parameter("d", "1/s", "damping over mass", "0.05", "positive"),
    Parameter("F", "m/s^2", "amplitude of the load over mass", "7.5", "positive"),
    Parameter("x_0", "m", "displacement at the start", "3", "any"),
    Parameter("v_0", "m/s", "velocity at the start", "4", "any"),
)
# p, q: a small change of the motion over that of x at the start
PROBLEM = InitialValueProblem(
    name="ueda",
    states=("x", "v", "p", "q"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="driven", rates=("v", "F*cos(t) - d*v - x**3", "q", "-d*q - 3*x**2*p")),),
    initial=("x_0", "v_0", 1, 0),
    end=2 * np.pi,
    output_times=np.linspace(0.0, 2 * np.pi, 1001),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
STRETCH = "sqrt(p**2 + q**2)"
of = Quantities(MOTION)
# two small changes span an area, which damping alone makes smaller
AREA = MOTION.closed(
    lambda p: (-2 * p.d * p.d.pi()).exp(),
    second=lambda p: mpmath.exp(-p.d) ** (2 * mpmath.pi),
    how="the same formula as a power",
)
QUANTITIES = (
    *(
        of.value(name, at, unit, scale=size)
        for at in ("1", "2*pi")
        for name, unit, size in (("x", "m", "3"), ("v", "m/s", "4"))
    ),
    of.value(STRETCH, "1", "1", name="stretch@1"),
    of.value(STRETCH, "2*pi", "1", name="stretch@2*pi"),
    of.quantity("area", "1", "area of the states after a period, over that before", AREA, None),
)

CASE = Case(
    name="ueda",
    title="Ueda's oscillator",
    document="Ueda 1979",
    topics=("chaos", "nonlinear spring"),
    summary="A driven mass on a cubic spring, in the regime where only the first periods have a truth to compare with.",
    statement=(
        "x'' + d x' + x³ = F cos t, from x_0 and v_0, over the first period of the load.",
        "(p, q) is the derivative of the motion by x_0; its length, the stretch, is what an error of the start is "
        "multiplied by. Areas of states shrink by exp(-2 π d) a period, whatever the motion.",
    ),
    sketch=draw.sketch(
        draw.oscillator("x³", "d"),
        draw.arrow((3.0, 0), (4.0, 0), "F cos t"),
        draw.arrow((2.5, 0.9), (3.4, 0.9), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations(),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("chaotic", {}), Variant("driven_hard", {"F": "12", "d": "0.1"})),
    quantities=QUANTITIES,
    modelling=("Mass and cubic stiffness are 1; the angular velocity of the load is 1 rad/s.",),
    sources=(
        "Y. Ueda: Randomly transitional phenomena in the system governed by Duffing's equation. Journal of "
        "Statistical Physics 20 (1979) 181-196. https://doi.org/10.1007/BF01011512",
    ),
    remarks=(
        "An error of x_0 is 3.8 times as large after a period, 55 times after five, 49 times after ten: it grows by "
        "starts, and does not tell beforehand when.",
        "A scheme with damping of its own shrinks areas faster than exp(-2 π d): the attractor it finds is another.",
    ),
)

test_ueda = verifies(CASE)
