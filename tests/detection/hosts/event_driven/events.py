"""First roots of guards, and the mode after an event."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq

from .records import (
    CLOSED,
    FREE,
    OPEN,
    RELEASED,
    ROUNDING,
    STICK,
    Alarm,
    Floats,
    Mode,
    Step,
)


class Events:
    """First roots of guards, and the mode after an event."""

    def first_fall(self, values: Floats) -> float:
        """Return the first part of a step at which a guard (g,) falls below zero; inf if it does not."""
        below = np.flatnonzero(values < 0)
        upto = int(below[0]) if below.size else values.size
        if upto == 0:
            return 0.0
        dip = self.dip(values, upto)
        if dip is not None:
            return dip
        return self.located(values, self.tables.grid[upto - 1], self.tables.grid[upto]) if below.size else math.inf

    def dip(self, values: Floats, upto: int) -> float | None:
        """Return where a guard falls below zero and rises again between samples before the sample ``upto``."""
        inside = values[:upto]
        bend = float(np.abs(np.diff(values, 2)).max())
        low = np.flatnonzero((inside <= np.append(values[1:], math.inf)[:upto]) & (inside < bend))
        low = low[(low == 0) | (inside[low] <= values[np.maximum(low - 1, 0)])]
        if not low.size:
            return None
        coefficients = self.tables.of_grid @ values
        turns = chebyshev.chebroots(chebyshev.chebder(coefficients))
        turns = np.sort(turns.real[np.abs(turns.imag) < 1e-6])
        last = 2 * self.tables.grid[upto - 1] - 1
        for x in turns[(turns > -1) & (turns < last)]:
            if chebyshev.chebval(x, coefficients) < -ROUNDING * np.abs(values).max():
                part = 0.5 * (float(x) + 1)
                before = self.tables.grid[np.searchsorted(self.tables.grid, part) - 1]
                return self.located(values, float(before), part)
        return None

    def located(self, values: Floats, above: float, below: float) -> float:
        """Return the root of an interpolated guard between parts of a step where it is above and below zero."""
        coefficients = (self.tables.of_grid @ values).tolist()[::-1]

        def guard(part: float) -> float:
            twice, one, two = 4 * part - 2, 0.0, 0.0  # Clenshaw's recurrence
            for c in coefficients[:-1]:
                one, two = c + twice * one - two, one
            return float(coefficients[-1] + 0.5 * twice * one - two)

        if guard(above) <= 0:
            return above
        return below if guard(below) >= 0 else float(brentq(guard, above, below, xtol=1e-16, rtol=1e-15))

    def deflated(self, alarm: Alarm) -> Floats:
        """Return a guard over the first step of a phase, without the roots that it has at the start.

        A root is divided out, so that the sign at the start is that of the first derivative that does not vanish.
        """
        values, grid = alarm.values, self.tables.grid
        size = usual = max(float(np.abs(values).max()), alarm.size)
        for order in range(4):
            zero = max(self.guard_tolerance * 1000.0**order, 10 * self.rtol if order else 0.0)
            if abs(values[0]) > zero * size:
                return values
            values = np.concatenate(([0.0], (values[1:] - values[0]) / grid[1:]))
            size = float(np.abs(values).max())
            if size <= self.guard_noise * usual:  # the step is very short: the trend tells, if anything
                return np.full_like(values, values[-1] if abs(values[-1]) > ROUNDING * usual else 1.0)
            values[0] = self.limit_at_start(values)
        return values

    def limit_at_start(self, values: Floats) -> float:
        """Return the value at the start of a step of the polynomial through the other values on the grid."""
        return float(self.tables.limit @ values[1:])

    def settled(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Step, list[Alarm]]:
        """Return the mode that is consistent just after t, its first step, and its guards without roots at t.

        Raises
        ------
        RuntimeError
            If there is none.
        """
        tried: set[Mode] = set()
        while mode not in tried:
            tried.add(mode)
            found = self.tried(mode, t, y, until)
            violated = next((a for a in found[1] if a.values[0] < 0), None)
            if violated is None:
                return mode, *found
            mode = self.entered(mode, violated, t, y, 0.5 * (t + until))
        return self.searched(mode, t, y, until)

    def tried(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Step, list[Alarm]]:
        """Return the first step of a mode from a state, and its guards without roots at the start."""
        step, alarms = self.step(mode, t, self.held(mode, t, y, 0.5 * (t + until)), until)
        return step, [alarm._replace(values=self.deflated(alarm)) for alarm in alarms]

    def searched(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Step, list[Alarm]]:
        """Return a consistent mode by trying all of them, where changing one element after the other goes round."""
        stops = [(OPEN, CLOSED, RELEASED) if plane.damping else (OPEN, CLOSED) for plane in self.system.planes]
        for planes in product(*stops):
            for directions in product((STICK, 1, -1), repeat=len(self.system.rubs)):
                free = Mode(planes, (FREE,) * len(self.system.rubs), mode.branches)
                candidate = self.regripped(free, directions)
                found = self.tried(candidate, t, y, until)
                if all(alarm.values[0] >= 0 for alarm in found[1]):
                    return candidate, *found
        raise RuntimeError(f"no state of stops and frictions is consistent at t = {t:.9g} s")
