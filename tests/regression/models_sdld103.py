"""SDLD103 as Code_Aster models it: impure modes, a tabulated accelerogram, an archive every 0.05 s.

The modes of the runs of 2020 come from an iteration that stops before they are orthogonal. Two numbers, what the second
mode holds of the first and of the third, were fitted to 102 printed values of four runs; they explain them all to
rounding. Runs with orthogonalised modes need two others, fitted to 15 values, and that of rotations two more, fitted to
39.
"""

import numpy as np

from veridyn.problem.basis import driven_displacement, modal_basis
from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import sample
from veridyn.validation_cases.judgement.catalogue import load_case

NODES = ("NO2", "NO3", "NO4")
RESTITUTION = 0.05  # s between the instants that are archived
TABLE = 1e-4  # s between the points of the accelerogram of 2020

# (i, j): part of pure mode i in mode j
IMPURITIES = {
    "none": {},
    "iterated": {(0, 1): -6.125013050553173e-08, (2, 1): 5.341812391545636e-08},
    "orthogonalised": {(2, 1): 5.340829800444195e-08, (1, 2): -9.11756711579288e-08},
    "rotation": {(0, 1): 2.984821383400874e-08, (2, 1): 1.1318664214859495e-08},
}


def impure(values, problem, mixing, modes=3):
    """Return the chain by its first modes, driven by the inertia forces of its tabulated accelerogram."""
    (support,) = problem.supports
    instants = np.arange(round(problem.end / TABLE) + 1) * TABLE
    table = sample(support.acceleration, instants.tolist())
    return MechanicalProblem(
        name=f"{problem.name} as modelled by Code_Aster",
        modes=impure_modes(problem, IMPURITIES[mixing], modes),
        initial_displacement=problem.initial_displacement,
        initial_velocity=problem.initial_velocity,
        end=problem.end,
        loads=(Load(-problem.mass @ support.influence, table),),
        coordinates=problem.coordinates,
    )


def impure_modes(problem, impurities, modes=3):
    """Return the first modes, each with the parts of others that it holds; what couples them is left out."""
    pure = modal_basis(problem)
    mixing = np.eye(pure.omega.size)
    for place, part in impurities.items():
        mixing[place] = part
    shapes = (pure.shapes @ mixing)[:, :modes]
    masses = np.diag(shapes.T @ problem.mass @ shapes)
    omega = np.sqrt(np.diag(shapes.T @ problem.stiffness @ shapes) / masses)
    return Modes(omega=omega, damping=np.zeros(modes), masses=masses, shapes=shapes)


def restored(quantity, o):
    """Return the displacement as the code restores it: from the archive, by linear interpolation."""
    name, time = quantity.split("@")
    part, node = name.split("_")
    column = NODES.index(node)
    instants = np.arange(0.0, o.problem.end + RESTITUTION / 2, RESTITUTION)
    x = np.interp(instants, o.response.time, o.response.displacement[:, column])
    if part == "absolute":
        x = x + driven_displacement(load_case("sdld103").problem(o.values), instants)[:, column]
    return float(np.interp(float(time), instants, x))


def magnitude(quantity, o):
    """Return the magnitude of the displacement, which is what the manual prints."""
    return abs(restored(quantity, o))
