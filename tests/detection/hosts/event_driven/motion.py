"""The equation of motion in a mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .records import (
    CLOSED,
    STICK,
    Floats,
    Look,
    Mode,
)


class Motion:
    """The equation of motion in a mode."""

    def look(self, mode: Mode, t: Floats, y: Floats, where: float) -> Look:
        """Return rates and element histories at instants (m,) and states (m, d) in a mode."""
        system, n = self.system, self.system.size
        x, v = y[:, :n], y[:, n : 2 * n]
        seen = Look(np.zeros_like(y))
        seen.rate[:, :n] = v
        force = -(x @ system.stiffness)
        if system.damping is not None:
            force -= v @ system.damping
        for direction, function in system.loads:
            force += np.multiply.outer(self.load(function, t, where), direction)
        for direction, (acceleration, _, _) in system.supports:
            force += np.multiply.outer(self.support(acceleration, t, where), direction)
        placed, moved = (self.driven(t, where, order) for order in (0, 1))
        self.press(seen, mode, x, v, placed, moved, force)
        self.stretch(seen, mode, y, placed, moved, force)
        self.rub(seen, mode, t, v, moved, force, where)
        seen.rate[:, n : 2 * n] = force @ system.inverse
        return seen

    def driven(self, t: Floats, where: float, order: int) -> Floats | None:
        """Return displacements (order 0), velocities (1) or accelerations (2) of the supports (m, j), if needed."""
        if not self.system.carries:
            return None
        return np.array([self.support(motion[2 - order], t, where) for _, motion in self.system.supports]).T

    def press(
        self, seen: Look, mode: Mode, x: Floats, v: Floats, placed: Floats | None, moved: Floats | None, force: Floats
    ) -> None:
        """Add the pushes of the stops to forces (m, n)."""
        for plane, state in zip(self.system.planes, mode.planes, strict=True):
            gap, rate = self.gap(plane, x, placed), self.gap_rate(plane, v, moved)
            pressure = self.contact_force(plane, gap, rate)
            seen.gaps.append(gap)
            seen.gap_rates.append(rate)
            seen.pressures.append(pressure)
            if state == CLOSED:
                force -= np.multiply.outer(pressure, plane.normal)

    def stretch(
        self, seen: Look, mode: Mode, y: Floats, placed: Floats | None, moved: Floats | None, force: Floats
    ) -> None:
        """Add the forces of the devices to forces (m, n), and the rates of their memories."""
        n = self.system.size
        for device, (branch, crush) in zip(self.system.devices, mode.branches, strict=True):
            u, dashpot = self.elongation(device, y[:, :n], placed), np.zeros(len(y))
            if device.law.type == "zener":
                push, dashpot = self.zener_forces(device.law, u, y[:, device.memory])
                seen.rate[:, device.memory] = self.dashpot_rate(device.law, dashpot, branch)
            elif device.law.type == "nonlinear-spring":
                push = self.spring_force(device.law, u, branch)
            else:
                push = self.crush_force(device.law, u, branch, crush)
            seen.elongations.append(u)
            seen.stretching.append(self.stretching(device, y[:, n : 2 * n], moved))
            seen.device_forces.append(push)
            seen.dashpots.append(dashpot)
            force -= np.multiply.outer(push, device.direction)

    def rub(
        self, seen: Look, mode: Mode, t: Floats, v: Floats, moved: Floats | None, force: Floats, where: float
    ) -> None:
        """Add the forces of frictions to forces (m, n): those that slip, then those that stick."""
        rubs, zero = self.system.rubs, np.zeros(len(v))
        pushes = [p if s == CLOSED else zero for p, s in zip(seen.pressures, mode.planes, strict=True)]
        stuck = [i for i, grip in enumerate(mode.grips) if grip == STICK]
        for rub, grip in zip(rubs, mode.grips, strict=True):
            normal = self.normal_force(rub, pushes, zero)
            seen.normals.append(normal)
            seen.sliding.append(self.sliding_velocity(rub, v, moved))
            seen.rubbing.append(self.slip_force(rub, normal, grip) if grip in (1, -1) else zero)
            if grip in (1, -1):
                force += np.multiply.outer(seen.rubbing[-1], rub.line)
        if stuck:
            lines = np.array([rubs[i].line for i in stuck])
            held = self.stick_forces(lines, self.system.inverse, force, self.ground(stuck, t, where))
            force += held @ lines
            for i, column in zip(stuck, held.T, strict=True):
                seen.rubbing[i] = column

    def ground(self, stuck: Sequence[int], t: Floats, where: float) -> Floats:
        """Return the accelerations (m, k) that the supports give to frictions of the absolute frame."""
        accelerations = self.driven(t, where, 2)
        if accelerations is None:
            return np.zeros((t.size, len(stuck)))
        return np.asarray(accelerations @ np.array([self.system.rubs[i].carried for i in stuck]).T)
