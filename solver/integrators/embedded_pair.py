"""Schemes that are Runge-Kutta pairs: their options, and how they run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from veridyn.solver.integrators.scheme import StepBounds, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


@dataclass(frozen=True)
class ErrorOptions(StepBounds):
    """Options of a control by an estimate of the error."""

    tolerance: float = setting("relative tolerance of the error of a step", 1e-5, above=0.0)
    absolute: float = setting(
        "least size of a coordinate that the tolerance refers to (m and m/s)", 0.0, within=(0.0, math.inf)
    )


@dataclass(frozen=True)
class PairOptions(ErrorOptions):
    """Options of a pair of formulas."""

    sequential_stages: bool = setting("whether each stage hands the memory of contacts on to the next", False)


@dataclass(frozen=True)
class EmbeddedPair:
    """A pair whose last stage lies at the new point: weights of the stages from the second on, and of the error.

    ``power``: the control takes the error to go with this power of the step.
    """

    weights: Sequence[Sequence[str]]
    error: Sequence[str]
    power: float

    def run(self, options: PairOptions, job: IntegrationJob) -> ModalHistories:
        """Integrate."""
        from veridyn.solver.integrators.integration import march_adaptively
        from veridyn.solver.integrators.kernels import runge_kutta

        n = len(self.error)
        a = np.zeros((n, n))
        for i, row in enumerate(self.weights, start=1):
            a[i, : len(row)] = [float(Fraction(weight)) for weight in row]
        c = np.array([0.0, *(float(sum(map(Fraction, row))) for row in self.weights)])
        e = np.array([float(Fraction(weight)) for weight in self.error])
        control = runge_kutta.RungeKuttaControl(
            **options.of_step(job.step),
            tolerance=float(options.tolerance),
            absolute=float(options.absolute),
            sequential=options.sequential_stages,
        )
        tableau = runge_kutta.FormulaPair(c, a, e, self.power)
        return march_adaptively(runge_kutta.integrate, control, job, tableau)
