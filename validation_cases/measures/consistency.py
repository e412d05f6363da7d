"""Residuals: quantities that vanish in truth for any response whose parts agree with each other."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import exact_zero
from veridyn.references.reference import state
from veridyn.solver.contract.responses import Response
from veridyn.solver.postprocessing.balance import element_history, energy_residual
from veridyn.solver.postprocessing.consistency import (
    device_residual,
    flags_off_events,
    friction_residual,
    position_residual,
    rate_residual,
    stop_force_residual,
    velocity_residual,
)
from veridyn.validation_cases.judgement.case import Observation, Quantity, Values
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly

Read = Callable[[Observation], float]
Applies = Callable[[Values], bool] | None

HALF = Tolerance(
    0.75,
    "absolute",
    "velocities may belong to the middle of a step, a half; half as much again for kinks inside a step",
)
FORCES = cited("a thousandth, Code_Aster's tolerance for forces", 1e-3, kind="absolute")
ENERGY = cited("this suite asks 1e-2", 1e-2, kind="absolute")
CONE = Tolerance(1e-6, "absolute", "a force may exceed its limit by what an iteration or six printed digits leave")


ZERO = state("zero", partial(exact_zero, "parts of one response agree"))
"""The truth of every residual."""


def residual(
    name: str,
    unit: str,
    definition: str,
    measure: Read,
    criterion: Tolerance,
    applies: Applies = None,
    *,
    converges: bool = False,
) -> Quantity:
    """Return a quantity that vanishes in truth, in units of a scale of its own.

    What is differenced between samples does not tend to zero with the step of a solver but with the distance of its
    samples: only the criterion is asked of it unless it ``converges``.
    """
    return Quantity(name, unit, definition, ZERO, measure, criterion, _one, applies=applies, converges=converges)


def _one(_: Values) -> float:
    return 1.0


def energy(unit: str, scale: Read, criterion: Tolerance = ENERGY, applies: Applies = None) -> Quantity:
    """Return the energy balance at all samples, over a scale (J) that ``unit`` names."""
    definition = f"largest energy that appears from nowhere, {unit}"
    return residual("energy_residual", unit, definition, partial(_energy_residual, scale), criterion, applies)


def friction_cone(unit: str, limit: Read, applies: Applies = None) -> Quantity:
    """Return the largest excess of the friction force over its limit (N), in limits; ``unit`` names it."""
    definition = f"largest excess of the friction force, {unit}"
    return residual("friction_cone", unit, definition, partial(_cone_excess, limit), CONE, applies)


def velocities(applies: Applies = None) -> Quantity:
    """Return how far reported velocities are from the slopes of the displacements."""
    unit = "of the largest change of a slope"
    definition = "largest difference of velocities and mean slopes of the displacements"
    return residual("velocity_residual", unit, definition, _velocity_residual, HALF, applies)


def stop_forces(applies: Applies = None, criterion: Tolerance = FORCES) -> Quantity:
    """Return how far reported forces of undamped stops are from stiffness times penetration."""
    unit, definition = "of the largest force", "largest difference of stop forces and stiffness times penetration"
    return residual("stop_force_residual", unit, definition, _stop_force_residual, criterion, applies)


def flags(applies: Applies = None) -> Quantity:
    """Return how often flags of adherence change beside the reported events."""
    criterion = exactly("an event is a sample, with the state that begins there")
    definition = "changes of adherence at samples that are no events"
    return residual("flags_off_events", "", definition, _flags_off_events, criterion, applies)


POSITIONS = Tolerance(1e-3, "absolute", "gaps follow from displacements; small differences of printed numbers")
RATES = Tolerance(0.1, "absolute", "rates may belong to the middle of a step, during which a stop changes them")
LAW = Tolerance(1e-6, "absolute", "the law itself, of the largest force; six printed digits")


def positions(applies: Applies = None) -> Quantity:
    """Return how far reported gaps and elongations are from those of the displacements."""
    definition = "largest difference of gaps or elongations and those of the displacements"
    return _agreement("position_histories", definition, position_residual, POSITIONS, applies, converges=True)


def rates(applies: Applies = None) -> Quantity:
    """Return how far reported rates of gaps and sliding velocities are from those of the velocities."""
    definition = "largest difference of rates of gaps or sliding velocities and those of the velocities"
    return _agreement("rate_histories", definition, rate_residual, RATES, applies, converges=True)


def friction_law(applies: Applies = None) -> Quantity:
    """Return how far friction forces are from the kinetic limit where the flag of adherence says slip."""
    definition = "largest difference of the friction force and its kinetic limit in slip"
    return _agreement("friction_law", definition, friction_residual, LAW, applies)


def device_law(applies: Applies = None) -> Quantity:
    """Return how far the forces of springs and Zener devices are from their law."""
    definition = "largest difference of the forces of devices and their law"
    return _agreement("device_law", definition, device_residual, LAW, applies)


def _agreement(
    name: str,
    definition: str,
    residual_of: Callable[[MechanicalProblem, Response], float],
    criterion: Tolerance,
    applies: Applies,
    *,
    converges: bool = False,
) -> Quantity:
    def measure(o: Observation) -> float:
        return residual_of(o.problem, o.response)

    unit = "of the largest"
    return replace(residual(name, unit, definition, measure, criterion, applies, converges=converges), regularity=1.0)


def _energy_residual(scale: Read, o: Observation) -> float:
    return float(np.abs(energy_residual(o.problem, o.response)).max()) / scale(o)


def _cone_excess(limit: Read, o: Observation) -> float:
    """Return the excess of the first friction's force over its limit, in limits.

    Raises
    ------
    MissingHistory
        If the solver reports no friction force.
    """
    friction = o.problem.frictions[0]
    names = ("force", "force_2")[: len(friction.tangents)]
    force = np.hypot.reduce([element_history(o.response, friction.name, name) for name in names])
    return max(0.0, float(np.abs(force).max()) / limit(o) - 1.0)


def _flags_off_events(o: Observation) -> float:
    return float(flags_off_events(o.problem, o.response))


def _velocity_residual(o: Observation) -> float:
    return velocity_residual(o.problem, o.response)


def _stop_force_residual(o: Observation) -> float:
    return stop_force_residual(o.problem, o.response)
