"""The equations of all modes met by the exact solver, as arrays for its kernel.

The unknowns, 1 and the driving functions evolve linearly together once each wave is joined by its cosine, and each
polynomial by its derivatives: the phase p, with p' = D p. So the Taylor coefficients of a guard g p are g D^k h^k/k! p,
and all but p is known when a mode is written.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.event_driven.mechanics import Affine, Flow, Grip, Mechanics, Mode, Touch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOUCHES = (Touch.OPEN, Touch.CLOSED, Touch.RELEASED)  # in the order of the kernel's numbers
FEW_MODES = 8  # first size of tables that grow


@dataclass(eq=False)
class Tables:
    """The modes met so far, as arrays for the kernel and as equations for the histories.

    ``drive`` is that of one segment of time; its waves and polynomials may differ on the others, not their number,
    frequencies and channels.
    """

    mechanics: Mechanics
    drive: Any
    flows: list[Flow] = field(default_factory=list)
    arrays: Any = None

    def __post_init__(self) -> None:
        self.span, self.selection = self._span(), self._selection()
        self.motion = self._motion()
        self.arrays = self._empty(FEW_MODES)

    def add(self, states: Ints) -> None:
        """Write the equations of one more mode."""
        flow = self.mechanics.flow(self._mode(states))
        if len(self.flows) == self.arrays.counts.size:
            self._grow()
        self._write(len(self.flows), states, flow)
        self.flows.append(flow)

    def index(self, states: Ints) -> int:
        """Return the place of a mode, written if it is not there yet."""
        found = np.flatnonzero((self.arrays.states[: len(self.flows)] == states).all(axis=1))
        if found.size:
            return int(found[0])
        self.add(states)
        return len(self.flows) - 1

    def _mode(self, states: Ints) -> Mode:
        stops = len(self.mechanics.problem.stops)
        return Mode(tuple(TOUCHES[s] for s in states[:stops]), tuple(Grip(int(s)) for s in states[stops:]))

    def _span(self) -> float:
        """Return the longest time constant (s) that a mode may have: that of the drive, or the whole time."""
        problem = self.mechanics.problem
        fastest = float(np.abs(self.drive.waves[:, 1]).max(initial=0.0))
        return min(problem.end - problem.start, 1 / fastest) if fastest else problem.end - problem.start

    def _selection(self) -> Floats:
        """Return the map (1 + 2n + channels, p) of the phase to 1, state and driving functions."""
        drive, state = self.drive, 1 + 2 * self.mechanics.problem.size
        waves, width = drive.wave_channel.size, drive.polynomials.shape[1] - 1
        polynomials = drive.polynomial_channel.size
        selection = np.zeros((state + self.mechanics.channels, state + 2 * waves + polynomials * width))
        selection[:state, :state] = np.eye(state)
        selection[state + drive.wave_channel, state + 2 * np.arange(waves)] = 1.0
        starts = state + 2 * waves + width * np.arange(polynomials)
        selection[state + drive.polynomial_channel, starts] = 1.0
        return selection

    def _motion(self) -> Floats:
        """Return the matrix D (p, p) of the phase, without the accelerations."""
        drive, n, size = self.drive, self.mechanics.problem.size, self.selection.shape[1]
        motion = np.zeros((size, size))
        motion[1 : 1 + n, 1 + n : 1 + 2 * n] = np.eye(n)
        place, width = 1 + 2 * n, drive.polynomials.shape[1] - 1
        for omega in drive.waves[:, 1]:
            motion[place, place + 1], motion[place + 1, place] = omega, -omega
            place += 2
        for start in range(place, size, width):
            motion[range(start, start + width - 1), range(start + 1, start + width)] = np.arange(1, width)
        return motion

    def _empty(self, m: int) -> Any:
        from veridyn.solver.kernels.event_driven import Modes
        from veridyn.solver.kernels.roots import ORDER

        problem = self.mechanics.problem
        n, stops, frictions = problem.size, len(problem.stops), len(problem.frictions)
        guards = 2 * (stops + frictions)
        width, phase = self.selection.shape
        return Modes(
            states=np.zeros((m, stops + frictions), dtype=np.int64),
            constant=np.zeros((m, n)),
            acceleration=np.zeros((m, n, width - 1)),
            columns=np.zeros((m, n, width - 1), dtype=np.int64),
            filled=np.zeros((m, n), dtype=np.int64),
            factors=np.zeros((m, ORDER + 1)),
            guards=np.zeros((m, guards, phase, ORDER + 1)),
            sizes=np.zeros((m, guards, 2, phase)),
            counts=np.zeros(m, dtype=np.int64),
            elements=np.zeros((m, guards), dtype=np.int64),
            becomes=np.zeros((m, guards), dtype=np.int64),
            spring=np.full((m, guards), -1, dtype=np.int64),
            elongation=np.zeros((m, guards, width)),
            hold=np.zeros((m, n, n)),
            keep=np.ones((m, n)),
        )

    def _grow(self) -> None:
        old = self.arrays
        self.arrays = self._empty(2 * old.counts.size)
        for source, target in zip(old, self.arrays, strict=True):
            target[: len(source)] = source

    def _write(self, m: int, states: Ints, flow: Flow) -> None:
        from veridyn.solver.kernels.roots import ORDER
        from veridyn.solver.kernels.series import STRETCH

        arrays, n = self.arrays, self.mechanics.problem.size
        arrays.states[m] = states
        acceleration = _rows(flow.rate)[n:]
        arrays.constant[m] = acceleration[:, 0]
        for i, row in enumerate(acceleration[:, 1:]):
            filled = np.flatnonzero(row)
            arrays.filled[m, i] = filled.size
            arrays.columns[m, i, : filled.size], arrays.acceleration[m, i, : filled.size] = filled, row[filled]
        longest = STRETCH * (min(self.span, 1 / flow.fastest) if flow.fastest else self.span)
        step = 2.0 ** math.floor(math.log2(longest))  # scaling with a power of two rounds nothing
        arrays.factors[m] = step / np.arange(1, ORDER + 2)
        self._write_guards(m, flow, acceleration)
        self._write_changes(m, flow)
        arrays.hold[m] = flow.hold
        arrays.keep[m, list(flow.slack)] = 0.0

    def _write_guards(self, m: int, flow: Flow, acceleration: Floats) -> None:
        """Write the Taylor coefficients of the guards, and the sizes of what makes the first two."""
        from veridyn.solver.kernels.roots import ORDER

        arrays, n, count = self.arrays, self.mechanics.problem.size, len(flow.changes)
        motion = self.motion.copy()
        motion[1 + n : 1 + 2 * n] = acceleration @ self.selection
        motion *= arrays.factors[m, 0]
        rows = _rows(flow.guards) @ self.selection
        arrays.sizes[m, :count, 0], arrays.sizes[m, :count, 1] = np.abs(rows), np.abs(rows) @ np.abs(motion)
        for k in range(ORDER + 1):
            arrays.guards[m, :count, :, k] = rows
            rows = rows @ motion / (k + 1)

    def _write_changes(self, m: int, flow: Flow) -> None:
        arrays, stops = self.arrays, len(self.mechanics.problem.stops)
        arrays.counts[m] = len(flow.changes)
        for g, change in enumerate(flow.changes):
            if isinstance(change.becomes, Touch):
                arrays.elements[m, g], arrays.becomes[m, g] = change.element, TOUCHES.index(change.becomes)
            else:
                arrays.elements[m, g], arrays.becomes[m, g] = stops + change.element, change.becomes
            if change.elongation is not None:
                arrays.spring[m, g], arrays.elongation[m, g] = change.spring, _rows(change.elongation)


def _rows(part: Affine) -> Floats:
    """Return an affine map as rows over 1, the state and the driving functions."""
    constant = np.asarray(part.constant)
    return np.concatenate((constant[..., None], part.matrix, part.forcing), axis=-1)
