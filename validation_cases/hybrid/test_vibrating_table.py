"""Ball on a vibrating table: one bounce in n periods, its multipliers, and where it is born and lost."""

from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("Gam", "1", "largest acceleration of the table over gravity", "1.29", "positive"),
    Parameter("e", "1", "coefficient of restitution", "0.5", "positive"),
    Parameter("n", "1", "periods of the table from bounce to bounce", "1", "whole"),
)
PHASE = "acos(n*pi*(1 - e)/(Gam*(1 + e)))"
TABLE = f"Gam*sin(t + {PHASE})"
SPEED = f"Gam*cos(t + {PHASE})"
PULL = f"(1 + e)*(Gam*sin(t + {PHASE}) - 1)/(v - {SPEED})"
# a11 … a22 are the derivatives of y and v with respect to those at the start; the instant of the bounce moves with it
PROBLEM = InitialValueProblem(
    name="vibrating_table",
    states=("y", "v", "a11", "a21", "a12", "a22"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flight",
            rates=("v", -1, "a21", 0, "a22", 0),
            events=(
                Change(
                    name="bounce",
                    guard=f"y - {TABLE}",
                    direction=-1,
                    reset={
                        "y": TABLE,
                        "v": f"(1 + e)*{SPEED} - e*v",
                        "a11": "-e*a11",
                        "a12": "-e*a12",
                        "a21": f"{PULL}*a11 - e*a21",
                        "a22": f"{PULL}*a12 - e*a22",
                    },
                ),
            ),
        ),
    ),
    initial=(f"Gam*sin({PHASE})", "n*pi", 1, 0, 0, 1),
    end=45.0,
    output_times=evenly(45.0, 4500),
)


REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("n*pi*(1 - e) < Gam*(1 + e)", "the table is too slow to throw the ball for n periods"),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def bounce(p: Any, number: int) -> Any:
    """Return the instant of a bounce."""
    return number * 2 * mpmath.pi * p.n


def landing(p: Any) -> Any:
    """Return the velocity of the ball just after a bounce: half the flight."""
    return bounce(p, 1) / 2


def following(p: Any, phase: Any, speed: Any) -> tuple[Any, Any]:
    """Return phase and velocity after the next bounce, flight and bounce solved as they stand."""

    def above(lapse: Any) -> Any:
        return p.Gam * (mpmath.sin(phase) - mpmath.sin(phase + lapse)) + speed * lapse - lapse**2 / 2

    lapse = mpmath.findroot(above, 2 * mpmath.pi * p.n, tol=mpmath.eps**1.5)
    return phase + lapse, (1 + p.e) * p.Gam * mpmath.cos(phase + lapse) - p.e * (speed - lapse)


def trace(p: Any) -> Any:
    """Return the sum of the multipliers, from derivatives of the map of bounces."""
    phase, speed = mpmath.acos(birth(p) / p.Gam), mpmath.pi * p.n
    late = mpmath.diff(lambda x: following(p, x, speed)[0], phase)
    return late + mpmath.diff(lambda u: following(p, phase, u)[1], speed)


def birth(p: Any) -> Any:
    """Return the acceleration over gravity from which the orbit exists: at its crest the table is at rest."""
    return p.n * mpmath.pi * (1 - p.e) / (1 + p.e)


def doubling(p: Any) -> Any:
    """Return the acceleration over gravity at which a multiplier is -1: 1 + trace + det = 0."""
    return mpmath.hypot(birth(p), (2 + 2 * p.e**2) / (1 + p.e) ** 2)


def born(p: Any) -> Any:
    """Return the same in ball arithmetic."""
    return p.n * arb.pi() * (1 - p.e) / (1 + p.e)


def doubled(p: Any) -> Any:
    """Return the same in ball arithmetic."""
    return (born(p) ** 2 + (2 * (1 + p.e**2) / (1 + p.e) ** 2) ** 2).sqrt()


