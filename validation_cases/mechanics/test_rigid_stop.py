"""An oscillator before a rigid stop: restitution as a law of impact, rest after infinitely many impacts, contact."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.elements import Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import DIGITS
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.postprocessing.balance import element_history
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, floats, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import exactly
from veridyn.validation_cases.measures.consistency import positions, rates
from veridyn.validation_cases.measures.motions import where_known
from veridyn.validation_cases.measures.quantities import (
    always,
    displacement_at,
    outputs,
    share_of,
    size,
    velocity_at,
)
from veridyn.validation_cases.measures.rigid import beyond, hit, hits, limit_of_hits

PARAMETERS = (
    Parameter("m", "kg", "mass", "2", "positive"),
    Parameter("k", "N/m", "stiffness", "50", "non-negative"),
    Parameter("c", "N s/m", "damping", "0.4", "non-negative"),
    Parameter("F", "N", "amplitude of the load", "30", "non-negative"),
    Parameter("W", "rad/s", "frequency of the load", "7", "positive"),
    Parameter("P", "N", "constant part of the load, towards the stop", "4", "non-negative"),
    Parameter("gap", "m", "distance of the stop", "0.1", "positive"),
    Parameter("e", "1", "coefficient of restitution, at most 1", "0.6", "non-negative"),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)
END = 3.0
STOP = "stop"
HIT = "stop_hits"
INSTANTS = ("0.6", "1.4", "2.2", "2.9")  # far from impacts, in rest and in flight
HITS, CONTACTS = 4, 3
SPACING = 1e-3  # s, of the output
NEAR = 4 * SPACING  # s; a value between samples is read from four of them
JUMPS = 1.0  # regularity: velocities jump


# ---- the problem, for solvers and for its proof


def problem(values: Values) -> MechanicalProblem:
    """Return the oscillator at rest before its stop."""
    m, k, c, F, W, P, gap, e = numbers(values, *(p.name for p in PARAMETERS))
    return MechanicalProblem(
        name="rigid_stop",
        mass=np.array([[m]]),
        damping=np.array([[c]]),
        stiffness=np.array([[k]]),
        end=END,
        output_times=outputs(END, SPACING, INSTANTS),
        loads=(Load(np.ones(1), Harmonic(F, W)), Load(np.ones(1), constant(P))),
        stops=(Stop(STOP, np.ones(1), gap, restitution=e),),
        coordinates=("x",),
    )


MOTION = make_quantities(problem, PARAMETERS, record=restrict(*REQUIRED))


# ---- the fall, in closed form


def is_fall(values: Values) -> bool:
    """Whether nothing but the constant load acts, and impacts accumulate before the last instants."""
    m, k, c, F, _, P, gap, e = floats(values, *(p.name for p in PARAMETERS))
    falls = P > 0 and not (k or c or F) and 0 < e < 1
    return falls and math.sqrt(2 * gap * m / P) * (1 + e) / (1 - e) < float(INSTANTS[-2])


def bounces(values: Values) -> bool:
    """Whether there is a rebound, and no end of them."""
    return float(values["e"]) > 0 and not is_fall(values)


def stays(values: Values) -> bool:
    """Whether an impact takes all of the speed."""
    return float(values["e"]) == 0


def first(p: Any) -> Any:
    """Return the instant of the first impact of a fall (s)."""
    return (2 * p.gap * p.m / p.P) ** 0.5


def limit(p: Any) -> Any:
    """Return the instant at which the impacts of a fall accumulate, by the geometric series."""
    return first(p) * (1 + p.e) / (1 - p.e)


def summed(p: Any) -> Any:
    """Return that instant as a sum over flights."""
    return first(p) * (1 + 2 * mpmath.nsum(lambda n: p.e**n, [1, mpmath.inf]))


# ---- what is asked


def _reach(values: Values) -> float:
    """Return how far the mass gets: the amplitude under the load without a stop, or the gap (m)."""
    m, k, c, F, W, gap = floats(values, "m", "k", "c", "F", "W", "gap")
    return max(gap, F / math.hypot(k - m * W**2, c * W) if F else 0.0)


_speed = size("sqrt(2*(F + P)*gap/m)")  # velocity that the load gives on the way to the stop (m/s)


def _push(o: Observation) -> float:
    """Return the force of the stop at the end (N)."""
    return float(element_history(o.response, STOP, "normal_force", of="stop")[-1])


# criterion and scale
PLACES = (share_of(_reach, 5e-3, "this suite asks 5e-3 of the amplitude under the load, or of the gap"), _reach)
SPEEDS = (share_of(_speed, 1e-2, "this suite asks 1e-2 of the velocity at the stop"), _speed)
TIMES = (share_of(always(END), 1e-3, "this suite asks 1e-3 of the span"), always(END))
PUSHES = (share_of(size("P"), 1e-2, "this suite asks 1e-2"), size("P"))


def _apart(measure: Callable[[Observation], float], counts: Sequence[Any], o: Observation) -> float:
    """Return a reading between samples, where there is no impact from one count of them to the other.

    Raises
    ------
    CapabilityError
        If there is one.
    """
    if len({count.compute(o.values, DIGITS).value for count in counts}) > 1:
        raise CapabilityError(f"an impact is within {NEAR:g} s of the instant: samples do not tell the state")
    return measure(o)


def _known(
    name: str, unit: str, words: str, truth: Any, measure: Any, criterion: Any, scale: Any, applies: Any
) -> Quantity:
    """Return a quantity that is read where it is known."""
    seen = partial(where_known, measure, truth)
    return Quantity(name, unit, words, truth, seen, criterion, scale, JUMPS, applies=applies)


def _ask(ending: str, number: int, applies: Callable[[Values], bool]) -> tuple[Quantity, ...]:
    """Return what is asked: place and velocity at instants, instants of so many impacts, their count."""

    def of(name: str, unit: str, words: str, truth: Any, measure: Any, criterion: Any, size: Any = None) -> Quantity:
        return _known(f"{name}{ending}", unit, words, truth, measure, criterion, size, applies)

    result = []
    for t in INSTANTS:
        counts = tuple(MOTION.count(HIT, f"{float(t) + side * NEAR:.6g}") for side in (-1, 1))
        place, rate = (partial(_apart, partial(read, time=float(t)), counts) for read in (displacement_at, velocity_at))
        result += [
            of(f"x@{t}", "m", f"displacement at {t} s", MOTION.value("x", t), place, *PLACES),
            of(f"v@{t}", "m/s", f"velocity at {t} s", MOTION.value("v_x", t), rate, *SPEEDS),
        ]
    for n in range(1, number + 1):
        truth, words = MOTION.event(HIT, n), f"instant of impact {n}"
        result.append(of(f"t_{n}", "s", words, truth, partial(hit, number=n), *TIMES))
    count = of("hits", "", "number of impacts", MOTION.count(HIT), hits, exactly("impacts are counted"))
    return (*result, count)


FIRST = MOTION.closed(first, second=lambda p: mpmath.sqrt(2 * p.gap * p.m / p.P), how="uniform acceleration")
LIMIT = MOTION.closed(limit, second=summed, how="numerical sum")
REST = MOTION.closed(lambda p: p.gap, second=lambda p: p.gap, how="the place of the stop")
PUSH = MOTION.closed(lambda p: p.P, second=lambda p: p.P, how="balance of forces")
AT_END = partial(displacement_at, time=float(INSTANTS[-1]))
FALL = (
    _known("t_first", "s", "instant of impact 1", FIRST, partial(hit, number=1), *TIMES, is_fall),
    _known("t_infinity", "s", "instant at which impacts accumulate", LIMIT, limit_of_hits, *TIMES, is_fall),
    _known("x_rest", "m", "displacement at rest", REST, AT_END, *PLACES, is_fall),
    _known("push", "N", "force of the stop at the end", PUSH, _push, *PUSHES, is_fall),
)

CASE = Case(
    name="rigid_stop",
    title="Oscillator before a rigid stop",
    document="Brogliato 2016",
    topics=("impact", "accumulation"),
    summary="A driven oscillator hits a rigid stop and leaves with e times its speed, stays in contact where e = 0, "
    "and comes to rest after infinitely many impacts where nothing but a constant load pushes.",
    statement=(
        "An oscillator m, c, k at rest is driven by F sin(W t) + P. At x = gap there is a rigid stop: 0 <= gap - x is "
        "complementary to its force, and the velocity after an impact is -e times that before (Newton).",
        "With e = 0 an impact begins a contact; it ends where F sin(W t) + P - k gap, the force, falls to zero.",
        "With k = c = F = 0 impacts accumulate at T = sqrt(2 m gap/P) (1 + e)/(1 - e); then the mass rests.",
    ),
    sketch=draw.sketch(
        draw.oscillator("k", "c"),
        draw.stop((4.6, 0), 180.0),
        draw.words((5.4, 0), "e"),
        draw.span((3.0, -0.95), (4.6, -0.95), ""),
        draw.words((3.8, -1.25), "gap"),
        draw.arrow((3.0, 0.3), (3.9, 0.3), ""),
        draw.words((4.2, 0.8), "F sin(W t) + P"),
        draw.arrow((2.5, 1.25), (3.3, 1.25), "x"),
    ),
    equations=(
        "m x'' + c x' + k x = F sin(W t) + P - push",
        "0 <= gap - x, complementary to push >= 0",
        "v_2 = -e v_1, where gap - x falls to 0",
        "T = sqrt(2 m gap/P) (1 + e)/(1 - e)",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("bounces", {}),
        Variant("elastic", {"e": "1", "F": "20"}),
        Variant("stays", {"e": "0"}),
        Variant("falls", {"k": "0", "c": "0", "F": "0", "e": "0.5"}),
    ),
    quantities=(
        *_ask("", HITS, bounces),
        *_ask("_in_contact", CONTACTS, stays),
        *FALL,
    ),
    residuals=(beyond(size("gap")), positions(), rates()),
    problem=problem,
    modelling=(
        "The stop is rigid: solvers need a law of impact, or complementarity of velocities. A penalty is another "
        "problem.",
        "Instants of impacts are events, or where a straight line from the last sample before reaches the stop.",
        "The limit of impacts is read from the last three that are apart by more than 1e-2 of the span (Aitken).",
    ),
    sources=(
        "B. Brogliato: Nonsmooth Mechanics: Models, Dynamics and Control, 3rd edition. Springer (2016).",
        "J. J. Moreau: Unilateral contact and dry friction in finite freedom dynamics. In: Nonsmooth Mechanics and "
        "Applications, CISM Courses 302. Springer (1988) 1-82.",
    ),
    remarks=(
        "A solver that steps over impacts is of order 1, whatever its order in flight.",
        "A rebound with the speed at the end of a step in place of that at the impact gains energy from the load.",
        "Without a rule for rest, an event-driven solver does not come past T; with too coarse a one, it is early.",
        "A stop that holds what it should let go shows in the place at the instants after a release.",
    ),
    held={"e": "a rigid stop takes 0 to 1", **dict.fromkeys(("k", "c", "F"), "a fall has none of them")},
)

test_rigid_stop = verifies(CASE)
