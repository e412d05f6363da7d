"""Block that slides against a kerb: it stops before it, tips and falls back, or tips over."""

import math
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("mu", "1", "coefficient of friction", "0.3"),
    Parameter("b", "m", "width of the block", "0.4"),
    Parameter("h", "m", "height of the block", "1"),
    Parameter("L", "m", "distance of the kerb", "1"),
    Parameter("v_0", "m/s", "velocity at the start", "2.8"),
)
ANGLE, RATE = "atan(b/h)", "(3*g/(2*sqrt(b**2 + h**2)))"
TRIPPED = {"x": "L", "v": 0, "theta": 0, "w": "3*h*v/(2*(b**2 + h**2))"}
STILL = Mode(name="rest", rates=(0, 0, 0, 0))
# θ is the angle about the edge at the kerb, w its rate
PROBLEM = InitialValueProblem(
    name="tripped_block",
    states=("x", "v", "theta", "w"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slide",
            rates=("v", "-mu*g", 0, 0),
            events=(
                Change(name="kerb", guard="x - L", direction=1, reset=TRIPPED, mode="tip"),
                Change(name="stop", guard="v", direction=-1, reset={"v": 0}, mode="rest"),
            ),
        ),
        Mode(
            name="tip",
            rates=(0, 0, "w", f"-{RATE}*sin({ANGLE} - theta)"),
            events=(
                Change(name="balance", guard=f"theta - {ANGLE}", direction=1),
                Change(name="down", guard="theta", direction=-1, reset={"theta": 0, "w": 0}, mode="rest"),
                Change(name="over", guard="theta - pi/2", direction=1, reset={"theta": "pi/2", "w": 0}, mode="rest"),
            ),
        ),
        STILL,
    ),
    initial=(0, "v_0", 0, 0),
    end=2.0,
    output_times=evenly(2.0, 800),
)


REQUIRED = (Requirement("mu*h < b", "the block tips as it slides"),)


def _rates(values: Values) -> tuple[float, float]:
    """Return the square of the velocity (m²/s²) at the kerb, and the least one with which the block tips over."""
    g, mu, b, h, L, v_0 = floats(values, *(p.name for p in PARAMETERS))
    diagonal = math.hypot(b, h)
    return v_0**2 - 2 * mu * g * L, 4 * g * diagonal**3 * (1 - h / diagonal) / (3 * h**2)


def _stops(values: Values) -> bool:
    return _rates(values)[0] < 0


def _falls_back(values: Values) -> bool:
    arrives, least = _rates(values)
    return 0 < arrives < least


def _tips_over(values: Values) -> bool:
    arrives, least = _rates(values)
    return arrives > least


def _trips(values: Values) -> bool:
    return not _stops(values)


def arrival(p: Any) -> Any:
    """Return the velocity at the kerb (m/s), by energy."""
    return mpmath.sqrt(p.v_0**2 - 2 * p.mu * p.g * p.L)


def kerb(p: Any) -> Any:
    """Return the instant of the kerb (s): the way over the mean velocity."""
    return 2 * p.L / (p.v_0 + arrival(p))


def tripped(p: Any) -> Any:
    """Return the rate (rad/s) after the kerb: the angular momentum about the edge stays."""
    return arrival(p) * p.h / 2 / ((p.b**2 + p.h**2) / 3)


def balance(p: Any) -> tuple[Any, Any]:
    """Return the angle (rad) of balance and the square of the rate (1/s²) of small motions about it."""
    return mpmath.atan2(p.b, p.h), 3 * p.g / (2 * mpmath.hypot(p.b, p.h))


def reached(p: Any) -> Any:
    """Return the largest angle (rad), by energy."""
    angle, square = balance(p)
    return angle - mpmath.acos(mpmath.cos(angle) + tripped(p) ** 2 / (2 * square))


def back(p: Any) -> Any:
    """Return when the block is down again (s): twice an elliptic integral of the first kind."""
    angle, square = balance(p)
    most = mpmath.cos((angle - reached(p)) / 2)
    begin = mpmath.asin(mpmath.cos(angle / 2) / most)
    lapse = mpmath.ellipf(mpmath.pi / 2, most**2) - mpmath.ellipf(begin, most**2)
    return kerb(p) + 2 * lapse / mpmath.sqrt(square)


def rate(p: Any, turned: Any) -> Any:
    """Return the rate (rad/s) at an angle, by energy."""
    angle, square = balance(p)
    return mpmath.sqrt(tripped(p) ** 2 - 2 * square * (mpmath.cos(angle - turned) - mpmath.cos(angle)))


