"""Steps by collocation, their errors and lengths."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .records import (
    CLOSED,
    ROUNDING,
    Alarm,
    Floats,
    Mode,
    Step,
)


class Steps:
    """Steps by collocation, their errors and lengths."""

    def rate(self, mode: Mode, t: Floats, y: Floats, where: float) -> Floats:
        """Return the rates (m, d) of states (m, d)."""
        self.counters["evaluations"] += 1
        return self.look(mode, t, y, where).rate

    def jacobian(self, mode: Mode, t: float, y: Floats, where: float) -> Floats:
        """Return the derivative (d, d) of the rates by differences, exact where they are linear."""
        n, at = self.system.size, t + self.shortest * np.array([0.0, 0.5, 1.0])
        pull = np.abs(self.rate(mode, at, np.repeat(y[None], 3, axis=0), where)[:, n : 2 * n]).max()
        fastest = self.first_step / self.shortest
        place, speed = np.abs(y[:n]).max(), np.abs(y[n : 2 * n]).max()
        place = max(place, speed / fastest, pull / fastest**2) or 1.0  # of the motion that forces would make
        by = 1e-3 * np.repeat((place, max(speed, place * fastest), place), (n, n, y.size - 2 * n))
        states = y + np.vstack((np.zeros(y.size), np.diag(by)))
        rates = self.rate(mode, np.full(len(states), t), states, where)
        return np.asarray(((rates[1:] - rates[0]) / by[:, None]).T)

    def newton_matrix(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> NDArray[np.complex128]:
        """Return the inverses (s, d, d) of Newton's iteration, computed once for a mode and a length of step."""
        if (mode, length) not in self.inverses:
            if mode not in self.jacobians:
                self.jacobians[mode] = self.jacobian(mode, t, y, where)
            scaled = np.multiply.outer(length * self.tables.values, self.jacobians[mode])
            self.inverses[mode, length] = np.asarray(np.linalg.inv(np.eye(y.size) - scaled), dtype=complex)
        return self.inverses[mode, length]

    def correction(self, inverse: NDArray[np.complex128], residual: Floats) -> Floats:
        """Return the correction of the rates (s, d) for what is missing of them, by the eigenvectors of the nodes."""
        apart = self.tables.apart @ residual
        return np.asarray((self.tables.vectors @ np.matmul(inverse, apart[:, :, None])[:, :, 0]).real)

    def collocated(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> Step | None:
        """Return the step whose rates satisfy the equation of motion at the nodes; None if it is not found."""
        nodes, integrals = t + length * self.tables.nodes, length * self.tables.integrals
        inverse = self.newton_matrix(mode, t, y, length, where)
        rates = np.zeros((nodes.size, y.size))
        states, last = np.broadcast_to(y, rates.shape), math.inf
        least = self.least_spans(mode, t, y, length, where)
        for passes in range(self.newton_limit):
            change = self.correction(inverse, self.rate(mode, nodes, states, where) - rates)
            rates = rates + change
            moved = integrals @ change
            states = y + integrals @ rates
            size = float(np.max(np.abs(moved).max(axis=0) / np.maximum(self.spans(states), least)))
            left = size * min(1.0, size / last) if passes else size  # of a series that falls geometrically
            if left <= self.newton_tolerance or (size < 0.01 * self.rtol and size > 0.1 * last):
                if passes > self.newton_old:
                    self.forget(mode)
                return Step(t, length, y, length * (self.tables.coefficients @ rates), least)
            if passes > 1 and not size < 2 * last:
                return None
            last = size
        return None

    def error(self, step: Step) -> float:
        """Return the estimated error of a step in parts of what `rtol` allows."""
        errors = np.abs(step.motion[-1]) + 0.1 * np.abs(step.motion[-2])
        spans = self.spans(step.state + self.tables.on_grid @ step.motion)
        return float(np.max(errors / np.maximum(spans, step.least))) / self.rtol

    def least_spans(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> Floats:
        """Return the smallest sizes (d,) to compare errors of a step with, so that `rtol` allows rounding of forces.

        Forces that hold a body still cancel but for their rounding. The motion which that makes in a step has no
        relative accuracy, however short the step.
        """
        pull = ROUNDING / self.rtol * self.gross_acceleration(mode, t + length * np.array([0.0, 0.5, 1.0]), y, where)
        memory = np.zeros(y.size - 2 * self.system.size)
        return np.concatenate((length**2 * pull, length * pull, memory))

    def gross_acceleration(self, mode: Mode, t: Floats, y: Floats, where: float) -> Floats:
        """Return the largest accelerations (n,) at instants (m,) in a state, if no force took from another."""
        system, n = self.system, self.system.size
        seen = self.look(mode, t, np.repeat(y[None], t.size, axis=0), where)
        force = np.abs(system.stiffness) @ np.abs(y[:n])
        if system.damping is not None:
            force += np.abs(system.damping) @ np.abs(y[n : 2 * n])
        parts = [(self.load(function, t, where), direction) for direction, function in system.loads]
        parts += [(self.support(motion[0], t, where), direction) for direction, motion in system.supports]
        parts += [(seen.pressures[i], p.normal) for i, p in enumerate(system.planes) if mode.planes[i] == CLOSED]
        parts += [(push, device.direction) for push, device in zip(seen.device_forces, system.devices, strict=True)]
        parts += [(push, rub.line) for push, rub in zip(seen.rubbing, system.rubs, strict=True)]
        for size, direction in parts:
            force += float(np.abs(size).max()) * np.abs(direction)
        return np.asarray(np.abs(system.inverse) @ force)

    def spans(self, states: Floats) -> Floats:
        """Return the sizes (d,) that errors are compared with: largest displacement, velocity and elongation so far.

        Displacements and velocities are compared after multiplication with the roots of the masses, the memories of
        devices with their elongations.
        """
        n, largest = self.system.size, np.abs(states).max(axis=0)
        parts = (self.weights * largest[:n], self.weights * largest[n : 2 * n])
        moving = [max(size, float(part.max())) / self.weights for size, part in zip(self.sizes, parts, strict=True)]
        remembering = [d.direction for d in self.system.devices if d.memory >= 0]
        stretches = [float(np.abs(direction) @ moving[0]) for direction in remembering]
        spans = np.concatenate((*moving, np.maximum(stretches, largest[2 * n :])))
        return np.asarray(np.maximum(spans, 1e-300))

    def note_sizes(self, spans: Floats) -> None:
        """Keep the largest displacement and velocity so far, both times the root of a mass."""
        n = self.system.size
        self.sizes = [float((self.weights * part).max()) for part in (spans[:n], spans[n : 2 * n])]

    def next_length(self, length: float, error: float) -> float:
        """Return the length of the next step (s), from a sequence of factors 2^(1/8) so that lengths come again."""
        factor = min(self.largest_growth, max(0.1, self.safety * max(error, 1e-30) ** (-1 / self.stages)))
        return float(2.0 ** (math.floor(8 * math.log2(min(self.max_step, factor * length))) / 8))

    def step(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Step, list[Alarm]]:
        """Return an accepted step and the guards over it.

        Raises
        ------
        RuntimeError
            If no length of step is short enough.
        """
        where, kind = 0.5 * (t + until), (mode.planes, mode.grips, tuple(b for b, _ in mode.branches))
        length = self.lengths.get(kind, self.shortest)
        while length > ROUNDING * self.shortest:
            whole = math.ceil((until - t) / length * (1 - 1e-9))
            used = length if whole > 2 else (until - t) / max(whole, 1)
            step = self.collocated(mode, t, y, used, where)
            self.counters["tries"] += 1
            if step is None:
                length = self.next_length(used, 2.0**self.stages)
                self.forget(mode)
                continue
            error = self.error(step)
            if error <= 1:
                alarms = self.guards_over(mode, step, where)
                error = max(error, *(self.unresolved(alarm) for alarm in alarms), 0.0)
            length = self.next_length(used, error)
            if error <= 1:
                self.lengths[kind] = max(length, self.lengths.get(kind, 0.0)) if used < length else length
                self.note_sizes(self.spans(step.state + self.tables.on_grid @ step.motion))
                self.counters["steps"] += 1
                return step, alarms
        raise RuntimeError(f"no step is short enough at t = {t:.9g} s")

    def forget(self, mode: Mode) -> None:
        """Drop what is known of a mode whose equations have changed along the way."""
        self.jacobians.pop(mode, None)
        self.inverses = {key: value for key, value in self.inverses.items() if key[0] != mode}

    def guards_over(self, mode: Mode, step: Step, where: float) -> list[Alarm]:
        """Return the guards on the grid of a step."""
        states = step.state + self.tables.on_grid @ step.motion
        return self.guards(mode, self.look(mode, step.start + step.length * self.tables.grid, states, where))

    def unresolved(self, alarm: Alarm) -> float:
        """Return how far the interpolation of a guard is from what is allowed."""
        size = max(float(np.abs(alarm.values).max()), alarm.size)
        tail = float(np.abs(self.tables.of_grid[-3:] @ alarm.values).max())
        return tail / (self.guard_resolution * size) if size else 0.0
