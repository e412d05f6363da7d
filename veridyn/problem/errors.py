"""Errors of problems: each names the culprit and the remedy in one line."""


class SolverInputError(ValueError):
    """The caller asked for something that cannot be solved as stated."""


class ProblemError(SolverInputError):
    """A problem description is malformed: wrong shape, negative mass, NaN, unknown name."""
