"""SDND106 as Code_Aster models it."""

import math

import numpy as np

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Piecewise
from veridyn.solver.postprocessing.interpolation import value_at

STIFFNESS, RAMP_END = 5e7, 0.200001  # N/m, of the stick spring; s
ARCHIVED = (0.02, 0.15, 0.339965)  # s


def two_modes(values, problem):
    """Return the masses by two modes, on an overlapping obstacle, pulled by a ramp, with regularised friction."""
    m, k, pull, off, mu_s, mu_d = (float(values[name]) for name in ("m1", "k", "pull", "t_off", "mu_s", "mu_d"))
    mass = 2 * m  # of both modes, normalised to their largest component
    # automatic tangential damping: critical for the generalised mass of the rigid-body mode
    damping = 2 * math.sqrt(mass * STIFFNESS)
    ramp = Piecewise((0.0, off, RAMP_END), ((pull,), (pull, -pull / (RAMP_END - off)), (0.0,)))
    shapes = np.array([[1.0, 1.0], [1.0, -1.0]])
    return MechanicalProblem(
        name="sdnd106 as modelled by Code_Aster",
        modes=Modes(
            omega=np.array([0.0, math.sqrt(2 * k / m)]), damping=np.zeros(2), masses=np.full(2, mass), shapes=shapes
        ),
        initial_displacement=np.zeros(2),
        initial_velocity=np.zeros(2),
        end=0.35,
        output_times=np.array(ARCHIVED),
        loads=(Load(np.array([0.0, 1.0]), ramp),),
        # the plane does not move with the masses: overlap times stiffness is the constant normal force of 1e4 N
        stops=(Stop("plane", np.zeros(2), gap=-1.0, stiffness=1e4),),
        frictions=(Friction("shoe", (np.array([1.0, 0.0]),), "plane", mu_s, mu_d, "regularised", STIFFNESS, damping),),
    )


def archived(quantity, o):
    """Return a displacement or velocity where it is archived."""
    what, instant = quantity.split("@")
    histories = o.response.displacement if what.startswith("x") else o.response.velocity
    return value_at(o.response.time, histories[:, int(what[1]) - 1], float(instant))
