"""Lorenz' equations: how a chaotic motion loses its digits."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("s", "1", "Prandtl's number", "10", "positive"),
    Parameter("r", "1", "Rayleigh's number over its critical value", "28", "positive"),
    Parameter("b", "1", "shape of the rolls", "8/3", "positive"),
)
# p, q, w: a small change of the motion over that of x at the start
PROBLEM = InitialValueProblem(
    name="lorenz",
    states=("x", "y", "z", "p", "q", "w"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flow",
            rates=(
                "s*(y - x)",
                "r*x - y - x*z",
                "x*y - b*z",
                "s*(q - p)",
                "(r - z)*p - q - x*w",
                "y*p + x*q - b*w",
            ),
        ),
    ),
    initial=(1, 1, 20, 1, 0, 0),
    end=2.0,
    output_times=evenly(2.0, 2000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, spare=8)
STRETCH = "sqrt(p**2 + q**2 + w**2)"


def growth(p: Any) -> Any:
    """Return the growth of small motions: the largest eigenvalue of the equations about rest."""
    return max(mpmath.eig(mpmath.matrix([[-p.s, p.s], [p.r, -1]]), left=False, right=False), key=mpmath.re).real


def threshold(p: Any) -> Any:
    """Return r at which the steady rolls begin to swing: a cubic has the roots ± i w."""
    return mpmath.findroot(lambda r: (p.s + p.b + 1) * p.b * (r + p.s) - 2 * p.s * p.b * (r - 1), (20, 30))


def loss_of_rolls(p: Any) -> Any:
    """Return r at which a pair of eigenvalues of the rolls becomes imaginary, in a ball."""
    excess = p.s - p.b - 1
    if not less(0, excess, "s and b + 1 agree"):
        raise Absent("no steady roll begins to swing, at any r: s does not exceed b + 1")
    return p.s * (p.s + p.b + 3) / excess


of = Quantities(MOTION)
GROWTH = MOTION.closed(
    lambda p: (((p.s - 1) ** 2 + 4 * p.r * p.s).sqrt() - p.s - 1) / 2, second=growth, how="eigenvalues of a matrix"
)
HOPF = MOTION.closed(loss_of_rolls, second=threshold, how="Routh's condition, solved by the secant")
STATIC = (
    of.quantity("growth", "1", "growth of small motions about rest", GROWTH, None),
    of.quantity("r_H", "1", "r at which the steady rolls lose their stability", HOPF, None),
)
QUANTITIES = (
    *(of.value(name, str(t), "1", scale="r") for t in (1, 2) for name in "xyz"),
    *(of.value(STRETCH, str(t), "1", name=f"stretch@{t}") for t in (1, 2)),
    *STATIC,
)
EARLY = frozenset(q.name for q in QUANTITIES if not q.name.endswith("@2"))

CASE = Case(
    name="lorenz",
    title="Lorenz' equations",
    document="Lorenz 1963",
    topics=("chaos", "sensitive"),
    summary="Convection in three numbers: what a solver gets wrong early is multiplied for ever after.",
    statement=(
        "x' = s (y - x), y' = r x - y - x z, z' = x y - b z, from (1, 1, 20), while no digit is lost in doubt.",
        "(p, q, w) is the derivative of the motion by the initial x: it solves the equations linearised about the "
        "motion. Its length, the stretch, is what an error of it is multiplied by.",
        "About rest motions grow at the larger root of l² + (s + 1) l - s (r - 1); steady rolls lose their stability "
        "at r_H = s (s + b + 3)/(s - b - 1).",
    ),
    sketch=draw.sketch(
        draw.ground((-3.2, 0), (3.2, 0)),
        draw.line((-3.2, 1.9), (3.2, 1.9)),
        draw.words((0, -0.5), "hot"),
        draw.words((0, 2.15), "cold"),
        draw.arc((-2.0, 0.95), 0.75, 0, 320, turns=True),
        draw.arc((0.0, 0.95), 0.75, 320, 0, turns=True),
        draw.arc((2.0, 0.95), 0.75, 0, 320, turns=True),
    ),
    shown=ShownMotion(curves=("x", "y", "z"), portraits=(("x", "z"),)),
    equations=of.equations("r_H = s (s + b + 3)/(s - b - 1)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("chaotic", {}), Variant("steady", {"r": "20"}, EARLY, of.until(1.0, 1000))),
    quantities=QUANTITIES,
    published=(Published("Lorenz 1963, section 7", "chaotic", "r_H", "24.74", "reproduced"),),
    modelling=(
        "The span ends at 2, where the reference takes two seconds; it was proved up to 20 for the remark below.",
    ),
    sources=(
        "E. N. Lorenz: Deterministic nonperiodic flow. Journal of the Atmospheric Sciences 20 (1963) 130-141. "
        "https://doi.org/10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2",
        "D. Viswanath: The fractal property of the Lorenz attractor. Physica D 190 (2004) 115-128. "
        "https://doi.org/10.1016/j.physd.2003.10.006",
    ),
    remarks=(
        "An error of the initial x is 93 times as large at 2, 1.6e4 at 10, 1.1e8 at 20: rounding of "
        "the start alone, 1e-16, takes half of the digits of double precision up to 20.",
        "A solver that agrees with itself at a tenth of its tolerance may have lost all digits: two runs that differ "
        "by rounding differ by as much after some time.",
    ),
)

test_lorenz = verifies(CASE)
