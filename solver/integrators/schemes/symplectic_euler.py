"""Symplectic Euler: central differences whose velocity lies half a step back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veridyn.solver.integrators.scheme import NoOptions, Resolution, Scheme, Term

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


def run(_: NoOptions, job: Job) -> Run:
    """Integrate."""
    from veridyn.solver.integrators.integration import march
    from veridyn.solver.integrators.kernels import symplectic_euler

    return march(symplectic_euler.integrate, job)


SCHEME = Scheme(
    name="symplectic_euler", aster="EULER", order=2, place=10, points_per_period=20, evaluations="1", run=run,
    phase=Term(2, 1 / 24), damped=Term(1, 1 / 2),
    claims={
        "order": 2, "lag": 0.5, "force_lag": 0.5, "numerical_damping": 0.0, "stability": 2.0,
        "method": "symplectic-euler",
    },
    resolution=Resolution(contact=1200, span=40_000, jumps=200_000),  # velocities h/2 old: order 1
)  # fmt: skip
