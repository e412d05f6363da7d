"""Newmark's family; by default the trapezoidal rule. Newmark, J. Eng. Mech. Div. ASCE 85, 1959."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veridyn.solver.integrators.scheme import Resolution, Scheme, Term, require, require_number, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


@dataclass(frozen=True)
class NewmarkOptions:
    """Parameters of the family, and how the forces at the end of a step are found."""

    beta: float = setting("weight of the new acceleration in the displacement of Newmark's family", 0.25)
    gamma: float = setting("weight of the new acceleration in the velocity of Newmark's family", 0.5)
    iteration_tolerance: float = setting("when the fixed point of the forces is found, relative", 1e-10)
    iterations: int = setting("evaluations that the fixed point of the forces may take", 100)
    lagged: bool = setting("whether forces are those of the start of the step", False)

    def __post_init__(self) -> None:
        require(0 <= self.beta <= 1, f"beta = {self.beta!r} must lie in [0, 1]")
        require(0 <= self.gamma <= 1, f"gamma = {self.gamma!r} must lie in [0, 1]")
        require_number("iteration_tolerance", self.iteration_tolerance, above=0.0)
        require_number("iterations", self.iterations, above=0.0)


def run(options: NewmarkOptions, job: Job) -> Run:
    """Integrate."""
    from veridyn.solver.integrators.integration import march
    from veridyn.solver.integrators.kernels import newmark

    method = newmark.Method(
        beta=float(options.beta),
        gamma=float(options.gamma),
        lagged=options.lagged,
        tolerance=float(options.iteration_tolerance),
        iterations=int(options.iterations),
    )
    return march(newmark.integrate, job, method)


SCHEME = Scheme(
    name="newmark", aster="NEWMARK", order=2, place=40, points_per_period=10,
    evaluations="1, in contact until the force is found", run=run,
    phase=Term(2, -1 / 12), options=NewmarkOptions,
    claims={
        "order": 2, "lag": 0.0, "numerical_damping": 0.0, "stability": math.inf, "method": "newmark", "beta": "1/4",
        "gamma": "1/2",
    },
    resolution=Resolution(jumps=160_000),  # takes each jump at the end of a step, all to one side
)  # fmt: skip
