"""Two masses on cubic springs: nonlinear normal modes that are straight lines."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("a", "1/(m^2 s^2)", "cubic stiffness to the ground over mass", "0.5", "non-negative"),
    Parameter("b", "1/(m^2 s^2)", "cubic stiffness between the masses over mass", "1", "non-negative"),
    Parameter("k_c", "1/s^2", "linear stiffness between the masses over mass", "1", "non-negative"),
    Parameter("A", "m", "displacement from which the first mass is released", "1", "positive"),
    Parameter("c", "1", "displacement of the second mass over that of the first", "-1", "any"),
)
BETWEEN = "k_c*(x_1 - x_2) + b*(x_1 - x_2)**3"
ALONG = "(1 + k_c*(1 - c) + (a + b*(1 - c)**3)*x_1**2)"
ACROSS = "(1 + k_c*(1 + c) + 3*(a*c**2 + b*(1 - c)**2*(1 + c))*x_1**2)"
MARKERS = (Change(name="half", guard="v_1", direction=1), Change(name="turn", guard="v_1", direction=-1))
# p, q: a small motion across the mode, with the stiffness ACROSS
PROBLEM = InitialValueProblem(
    name="two_dof_cubic",
    states=("x_1", "v_1", "x_2", "v_2", "p", "q"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=(
                "v_1",
                f"-x_1 - a*x_1**3 - ({BETWEEN})",
                "v_2",
                f"-x_2 - a*x_2**3 + ({BETWEEN})",
                "q",
                f"-{ACROSS}*p",
            ),
            events=MARKERS,
        ),
    ),
    initial=("A", 0, "c*A", 0, 1, 0),
    end=20.0,
    output_times=evenly(20.0, 2000),
    invariants={
        "energy": "(v_1**2 + v_2**2 + x_1**2 + x_2**2 + k_c*(x_1 - x_2)**2)/2"
        " + (a*(x_1**4 + x_2**4) + b*(x_1 - x_2)**4)/4"
    },
)


REQUIRED = (
    Requirement(
        "c**2 == 1 or k_c**2 + (a*c + b*(1 - c)**2)**2 == 0",
        "the masses leave the line: it is no mode",
        "c = 1, c = -1, or with k_c = 0 a root of a c + b (1 - c)^2 = 0",
    ),
)


def on_mode(states: dict[str, tuple[str, Any]]) -> hybrid.MotionQuantities:
    """Return the motion along the mode: states with their rates and initial values."""
    problem = InitialValueProblem(
        name="mode",
        states=tuple(states),
        parameters=PROBLEM.parameters,
        modes=(Mode(name="free", rates=tuple(rate for rate, _ in states.values()), events=MARKERS),),
        initial=tuple(begin for _, begin in states.values()),
        end=PROBLEM.end,
    )
    return hybrid.motion(problem, PARAMETERS, restrict(*REQUIRED))


LINE = {"x_1": ("v_1", "A"), "v_1": (f"-{ALONG}*x_1", 0)}
MOTION = on_mode(LINE)
TRANSVERSE = on_mode({**LINE, "p": ("q", 1), "q": (f"-{ACROSS}*p", 0)})


def orbit(p: Any) -> tuple[Any, Any]:
    """Return rate and parameter of Jacobi's cn on the mode, a single mass on linear and cubic springs."""
    cubic = p.a + p.b * (1 - p.c) ** 3
    square = 1 + p.k_c * (1 - p.c) + cubic * p.A**2
    return mpmath.sqrt(square), cubic * p.A**2 / (2 * square)


def displacement(p: Any, time: int) -> Any:
    """Return the displacement of the first mass."""
    rate, m = orbit(p)
    return p.A * mpmath.ellipfun("cn", rate * time, m=m)


def period(p: Any) -> Any:
    """Return the period."""
    rate, m = orbit(p)
    return 4 * mpmath.ellipk(m) / rate


of = Quantities(MOTION, how="Jacobi's elliptic functions")
# of b over a at which a c + b (1 - c)^2 has a double root
BRANCH = MOTION.closed(
    lambda p: p.a / 4,
    second=lambda p: p.a * mpmath.findroot(lambda r: (1 - 2 * r) ** 2 - 4 * r**2, (mpmath.mpf("0.2"), 0.3)),
    how="discriminant of the equation for c, by the secant",
)
HILL = TRANSVERSE.value("p", ("half", 1))


