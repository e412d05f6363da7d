"""Impact of a rod on a rough floor: what the restitution laws of Newton, Poisson and Stronge make of it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.generated import equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant

PARAMETERS = (
    Parameter("m", "kg", "mass of the rod", "1", "positive"),
    Parameter("theta", "rad", "angle of the rod above the floor, below a right one", "0.75", "positive"),
    Parameter("mu", "1", "coefficient of friction", "0.6", "positive"),
    Parameter("e", "1", "coefficient of restitution", "0.5", "positive"),
    Parameter("v_t", "m/s", "velocity of the tip along the floor before the impact", "0.2", "positive"),
    Parameter("v_n", "m/s", "velocity of the tip into the floor before the impact", "1", "positive"),
)
W_TT, W_NN = "(1 + 3*sin(theta)**2)/m", "(1 + 3*cos(theta)**2)/m"
W_TN = "(-3*sin(theta)*cos(theta)/m)"
STICK = f"(-{W_TN}/({W_TT}))"  # friction over normal impulse that holds the tip
AFTER = f"((mu + {STICK} - sqrt((mu - {STICK})**2))/2)"  # the smaller one: stick, else reverse slip
LAWS = {"newton": "u_n - e*v_n", "poisson": "t - (1 + e)*P", "stronge": "A - (1 - e**2)*C"}
COMPRESSED = Change(
    name="compressed", guard="u_n", direction=1, reset={"u_n": 0, "P": "t", "C": "A"}, waits="compression ends once"
)


def path(name: str, friction: str, *changes: Change) -> Mode:
    """Return a part of the impact in which friction is a multiple of the normal force."""
    rates = (f"({W_TT})*{friction} + {W_TN}", f"{W_TN}*{friction} + {W_NN}", f"{friction}*u_t + u_n", "u_n", 0, 0)
    return Mode(name=name, rates=rates, events=(*changes, COMPRESSED))


def ended(*laws: str) -> InitialValueProblem:
    """Return the impact with its ends after some laws: where slip goes on they agree, and none is the first."""
    ends = tuple(Change(name=law, guard=LAWS[law], direction=1) for law in laws)
    stop = Change(name="stop", guard="u_t", direction=-1, reset={"u_t": 0}, mode="after")
    # t is the normal impulse; E and A are the works of both forces and of the normal one; P and C are impulse and
    # work A of the compression
    return InitialValueProblem(
        name="rod_impact",
        states=("u_t", "u_n", "E", "A", "P", "C"),
        parameters={p.name: p.default for p in PARAMETERS},
        modes=(path("slips", "(-mu)", stop, *ends), path("after", AFTER, *ends)),
        initial=("v_t", "-v_n", 0, 0, 0, 0),
        end=3.0,
        output_times=evenly(3.0, 600),
    )


PROBLEM = ended(*LAWS)
REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("cos(theta) >= 0", "the rod leans the other way", "theta <= pi/2"),
)


def slopes(p: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return impulse at which slip stops, rates of u_n before and after, rate of u_t after, friction after."""
    tt, nn, tn = 3 - 3 * mpmath.cos(2 * p.theta) + 2, 5 + 3 * mpmath.cos(2 * p.theta), 3 * mpmath.sin(2 * p.theta)
    held = min(p.mu, tn / tt)
    stop = 2 * p.m * p.v_t / (p.mu * tt + tn)
    return stop, (nn + p.mu * tn) / 2 / p.m, (nn - held * tn) / 2 / p.m, (held * tt - tn) / 2 / p.m, held


def climbed(p: Any, begin: Any, work: Any) -> Any:
    """Return u_n where the normal force has done some work since it was u_n = begin at the end of slip or before."""
    stop, before, after, *_ = slopes(p)
    there = -p.v_n + before * stop
    square = begin**2 + 2 * before * work
    if begin >= there or square > there**2:
        spent = max((there**2 - begin**2) / (2 * before), 0) if begin < there else 0
        square = max(begin, there) ** 2 + 2 * after * (work - spent)
    return mpmath.sqrt(square)


def reached(p: Any, velocity: Any) -> Any:
    """Return the impulse at which the tip has a velocity from the floor."""
    stop, before, after, *_ = slopes(p)
    there = -p.v_n + before * stop
    return (velocity + p.v_n) / before if velocity <= there else stop + (velocity - there) / after


def compression_work(p: Any) -> Any:
    """Return the work that the compression takes from the normal motion."""
    stop, before, after, *_ = slopes(p)
    there = min(-p.v_n + before * stop, 0)
    return (p.v_n**2 - there**2) / (2 * before) + there**2 / (2 * after)


def impulse(p: Any, law: str) -> Any:
    """Return the normal impulse after a law."""
    if law == "newton":
        return reached(p, p.e * p.v_n)
    if law == "poisson":
        return (1 + p.e) * reached(p, 0)
    return reached(p, climbed(p, 0, p.e**2 * compression_work(p)))


def rise(p: Any, law: str) -> Any:
    """Return u_n after the impact."""
    stop, before, after, *_ = slopes(p)
    end = impulse(p, law)
    return -p.v_n + before * min(stop, end) + after * max(end - stop, 0)


