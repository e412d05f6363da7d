"""Block that slides to a stop, rests, and is pushed off again: a rest forgets how it began."""

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

END = "3"  # s
PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("mu", "1", "coefficient of friction", "0.4"),
    Parameter("N", "N", "normal force", "20"),
    Parameter("P", "N/s", "growth of the push", "3.5", "non-negative"),
    Parameter("x0", "m", "place at the start", "0", "any"),
    Parameter("v0", "m/s", "velocity at the start", "2"),
)
# W is the work of friction; it wears the sole
STOP = Change(name="stop", guard="v", direction=-1, reset={"v": 0}, mode="rest")
GO = Change(name="go", guard="P*t - mu*N", direction=1, reset={"v": 0}, mode="slide")
PROBLEM = InitialValueProblem(
    name="stop_and_go",
    states=("x", "v", "W"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(name="slide", rates=("v", "(P*t - mu*N)/m", "mu*N*v"), events=(STOP,)),
        Mode(name="rest", rates=(0, 0, 0), events=(GO,)),
    ),
    initial=("x0", "v0", 0),
    end=float(END),
    output_times=evenly(float(END), 600),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)


def stop(p: Any) -> Any:
    """Return when the block comes to rest (s): the first instant at which the impulses have taken m v0."""
    inertia, friction = p.m * p.v0, p.mu * p.N
    root = friction**2 - 2 * p.P * inertia
    if root <= 0:
        raise CertificationError("the block does not come to rest")
    return 2 * inertia / (friction + mpmath.sqrt(root))


def go(p: Any) -> Any:
    """Return when it is pushed off (s)."""
    return p.mu * p.N / p.P


def slide(p: Any, lapse: Any) -> tuple[Any, Any]:
    """Return velocity (m/s) and way (m) of the first slide after a lapse (s)."""
    push, friction = p.P * lapse / 2, p.mu * p.N
    return p.v0 + (push - friction) * lapse / p.m, p.v0 * lapse + (push / 3 - friction / 2) * lapse**2 / p.m


def way(p: Any) -> Any:
    """Return the way to the stop (m)."""
    return slide(p, stop(p))[1]


def onward(p: Any) -> tuple[Any, Any]:
    """Return velocity (m/s) and way (m) of the second slide at the end: powers of the time since it began."""
    if not p.P or go(p) >= mpmath.mpf(END):
        return mpmath.mpf(0), mpmath.mpf(0)
    lapse = mpmath.mpf(END) - go(p)
    return p.P * lapse**2 / (2 * p.m), p.P * lapse**3 / (6 * p.m)


def finish(p: Any) -> tuple[Any, Any]:
    """Return velocity (m/s) and way (m) at the end: of the first slide, if it does not stop before."""
    end = mpmath.mpf(END)
    if (p.mu * p.N) ** 2 <= 2 * p.P * p.m * p.v0 or stop(p) >= end:
        return slide(p, end)
    velocity, further = onward(p)
    return velocity, way(p) + further


def goes(values: Values) -> bool:
    """Whether the push grows."""
    return values["P"].rational > 0


def goes_in_time(values: Values) -> bool:
    """Whether it moves the block before the end."""
    return float(values["mu"]) * float(values["N"]) < float(values["P"]) * float(END)


of = Quantities(MOTION, how="impulses")
QUANTITIES = (
    of.event("stop", 1, name="t_stop", second=stop),
    of.value("x", ("stop", 1), "m", name="x_stop", second=lambda p: p.x0 + way(p), scale="v0*m*v0/(mu*N)"),
    of.event("go", 1, name="t_go", second=go, applies=goes, observable=goes_in_time),
    of.value("x", END, "m", second=lambda p: p.x0 + finish(p)[1], scale="v0*m*v0/(mu*N)"),
    of.value("v", END, "m/s", second=lambda p: finish(p)[0], scale="v0"),
    of.value("W", END, "J", second=lambda p: p.mu * p.N * finish(p)[1]),
)

CASE = Case(
    name="stop_and_go",
    title="Block that stops and goes",
    document="this suite",
    topics=("friction", "wear", "gradients"),
    summary="A block slides, rests and is pushed off again: what a rest forgets has the derivative zero.",
    statement=(
        "A block slides with v0 over a floor that takes the friction mu N, pushed by a force P t that grows. It comes "
        "to rest, and goes on when the push has grown to mu N.",
        "Without a push it stops after m v0/(mu N), at m v0²/(2 mu N): with N = m g after v0/(mu g), at v0²/(2 mu g).",
        "When it goes on depends neither on v0 nor on x0. So the velocity after a rest has the derivative zero by the "
        "start, whatever it was before; the place keeps that of the stop. W is the work of friction.",
    ),
    derivatives=("mu",),
    sketch=draw.sketch(
        draw.ground((-1.8, 0), (5.4, 0)),
        draw.box((1.0, 0.5), 1.4, 1.0, "m"),
        draw.arrow((-1.4, 0.5), (0.3, 0.5), "P t"),
        draw.arrow((1.0, 2.0), (1.0, 1.05), ""),
        draw.words((1.4, 1.7), "N"),
        draw.arrow((1.75, 0.5), (2.7, 0.5), "v0"),
        draw.words((3.4, -0.5), "mu"),
    ),
    shown=ShownMotion(curves=("x", "v")),
    equations=of.equations("t_stop = 2 m v_0/(μ N + sqrt((μ N)^2 - 2 P m v_0)), t_go = μ N/P"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("goes", {}),
        Variant("stays", {"P": "0"}),
        Variant("late", {"P": "5", "v0": "1", "x0": "-0.3"}),
    ),
    quantities=QUANTITIES,
    modelling=("The push reaches mu N where its excess passes zero: nothing jumps there, and velocity stays smooth.",),
    remarks=(
        "A tangent that is not projected where the block comes to rest keeps a velocity that is not there: the place "
        "drifts with it through the rest.",
        "Friction made continuous creeps in the rest; its derivative by v0 fades there with a rate, and is not zero.",
        "A step function of friction gives derivatives by mu of zero, but for those by the instants.",
    ),
)

test_stop_and_go = verifies(CASE)
