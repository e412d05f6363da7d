"""SDND104 as Code_Aster models it."""

import math
from dataclasses import replace

import numpy as np
from sampled import sampled_wear_power

from veridyn.problem.elements import Friction, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, sample

STIFFNESS, SPRING = 9e6, 3e-5  # N/m, of the stick spring and of the suspension
BLOCKS = 8  # of the mean


def suspended(values, problem, table=None):
    """Return the shoe on a weak spring, on an overlapping obstacle, with regularised friction.

    ``table`` (s) samples the accelerogram, as the test of 2020 does.
    """
    shake = SupportMotion.from_acceleration("plate", [1.0], Harmonic(str(values["a0"]), str(values["omega"])))
    end, mu = float(values["t_end"]), float(values["mu"])
    if table:
        instants = np.arange(round(end / table) + 1) * table
        shake = replace(shake, acceleration=sample(shake.acceleration, instants.tolist()))
    damping = 2 * math.sqrt(STIFFNESS + SPRING)  # critical, for the unit mass
    return MechanicalProblem(
        name="sdnd104 as modelled by Code_Aster",
        mass=np.ones((1, 1)),
        stiffness=np.array([[SPRING]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.zeros(1),
        end=end,
        supports=(shake,),
        # the plane does not move with the slip: overlap times stiffness is the constant normal force of 10 N
        stops=(Stop("plane", np.zeros(1), gap=-0.5, stiffness=20.0),),
        frictions=(Friction("shoe", (np.ones(1),), "plane", mu, mu, "regularised", STIFFNESS, damping),),
        coordinates=("slip",),
    )


def sampled(quantity, o, irregular=False):
    """Return the wear power of the window, as samples at equal steps have it."""
    shoe = o.response.elements["shoe"]
    histories = (shoe["normal_force"], shoe["sliding_velocity"], shoe["stuck"])
    window = {"start": o["t_start"], "end": o["t_end"]}
    return sampled_wear_power(o.response.time, *histories, **window, blocks=BLOCKS, irregular=irregular)


def sampled_at_will(quantity, o):
    """Return the same where a scheme chooses its steps: the window is found by comparing times."""
    return sampled(quantity, o, irregular=True)
