"""Symplectic Euler whose step follows the apparent frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veridyn.solver.integrators.apparent_frequency import FrequencyOptions, run_controlled
from veridyn.solver.integrators.scheme import Resolution, Scheme, Term

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


def run(options: FrequencyOptions, job: Job) -> Run:
    """Integrate."""
    return run_controlled(SCHEME.name, options, job, velocity_late=True)


SCHEME = Scheme(
    name="euler_adaptive",
    aster="ADAPT_ORDRE1",
    order=2,
    place=80,
    points_per_period=20,
    evaluations="1",
    run=run,
    phase=Term(2, 1 / 24),
    damped=Term(1, 1 / 2),
    options=FrequencyOptions,
    claims={
        "order": 2,
        "lag": 0.5,
        "force_lag": 0.5,
        "numerical_damping": 0.0,
        "stability": 2.0,
        "method": "symplectic-euler",
    },
    resolution=Resolution(contact=1200, span=40_000, jumps=200_000),  # velocities h/2 old: order 1
)
