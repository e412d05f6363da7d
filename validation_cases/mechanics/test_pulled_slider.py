"""Block that is pulled over a floor by a spring whose end moves evenly: it sticks and jumps.

The spring sees what it sees where a belt moves under the block: the truth is that of `belt_stick_slip`, begun with a
slack spring.
"""

from functools import partial
from typing import Any

import numpy as np

from veridyn.problem.elements import Friction, Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import polynomial
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.requirements import restrict
from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.hybrid import test_belt_stick_slip as belt
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, floats, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures.consistency import energy, flags, friction_law, velocities
from veridyn.validation_cases.measures.curves import top
from veridyn.validation_cases.measures.friction import OVERSHOOT
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import always, displacement_at, size
from veridyn.validation_cases.measures.sliding import ONE_STEP, STEPS, a_step_of, find_phases

END = 24.0  # s
SOLE, WEIGHT = "sole", 10  # N


def problem(values: Values) -> MechanicalProblem:
    """Return the block; the moving end of its spring is a force that grows."""
    m, k, F_s, F_k, v_b = numbers(values, "m", "k", "F_s", "F_k", "v_b")
    return MechanicalProblem(
        name="pulled_slider",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        end=END,
        output_times=np.linspace(0.0, END, STEPS + 1),
        loads=(Load(np.ones(1), polynomial(0.0, k * v_b)),),
        frictions=(Friction(SOLE, (np.ones(1),), WEIGHT, F_s / WEIGHT, F_k / WEIGHT),),
        coordinates=("x",),
    )


MOTION = make_quantities(problem, belt.PARAMETERS, record=restrict(*belt.REQUIRED))
SLIPS, RESTS = f"{SOLE}_slips_ahead", f"{SOLE}_rests"  # events


def _jumps(values: Values) -> bool:
    """Whether a slip ends and another begins in time, and penalised stick, which overshoots, holds."""
    m, k, F_s, F_k, v_b = floats(values, "m", "k", "F_s", "F_k", "v_b")
    late = (F_s + 2 * (F_s - F_k)) / (k * v_b) + 2 * np.pi * (m / k) ** 0.5
    return bool(late < END and float(OVERSHOOT) * (F_s - F_k) + abs(2 * F_k - F_s) < F_s)


def change(o: Observation, number: int) -> float:
    """Return when a phase ends (s), counted from 1; raises SolverFailure if there are fewer."""
    result = find_phases(o, SOLE)
    if len(result) <= number:
        raise SolverFailure(f"the response shows {len(result)} phases")
    return result[number - 1].end


def rested(o: Observation) -> float:
    """Return the place (m) in the second stick."""
    return displacement_at(o, 0.5 * (change(o, 2) + change(o, 3)))


def fastest(o: Observation) -> float:
    """Return the largest velocity (m/s) of the first slip."""
    inside = o.response.time <= change(o, 2)
    return top(o.response.time[inside], o.response.velocity[inside, 0])


# ---- the second route: circles in the phase plane, as of the belt


def slips(p: Any) -> Any:
    """Return when the first slip begins (s)."""
    return p.F_s / (p.k * p.v_b)


def sticks(p: Any) -> Any:
    """Return when it ends (s)."""
    return slips(p) + belt.slipping(p)


def jump(p: Any) -> Any:
    """Return how far the block slips (m): what its spring loses, and the way of the other end meanwhile."""
    return 2 * (p.F_s - p.F_k) / p.k + p.v_b * belt.slipping(p)


def speed(p: Any) -> Any:
    """Return the largest velocity (m/s)."""
    return p.v_b + belt.radius(p) * (p.k / p.m) ** 0.5


_drive = size("2*v_b + (F_s - F_k)/sqrt(m*k)")  # a velocity (m/s) above that of a slip
# largest acceleration (m/s²): where a slip begins, and a velocity of the end beside it
_pull = size("(F_s - F_k)/m + v_b*sqrt(k/m)")


