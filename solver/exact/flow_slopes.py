"""How the equations of a mode follow a tangent.

Accelerations a and the forces λ of what holds solve M a = q + Fᵀ λ, W a = c, with directions W that stay. So their
derivatives solve the same equations with M' a, q' and F'ᵀ λ as loads: what projects and inverts is that of the mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.event_driven.contact_modes import SLIPS, Grip, ModeFlow, Touch
from veridyn.solver.event_driven.mechanics import Mechanics, guards_of_friction, guards_of_stop
from veridyn.solver.event_driven.reduction import Bend
from veridyn.solver.exact.number_slopes import NumberSlopes

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FlowSlope:
    """Derivatives of the rows of a `ModeFlow` at fixed state and drive; those of gap rates and sliding are zero."""

    accelerations: Floats
    guards: Floats
    stop_forces: Floats
    normal_forces: Floats
    friction_forces: Floats
    gaps: Floats


class FlowSlopes:
    """Differentiates the equations of modes along a tangent."""

    def __init__(self, mechanics: Mechanics, numbers: NumberSlopes) -> None:
        self.mechanics, self.numbers = mechanics, numbers
        problem, n = mechanics.problem, mechanics.problem.size
        width = 1 + 2 * n + mechanics.channels
        self.gaps = np.zeros((len(problem.stops), width))
        self.gaps[:, 0] = numbers.stops["gap"] - numbers.stops["offset"]
        self.pressing = self._whole(self._differentiate_springs(problem, width))
        self.weights = np.zeros((len(problem.frictions), width))
        self.weights[:, 0] = numbers.frictions["normal"]
        self.free = self._whole(self._differentiate_free(problem))

    def _whole(self, rows: Floats) -> Floats:
        return self.mechanics.whole(rows).rows

    def _differentiate_free(self, problem: MechanicalProblem) -> Floats:
        """Return the derivatives of the forces on a structure that touches nothing."""
        mass, damping, stiffness = (self.numbers.matrices[name] for name in ("mass", "damping", "stiffness"))
        forcing = self.numbers.pushes.copy()
        for channel, support in enumerate(problem.supports, len(problem.loads)):
            forcing[:, channel] -= mass @ support.influence
        return np.hstack((np.zeros((problem.size, 1)), -stiffness, -damping, forcing))

    def _differentiate_springs(self, problem: MechanicalProblem, width: int) -> Floats:
        """Return the derivatives of ``-k d - c d'`` of stops; of a rigid one, and of a bend, there are none."""
        n, slopes = problem.size, self.numbers.stops
        rows = np.zeros((len(problem.stops), width))
        for i, (row, stop) in enumerate(zip(rows, problem.stops, strict=True)):
            if stop.rigid or isinstance(stop, Bend):
                continue
            k, c = slopes["stiffness"][i], slopes["damping"][i]
            row[0] = k * (stop.offset - stop.gap) - stop.stiffness * self.gaps[i, 0]
            row[1 : 1 + n], row[1 + n : 1 + 2 * n] = k * stop.normal, c * stop.normal
        return rows

    def differentiate(self, flow: ModeFlow) -> FlowSlope:
        """Return the derivatives of the equations of a mode."""
        mechanics, mode, n = self.mechanics, flow.mode, self.mechanics.problem.size
        closed = np.array([touch is Touch.CLOSED for touch in mode.stops], dtype=bool)
        stuck, shut = mechanics.list_rigid(mode), np.flatnonzero(closed & mechanics.rigid)
        slips = mechanics.list_slips(mode)[:, None]
        moved_slips = -np.array([float(grip) if grip in SLIPS else 0.0 for grip in mode.frictions])[:, None]
        moved_slips = moved_slips * self.numbers.frictions["kinetic"][:, None]
        stop_forces = closed[:, None] * self.pressing
        normal = mechanics.normal_forces(flow.stop_forces).rows
        moved_normal = self.weights + mechanics.presses @ stop_forces
        friction = moved_slips * normal + slips * moved_normal
        loads = self.free - self.numbers.matrices["mass"] @ flow.rate.rows[n:]
        loads = loads + mechanics.pushes.T @ stop_forces + mechanics.pulls.T @ friction
        # the same order as in `Mechanics.written`: what holds rigidly answers, and what rubs under it follows
        held = mechanics.held(tuple(stuck), tuple(shut.tolist()), mode)
        needed = -held.demand @ loads
        friction[stuck] += needed[: len(stuck)]
        if shut.size:
            stop_forces[shut] = needed[len(stuck) :]
            rubbing = slips * (mechanics.presses[:, shut] @ stop_forces[shut])
            friction, loads = friction + rubbing, loads + mechanics.pulls.T @ rubbing
            moved_normal = self.weights + mechanics.presses @ stop_forces
        accelerations = flow.hold @ mechanics.inverse @ loads
        pressing = np.where(mechanics.rigid[:, None], stop_forces, self.pressing)
        limits = self.numbers.frictions["static"][:, None] * normal + mechanics.static[:, None] * moved_normal
        guards = self._differentiate_guards(flow, pressing, limits, friction)
        return FlowSlope(accelerations, guards, stop_forces, moved_normal, friction, self.gaps)

    def _differentiate_guards(self, flow: ModeFlow, pressing: Floats, limits: Floats, friction: Floats) -> Floats:
        """Return the derivatives of the guards of a mode, in its order.

        A rate of a gap or of sliding has none: directions stay.
        """
        mechanics, nothing = self.mechanics, np.zeros(self.free.shape[1])
        rows: dict[tuple[int, Touch | Grip], Floats] = {}
        for i, touch in enumerate(flow.mode.stops):
            for row, becomes in guards_of_stop(touch, self.gaps[i], pressing[i], rigid=bool(mechanics.rigid[i])):
                rows[i, becomes] = row
        for j, grip in enumerate(flow.mode.frictions):
            for row, follows in guards_of_friction(grip, limits[j], friction[j], nothing):
                rows[j, follows] = row
        # a second guard of the same change is a rate along which what is held is torn apart
        result = [rows.pop((change.element, change.becomes), nothing) for change in flow.changes]
        return np.array(result).reshape(-1, nothing.size)
