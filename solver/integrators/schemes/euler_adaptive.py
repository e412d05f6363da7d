"""Symplectic Euler whose step follows the apparent frequency."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from veridyn.solver.integrators.schemes import symplectic_euler
from veridyn.solver.integrators.schemes.central_adaptive import FrequencyOptions, run_controlled

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


def run(options: FrequencyOptions, job: IntegrationJob) -> ModalHistories:
    """Integrate."""
    return run_controlled(options, job, velocity_late=True)


SCHEME = replace(
    symplectic_euler.SCHEME, name="euler_adaptive", aster="ADAPT_ORDRE1", place=80, run=run, options=FrequencyOptions
)
