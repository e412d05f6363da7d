"""Parametric resonance: Mathieu's equation and Meissner's, whose stiffness is a square wave."""

import math
from functools import partial
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
from flint import arb, ctx

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Undecided, ball, sign
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import Jet, chain, hull, slope, value
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import value_at

PARAMETERS = (
    Parameter("d", "1", "mean stiffness of Meissner's equation", "0.3", "positive"),
    Parameter("e", "1", "amplitude of its square wave", "0.2", "positive"),
    Parameter("a", "1", "mean stiffness of Mathieu's equation", "1", "positive"),
    Parameter("q", "1", "half of the amplitude of its cosine", "0.2", "positive"),
)
TERMS = 10  # of a continued fraction beyond those for the digits
NEAR = arb("1e-6")  # of a root, to an eigenvalue in floating point
FUNDAMENTAL = ("a11", "a21", "a12", "a22")


def small(stiffness: str) -> tuple[str, ...]:
    """Return the rates of two motions, the one begun with a displacement, the other with a velocity."""
    return ("a21", f"-({stiffness})*a11", "a22", f"-({stiffness})*a12")


def mode(name: str, sign: str, other: str) -> Mode:
    """Return the motion while the square wave has a sign, for a time s of π."""
    switch = Change(name="switch", guard="s - pi", direction=1, reset={"s": 0}, mode=other)
    return Mode(name=name, rates=(*small(f"d {sign} e"), 1), events=(switch,))


