"""Block on an incline: it holds, slides to a stop, runs on, or comes back after a climb."""

import math
from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.elements import Friction, Load
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import constant
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, floats, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.measures.consistency import energy, flags, friction_cone, friction_law, velocities
from veridyn.validation_cases.measures.friction import OVERSHOOT
from veridyn.validation_cases.measures.quantities import always, displacement_at, share_of, size, velocity_at
from veridyn.validation_cases.measures.sliding import ONE_STEP, PHASE_WORDS, STEPS, end_of_slip, order

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("s", "1", "tangent of the slope", "0.2", "non-negative"),
    Parameter("mu_s", "1", "coefficient of static friction", "0.4"),
    Parameter("mu_d", "1", "coefficient of kinetic friction", "0.4"),
    Parameter("v0", "m/s", "velocity at the start, down the slope", "2", "any"),
)
REQUIRED = (Requirement("mu_s >= mu_d", "friction would be larger in motion than at rest"),)
END, FAR = 2.0, 10**6  # s; of what solvers get, and of what is proved: a block may come to rest later
INSTANTS = ("0.25", "1.75")  # before and after a stop
SOLE = "sole"
JUMPS = 1.0  # regularity: friction jumps where a slip ends


def _is_clear(values: Values) -> bool:
    """Whether penalised stick, which overshoots, holds where rigid stick does: nothing can be asked elsewhere."""
    s, mu_s, mu_d, v0 = floats(values, "s", "mu_s", "mu_d", "v0")
    jump = s if v0 == 0 else s - math.copysign(mu_d, v0)
    return s > mu_s or s + float(OVERSHOOT) * abs(jump) < mu_s


def _stops(values: Values) -> bool:
    """Whether the block slides, and comes to rest."""
    return STOP_TIME.compute(values).value is not None


def _stops_in_time(values: Values) -> bool:
    return float(STOP_TIME.compute(values)) < END and _is_clear(values)


def _ordered(values: Values) -> bool:
    """Whether the phases are those of an endless motion: no rest comes after the end."""
    result = STOP_TIME.compute(values).value
    return _is_clear(values) and (result is None or float(result) < END)


def _speed(values: Values) -> float:
    """Return the largest velocity (m/s)."""
    return abs(float(values["v0"])) + _gravity(values) * END


_gravity = size("g*(s + mu_s)/hypot(1, s)")  # acceleration by gravity and friction at most (m/s²)


def state(values: Values, end: Any) -> MechanicalProblem:
    """Return the block up to an end (s), its place counted down the slope."""
    m, g, s, mu_s, mu_d, v0 = numbers(values, "m", "g", "s", "mu_s", "mu_d", "v0")
    normal = m * g / sqrt(1 + s**2)
    return MechanicalProblem(
        name="incline_block",
        mass=np.array([[m]]),
        initial_velocity=np.array([v0]),
        end=end,
        output_times=np.linspace(0.0, end, STEPS + 1),
        loads=(Load(np.ones(1), constant(normal * s)),),
        frictions=(Friction(SOLE, (np.ones(1),), normal, mu_s, mu_d),),
        coordinates=("x",),
    )


def problem(values: Values) -> MechanicalProblem:
    """Return the block for the time that solvers are asked for."""
    return state(values, END)


MOTION = make_quantities(partial(state, end=FAR), PARAMETERS, record=restrict(*REQUIRED))
RESTS = f"{SOLE}_rests"


# ---- the second route: angles, and energies instead of times


def slip(p: Any, side: int) -> Any:
    """Return the acceleration (m/s²) in slip: g sin(a - side φ)/cos φ, φ being the angle of friction."""
    slope, friction = mpmath.atan(p.s), mpmath.atan(p.mu_d)
    return p.g * mpmath.sin(slope - side * friction) / mpmath.cos(friction)


def length(p: Any) -> Any:
    """Return the place (m) of the stop: where friction and gravity have taken the energy of the start."""
    return -(p.v0**2) / (2 * slip(p, 1 if p.v0 > 0 else -1))


def rest(p: Any) -> Any:
    """Return the instant (s) of the stop: its place over the mean velocity."""
    return 2 * length(p) / p.v0


def follow(p: Any, time: str) -> tuple[Any, Any]:
    """Return place and velocity, from the stop forwards or backwards where there is one."""
    now, again = mpmath.mpf(time), mpmath.mpf(0) if p.s <= p.mu_s else slip(p, 1)
    if p.v0 == 0 or (p.v0 > 0 and p.s >= p.mu_d):
        velocity = p.v0 + (slip(p, 1) if p.v0 else again) * now
        return (p.v0 + velocity) / 2 * now, velocity
    passed = now - rest(p)
    pull = slip(p, 1 if p.v0 > 0 else -1) if passed < 0 else again
    return length(p) + pull * passed**2 / 2, pull * passed


ANGLES = "angles of slope and friction, energy"
STOP_TIME = MOTION.event(RESTS, second=rest, how=ANGLES)
STOP_PLACE = MOTION.value("x", (RESTS, 1), second=length, how=ANGLES)
ORDER = MOTION.phase_order(SOLE, PHASE_WORDS)


# ---- what is measured


stop_time = partial(end_of_slip, name=SOLE)


def stop_place(o: Observation) -> float:
    """Return the place (m) at the end of the first slip."""
    return displacement_at(o, stop_time(o))


