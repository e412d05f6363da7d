"""Forced Duffing oscillator whose motion is known: a subharmonic of one harmonic, and Hsu's elliptic load."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.engine.elliptic import jacobi
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("a", "1", "linear stiffness over mass", "1", "positive"),
    Parameter("b", "1", "cubic stiffness over mass, of the subharmonic motion", "1", "positive"),
    Parameter("A", "1", "amplitude of the motion", "1", "positive"),
    Parameter("p", "1", "rate of the elliptic load", "1.5", "positive"),
    Parameter("m", "1", "parameter of the elliptic load", "0.3", "positive"),
)
PARTS = {
    "W": "(3*sqrt(a + 3*b*A**2/4))",
    "F": "(b*A**3/4)",
    "b_H": "(2*m*p**2/A**2)",
    "F_H": "(A*(a + (2*m - 1)*p**2))",
}
GIVEN = {p.name: p.default for p in PARAMETERS}
TURNS = (Change(name="top", guard="v", direction=-1), Change(name="bottom", guard="v", direction=1))
HILL = tuple(rate.format("(a + 3*b*x**2)") for rate in ("a21", "-{}*a11", "a22", "-{}*a12"))
END, OUTPUTS = 12.0, evenly(12.0, 1200)
# a11 … a22 are the derivatives of x and v with respect to those at the start
PROBLEM = InitialValueProblem(
    name="duffing_forced",
    states=("x", "v", "a11", "a21", "a12", "a22"),
    parameters=GIVEN,
    modes=(Mode(name="driven", rates=("v", f"{PARTS['F']}*cos({PARTS['W']}*t) - a*x - b*x**3", *HILL), events=TURNS),),
    initial=("A", 0, 1, 0, 0, 1),
    end=END,
    output_times=OUTPUTS,
)
# s, c and d are Jacobi's sn, cn and dn of p t
HSU = InitialValueProblem(
    name="duffing_hsu",
    states=("x", "v", "s", "c", "d"),
    parameters=GIVEN,
    modes=(
        Mode(
            name="driven",
            rates=("v", f"{PARTS['F_H']}*c - a*x - {PARTS['b_H']}*x**3", "p*c*d", "-p*s*d", "-p*m*s*c"),
            events=TURNS,
        ),
    ),
    initial=("A", 0, 0, 1, 1),
    end=END,
    output_times=OUTPUTS,
    invariants={"load": "s**2 + c**2"},
)
# on the motion x = A cos(W t/3) alone, a quarter of its period
VARIATION = InitialValueProblem(
    name="duffing_variation",
    states=PROBLEM.states[2:],
    parameters=GIVEN,
    modes=(Mode(name="driven", rates=tuple(r.replace("x**2", f"A**2*cos({PARTS['W']}*t/3)**2") for r in HILL)),),
    initial=(1, 0, 0, 1),
    end=2.0,
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
STEPS = 4  # of Taylor series in a unit of time


def rate(p: Any) -> Any:
    """Return W."""
    return 3 * (p.a + 3 * p.b * p.A**2 / 4) ** 0.5


def load(p: Any) -> Any:
    """Return the amplitude of Hsu's load."""
    return p.A * (p.a + (2 * p.m - 1) * p.p**2)


def series(given: tuple[Any, ...], start: tuple[Any, ...], order: int) -> list[Any]:
    """Return Taylor coefficients of x, v, sn, cn, dn and the derivatives of x and v by x and v at the start."""
    a, b, force, speed, m = given
    y = [[number] for number in start]
    square: list[Any] = []

    def product(one: list[Any], other: list[Any]) -> Any:
        return mpmath.fdot(one, other[::-1])

    for k in range(order):
        x, v, s, c, d, *derived = y
        square.append(product(x, x))
        rates = [v[k], force * c[k] - a * x[k] - b * product(square, x)]
        rates += [speed * product(c, d), -speed * product(s, d), -speed * m * product(s, c)]
        for i in (0, 2):
            rates += [derived[i + 1][k], -a * derived[i][k] - 3 * b * product(square, derived[i])]
        for column, slope in zip(y, rates, strict=True):
            column.append(slope / (k + 1))
    return y


@per_precision
def stepped(given: tuple[Any, ...], amplitude: Any, end: Any) -> tuple[Any, ...]:
    """Return the states at an instant, by Taylor series of the equations of motion in steps."""
    count = int(STEPS * end) + 1
    y = tuple(map(mpmath.mpf, (amplitude, 0, 0, 1, 1, 1, 0, 0, 1)))
    for _ in range(count):
        columns = series(given, y, 2 * mpmath.mp.dps)
        y = tuple(mpmath.polyval(column[::-1], end / count) for column in columns)
    return y


def subharmonic(p: Any, end: Any) -> tuple[Any, ...]:
    """Return the states of the subharmonic motion: cn of the parameter 0 is the cosine."""
    return stepped((p.a, p.b, p.b * p.A**3 / 4, rate(p), 0), p.A, end)


def trace(p: Any) -> Any:
    """Return the sum of the multipliers over half of the period."""
    y = subharmonic(p, 3 * mpmath.pi / rate(p))
    return y[5] + y[8]


def elliptic(p: Any) -> Any:
    """Return x of Hsu's motion at 10."""
    return stepped((p.a, 2 * p.m * p.p**2 / p.A**2, load(p), p.p, p.m), p.A, mpmath.mpf(10))[0]


