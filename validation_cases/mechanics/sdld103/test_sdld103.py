"""SDLD103 (EDF V2.01.103): earthquake on a chain of three masses whose supports move differently."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from veridyn.references import driven_chain
from veridyn.references.certified import Certified
from veridyn.solver.problem.basis import static_modes
from veridyn.solver.problem.elements import SupportMotion
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import polynomial
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited
from veridyn.validation_cases.measures.consistency import energy, velocities
from veridyn.validation_cases.mechanics.sdld103.figures import figures
from veridyn.validation_cases.mechanics.sdld103.measures import NODES, reader
from veridyn.validation_cases.mechanics.sdld103.published import EARLY_TIMES, PUBLISHED, STATEMENTS, TIMES

END = 1.0  # s
OUTPUTS = 2000  # instants requested of any solver, 5e-4 s apart


def chain_stiffness(k: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Stiffness (5, 5) of NO1..NO5 with a spring between neighbours."""
    full = np.zeros((5, 5))
    for i in range(4):
        full[i : i + 2, i : i + 2] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return full


def problem(values: Values) -> MechanicalProblem:
    """Return the motion of NO2..NO4 relative to the static shape; NO1 accelerates with a t², NO5 is fixed."""
    m, k = float(values["m"]), float(values["k"])
    full = chain_stiffness(k)
    free = [1, 2, 3]
    influence = static_modes(full, free, [0])[:, 0]
    return MechanicalProblem(
        name="sdld103",
        mass=m * np.eye(3),
        stiffness=full[np.ix_(free, free)],
        initial_displacement=np.zeros(3),
        initial_velocity=np.zeros(3),
        end=END,
        output_times=np.linspace(0.0, END, OUTPUTS + 1),
        supports=(SupportMotion.from_acceleration("NO1", influence, polynomial(0.0, 0.0, str(values["a"]))),),
        coordinates=NODES,
    )


def truth(part: str, node: str, time: str) -> Callable[..., Certified]:
    """Return the reference of one displacement as a function of the parameters."""
    compute = driven_chain.relative_displacement if part == "relative" else driven_chain.absolute_displacement
    return partial(compute, node=NODES.index(node) + 2, time=time)


ASTER = "1e-3 of Code_Aster's test SDLD103A"


def _criterion(node: str, time: str, values: Values) -> Tolerance:
    relative = abs(float(truth("relative", node, time)(**values)))
    return cited(
        f"{ASTER}, of the relative displacement, which the absolute one inherits", 1e-3 * relative, kind="absolute"
    )


def _driven(node: str, time: str, values: Values) -> float:
    """Return the displacement (m) that the support imposes; the absolute one is its difference with the relative."""
    (support,) = problem(values).supports
    return float(support.influence[NODES.index(node)]) * float(values["a"]) * float(time) ** 4 / 12


def displacement(part: str, node: str, time: str) -> Quantity:
    """Return the quantity of one displacement."""
    return Quantity(
        f"{part}_{node}@{time}",
        "m",
        f"{part} displacement of {node} at {time} s",
        truth(part, node, time),
        reader(part, node, time),
        partial(_criterion, node, time),
        partial(_driven, node, time) if part == "absolute" else None,
    )


FREQUENCIES = cited(f"{ASTER} for displacements, asked of the frequencies behind them", 1e-3)
QUANTITIES = (
    *(displacement("relative", node, time) for node in NODES for time in TIMES),
    *(displacement("absolute", node, time) for node in NODES for time in TIMES),
    *(displacement("absolute", "NO3", time) for time in EARLY_TIMES),
    *(
        Quantity(
            f"frequency_{i}",
            "Hz",
            f"natural frequency {i} with both supports held",
            partial(driven_chain.frequency, number=i),
            None,
            FREQUENCIES,
        )
        for i in (1, 2, 3)
    ),
)
ENERGY = cited(f"twice the {ASTER} for displacements", 2e-3, kind="absolute")


def forced_energy(o: Observation) -> float:
    """Return the work (J) that moves the chain with its static answer to the inertia forces of the end."""
    p = o.problem
    (support,) = p.supports
    force = p.mass @ support.influence * float(support.acceleration(p.end))
    return float(0.5 * force @ np.linalg.solve(p.stiffness, force))


RESIDUALS = (energy("of the energy of the forced motion", forced_energy, ENERGY), velocities())


CASE = Case(
    name="sdld103",
    title="Three masses between two supports that move differently",
    document="V2.01.103",
    summary="Multi-support earthquake on an undamped chain: modes, static modes, modal superposition; relative, "
    "driven and absolute displacement.",
    equations=(
        "M x'' + K x = -M psi a t²",
        "x_a = x + psi a t⁴/12, psi = -K^{-1} K_s",
        "q_i'' + omega_i² q_i = -p_i a t², x = Σ_i phi_i q_i",
    ),
    statement=(
        "Five nodes NO1…NO5 in a row, springs k between neighbours, masses m at NO2, NO3, NO4. NO1 accelerates "
        "with a t², "
        "NO5 stands still; everything is at rest at t = 0.",
        "Absolute displacement = relative + static mode × displacement of NO1, a t⁴/12. The relative part solves "
        "M x'' + K x = -M psi a t² and is found mode by mode as a Duhamel integral.",
        "Modelling A is a translation; modelling B is the same chain in rotation, with the same numbers in rad, "
        "N m/rad and kg m².",
    ),
    parameters=driven_chain.PARAMETERS,
    variants=(Variant("A", {}), Variant("B", {}, frozenset())),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    linear=True,
    problem=problem,
    modelling=(
        "Three masses relative to the static shape, driven by the inertia forces of the support; the load is the "
        "polynomial itself, no table. Values between samples lie on polynomials through eight of them.",
    ),
    published=PUBLISHED,
    remarks=(
        "NO4 at 0.1 s is ill-conditioned: relative and driven part cancel to one part in 59.",
        "Integrating the accelerogram numerically (or on a coarse table) spoils the absolute displacement, which "
        "grows like t⁴.",
        "Dropping the static mode, or mixing up relative and absolute displacement, is invisible at NO5 and "
        "gross at NO2.",
        "Reading an archive of 0.05 s by linear interpolation gives 7e-5 m at 0.01 s instead of 1e-9 m.",
    ),
    errata=STATEMENTS,
    figures=(figures,),
    benchmark_variant="A",
)

test_sdld103 = verifies(CASE)
