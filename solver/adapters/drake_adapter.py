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

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator, SimulatorStatus
from pydrake.systems.framework import EventStatus, LeafSystem, UnrestrictedUpdateEvent, WitnessFunctionDirection

from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters import drake_discrete
from veridyn.solver.adapters.drake_discrete import DrakeControls
from veridyn.solver.adapters.stepping import Grid, Stepper
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response
from veridyn.solver.event_driven.answer import MECHANICAL, TOLERANCES, respond
from veridyn.solver.event_driven.legs import Arrival, Leg

CONTINUOUS = ("runge_kutta5",)  # runge_kutta3 and radau3 need minutes for the tolerances of a case
ISOLATION = 1e-14  # accuracy asked of a witness time; Drake takes it relative to a time scale of its own


class LegSystem(LeafSystem):  # type: ignore[misc]
    """The equations of a leg, and a witness for everything that can end it; ``fired`` is the first that did."""

    def __init__(self, leg: Leg) -> None:
        super().__init__()
        self.leg = leg
        self.fired: int | None = None
        self.DeclareContinuousState(leg.state.size)
        self.witnesses = [self._witness(i) for i in range(leg.functions)]

    def _witness(self, index: int) -> Any:
        def value(context: Any) -> float:
            # Drake looks for a fall from a positive value; what is exactly zero has not fallen yet
            return self.leg.watched(index, context.get_time(), _state(context)) or math.ulp(0.0)

        def fire(*_: Any) -> EventStatus:
            self.fired = index if self.fired is None else self.fired
            return EventStatus.ReachedTermination(self, f"guard {index}")

        falls = WitnessFunctionDirection.kPositiveThenNonPositive
        return self.MakeWitnessFunction(f"guard {index}", falls, value, UnrestrictedUpdateEvent(system_callback=fire))

    def DoCalcTimeDerivatives(self, context: Any, derivatives: Any) -> None:  # noqa: N802 - Drake's name
        """Give y' to Drake."""
        derivatives.SetFromVector(self.leg.rate(context.get_time(), _state(context)))

    def DoGetWitnessFunctions(self, _: Any) -> list[Any]:  # noqa: N802 - Drake's name
        """Give the witnesses to Drake."""
        return self.witnesses


def _state(context: Any) -> Floats:
    return np.asarray(context.get_continuous_state_vector().CopyToVector())


@dataclass(frozen=True)
class WitnessIntegrator:
    """Integrator of legs by one of Drake's error-controlled integrators, with witness functions."""

    controls: DrakeControls
    sees_dips: bool = False

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg from output to output; see `legs.Integrator`."""
        system = LegSystem(leg)
        context = system.CreateDefaultContext()
        context.SetTime(leg.start)
        context.SetContinuousState(leg.state)
        context.SetAccuracy(ISOLATION)
        simulator = Simulator(system, context)
        largest = min(leg.largest_step, self.controls.max_step, leg.end - leg.start)
        integrator = ResetIntegratorFromFlags(simulator, self.controls.scheme, largest)
        integrator.set_target_accuracy(self.controls.rtol)
        try:
            simulator.Initialize()
            states = self._advance(simulator, leg)
        except RuntimeError as error:
            raise SolverFailure(f"Drake gave up at t = {context.get_time():.9g} s: {error}") from None
        evaluations = int(integrator.get_num_derivative_evaluations())
        counters = {"steps": int(integrator.get_num_steps_taken()), "evaluations": evaluations}
        return Arrival(float(context.get_time()), _state(context), system.fired, states, counters)

    @staticmethod
    def _advance(simulator: Simulator, leg: Leg) -> Floats:
        """Advance to the end or to the first event; return the states at the outputs on the way."""
        context, states = simulator.get_context(), []
        for target in (*leg.outputs, leg.end):
            status = simulator.AdvanceTo(target)
            if context.get_time() == target:
                states.append(_state(context))
            if status.reason() == SimulatorStatus.ReturnReason.kReachedTerminationCondition:
                break
        return np.array(states[: len(leg.outputs)]).reshape(-1, leg.state.size)


class DrakeSolver(Stepper):
    """Drake under test: continuous integrators with witness functions, and discrete contact approximations."""

    name = "drake"
    controls = DrakeControls
    capabilities = MECHANICAL
    schemes = (*CONTINUOUS, *drake_discrete.SCHEMES)

    def claims(self, scheme: str) -> dict[str, Any]:
        """Return what a scheme claims.

        Discrete plants step by Euler's semi-implicit method. The contact of lagged and similar is another physics,
        Hunt and Crossley's law and a creep that no step takes away; they claim nothing.
        """
        return {"tolerance": "rtol"} if scheme in CONTINUOUS else {"sap": {"order": 1}}.get(scheme, {})

    def refinement(self, problem: MechanicalProblem, scheme: str) -> list[dict[str, Any]]:
        """Return the settings of the refinement levels: by the tolerance of continuous schemes, else by the step."""
        if scheme in CONTINUOUS:
            return [{"rtol": 10.0**-k} for k in TOLERANCES]
        return super().refinement(problem, scheme)

    def stepped(self, problem: MechanicalProblem, controls: DrakeControls, steps: Grid) -> Response:
        """Return the response: a continuous scheme meets the outputs alone; see also `refuse_discrete`."""
        if controls.scheme in drake_discrete.SCHEMES:
            return drake_discrete.solve(problem, controls, steps)
        return respond(problem, WitnessIntegrator(controls), controls)


SOLVER = DrakeSolver()
