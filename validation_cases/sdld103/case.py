"""SDLD103 (EDF V2.01.103): earthquake on a chain of three masses whose supports move differently."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from veridyn.references import driven_chain
from veridyn.references.certified import Certified
from veridyn.references.parameters import Number
from veridyn.solver.basis import static_modes
from veridyn.solver.elements import SupportMotion
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import polynomial
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.sdld103 import further
from veridyn.validation_cases.sdld103.figures import figures
from veridyn.validation_cases.sdld103.measures import NODES, reader
from veridyn.validation_cases.sdld103.published import EARLY_TIMES, PUBLISHED, STATEMENTS, TIMES
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, from_theory

END = 1.0  # s
STEP = 1e-3  # s, as the manual
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


def settings(values: Values, scheme: str) -> Settings:  # noqa: ARG001 - the step is the manual's for any parameters
    """Step of our schemes: 1e-3 s, the manual's."""
    return {"scheme": scheme, "step": STEP, **SCHEMES[scheme].only_shorter}


def truth(part: str, node: str, time: str) -> Callable[..., Certified]:
    """Return the reference of one displacement as a function of the parameters."""
    number = NODES.index(node) + 2
    compute = driven_chain.relative_displacement if part == "relative" else driven_chain.absolute_displacement

    def reference(*, m: Number, k: Number, a: Number, digits: int = 30) -> Certified:
        return compute(driven_chain.uniform_chain(m=m, k=k, a=a), node=number, time=time, digits=digits)

    return reference


def frequency(number: int) -> Callable[..., Certified]:
    """Return the reference of one natural frequency as a function of the parameters."""

    def reference(*, m: Number, k: Number, digits: int = 30) -> Certified:
        return driven_chain.frequencies(driven_chain.uniform_chain(m=m, k=k, a=1), digits=digits)[number - 1]

    return reference


def free_vibration(values: Values, node: str) -> tuple[Any, Any]:
    """Return frequencies (3,) in rad/s and amplitudes (3,) in m of the free vibration in a node's response.

    q'' + w² q = G t² from rest: the free part has the amplitude 2 G/w⁴.
    """
    p = problem(values)
    assert p.mass is not None
    assert p.stiffness is not None
    w2, shapes = np.linalg.eigh(p.stiffness / float(values["m"]))
    participation = shapes.T @ p.supports[0].influence
    return np.sqrt(w2), np.abs(shapes[NODES.index(node)] * participation) * 2 * float(values["a"]) / w2**2


def phase_tolerance(node: str, time: str) -> Callable[[Values, str, Settings], Tolerance]:
    """Return the bound that the phase error of the free vibration sets; the forced part is a polynomial."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if not scheme:
            relative = abs(float(truth("relative", node, time)(**values)))
            return cited(
                "1e-3 of Code_Aster's test SDLD103A, of the relative displacement, which the absolute one inherits",
                1e-3 * relative,
                kind="absolute",
            )
        error = SCHEMES[scheme].error_per_radian()
        order, factor = error.order, abs(error.constant)
        w, amplitude = free_vibration(values, node)
        constant = float(np.sum(amplitude * factor * w**order * (w * float(time) + 2 * np.pi)))
        allowed = from_theory(
            order,
            constant,
            float(chosen["step"]),
            what=f"error (w h)^{order}/{round(1 / factor)} per radian of each mode, one period more for the start",
            kind="absolute",
        )
        if not SCHEMES[scheme].adaptive:
            return allowed
        # a step that was shortened leaves the grid of instants: 15²/(2^6 6!) is the polynomial half-way between samples
        between = float(np.sum(amplitude * w**6)) * 15**2 / (2**6 * math.factorial(6))
        what = "read between samples: (w h)^6/205 of each mode by six of them"
        return combined(allowed, from_theory(6, between, float(chosen["step"]), what=what, kind="absolute"))

    return tolerance


def displacement(part: str, node: str, time: str) -> Quantity:
    """Return the quantity of one displacement."""
    return Quantity(
        f"{part}_{node}@{time}",
        "m",
        f"{part} displacement of {node} at {time} s",
        truth(part, node, time),
        reader(part, node, time),
        phase_tolerance(node, time),
    )


QUANTITIES = (
    *(displacement("relative", node, time) for node in NODES for time in TIMES),
    *(displacement("absolute", node, time) for node in NODES for time in TIMES),
    *(displacement("absolute", "NO3", time) for time in EARLY_TIMES),
    *(
        Quantity(
            f"frequency_{i}",
            "Hz",
            f"natural frequency {i} with both supports held",
            frequency(i),
            None,
            further.frequency_tolerance,
        )
        for i in (1, 2, 3)
    ),
)


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
    problem=problem,
    settings=settings,
    modelling=(
        "Three modes, one static mode, step 1e-3 s; the load is the polynomial itself, no table.",
        "Parity runs archive every 0.05 s and read by linear interpolation, as the manual did; ADAPT keeps the "
        "states nearest "
        "to its grid of 1e-3 s.",
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
    further_checks=further.MAKERS,
    figures=figures,
    benchmark_variant="A",
)
