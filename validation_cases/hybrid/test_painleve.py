"""Painlevé's rod: it slides on a rough floor, and above a critical friction nothing tells the force of contact."""

from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import Absent
from veridyn.references.engine.jets import value
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81", "positive"),
    Parameter("l", "m", "half length of the rod", "1", "positive"),
    Parameter("i", "1", "moment of inertia over m l^2: 1/3 for a slender rod", "1/3", "positive"),
    Parameter("mu", "1", "coefficient of friction", "1.2", "positive"),
    Parameter("theta_0", "rad", "angle of the rod above the floor at the start", "1.2", "positive"),
    Parameter("w_0", "rad/s", "rate of that angle at the start", "-0.5", "any"),
    Parameter("u_0", "m/s", "velocity of the tip at the start", "5", "positive"),
)
TURNING = "(cos(theta) - mu*sin(theta))"
DRIVES = "(g - l*w**2*sin(theta))"
RESISTS = f"(1 + cos(theta)*{TURNING}/i)"
PUSH = f"({DRIVES}/{RESISTS})"  # of the floor, by mass
SPIN = f"(-{PUSH}*{TURNING}/(i*l))"
PROBLEM = InitialValueProblem(
    name="painleve",
    states=("theta", "w", "u"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slides",
            rates=("w", SPIN, f"-mu*{PUSH} - l*(sin(theta)*{SPIN} + cos(theta)*w**2)"),
            events=(
                Change(name="stop", guard="u", direction=-1, reset={"u": 0}, mode="held"),
                Change(name="lift_off", guard=DRIVES, direction=-1, mode="held"),
                Change(name="lies", guard="sin(theta)", direction=-1, mode="held"),
            ),
        ),
        Mode(name="held", rates=(0, 0, 0)),
    ),
    initial=("theta_0", "w_0", "u_0"),
    end=0.2,
    output_times=evenly(0.2, 1000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
of = Quantities(MOTION)


def discriminant(p: Any) -> Any:
    """Return that of i tan² - mu tan + 1 + i, which is zero where no force of contact is enough."""
    return p.mu**2 - 4 * p.i * (1 + p.i)


def edge(p: Any, side: int) -> Any:
    """Return an end of the angles at which there is none, or more than one, force of contact."""
    if not value(discriminant(p)) > 0:
        raise Absent("friction is below the critical one: at every angle one force of contact")
    return ((p.mu + side * discriminant(p).sqrt()) / (2 * p.i)).atan()


def critical(p: Any, angle: Any) -> Any:
    """Return the friction at which the force of contact at an angle is infinite."""
    return (p.i + mpmath.cos(angle) ** 2) / (mpmath.sin(angle) * mpmath.cos(angle))


def steepest(p: Any) -> Any:
    """Return the angle of the least of them, where (i + cos²)/(sin cos) has no slope."""
    return mpmath.findroot(lambda a: (1 + 2 * p.i) * mpmath.cos(2 * a) + 1, (mpmath.mpf(1), 1.2))


def crossed(p: Any, side: int) -> Any:
    """Return an end of the angles by bisection from the angle of the least critical friction."""
    far = mpmath.pi / 2 if side > 0 else mpmath.mpf(0)
    near = steepest(p)
    return mpmath.findroot(
        lambda a: (p.i + mpmath.cos(a) ** 2) - p.mu * mpmath.sin(a) * mpmath.cos(a), (near, far), solver="anderson"
    )


def paradox(values: Values) -> bool:
    """Tell whether friction is above the critical one."""
    mu, i = (float(values[name]) for name in ("mu", "i"))
    return mu**2 > 4 * i * (1 + i)


CRITICAL = MOTION.closed(
    lambda p: 2 * (p.i * (1 + p.i)).sqrt(), second=lambda p: critical(p, steepest(p)), how="smallest of all angles"
)
STEEPEST = MOTION.closed(lambda p: ((1 + p.i) / p.i).sqrt().atan(), second=steepest, how="angle of no slope, secant")
LOWER, UPPER = (
    MOTION.closed(partial(edge, side=side), second=partial(crossed, side=side), how="root in the angle")
    for side in (-1, 1)
)


def first_push(p: Any) -> Any:
    """Return the force of contact at the start over the weight."""
    s, c = mpmath.sin(p.theta_0), mpmath.cos(p.theta_0)
    return (1 - p.l * p.w_0**2 * s / p.g) / (1 + (c**2 - p.mu * s * c) / p.i)


QUANTITIES = (
    of.event("stop", name="t_stop"),
    of.value("theta", ("stop", 1), "rad", name="theta_stop"),
    of.value("w", ("stop", 1), "rad/s", name="w_stop"),
    of.value(f"{PUSH}/g", "0", "1", name="push_start", second=first_push),
    of.quantity("mu_crit", "1", "least friction of a paradox", CRITICAL, None),
    of.quantity("theta_crit", "rad", "angle of that friction", STEEPEST, None),
    of.quantity("theta_lower", "rad", "least angle of the paradox", LOWER, None, applies=paradox),
    of.quantity("theta_upper", "rad", "largest angle of the paradox", UPPER, None, applies=paradox),
)

CASE = Case(
    name="painleve",
    title="Painlevé's rod",
    document="Génot 1999",
    topics=("multibody", "friction", "singular law"),
    summary="A rod slides on a rough floor, leaning back: friction turns it into the floor, which pushes the more.",
    statement=(
        "A rod slides to the right with its lower tip; its centre is at (-l cos(theta), l sin(theta)) from the tip.",
        "The push of the floor times 1 + cos(theta) (cos(theta) - mu sin(theta))/i is m (g - l w² sin(theta)). Where "
        "that factor is negative there are two pushes or none: Painlevé's paradox.",
        "It takes a friction of 2 sqrt(i (1 + i)), 4/3 for a slender rod; then it lies between two angles. The motion "
        "is followed until the tip stops.",
    ),
    sketch=draw.sketch(
        draw.ground((-3.4, 0), (1.8, 0)),
        draw.bar((0, 0.06), (-1.9, 2.6), "", 0.12),
        draw.words((-0.6, 1.6), "2 l"),
        draw.arc((0, 0.06), 0.8, 180, 127, ""),
        draw.words((-1.4, 0.4), "theta"),
        draw.dot((-0.95, 1.33)),
        draw.arrow((0.3, 0.4), (1.2, 0.4), "u"),
        draw.words((0.6, -0.5), "mu"),
        draw.arrow((-3.0, 2.6), (-3.0, 1.7), "g"),
    ),
    shown=ShownMotion(curves=("theta", "u")),
    equations=of.equations("μ_P = (i + cos(θ)^2)/(sin(θ) cos(θ))", "i tan(θ)^2 - μ tan(θ) + 1 + i = 0"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("below_critical", {}),
        Variant("below_the_angles", {"mu": "1.6", "theta_0": "0.78", "w_0": "-0.2"}),
        Variant("above_the_angles", {"mu": "1.6", "theta_0": "1.4", "w_0": "0.5", "u_0": "2"}),
    ),
    quantities=QUANTITIES,
    modelling=(
        "After the stop, or where the tip lifts off or the rod lies on the floor, nothing is asked: the states stay.",
    ),
    sources=(
        "P. Painlevé: Sur les lois du frottement de glissement. Comptes Rendus de l'Académie des Sciences 121 (1895) "
        "112-115.",
        "F. Génot, B. Brogliato: New results on Painlevé paradoxes. European Journal of Mechanics A/Solids 18 (1999) "
        "653-677. https://doi.org/10.1016/S0997-7538(99)00144-8",
        "A. R. Champneys, P. L. Várkonyi: The Painlevé paradox in contact mechanics. IMA Journal of Applied "
        "Mathematics 81 (2016) 538-588. https://doi.org/10.1093/imamat/hxw027",
    ),
    remarks=(
        "The push begins at 5.48 weights. With the weight for the push, as on a body that does not turn, the tip stops "
        "after 0.143 s instead of 0.045 s.",
        "Near the ends of the paradox the push grows beyond bounds: 11.4 weights where the tip stops 0.019 rad below "
        "the lower end. Steps must shrink with the distance.",
        "Within the angles a contact law of complementarity has no solution, or two: solvers loop, give up or choose. "
        "No truth is asked there.",
        "At friction of 1.2 each angle has one push: a solver that warns of a paradox has its sign of friction wrong.",
    ),
)

test_painleve = verifies(CASE)