def second_mass(time: int) -> Quantity:
    """Return the displacement of the second mass at an instant."""
    truth = MOTION.value(
        "c*x_1", str(time), second=lambda p: p.c * displacement(p, time), how="Jacobi's elliptic functions"
    )
    measure = partial(value_at, expression="x_2", at=str(time))
    return of.quantity(f"x_2@{time}", "m", f"x_2 at {time} s", truth, measure, scale="A")


def first_mass(time: int) -> Quantity:
    """Return the displacement of the first mass at an instant."""
    return of.value("x_1", str(time), "m", scale="A", second=partial(displacement, time=time))


AT_END = partial(value_at, expression="p", at=("half", 1))
QUANTITIES = (
    of.event("turn", name="period", second=period),
    *(make(time) for time in (5, 20) for make in (first_mass, second_mass)),
    of.quantity("hill", "1", "half trace of Hill's equation over half a period", HILL, AT_END, scale="1"),
    of.quantity("b_branch", "1/(m^2 s^2)", "b below which, with k_c = 0, two more modes exist", BRANCH, None),
)
SHORT = frozenset(q.name for q in QUANTITIES if not q.name.endswith("@20"))


def short(values: Values) -> InitialValueProblem:
    """Return the first five seconds."""
    return PROBLEM.with_parameters(values, end=5.0, output_times=evenly(5.0, 500))


CASE = Case(
    name="two_dof_cubic",
    title="Two masses on cubic springs",
    document="Vakakis 1992",
    topics=("nonlinear spring", "limit cycle"),
    summary="Nonlinear normal modes that are straight lines: on each the two masses move as one.",
    statement=(
        "Two equal masses, each on a linear and a cubic spring to the ground, with both kinds between them, are "
        "released at rest from A and c A.",
        "Where c = 1 or -1, or without linear coupling a c + b (1 - c)² = 0, they stay on the line x_2 = c x_1, and "
        "x_1 = A cn(Ω t|m).",
        "A small motion across the line obeys Hill's equation; its half trace over half a period is p there, and the "
        "mode is stable where that lies within ±1.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0.6), (0, -0.6)),
        draw.spring((0, 0), (2, 0), "k, cubic"),
        draw.box((2.5, 0), 1, 0.9, "1"),
        draw.spring((3, 0), (5, 0), "c, cubic"),
        draw.box((5.5, 0), 1, 0.9, "2"),
        draw.spring((6, 0), (8, 0), "k, cubic"),
        draw.ground((8, -0.6), (8, 0.6)),
        draw.arrow((2.5, 0.95), (3.4, 0.95), "x_1"),
        draw.arrow((5.5, 0.95), (6.4, 0.95), "x_2"),
    ),
    shown=ShownMotion(curves=("x_1", "x_2"), portraits=(("x_1", "x_2"),)),
    equations=(
        *equations(PROBLEM),
        "T = 4 K(m)/Ω, Ω^2 = 1 + k_c (1 - c) + β A^2, m = β A^2/(2 Ω^2), β = a + b (1 - c)^3",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("out_of_phase", {}, SHORT, short),
        Variant("in_phase", {"c": "1"}),
        Variant("localised", {"a": "0.9", "b": "0.2", "k_c": "0", "c": "-1/2"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=PROBLEM.with_parameters,
    published=(
        Published("Vakakis and Rand 1992: K = 1/4", "out_of_phase", "b_branch", "0.25", "reproduced", at={"a": "1"}),
    ),
    modelling=("Masses and linear stiffness to the ground are 1.",),
    sources=(
        "R. M. Rosenberg: On nonlinear vibrations of systems with many degrees of freedom. Advances in Applied "
        "Mechanics 9 (1966) 155-242. https://doi.org/10.1016/S0065-2156(08)70008-5",
        "A. F. Vakakis, R. H. Rand: Normal modes and global dynamics of a two-degree-of-freedom non-linear system - I. "
        "Low energies. International Journal of Non-Linear Mechanics 27 (1992) 861-874. "
        "https://doi.org/10.1016/0020-7462(92)90040-E",
    ),
    remarks=(
        "Cubic forces of the spring between that are assembled as b (x_1³ - x_2³) make a period of 2.85 s instead of "
        "2.07 s out of phase.",
        "In phase the spring between does nothing: a fault of it is seen out of phase alone.",
        "Without linear coupling, where the two further modes exist, x_2 = -x_1 is unstable: for a = 0.9, b = 0.2 the "
        "half trace is -1.030 there, -0.958 on the localised mode.",
        "In phase x_1 - x_2 is zero exactly: a Taylor integrator that divides by the base of a power finds no series.",
    ),
    held=dict.fromkeys(("a", "b", "c"), "the lines are where they are: a motion beside them is another"),
)

test_two_dof_cubic = verifies(CASE)
