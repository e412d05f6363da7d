"""Problem description as data, the solver contract, our own modal integrator and its post-processing."""

from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.solver.contract.errors import CapabilityError, DivergenceError, SettingsError, SolverFailure, StepError

__all__ = [
    "CapabilityError",
    "DivergenceError",
    "ProblemError",
    "SettingsError",
    "SolverFailure",
    "SolverInputError",
    "StepError",
]
