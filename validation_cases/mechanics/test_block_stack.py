"""Two blocks, one on the other: which of two frictions slips under a force, and after it."""

from functools import partial

import numpy as np

from veridyn.problem.elements import Friction, Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import pulse
from veridyn.references.certified import Certified
from veridyn.references.problems import stacked_blocks
from veridyn.references.reference import Reference
from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import exactly
from veridyn.validation_cases.measures.consistency import flags, friction_law, velocities
from veridyn.validation_cases.measures.friction import OVERSHOOT
from veridyn.validation_cases.measures.quantities import always, share_of, size
from veridyn.validation_cases.measures.sliding import ONE_STEP, STEPS, find_phases, order

END = 1.5  # s
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
    return holds and stays and float(stacked_blocks.upper_stop.compute(values)) < END


def _moves(values: Values) -> bool:
    """Whether the force is more than the friction on the ground bears."""
    m_1, m_2, g, mu_1, F = (values[name].rational for name in ("m_1", "m_2", "g", "mu_1", "F"))
    return mu_1 * (m_1 + m_2) * g < F


_speed = size("F*t_1/m_1")  # a velocity (m/s) that the lower block does not reach


def problem(values: Values) -> MechanicalProblem:
    """Return the two blocks."""
    m_1, m_2, g, mu_1, mu_2, F, t_1 = floats(values, *(p.name for p in stacked_blocks.PARAMETERS))
    return MechanicalProblem(
        name="block_stack",
        mass=np.diag([m_1, m_2]),
        end=END,
        output_times=np.linspace(0.0, END, STEPS + 1),
        loads=(Load(np.array([1.0, 0.0]), pulse(F, 0.0, t_1)),),
        frictions=(
            Friction(GROUND, (np.array([1.0, 0.0]),), (m_1 + m_2) * g, mu_1, mu_1),
            Friction(BETWEEN, (np.array([-1.0, 1.0]),), m_2 * g, mu_2, mu_2),
        ),
        coordinates=("x1", "x2"),
    )


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
    _order("ground_order", "phases on the ground", stacked_blocks.ground_order, GROUND),
    _order("between_order", "phases between the blocks", stacked_blocks.between_order, BETWEEN),
    _stop("lower", stacked_blocks.lower_stop, (GROUND,)),
    _stop("upper", stacked_blocks.upper_stop, (GROUND, BETWEEN)),
    _way("lower", stacked_blocks.lower_way, 0),
    _way("upper", stacked_blocks.upper_way, 1),
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
    equations=(
        "m_1 x_1'' = F + R_1 - R_2, m_2 x_2'' = R_2",
        "slip: R_1 = -μ_1 (m_1 + m_2) g sgn(x_1'), R_2 = -μ_2 m_2 g sgn(x_2' - x_1')",
        "F_c = (μ_1 + μ_2) (m_1 + m_2) g, t_r = F t_1/(μ_1 (m_1 + m_2) g) if μ_1 < μ_2",
    ),
    parameters=stacked_blocks.PARAMETERS,
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