TIME = {**a_step_of(always(1.0), END), "scale": always(END), "at_samples": True, "observable": _jumps}
PLACE = {**a_step_of(_drive, END), "observable": _jumps}
SPEED = {**a_step_of(_pull, END), "observable": _jumps}
of = Quantities(MOTION, how="circle in the phase plane")
CHANGES = (
    (SLIPS, 1, slips, "begin"),
    (RESTS, 1, sticks, "end"),
    (SLIPS, 2, lambda p: sticks(p) + belt.sticking(p), "begin"),
)
JUMP = MOTION.value("x", (RESTS, 1), second=jump, how=of.how)
FASTEST = MOTION.largest("v_x", until=(RESTS, 1), second=speed, how=of.how)


def changed(i: int, event: str, number: int, second: Any, what: str) -> Quantity:
    """Return the instant of a change of phase, counted from 1."""
    truth = MOTION.event(event, number, second=second, how=of.how)
    return of.quantity(f"change_{i}", "s", f"{what} of slip {number}", truth, partial(change, number=i), **TIME)


QUANTITIES = (
    *(changed(i, *row) for i, row in enumerate(CHANGES, start=1)),
    of.quantity("jump", "m", "place after the first slip", JUMP, rested, **PLACE),
    of.quantity("v_max", "m/s", "largest velocity of the first slip", FASTEST, fastest, **SPEED),
)

CASE = Case(
    name="pulled_slider",
    title="Block pulled by a spring",
    document="Leine 1998",
    topics=("friction", "limit cycle"),
    summary="A spring whose end moves evenly pulls a block over a floor: it sticks, jumps, and sticks again.",
    statement=(
        "A block m on a floor is pulled by a spring k, slack at first, whose end moves with v_b. Friction is F_s at "
        "most in stick and F_k in slip.",
        "Each slip turns the excess F_s - F_k of the spring into as much of the other sign; then it sticks until the "
        "spring has won it back. It is the motion of belt_stick_slip, seen from the belt.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.8, 0), (6.4, 0)),
        draw.box((0.5, 0.5), 1.2, 1.0, "m"),
        draw.spring((1.1, 0.5), (4.2, 0.5), "k"),
        draw.dot((4.2, 0.5)),
        draw.arrow((4.2, 0.5), (5.3, 0.5), "v_b"),
        draw.words((0.5, -0.55), "F_s, F_k"),
        draw.arrow((0.5, 1.25), (1.4, 1.25), "x"),
    ),
    equations=(
        "slip: m x'' = k (v_b t - x) - F_k, stick: x' = 0 as long as k (v_b t - x) < F_s",
        "t_1 = F_s/(k v_b), t_2 = t_1 + 2 (π - atan((F_s - F_k)/(v_b sqrt(k m))))/ω, ω = sqrt(k/m)",
        "t_3 = t_2 + 2 (F_s - F_k)/(k v_b)",
    ),
    parameters=belt.PARAMETERS,
    requirements=belt.REQUIRED,
    variants=(Variant("slow", {}), Variant("fast", {"v_b": "0.5"})),
    quantities=QUANTITIES,
    residuals=(
        energy("of F_s²/k", lambda o: o["F_s"] ** 2 / o["k"], cited(ONE_STEP, 1 / STEPS, kind="absolute")),
        velocities(),
        flags(),
        friction_law(),
    ),
    problem=problem,
    modelling=(
        "One coordinate; the moving end of the spring is a load k v_b t beside a spring to the ground.",
        "Friction is under 10 N with the coefficients F_s/10 N and F_k/10 N.",
    ),
    sources=belt.CASE.sources,
    remarks=(
        "With one coefficient the block does not jump: it slides evenly after a while, or hardly stands still.",
        "Who lets static friction fade with the velocity over a range of it shortens the jump by that range.",
        "A stick that creeps loses the force that the spring has to win back: t_3 is late.",
    ),
)

test_pulled_slider = verifies(CASE)
