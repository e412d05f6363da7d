"""Double pendulum: certified angles of a chaotic motion, and how soon rounding takes its digits."""

from veridyn.problem.generated import equations
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
    Parameter("g", "1/s^2", "acceleration of gravity over the length of a rod", "1", "positive"),
    Parameter("alpha", "rad", "angle of the first rod from the vertical at the start", "pi/2", "any"),
    Parameter("beta", "rad", "angle of the second rod from the vertical at the start", "pi/2", "any"),
)
ANGLES, SPEEDS = ("theta_1", "theta_2"), ("w_1", "w_2")
COS, SIN = "cos(theta_1 - theta_2)", "sin(theta_1 - theta_2)"


def solved(first: str, second: str) -> tuple[str, str]:
    """Return the accelerations from the two sides of the equations: of the mass matrix (2, cos; cos, 1)."""
    return f"(({first} - {COS}*{second})/(2 - {COS}**2))", f"((2*{second} - {COS}*{first})/(2 - {COS}**2))"


A_1, A_2 = solved(f"(-2*g*sin(theta_1) - w_2**2*{SIN})", f"(w_1**2*{SIN} - g*sin(theta_2))")
NEAR = solved(
    f"(-2*g*cos(theta_1)*p_1 - 2*w_2*q_2*{SIN} + (p_1 - p_2)*({SIN}*{A_2} - w_2**2*{COS}))",
    f"(-g*cos(theta_2)*p_2 + 2*w_1*q_1*{SIN} + (p_1 - p_2)*({SIN}*{A_1} + w_1**2*{COS}))",
)
INITIAL = ("alpha", "beta", 0, 0)
SWINGS = InitialValueProblem(
    name="double_pendulum",
    states=(*ANGLES, *SPEEDS),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="swings", rates=(*SPEEDS, A_1, A_2)),),
    initial=INITIAL,
    end=2.0,
    output_times=evenly(2.0, 400),
    invariants={"energy": "w_1**2 + w_2**2/2 + w_1*w_2*cos(theta_1 - theta_2) - g*(2*cos(theta_1) + cos(theta_2))"},
)


# p, q: a small change of the motion over that of the first angle at the start
PROBLEM = InitialValueProblem(
    name="double_pendulum",
    states=(*ANGLES, *SPEEDS, "p_1", "p_2", "q_1", "q_2"),
    parameters=SWINGS.parameters,
    modes=(Mode(name="swings", rates=(*SPEEDS, A_1, A_2, "q_1", "q_2", *NEAR)),),
    initial=(*INITIAL, 1, 0, 0, 0),
    end=2.0,
    output_times=SWINGS.output_times,
    invariants=SWINGS.invariants,
)
MOTION, NEIGHBOURS = (hybrid.motion(problem, PARAMETERS) for problem in (SWINGS, PROBLEM))
STRETCH = "sqrt(p_1**2 + p_2**2 + q_1**2 + q_2**2)"

of, near = (
    Quantities(motion, 1e-6, "a millionth of a radian or its rate, since no document asks for less")
    for motion in (MOTION, NEIGHBOURS)
)
STATES = {
    f"{state}@{time}": of.value(state, str(time), unit, scale=scale)
    for time in (1, 2)
    for state, unit, scale in (*((s, "rad", "1") for s in ANGLES), *((s, "rad/s", "sqrt(g)") for s in SPEEDS))
}
QUANTITIES = (*STATES.values(), near.value(STRETCH, "2", "1", name="stretch@2"))


CASE = Case(
    name="double_pendulum",
    title="Double pendulum",
    document="Shinbrot 1992",
    topics=("multibody", "sensitive"),
    summary="Two equal points on two equal rods: angles to 30 digits, with the factor by which errors grow.",
    statement=(
        "Two points of equal mass hang on massless rods of equal length, the second on the first, and are released at "
        "rest from the angles alpha and beta.",
        "2 theta_1'' + cos(d) theta_2'' = -w_2² sin(d) - 2 g sin(theta_1), cos(d) theta_1'' + theta_2'' = w_1² sin(d) "
        "- g sin(theta_2), d = theta_1 - theta_2.",
        "(p, q) is the derivative of the motion by alpha; it solves the equations linearised about the motion. Its "
        "length, the stretch, is what an error of alpha is multiplied by.",
    ),
    sketch=draw.sketch(
        draw.pivot((0, 0), 180.0),
        draw.dashed((0, 0), (0, -3.8)),
        draw.bar((0, 0), (1.1, -1.6), "", 0.06),
        draw.bar((1.1, -1.6), (2.8, -2.4), "", 0.06),
        draw.disc((1.1, -1.6), 0.24),
        draw.disc((2.8, -2.4), 0.24),
        draw.dashed((1.1, -1.6), (1.1, -3.4)),
        draw.arc((0, 0), 0.9, 270, 304),
        draw.words((-0.6, -0.9), "theta_1"),
        draw.arc((1.1, -1.6), 1.2, 270, 335, "theta_2"),
        draw.arrow((3.6, -0.3), (3.6, -1.2), "g"),
    ),
    shown=ShownMotion(curves=("theta_1", "theta_2")),
    equations=(*equations(SWINGS), "E = w_1^2 + w_2^2/2 + w_1 w_2 cos(θ_1 - θ_2) - g (2 cos(θ_1) + cos(θ_2))"),
    parameters=PARAMETERS,
    variants=(
        Variant("quarter_turn", {}, frozenset(STATES)),
        Variant("high", {"alpha": "3", "beta": "2"}, frozenset(STATES)),
        Variant("neighbours", {}, frozenset(("stretch@2",)), PROBLEM.with_parameters),
    ),
    quantities=QUANTITIES,
    problem=SWINGS.with_parameters,
    modelling=("Masses and lengths are 1. The span ends at 2, where the proof of the stretch takes four seconds.",),
    sources=(
        "T. Shinbrot, C. Grebogi, J. Wisdom, J. A. Yorke: Chaos in a double pendulum. American Journal of Physics 60 "
        "(1992) 491-499. https://doi.org/10.1119/1.16860",
        "W. Tucker: Validated Numerics: A Short Introduction to Rigorous Computations. Princeton University Press "
        "(2011).",
    ),
    remarks=(
        "The release from the horizontal is tame: an error of alpha is 1.1 times as large at 2, 2.3 times at 10, 6.4 "
        "times at 20, so that double precision keeps 15 digits up to there; at 40 it is 228 times as large.",
        "From alpha = 3, beta = 2 it is 4.7 times as large at 2, 28 times at 5, 640 times at 10, 9e8 times at 40: "
        "rounding of the start alone leaves seven digits there.",
        "Up to 10 a solver of order 5 with a tolerance of 1e-6 is wrong by 1e-5 rad in theta_1, from the horizontal.",
        "An energy that stays says nothing of the phase: it is the same for all motions of a release.",
        "At the horizontal start, at rest, the last coefficients of a Taylor series nearly vanish by symmetry. heyoka, "
        "which takes its first step from them, takes one of 1.08 and is 4.6e-4 rad off at 1 without a word; with steps "
        "of at most 0.02 it keeps 14 digits.",
    ),
)

test_double_pendulum = verifies(CASE)
