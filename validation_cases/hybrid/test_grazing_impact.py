"""Grazing impact: an oscillator that just touches a stop, once in a period, or just misses it."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import share_of
from veridyn.validation_cases.measures.trajectories import evenly

END = 20.0
PARAMETERS = (
    Parameter("d", "1", "place of the stop", "1"),
    Parameter("A", "1", "amplitude before the first touch", "1.00001"),
    Parameter("e", "1", "coefficient of restitution", "0.5"),
)
PROBLEM = InitialValueProblem(
    name="grazing_impact",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=("v", "-x"),
            events=(Change(name="impact", guard="x - d", direction=1, reset={"x": "d", "v": "-e*v"}),),
        ),
    ),
    initial=("-A", 0),
    end=END,
    output_times=evenly(END, 500),
)
REQUIRED = (Requirement("e <= 1", REBOUND),)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def touches(p: Any, number: int) -> Any:
    """Return the speed just before an impact: each leaves e of it, and the oscillator brings it back."""
    return p.e ** (number - 1) * mpmath.sqrt((p.A - p.d) * (p.A + p.d))


def impact(p: Any, number: int) -> Any:
    """Return the instant of an impact: the angle left to the stop is atan(v/d) before it, and after it as well."""
    swings = [mpmath.pi - mpmath.atan(touches(p, 1) / p.d)]
    swings += [2 * mpmath.pi - 2 * mpmath.atan(touches(p, n) / p.d) for n in range(2, number + 1)]
    return mpmath.fsum(swings)


def count(p: Any) -> Any:
    """Return the number of impacts up to 16."""
    return 0 if p.d > p.A else next(n for n in itertools.count() if impact(p, n + 1) > 16)


def speed(p: Any, number: int, side: str) -> Any:
    """Return the velocity just before or after an impact."""
    return touches(p, number) * (1 if side == "before" else -p.e)


def place(p: Any) -> Any:
    """Return the place at 6, from the last impact before it."""
    number = next(n for n in itertools.count(1) if impact(p, n + 1) > 6)
    since = mpmath.mpf(6) - impact(p, number)
    return p.d * mpmath.cos(since) - p.e * touches(p, number) * mpmath.sin(since)


def _touches(values: Values) -> bool:
    """Whether the oscillator reaches the stop."""
    return values["A"].rational > values["d"].rational


def _misses(values: Values) -> bool:
    return not _touches(values)


def wrong_by(number: int) -> Callable[[Values], Tolerance]:
    """Return the criterion of what is as wrong as impact n if the amplitude is by 1e-7: as A/v_n."""

    def size(values: Values) -> float:
        d, A, e = floats(values, "d", "A", "e")
        return A / (e ** (number - 1) * math.sqrt(abs(A**2 - d**2)))

    return share_of(size, 1e-7, "this suite: what an error of 1e-7 of the amplitude makes of it")


of = Quantities(MOTION, 1e-7, "a hundredth of what is missing to a touch", "angles of the orbits")
IMPACTS = tuple(
    of.event("impact", n, second=partial(impact, number=n), applies=_touches, criterion=wrong_by(n)) for n in (1, 2, 3)
)


def speed_of(n: int, side: str) -> Quantity:
    """Return the velocity before or after an impact."""
    return of.value(
        "v",
        ("impact", n),
        "1",
        before=side == "before",
        name=f"v_{side}_{n}",
        second=partial(speed, number=n, side=side),
        applies=_touches,
        criterion=wrong_by(n),
    )


SPEEDS = (speed_of(1, "before"), speed_of(1, "after"), speed_of(3, "before"))
HIT = (
    *IMPACTS,
    *SPEEDS,
    of.value("x", "6", "1", name="x_hit", scale="d", second=place, applies=_touches, criterion=wrong_by(1)),
)
MISS = (
    of.largest("x", "1", name="reach", applies=_misses, second=lambda p: p.A),
    of.value("x", "6", "1", name="x_miss", applies=_misses, scale="d", second=lambda p: -p.A * mpmath.cos(6)),
)
COUNT = of.count("impact", "16", second=count)

CASE = Case(
    name="grazing_impact",
    title="Grazing impact",
    document="Nordmark 1991",
    topics=("impact", "grazing"),
    summary="An oscillator touches a stop with next to no speed, a little less each time, or misses it by a hair.",
    statement=(
        "An oscillator with the period 2 pi swings with the amplitude A; at x = d a stop returns e of the velocity.",
        "With A = d (1 + r), r small, the speed of the impact is d sqrt(2 r): 0.0045 for r = 1e-5. "
        "With A < d nothing happens.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1"),
        draw.stop((4.4, 0), 180.0),
        draw.span((3.0, -0.7), (4.4, -0.7), ""),
        draw.words((3.7, -1.0), "d"),
        draw.words((5.2, 0), "e"),
        draw.arrow((2.5, 0.7), (3.4, 0.7), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations("v_n = e^(n-1) sqrt(A^2 - d^2), t_1 = π - atan(v_1/d)"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(
        Variant("graze", {}, frozenset({*(q.name for q in HIT), COUNT.name})),
        Variant("deeper", {"A": "1.01"}, frozenset({*(q.name for q in HIT), COUNT.name})),
        Variant("near_miss", {"A": "0.99999"}, frozenset({*(q.name for q in MISS), COUNT.name})),
    ),
    quantities=(*HIT, *MISS, COUNT),
    requirements=REQUIRED,
    modelling=("The guard is past zero for 2 sqrt(2 r) of time, 0.009 for r = 1e-5, and touches zero at A = d.",),
    sources=(
        "A. B. Nordmark: Non-periodic motion caused by grazing incidence in an impact oscillator. Journal of Sound and "
        "Vibration 145 (1991) 279-297. https://doi.org/10.1016/0022-460X(91)90592-8",
    ),
    remarks=(
        "A solver that looks for changes of sign at the ends of its steps passes through the stop: the count is 0, and "
        "no error is raised.",
        "The speed depends on the amplitude as a square root: an error of 1e-9 of the amplitude is one of 5e-5 of it.",
        "A solver that takes a near miss for a touch, within a tolerance of the guard, counts impacts of no speed.",
    ),
    held={"A": "beyond the stop or not is what the variants are about", "d": "as A"},
    benchmark_variant="deeper",
)

test_grazing_impact = verifies(CASE)
