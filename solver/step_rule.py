"""The step rule: a fraction of the shortest period, springs of contacts, frictions and devices included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from veridyn.solver.devices import Device
from veridyn.solver.errors import StepError
from veridyn.solver.kernels import contact, device
from veridyn.solver.kernels.system import System
from veridyn.solver.problem import Modes


@dataclass(frozen=True)
class Limit:
    """The shortest period (s) and what causes it."""

    period: float
    cause: str


def _springs(system: System, names: tuple[str, ...], devices: tuple[Device, ...]) -> Iterator[tuple[float, int, str]]:
    """Yield stiffness (N/m), row and description of every spring of contacts and devices."""
    places = (
        (contact.STIFFNESS, 1, "stiffness"),
        (contact.TANGENT_STIFFNESS, 2, "tangential stiffness"),
        (contact.TANGENT_STIFFNESS, 3, "tangential stiffness"),
    )
    for c, name in enumerate(names):
        for column, place, word in places:
            k = float(system.contact_value[c, column])
            yield k, int(system.contact_index[c, place]), f"{word} {k:.6g} N/m of {name!r}"
    for row, each in zip(system.device_index[:, device.ROW], devices, strict=True):
        yield each.stiffness, int(row), f"stiffness {each.stiffness:.6g} N/m of {each.name!r}"


def shortest_period(
    system: System, modes: Modes, contact_names: tuple[str, ...], devices: tuple[Device, ...] = ()
) -> Limit:
    """Return the shortest of ``2π/w_j`` and ``2π/sqrt(w_j² + k φ_d²/m_j)`` over modes, springs and directions."""
    limits = [
        Limit(2 * np.pi / w, f"mode {j + 1} ({w / (2 * np.pi):.6g} Hz)") for j, w in enumerate(modes.omega) if w > 0
    ]
    for k, row, spring in _springs(system, contact_names, devices):
        if row < 0 or k == 0:
            continue
        stiffened = system.omega2 + k * system.rows[:, row] * system.back[row]
        j = int(np.argmax(stiffened))
        limits.append(Limit(2 * np.pi / float(np.sqrt(stiffened[j])), f"{spring} on mode {j + 1}"))
    return min(limits, key=lambda limit: limit.period, default=Limit(np.inf, "nothing"))


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
