"""The damper beside the spring of regularised stick that makes the stuck mode critical (AMOR_TAN)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from veridyn.problem.basis import modal_basis
from veridyn.problem.elements import Friction
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.modal_basis import Modes


def critical_damping(*, mass: float, stiffness: float, ratio: float, tangential_stiffness: float) -> float:
    """Return the damper ``c_T`` (N s/m) with which a mode that sticks is critically damped.

    ``c_T + 2 ξ sqrt(k m) = 2 sqrt((k + k_T) m)`` with mass m (kg), stiffness k and k_T (N/m), damping ratio ξ of the
    free mode.
    """
    stuck = math.sqrt(mass * (stiffness + tangential_stiffness))
    return 2 * stuck - 2 * ratio * math.sqrt(mass * stiffness)


def code_aster_damping(modes: Modes, tangential_stiffness: float) -> float:
    """Return the damper (N s/m) of the mode with the largest generalised mass, as Code_Aster chooses it.

    Its mass is the generalised one: the value depends on how the mode is normalised (manual R5.06.03).
    """
    j = int(np.argmax(modes.masses))
    mass = float(modes.masses[j])
    stiffness, ratio = float(modes.omega[j] ** 2) * mass, float(modes.damping[j])
    return critical_damping(mass=mass, stiffness=stiffness, ratio=ratio, tangential_stiffness=tangential_stiffness)


def automatic_damping(problem: MechanicalProblem, friction: Friction) -> float:
    """Return the damper (N s/m) with which the mode that stick stiffens most is critically damped.

    That is the mode with the smallest mass seen along the tangents, ``m = m_j / Σ φ_t²``, which does not depend on how
    modes are normalised. Raises `ProblemError` if no mode moves along the tangents; `CapabilityError` if the modes
    couple through the damping matrix.
    """
    modes = modal_basis(problem)
    along = np.array(_tangents(problem, friction)) @ modes.shapes
    mobility = np.sum(along**2, axis=0) / modes.masses
    j = int(np.argmax(mobility))
    if mobility[j] == 0:
        raise ProblemError(f"{problem.name}: no mode moves along the tangents of friction {friction.name!r}")
    mass = 1 / float(mobility[j])
    return critical_damping(
        mass=mass,
        stiffness=float(modes.omega[j] ** 2) * mass,
        ratio=float(modes.damping[j]),
        tangential_stiffness=friction.stiffness,
    )


def automatically_damped(problem: MechanicalProblem, *names: str) -> MechanicalProblem:
    """Return the problem with the automatic damper in the named frictions.

    Raises `ProblemError` if a name is unknown, or its friction is not regularised; see also `automatic_damping`.
    """
    known = {friction.name for friction in problem.frictions if friction.law == "regularised"}
    for name in names:
        if name not in known:
            raise ProblemError(f"{problem.name}: no regularised friction is called {name!r}; there are {sorted(known)}")
    frictions = tuple(
        replace(f, damping=automatic_damping(problem, f)) if f.name in names else f for f in problem.frictions
    )
    return replace(problem, frictions=frictions)


def _tangents(problem: MechanicalProblem, friction: Friction) -> tuple[Floats, ...]:
    """Return the directions (n,) in which a friction acts; on a curved stop the first is any in its plane."""
    for stop in problem.stops:
        if stop.name == friction.normal and stop.curved:
            return (*stop.directions, *friction.tangents[1:])
    return friction.tangents
