"""What the adapters share: settings, capabilities, and histories from phases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.adapters.legs import Integrator
from veridyn.solver.adapters.mechanics import Grip, Mechanics
from veridyn.solver.adapters.modes import MOST_EVENTS, Driver, Phase
from veridyn.solver.errors import SettingsError
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response

Floats = NDArray[np.float64]

CAPABILITIES = frozenset(
    {
        "mechanical",
        "multi-dof",
        "loads",
        "support-motion",
        "multi-support",
        "damping",
        "contact",
        "contact:damped",
        "friction:set-valued",
        "friction:on-stop",
    }
)

OUTPUTS = 2000  # where a problem asks for no instants


@dataclass(frozen=True)
class Controls:
    """Settings of an adapter: scheme, tolerances of the error control, bounds."""

    scheme: str
    rtol: float = 1e-10
    atol: float = 1e-12
    max_step: float = math.inf
    most_events: int = MOST_EVENTS

    @classmethod
    def of(cls, settings: Mapping[str, Any], schemes: tuple[str, ...]) -> Controls:
        """Read the settings; what is unknown is left to others.

        Raises
        ------
        SettingsError
            If the scheme is unknown or a number is not positive.
        """
        scheme = str(settings.get("scheme") or schemes[0])
        if scheme not in schemes:
            raise SettingsError(f"unknown scheme {scheme!r}; known: {', '.join(schemes)}")
        numbers = {}
        for name in ("rtol", "atol", "max_step", "most_events"):
            value = settings.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise SettingsError(f"{name} = {value!r} must be a positive number")
            numbers[name] = value
        return cls(scheme, **numbers)  # type: ignore[arg-type]


def respond(problem: MechanicalProblem, integrator: Integrator, controls: Controls) -> Response:
    """Solve a problem with an integrator and return its response at the output instants.

    Raises
    ------
    NotImplementedError, SolverFailure
        See `modes.Driver`.
    """
    times = problem.output_times
    outputs = np.linspace(problem.start, problem.end, OUTPUTS + 1) if times is None else times
    driver = Driver(problem, integrator, largest_step=controls.max_step, most_events=controls.most_events)
    phases = [phase for phase in driver.run(outputs) if phase.times.size]
    n = problem.size
    states = np.concatenate([phase.states for phase in phases])
    elements = [_histories(problem, driver.mechanics, phase) for phase in phases]
    joined = {
        name: {key: np.concatenate([part[name][key] for part in elements]) for key in histories}
        for name, histories in elements[0].items()
    }
    return Response(outputs, states[:, :n], states[:, n:], joined, dict(driver.counters))


def _histories(problem: MechanicalProblem, mechanics: Mechanics, phase: Phase) -> dict[str, dict[str, Floats]]:
    u = phase.forcing.values(phase.times)
    flow = phase.flow
    forces, gaps, rates, frictions, sliding, normals = (
        part.over(phase.states, u)
        for part in (
            flow.stop_forces,
            flow.gaps,
            flow.gap_rates,
            flow.friction_forces,
            flow.sliding,
            mechanics.normal_forces(flow.stop_forces),
        )
    )
    histories: dict[str, dict[str, Floats]] = {}
    for i, stop in enumerate(problem.stops):
        # at an event the force is zero up to rounding, and rounding must not pull
        force = np.maximum(forces[:, i], 0.0)
        histories[stop.name] = {"normal_force": force, "normal_velocity": rates[:, i], "gap": gaps[:, i]}
    for j, friction in enumerate(problem.frictions):
        stuck = flow.mode.frictions[j] is Grip.STICK
        histories[friction.name] = {
            "force": frictions[:, j],
            "sliding_velocity": np.zeros(phase.times.size) if stuck else sliding[:, j],
            "stuck": np.full(phase.times.size, float(stuck)),
            "normal_force": np.maximum(normals[:, j], 0.0),
        }
    return histories
