"""SDND104: the problem, stated once for solvers and proof, and what is proved of it."""

import math
from functools import partial
from typing import Any

import numpy as np

from veridyn.problem.elements import Friction, SupportMotion
from veridyn.problem.formulas import angular_frequency
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import Certified
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.problems import sliding_block
from veridyn.references.problems.sliding_block import BLOCK, MARCH, PARAMETERS, BlockWithWindow
from veridyn.references.problems.sliding_phases import Block
from veridyn.references.reference import Reference
from veridyn.references.second_routes import sliding_closed as closed
from veridyn.validation_cases.judgement.case import Values, floats, numbers
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures.quantities import size
from veridyn.validation_cases.measures.trajectories import evenly

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
SHOE = "shoe"
WORDS = {"sticks": "stick", "slips ahead": "slip+", "slips back": "slip-"}
EARLY = 5  # periods, in which the first slip begins and ends, and which figures show
REACH = 200  # half periods that are followed slip by slip; later ones are those of the limit motion

period_of = size("2*pi/omega")  # period of the plane (s)


def state(values: Values, early: bool = False) -> MechanicalProblem:
    """Return the ideal problem up to t_end, or of the first periods.

    It is the relative motion on the plane, under set-valued Coulomb friction with N = m g.
    """
    a0, mu, g, m, omega = numbers(values, "a0", "mu", "g", "m", "omega")
    (end,) = (EARLY * angular_frequency(omega),) if early else numbers(values, "t_end")
    return MechanicalProblem(
        name="sdnd104",
        mass=np.array([[m]]),
        end=end,
        supports=(SupportMotion.from_acceleration("plane", np.ones(1, dtype=int), Harmonic(a0, omega)),),
        frictions=(Friction(SHOE, (np.ones(1, dtype=int),), m * g, mu, mu),),
        coordinates=("slip",),
    )


def _outputs(values: Values) -> Any:
    """Return the output instants: even spacing before the window and within it, so that its ends are among them."""
    start, end = floats(values, "t_start", "t_end")
    spacing = period_of(values) / OUTPUTS_PER_PERIOD
    before = evenly(start, start / spacing - 1e-9)
    return np.concatenate((before[:-1], evenly(end, (end - start) / spacing - 1e-9, start=start)))


problem = Watched(state, _outputs)


MOTION = make_quantities(state, PARAMETERS, record=BlockWithWindow)
BEGUN = make_quantities(partial(state, early=True), BLOCK, record=Block)
SLIPS, RESTS = f"{SHOE}_slips_ahead or {SHOE}_slips_back", f"{SHOE}_rests"
WORN = MOTION.summing("work", f"power_{SHOE}")  # with the work of friction (J): one motion for all up to t_end
CHANGES = WORN.phase_changes(SHOE, WORDS)
TRUE_ORDER = WORN.phase_order(SHOE, WORDS, from_start=False)
FIRST_CHANGES = BEGUN.phase_changes(SHOE, WORDS)
HISTORY = BEGUN.history(
    plate_velocity="absolute_v_slip - v_slip",
    mass_velocity="absolute_v_slip",
    relative_velocity="v_slip",
    relative_displacement="slip",
)
SLIP_START = BEGUN.event(SLIPS, 1, second=closed.first_start, how="root of a0 sin ωt = μ g")
SLIP_END = BEGUN.event(RESTS, 1, second=lambda p: closed.slips(p, 1)[0][0][1], how=MARCH)


def find_change(number: int) -> Reference[Certified]:
    """Return the instant (s) of a change of phase up to t_end, counted from 0, or -1 for the last."""
    place = number if number < 0 else number + 1
    return WORN.event(f"{SLIPS} or {RESTS}", place, second=lambda p: closed.changes(p, p.t_end)[number][0], how=MARCH)


# ---- wear: friction takes μ N |v|


WORK = WORN.growth("work", "t_start", "t_end")


def _wear(name: str, compute: Any, second: Any, late: Reference[Certified]) -> Reference[Certified]:
    """Return what a function makes of the work of friction in the window; of one that is late, by the limit motion."""
    followed = WORN.combine(name, compute, {"work": WORK}, second=second, how=MARCH)

    def rule(values: Values, digits: int) -> Certified:
        omega, end = floats(values, "omega", "t_end")
        return (followed if omega * end < REACH * math.pi else late).compute_anew(values, digits)

    return Reference(name, PARAMETERS, rule)


WEAR_ENERGY = _wear("wear_energy", lambda p: p.work / p.mu, closed.worn, sliding_block.wear_energy)
WEAR_POWER = _wear(
    "wear_power", lambda p: p.work / p.mu / (p.t_end - p.t_start), closed.wear_power, sliding_block.wear_power
)
FRICTION_POWER = _wear(
    "friction_power",
    lambda p: p.work / (p.t_end - p.t_start),
    lambda p: p.mu * closed.wear_power(p),
    sliding_block.friction_power,
)
