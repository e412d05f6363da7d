"""What every solver has: the one type by which the rest of the project knows solvers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from veridyn.solver.contract.responses import AnyResponse
from veridyn.solver.contract.statements import Settings


class Solver(Protocol):
    """A solver under test. Solvers are plain objects: they may name this class, and need not inherit from it.

    Besides, a solver may state ``schemes``, ``settings``, ``claims``, ``refinement``, ``defaults``, ``warm_up``, and
    ``families`` with ``solve_many``: `docs/plugging-in-a-solver.md` says what they mean; `introduction` reads them.
    """

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def version(self) -> str:
        """Version of the code under test."""

    @property
    def capabilities(self) -> Collection[str]:
        """Tags of what it solves, from `statements.TAGS`."""

    # Any: a solver may take problems of one kind alone; of which, its capabilities say and no type here can
    def solve(self, problem: Any, settings: Settings, /) -> AnyResponse | Mapping[str, object]:
        """Return the response of a problem.

        Parameters
        ----------
        problem
            A `veridyn.MechanicalProblem` or `veridyn.InitialValueProblem`, by the capabilities.
        settings
            Values of the settings that the solver declares, and ``scheme`` if it has schemes.

        Returns
        -------
        Response, Trajectory or mapping
            Histories in SI units at the output instants, arrays (m,) and (m, n); see `responses`.

        Raises
        ------
        NotImplementedError
            If the problem needs what the solver does not offer.
        SettingsError
            If a setting is unknown, missing or out of range.
        SolverFailure
            If the computation fails.
        """
