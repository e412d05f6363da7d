"""What a seeded fault of our integrator is: one of its schemes with one documented change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import CapabilityError, SolverInputError
from veridyn.solver.exact import solver as exact
from veridyn.solver.integrators.integration import Rebuild
from veridyn.solver.integrators.modal import SOLVER, completed
from veridyn.solver.problem.basis import modal_basis
from veridyn.solver.problem.devices import BucklingStop, NonlinearSpring, Zener
from veridyn.solver.problem.elements import Friction
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import Harmonic, Piecewise, TimeFunction, Windowed
from veridyn.solver.response import Response

Feature = Callable[[MechanicalProblem], bool]


def off_diagonal(matrix: NDArray[np.float64] | None) -> bool:
    """Tell whether a matrix couples coordinates."""
    return matrix is not None and bool(np.any(matrix - np.diag(np.diag(matrix))))


def initial_force(problem: MechanicalProblem) -> bool:
    """Tell whether a load, a support or the stiffness accelerates the structure at the start."""
    at_rest = not np.any(problem.initial_displacement)
    return not at_rest or any(abs(float(function(problem.start))) > 0 for function in problem.drives)


def _lopsided(shapes: NDArray[np.float64]) -> bool:
    """Tell whether a square matrix is not its own transposed; others cannot be mistaken for it."""
    return shapes.shape[0] == shapes.shape[1] and bool(np.ptp(shapes - shapes.T))


def _ends(term: TimeFunction, p: MechanicalProblem) -> bool:
    """Tell whether a term of a load jumps inside the run."""
    starts = [term.end] if isinstance(term, Windowed) else term.breaks if isinstance(term, Piecewise) else []
    return any(p.start < float(start) < p.end for start in starts)


def _slanted(friction: Friction) -> bool:
    """Tell whether a single tangent is the part of a line along an axis."""
    return len(friction.tangents) == 1 and not np.isclose(np.linalg.norm(friction.tangents[0]), 1.0)


FEATURES: dict[str, Feature] = {
    "matrices": lambda p: p.mass is not None,
    "several coordinates": lambda p: p.size > 1,
    "coupled coordinates": lambda p: off_diagonal(p.stiffness) or off_diagonal(p.mass),
    "mass other than one": lambda p: p.mass is not None and not np.array_equal(p.mass, np.eye(p.size)),
    "damping": lambda p: "damping" in p.needs,
    "coupled damping": lambda p: "damping:coupled" in p.needs,
    "drive": lambda p: bool(p.drives),
    "drive that ends": lambda p: any(_ends(t, p) for f in p.drives for t in f.terms()),
    "harmonic drive": lambda p: any(isinstance(t, Harmonic) for f in p.drives for t in f.terms()),
    "initial displacement": lambda p: bool(np.any(p.initial_displacement)),
    "initial velocity": lambda p: bool(np.any(p.initial_velocity)),
    "initial force": initial_force,
    "support motion": lambda p: bool(p.supports),
    "several supports": lambda p: len(p.supports) > 1,
    "bent static mode": lambda p: any(np.ptp(s.influence) > 0 for s in p.supports),
    "lopsided static mode": lambda p: any(np.any(s.influence != s.influence[::-1]) for s in p.supports),
    "relative frame": lambda p: any(element.frame == "relative" for element in p.elements),
    "lopsided shapes": lambda p: _lopsided(modal_basis(p).shapes),
    "absolute frame": lambda p: "absolute-frame" in p.needs,
    "contact": lambda p: any(not stop.rigid for stop in p.stops),
    "plane stop": lambda p: any(stop.geometry == "plane" for stop in p.stops),
    "gap": lambda p: any(stop.gap != 0 for stop in p.stops),
    "damped contact": lambda p: any(stop.damping for stop in p.stops),
    "friction": lambda p: bool(p.frictions),
    "friction under constant force": lambda p: any(not isinstance(f.normal, str) for f in p.frictions),
    "friction other than one": lambda p: any(f.static != 1 or f.kinetic != 1 for f in p.frictions),
    "friction in a plane": lambda p: any(len(f.tangents) > 1 for f in p.frictions),
    "friction along one axis": lambda p: any(_slanted(f) for f in p.frictions),
    "device": lambda p: bool(p.devices),
    "Zener device": lambda p: any(isinstance(d, Zener) for d in p.devices),
    "power-law dashpot": lambda p: any(isinstance(d, Zener) and d.alpha < 1 for d in p.devices),
    "buckling stop": lambda p: any(isinstance(d, BucklingStop) for d in p.devices),
    "buckling plateau": lambda p: any(isinstance(d, BucklingStop) and d.plateau for d in p.devices),
    "buckling softening": lambda p: any(isinstance(d, BucklingStop) and d.softening for d in p.devices),
    "nonlinear spring": lambda p: any(isinstance(d, NonlinearSpring) for d in p.devices),
    "dead zone": lambda p: any(isinstance(d, NonlinearSpring) and len(d.breaks) > 1 for d in p.devices),
    "static above kinetic": lambda p: any(f.static > f.kinetic for f in p.frictions),
}


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
