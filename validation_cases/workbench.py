"""Puts a solver to work: solves each run once, checks what comes back, keeps the time."""

from __future__ import annotations

import contextlib
import io
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

from veridyn.solver.errors import CapabilityError, SolverFailure, SolverInputError
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response, read_response
from veridyn.validation_cases.case import Observation, Run

KEPT = 8  # responses held in memory; checks come grouped by run


class SolverCrash(SolverFailure):
    """The solver raised something that is no message for users."""


def unwatched(_: str) -> AbstractContextManager[None]:
    """Let a solve take its time."""
    return nullcontext()


@dataclass
class Workbench:
    """One solver and the responses that it gave.

    ``observe`` solves a run at most once while it is kept; failures are kept too, so that a crashing solver
    is not called again for every quantity. Every solve happens within ``watch(key)``; what is known to end the
    process stands in ``lost``, the reason by the key of the run, and is not tried again.
    """

    solver: Any
    answers: OrderedDict[str, Observation | Exception] = field(default_factory=OrderedDict)
    wall_times: dict[str, float] = field(default_factory=dict)
    warm: set[str] = field(default_factory=set)
    last: str = ""
    lost: Mapping[str, str] = field(default_factory=dict)
    watch: Callable[[str], AbstractContextManager[None]] = unwatched

    def observe(self, run: Run) -> Observation:
        """Return problem and response of a run.

        Raises
        ------
        SolverInputError
            If the run cannot be solved as stated: wrong settings, step above the limit.
        SolverFailure
            If the solver crashed, diverged or returned a malformed response.
        """
        self.last = run.key
        if run.key not in self.answers:
            self.answers[run.key] = self._solve(run)
            while len(self.answers) > KEPT:
                self.answers.popitem(last=False)
        answer = self.answers[run.key]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _solve(self, run: Run) -> Observation | Exception:
        if run.key in self.lost:
            return SolverCrash(self.lost[run.key])
        problem = run.problem
        try:
            # what a solver prints must not reach a JSON document on standard output
            with contextlib.redirect_stdout(io.StringIO()), self.watch(run.key):
                self._warm_up(run)
                start = time.perf_counter()
                answer = self.solver.solve(problem, dict(run.settings))
            self.wall_times[run.key] = time.perf_counter() - start
            response: Response = read_response(cast(MechanicalProblem, problem), answer, self.solver.name)
        except (SolverInputError, SolverFailure) as error:
            return error
        except NotImplementedError as error:
            return CapabilityError(f"{self.solver.name} says: {error or 'not implemented'}")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything; the run must go on
            return SolverCrash(f"{self.solver.name} raised {type(error).__name__}: {error}")
        return Observation(run.values, problem, response)

    def _warm_up(self, run: Run) -> None:
        """Let a solver that can warm up (compile) do so once per scheme, outside the timing."""
        scheme = str(run.settings.get("scheme", ""))
        if hasattr(self.solver, "warm_up") and scheme not in self.warm:
            self.warm.add(scheme)
            self.solver.warm_up(dict(run.settings))

    def crashed(self) -> bool:
        """Tell whether the last run asked for has no response."""
        return not isinstance(self.answers.get(self.last), Observation)

    def wall_time(self) -> float | None:
        """Return the time (s) of the last run asked for, None if it never ended."""
        return self.wall_times.get(self.last)