def _way(values: Values) -> float:
    """Return the largest way (m)."""
    return _speed(values) * END


TIMES, PLACES, SPEEDS = (share_of(rate, END / STEPS, ONE_STEP) for rate in (always(1.0), _speed, _gravity))


def _place_at(t: str) -> Quantity:
    """Return the place at an instant (s)."""
    truth = MOTION.value("x", t, second=lambda p: follow(p, t)[0], how=ANGLES)
    measure = partial(displacement_at, time=float(t))
    definition = f"place down the slope at {t} s"
    return Quantity(f"x@{t}", "m", definition, truth, measure, PLACES, _way, JUMPS, observable=_is_clear)


def _velocity_at(t: str) -> Quantity:
    """Return the velocity at an instant (s)."""
    truth = MOTION.value("v_x", t, second=lambda p: follow(p, t)[1], how=ANGLES)
    measure = partial(velocity_at, time=float(t))
    definition = f"velocity down the slope at {t} s"
    return Quantity(f"v@{t}", "m/s", definition, truth, measure, SPEEDS, _speed, JUMPS, observable=_is_clear)


QUANTITIES = (
    Quantity(
        name="phase_order",
        unit="",
        definition="phases in order of time",
        reference=ORDER,
        measure=partial(order, name=SOLE),
        criterion=exactly("phases have an order"),
        observable=_ordered,
    ),
    Quantity(
        name="stop_time",
        unit="s",
        definition="end of the first slip",
        reference=STOP_TIME,
        measure=stop_time,
        criterion=TIMES,
        scale=always(END),
        regularity=JUMPS,
        at_samples=True,
        applies=_stops,
        absent="the block rests from the start, or slides for ever",
        observable=_stops_in_time,
    ),
    Quantity(
        name="stop_place",
        unit="m",
        definition="place at that instant",
        reference=STOP_PLACE,
        measure=stop_place,
        criterion=PLACES,
        scale=_way,
        regularity=JUMPS,
        applies=_stops,
        absent="the block rests from the start, or slides for ever",
        observable=_stops_in_time,
    ),
    *map(_place_at, INSTANTS),
    *map(_velocity_at, INSTANTS),
)

CASE = Case(
    name="incline_block",
    title="Block on an incline",
    document="Coulomb 1785",
    topics=("friction", "release"),
    summary="A grid of slopes and coefficients: a block holds, slides to a stop, runs on, climbs and stays or returns.",
    statement=(
        "A block with the velocity v0 down a slope, whose tangent is s, rests on the coefficients mu_s and mu_d.",
        "At rest it holds if s < mu_s. In motion down the slope it stops if s < mu_d, in motion up always.",
    ),
    sketch=draw.sketch(
        draw.turned(
            (
                *draw.ground((-2.6, 0), (3.2, 0)),
                *draw.box((0, 0.4), 1.4, 0.8, "m"),
                *draw.arrow((0.75, 0.4), (1.8, 0.4), ""),
            ),
            -18.0,
        ),
        draw.words((2.1, 0.15), "v0"),
        draw.dashed((3.04, -0.99), (0.2, -0.99)),
        draw.words((1.0, -0.7), "slope s"),
        draw.words((-1.1, -0.45), "mu_s, mu_d"),
        draw.arrow((2.8, 1.6), (2.8, 0.7), "g"),
    ),
    equations=(
        "x'' = g (s - μ_d sgn(x'))/sqrt(1 + s^2) if x' != 0, x'' = 0 if x' = 0 and s < μ_s",
        "t_r = v_0 sqrt(1 + s^2)/(g (μ_d sgn(v_0) - s)), x_r = v_0 t_r/2",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("stops", {}),
        Variant("runs_on", {"s": "0.45", "mu_s": "0.6"}),
        Variant("holds", {"s": "0.34", "v0": "0"}),
        Variant("lets_go", {"s": "0.401", "v0": "0"}),
        Variant("climbs", {"s": "0.45", "mu_s": "0.6", "v0": "-3"}),
        Variant("returns", {"s": "0.8", "v0": "-3"}),
    ),
    quantities=QUANTITIES,
    residuals=(
        energy(
            "of m (v0 + g T)²/2",
            lambda o: o["m"] * _speed(o.values) ** 2 / 2,
            cited(ONE_STEP, 1 / STEPS, kind="absolute"),
        ),
        friction_cone("of mu_s N", lambda o: o["mu_s"] * o["m"] * o["g"] / math.hypot(1.0, o["s"])),
        velocities(),
        flags(),
        friction_law(),
    ),
    problem=problem,
    modelling=("One coordinate along the slope under the constant normal force m g cos a.",),
    sources=(
        "C. A. Coulomb: Théorie des machines simples. Mémoires de mathématique et de physique présentés à l'Académie "
        "Royale des Sciences 10 (1785) 161-332.",
    ),
    remarks=(
        "A criterion is what a method of order one may leave at a step of one requested output, 4 ms of the motion: a "
        "block that still moves at 0.1 m/s where it should rest fails.",
        "Friction made continuous creeps down with v_s s/mu_d for ever, v_s being the velocity at which it is full.",
        "Who decides on rest by a small velocity alone holds a block on any slope (lets_go, returns).",
        "With the kinetic coefficient at rest the block that climbed slips back (climbs).",
    ),
)

test_incline_block = verifies(CASE)
