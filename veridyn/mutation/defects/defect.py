"""What a seeded fault of our integrator is: one of its schemes with one documented change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from veridyn.mutation.defects.features import FEATURES
from veridyn.solver.errors import CapabilityError, SolverInputError
from veridyn.solver.exact import solver as exact
from veridyn.solver.integrators.integration import Rebuild
from veridyn.solver.integrators.modal import SOLVER, completed
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.response import Response

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
    """A scheme with one thing wrong; a solver like any other, which claims what the scheme claims.

    ``what``: what is wrong, one sentence. ``needs``: names of `FEATURES` without which the problem is solved as the
    scheme solves it. ``scheme``: the scheme that is damaged. The damage: ``before`` changes the problem, ``after`` the
    response to it (given the problem as it was), ``parts`` replaces parts of the kernel, ``changed`` settings.
    ``unseen``: why no check of a case can detect it, if so.
    """

    name: str
    kind: DefectKind
    what: str
    needs: tuple[str, ...] = ()
    scheme: str = "symplectic_euler"
    before: Before = same
    after: After = untouched
    parts: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] = field(default_factory=dict)
    unseen: str = ""
    version: str = VERSION
    capabilities: frozenset[str] = SOLVER.capabilities - {"sparse"}  # faults change arrays

    @property
    def claims(self) -> Mapping[str, Any]:
        """What the damaged scheme claims."""
        return SOLVER.claims(self.scheme)

    def refinement(self, problem: MechanicalProblem) -> list[dict[str, Any]]:
        """Return the refinement levels of the damaged scheme."""
        return [{"scheme": self.scheme, **level} for level in SOLVER.refinement(problem, self.scheme)]

    def defaults(self, problem: MechanicalProblem) -> dict[str, Any]:
        """Return the settings that `solve` takes where none are given: those of the damaged scheme."""
        return {"scheme": self.scheme, **SOLVER.defaults(problem, self.scheme)}

    def touches(self, problem: MechanicalProblem) -> bool:
        """Tell whether a problem has what the defect damages."""
        return all(FEATURES[name](problem) for name in self.needs)

    @cached_property
    def _rebuild(self) -> Rebuild | None:
        if not self.parts:
            return None
        from veridyn.mutation.defects.rebuilt import rebuilding  # late: it compiles

        return rebuilding(self.parts)

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response with the defect in it, whatever the step.

        Raises SolverFailure if the motion diverges or the step control gives up.
        """
        chosen = {"scheme": self.scheme, **settings}
        if not self.touches(problem):
            return SOLVER.solve(problem, chosen)
        damaged = replace(SOLVER, rebuild=self._rebuild)
        chosen = {**completed(problem, chosen), "check_step": False, **self.changed}
        with _no_refusal():
            return self.after(problem, damaged.solve(self.before(problem), chosen))

    @property
    def outside(self) -> bool:
        """Whether the defect lies outside the scheme, so that any solver can have it."""
        return not self.parts and not self.changed


@dataclass(frozen=True, eq=False)
class Foreign:
    """The same defect around the exact solver, whose digits it still claims."""

    defect: Defect
    claims: ClassVar[Mapping[str, Any]] = {"digits": 12}
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


def undamaged(scheme: str) -> Defect:
    """Return a scheme as a solver of its own, nothing wrong with it."""
    return Defect(scheme, "integrator", "Nothing is wrong.", scheme=scheme, version=SOLVER.version)