def slide(p: Any, law: str) -> Any:
    """Return u_t after the impact."""
    stop, _, _, backwards, _ = slopes(p)
    end = impulse(p, law)
    return p.v_t * (1 - end / stop) if end < stop else backwards * (end - stop)


def gain(p: Any, law: str) -> Any:
    """Return the gain of energy: impulses times mean velocities (Kelvin)."""
    stop, *_, held = slopes(p)
    end = impulse(p, law)
    friction = -p.mu * min(stop, end) + held * max(end - stop, 0)
    return ((p.v_t + slide(p, law)) * friction + (rise(p, law) - p.v_n) * end) / 2


def after(law: str) -> Iterator[Quantity]:
    """Yield what a law of restitution makes of the impact."""
    motion = hybrid.motion(ended(law), PARAMETERS, restrict(*REQUIRED))
    how = "straight parts of the path of impact"
    of = Quantities(motion, how=how)
    truth = motion.event(law, second=partial(impulse, law=law), how=how)
    yield of.quantity(f"p_{law}", "N s", f"normal impulse, {law}", truth, partial(event_instant, event=law))
    yield of.value("u_n", (law, 1), "m/s", name=f"u_n_{law}", second=partial(rise, law=law))
    yield of.value("u_t", (law, 1), "m/s", name=f"u_t_{law}", scale="v_n", second=partial(slide, law=law))
    yield of.value("E", (law, 1), "J", name=f"energy_{law}", scale="m*v_n**2/2", second=partial(gain, law=law))


QUANTITIES = tuple(quantity for law in LAWS for quantity in after(law))
MOVING = frozenset(q.name for q in QUANTITIES if not q.name.startswith("u_t"))

CASE = Case(
    name="rod_impact",
    title="Rod that hits a rough floor",
    document="Wang 1992",
    topics=("multibody", "impact", "friction"),
    summary="One impact with friction, three laws of restitution: Newton's makes energy where slip stops early.",
    statement=(
        "A slender rod hits a rough floor with its tip; s and c are sine and cosine of its angle. By an impulse "
        "(p_t, p_n) the tip changes its velocity by W p, m W = (1 + 3 s², -3 s c; -3 s c, 1 + 3 c²).",
        "Time is the normal impulse p_n: friction is -mu times it while the tip slips, then what holds the tip, "
        "3 s c/(1 + 3 s²), or mu, if that is less and the tip slips back.",
        "Compression ends at u_n = 0. The impact ends after Newton at u_n = e v_n, after Poisson at p_n = (1 + e) P, "
        "after Stronge where the normal force has given back e² of the work that it took.",
    ),
    sketch=draw.sketch(
        draw.ground((-2.2, 0), (2.8, 0)),
        draw.bar((0, 0.06), (1.9, 2.4), "", 0.14),
        draw.dot((0.95, 1.23)),
        draw.arrow((0, -0.4), (0, -0.02), ""),
        draw.words((0.45, -0.55), "p_n"),
        draw.arrow((-1.0, 0.12), (-0.15, 0.12), ""),
        draw.words((-0.8, 0.4), "p_t"),
        draw.arrow((2.6, 2.2), (2.3, 1.3), ""),
        draw.words((2.8, 1.7), "v"),
        draw.words((1.9, -0.5), "mu"),
    ),
    shown=ShownMotion(curves=("u_n", "u_t")),
    equations=(*equations(PROBLEM), "ΔT = (u(0) + u(p))^T p/2"),
    parameters=PARAMETERS,
    variants=(
        Variant("slip_reversal", {}),
        Variant("continued_slip", {"v_t": "3"}),
        Variant("stick", {"mu": "0.7", "e": "1"}, MOVING),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=PROBLEM.with_parameters,
    modelling=("The half length of the rod does not matter to W. E is the work of both forces: the gain of energy.",),
    sources=(
        "J. B. Keller: Impact with friction. Journal of Applied Mechanics 53 (1986) 1-4. "
        "https://doi.org/10.1115/1.3171712",
        "Y. Wang, M. T. Mason: Two-dimensional rigid-body collisions with friction. Journal of Applied Mechanics 59 "
        "(1992) 635-642. https://doi.org/10.1115/1.2893771",
        "W. J. Stronge: Impact Mechanics. Cambridge University Press (2000).",
    ),
    remarks=(
        "Newton's law makes energy, 0.062 J of 0.52 J, where friction holds the tip before the end of the impact and "
        "e = 1; after Poisson and Stronge some is lost, 0.008 J and 0.004 J. While slip goes on all three agree.",
        "Friction that keeps the direction of the first slip ends the impact at 0.428 N s instead of 0.806 N s and "
        "makes energy: of a reversal within an impact the velocities before and after show nothing.",
        "All forces jump where slip stops: a step across it is wrong by the share of the step beyond.",
        "Where the laws agree, three markers pass at one instant: a solver that reports one event a step loses two.",
    ),
    held={"theta": "in another corner the tip slips another way"},
)

test_rod_impact = verifies(CASE)
