"""Problem description as data, the solver contract, our own modal integrator and its post-processing."""

from veridyn.solver.errors import (
    CapabilityError,
    DivergenceError,
    ProblemError,
    SettingsError,
    SolverFailure,
    SolverInputError,
    StepError,
)

__all__ = [
    "CapabilityError",
    "DivergenceError",
    "ProblemError",
    "SettingsError",
    "SolverFailure",
    "SolverInputError",
    "StepError",
]
