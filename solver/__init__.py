"""What solves problems: the contract of every solver, our own integrators, the exact solver, adapters."""

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
