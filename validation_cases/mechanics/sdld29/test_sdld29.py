"""SDLD29 and SDLD22 (EDF): a damped chain of eight masses under a rectangular force."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from veridyn.references import damped_chain
from veridyn.references.damped_chain import LOADED, MASSES
from veridyn.solver.postprocessing.balance import energy_residual
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited
from veridyn.validation_cases.measures.consistency import residual, velocities
from veridyn.validation_cases.mechanics.sdld29.chain import problem
from veridyn.validation_cases.mechanics.sdld29.figures import figures
from veridyn.validation_cases.mechanics.sdld29.published import PUBLISHED, TABLE_22, TIMES_29

SMOOTH = 8  # samples that a value is read from
JUMPS = 1.0  # order that is left where a load jumps inside a step


def _static(values: Values) -> float:
    """Stretch F/k of one spring (m)."""
    return float(values["F"]) / float(values["k"])


def _criterion(values: Values) -> Tolerance:
    return cited("1e-2 of Code_Aster's test SDLD29A, of F/k", 1e-2 * _static(values), kind="absolute")


def _regularity(time: str, values: Values) -> float:
    """Return what a load that ends leaves: nothing is lost before."""
    return math.inf if float(time) <= float(values["duration"]) else JUMPS


def _loaded_at(o: Observation, time: float) -> float:
    """Return the displacement of the loaded mass (m), read from samples on that side of the load's end."""
    t, end = o.response.time, o["duration"]
    side = t <= end if time <= end else t >= end
    return value_at(t[side], o.response.displacement[side, LOADED - 1], time, samples=SMOOTH)


def displacement(time: str) -> Quantity:
    """Return the quantity of mass 4 at an instant."""
    name, definition = f"x4@{time}", f"displacement of mass 4 at {time} s"
    return Quantity(
        name,
        "m",
        definition,
        partial(damped_chain.displacement, time=time),
        partial(_loaded_at, time=float(time)),
        _criterion,
        _static,
        partial(_regularity, time),
        early="the load ends after 1 s",
    )


MODE_TOLERANCE = cited("1e-3 of Code_Aster's test SDLD27", 1e-3)
ALL_TIMES = sorted({*TIMES_29, *TABLE_22}, key=float)
QUANTITIES = (
    *(displacement(time) for time in ALL_TIMES),
    *(
        Quantity(
            f"{name}_{i}",
            unit,
            f"{definition} of complex mode {i}",
            partial(reference, number=i),
            None,
            MODE_TOLERANCE,
        )
        for name, unit, definition, reference in (
            ("frequency", "Hz", "damped frequency Im λ/2π", damped_chain.frequency),
            ("damping", "1", "damping ratio -Re λ/abs(λ)", damped_chain.damping),
        )
        for i in range(1, MASSES + 1)
    ),
)
MODES = frozenset(f"{name}_{i}" for name in ("frequency", "damping") for i in range(1, MASSES + 1))
ENERGY = cited("twice the 1e-2 of Code_Aster's test SDLD29A for displacements", 2e-2, kind="absolute")


def _energy_under_load(o: Observation) -> float:
    """Return the energy that appears from nowhere while the load acts, of F²/k."""
    appeared = energy_residual(o.problem, o.response)
    acting = o.response.time[2:] < o["duration"]
    return float(np.abs(appeared[acting]).max(initial=0.0)) / (o["F"] ** 2 / o["k"])


RESIDUALS = (
    residual(
        "energy_residual",
        "of F²/k",
        "largest energy that appears from nowhere while the load acts",
        _energy_under_load,
        ENERGY,
    ),
    velocities(),
)


CASE = Case(
    name="sdld29",
    title="Damped chain of eight masses under a rectangular force",
    document="V2.01.029",
    summary="A force acts on a damped chain for a second; with unequal dashpots the damping couples the modes "
    "(SDLD29), with equal ones it does not (SDLD22). Complex modes, and what a load that ends costs a method.",
    statement=(
        "Eight masses m in a row between two walls, nine springs k, nine dashpots: c_left at the left wall, c_right "
        "at the right one, c between. A force F acts on mass 4 from 0 to its duration; everything is at rest at t = 0.",
        "φᵀ C φ has off-diagonal terms unless all dashpots are equal; the modes are complex, and the response is a sum "
        "of residues over the roots of det(s² M + s C + K).",
    ),
    equations=(
        "M x'' + C x' + K x = F e_4 for 0 < t < duration else 0, x(0) = x'(0) = 0",
        "M_{i i} = m, K_{i i} = 2 k, K_{i,i+1} = -k, C_{i i} = c_{i-1} + c_i, C_{i,i+1} = -c_i",
        "c_0 = c_left, c_1 = … = c_7 = c, c_8 = c_right",
        "det(s² M + s C + K) = 0 for s = lambda_j, (lambda_j² M + lambda_j C + K) phi_j = 0",
        "u(t) = Σ_{j=1}^16 phi_{4 j}²/(a_j lambda_j) (e^{lambda_j t} - 1) for t > 0 else 0, "
        "a_j = phi_j^T (2 lambda_j M + C) phi_j",
        "x4(t) = F (u(t) - u(t - duration))",
    ),
    parameters=damped_chain.PARAMETERS,
    variants=(
        Variant("non-proportional", {}, frozenset(f"x4@{time}" for time in TIMES_29) | MODES),
        Variant(
            "proportional", {"c_left": "50", "c_right": "50"}, frozenset(f"x4@{time}" for time in TABLE_22) | MODES
        ),
    ),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    linear=True,
    problem=problem,
    modelling=("Eight coordinates; the load jumps at 0 and at its end, which a solver may meet or step across.",),
    published=PUBLISHED,
    remarks=(
        "Dropping the coupling changes x4(0.18 s) by 2 % and x4(0.09 s) by 0.6 %, later less: a "
        "tolerance of 1 % sees it once.",
        "A load that ends where a step ends is worth half a step less to a method that weighs its ends: Newmark's "
        "rule, central differences and ITMI lose F h/2, Dormand and Prince's pair 11/84 F h, de Vogelaere's scheme "
        "F h/6, the pair of Bogacki and Shampine nothing.",
        "Mirror the chain: with 250 N s/m at the right wall x4(0.09 s) changes by 1.3 %.",
        "A time summed in steps of 1e-3 s passes 1 s at 1.0000000000000007 s, in others before it: whether the load "
        "acts in one step more is rounding, worth 1e-3 s of it.",
    ),
    figures=(figures,),
    benchmark_variant="non-proportional",
)

test_sdld29 = verifies(CASE)
