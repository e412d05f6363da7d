"""Elastoplastic oscillator: yield, unloading and reverse yield under a step, a pulse and a blow."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("F0", "N", "load until its end", "0.8", "non-negative"),
    Parameter("t_d", "s", "end of the load", "100", "positive"),
    Parameter("k_p", "N/m", "stiffness while the spring yields", "0", "non-negative"),
    Parameter("v0", "m/s", "initial velocity", "0", "any"),
)


def plastic(name: str, side: int) -> Mode:
    """Return the mode in which the spring yields to a side, up to the turn of the velocity."""
    unload = Change(name="unload", guard="v", direction=-side, reset={"v": 0, "R": f"b + {side}"}, mode="elastic")
    return Mode(name=name, rates=("v", "F - R", "k_p*v", "k_p*v", 0), events=(unload, END))


# R is the force of the spring, b the middle of its elastic range, F the load
END = Change(name="end", guard="t - t_d", direction=1, reset={"F": 0}, waits="the load ends once")
YIELD = Change(name="yield", guard="R - b - 1", direction=1, reset={"R": "b + 1"}, mode="plastic")
REVERSE = Change(name="reverse", guard="R - b + 1", direction=-1, reset={"R": "b - 1"}, mode="reversed")
PROBLEM = InitialValueProblem(
    name="elastoplastic",
    states=("x", "v", "R", "b", "F"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(name="elastic", rates=("v", "F - R", "v", 0, 0), events=(YIELD, REVERSE, END)),
        plastic("plastic", 1),
        plastic("reversed", -1),
    ),
    initial=(0, "v0", 0, 0, "F0"),
    end=6.5,
    output_times=evenly(6.5, 1300),
)


def rise(load: Any, x: Any, v: Any) -> tuple[Any, Any]:
    """Return how long the elastic spring takes to its yield, and the velocity there, from x < 1 and v >= 0."""
    size = mpmath.hypot(x - load, v)
    if size < abs(1 - load) or v < 0:
        raise CertificationError("the spring does not yield first on this side")
    return mpmath.asin((1 - load) / size) - mpmath.atan2(x - load, v), mpmath.sqrt(size**2 - (1 - load) ** 2)


def first_yield(p: Any) -> tuple[Any, Any]:
    """Return instant and velocity of the first yield: under the load, or of the free vibration after it."""
    try:
        time, v = rise(p.F0, mpmath.mpf(0), p.v0)
    except CertificationError:
        time, v = mpmath.inf, None
    if time <= p.t_d:
        return time, v
    lapse, v = rise(0, *elastic(p.F0, p.v0, p.t_d))
    return p.t_d + lapse, v


def elastic(load: Any, v: Any, time: Any) -> tuple[Any, Any]:
    """Return displacement and velocity of the elastic spring under a load, from x = 0."""
    c, s = mpmath.cos(time), mpmath.sin(time)
    return load * (1 - c) + v * s, load * s + v * c


def turning(push: Any, k: Any, u: Any, v: Any) -> Any:
    """Return how long u'' = push - k u takes to its turn, from a velocity v > 0: infinite if it does not turn."""
    if k:
        root = mpmath.sqrt(k)
        return mpmath.atan2(v / root, u - push / k) / root
    return -v / push if push < 0 else mpmath.inf


def yielded(push: Any, k: Any, u: Any, v: Any, lapse: Any) -> tuple[Any, Any]:
    """Return u and its rate after a while of u'' = push - k u: a parabola, or a slower sine."""
    if not k:
        return u + v * lapse + push * lapse**2 / 2, v + push * lapse
    root, middle = mpmath.sqrt(k), push / k
    c, s = mpmath.cos(root * lapse), mpmath.sin(root * lapse)
    return middle + (u - middle) * c + v / root * s, v * c - root * (u - middle) * s


def peak(p: Any) -> tuple[Any, Any]:
    """Return instant and displacement of the peak: one arc under the load, one after it."""
    time, v = first_yield(p)
    u, rest = mpmath.mpf(0), p.t_d - time
    if rest > 0:
        lapse = turning(p.F0 - 1, p.k_p, u, v)
        if lapse <= rest:
            return time + lapse, 1 + yielded(p.F0 - 1, p.k_p, u, v, lapse)[0]
        u, v = yielded(p.F0 - 1, p.k_p, u, v, rest)
        time = p.t_d
    lapse = turning(mpmath.mpf(-1), p.k_p, u, v)
    return time + lapse, 1 + yielded(mpmath.mpf(-1), p.k_p, u, v, lapse)[0]


def reverse_speed(p: Any) -> Any:
    """Return the speed at which the spring yields the other way: it has moved by 2 through its elastic range."""
    if p.F0 and peak(p)[0] < p.t_d:
        raise CertificationError("the load lasts beyond the peak")
    return 2 * mpmath.sqrt(1 + p.k_p * (peak(p)[1] - 1) - 1)


def trough(p: Any) -> Any:
    """Return the smallest displacement, from the energy of the way on the hardening branch."""
    far = peak(p)[1]
    force = p.k_p * (far - 1) - 1  # of the spring at reverse yield
    return far - 2 - (force + mpmath.sqrt(force**2 + p.k_p * reverse_speed(p) ** 2)) / p.k_p


def hardens(values: Values) -> bool:
    """Whether the spring hardens while it yields."""
    return float(values["k_p"]) > 0


def is_perfect(values: Values) -> bool:
    """Whether it does not."""
    return not hardens(values)


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), how="arcs joined at the yield points")
QUANTITIES = (
    of.event("yield", name="t_yield", second=lambda p: first_yield(p)[0]),
    of.value("x", ("unload", 1), "m", name="x_max", second=lambda p: peak(p)[1]),
    of.event("unload", name="t_max", second=lambda p: peak(p)[0]),
    of.value("x - R", ("unload", 1), "m", name="residual", second=lambda p: peak(p)[1] - 1, applies=is_perfect),
    of.value("-v", ("reverse", 1), "m/s", name="v_reverse", second=reverse_speed, applies=hardens),
    of.value("x", ("unload", 2), "m", name="x_min", second=trough, applies=hardens),
)

CASE = Case(
    name="elastoplastic",
    title="Elastoplastic oscillator",
    document="Biggs 1964",
    topics=("hysteresis",),
    summary="A mass on a spring that yields: ductility under a step, the set that a pulse leaves, reverse yield.",
    statement=(
        "x'' + R = F with unit mass, stiffness and yield force; F = F0 until t_d, then 0.",
        "Beyond the elastic range the stiffness is k_p; the range, 2 N wide, moves along (kinematic hardening).",
        "Elastic arcs are sines, plastic ones parabolas, or slower sines.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 0.7), (0, -0.7)),
        draw.spring((0, 0), (1.5, 0)),
        draw.slider((1.5, 0), (3.0, 0), ""),
        draw.words((1.5, 0.5), "R, yields at 1"),
        draw.box((3.5, 0), 1, 0.9, "m"),
        draw.arrow((4.0, 0), (5.0, 0), "F"),
        draw.arrow((3.5, 0.7), (4.4, 0.7), "x"),
        draw.axes((6.6, -0.9), 2.2, 2.0, ("x", "R")),
        draw.graph((6.6, -0.9), (7.1, 0.2), (8.2, 0.5), (7.7, -0.6)),
    ),
    shown=ShownMotion(curves=("x", "R"), portraits=(("x", "R"),)),
    equations=of.equations("x_max = 1 + v_y^2/(2 (1 - F_0)), v_y = F_0 sin(t_y), t_y = acos(1 - 1/F_0)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("step", {}),
        Variant("pulse", {"F0": "2", "t_d": "3/2"}),
        Variant("blow", {"F0": "0", "k_p": "0.1", "v0": "3"}),
    ),
    quantities=QUANTITIES,
    modelling=("Force and middle of the elastic range are states, so that no history has to be remembered.",),
    sources=(
        "J. M. Biggs: Introduction to Structural Dynamics. McGraw-Hill (1964).",
        "A. K. Chopra: Dynamics of Structures, chapter 7. Prentice Hall.",
    ),
    remarks=(
        "A return mapping at the end of each step yields late by up to a step: the set that remains is of first order.",
        "Without hardening it returns to the very edge of yield after each turn: no solver can say whether it yields.",
        "The spring yields on until the velocity turns, not until the force falls.",
    ),
    held=dict.fromkeys(("F0", "t_d", "k_p", "v0"), "another load or blow may never yield, or yield more often"),
)

test_elastoplastic = verifies(CASE)
