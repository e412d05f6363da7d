"""How a command ends."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of the command line, as README and ``veridyn --help`` state it."""

    FINE = 0
    FAILED = 1  # a check failed
    UNUSABLE = 2  # wrong usage, bad input, a missing package, or nothing could be judged
    CRASHED = 3  # a solver ended its process
    INTERRUPTED = 130  # Ctrl-C
