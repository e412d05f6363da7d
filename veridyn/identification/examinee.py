"""A solver under examination: a gate, a scheme and settings; solves are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.responses import Trajectory, read_response
from veridyn.solver.contract.statements import Claims, Settings

Floats: TypeAlias = NDArray[np.float64]

REFUSED = (SolverInputError, SolverFailure)
"""What a solver raises that does not answer: it lacks something, the settings are wrong, the computation fails."""

SAME_INSTANT = 1e-9  # of the span: the samples of a solver that counts its time differ from what was stated by rounding


@dataclass
class Examinee:
    """A scheme of a solver behind its gate, with settings of the user; counts the problems that it was given."""

    gate: Gate
    scheme: str = ""
    settings: Settings = field(default_factory=dict)
    solves: int = 0

    @property
    def claims(self) -> Claims:
        """What it claims."""
        return self.gate.introduction.claims.get(self.scheme, Claims())

    @property
    def declared(self) -> Mapping[str, str]:
        """The settings that it declares, with their meaning."""
        return self.gate.introduction.settings.get(self.scheme, {})

    def offers(self, *capabilities: str) -> bool:
        """Tell whether it offers all of some capabilities."""
        return self.gate.introduction.capabilities.issuperset(capabilities)

    def solve(self, problem: InitialValueProblem, settings: Settings) -> Trajectory:
        """Return the answer to a problem; raises what `REFUSED` lists."""
        self.solves += 1
        named = {"scheme": self.scheme} if self.scheme else {}
        content = self.gate.solve(problem, {**self.settings, **settings, **named}).content
        answer = read_response(problem, content, self.gate.introduction.name)
        assert isinstance(answer, Trajectory)
        return answer

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
