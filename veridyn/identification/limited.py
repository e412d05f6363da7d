"""A gate that ends the measuring of a card: after a number of solves, or where a budget has no time for one more.

The number bounds what a card may take, whatever else the machine does: its load changes nothing that a run contradicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from veridyn.identification.examinee import LimitReached
from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.errors import SolverLost
from veridyn.solver.contract.gate import Columns, Gate, TimedAnswer
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.statements import Settings

MOST_SOLVES = 600  # of a card; one of both kinds of problems, with events, takes some 300
HasTime = Callable[[float], bool]
"""Tells whether there is time for a solve, from the longest so far (s)."""


def always(_: float) -> bool:
    """Tell that there is time, without a budget."""
    return True


@dataclass
class LimitedGate:
    """A gate to a solver that gives no answer after ``left`` more solves, without time for one, or once it has died.

    Each process of a solver that dies costs its start, or a time-out if it hangs: one tells enough. ``longest`` (s) is
    the time of the longest solve so far; ``ending`` says why no more are made, empty as long as they are.
    """

    gate: Gate
    has_time: HasTime = always
    left: int = MOST_SOLVES
    longest: float = 0.0
    ending: str = ""

    @property
    def introduction(self) -> Introduction:
        """See `Gate.introduction`."""
        return self.gate.introduction

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        """See `Gate.solve`; raises `LimitReached` after the end."""
        if not self.left:
            self.ending = f"{MOST_SOLVES} solves were made"
        elif not self.has_time(self.longest):
            self.ending = "the budget leaves no more time for it"
        if self.ending:
            raise LimitReached(f"not measured: {self.ending}")
        self.left -= 1
        try:
            answer = self.gate.solve(problem, settings)
        except SolverLost:
            self.ending = "the process of the solver ended in another motion"
            raise
        self.longest = max(self.longest, answer.seconds)
        return answer

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> TimedAnswer:
        """See `Gate.solve_tangent`."""
        return self.gate.solve_tangent(problem, tangent, settings)

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> TimedAnswer:
        """See `Gate.solve_cotangent`."""
        return self.gate.solve_cotangent(problem, cotangents, numbers, settings)

    def state_levels(self, problem: Problem, scheme: str) -> object:
        """See `Gate.state_levels`."""
        return self.gate.state_levels(problem, scheme)

    def state_defaults(self, problem: Problem, scheme: str) -> object:
        """See `Gate.state_defaults`."""
        return self.gate.state_defaults(problem, scheme)

    def warm_up(self, settings: Settings) -> None:
        """See `Gate.warm_up`."""
        self.gate.warm_up(settings)

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        """See `Gate.solve_many`."""
        return self.gate.solve_many(family, parameters, threads)
