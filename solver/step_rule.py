"""The step rule: a fraction of the shortest period, contact and friction springs included, or of a damping time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridyn.solver.errors import StepError
from veridyn.solver.kernels import contact
from veridyn.solver.kernels.system import System
from veridyn.solver.problem import Modes


@dataclass(frozen=True)
class Limit:
    """The shortest period (s) and what causes it."""

    period: float
    cause: str


def shortest_period(system: System, modes: Modes, contact_names: tuple[str, ...]) -> Limit:
    """Return the shortest of ``2π/w_j`` and ``2π/sqrt(w_j² + k φ_d²/m_j)`` over modes, contacts and directions.

    Damping that no ratio expresses decays at a rate c, like an oscillator with ``w = c/2`` that is damped critically.
    """
    limits = [
        Limit(2 * np.pi / w, f"mode {j + 1} ({w / (2 * np.pi):.6g} Hz)") for j, w in enumerate(modes.omega) if w > 0
    ]
    if modes.coupling is not None:
        limits.append(_damping_limit(modes))
    for c, name in enumerate(contact_names):
        springs = (
            (contact.STIFFNESS, 1, "stiffness"),
            (contact.TANGENT_STIFFNESS, 2, "tangential stiffness"),
            (contact.TANGENT_STIFFNESS, 3, "tangential stiffness"),
        )
        for column, place, word in springs:
            row = system.contact_index[c, place]
            k = system.contact_value[c, column]
            if row < 0 or k == 0:
                continue
            stiffened = system.omega2 + k * system.rows[:, row] * system.back[row]
            j = int(np.argmax(stiffened))
            cause = f"{word} {k:.6g} N/m of {name!r} on mode {j + 1}"
            limits.append(Limit(2 * np.pi / float(np.sqrt(stiffened[j])), cause))
    return min(limits, key=lambda limit: limit.period, default=Limit(np.inf, "nothing"))


def _damping_limit(modes: Modes) -> Limit:
    roots = np.sqrt(modes.masses)
    fastest = float(np.linalg.eigvalsh(modes.damping_matrix / np.outer(roots, roots))[-1])
    return Limit(4 * np.pi / fastest, f"damping at a rate of {fastest:.6g} 1/s")


def check_step(step: float, points: int, limit: Limit, scheme: str) -> None:
    """Refuse a step above the shortest period over ``points``.

    Raises
    ------
    StepError
        Naming the limiting mode or stiffness and the largest admissible step.
    """
    largest = limit.period / points
    if step > largest:
        raise StepError(
            f"step {step:g} s is above the limit {largest:.4g} s of {scheme}: "
            f"{limit.cause} has a period of {limit.period:.4g} s, {points} steps are needed; "
            f"reduce the step or the stiffness"
        )
