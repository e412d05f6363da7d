"""Overturning of a slender block by a half-sine pulse: the exact threshold, and Housner's."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Condition, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("W", "1", "angular frequency of the pulse over the rate p of rocking", "5", "positive"),
    Parameter("share", "1", "peak acceleration of the pulse over that of Housner's formula", "0.9", "positive"),
    Parameter("a_r", "1", "acceleration of a rectangular pulse over alpha g", "2", "positive"),
)
PEAK = "(share*sqrt(1 + W**2))"  # over alpha g
PUSH = f"{PEAK}*sin(W*t + asin(1/{PEAK})) - 1"
ROCKS = Condition(expression="theta", meaning="the block has not come back to the floor")
PASS = Change(name="pass", guard="theta - 1", direction=1)
END = Change(name="end", guard=f"t - (pi - asin(1/{PEAK}))/W", direction=1, mode="after")
PROBLEM = InitialValueProblem(
    name="overturning",
    states=("theta", "v"),
    parameters={p.name: p.default for p in PARAMETERS[:-1]},
    modes=(
        Mode(name="pulse", rates=("v", f"theta + {PUSH}"), events=(END, PASS), conditions=(ROCKS,)),
        Mode(name="after", rates=("v", "theta - 1"), events=(PASS,), conditions=(ROCKS,)),
    ),
    initial=(0, 0),
    end=3.0,
    output_times=evenly(3.0, 1500),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
# theta is the angle over alpha; what overturns moves away from theta = 1, where the block balances
THRESHOLD = hybrid.motion(PROBLEM, PARAMETERS).where("share", "v + theta - 1", at=("end", 1))


def peak(p: Any) -> Any:
    """Return the largest acceleration over alpha g."""
    return p.share * mpmath.sqrt(1 + p.W**2)


def lasting(p: Any) -> Any:
    """Return how long the pulse lasts after the block lifts."""
    return (mpmath.pi - mpmath.asin(1 / peak(p))) / p.W


def ended(p: Any, order: int) -> Any:
    """Return the angle at the end of the pulse, or its rate: Duhamel's integral."""
    end = lasting(p)

    def due(s: Any) -> Any:
        load = peak(p) * mpmath.sin(p.W * s + mpmath.asin(1 / peak(p))) - 1
        return load * (mpmath.sinh(end - s), mpmath.cosh(end - s))[order]

    return mpmath.quad(due, mpmath.linspace(0, end, 5))


def passing(p: Any) -> Any:
    """Return when the block passes its balance: a root during the pulse, by hyperbolic functions after it."""
    if ended(p, 0) < 1:
        return lasting(p) + mpmath.atanh((1 - ended(p, 0)) / ended(p, 1))
    size, phase = peak(p) / (1 + p.W**2), mpmath.asin(1 / peak(p))

    def beyond(t: Any) -> Any:
        swung = size * (mpmath.sin(phase) * mpmath.cosh(t) + p.W * mpmath.cos(phase) * mpmath.sinh(t))
        return swung - size * mpmath.sin(p.W * t + phase) - mpmath.cosh(t)

    return mpmath.findroot(beyond, (0, lasting(p)), solver="anderson", maxsteps=400, tol=mpmath.eps**1.5)


def threshold(p: Any) -> Any:
    """Return the acceleration over alpha g that just overturns: W sin(ψ) = cos(ψ) + exp((ψ - π)/W) at lifting."""

    def off(phase: Any) -> Any:
        return p.W * mpmath.sin(phase) - mpmath.cos(phase) - mpmath.exp((phase - mpmath.pi) / p.W)

    limits = (mpmath.mpf(10) ** -6, mpmath.pi / 2)
    return 1 / mpmath.sin(mpmath.findroot(off, limits, solver="anderson", maxsteps=400, tol=mpmath.eps**1.5))