HOW = "equations of motion by Taylor series"
of = Quantities(MOTION, how=HOW)
MULTIPLIERS = "sum of the multipliers over half of the period"
HALF_WAY = partial(value_at, expression="a11 + a22", at=("bottom", 1))
AT_TEN = partial(value_at, expression="x", at="10")
RATE = MOTION.closed(
    rate, second=lambda p: mpmath.sqrt(9 * p.a + 27 * p.b * p.A**2 / 4), how="the same formula, arranged otherwise"
)
HERE = MOTION.closed(
    lambda p: p.A * (rate(p) * 10 / 3).cos(), second=lambda p: subharmonic(p, mpmath.mpf(10))[0], how=HOW
)
PERIOD = MOTION.closed(
    lambda p: 6 * arb.pi() / rate(p),
    second=lambda p: 2 * mpmath.pi / mpmath.sqrt(p.a + 3 * p.b * p.A**2 / 4),
    how="harmonic balance, exact here",
)
RETURN = MOTION.closed(lambda p: p.A, second=lambda p: subharmonic(p, 6 * mpmath.pi / rate(p))[0], how=HOW)
# even about the middle, so that half of the way tells the whole
TRACE = hybrid.motion(VARIATION, PARAMETERS).value("4*a11*a22 - 2", f"3*pi/2/{PARTS['W']}", second=trace, how=HOW)
ELLIPTIC = MOTION.closed(lambda p: p.A * jacobi("cn", 10 * p.p, p.m), second=elliptic, how=HOW)
STIFFNESS = MOTION.closed(
    lambda p: 2 * p.m * p.p**2 / p.A**2,
    second=lambda p: ((load(p) / p.A - p.a) / p.p**2 + 1) * (p.p / p.A) ** 2,
    how="from the load",
)
LOAD = MOTION.closed(
    load,
    second=lambda p: (
        p.a * p.A + p.A * mpmath.diff(lambda t: mpmath.ellipfun("cn", p.p * t, m=p.m), 0, 2) + 2 * p.m * p.p**2 * p.A
    ),
    how="acceleration of cn at the top, by differences",
    promised=10,
)
SUBHARMONIC = (
    of.quantity("W", "1", "frequency of the load", RATE, None),
    of.quantity("period", "1", "period of the motion, three of the load", PERIOD, partial(event_instant, event="top")),
    of.quantity("return", "1", "x after a period", RETURN, partial(value_at, expression="x", at=("top", 1))),
    of.quantity("x@10", "1", "x at 10", HERE, AT_TEN, scale="A"),
    of.quantity("trace", "1", MULTIPLIERS, TRACE, HALF_WAY, scale="1"),
)
ELLIPTIC_ONES = (
    of.quantity("b_H", "1", "cubic stiffness of the elliptic motion", STIFFNESS, None),
    of.quantity("F_H", "1", "amplitude of the elliptic load", LOAD, None),
    of.quantity("x_H@10", "1", "x at 10", ELLIPTIC, AT_TEN, scale="A"),
)

CASE = Case(
    name="duffing_forced",
    title="Forced Duffing oscillator with a known motion",
    document="Hsu 1960",
    topics=("nonlinear spring", "resonance"),
    summary="Loads under which a Duffing oscillator moves in closed form: a pure subharmonic, an elliptic cosine.",
    statement=(
        "x'' + a x + b x³ = F cos(W t): if W²/9 = a + 3 b A²/4 and F = b A³/4, then x = A cos(W t/3), since "
        "cos³ θ = (3 cos θ + cos 3 θ)/4. The period is three times that of the load, and there is no other harmonic.",
        "The columns (a11, a21) and (a12, a22) are derivatives of the motion by its start: a Mathieu equation, whose "
        "trace over half of the period tells whether the motion is stable.",
        "x'' + a x + b_H x³ = F_H cn(p t | m): if b_H A² = 2 m p² and F_H = A (a + (2 m - 1) p²), then "
        "x = A cn(p t | m).",
    ),
    sketch=draw.sketch(
        draw.oscillator("a x + b x³"),
        draw.arrow((3.0, 0), (4.0, 0), "F cos(W t)"),
        draw.arrow((2.5, 0.7), (3.4, 0.7), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=(
        "x'' + a x + b x^3 = F cos(W t), W^2/9 = a + 3 b A^2/4, F = b A^3/4",
        "x = A cos(W t/3)",
        "x'' + a x + b_H x^3 = F_H cn(p t | m), b_H A^2 = 2 m p^2, F_H = A (a + (2 m - 1) p^2)",
        "x = A cn(p t | m)",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("subharmonic", {}, frozenset(q.name for q in SUBHARMONIC)),
        Variant("elliptic", {"a": "0.5"}, frozenset(q.name for q in ELLIPTIC_ONES), HSU.with_parameters),
    ),
    quantities=(*SUBHARMONIC, *ELLIPTIC_ONES),
    sources=(
        "C. S. Hsu: On the application of elliptic functions in non-linear forced oscillations. Quarterly of Applied "
        "Mathematics 17 (1960) 393-407.",
        "R. M. Rosenberg: Steady-state forced vibrations. International Journal of Non-Linear Mechanics 1 (1966) "
        "95-108.",
    ),
)

test_duffing_forced = verifies(CASE)