of = Quantities(MOTION, how="implicit map of bounces")
BIRTH, DOUBLING, MIDDLE = (
    MOTION.closed(read, second=second, how="the same formula, arranged otherwise")
    for read, second in (
        (born, lambda p: mpmath.pi * p.n * (2 / (1 + p.e) - 1)),
        (doubled, doubling),
        (
            lambda p: (2 * born(p) / (born(p) + doubled(p))).acos(),
            lambda p: 2 * mpmath.atan(mpmath.sqrt((doubling(p) - birth(p)) / (doubling(p) + 3 * birth(p)))),
        ),
    )
)
QUANTITIES = (
    of.event("bounce", 3, second=lambda p: bounce(p, 3)),
    of.value("v", ("bounce", 3), "1", name="v_3", second=landing),
    of.value("a11 + a22", ("bounce", 1), "1", name="trace", scale="1", second=trace),
    of.value("a11*a22 - a12*a21", ("bounce", 1), "1", name="det", second=lambda p: p.e**2),
    of.quantity("birth", "1", "acceleration of the table over gravity from which there is the orbit", BIRTH, None),
    of.quantity("doubling", "1", "acceleration over gravity above which the orbit doubles its period", DOUBLING, None),
    of.quantity("middle_phase", "rad", "phase of the bounce midway between birth and doubling", MIDDLE, None),
)

CASE = Case(
    name="vibrating_table",
    title="Ball on a vibrating table",
    document="Holmes 1982",
    topics=("impact", "limit cycle"),
    summary="A ball bounces on a table that vibrates, once in n periods: its orbit, multipliers, birth and loss.",
    statement=(
        "y'' = -1 above the table, which is at Γ sin(t + φ), in units of the angular frequency of the table and of "
        "gravity; restitution e relative to the table.",
        "The motion begins just after a bounce of the orbit with one bounce in n periods. Heights of all bounces "
        "agree, so that no approximation of high bounces is needed: cos(φ) = n π (1 - e)/(Γ (1 + e)).",
        "The derivatives with respect to the start jump at a bounce as its instant moves; their trace and determinant "
        "after the next one are the sum and the product of the multipliers.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 4, 0.35),
        draw.arrow((2.4, 0), (2.4, 0.6), ""),
        draw.arrow((2.4, 0), (2.4, -0.6), ""),
        draw.words((3.9, 0), "Gam sin(t + φ)"),
        draw.disc((0, 2.4), 0.25),
        draw.path(lambda y: (0, y), 0.3, 2.1),
        draw.arrow((0.6, 2.0), (0.6, 1.2), ""),
        draw.words((0.85, 1.6), "g"),
        draw.words((-0.5, 1.0), "y"),
        draw.dashed((-2.4, 0.6), (2.2, 0.6)),
        draw.dashed((-2.4, -0.6), (2.2, -0.6)),
    ),
    equations=(
        "y'' = -1, y = Γ sin(t + φ): v = (1 + e) Γ cos(t + φ) - e v",
        "tr = 1 + e^2 - (1 + e)^2 Γ sin(φ), det = e^2",
        "Γ_b = n π (1 - e)/(1 + e), Γ_d^2 = Γ_b^2 + (2 (1 + e^2)/(1 + e)^2)^2",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("one_period", {}),
        Variant("two_periods", {"n": "2", "Gam": "2.23"}),
        Variant("lossy", {"e": "0.2", "Gam": "2.5"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    sources=(
        "P. J. Holmes: The dynamics of repeated impacts with a sinusoidally vibrating table. Journal of Sound and "
        "Vibration 84 (1982) 173-189.",
        "A. C. J. Luo, R. P. S. Han: The dynamics of a bouncing ball with a sinusoidally vibrating table revisited. "
        "Nonlinear Dynamics 10 (1996) 1-18.",
    ),
    remarks=(
        "Holmes's map of high bounces, which forgets how far the table moves, has Γ_d² = Γ_b² + 1: for e = 0.5 the "
        "orbit of one period is lost at 1.448 instead of 1.527.",
        "The ball leaves the table at a guard that is zero: a search from the old root finds it again, and the flight "
        "has no length. A contact that is a stiff spring is late in phase and shifts the window of stability.",
        "A stability analysis that forgets that instants of bounces move has trace -2 e for all orbits.",
    ),
    held=dict.fromkeys(("Gam", "e", "n"), "the orbit is there, and stable, in windows of acceleration alone"),
)

test_vibrating_table = verifies(CASE)
