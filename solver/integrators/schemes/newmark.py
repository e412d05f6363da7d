"""Newmark's family; by default the trapezoidal rule. Newmark, J. Eng. Mech. Div. ASCE 85, 1959."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veridyn.solver.integrators.implicit import NewtonOptions, Weights, march_implicitly
from veridyn.solver.integrators.scheme import Resolution, Scheme, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


@dataclass(frozen=True)
class NewmarkOptions(NewtonOptions):
    """Parameters of the family, and how the forces at the end of a step are found."""

    beta: float = setting("weight of the new acceleration in the displacement of Newmark's family", 0.25, within=(0, 1))
    gamma: float = setting("weight of the new acceleration in the velocity of Newmark's family", 0.5, within=(0, 1))
    lagged: bool = setting("whether forces are those of the start of the step", False)


def run(options: NewmarkOptions, job: IntegrationJob) -> ModalHistories:
    """Integrate."""
    weights = Weights(float(options.beta), float(options.gamma))
    return march_implicitly(job, weights, options, lagged=options.lagged)


SCHEME = Scheme(
    name="newmark", aster="NEWMARK", place=40, points_per_period=10,
    evaluations="1, in contact until the force is found", run=run, options=NewmarkOptions,
    claims={
        "order": 2, "lag": 0.0, "numerical_damping": 0.0, "stability": math.inf, "method": "newmark", "beta": "1/4",
        "gamma": "1/2",
    },
    resolution=Resolution(jumps=160_000),  # takes each jump at the end of a step, all to one side
)  # fmt: skip
