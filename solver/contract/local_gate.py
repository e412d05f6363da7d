"""The gate to a solver in this process, and how what it raises becomes an error of ours."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract import errors
from veridyn.solver.contract.errors import CapabilityError, SolverCrash
from veridyn.solver.contract.gate import Columns, TimedAnswer, check_columns
from veridyn.solver.contract.introduction import further, introduce, state_defaults, state_levels
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.server import describe_exception
from veridyn.solver.contract.statements import Settings

# ---- what a solver raises

OURS: Mapping[str, type[Exception]] = {
    f"{kind.__module__}.{kind.__qualname__}": kind
    for kind in (
        errors.CapabilityError, errors.MissingHistory, errors.SettingsError, errors.StepError, errors.SolverFailure,
        errors.SolverCrash, errors.SolverLost, errors.DivergenceError,
    )
}  # fmt: skip
NOT_IMPLEMENTED = "builtins.NotImplementedError"
REMEDIES: Mapping[str, str] = {  # what a text of a library means here
    "Cannot convert expression to float": "an expression is no number; problem.initial_state holds numbers, and "
    "veridyn.problem.generated.functions gives functions of them",
}


@dataclass(frozen=True)
class Raised:
    """What the code of a solver raised: the full names of its classes, from its own up, and its text."""

    names: Sequence[str]
    text: str

    @property
    def line(self) -> str:
        """Name of the class, the text, and what to do about it where that is known."""
        name = self.names[0].rpartition(".")[2] if self.names else "an exception"
        remedy = next((f": {remedy}" for text, remedy in REMEDIES.items() if text in self.text), "")
        return f"{name}: {self.text}{remedy}"

    def translate(self, owner: str) -> Exception:
        """Return it as an error of ours.

        That the problem is wrong says nobody but the judge: other errors of input are those of the solver's code.
        """
        for name in self.names:
            if name in OURS:
                return OURS[name](self.text)
            if name == NOT_IMPLEMENTED:
                return CapabilityError(f"{owner} says: {self.text or 'not implemented'}")
        return SolverCrash(f"{owner} raised {self.line}")


@contextlib.contextmanager
def translate_errors(owner: str) -> Iterator[None]:
    """Turn whatever the code of a solver raises into an error of ours, and keep what it prints from standard output.

    The working directory is what it was before: other files are still to be found by their names.
    """
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(Path.cwd()):
            yield
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is raised again, as one of ours
        raised = Raised(**describe_exception(error)).translate(owner)
        # contextlib takes what is raised from a StopIteration for that one, which would end a generator of the judge.
        raise raised from (None if isinstance(error, StopIteration) else error)


class LocalGate:
    """The way to a solver in this process: `Gate` says what its functions do."""

    def __init__(self, solver: Solver, spec: str = "") -> None:
        self.introduction = introduce(solver, spec)
        self._solver = solver

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        return self._clock(lambda: self._solver.solve(problem, dict(settings)))

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> TimedAnswer:
        return self._clock(lambda: further(self._solver, "solve_tangent")(problem, tangent, dict(settings)))

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> TimedAnswer:
        solve = further(self._solver, "solve_cotangent")
        return self._clock(lambda: solve(problem, dict(cotangents), list(numbers), dict(settings)))

    def _clock(self, solve: Callable[[], object]) -> TimedAnswer:
        with translate_errors(self.introduction.name):
            start = time.perf_counter()
            content = solve()
            return TimedAnswer(content, time.perf_counter() - start)

    def state_levels(self, problem: Problem, scheme: str) -> object:
        with translate_errors(self.introduction.name):
            return state_levels(self._solver, problem, scheme)

    def state_defaults(self, problem: Problem, scheme: str) -> object:
        with translate_errors(self.introduction.name):
            return state_defaults(self._solver, problem, scheme)

    def warm_up(self, settings: Settings) -> None:
        if self.introduction.warms_up:
            with translate_errors(self.introduction.name):
                further(self._solver, "warm_up")(dict(settings))

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        with translate_errors(self.introduction.name):
            answer = further(self._solver, "solve_many")(family, parameters, threads)
            return check_columns(self.introduction.name, answer, parameters)