def passing(p: Any, over: bool) -> Any:
    """Return when the block passes its balance, or lies (s), by quadrature."""
    end = mpmath.pi / 2 if over else balance(p)[0]
    return kerb(p) + mpmath.quad(lambda turned: 1 / rate(p, turned), [0, end / 2, end])


def landing(p: Any) -> Any:
    """Return the angular velocity as the block falls onto its side."""
    return rate(p, mpmath.pi / 2)


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)), how="energy")
ELLIPTIC, QUADRATURE = "elliptic integral", "quadrature"
AFTER = ("kerb", 1)
QUANTITIES = (
    of.event("kerb", name="t_kerb", second=kerb, applies=_trips),
    of.value("w", AFTER, "rad/s", name="w_kerb", second=tripped, applies=_trips),
    of.event("stop", name="t_stop", second=lambda p: p.v_0 / (p.mu * p.g), applies=_stops),
    of.value("x", ("stop", 1), "m", name="x_stop", second=lambda p: p.v_0**2 / (2 * p.mu * p.g), applies=_stops),
    of.largest("theta", "rad", name="reach", until=("down", 1), second=reached, applies=_falls_back),
    of.event("down", name="t_down", second=back, how=ELLIPTIC, applies=_falls_back),
    of.event("balance", name="t_balance", second=partial(passing, over=False), how=QUADRATURE, applies=_tips_over),
    of.event("over", name="t_over", second=partial(passing, over=True), how=QUADRATURE, applies=_tips_over),
    of.value("w", ("over", 1), "rad/s", before=True, name="w_over", second=landing, applies=_tips_over),
)

CASE = Case(
    name="tripped_block",
    title="Block that slides against a kerb",
    document="this suite",
    topics=("multibody", "friction", "impact"),
    summary="A block slides, and stops; or its edge is caught by a kerb and it tips: it falls back or over.",
    statement=(
        "A block of width b and height h slides on a plane with the coefficient mu < b/h, so that friction does not "
        "tip it, from v_0 towards a kerb at the distance L.",
        "The kerb catches its leading edge: the block turns about it with the angular momentum that it has about it, "
        "falls back without a rebound, or passes the balance at tan(theta) = b/h and falls over onto its side.",
    ),
    sketch=draw.sketch(
        draw.ground((-2.2, 0), (4.6, 0)),
        draw.box((-0.6, 0.6), 1.4, 1.2),
        draw.arrow((0.3, 0.6), (1.2, 0.6), "v_0"),
        draw.box((3.4, 0.12), 0.25, 0.24),
        draw.turned(draw.box((2.57, 0.6), 1.4, 1.2), -25.0, (3.27, 0)),
        draw.words((4.2, 0.5), "kerb"),
        draw.span((0.1, -0.4), (3.27, -0.4), ""),
        draw.words((1.7, -0.7), "L"),
        draw.span((-1.3, 1.4), (0.1, 1.4), "b"),
        draw.span((-1.5, 0), (-1.5, 1.2), ""),
        draw.words((-1.75, 0.6), "h"),
        draw.words((-1.9, -0.45), "mu"),
    ),
    shown=ShownMotion(curves=("x", "theta")),
    equations=of.equations(
        "v_k^2 = v_0^2 - 2 μ g L, w_k = 3 h v_k/(2 (b^2 + h^2))",
        "w^2 = w_k^2 - 2 p^2 (cos(α - θ) - cos(α)), p^2 = 3 g/(2 sqrt(b^2 + h^2))",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("tips_over", {}), Variant("falls_back", {"v_0": "2.6"}), Variant("stops", {"v_0": "2"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("Planar motion of a rigid block; the kerb takes the velocity of the edge, and no more.",),
    remarks=(
        "Who keeps the kinetic energy at the kerb in place of the angular momentum tips the block over too soon: the "
        "impact takes 1 - 3 h^2/(4 (b^2 + h^2)) of it, 35 %.",
        "The moment of inertia about the centre in place of that about the edge makes it turn four times too fast.",
        "t_down and t_balance grow without bound at the threshold, v_0 = 2.656 m/s here.",
    ),
    held={
        "mu": "a rougher plane tips the block",
        "b": "as mu",
        "h": "as mu",
        "v_0": "chooses the motion",
        "L": "as v_0",
    },
)

test_tripped_block = verifies(CASE)
