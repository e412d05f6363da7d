"""The step rule: a fraction of the shortest period, contact and friction springs included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridyn.solver.errors import StepError
from veridyn.solver.kernels import contact
from veridyn.solver.kernels.curved import CIRCLE
from veridyn.solver.kernels.system import System
from veridyn.solver.problem import Modes


@dataclass(frozen=True)
class Limit:
    """The shortest period (s) and what causes it."""

    period: float
    cause: str


def shortest_period(system: System, modes: Modes, contact_names: tuple[str, ...]) -> Limit:
    """Return the shortest of ``2π/w_j`` and ``2π/sqrt(w_j² + k φ_d²/m_j)`` over modes, contacts and directions."""
    limits = [
        Limit(2 * np.pi / w, f"mode {j + 1} ({w / (2 * np.pi):.6g} Hz)") for j, w in enumerate(modes.omega) if w > 0
    ]
    for c, name in enumerate(contact_names):
        for column, places, word in _springs(int(system.contact_index[c, contact.GEOMETRY])):
            rows = [row for row in system.contact_index[c, places] if row >= 0]
            k = system.contact_value[c, column]
            if not rows or k == 0:
                continue
            stiffened = system.omega2 + k * sum(system.rows[:, row] * system.back[row] for row in rows)
            j = int(np.argmax(stiffened))
            cause = f"{word} {k:.6g} N/m of {name!r} on mode {j + 1}"
            limits.append(Limit(2 * np.pi / float(np.sqrt(stiffened[j])), cause))
    return min(limits, key=lambda limit: limit.period, default=Limit(np.inf, "nothing"))


def _springs(geometry: int) -> tuple[tuple[int, list[int], str], ...]:
    """Return column of the stiffness, columns of the rows it acts along, and name of the springs of a contact.

    Around a curved stop a spring takes any direction of the plane (y, z), in the worst case that of ``φ_y² + φ_z²``.
    """
    around = [contact.ROW_Y, contact.ROW_Z]
    curved = geometry >= CIRCLE
    return (
        (contact.STIFFNESS, around if curved else [contact.ROW_Y], "stiffness"),
        (contact.TANGENT_STIFFNESS, around if curved else [contact.ROW_Z], "tangential stiffness"),
        (contact.TANGENT_STIFFNESS, [contact.ROW_X], "tangential stiffness"),
    )


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
