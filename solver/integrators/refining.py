"""Steps from the time scales of a problem: what the integrator takes where none is given, and its refinement levels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from veridyn.problem.basis import modal_basis, moved_mass
from veridyn.problem.elements import Friction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Harmonic, Windowed
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.scheme import Scheme
from veridyn.solver.integrators.step_rule import Limit, shortest_period

LEVELS = (8, 4, 2, 1)
"""Steps of the refinement levels over the default step."""

FEWEST = 20
"""Steps in the shortest period that the coarsest level has: what the strictest step rule asks for."""

STICK = 0.3
"""sqrt(k_T/m_T) h: 21 steps in the oscillation of what sticks, whatever the step."""

RESOLVED = 0.05
"""sqrt(k_T/m_T) h up to which a slide that turns takes so many steps that derivatives see the instant move."""

STUCK = 80
"""Steps in the shortest period at the coarsest level where friction sticks on a spring.

The spring adds to the stiffness of a mode: ``(2 pi/80)² + STICK² < (2 pi/FEWEST)²``.
"""

RUBBING = 10_000
"""Steps in the period of a load under dry friction: how long a body slips may be a small part of it."""

MOST = 1_200_000
"""Steps over the time span up to which accuracy is asked for; beyond, only what is needed for stability."""

KEPT = 4e6
"""Numbers that are kept of a solution, 32 MB; longer solutions keep the output instants, or every n-th step."""


def limit(problem: MechanicalProblem) -> Limit:
    """Return the shortest period (s) of structure, closed stops, devices and springs of friction, and its cause.

    Set-valued friction has no spring and is left out.
    """
    kept = tuple(friction for friction in problem.frictions if friction.law != "set-valued")
    problem = replace(problem, frictions=kept)
    modes = modal_basis(problem)
    return shortest_period(system_arrays(problem, modes), modes, problem)


def load_periods(problem: MechanicalProblem) -> Iterator[float]:
    """Yield the periods (s) of the harmonic parts of loads, support motions and matrices that vary."""
    for function in problem.functions:
        for term in function.terms():
            wave = term.function if isinstance(term, Windowed) else term
            if isinstance(wave, Harmonic):
                yield 2 * math.pi / to_float(wave.omega)


def default_step(problem: MechanicalProblem, scheme: Scheme) -> float:
    """Return the step (s) that a scheme takes by default: the shortest that a time scale asks for.

    What accuracy asks for is bounded by `MOST` steps; what the coarsest refinement level needs to be stable is not.
    """
    ask, span, shortest = scheme.resolution, problem.end - problem.start, limit(problem).period
    periods = list(load_periods(problem))
    wanted = [shortest / ask.period, span / ask.span, *(period / ask.period for period in periods)]
    if problem.stops:
        wanted.append(shortest / ask.contact)
    if problem.frictions or any(stop.damping for stop in problem.stops):
        wanted.append(span / ask.jumps)
    if problem.frictions:
        wanted += [period / RUBBING for period in periods]
    needed = STUCK if stick_mass(problem) is not None else FEWEST
    return min(max(min(wanted), span / MOST), shortest / (LEVELS[0] * needed))


def stick_mass(problem: MechanicalProblem) -> float | None:
    """Return the least mass (kg) that set-valued friction holds, None without such friction."""
    masses = [_held_mass(problem, friction) for friction in problem.frictions if friction.law == "set-valued"]
    return min(masses, default=None)


def _held_mass(problem: MechanicalProblem, friction: Friction) -> float:
    """Return the mass (kg) that a friction moves; on a curved stop along any direction of its plane."""
    pressing = next((stop for stop in problem.stops if stop.name == friction.normal), None)
    if pressing is None or not pressing.curved:
        return moved_mass(problem, *friction.tangents)
    directions = [d for d in (*pressing.directions, *friction.tangents[1:]) if np.any(d)]
    return 1 / sum(1 / moved_mass(problem, direction) for direction in directions)


def archiving(problem: MechanicalProblem, step: float) -> dict[str, Any]:
    """Return what is kept of a solution with a step (s), so that it needs little memory."""
    elements = len(problem.stops) + len(problem.frictions) + len(problem.devices)
    modes = problem.size if problem.modes is None else problem.modes.omega.size
    numbers = (problem.end - problem.start) / step * (1 + 2 * modes + 8 * elements)
    if numbers <= KEPT:
        return {}
    return {"archive_every": math.ceil(numbers / KEPT)} if problem.output_times is None else OUTPUTS


OUTPUTS = {"archive_at": "output_times"}


def level(problem: MechanicalProblem, step: float) -> dict[str, Any]:
    """Return the settings of a step (s)."""
    return {"step": step, **stick(problem, step), **archiving(problem, step)}


def refuse_unresolved(problem: MechanicalProblem, step: float, stiffness: float) -> None:
    """Raise NotImplementedError if set-valued friction turns within steps too few for a derivative.

    At the instant of a turn the force jumps, in the limit. The spring of stick spreads the jump over some steps. Where
    it is as stiff as the step allows, as by default, these are always the same few, and derivatives do not settle
    however short the step is. With one stiffness they tend to those of the regularised law.
    """
    mass = stick_mass(problem)
    if mass is not None and step * math.sqrt(stiffness / mass) > RESOLVED:
        raise NotImplementedError(
            f"derivatives through friction that turns within a few steps; "
            f"tangential_stiffness={mass * (RESOLVED / step) ** 2:.2g} (N/m) or less is resolved by this step"
        )


def stick(problem: MechanicalProblem, step: float) -> dict[str, float]:
    """Return the tangential stiffness (N/m) that goes with a step (s), where friction is set-valued.

    It keeps k_T step² constant.
    """
    mass = stick_mass(problem)
    return {} if mass is None else {"tangential_stiffness": mass * (STICK / step) ** 2}


def default_settings(problem: MechanicalProblem, scheme: Scheme) -> dict[str, Any]:
    """Return the settings of a solution without a given step; steps of adaptive schemes only get shorter."""
    return {**level(problem, default_step(problem, scheme)), **scheme.only_shorter, **_floor(problem, scheme)}


def _floor(problem: MechanicalProblem, scheme: Scheme) -> dict[str, Any]:
    """Return the floor of velocities with which a step control does not follow a body that friction holds.

    The apparent frequency of a mass at rest grows without end where its load begins to change.
    """
    known = {field.name for field in fields(scheme.options)}
    return {"velocity_floor": "maximum"} if problem.frictions and "velocity_floor" in known else {}


def refinement_levels(problem: MechanicalProblem, scheme: Scheme) -> list[dict[str, Any]]:
    """Return the settings of four constant steps, the last of them the default step.

    All of them keep the output instants where the finest one does, so that they are measured alike.
    """
    finest = default_step(problem, scheme)
    kept = {name: value for name, value in archiving(problem, finest).items() if name in OUTPUTS}
    levels = [level(problem, factor * finest) for factor in LEVELS]
    return [{**settings, **kept, **scheme.constant_step} for settings in levels]
