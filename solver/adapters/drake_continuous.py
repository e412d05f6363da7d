"""Drake's settings, and its continuous integrators: one leg as a `LeafSystem` with witness functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator, SimulatorStatus
from pydrake.systems.framework import EventStatus, LeafSystem, UnrestrictedUpdateEvent, WitnessFunctionDirection

from veridyn.solver.adapters.stepping import StepControls
from veridyn.solver.controls import number
from veridyn.solver.errors import SolverFailure
from veridyn.solver.event_driven.answer import EventControls
from veridyn.solver.event_driven.legs import Arrival, Leg

Floats = NDArray[np.float64]

SCHEMES = ("runge_kutta5",)  # runge_kutta3 and radau3 need minutes for the tolerances of a case
ISOLATION = 1e-14  # accuracy asked of a witness time; Drake takes it relative to a time scale of its own


@dataclass(frozen=True)
class DrakeControls(EventControls, StepControls):
    """Settings of Drake: accuracy and bounds of the continuous schemes, step and contact of the discrete ones."""

    stiction_tolerance: float = number(1e-8, "sliding velocity (m/s) below which friction is viscous; lagged, similar")
    foot_depth: float = number(1e-2, "penetration (m) of what rubs under its normal force; discrete schemes")
    foot_dissipation: float = number(1e-2, "Hunt and Crossley dissipation (s/m) of what rubs; lagged, similar")
    foot_relaxation: float = number(1e-3, "relaxation time (s) of what rubs; sap")


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
class Witnessed:
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
