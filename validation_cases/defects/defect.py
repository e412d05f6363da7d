"""What a deliberate defect is: a solver that is sound but for one documented change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from veridyn.solver import exact
from veridyn.solver.errors import CapabilityError, SolverInputError
from veridyn.solver.integration import Rebuild
from veridyn.solver.modal import SOLVER
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.validation_cases.defects.features import FEATURES

DefectKind = Literal["integrator", "contact", "friction", "device", "modal", "seismic", "post-processing", "numerics"]
Before = Callable[[MechanicalProblem], MechanicalProblem]
After = Callable[[MechanicalProblem, Response], Response]

VERSION = "defect"


def same(problem: MechanicalProblem) -> MechanicalProblem:
    """Return the problem as it is."""
    return problem


def untouched(_: MechanicalProblem, response: Response) -> Response:
    """Return the response as it is."""
    return response


@contextmanager
def _no_refusal() -> Iterator[None]:
    """Make a damaged problem that is refused an error of the defect: the user asked for nothing wrong."""
    try:
        yield
    except CapabilityError:
        raise
    except SolverInputError as refused:
        raise RuntimeError(f"the damaged problem is refused: {refused}") from refused


@dataclass(frozen=True, eq=False)
class Defect:
    """A scheme of ours with one thing wrong; a solver like any other.

    ``what``: what is wrong, one sentence; ``mistake``: what a user would have done. ``needs``: names of `FEATURES`
    without which the problem is solved as the sound scheme solves it. ``unseen``: why what documents ask for cannot see
    it around the exact solver, if so. ``of``: the scheme that is damaged, which it
    still claims to be, so that it is judged by the theory of that scheme. The damage: ``before`` changes the problem,
    ``after`` the response to it (given the problem as posed), ``parts`` replaces parts of the kernel, ``changed``
    settings.
    """

    name: str
    kind: DefectKind
    what: str
    mistake: str
    needs: tuple[str, ...] = ()
    of: str = "symplectic_euler"
    unseen: str = ""
    before: Before = same
    after: After = untouched
    parts: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] = field(default_factory=dict)
    version: str = VERSION
    capabilities: frozenset[str] = SOLVER.capabilities

    def touches(self, problem: MechanicalProblem) -> bool:
        """Tell whether a problem has what the defect damages."""
        return all(FEATURES[name](problem) for name in self.needs)

    @cached_property
    def _rebuild(self) -> Rebuild | None:
        if not self.parts:
            return None
        from veridyn.validation_cases.defects.rebuilt import rebuilding  # late: it compiles

        return rebuilding(self.parts)

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response with the defect in it, whatever the step.

        Raises
        ------
        SolverFailure
            If the motion diverges or the step control gives up.
        """
        if not self.touches(problem):
            return SOLVER.solve(problem, settings)
        damaged = replace(SOLVER, rebuild=self._rebuild)
        chosen = {**settings, "check_step": False, **self.changed}
        with _no_refusal():
            return self.after(problem, damaged.solve(self.before(problem), chosen))

    @property
    def outside(self) -> bool:
        """Whether the defect lies outside the scheme, so that any solver can have it."""
        return not self.parts and not self.changed


@dataclass(frozen=True, eq=False)
class Foreign:
    """The same defect around the exact solver, which claims nothing and is judged by what documents ask for."""

    defect: Defect
    of: str = ""
    version: str = VERSION
    capabilities: frozenset[str] = exact.SOLVER.capabilities

    @property
    def name(self) -> str:
        """Name of the defect, and around what it lies."""
        return f"{self.defect.name} around {exact.SOLVER.name}"

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response with the defect in it; raises what the exact solver raises."""
        if not self.defect.touches(problem):
            return exact.SOLVER.solve(problem, settings)
        with _no_refusal():
            return self.defect.after(problem, exact.SOLVER.solve(self.defect.before(problem), settings))


@dataclass(frozen=True)
class Sound:
    """One of our schemes as a solver that claims to be it, without any defect."""

    of: str
    version: str = SOLVER.version
    capabilities: frozenset[str] = SOLVER.capabilities

    @property
    def name(self) -> str:
        """Name of the scheme."""
        return self.of

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response of the scheme; raises what our own solver raises."""
        return SOLVER.solve(problem, settings)
