"""Drake in its two ways: continuous integrators with witness functions, and discrete multibody dynamics with contact.

**runge_kutta5**: an error-controlled integrator of Drake's `Simulator`. The equations of one mode (see
`event_driven.mechanics`) are a `LeafSystem`; each guard is a witness function, whose fall through zero Drake isolates
and which ends the simulation. Stops are springs, sticking is rigid: the laws of the problem are met exactly.

**lagged, similar, sap**: a discrete `MultibodyPlant` with that contact approximation; its fixed step is the output
spacing over ``substeps``. The laws are Drake's own:

* **Mass**: a body on a prismatic joint for every coordinate. Gravity is off: coordinates are relative displacements.
* **Stiffness, damping**: prismatic springs and joint damping to the ground, linear spring-dampers between bodies.
* **Loads, support motion**: applied generalised forces, sampled at the beginning of a step.
* **Stops**: point contact of a sphere with a half space, twice as stiff either. SAP damps linearly with a relaxation
  time, c/k, as the stop does (its default of 0.1 s would take the impact away). The law of the others is Hunt and
  Crossley's, which is not that of a damped stop.
* **Friction**: a foot under the constant force N on a half space, with a vertical joint of its own. Stick is a creep:
  up to ``stiction_tolerance`` the force is proportional to the velocity (lagged, similar; Drake's default of 1e-3 m/s
  is far too much for wear), and SAP regularises by a rule of its own that falls with the step.

Source: Drake documentation, `Simulator` and `MultibodyPlant` (contact modeling, contact parameters).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from veridyn.solver.adapters import drake_continuous, drake_discrete
from veridyn.solver.adapters.stepping import step_levels
from veridyn.solver.controls import Library, read_controls
from veridyn.solver.event_driven.answer import MECHANICAL, TOLERANCES, respond
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.response import Response


@dataclass(frozen=True)
class DrakeSolver(Library):
    """Drake under test: continuous integrators with witness functions, and discrete contact approximations."""

    name: str = "drake"
    distribution: str = "drake"
    controls: type[drake_continuous.DrakeControls] = drake_continuous.DrakeControls
    capabilities: frozenset[str] = MECHANICAL
    schemes: tuple[str, ...] = (*drake_continuous.SCHEMES, *drake_discrete.SCHEMES)

    def claims(self, scheme: str) -> dict[str, Any]:
        """Return what a scheme claims.

        Discrete plants step by Euler's semi-implicit method. The contact of lagged and similar is another physics,
        Hunt and Crossley's law and a creep that no step takes away; they claim nothing.
        """
        return {"tolerance": "rtol"} if scheme in drake_continuous.SCHEMES else {"sap": {"order": 1}}.get(scheme, {})

    def refinement(self, problem: MechanicalProblem, scheme: str) -> list[dict[str, Any]]:
        """Return the settings of the refinement levels: by the tolerance of continuous schemes, else by the step."""
        if scheme in drake_continuous.SCHEMES:
            return [{"rtol": 10.0**-k} for k in TOLERANCES]
        return step_levels(problem)

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response at the output instants; errors as `Library` says, see also `refuse_discrete`."""
        controls = read_controls(drake_continuous.DrakeControls, settings, self.schemes)
        if controls.scheme in drake_discrete.SCHEMES:
            return drake_discrete.solve(problem, controls)
        return respond(problem, drake_continuous.Witnessed(controls), controls)


SOLVER = DrakeSolver()
