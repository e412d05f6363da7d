"""Generalised-alpha, and with ``hht`` HHT-alpha: Newmark's formulas, numerical damping that grows with the frequency.

Chung, Hulbert, J. Appl. Mech. 60, 1993; Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5, 1977.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veridyn.solver.integrators.implicit import NewtonOptions, Weights, march_implicitly
from veridyn.solver.integrators.scheme import Resolution, Scheme, require, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


@dataclass(frozen=True)
class AlphaOptions(NewtonOptions):
    """How much is damped, and by which of the two methods."""

    rho_inf: float = setting(
        "factor by which a step shrinks what is infinitely fast; 1: no damping", 0.8, within=(0, 1)
    )
    hht: bool = setting("whether the method is HHT-alpha, with alpha = (rho_inf - 1)/(rho_inf + 1)", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            not self.hht or self.rho_inf >= 0.5,
            f"rho_inf = {self.rho_inf!r} must lie in [0.5, 1] with hht: HHT-alpha needs alpha in [-1/3, 0]",
        )


def weights(options: AlphaOptions) -> Weights:
    """Return the weights of order 2 that damp the slow motions least."""
    rho = float(options.rho_inf)
    if options.hht:
        start_of_inertia, start_of_forces = 0.0, (1 - rho) / (1 + rho)
    else:
        start_of_inertia, start_of_forces = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    behind = start_of_forces - start_of_inertia
    return Weights((1 + behind) ** 2 / 4, 0.5 + behind, start_of_inertia, start_of_forces)


def run(options: AlphaOptions, job: IntegrationJob) -> ModalHistories:
    """Integrate."""
    return march_implicitly(job, weights(options), options)


SCHEME = Scheme(
    name="generalised_alpha", aster="HHT", place=45, points_per_period=10,
    evaluations="1, in contact until the force is found", run=run, options=AlphaOptions,
    claims={
        "order": 2, "lag": 0.0, "numerical_damping": 2.1e-5, "stability": math.inf, "method": "generalised-alpha",
        "rho_inf": "4/5",
    },
    resolution=Resolution(jumps=160_000),  # takes each jump at the end of a step, all to one side
)  # fmt: skip
