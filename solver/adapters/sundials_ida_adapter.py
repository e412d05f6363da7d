"""SUNDIALS IDA, through scikit-sundae."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from sksundae.ida import IDA

from veridyn.solver.adapters.dae import Floats, Implicit, Residual
from veridyn.solver.contract.errors import SolverFailure

MOST_STEPS = 20_000  # between two output instants; IDA's own 500 are too few for tight tolerances
RTOL_LIMIT = 1e-14


def _integrate(residual: Residual) -> tuple[Floats, Floats, Mapping[str, float]]:
    problem, controls = residual.problem, residual.controls

    def written(t: float, y: Floats, rate: Floats, found: Floats) -> None:
        found[:] = residual(t, y, rate)

    solver = IDA(
        written,
        algebraic_idx=list(range(len(problem.states), problem.size)) or None,
        rtol=max(controls.rtol, RTOL_LIMIT),
        atol=residual.tolerances,
        max_step=0.0 if math.isinf(controls.max_step) else controls.max_step,
        max_num_steps=MOST_STEPS,
    )
    found = solver.solve(residual.instants, problem.initial_state, residual.rates)
    if found.status < 0 or not found.success:
        raise SolverFailure(f"IDA gave up at t = {found.t[-1]:.9g} s: {found.message}")
    return np.array(found.t), np.array(found.y), {"evaluations": int(found.nfev)}


SOLVER = Implicit("sundials_ida", "scikit-sundae", ("IDA",), _integrate)
