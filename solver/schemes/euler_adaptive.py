"""Symplectic Euler whose step follows the apparent frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veridyn.solver.apparent_frequency import FrequencyOptions, run_controlled
from veridyn.solver.scheme import Scheme, Term

if TYPE_CHECKING:
    from veridyn.solver.integration import Job, Run


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
    lag=1 / 2,
    force_lag=1 / 2,
    end_weight=1 / 2,
    options=FrequencyOptions,
)
