"""Rimless wheel that walks down a slope."""

import math
from dataclasses import replace
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("l", "m", "length of a spoke", "1", "positive"),
    Parameter("a", "rad", "half the angle between spokes", "pi/8", "positive"),
    Parameter("s", "rad", "slope", "0.08", "positive"),
    Parameter("w_0", "rad/s", "angular velocity at the start", "2", "positive"),
)
VAULT = "2*g/l*(1 - cos(a - s))"  # square of the angular velocity after a strike that just passes the vertical
CYCLE = "4*g/l*sin(a)*sin(s)/tan(2*a)**2"  # square of that of the steady walk
# theta is the angle of the spoke that stands from the vertical, downhill
PROBLEM = InitialValueProblem(
    name="rimless_wheel",
    states=("theta", "w"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="stands",
            rates=("w", "g/l*sin(theta)"),
            events=(
                Change(name="strike", guard="s + a - theta", direction=-1, reset={"theta": "s - a", "w": "cos(2*a)*w"}),
            ),
        ),
    ),
    initial=("s - a", "w_0"),
    end=2.0,
    output_times=evenly(2.0, 400),
)
REQUIRED = (
    Requirement(f"w_0**2 >= {VAULT}", "the wheel falls back before the spoke is vertical"),
    Requirement(f"{CYCLE} >= {VAULT}", "the wheel stops: no walk down such a slope is steady", "a steeper slope s"),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))
STEADY = hybrid.motion(replace(PROBLEM, initial=("s - a", f"sqrt({CYCLE})")), PARAMETERS)


def keeps(p: Any) -> Any:
    """Return what a strike leaves of the square of the angular velocity: the momentum about the new foot stays."""
    return mpmath.cos(2 * p.a) ** 2


def fallen(p: Any, angle: Any) -> Any:
    """Return by how much the square of the angular velocity grows from a strike to an angle."""
    return 2 * p.g / p.l * (mpmath.cos(p.s - p.a) - mpmath.cos(angle))


def cycle(p: Any) -> Any:
    """Return the angular velocity after each strike of the steady walk."""
    return mpmath.sqrt(fallen(p, p.s + p.a) * keeps(p) / (1 - keeps(p)))


def after(p: Any, strikes: int) -> Any:
    """Return the angular velocity after a number of strikes: its square tends to that of the steady walk."""
    return mpmath.sqrt(cycle(p) ** 2 + keeps(p) ** strikes * (p.w_0**2 - cycle(p) ** 2))


def stance(p: Any, speed: Any) -> Any:
    """Return how long a spoke stands (s) that begins with an angular velocity."""
    angles = mpmath.linspace(p.s - p.a, p.s + p.a, 4)
    return mpmath.quad(lambda angle: 1 / mpmath.sqrt(speed**2 + fallen(p, angle)), angles)


def lapse(p: Any, strikes: int) -> Any:
    """Return the instant of a strike (s)."""
    return mpmath.fsum(stance(p, after(p, k)) for k in range(strikes))


HOW = "momentum, energy and quadrature"
of = Quantities(MOTION, how=HOW)
PERIOD = STEADY.event("strike", 1, second=lambda p: stance(p, cycle(p)), how=HOW)
SPEED = MOTION.closed(
    lambda p: (4 * p.g / p.l * p.a.sin() * p.s.sin()).sqrt() * (2 * p.a).cos() / (2 * p.a).sin(),
    second=cycle,
    how="momentum and energy",
)


def climb(p: Any) -> Any:
    """Return the angular velocity that carries a spoke from its strike to the vertical; raises Absent beyond that."""
    if not less(p.s, p.a, "s and a agree"):
        raise Absent("after each strike the spoke stands beyond the vertical: it needs no velocity")
    return 2 * (p.g / p.l).sqrt() * ((p.a - p.s) / 2).sin()


LEAST = MOTION.closed(
    climb,
    second=lambda p: mpmath.sqrt(fallen(p, 0) * -1),
    how="energy",
)
QUANTITIES = (
    of.event("strike", 1, second=lambda p: lapse(p, 1)),
    of.event("strike", 3, second=lambda p: lapse(p, 3)),
    of.value("w", ("strike", 1), "rad/s", name="w_1", second=lambda p: after(p, 1)),
    of.value("w", ("strike", 3), "rad/s", name="w_3", second=lambda p: after(p, 3)),
    of.quantity("w_cycle", "rad/s", "angular velocity after each strike of the steady walk", SPEED, None),
    of.quantity("w_least", "rad/s", "smallest angular velocity after a strike that passes the vertical", LEAST, None),
    of.quantity("period", "s", "time between strikes of the steady walk", PERIOD, None),
)

CASE = Case(
    name="rimless_wheel",
    title="Rimless wheel",
    document="McGeer 1990",
    topics=("multibody", "impact", "limit cycle"),
    summary="Spokes without a rim walk down a slope: every strike takes speed, every step gives it back.",
    statement=(
        "A point mass at the hub of weightless spokes, 2 a apart, on a slope s. The spoke that stands is an inverted "
        "pendulum; the next one strikes at theta = s + a, without bounce or slip, and stands from theta = s - a.",
        "A strike keeps the momentum about the new foot: cos(2 a) of the angular velocity is left. Between strikes "
        "its square grows by 4 g/l sin(a) sin(s), so that the squares tend to a fixed point as cos(2 a)², to W².",
    ),
    sketch=draw.sketch(
        *(
            draw.turned(
                draw.line((0.0, 1.5), (1.62 * math.sin(math.radians(a)), 1.5 - 1.62 * math.cos(math.radians(a)))), -14.0
            )
            for a in range(-158, 180, 45)
        ),
        draw.turned((*draw.ground((-2.6, 0), (3.0, 0)), *draw.disc((0, 1.5), 0.3)), -14.0),
        draw.words((0.2, 0.45), "2 a"),
        draw.words((2.2, -1.0), "slope s"),
        draw.arrow((2.4, 1.8), (2.4, 0.9), "g"),
    ),
    shown=ShownMotion(portraits=(("theta", "w"),)),
    equations=of.equations(
        "w_{n+1}^2 = cos(2 a)^2 (w_n^2 + 4 g/l sin(a) sin(s))", "W^2 = 4 g/l sin(a) sin(s)/tan(2 a)^2"
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("fast_start", {}),
        Variant("slow_start", {"w_0": "1.1"}, frozenset(("t_strike_1", "w_1", "w_cycle", "w_least", "period"))),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("The equations end where the wheel stands still or falls back: only walks are asked for.",),
    sources=(
        "T. McGeer: Passive dynamic walking. The International Journal of Robotics Research 9 (1990) 62-82. "
        "https://doi.org/10.1177/027836499000900206",
        "M. J. Coleman, A. Chatterjee, A. Ruina: Motions of a rimless spoked wheel: a simple three-dimensional "
        "system with impacts. Dynamics and Stability of Systems 12 (1997) 139-159. "
        "https://doi.org/10.1080/02681119708806242",
    ),
    remarks=(
        "Energy, not momentum, kept by the strike: no steady walk, the wheel runs away.",
        "A strike that is found late comes after too long a fall: the wheel walks too fast.",
        "Contact by a stiff spring strikes, bounces and slips: it needs damping to keep cos(2 a) of the velocity.",
    ),
)

test_rimless_wheel = verifies(CASE)
