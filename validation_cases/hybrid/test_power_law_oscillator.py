"""Oscillators whose spring pulls with a power of the displacement: a constant force, a root, a cube."""

import math
from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import ball
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("a", "1", "power of the displacement", "1/2", "non-negative"),
    Parameter("A", "1", "displacement from which the mass is released", "1", "positive"),
)
ROOT = "(x**2 + 1e-60)**(a/2)"  # |x|^a, with a finite slope at x = 0


def modes(power: int | None) -> tuple[Mode, ...]:
    """Return the motions on both sides of the origin, for a whole power or for a root."""

    def side(name: str, sign: int, other: str) -> Mode:
        pull = ROOT if power is None else f"({sign}*x)**{power}"
        passes = Change(name="zero", guard="x", direction=-sign, reset={"x": 0}, mode=other)
        return Mode(name=name, rates=("v", f"-({sign})*({pull})"), events=(passes,))

    return side("right", 1, "left"), side("left", -1, "right")


PROBLEM = InitialValueProblem(
    name="power_law_oscillator",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=modes(None),
    initial=("A", 0),
    end=9.5,
    output_times=evenly(9.5, 950),
)


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem; a whole power is written as such."""
    power = values["a"].rational
    return PROBLEM.with_parameters(values, modes=modes(int(power) if power.denominator == 1 else None))


FIRST = InitialValueProblem(
    name="power_law_first_second",
    states=PROBLEM.states,
    parameters=PROBLEM.parameters,
    modes=(Mode(name="right", rates=("v", "-x**a")),),
    initial=PROBLEM.initial,
    end=1.0,
)
MOTION = hybrid.motion(FIRST, PARAMETERS)
SECOND = "time as an integral over the displacement"


def period(p: Any, a: Any) -> Any:
    """Return the period for a power of the displacement, by the Gamma function, in a ball."""
    power, amplitude = a + 1, ((1 - a) / 2 * p.A.log()).exp()
    share = (1 / power).gamma() / (power * (1 / power + arb(1) / 2).gamma())
    return 4 * (power / 2 * arb.pi()).sqrt() * amplitude * share


def between(o: Observation) -> float:
    """Return the time between the first and the third passage of zero."""
    return event_instant(o, "zero", 3) - event_instant(o, "zero", 1)


def lapse(p: Any, a: Any, place: Any) -> Any:
    """Return the time from the release to a place x = A (1 - s²) on the right side."""
    power, end = a + 1, mpmath.sqrt(max(1 - place / p.A, 0))

    def slowness(s: Any) -> Any:
        return 2 * s / mpmath.sqrt(-mpmath.expm1(power * mpmath.log1p(-s * s)) if s < 1 else 1)

    scale = mpmath.sqrt(power / 2) * p.A ** ((1 - a) / 2)
    return scale * mpmath.quad(slowness, [0, end / 2, end])


def place(p: Any, time: int) -> Any:
    """Return the displacement at an instant before the mass passes zero."""
    return mpmath.findroot(lambda x: lapse(p, p.a, x) - time, (0, p.A), solver="anderson", tol=mpmath.eps)


def speed(p: Any) -> Any:
    """Return the speed at x = 0: the work of the spring."""
    # In shares of A: a quadrature ends where it is settled to an error that is absolute, and A^a may be anything.
    # A large power is done within 1/(a + 1) of 1: parts that halve towards 1 see it.
    parts = [1 - 2**k / (p.a + 1) for k in range(10, -1, -1) if 2**k < p.a + 1]
    return mpmath.sqrt(2 * p.A ** (p.a + 1) * mpmath.quad(lambda share: share**p.a, [0, *parts, 1]))


def begins_long(values: Values) -> bool:
    """Whether the first quarter takes more than a second."""
    a, amplitude = float(values["a"]), float(values["A"])
    root = math.sqrt((a + 1) / 2 * math.pi) * amplitude ** ((1 - a) / 2)
    return bool(root * math.gamma(1 / (a + 1)) > 1.01 * (a + 1) * math.gamma(0.5 + 1 / (a + 1)))


of = Quantities(MOTION, how=SECOND)
PERIOD = MOTION.closed(lambda p: period(p, p.a), second=lambda p: 4 * lapse(p, p.a, mpmath.mpf(0)), how=SECOND)


def of_power(a: str) -> Any:
    """Return the period for another power."""
    return MOTION.closed(
        lambda p: period(p, ball(exact(a))), second=lambda p: 4 * lapse(p, exact(a).mpf(), mpmath.mpf(0)), how=SECOND
    )


SPEED = MOTION.closed(
    lambda p: (2 / (p.a + 1) * ((p.a + 1) * p.A.log()).exp()).sqrt(), second=speed, how="work of the spring, quadrature"
)
PASSING = partial(value_at, expression="-v", at=("zero", 1))
QUANTITIES = (
    of.quantity("T", "1", "period, between every other passage of zero", PERIOD, between, regularity=1.0),
    of.quantity("speed", "1", "speed at x = 0", SPEED, PASSING, regularity=1.0),
    of.value("x", "1", "1", scale="A", second=partial(place, time=1), applies=begins_long, regularity=1.0),
    *(of.quantity(f"T_{a}", "1", f"period for a = {a}", of_power(a), None) for a in ("1/3", "1", "5", "7")),
)

CASE = Case(
    name="power_law_oscillator",
    title="Power-law oscillator",
    document="Cveticanin 2014",
    topics=("nonlinear spring", "singular law"),
    summary="A mass on a spring that pulls with a power of the displacement: no linear stiffness, or an infinite one.",
    statement=(
        "x'' + sign(x) |x|^a = 0, released at rest from A. a = 0: a constant force towards x = 0; a = 1: the linear "
        "spring; a > 1: no stiffness at x = 0; a < 1: an infinite one, and no Lipschitz constant.",
        "Energy gives time as an integral over the displacement, a Beta function over a quarter of the period.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 1, 0.9, "m"),
        draw.arrow((0, 0.75), (1.0, 0.75), "x"),
        draw.ground((-3.2, 0.6), (-3.2, -0.6)),
        draw.spring((-3.2, 0), (-0.5, 0), "|x|^a"),
        draw.axes((2.6, -1.0), 2.6, 2.0, ("x", "force")),
        draw.curve(lambda x: (2.6 + 1.15 * x, -1.0 + 0.9 * x**2.5), 0, 1.25),
        draw.curve(lambda x: (2.6 + 1.5 * x, -1.0 + 1.2 * x**0.33), 0, 1.4),
        draw.words((5.2, 0.35), "a < 1"),
        draw.words((4.1, 0.9), "a > 1"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),), until=1.49),
    equations=(
        "x'' = -sign(x) |x|^a",
        "T = 4 sqrt((a + 1)/2) A^{(1-a)/2} sqrt(π) Γ(1/(a + 1))/((a + 1) Γ(1/2 + 1/(a + 1)))",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("constant", {"a": "0"}),
        Variant("square_root", {}),
        Variant("square", {"a": "2"}),
        Variant("cube", {"a": "3"}),
    ),
    quantities=QUANTITIES,
    problem=make_problem,
    modelling=(
        "A root is written as (x² + 1e-60)^(a/2), so that a step that passes x = 0 and a slope there can be evaluated; "
        "the truth is that of |x|^a, which differs by less than 1e-15 of the period.",
    ),
    sources=(
        "L. Cveticanin: Strongly Nonlinear Oscillators: Analytical Solutions. Springer (2014). "
        "https://doi.org/10.1007/978-3-319-05272-4",
        "R. E. Mickens: Truly Nonlinear Oscillations. World Scientific (2010). https://doi.org/10.1142/7514",
    ),
    remarks=(
        "A code that begins with the linear frequencies finds 0 for a > 1 and none for a < 1: there is no mode.",
        "The period is that of a cosine for a = 1 only: with sqrt(3)/2, the frequency of one harmonic, the cube is "
        "2.2 % too fast; a constant force takes 5.657, not 2 π.",
        "a = 1/2: the force has no second derivative where the motion passes zero; RK45 at rtol 1e-4 errs by 2.0e-3 of "
        "5.97, DOP853 by 9.0e-5, and both spend their steps there. heyoka's Taylor series do not exist at that point: "
        "it gives up.",
    ),
    benchmark_variant="square_root",
)

test_power_law_oscillator = verifies(CASE)
