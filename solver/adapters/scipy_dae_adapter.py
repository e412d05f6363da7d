"""scipy-dae: Radau IIA and BDF methods for implicit equations, in the manner of SciPy's `solve_ivp`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy_dae.integrate import solve_dae

from veridyn.solver.adapters.dae import Floats, Implicit, Residual
from veridyn.solver.contract.errors import SolverFailure


def _integrate(residual: Residual) -> tuple[Floats, Floats, Mapping[str, float]]:
    problem, controls, instants = residual.problem, residual.controls, residual.instants
    if problem.index > 1 and controls.scheme == "BDF":
        raise NotImplementedError(f"index {problem.index} by BDF, whose iterations diverge; Radau takes it")
    try:
        with np.errstate(all="ignore"):  # iterations that diverge are given up below
            result = solve_dae(
                residual,
                (problem.start, problem.end),
                problem.initial_state,
                residual.rates,
                method=controls.scheme,
                t_eval=instants,
                rtol=controls.rtol,
                atol=residual.tolerances,
                max_step=controls.max_step,
            )
    except (ValueError, ArithmeticError) as error:  # of its linear algebra
        raise SolverFailure(f"solve_dae ({controls.scheme}) gave up: {error}") from None
    if result.status < 0:
        reached = result.t[-1] if len(result.t) else problem.start
        raise SolverFailure(f"solve_dae ({controls.scheme}) gave up at t = {reached:.9g} s: {result.message}")
    return np.array(result.t), np.array(result.y).T, {"evaluations": int(result.nfev)}


SOLVER = Implicit("scipy_dae", "scipy-dae", ("Radau", "BDF"), _integrate)
