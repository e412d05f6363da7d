"""Exact modal propagation under forces that are linear in time within a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from veridyn.solver.integrators.scheme import Scheme, fixed_step

if TYPE_CHECKING:
    from veridyn.solver.integrators.kernels.system import Floats, System


def propagators(system: System, step: float) -> Floats:
    """Return what a step does to each mode, (r, 2, 4): (q, v) at its end from q, v, f and the change of f.

    Top rows of the exponential of q' = v, v' = f - w² q - c v, f' = change/step, whatever the damping.
    """
    from scipy.linalg import expm

    exponentials = []
    for omega2, damping in zip(system.omega2, system.damping, strict=True):
        rates = np.array([[0, 1, 0, 0], [-omega2, -damping, 1, 0], [0, 0, 0, 1 / step], [0, 0, 0, 0]])
        exponentials.append(expm(step * rates)[:2])
    return np.array(exponentials)


SCHEME = Scheme(
    name="itmi", aster="ITMI", place=50, points_per_period=20, evaluations="2",
    run=fixed_step("itmi", method=lambda job: (propagators(job.system, job.step),)),
    claims={"order": 2, "lag": 0.0, "numerical_damping": 1.3e-3, "stability": math.inf},
)  # fmt: skip
