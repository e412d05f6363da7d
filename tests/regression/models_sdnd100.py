"""SDND100 as Code_Aster models it."""

import math

import numpy as np

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes

STIFFNESS = 4e5  # N/m, of the stick spring
MASS_OF_MODE = 2.0  # of the mode (1, 1), normalised to its largest component


def one_mode(values, problem):
    """Return the slider by one mode, on an overlapping obstacle, with regularised friction."""
    m, k, mu, x0, angle = (float(values[name]) for name in ("m", "k", "mu", "x0", "angle"))
    mass, stiffness = MASS_OF_MODE * m, MASS_OF_MODE * k
    # automatic tangential damping: critical for the generalised mass and stiffness, whatever they move
    damping = 2 * math.sqrt(mass * (stiffness + STIFFNESS))
    tangents = tuple(np.eye(2)[: int(float(values["directions"]))])
    return MechanicalProblem(
        name="sdnd100 as modelled by Code_Aster",
        modes=Modes(
            omega=np.array([math.sqrt(k / m)]), damping=np.zeros(1), masses=np.array([mass]), shapes=np.ones((2, 1))
        ),
        initial_displacement=np.full(2, x0 * math.cos(angle)),
        initial_velocity=np.zeros(2),
        end=0.3,
        output_times=np.array([number * math.pi / math.sqrt(k / m) for number in (1, 2, 3, 4)]),
        # the plane does not move with the slider: overlap times stiffness is the constant normal force of 10 N
        stops=(Stop("plane", np.zeros(2), gap=-0.5, stiffness=20.0),),
        frictions=(Friction("shoe", tangents, "plane", mu, mu, "regularised", STIFFNESS, damping),),
        coordinates=("x", "y"),
    )


def archived(quantity, o):
    """Return the displacement after some half-periods, by lines between what is archived."""
    half = 2 * math.pi * math.sqrt(o["m"] / o["k"]) / 2
    return float(np.interp(int(quantity[-1]) * half, o.response.time, o.response.displacement[:, 0]))
