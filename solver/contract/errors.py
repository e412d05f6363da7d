"""Errors of the solver room: each names the culprit and the remedy in one line."""

from veridyn.problem.errors import SolverInputError


class SettingsError(SolverInputError):
    """A solver setting is unknown, missing or out of range."""


class StepError(SettingsError):
    """The time step breaks the step rule of the scheme."""


class CapabilityError(SolverInputError):
    """The problem needs something that the solver does not offer."""


class SolverFailure(RuntimeError):
    """The computation itself failed: divergence, step control exhausted, bad response."""


class SolverCrash(SolverFailure):
    """The solver raised something that is no message for users."""


class SolverLost(SolverCrash):
    """The process of the solver ended, or gave no answer in time and was ended."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a computation; ``response`` holds what was computed until then."""

    def __init__(self, message: str, response: object = None) -> None:
        super().__init__(message)
        self.response = response


class MissingHistory(CapabilityError):
    """The response lacks a history that solvers may leave out: what needs it is not applicable."""


class DivergenceError(SolverFailure):
    """The integration left the range of finite numbers."""


def read_text(error: BaseException) -> str:
    """Return the text of an error of foreign code, whatever that code does."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the code of a solver may raise anything
        return "its text cannot be read"
