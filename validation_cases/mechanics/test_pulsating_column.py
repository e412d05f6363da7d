"""A column under a pulsating load: matrices that are functions of time, and a combination resonance."""

from functools import partial
from itertools import count, takewhile

import numpy as np

from veridyn.problem.elements import TimeVarying
from veridyn.problem.exact_fields import is_present
from veridyn.problem.formulas import angular_frequency
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, Piecewise
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.consistency import velocities
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import displacement_at

PARAMETERS = (
    Parameter("m_1", "kg", "mass in the middle", "2", "positive"),
    Parameter("m_2", "kg", "mass at the top", "1", "positive"),
    Parameter("k", "N m/rad", "stiffness of each hinge", "1000", "positive"),
    Parameter("l", "m", "length of each link", "1", "positive"),
    Parameter("c", "N s/m", "damping of the upper mass", "1", "non-negative"),
    Parameter("P", "N", "mean of the load", "100"),
    Parameter("P_s", "N", "amplitude of its square wave", "250", "non-negative"),
    Parameter("P_c", "N", "amplitude of its harmonic part", "0", "non-negative"),
    Parameter("c_v", "N s/m", "amplitude of the damping that pulsates", "0", "non-negative"),
    Parameter("T", "s", "period of the load", "0.094", "positive"),
    Parameter("a", "m", "deflection of the top at the start", "0.01", "positive"),
)
END = 0.4
INSTANTS = ("0.2", "0.4")
SPACING = 5e-4  # s, of the output
SMOOTH, JUMP = float("inf"), 1.0  # regularity


def _square(values: Values) -> Piecewise:
    """Return 1 and -1 in turn, for half a period each."""
    (period,) = numbers(values, "T")
    edges = tuple(takewhile(lambda t: float(t) <= END, (i * period / 2 for i in count())))
    return Piecewise(edges, tuple(((-1) ** i,) for i in range(len(edges))))


def _varying(values: Values) -> tuple[TimeVarying, ...]:
    """Return what the load adds to the stiffness, and what pulsates of the damping."""
    length, P_s, P_c, c_v, T = numbers(values, "l", "P_s", "P_c", "c_v", "T")
    geometric, top = np.array([[2, -1], [-1, 1]]) / length, np.diag([0, 1])
    wave = Harmonic(1.0, angular_frequency(T), "pi/2")
    parts = (
        (P_s, TimeVarying("stiffness", -P_s * geometric, _square(values))),
        (P_c, TimeVarying("stiffness", -P_c * geometric, wave)),
        (c_v, TimeVarying("damping", c_v * top, wave)),
    )
    return tuple(part for size, part in parts if is_present(size))


def problem(values: Values) -> MechanicalProblem:
    """Return the column, let go with its top to one side."""
    m_1, m_2, k, length, c, P, a = numbers(values, "m_1", "m_2", "k", "l", "c", "P", "a")
    hinges, geometric = np.array([[5, -2], [-2, 1]]), np.array([[2, -1], [-1, 1]])
    return MechanicalProblem(
        name="pulsating_column",
        mass=np.diag([m_1, m_2]),
        damping=np.diag([0, c]),
        stiffness=k / length**2 * hinges - P / length * geometric,
        initial_displacement=np.array([a / 2, a]),
        end=END,
        output_times=np.linspace(0.0, END, round(END / SPACING) + 1),
        varying=_varying(values),
        coordinates=("x", "y"),
    )


MOTION = make_quantities(problem, PARAMETERS)


def _regularity(values: Values) -> float:
    """Return 1 where the load jumps."""
    return JUMP if float(values["P_s"]) else SMOOTH


of = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of the deflection at the start", regularity=_regularity)


def _place(name: str, axis: int, time: str) -> Quantity:
    words, truth = f"deflection {name} at {time} s", MOTION.value(name, time)
    measure = partial(displacement_at, time=float(time), place=axis)
    return of.quantity(f"{name}@{time}", "m", words, truth, measure, scale="a")


CASE = Case(
    name="pulsating_column",
    title="Column under a pulsating load",
    document="Bolotin 1964",
    topics=("parametric resonance", "many modes"),
    summary="Two links on hinges under an axial load that changes with time: the stiffness is a function of time, and "
    "at the sum of both frequencies the deflection grows.",
    statement=(
        "Two rigid links of length l stand one above the other on elastic hinges k and carry masses m_1 and m_2. The "
        "axial load P(t) takes from the stiffness: P/l times the geometric matrix.",
        "Variant square: P + P_s and P - P_s for half a period each; the motion is a product of matrix exponentials. "
        "Variant cosine: P + P_c cos(2 pi t/T). Variant damper: the damping of the upper mass pulsates too.",
        "The period is that of w_1 + w_2, the frequencies under the mean load: both modes feed each other (combination "
        "resonance). Variant beside: a period at which nothing grows.",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0)),
        draw.bar((0, 0), (0.35, 2.0), "", 0.12),
        draw.bar((0.35, 2.0), (-0.15, 4.0), "", 0.12),
        draw.disc((0.35, 2.0), 0.26),
        draw.disc((-0.15, 4.0), 0.26),
        draw.words((0.95, 2.0), "m_1"),
        draw.words((0.45, 4.0), "m_2"),
        draw.arrow((-0.15, 5.3), (-0.15, 4.35), ""),
        draw.words((0.4, 5.0), "P(t)"),
        draw.dashed((0, 0), (0, 4.8)),
        draw.words((-0.6, 1.2), "l"),
        draw.words((-0.6, 3.0), "l"),
        draw.words((0.65, 0.2), "k"),
        draw.words((-0.3, 2.05), "k"),
    ),
    shown=ShownMotion(curves=("x", "y")),
    equations=(
        "m_1 x'' + k/l^2 (5 x - 2 y) - P(t)/l (2 x - y) = 0, x(0) = a/2, y(0) = a",
        "m_2 y'' + c(t) y' + k/l^2 (y - 2 x) - P(t)/l (y - x) = 0, x'(0) = y'(0) = 0",
        "P(t) = P + P_s sgn(sin(2 pi t/T)) + P_c cos(2 pi t/T)",
        "c(t) = c + c_v cos(2 pi t/T)",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("square", {}),
        Variant("cosine", {"P_s": "0", "P_c": "300"}),
        Variant("damper", {"P_s": "0", "P_c": "300", "c": "4", "c_v": "3"}),
        Variant("beside", {"T": "0.085"}),
    ),
    quantities=tuple(_place(name, axis, t) for t in INSTANTS for axis, name in enumerate("xy")),
    residuals=(velocities(),),
    problem=problem,
    modelling=(
        "What varies is given as matrices times functions of time, added to the constant ones.",
        "Our schemes take it as a force; event-driven integrators solve the equations of the first order, and end a "
        "leg where the load jumps.",
    ),
    sources=("V. V. Bolotin: The Dynamic Stability of Elastic Systems. Holden-Day (1964).",),
    remarks=(
        "By Floquet's theory the deflection grows by a factor of 2.36 in a second; beside the resonance, and under the "
        "mean load alone, it falls by 0.88.",
    ),
)

test_pulsating_column = verifies(CASE)
