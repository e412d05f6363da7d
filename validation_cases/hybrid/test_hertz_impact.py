"""Elastic impact on a spring whose force is a power of the indentation: Hertz, and linear, conical, cubic springs."""

from functools import partial
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, largest, value_at

PARAMETERS = (
    Parameter("m", "kg", "mass", "1", "positive"),
    Parameter("k", "N/m^n", "stiffness of the contact", "1", "positive"),
    Parameter("n", "1", "power of the indentation in the force", "1.5", "positive"),
    Parameter("v0", "m/s", "speed of impact", "1", "positive"),
)
WINDOW, OUTPUTS = 5.0, 1000  # s, or so much longer that a slower impact has one and a half times its duration
# (d²)^(n/2) is real where a step passes the end of contact; 1e-60 gives it a derivative at 0 and moves nothing by 1e-50
PROBLEM = InitialValueProblem(
    name="hertz_impact",
    states=("d", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="contact",
            rates=("v", "-k/m*(d**2 + 1e-60)**(n/2)"),
            events=(Change(name="exit", guard="d", direction=-1, reset={"d": 0}, mode="flight"),),
        ),
        Mode(name="flight", rates=("v", 0)),
    ),
    initial=(0, "v0"),
    end=WINDOW,
    output_times=evenly(WINDOW, OUTPUTS),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


# ---- enclosures


def depth(p: Any) -> Any:
    """Return the largest indentation (m), where the spring has all the energy."""
    return ((p.n + 1) / 2 * p.m / p.k * p.v0**2) ** (1 / (p.n + 1))


def ratio(p: Any) -> Any:
    """Return duration times speed over indentation: Beta function of 1/(n + 1) and 1/2."""
    share = 1 / (p.n + 1)
    return 2 * arb.pi().sqrt() * (1 + share).gamma() / (share + arb(1) / 2).gamma()


# ---- second routes


def deepest(p: Any) -> Any:
    """Return the largest indentation (m) by logarithms."""
    return mpmath.exp(mpmath.log(p.m * p.v0**2 * (p.n + 1) / (2 * p.k)) / (p.n + 1))


def quadrature(p: Any) -> Any:
    """Return duration times speed over indentation: twice the integral of 1/sqrt(1 - (1 - s²)^(n + 1)) 2 s ds."""

    def slowness(s: Any) -> Any:
        return 4 * s / mpmath.sqrt(-mpmath.expm1((p.n + 1) * mpmath.log1p(-(s**2))))

    turn = mpmath.quad(slowness, [0, 0.5], method="gauss-legendre")  # smooth; the other end is not
    return turn + mpmath.quad(slowness, [0.5, 1])


of = Quantities(MOTION)
DEPTH = MOTION.closed(depth, second=deepest, how="logarithms")
LAPSE = MOTION.closed(
    lambda p: ratio(p) * depth(p) / p.v0,
    second=lambda p: quadrature(p) * deepest(p) / p.v0,
    how="integral of 1/velocity over the indentation",
)
FORCE = MOTION.closed(
    lambda p: p.k * depth(p) ** p.n,
    second=lambda p: (p.n + 1) / 2 * p.m * p.v0**2 / deepest(p),
    how="energy over indentation",
)
RATIO = MOTION.closed(ratio, second=quadrature, how="integral of 1/velocity over the indentation")
RETURN = MOTION.closed(lambda p: arb(0) + p.v0, second=lambda p: mpmath.sqrt(p.v0**2), how="energy")


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem up to some time after the contact."""
    end = max(WINDOW, 1.5 * float(LAPSE.compute(values)))
    return PROBLEM.with_parameters(values, end=end, output_times=evenly(end, OUTPUTS))


QUANTITIES = (
    of.quantity("d_max", "m", "largest indentation", DEPTH, partial(largest, expression="d")),
    of.quantity("duration", "s", "duration of contact", LAPSE, partial(event_instant, event="exit")),
    of.quantity(
        "F_max", "N", "largest force", FORCE, partial(largest, expression="k*(d**2 + 1e-60)**(n/2)", until=("exit", 1))
    ),
    of.quantity("shape", "1", "duration times speed over largest indentation", RATIO, None),
    of.quantity("rebound", "m/s", "speed after the impact", RETURN, partial(value_at, expression="-v", at=("exit", 1))),
)

CASE = Case(
    name="hertz_impact",
    title="Elastic impact after Hertz",
    document="Hertz 1882",
    topics=("impact", "singular law"),
    summary="A mass hits a spring whose force is a power of the indentation: duration by the Gamma function.",
    statement=(
        "m d'' = -k d^n from d = 0 with d' = v0 until d returns to 0; n = 3/2 is Hertz's contact of two spheres.",
        "The spring has all the energy at the turn: d_max^(n + 1) = (n + 1) m v0²/(2 k).",
        "For spheres k = 4 E sqrt(R)/3, of combined modulus E and radius R; m is the combined mass.",
    ),
    sketch=draw.sketch(
        draw.disc((0, 0), 0.8, "m"),
        draw.disc((2.1, 0), 0.8),
        draw.ground((2.9, -1.0), (2.9, 1.0)),
        draw.arrow((-2.0, 0), (-0.95, 0), ""),
        draw.words((-1.5, 0.3), "v0"),
        draw.words((1.05, -1.3), "force k d^n"),
        draw.span((0.8, 0.95), (1.3, 0.95), "d"),
    ),
    shown=ShownMotion(until=3.2),
    equations=(
        "m d'' = -k d^n, d(0) = 0, d'(0) = v_0",
        "T = 2 sqrt(π) Γ(1 + 1/(n + 1))/Γ(1/2 + 1/(n + 1)) d_max/v_0",
        "d_max^(n + 1) = (n + 1) m v_0^2/(2 k)",
    ),
    parameters=of.motion.parameters,
    problem=make_problem,
    variants=(
        Variant("hertz", {}),
        Variant("linear", {"n": "1"}),
        Variant("conical", {"n": "2"}),
        Variant("cubic", {"n": "3"}),
    ),
    quantities=QUANTITIES,
    modelling=("The power is written as (d² + 1e-60)^(n/2), which has a derivative at 0; no quantity moves by 1e-50.",),
    sources=(
        "H. Hertz: Ueber die Berührung fester elastischer Körper. Journal für die reine und angewandte Mathematik 92 "
        "(1882) 156-171.",
        "K. L. Johnson: Contact Mechanics. Cambridge University Press (1985) section 11.4.",
        "W. Goldsmith: Impact. Arnold, London (1960).",
    ),
    remarks=(
        "The duration goes with v0^(-1/5) after Hertz and not at all for a linear spring: a fixed step fits one speed.",
        "The force starts as t^(3/2): a method of high order has its order only where steps near 0 are small.",
        "Taylor integrators find no series at d = 0, and may end there without a word.",
        "A mass of one sphere for the combined one, half of it, lengthens the contact by 2^(2/5): 32 %.",
    ),
)

test_hertz_impact = verifies(CASE)
