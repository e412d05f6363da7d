"""Solvers that are compared, each with the one scheme that it is compared by, on output instants for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veridyn.api.solving import open_here, request_of, subject_of
from veridyn.problem.mechanical import Problem
from veridyn.problem.time_scales import shortest_period
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.loading import EXACT as EXACT_NAME
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.runner import Runner

SAMPLES = 40  # in the shortest period, so that peaks of forces are read off well
FEWEST, MOST = 2000, 40_000


def with_outputs(problem: Problem) -> Problem:
    """Return a problem with output instants: those that it asks for, or enough for its shortest period."""
    if problem.output_times is not None:
        return problem
    wanted = SAMPLES * (problem.end - problem.start) / shortest_period(problem)
    count = int(min(max(wanted, FEWEST), MOST))
    return replace(problem, output_times=np.linspace(problem.start, problem.end, count + 1))


@dataclass(frozen=True, eq=False)
class Entrant:
    """A solver of a comparison, with the one scheme that it is compared by."""

    label: str
    runner: Runner
    scheme: str
    plain: bool  # without settings of the user
    is_exact: bool  # ours

    def lacking(self, problem: Problem) -> list[str]:
        """Return what the problem needs and the solver does not offer."""
        return sorted(problem.needs - self.runner.subject.capabilities)


def make_entrants(solvers: Any) -> list[Entrant]:
    """Return what is compared: of one solver or several, each alone or as a pair of solver and settings.

    Raises SettingsError if there is none, or one is given twice; what `open_here` and `subject_of` raise.
    """
    several = isinstance(solvers, Iterable) and not isinstance(solvers, str)
    result = [make_entrant(*_pair(given)) for given in (solvers if several else (solvers,))]
    if not result:
        raise SettingsError("compare: name one solver or more")
    for i, entrant in enumerate(result):
        if entrant.label in [other.label for other in result[:i]]:
            raise SettingsError(f"compare: {entrant.label} is given twice; its refinement levels vary its settings")
    return result


def _pair(given: Any) -> tuple[Any, Mapping[str, Any]]:
    if not isinstance(given, tuple):
        return given, {}
    if len(given) == 2 and isinstance(given[1], Mapping):
        return given
    raise SettingsError(f"compare: write a solver, or a pair of solver and settings; got {given!r}")


def make_entrant(solver: Solver | str, settings: Mapping[str, Any]) -> Entrant:
    """Return a solver with settings, by the scheme that they name or by its first; raises as `make_entrants` does."""
    gate = open_here(solver)
    introduction = gate.introduction
    scheme = subject_of(gate, settings).schemes[0]
    label = f"{introduction.name} {scheme}" if len(introduction.schemes) > 1 else introduction.name
    is_exact = solver is EXACT or solver == EXACT_NAME
    return Entrant(label, Runner(gate, request_of(settings)), scheme, plain=not settings, is_exact=is_exact)