PROBLEM = InitialValueProblem(
    name="meissner",
    states=(*FUNDAMENTAL, "s"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(mode("stiff", "+", "soft"), mode("soft", "-", "stiff")),
    initial=(1, 0, 0, 1, 0),
    end=7.0,
    output_times=np.linspace(0.0, 7.0, 701),
)
MATHIEU = InitialValueProblem(
    name="mathieu",
    states=FUNDAMENTAL,
    parameters=PROBLEM.parameters,
    modes=(Mode(name="driven", rates=small("a - 2*q*cos(2*t)")),),
    initial=(1, 0, 0, 1),
    end=4.0,
    output_times=np.union1d(np.linspace(0.0, 4.0, 401), [math.pi]),
)
REQUIRED = (Requirement("e <= d", "one of the springs pushes the mass away"),)
MOTION = hybrid.motion(
    PROBLEM,
    PARAMETERS,
    restrict(*REQUIRED),
)
DRIVEN = hybrid.motion(MATHIEU, PARAMETERS)


def meissner(p: Any) -> Any:
    """Return the trace by the angles that both springs turn the motion by."""
    one, other = (mpmath.pi * mpmath.sqrt(p.d + sign * p.e) for sign in (1, -1))
    waves = mpmath.sinc(one) * mpmath.sinc(other)  # a spring without stiffness lets the mass fly on
    return 2 * mpmath.cos(one) * mpmath.cos(other) - (one**2 + other**2) * waves


def springs(p: Any) -> Any:
    """Return the same in balls."""
    one, other = arb.pi() ** 2 * (p.d + p.e), arb.pi() ** 2 * (p.d - p.e)
    (c, s), (d, r) = circular(one), circular(other)
    return 2 * c * d - (one + other) * s * r


def circular(square: Any) -> tuple[Any, Any]:
    """Return cos(x) and sin(x)/x for the square of x, in balls, with derivatives where it has one.

    Both are entire in the square. A ball that holds zero, as a spring without stiffness has it, has no root: there the
    first two terms of their series do, and a bound for the rest, which is below that for a square of 1.
    """
    w = value(square)
    if w > 0:
        c, s = w.sqrt().cos(), w.sqrt().sinc()
    elif abs(w) < 1:
        c, s = 1 - w / 2 + arb(0, 1) * w * w / 23, 1 - w / 6 + arb(0, 1) * w * w / 119
    else:
        raise Undecided("the sign of a stiffness")
    return chain(square, c, lambda x: circular(x)[1] / -2), chain(square, s, _rate_of_sine)


def _rate_of_sine(square: Any) -> Any:
    """Return the derivative of sin(x)/x to the square of x, as `circular`."""
    w = value(square)
    if w > 0:
        c, s = circular(square)
        return (c - s) / (2 * square)
    near = -arb(1) / 6 + arb(0, 1) * w / 59
    return Jet(near, (arb(1) / 60 + arb(0, 1) * w / 800) * slope(square)) if isinstance(square, Jet) else near


def grows(values: Values) -> bool:
    """Whether Meissner's motion grows."""
    with mpmath.workdps(30):
        return bool(abs(meissner(SimpleNamespace(d=values["d"].mpf(), e=values["e"].mpf()))) > 2)


@per_precision
def mathieu(a: Any, q: Any) -> Any:
    """Return the trace over π by Taylor series of the even and the odd motion, which have no singularity."""
    half, order = mpmath.pi / 2, 4 * mpmath.mp.dps
    wave = [a - 2 * q] + [
        -2 * q * (-1) ** (k // 2) * (k % 2 == 0) * mpmath.mpf(2) ** k / mpmath.factorial(k) for k in range(1, order)
    ]
    result = []
    for start in ((1, 0), (0, 1)):
        c = [mpmath.mpf(x) for x in start]
        for k in range(order):
            c.append(-mpmath.fdot(wave[: k + 1], c[k::-1]) / ((k + 1) * (k + 2)))
        result.append(c)
    even = mpmath.polyval(result[0][::-1], half)
    rate = mpmath.polyval([k * c for k, c in enumerate(result[1])][:0:-1], half)
    return 4 * even * rate - 2


def logarithm(trace: Any) -> Any:
    """Return by how much a motion grows in a period, as logarithm, in a ball or in mpmath: trace/2 is its cosh."""
    half = abs(trace) / 2
    root = half + (half**2 - 1) ** 0.5
    return root.log() if hasattr(root, "log") else mpmath.log(root)


# ---- characteristic values: of which Mathieu's equation has a periodic solution


def ladder(name: str, q: Any, count: int) -> tuple[list[Any], list[Any]]:
    """Return diagonal and squares beside it of Ince's matrix of a characteristic value, without the corner's sign."""
    odd, kind = int(name[1]) % 2, name[0]
    first = 1 if odd else 0 if kind == "a" else 2
    diagonal = [(first + 2 * k) ** 2 + 0 * q for k in range(count)]
    if odd:
        diagonal[0] += q if kind == "a" else -q
    squares = [q * q] * (count - 1)
    if name[0] == "a" and not odd:
        squares[0] = 2 * q * q
    return diagonal, squares


def place(name: str) -> int:
    """Return which eigenvalue of its matrix a characteristic value is, from the smallest."""
    return (int(name[1]) - (name[0] == "b" and int(name[1]) % 2 == 0)) // 2


def characteristic(name: str, q: str) -> Any:
    """Return a characteristic value: the root of a continued fraction, whose tail lies between 0 and q."""

    def read(_: Any) -> Any:
        size = ball(exact(q))
        count = TERMS + ctx.prec // 8
        diagonal, squares = ladder(name, size, count)
        floats = np.diag([float(x) for x in diagonal[:40]]) + sum(
            np.diag([math.sqrt(float(s)) for s in squares[:39]], side) for side in (-1, 1)
        )
        near = arb(float(np.linalg.eigvalsh(floats)[place(name)]))

        def off(value_: Any) -> Any:
            tail = Jet(arb(0.5, 0.5), arb(0.5, 0.5)) if isinstance(value_, Jet) else arb(0.5, 0.5)
            tail = tail * size
            for x, s in zip(diagonal[:0:-1], squares[::-1], strict=True):
                tail = s / (x - value_ - tail)
            return diagonal[0] - value_ - tail

        low, high = (near - NEAR).mid(), (near + NEAR).mid()
        if sign(off(low)) * sign(off(high)) >= 0:
            raise Undecided("the characteristic value is not where it seems")
        return newton(off, lambda v: slope(off(Jet(v, arb(1)))), hull(low, high))

    def second(_: Any) -> Any:
        return eigenvalues(name, exact(q).mpf())[place(name)]

    return MOTION.closed(read, second=second, how="eigenvalues of a finite matrix", kind="quasi-analytical")


@per_precision
def eigenvalues(name: str, q: Any) -> list[Any]:
    """Return the smallest eigenvalues of a finite part of Ince's matrix, which is so large that the rest is nothing."""
    count = 8 + mpmath.mp.dps // 3
    diagonal, squares = ladder(name, q, count)
    matrix = mpmath.diag(diagonal)
    for k, square in enumerate(squares):
        matrix[k, k + 1] = matrix[k + 1, k] = mpmath.sqrt(square)
    return sorted(mpmath.eigsy(matrix, eigvals_only=True))[:3]


HOW = "products of two springs' motions"
of = Quantities(MOTION, how=HOW)
TRACE = "a11 + a22"
STABLE = "the trace over a period is 2 in size at most: no motion grows"
GROWTH = MOTION.closed(
    lambda p: logarithm(springs(p)) / (2 * arb.pi()),
    second=lambda p: mpmath.acosh(abs(meissner(p)) / 2) / (2 * mpmath.pi),
    how="as hyperbolic arc cosine",
)
SERIES = "Taylor series of the even and the odd motion"
# even about the middle, so that half of the way tells the whole
HALF = DRIVEN.value("4*a11*a22 - 2", "pi/2", second=lambda p: mathieu(p.a, p.q), how=SERIES)
MEISSNER = (
    of.value(TRACE, ("switch", 2), "1", name="trace", scale="1", second=meissner),
    of.quantity("growth", "1", "rate at which the motion grows", GROWTH, None, applies=grows, absent=STABLE),
)
SEEN = partial(value_at, expression=TRACE, at="pi")
HALF_TRACE = "(2*a11*a22 - 1)**2"  # squared
GROWTH_M = DRIVEN.value(
    f"log(sqrt({HALF_TRACE}) + sqrt({HALF_TRACE} - 1))/pi",
    "pi/2",
    second=lambda p: mpmath.acosh(abs(mathieu(p.a, p.q)) / 2) / mpmath.pi,
    how=SERIES,
)


def is_unstable(values: Values) -> bool:
    """Whether a motion of Mathieu's equation grows."""
    trace = HALF.compute(values).value
    return isinstance(trace, mpmath.mpf) and bool(abs(trace) > 2)


GROWING = "rate at which the motion of Mathieu's equation grows"
DRIVEN_ONES = (
    of.quantity("trace_M", "1", "trace over π of Mathieu's equation", HALF, SEEN, scale="1", regularity=math.inf),
    of.quantity("growth_M", "1", GROWING, GROWTH_M, None, applies=is_unstable, absent=STABLE),
)
CHARACTERISTIC = "characteristic value {}_{} at q = {}"
VALUES = tuple(
    of.quantity("{}_{}({})".format(*name, q), "1", CHARACTERISTIC.format(*name, q), characteristic(name, q), None)
    for q in ("1", "5")
    for name in ("a0", "b1", "a1", "b2", "a2", "b3")
)
TABLE = "Abramowitz and Stegun 1964, table 20.1"

CASE = Case(
    name="mathieu_meissner",
    title="Mathieu's and Meissner's equations",
    document="Meissner 1918",
    topics=("parametric resonance",),
    summary="A spring whose stiffness swings: small motions grow where it does so at twice their frequency.",
    statement=(
        "Meissner: x'' + (d + e sign(sin t)) x = 0, two springs in turn. Mathieu: x'' + (a - 2 q cos 2 t) x = 0.",
        "a11, a21 is the motion from x = 1 at rest, a12, a22 that from x = 0 with velocity 1. Where the trace "
        "a11 + a22 over a period exceeds 2 in size, motions grow, at the rate arcosh(|trace|/2)/period.",
        "On the boundaries of growth, a = a_n(q) and b_n(q), a motion is periodic: eigenvalues of Ince's matrices.",
    ),
    sketch=draw.sketch(
        draw.oscillator("d + e s(t)"),
        draw.arrow((2.5, 0.7), (3.4, 0.7), "x"),
        draw.axes((5.0, -0.8), 3.0, 1.8, ("t", "stiffness")),
        draw.graph((5.0, 0.4), (5.7, 0.4), (5.7, -0.4), (6.4, -0.4), (6.4, 0.4), (7.1, 0.4), (7.1, -0.4), (7.8, -0.4)),
    ),
    shown=ShownMotion(curves=("a11", "a12")),
    equations=(
        *equations(PROBLEM),
        "x'' + (a - 2 q cos(2 t)) x = 0",
        "trace = 2 cos(π w_1) cos(π w_2) - (w_1/w_2 + w_2/w_1) sin(π w_1) sin(π w_2), w_1 = sqrt(d + e)",
        "w_2 = sqrt(d - e)",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("meissner", {}, frozenset({"trace", "growth", *(q.name for q in VALUES)})),
        Variant("meissner_grows", {"d": "0.25"}, frozenset({"trace", "growth"})),
        Variant("mathieu", {}, frozenset(q.name for q in DRIVEN_ONES), MATHIEU.with_parameters),
    ),
    quantities=(*MEISSNER, *DRIVEN_ONES, *VALUES),
    requirements=REQUIRED,
    problem=PROBLEM.with_parameters,
    published=tuple(
        Published(TABLE, "meissner", name, value, "reproduced")
        for name, value in (
            ("a_0(5)", "-5.80004602"),
            ("a_2(5)", "7.44910974"),
            ("b_2(5)", "2.09946045"),
            ("a_1(5)", "1.85818754"),
            ("b_1(5)", "-5.79008060"),
        )
    ),
    sources=(
        "E. Meissner: Über Schüttelerscheinungen in Systemen mit periodisch veränderlicher Elastizität. Schweizerische "
        "Bauzeitung 72 (1918) 95-98.",
        "N. W. McLachlan: Theory and Application of Mathieu Functions. Oxford (1947).",
        "M. Abramowitz, I. A. Stegun: Handbook of Mathematical Functions. National Bureau of Standards (1964), chapter "
        "20. https://dlmf.nist.gov/28",
    ),
    held=dict.fromkeys(("d", "e", "a", "q"), "another stiffness may cross a boundary of growth"),
)

test_mathieu_meissner = verifies(CASE)
