"""Hosts in the process of the study: a solve that takes too long is ended by an alarm, which Python code hears."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

from veridyn.problem.mechanical import Problem
from veridyn.references.deadline import TICK, may_be_cut, precisions_restored
from veridyn.solver.contract.errors import SolverLost
from veridyn.solver.contract.gate import TimedAnswer
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import Settings


class OutOfTime(BaseException):
    """The alarm of a solve; a solver that catches every `Exception` does not catch this."""


@contextlib.contextmanager
def end_after(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` if what follows takes too long; in the main thread of a process alone."""

    def ring(_: int, frame: FrameType | None) -> None:
        if may_be_cut(frame):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise OutOfTime

    with precisions_restored():
        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, TICK)  # again a tick later, where the first was of no use
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class TimedGate(LocalGate):
    """The way to a host: after a solve that took too long no other is tried, as it might take as long."""

    def __init__(self, solver: Any, seconds: float) -> None:
        super().__init__(solver)
        self.seconds, self.lost = seconds, ""

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        """Return what the host answers; raises what `Gate.solve` raises."""
        if self.lost:
            raise SolverLost(self.lost)
        try:
            with end_after(self.seconds):
                return super().solve(problem, settings)
        except OutOfTime:
            self.lost = f"{self.introduction.name} gave no answer within {self.seconds:g} s"
            raise SolverLost(self.lost) from None