of = Quantities(MOTION, how="Duhamel's integral")
JUST = THRESHOLD.value(PEAK, "0", second=threshold, how="projection on the direction that grows")
EXCESS = THRESHOLD.value(
    "1/share - 1",
    "0",
    second=lambda p: mpmath.sqrt(1 + p.W**2) / threshold(p) - 1,
    how="the threshold by its own second route",
)
RECTANGULAR = MOTION.closed(
    lambda p: (p.a_r / (p.a_r - 1)).log(),
    second=lambda p: mpmath.acosh(1 + 1 / (2 * p.a_r * (p.a_r - 1))),
    how="Housner's formula",
)
QUANTITIES = (
    of.event("pass", name="t_pass", second=passing),
    of.event("end", name="t_end", second=lasting),
    of.value("theta", ("end", 1), "1", name="theta_end", second=partial(ended, order=0)),
    of.value("v", ("end", 1), "1", name="v_end", second=partial(ended, order=1)),
    of.quantity("threshold", "1", "acceleration over alpha g that just overturns", JUST, None),
    of.quantity("housner", "1", "by how much of it Housner's formula is too high", EXCESS, None),
    of.quantity("rectangular", "1", "rectangular pulse that just overturns", RECTANGULAR, None),
)

CASE = Case(
    name="overturning",
    title="Block that a pulse overturns",
    document="Housner 1963",
    topics=("multibody", "seismic", "sensitive"),
    summary="A half-sine pulse lifts a slender block: what overturns it is less than a well-known formula says.",
    statement=(
        "θ'' = θ - 1 + a sin(W t + ψ), from rest as the block lifts: sin(ψ) = 1/a. θ is the angle over the slenderness "
        "alpha, t in units of 1/p, p² = 3 g/(4 R) with the half diagonal R, a the largest acceleration over alpha g. "
        "The pulse ends at W t = π - ψ; there is no impact before.",
        "After the pulse θ - 1 is a sum of exp(t) and exp(-t): the block overturns if the first has a positive "
        "factor. Housner's formula a = sqrt(1 + W²) follows if the second is forgotten.",
        "A rectangular pulse of a_r alpha g just overturns if it lasts log(a_r/(a_r - 1)): Housner has that right.",
    ),
    sketch=draw.sketch(
        draw.ground((-1.6, 0), (2.6, 0)),
        draw.dashed((-0.6, 0), (-0.6, 3.0), (0.6, 3.0), (0.6, 0)),
        draw.turned(draw.box((0, 1.5), 1.2, 3.0), -12.0, (0.6, 0)),
        draw.dot((0.6, 0)),
        draw.arc((0.6, 0), 3.5, 90, 78, "θ"),
        draw.arrow((-1.4, -0.7), (0.6, -0.7), "ground"),
        draw.words((0.3, -1.2), "half-sine pulse"),
    ),
    equations=(
        "θ'' = θ - 1 + a sin(W t + ψ), sin(ψ) = 1/a",
        "W sin(ψ) = cos(ψ) + exp(-(π - ψ)/W)",
        "a_H = sqrt(1 + W^2), t_1 = log(a_r/(a_r - 1))",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("medium", {}),
        Variant("long", {"W": "1", "share": "0.98"}),
        Variant("moderate", {"W": "2"}),
        Variant("short", {"W": "10"}),
    ),
    quantities=QUANTITIES,
    sources=(
        "G. W. Housner: The behavior of inverted pendulum structures during earthquakes. Bulletin of the "
        "Seismological Society of America 53 (1963) 403-417.",
        "B. Shi, A. Anooshehpoor, Y. Zeng, J. N. Brune: Rocking and overturning of precariously balanced rocks by "
        "earthquakes. Bulletin of the Seismological Society of America 86 (1996) 1364-1371.",
        "N. Makris, Y. S. Roussos: Rocking response of rigid blocks under near-source ground motions. Géotechnique 50 "
        "(2000) 243-262.",
    ),
    remarks=(
        "Housner's acceleration is too high by the quantity housner, on the unsafe side: by 7 % for a long pulse and "
        "by 74 % for a short one.",
        "A threshold that is bisected on simulations up to some instant is too high: next to it the block balances "
        "for long before it falls. The factor of exp(t) tells at the end of the pulse.",
        "The motion diverges with exp(t): errors in the pulse grow by that up to the passage.",
    ),
    held=dict.fromkeys(("share", "W"), "a smaller pulse does not overturn the block"),
)

test_overturning = verifies(CASE)
