"""Symplectic Euler: central differences whose velocity lies half a step back."""

from __future__ import annotations

from veridyn.solver.integrators.scheme import Resolution, Scheme, fixed_step

SCHEME = Scheme(
    name="symplectic_euler", aster="EULER", place=10, points_per_period=20, evaluations="1",
    run=fixed_step("symplectic_euler"),
    claims={
        "order": 2, "lag": 0.5, "force_lag": 0.5, "numerical_damping": 0.0, "stability": 2.0,
        "method": "symplectic-euler",
    },
    resolution=Resolution(contact=1200, span=40_000, jumps=200_000),  # velocities h/2 old: order 1
)  # fmt: skip
