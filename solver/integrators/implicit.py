"""Runs the kernel of Newmark's family: what a constant step makes of the structure is worked out beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from veridyn.problem.sparse import diagonal, is_sparse
from veridyn.solver.integrators.scheme import Options, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories
    from veridyn.solver.integrators.kernels.newmark_balance import NewmarkMethod


@dataclass(frozen=True)
class Weights:
    """Where the balance of a step lies, and how the new acceleration enters displacement and velocity."""

    beta: float
    gamma: float
    alpha_m: float = 0.0
    alpha_f: float = 0.0


@dataclass(frozen=True)
class NewtonOptions(Options):
    """How the forces at the end of a step are found."""

    iteration_tolerance: float = setting("residual at which the forces of a step are found, relative", 1e-12, above=0.0)
    iterations: int = setting(
        "evaluations of the forces that Newton's method may take in a step", 25, above=0.0, whole=True
    )


def march_implicitly(
    job: IntegrationJob, weights: Weights, newton: NewtonOptions, *, lagged: bool = False
) -> ModalHistories:
    """Integrate by a member of the family.

    Raises `SettingsError` if the archive would not fit into memory; `SolverFailure` if Newton's method finds no forces
    in a step although no contact changes its state any more.
    """
    from veridyn.solver.integrators.integration import march
    from veridyn.solver.integrators.kernels import newmark

    failure = (
        f"the residual of a step stays above iteration_tolerance = {newton.iteration_tolerance:g} "
        f"after {newton.iterations:g} evaluations; reduce the step {job.step:g} s or allow more iterations"
    )
    return march(newmark.integrate, job, _method(job, weights, newton, lagged=lagged), failure=failure)


def _method(job: IntegrationJob, weights: Weights, newton: NewtonOptions, *, lagged: bool) -> NewmarkMethod:
    """Return the parameters of a march: the matrix of a step, and its answers along the rows.

    The masses of the system are a share of the diagonal of a sparse mass matrix that is not diagonal.
    """
    from veridyn.solver.integrators.entries import DIAGONAL, NOTHING, entries, factors, matrix, rows_of
    from veridyn.solver.integrators.kernels.newmark_balance import NewmarkMethod

    s, kept, own = job.system, 1.0 - weights.alpha_f, 1.0
    beside, start = NOTHING, DIAGONAL
    if job.mass is not None:
        own, start = job.mass.diagonal(), factors(job.mass)[0]
        beside = entries(job.mass - diagonal(own))
    b, g = weights.beta * job.step * job.step, weights.gamma * job.step
    implicit = (1.0 - weights.alpha_m) * own + kept * (g * s.damping + b * s.omega2)
    rows, push = rows_of(s)
    push = push.toarray() if is_sparse(push) else push
    result, answer = DIAGONAL, push.T / implicit[:, None]
    coupled = not lagged and bool(s.coupling.first.size or s.springs.first.size)
    if coupled or job.mass is not None:
        r = s.masses.size
        whole = diagonal(implicit) + (1.0 - weights.alpha_m) * matrix(beside, r)
        if coupled:
            whole = whole + kept * (g * matrix(s.coupling, r) + b * matrix(s.springs, r))
        result, solver = factors(whole)
        implicit, answer = whole.diagonal(), solver.solve(push.T)
    return NewmarkMethod(
        beta=float(weights.beta),
        gamma=float(weights.gamma),
        alpha_m=float(weights.alpha_m),
        alpha_f=float(weights.alpha_f),
        lagged=bool(lagged),
        tolerance=float(newton.iteration_tolerance),
        iterations=int(newton.iterations),
        own=float(np.mean(own)),
        beside=beside,
        start=start,
        implicit=implicit,
        factors=result,
        spread=np.ascontiguousarray((rows @ answer).T),
        largest=np.abs(push).max(axis=1, initial=0.0),
    )
