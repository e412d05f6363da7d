"""The one gate to the code of a solver: every call into it goes through here, and ends in one of four ways.

An answer; not applicable (`CapabilityError`); a failure of the solver (`SolverFailure`: what it raised, or the end of
its process); or wrong settings of the user (`SettingsError`). A Python solver under test lives in a process of its own
(`served_gate`): what measures and judges never imports it, and never unpickles what it sent. `local_gate` calls an
object in this process: for those who look or debug, for programs (`cmd:`), and for files in the place of a solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.errors import SettingsError, SolverCrash
from veridyn.solver.contract.introduction import Introduction, check_defaults
from veridyn.solver.contract.statements import Refinement, Settings, find_levels


@dataclass(frozen=True)
class TimedAnswer:
    """What a solver answered, unread, how long its solve took (s), and what of the problem it has changed meanwhile.

    An object in this process gets the problem itself: who asks looks whether it has changed.
    """

    content: object
    seconds: float
    changed: tuple[str, ...] = ()


class Gate(Protocol):
    """The way to one solver under test."""

    @property
    def introduction(self) -> Introduction:
        """What the solver states of itself."""

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        """Return what the solver answers.

        Raises
        ------
        CapabilityError
            If the solver says that it does not offer what the problem needs.
        SettingsError
            If the settings are wrong.
        SolverFailure
            If the computation fails; `SolverCrash` if that is no message for users; `SolverLost` if the process of the
            solver ended, or took too long and was ended.
        """

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> TimedAnswer:
        """Return response and derivative along a tangent as the solver answers; raises what `solve` raises."""

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> TimedAnswer:
        """Return derivatives by numbers of weighted outputs as the solver answers; raises what `solve` raises."""

    def state_levels(self, problem: Problem, scheme: str) -> object:
        """Return the refinement that the solver states for a problem; raises what `solve` raises."""

    def state_defaults(self, problem: Problem, scheme: str) -> object:
        """Return the settings that the solver takes where none are given; raises what `solve` raises."""

    def warm_up(self, settings: Settings) -> None:
        """Let the solver compile, if it does; raises what `solve` raises."""

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        """Return the quantities of many problems of a family that the solver offers; raises what `solve` raises."""


Columns = Mapping[str, NDArray[np.generic]]
"""Parameters or quantities by name, arrays (n,)."""


def check_columns(owner: str, answer: object, parameters: Columns) -> Columns:
    """Return the quantities of many problems; raises `SolverCrash` if they are no arrays, one number a problem."""
    count = next(iter(parameters.values())).size
    if not isinstance(answer, Mapping) or not all(
        isinstance(column, np.ndarray) and column.shape == (count,) for column in answer.values()
    ):
        raise SolverCrash(f"{owner} returned what are no arrays of {count} numbers by name")
    return answer


def default_settings(gate: Gate, problem: Problem, scheme: str = "") -> Settings:
    """Return the settings that a solver takes where none are given, as far as it tells and can solve the problem.

    Raises what `Gate.solve` raises.
    """
    introduction = gate.introduction
    if problem.needs - introduction.capabilities:
        return {}
    if introduction.defaults is not None:
        return introduction.defaults
    try:
        return check_defaults(introduction.name, gate.state_defaults(problem, scheme))
    except SettingsError as wrong:  # the solver has stated them, not the user: others beside it are judged all the same
        raise SolverCrash(str(wrong)) from None


def read_levels(gate: Gate, problem: Problem, scheme: str = "") -> Refinement:
    """Return the refinement levels that a solver states for a problem.

    Raises what `Gate.solve` raises, and what `find_levels` raises.
    """
    introduction = gate.introduction
    stated = introduction.refinement if introduction.refinement is not None else gate.state_levels(problem, scheme)
    return find_levels(f"solver {introduction.name}", stated, problem, introduction.claims[scheme])
