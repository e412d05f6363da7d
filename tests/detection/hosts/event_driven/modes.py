"""Modes, their guards, and what lies behind a guard."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .records import (
    CLOSED,
    ELASTIC,
    FREE,
    LIFTED,
    OPEN,
    POST,
    RELEASED,
    RETURNING,
    ROUNDING,
    STICK,
    Alarm,
    Floats,
    Local,
    Look,
    Mode,
)


class Modes:
    """Modes, their guards, and what lies behind a guard."""

    def first_mode(self, t: float, y: Floats) -> Mode:
        """Return the mode that an initial state suggests; settling corrects it."""
        n, system = self.system.size, self.system
        lifted = Mode((OPEN,) * len(system.planes), (FREE,) * len(system.rubs), self.first_branches(t, y))
        seen = self.look(lifted, np.array([t]), y[None], t)
        overlaps = [gap[0] < 0 for gap in seen.gaps]
        states = [
            (CLOSED if push[0] > 0 else RELEASED) if overlap else OPEN
            for overlap, push in zip(overlaps, seen.pressures, strict=True)
        ]
        speed = np.abs(y[n : 2 * n])
        directions = [
            int(np.sign(s[0])) if abs(s[0]) > ROUNDING * float(np.abs(rub.line) @ speed) else STICK
            for rub, s in zip(system.rubs, seen.sliding, strict=True)
        ]
        mode = replace(lifted, planes=tuple(states), grips=tuple(directions))
        return self.regripped(mode, directions)

    def first_branches(self, t: float, y: Floats) -> tuple[tuple[int, float], ...]:
        """Return the branches of the devices at the start."""
        placed = self.driven(np.array([t]), t, 0)
        found: list[tuple[int, float]] = []
        for device in self.system.devices:
            law, u = device.law, float(self.elongation(device, y[None, : self.system.size], placed)[0])
            if law.type == "nonlinear-spring":
                found.append((bisect_right(law.breaks, u), 0.0))
            elif law.type == "zener":
                found.append((1, 0.0))
            else:
                largest = max(law.crushed, u)
                below = u < self.residual_crush(law, largest) or largest <= 0
                found.append((LIFTED if below else RETURNING, largest))
        return tuple(found)

    def regripped(self, mode: Mode, directions: Sequence[int]) -> Mode:
        """Free the frictions whose stops are open; let the others that were free slip in their directions, or stick."""
        grips = []
        for rub, grip, direction in zip(self.system.rubs, mode.grips, directions, strict=True):
            pressed = not rub.planes or any(mode.planes[i] == CLOSED for i in rub.planes)
            grips.append((direction if grip == FREE else grip) if pressed else FREE)
        return replace(mode, grips=tuple(grips))

    def guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return the guards of a mode, positive inside it."""
        return [*self.stop_guards(mode, seen), *self.friction_guards(mode, seen), *self.device_guards(mode, seen)]

    def reach(self, direction: Floats, order: int) -> float:
        """Return the largest displacement (order 0) or velocity (1) that there may have been along a direction."""
        return float(np.abs(direction) @ (self.sizes[order] / self.weights))

    def stop_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return gaps of open planes, pressures of closed ones, both of released ones."""
        found = []
        for i, (plane, state) in enumerate(zip(self.system.planes, mode.planes, strict=True)):
            gap, pressure, reach = seen.gaps[i], seen.pressures[i], self.reach(plane.normal, 0)
            push = plane.stiffness * reach + plane.damping * self.reach(plane.normal, 1)
            if state == OPEN:
                found.append(Alarm(gap, reach, "planes", i, CLOSED))
            elif state == CLOSED:
                found.append(Alarm(pressure, push, "planes", i, RELEASED if plane.damping else OPEN))
            else:
                found += [Alarm(-gap, reach, "planes", i, OPEN), Alarm(-pressure, push, "planes", i, CLOSED)]
        return found

    def friction_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return sliding velocities of slip, margins of stick."""
        found = []
        for i, (rub, grip) in enumerate(zip(self.system.rubs, mode.grips, strict=True)):
            if grip == STICK:
                normal, force = seen.normals[i], seen.rubbing[i]
                # a limit below the force of slip would leave no state in between
                limit = np.maximum(self.stick_limit(rub, normal), np.abs(self.slip_force(rub, normal, 1)))
                size = float(np.abs(force).max())
                found += [Alarm(limit - force, size, "grips", i, -1), Alarm(limit + force, size, "grips", i, 1)]
            elif grip != FREE:
                found.append(Alarm(grip * seen.sliding[i], self.reach(rub.line, 1), "grips", i, STICK))
        return found

    def device_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return the distances to the ends of the branches of devices."""
        found = []
        for i, (device, (branch, _)) in enumerate(zip(self.system.devices, mode.branches, strict=True)):
            law, u, reach = device.law, seen.elongations[i], self.reach(device.direction, 0)
            if law.type == "nonlinear-spring":
                below = [(u - law.breaks[branch - 1], branch - 1)] if branch > 0 else []
                above = [(law.breaks[branch] - u, branch + 1)] if branch < len(law.breaks) else []
                found += [Alarm(values, reach, "branches", i, (to, 0.0)) for values, to in (*below, *above)]
            elif law.type == "buckling-stop":
                pairs = self.crush_guards(device, i, seen, mode)
                found += [Alarm(values, size, "branches", i, to) for values, size, to in pairs]
            elif law.alpha != 1:
                dashpot = float(np.abs(seen.dashpots[i]).max())
                found.append(Alarm(branch * seen.dashpots[i], dashpot, "branches", i, (-branch, 0.0)))
        return found

    def crush_guards(
        self, device: Local, i: int, seen: Look, mode: Mode
    ) -> list[tuple[Floats, float, tuple[int, float]]]:
        """Return the guards of a buckling stop, their sizes, and the branches behind them."""
        law, u, (branch, crush) = device.law, seen.elongations[i], mode.branches[i]
        reach, speed = self.reach(device.direction, 0), self.reach(device.direction, 1)
        residual, loading = self.residual_crush(law, crush), self.crush_branch(law, crush)
        if branch == LIFTED:
            return [(residual - u, reach, (RETURNING if crush > residual else loading, crush))]
        if branch == RETURNING:
            return [(u - residual, reach, (LIFTED, crush)), (crush - u, reach, (loading, crush))]
        turned = (seen.stretching[i], speed, (RETURNING, math.nan))  # the crush is filled in at the turning point
        if branch == POST:
            return [turned]
        end = self.branch_ends(law)[branch - ELASTIC]
        return [turned, (end - u, reach, (self.crush_branch(law, end), crush))]

    def entered(self, mode: Mode, alarm: Alarm, t: float, y: Floats, where: float) -> Mode:
        """Return the mode behind a guard at an instant and state."""
        state = alarm.state
        n = self.system.size
        moved, placed = (self.driven(np.array([t]), where, order) for order in (1, 0))
        if alarm.what == "branches" and math.isnan(state[1]):
            device = self.system.devices[alarm.place]
            state = (state[0], float(self.elongation(device, y[None, :n], placed)[0]))
        mode = mode.changed(alarm.what, alarm.place, state)
        if alarm.what != "planes":
            return mode
        sliding = [float(self.sliding_velocity(rub, y[None, n : 2 * n], moved)[0]) for rub in self.system.rubs]
        still = ROUNDING * self.sizes[1] / self.weights.min(initial=math.inf)
        return self.regripped(mode, [int(np.sign(s)) if abs(s) > still else STICK for s in sliding])

    def held(self, mode: Mode, t: float, y: Floats, where: float) -> Floats:
        """Return the state with sliding velocities of sticking frictions set to zero."""
        return self.stilled([i for i, grip in enumerate(mode.grips) if grip == STICK], t, y, where)

    def stilled(self, places: Sequence[int], t: float, y: Floats, where: float) -> Floats:
        """Return the state with sliding velocities of some frictions set to zero, by impulses of theirs."""
        if not places:
            return y
        n, moved = self.system.size, self.driven(np.array([t]), where, 1)
        rubs = [self.system.rubs[i] for i in places]
        lines = np.array([rub.line for rub in rubs])
        sliding = np.array([self.sliding_velocity(rub, y[None, n : 2 * n], moved)[0] for rub in rubs])
        mobility = self.system.inverse @ lines.T
        y = y.copy()
        y[n : 2 * n] -= mobility @ np.linalg.solve(lines @ mobility, sliding)
        rest = np.abs(y[n : 2 * n]) * self.weights <= ROUNDING * self.sizes[1]
        y[n : 2 * n][rest] = 0.0  # what is left is rounding, and its sign would be taken for a direction
        return y
