"""The problem in the unknowns of the solver."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .records import (
    Floats,
    Local,
    Plane,
    Rub,
    System,
)
from .time_functions import signal


class Reading:
    """The problem in the unknowns of the solver."""

    def project(self, problem: Any) -> tuple[Floats | None, Floats, Floats, Floats]:
        """Return shapes (or None), mass, damping and stiffness matrices of the unknowns."""
        modes = problem.modes
        if modes is None:
            return None, problem.mass, problem.damping, problem.stiffness
        damping = np.diag(2 * modes.damping * modes.omega * modes.masses)
        if modes.coupling is not None:
            damping = damping + modes.coupling
        return modes.shapes, np.diag(modes.masses), damping, np.diag(modes.omega**2 * modes.masses)

    def initial_state(self, problem: Any, system: System) -> Floats:
        """Return displacements and velocities of the unknowns and the memory of devices at the start."""
        back = np.eye(problem.size) if system.shapes is None else np.linalg.pinv(system.shapes)
        memory = [d.law.path for d in system.devices if d.memory >= 0]
        return np.concatenate((back @ problem.initial_displacement, back @ problem.initial_velocity, memory))

    def describe(self, problem: Any) -> System:
        """Return the problem in its unknowns."""
        shapes, mass, damping, stiffness = self.project(problem)
        to_unknowns = np.eye(problem.size) if shapes is None else shapes
        influences = [support.influence for support in problem.supports]
        back = np.eye(problem.size) if shapes is None else np.linalg.pinv(shapes)
        planes, places = self.planes_of(problem, to_unknowns, influences)
        motions = [(s.acceleration, s.velocity, s.displacement) for s in problem.supports]
        elements = (*problem.stops, *problem.frictions, *problem.devices)
        return System(
            shapes=shapes,
            mass=mass,
            inverse=np.linalg.inv(np.asarray(mass, dtype=float)),
            damping=damping if np.any(damping) else None,
            stiffness=stiffness,
            loads=tuple((to_unknowns.T @ load.direction, signal(load.function)) for load in problem.loads),
            supports=tuple(
                (self.participation(mass, back @ psi), tuple(signal(f) for f in motion))
                for psi, motion in zip(influences, motions, strict=True)
            ),
            planes=planes,
            rubs=tuple(self.rub_of(f, to_unknowns, influences, places) for f in problem.frictions),
            devices=self.locals_of(problem, to_unknowns, influences),
            carries=bool(influences) and any(e.frame == "absolute" for e in elements),
        )

    def participation(self, mass: Floats, influence: Floats) -> Floats:
        """Return the load (n,) of a unit acceleration of a support."""
        return np.asarray(-mass @ influence)

    def carried(self, element: Any, direction: Floats, influences: Sequence[Floats]) -> Floats:
        """Return how far each support carries the place of an element along a direction."""
        return np.array([direction @ psi if element.frame == "absolute" else 0.0 for psi in influences])

    def planes_of(
        self, problem: Any, to_unknowns: Floats, influences: Sequence[Floats]
    ) -> tuple[tuple[Plane, ...], dict[str, tuple[int, ...]]]:
        """Return all planes, and the places of those of each stop."""
        planes: list[Plane] = []
        places = {}
        for stop in problem.stops:
            if stop.geometry not in ("plane", "parallel planes") or (stop.geometry != "plane" and stop.gap < 0):
                raise NotImplementedError(f"stop {stop.name!r}: {stop.geometry} with gap {stop.gap}")
            first = len(planes)
            for side in (1.0, -1.0) if stop.geometry == "parallel planes" else (1.0,):
                normal, gap = side * stop.normal, stop.gap - side * stop.offset
                carried = self.carried(stop, normal, influences)
                law = stop.stiffness, stop.damping
                planes.append(Plane(stop.name, to_unknowns.T @ normal, gap, *law, carried))
            places[stop.name] = tuple(range(first, len(planes)))
        return tuple(planes), places

    def rub_of(
        self, friction: Any, to_unknowns: Floats, influences: Sequence[Floats], places: Mapping[str, tuple[int, ...]]
    ) -> Rub:
        """Return a friction along its line; two tangents must lead along the same line of the unknowns."""
        if friction.law != "set-valued":
            raise NotImplementedError(f"friction {friction.name!r}: law {friction.law!r}")
        tangents = [to_unknowns.T @ t for t in friction.tangents]
        lengths = [float(np.linalg.norm(t)) for t in tangents]
        longest = tangents[int(np.argmax(lengths))]
        if np.linalg.matrix_rank(np.array(tangents), tol=1e-12 * max(lengths)) > 1:
            raise NotImplementedError(f"friction {friction.name!r} may turn in the plane of its two tangents")
        line = longest * math.hypot(*lengths) / max(lengths)
        along = np.array(friction.tangents).T @ [float(t @ line) / float(line @ line) for t in tangents]
        pressed = isinstance(friction.normal, str)
        return Rub(
            name=friction.name,
            line=line,
            cosines=tuple(float(t @ line) / float(line @ line) for t in tangents),
            normal=0.0 if pressed else friction.normal,
            planes=places[friction.normal] if pressed else (),
            static=friction.static,
            kinetic=friction.kinetic,
            carried=self.carried(friction, along, influences),
        )

    def locals_of(self, problem: Any, to_unknowns: Floats, influences: Sequence[Floats]) -> tuple[Local, ...]:
        """Return the devices with the places of their memories."""
        found: list[Local] = []
        memory = 2 * to_unknowns.shape[1]
        for law in problem.devices:
            if law.type not in ("nonlinear-spring", "buckling-stop", "zener"):
                raise NotImplementedError(f"device {law.name!r}: {law.type}")
            place = memory if law.type == "zener" else -1
            memory += law.type == "zener"
            carried = self.carried(law, law.direction, influences)
            found.append(Local(law, to_unknowns.T @ law.direction, carried, place))
        return tuple(found)
