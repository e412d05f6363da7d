"""A solver under examination: a gate, a scheme and settings; solves are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.responses import AnyResponse, Response, Trajectory, read_response
from veridyn.solver.contract.statements import Claims, Settings

Floats: TypeAlias = NDArray[np.float64]

REFUSED = (SolverInputError, SolverFailure)
"""What a solver raises that does not answer: it lacks something, the settings are wrong, the computation fails."""


class LimitReached(SolverFailure):
    """The limit of a card is reached: no answer, which says nothing of the solver."""


ABSOLUTE_NAMES = ("atol", "abstol")
TOLERANCE_NAMES = ("rtol", "tolerance", "tol", "reltol", *ABSOLUTE_NAMES, "accuracy")
SAME_INSTANT = 1e-9  # of the span: the samples of a solver that counts its time differ from what was stated by rounding


@dataclass(frozen=True)
class Examinee:
    """A scheme of a solver behind its gate, with settings of the user.

    ``stated``: claims of the user in place of its own. ``tally`` grows with every problem that it was given: their
    names.
    """

    gate: Gate
    scheme: str = ""
    settings: Settings = field(default_factory=dict)
    stated: Claims | None = None
    tally: list[str] = field(default_factory=list)

    @property
    def solves(self) -> int:
        """How many problems it was given."""
        return len(self.tally)

    @property
    def claims(self) -> Claims:
        """What it claims, or the user claims of it."""
        return self.stated or self.gate.introduction.claims.get(self.scheme, Claims())

    @property
    def declared(self) -> Mapping[str, str]:
        """The settings that it declares, with their meaning."""
        return self.gate.introduction.settings.get(self.scheme, {})

    def offers(self, *capabilities: str) -> bool:
        """Tell whether it offers all of some capabilities."""
        return self.gate.introduction.capabilities.issuperset(capabilities)

    def find_tolerance(self) -> str:
        """Return the setting that is a tolerance: the claimed one, or one by its name; empty if there is none."""
        names = {name.lower(): name for name in self.declared}
        return self.claims.tolerance or next((names[name] for name in TOLERANCE_NAMES if name in names), "")

    def find_absolute(self) -> str:
        """Return the setting that is an absolute tolerance beside `find_tolerance`; empty if there is none."""
        names = {name.lower(): name for name in self.declared if name != self.find_tolerance()}
        return next((names[name] for name in ABSOLUTE_NAMES if name in names), "")

    def find_tolerances(self) -> list[str]:
        """Return the settings that are tolerances, the one that is refined first; none if there is none."""
        return [name for name in (self.find_tolerance(), self.find_absolute()) if name]

    def with_settings(self, settings: Settings) -> Examinee:
        """Return the same solver with more settings; what it is given counts for both."""
        return replace(self, settings={**self.settings, **settings})

    @overload
    def solve(self, problem: InitialValueProblem, settings: Settings) -> Trajectory: ...

    @overload
    def solve(self, problem: MechanicalProblem, settings: Settings) -> Response: ...

    def solve(self, problem: Problem, settings: Settings) -> AnyResponse:
        """Return the answer to a problem; raises what `REFUSED` lists."""
        introduction = self.gate.introduction
        missing = sorted(problem.needs - introduction.capabilities)
        if missing:
            raise CapabilityError(f"the solver does not offer {', '.join(missing)}")
        self.tally.append(problem.name)
        named = {"scheme": self.scheme} if self.scheme else {}
        content = self.gate.solve(problem, {**self.settings, **settings, **named}).content
        return read_response(problem, content, introduction.name)

    def states_at_outputs(self, problem: InitialValueProblem, settings: Settings) -> Floats:
        """Return the states (m, n) at the output instants; raises what `solve` raises, or `SolverFailure`."""
        return sample_states(self.solve(problem, settings), problem)

    def end_state(self, problem: InitialValueProblem, settings: Settings) -> Floats:
        """Return the states (n,) at the end; raises what `states_at_outputs` raises."""
        state: Floats = self.states_at_outputs(problem, settings)[-1]
        return state


def sample_states(answer: Trajectory, problem: InitialValueProblem) -> Floats:
    """Return the states (m, n) at the output instants of a problem; raises `SolverFailure` where one has no sample."""
    assert problem.output_times is not None
    places = np.searchsorted(answer.time, problem.output_times)
    before, after = np.clip(places - 1, 0, None), np.clip(places, None, answer.time.size - 1)
    is_before = np.abs(answer.time[before] - problem.output_times) < np.abs(answer.time[after] - problem.output_times)
    nearest = np.where(is_before, before, after)
    off = float(np.max(np.abs(answer.time[nearest] - problem.output_times)))
    if off > SAME_INSTANT * (problem.end - problem.start):
        raise SolverFailure(f"no sample at an output instant: the nearest one is {off:.3g} s off")
    return answer.states[nearest]
