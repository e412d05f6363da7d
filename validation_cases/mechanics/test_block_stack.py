"""Two blocks, one on the other: which of two frictions slips under a force, and after it."""

from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.elements import Friction, Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import pulse
from veridyn.references.certified import Certified
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import Reference
from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import exactly
from veridyn.validation_cases.measures.consistency import flags, friction_law, velocities
from veridyn.validation_cases.measures.friction import OVERSHOOT
from veridyn.validation_cases.measures.quantities import always, share_of, size
from veridyn.validation_cases.measures.sliding import ONE_STEP, PHASE_WORDS, STEPS, find_phases, order

PARAMETERS = (
    Parameter("m_1", "kg", "mass of the lower block", "2"),
    Parameter("m_2", "kg", "mass of the upper block", "1"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("mu_1", "1", "coefficient of friction on the ground", "0.2"),
    Parameter("mu_2", "1", "coefficient of friction between the blocks", "0.3"),
    Parameter("F", "N", "force on the lower block", "30"),
    Parameter("t_1", "s", "end of the force", "0.25"),
)
END, FAR = 1.5, 10**6  # s; of what solvers get, and of what is proved: the blocks may rest later
GROUND, BETWEEN = "ground", "between"
JUMPS = 1.0  # regularity: friction jumps where a slip ends


def _is_clear(values: Values) -> bool:
    """Whether penalised stick, which overshoots, holds where rigid stick does, and all rest in time.

    Solvers are judged where it does; the truth is that of rigid stick everywhere.
    """
    m_1, m_2, g, mu_1, mu_2, F = floats(values, "m_1", "m_2", "g", "mu_1", "mu_2", "F")
    more, pull = float(OVERSHOOT), F / ((m_1 + m_2) * g)
    if pull < mu_1:
        return pull * (1 + more) < mu_1
    before = min(pull - mu_1, mu_2)  # friction on the upper block over its weight
    holds = before == mu_2 or before * (1 + more) < mu_2
    stays = mu_1 > mu_2 or mu_1 + more * (before + mu_1) < mu_2
    stop = UPPER_STOP.compute(values).value
    return holds and stays and isinstance(stop, mpmath.mpf) and stop < END


def _moves(values: Values) -> bool:
    """Whether the force is more than the friction on the ground bears."""
    m_1, m_2, g, mu_1, F = (values[name].rational for name in ("m_1", "m_2", "g", "mu_1", "F"))
    return mu_1 * (m_1 + m_2) * g < F


_speed = size("F*t_1/m_1")  # a velocity (m/s) that the lower block does not reach


def state(values: Values, end: Any) -> MechanicalProblem:
    """Return the two blocks up to an end (s)."""
    m_1, m_2, g, mu_1, mu_2, F, t_1 = numbers(values, *(p.name for p in PARAMETERS))
    return MechanicalProblem(
        name="block_stack",
        mass=np.diag([m_1, m_2]),
        end=end,
        output_times=np.linspace(0.0, end, STEPS + 1),
        loads=(Load(np.array([1.0, 0.0]), pulse(F, 0, t_1)),),
        frictions=(
            Friction(GROUND, (np.array([1.0, 0.0]),), (m_1 + m_2) * g, mu_1, mu_1),
            Friction(BETWEEN, (np.array([-1.0, 1.0]),), m_2 * g, mu_2, mu_2),
        ),
        coordinates=("x1", "x2"),
    )


def problem(values: Values) -> MechanicalProblem:
    """Return the two blocks for the time that solvers are asked for."""
    return state(values, END)


MOTION = make_quantities(partial(state, end=FAR), PARAMETERS)


# ---- the second route: impulses for the times, areas under the velocities for the places


def rests(p: Any) -> bool:
    """Whether the ground holds both blocks."""
    return bool(p.mu_1 * (p.m_1 + p.m_2) * p.g >= p.F)


def lags(p: Any) -> bool:
    """Whether the upper block lags behind while the force acts."""
    return bool((p.mu_1 + p.mu_2) * (p.m_1 + p.m_2) * p.g < p.F)


def speeds(p: Any) -> tuple[Any, Any]:
    """Return the velocities (m/s) at the end of the force."""
    whole, upper = (p.F / ((p.m_1 + p.m_2) * p.g) - p.mu_1) * p.g * p.t_1, p.mu_2 * p.g * p.t_1
    return (((p.m_1 + p.m_2) * whole - p.m_2 * upper) / p.m_1, upper) if lags(p) else (whole, whole)


def meet(p: Any) -> Any:
    """Return how long (s) after the force the upper block still lags: relative to it the lower one brakes evenly."""
    lower, upper = speeds(p)
    return (lower - upper) / (p.g * (p.mu_1 + p.mu_2) * (p.m_1 + p.m_2) / p.m_1)


def joint(p: Any) -> Any:
    """Return the velocity (m/s) that both blocks have there."""
    return speeds(p)[1] + p.mu_2 * p.g * meet(p)


def lower_rests(p: Any) -> Any:
    """Return when (s) the lower block has come to rest, by impulses from the meeting on."""
    if p.mu_1 < p.mu_2:
        return p.F * p.t_1 / (p.mu_1 * (p.m_1 + p.m_2) * p.g)
    return p.t_1 + meet(p) + p.m_1 * joint(p) / (p.mu_1 * (p.m_1 + p.m_2) * p.g - p.mu_2 * p.m_2 * p.g)


def upper_rests(p: Any) -> Any:
    """Return when (s) the upper block has come to rest."""
    return lower_rests(p) if p.mu_1 < p.mu_2 else p.t_1 + 2 * meet(p) + speeds(p)[1] / (p.mu_2 * p.g)


def lower_goes(p: Any) -> Any:
    """Return the way (m) of the lower block: three triangles and trapezia of its velocity."""
    if rests(p):
        return mpmath.mpf(0)
    top, common = speeds(p)[0], joint(p)
    return (top * p.t_1 + (top + common) * meet(p) + common * (lower_rests(p) - p.t_1 - meet(p))) / 2


def upper_goes(p: Any) -> Any:
    """Return the way (m) of the upper block, by the work of friction: F x(t_1) = μ_1 M g X_1 + μ_2 m_2 g (slips)."""
    if rests(p):
        return mpmath.mpf(0)
    work = p.F * speeds(p)[0] * p.t_1 / 2 - p.mu_1 * (p.m_1 + p.m_2) * p.g * lower_goes(p)
    behind = (speeds(p)[0] - speeds(p)[1]) * (p.t_1 + meet(p)) / 2
    return lower_goes(p) - behind + (work / (p.mu_2 * p.m_2 * p.g) - behind)


IMPULSES, WORK = "impulses", "areas under the velocities, work of friction"
RESTS = f"{GROUND}_rests"
SETTLED = MOTION.settled()  # both rest for ever
LOWER_STOP = SETTLED.event(RESTS, -1, second=lower_rests, how=IMPULSES)
UPPER_STOP = SETTLED.event(f"{RESTS} or {BETWEEN}_rests", -1, second=upper_rests, how=IMPULSES)
LOWER_WAY = SETTLED.value("x1", None, second=lower_goes, how=WORK)
UPPER_WAY = SETTLED.value("x2", None, second=upper_goes, how=WORK)


# ---- what is measured


def last_stop(o: Observation, names: tuple[str, ...]) -> float:
    """Return the end (s) of the last slip of some frictions; raises SolverFailure if they do not come to rest."""
    ends = [phase.end for name in names for phase in find_phases(o, name) if phase.direction]
    if not ends or max(ends) >= o.problem.end:
        raise SolverFailure("the blocks do not come to rest")
    return max(ends)


def way(o: Observation, place: int) -> float:
    """Return the place (m) of a block at the end."""
    return float(o.response.displacement[-1, place])


def _longest(values: Values) -> float:
    """Return a way (m) that the lower block does not reach."""
    return _speed(values) * END


def _order(name: str, definition: str, reference: Reference[Certified], friction: str) -> Quantity:
    """Return the phases of a friction in order of time."""
    measure = partial(order, name=friction)
    return Quantity(name, "", definition, reference, measure, exactly("phases have an order"), observable=_is_clear)


def _stop(block: str, reference: Reference[Certified], frictions: tuple[str, ...]) -> Quantity:
    """Return when a block comes to rest for good."""
    definition, measure = f"end of the last slip of the {block} block", partial(last_stop, names=frictions)
    criterion, scale = share_of(always(1.0), END / STEPS, ONE_STEP), always(END)
    return Quantity(
        name=f"{block}_stop",
        unit="s",
        definition=definition,
        reference=reference,
        measure=measure,
        criterion=criterion,
        scale=scale,
        regularity=JUMPS,
        at_samples=True,
        applies=_moves,
        absent="both blocks rest: the friction on the ground bears the force",
        observable=_is_clear,
    )


def _way(block: str, reference: Reference[Certified], place: int) -> Quantity:
    """Return the way of a block."""
    measure, criterion = partial(way, place=place), share_of(_speed, END / STEPS, ONE_STEP)
    return Quantity(
        name=f"{block}_way",
        unit="m",
        definition=f"way of the {block} block",
        reference=reference,
        measure=measure,
        criterion=criterion,
        scale=_longest,
        regularity=JUMPS,
        observable=_is_clear,
    )


QUANTITIES = (
    _order("ground_order", "phases on the ground", MOTION.phase_order(GROUND, PHASE_WORDS), GROUND),
    _order("between_order", "phases between the blocks", MOTION.phase_order(BETWEEN, PHASE_WORDS), BETWEEN),
    _stop("lower", LOWER_STOP, (GROUND,)),
    _stop("upper", UPPER_STOP, (GROUND, BETWEEN)),
    _way("lower", LOWER_WAY, 0),
    _way("upper", UPPER_WAY, 1),
)

CASE = Case(
    name="block_stack",
    title="Two blocks, one on the other",
    document="this suite",
    topics=("friction", "simultaneous events"),
    summary="The lower of two blocks is pulled for a while: both rest, go together, or slip on each other.",
    statement=(
        "A force F pulls the lower block m_1 from rest until t_1. It rubs on the ground with mu_1 under the weight of "
        "both; the upper block m_2 rubs on it with mu_2.",
        "Both rest up to F = mu_1 M g, M = m_1 + m_2, and go together up to (mu_1 + mu_2) M g. Beyond, the upper "
        "one lags behind with mu_2 g. After t_1 they stay or come together if mu_1 < mu_2; else it slides ahead.",
    ),
    sketch=draw.sketch(
        draw.ground((-0.6, 0), (5.6, 0)),
        draw.box((2.3, 0.5), 2.6, 1.0, "m_1"),
        draw.box((2.3, 1.4), 1.6, 0.8, "m_2"),
        draw.arrow((3.6, 0.5), (4.6, 0.5), "F"),
        draw.words((4.2, 1.05), "mu_2"),
        draw.words((0.2, 0.3), "mu_1"),
    ),
    shown=ShownMotion(curves=("v_x1", "v_x2")),
    equations=(
        "m_1 x_1'' = F + R_1 - R_2, m_2 x_2'' = R_2",
        "slip: R_1 = -μ_1 (m_1 + m_2) g sgn(x_1'), R_2 = -μ_2 m_2 g sgn(x_2' - x_1')",
        "F_c = (μ_1 + μ_2) (m_1 + m_2) g, t_r = F t_1/(μ_1 (m_1 + m_2) g) if μ_1 < μ_2",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("rests", {"F": "4"}),
        Variant("together", {"F": "12"}),
        Variant("lags", {}),
        Variant("slides_ahead", {"mu_1": "0.4", "mu_2": "0.2", "F": "16"}),
    ),
    quantities=QUANTITIES,
    residuals=(velocities(), flags(), friction_law()),
    problem=problem,
    modelling=("Two coordinates; the friction between the blocks acts along their difference.",),
    remarks=(
        "Who decides on one friction at a time, with that of the other of the step before, lets the upper block slip "
        "where both go together, or the reverse.",
        "Friction on the ground under the weight of the lower block alone is two thirds of it: the stop is late.",
        "While the upper block lags it pushes the lower one back, after t_1 too: the reaction R_2 forgotten, the slip "
        "is too long.",
    ),
    benchmark_variant="lags",
)

test_block_stack = verifies(CASE)
