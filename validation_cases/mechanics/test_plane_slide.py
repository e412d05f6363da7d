"""Body that slides on a level or tilted plane until it stops: friction stays opposite to the velocity."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from veridyn.problem.elements import Friction, Load
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import constant
from veridyn.references.certified import Certified
from veridyn.references.problems import hodograph
from veridyn.references.reference import Reference
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    numbers,
    read_once,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.consistency import flags, friction_cone, velocities
from veridyn.validation_cases.measures.quantities import always, displacement_at, share_of, size
from veridyn.validation_cases.measures.sliding import ONE_STEP, STEPS, end_of_slip

END = 1.0  # s
SOLE = "sole"
JUMPS = 1.0  # regularity: friction jumps where a slip ends


def _stops_in_time(values: Values) -> bool:
    return float(hodograph.stop_time.compute(values)) < END


def _turns(values: Values) -> bool:
    """Whether the velocity turns: on a level plane the path is straight."""
    return values["s"].rational > 0


def _turns_in_time(values: Values) -> bool:
    return float(hodograph.turn_time.compute(values)) < END


STRAIGHT = "on a level plane the path is straight: the velocity does not turn"


_speed = size("hypot(v_x, v_y)")


def problem(values: Values) -> MechanicalProblem:
    """Return the body with its places down the slope and across."""
    m, g, s, mu, v_x, v_y = numbers(values, "m", "g", "s", "mu", "v_x", "v_y")
    cosine = 1 / sqrt(1 + s**2)
    return MechanicalProblem(
        name="plane_slide",
        mass=m * np.eye(2, dtype=int),
        initial_velocity=np.array([v_x, v_y]),
        end=END,
        output_times=np.linspace(0.0, END, STEPS + 1),
        loads=(Load(np.array([m * g * s * cosine, 0]), constant(1)),) if s else (),
        frictions=(Friction(SOLE, tuple(np.eye(2)), m * g * cosine, mu, mu),),
        coordinates=("x", "y"),
    )


@read_once
def turn_time(o: Observation) -> float:
    """Return when the velocity stands half as steep to the line of slope as at the start (s)."""
    half = math.atan2(o["v_y"], o["v_x"]) / 2
    normal = o.response.velocity @ np.array([-math.sin(half), math.cos(half)])
    result = [t for t, _ in crossings(o.response.time, normal)]
    if not result:
        raise SolverFailure("the velocity does not turn")
    return result[0]


def _at(o: Observation, instant: Callable[[Observation], float], place: int) -> float:
    return displacement_at(o, instant(o), place)


stop_time = partial(end_of_slip, name=SOLE)
TIMES, PLACES = (share_of(rate, END / STEPS, ONE_STEP) for rate in (always(1.0), _speed))


def _way(values: Values) -> float:
    """Return a way (m) that the body does not reach on a level plane."""
    return _speed(values) * END


def _stop(axis: str, place: int, reference: Reference[Certified]) -> Quantity:
    """Return a coordinate of the place of rest."""
    measure = partial(_at, instant=stop_time, place=place)
    return Quantity(
        f"stop_{axis}", "m", f"{axis} of rest", reference, measure, PLACES, _way, JUMPS, observable=_stops_in_time
    )


def _turn(axis: str, place: int, reference: Reference[Certified]) -> Quantity:
    """Return a coordinate of the place at half of the turn."""
    measure, definition = partial(_at, instant=turn_time, place=place), f"{axis} at half of the turn"
    return Quantity(
        f"turn_{axis}",
        "m",
        definition,
        reference,
        measure,
        PLACES,
        _way,
        JUMPS,
        applies=_turns,
        absent=STRAIGHT,
        observable=_turns_in_time,
    )


QUANTITIES = (
    Quantity(
        name="stop_time",
        unit="s",
        definition="end of the slip",
        reference=hodograph.stop_time,
        measure=stop_time,
        criterion=TIMES,
        scale=always(END),
        regularity=JUMPS,
        at_samples=True,
        observable=_stops_in_time,
    ),
    _stop("x", 0, hodograph.stop_x),
    _stop("y", 1, hodograph.stop_y),
    Quantity(
        name="turn_time",
        unit="s",
        definition="half of the turn",
        reference=hodograph.turn_time,
        measure=turn_time,
        criterion=TIMES,
        scale=always(END),
        regularity=JUMPS,
        applies=_turns,
        absent=STRAIGHT,
        observable=_turns_in_time,
    ),
    _turn("x", 0, hodograph.turn_x),
    _turn("y", 1, hodograph.turn_y),
)

CASE = Case(
    name="plane_slide",
    title="Body that slides to a stop in a plane",
    document="this suite",
    topics=("friction", "two directions"),
    summary="Friction is opposite to a velocity that turns: instant and place of the stop on a level or tilted plane.",
    statement=(
        "A body slides with (v_x, v_y) on a plane with the slope s along x, which friction would hold: s < mu.",
        "On a level plane its path is straight. On a tilted one the velocity turns to the line of slope, and points "
        "down it at the instant of the stop.",
    ),
    sketch=draw.sketch(
        draw.plane((-2.6, -1.6), (3.2, -1.6), (4.4, 1.6), (-1.4, 1.6)),
        draw.box((-0.9, -0.7), 0.8, 0.6, "m"),
        draw.arrow((-0.5, -0.5), (0.6, 0.5), "v"),
        draw.path(lambda t: (-0.9 + 3.4 * t - 0.3 * t * t, -0.7 + 2.2 * t - 1.2 * t * t), 0.2, 1.0),
        draw.dot((2.2, 0.3)),
        draw.words((2.9, 0.3), "stop"),
        draw.arrow((-2.4, -1.4), (-1.4, -1.4), "x, down the slope s"),
        draw.arrow((-2.4, -1.4), (-2.05, -0.5), "y"),
        draw.words((2.5, -1.2), "mu"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True, until=0.69),
    equations=(
        "x'' = g (s - μ x'/v)/sqrt(1 + s^2), y'' = -g μ y'/(v sqrt(1 + s^2)), v = sqrt(x'^2 + y'^2)",
        "v sin(φ) = K u^n, u = tan(φ/2), n = μ/s",
        "t_r = (μ v_0 + s v_x) sqrt(1 + s^2)/(g (μ^2 - s^2))",
    ),
    parameters=hodograph.PARAMETERS,
    variants=(
        Variant("level", {"s": "0", "v_x": "1.6", "v_y": "1.2"}),
        Variant("across", {}),
        Variant("upwards", {"v_x": "-2.4", "v_y": "1"}),
    ),
    quantities=QUANTITIES,
    residuals=(
        friction_cone("of mu N", lambda o: o["mu"] * o["m"] * o["g"] / math.hypot(1.0, o["s"])),
        velocities(),
        flags(),
    ),
    problem=problem,
    modelling=("Two coordinates under the constant normal force m g cos a, with two tangents of friction.",),
    remarks=(
        "Friction as two independent forces along x and y (a box or a pyramid in place of a cone) bends the path of "
        "the level plane: it stops first in y, after 0.31 s, and then slides on along x.",
        "Friction against the velocity of the start stops the body of the tilted plane too early.",
        "The direction of the velocity is lost near the stop: what is left of it there is small in every place.",
    ),
    benchmark_variant="across",
)

test_plane_slide = verifies(CASE)
