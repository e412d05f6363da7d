"""The equations of all modes met by the exact solver, as arrays for its kernel.

The unknowns, 1 and the driving functions evolve linearly together once each wave is joined by its cosine, and each
polynomial by its derivatives: the phase p, with p' = D p. So the Taylor coefficients of a guard g p are g D^k h^k/k! p,
and all but p is known when a mode is written; so it is with the positions, whose derivatives are the velocities.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.event_driven.contact_modes import STRIKES, TOUCHES, ContactMode, Grip, ModeFlow, Touch
from veridyn.solver.event_driven.forcing import Forcing
from veridyn.solver.event_driven.mechanics import Mechanics
from veridyn.solver.event_driven.structure import WAY
from veridyn.solver.integrators.kernels.event_tables import ModeTables

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW_MODES = 8  # first size of tables that grow
MOST_DRAFTS = 256  # that are remembered


@dataclass(frozen=True, eq=False)
class Draft:
    """A mode over the phase (p,): what it takes to judge whether the motion may follow it."""

    flow: ModeFlow
    step: float  # longest step of its series (s)
    motion: Floats  # (p, p) D times the step
    guards: Floats  # (g, p)
    sizes: Floats  # (g, 2, p) what makes the sizes of the terms of a guard and of its rate
    changes: Ints  # (g, 3) element, new state, spring that is set


@dataclass(eq=False)
class Tables:
    """The modes met so far, as arrays for the kernel and as equations for the histories.

    ``forcing`` is that of one segment of time; its waves and polynomials may differ on the others, not their number,
    frequencies and channels. ``width`` is the number of coefficients that each polynomial takes in the phase, that of
    the longest on all segments.
    """

    mechanics: Mechanics
    forcing: Forcing
    width: int
    flows: list[ModeFlow] = field(default_factory=list)
    arrays: Any = None

    def __post_init__(self) -> None:
        self.span, self.selection = self._span(), self._selection()
        self.motion = self._motion()
        self.arrays = self._empty(FEW_MODES)
        self.drafts: OrderedDict[bytes, Draft] = OrderedDict()

    def draft(self, states: Ints) -> Draft:
        """Return the equations of a mode, those asked for last being remembered."""
        key = states.tobytes()
        if key not in self.drafts:
            self.drafts[key] = self._drafted(states)
            if len(self.drafts) > MOST_DRAFTS:
                self.drafts.popitem(last=False)
        self.drafts.move_to_end(key)
        return self.drafts[key]

    def index(self, states: Ints) -> int:
        """Return the place of a mode, written if it is not there yet."""
        result = np.flatnonzero((self.arrays.states[: len(self.flows)] == states).all(axis=1))
        return int(result[0]) if result.size else self._add(states, self.draft(states))

    def _add(self, states: Ints, draft: Draft) -> int:
        """Write the tables of a mode; return their place."""
        if len(self.flows) == self.arrays.step.size:
            self._grow()
        self._write(len(self.flows), states, draft)
        self.flows.append(draft.flow)
        return len(self.flows) - 1

    def mode(self, states: Ints) -> ContactMode:
        """Return a mode from the numbers (e,) of its states."""
        stops = len(self.mechanics.problem.stops)
        return ContactMode(tuple(TOUCHES[s] for s in states[:stops]), tuple(Grip(int(s)) for s in states[stops:]))

    @staticmethod
    def numbers(mode: ContactMode) -> Ints:
        """Return the numbers (e,) of the states of a mode."""
        return np.array([*map(TOUCHES.index, mode.stops), *mode.frictions], dtype=np.int64)

    def _span(self) -> float:
        """Return the longest time constant (s) that a mode may have: that of the drive, or the whole time."""
        problem = self.mechanics.problem
        fastest = max((abs(wave.omega) for wave in self.forcing.waves), default=0.0)
        return min(problem.end - problem.start, 1 / fastest) if fastest else problem.end - problem.start

    def _selection(self) -> Floats:
        """Return the map (1 + 2n + channels, p) of the phase to 1, state and driving functions.

        Zeros fill the phase up to a length that the kernel takes in one stride.
        """
        from veridyn.solver.integrators.kernels.series import FOUR

        waves, polynomials = self.forcing.waves, self.forcing.polynomials
        state = 1 + 2 * self.mechanics.problem.size
        used = state + 2 * len(waves) + self.width * len(polynomials)
        selection = np.zeros((state + self.mechanics.channels, 1 + math.ceil((used - 1) / FOUR) * FOUR))
        selection[:state, :state] = np.eye(state)
        place = state
        for wave in waves:
            selection[state + wave.channel, place] = 1.0
            place += 2
        for polynomial in polynomials:
            selection[state + polynomial.channel, place] = 1.0
            place += self.width
        return selection

    def _motion(self) -> Floats:
        """Return the matrix D (p, p) of the phase, without the accelerations."""
        n, size = self.mechanics.problem.size, self.selection.shape[1]
        motion = np.zeros((size, size))
        motion[1 : 1 + n, 1 + n : 1 + 2 * n] = np.eye(n)
        place = 1 + 2 * n
        for wave in self.forcing.waves:
            motion[place, place + 1], motion[place + 1, place] = wave.omega, -wave.omega
            place += 2
        # A polynomial is carried by its Taylor coefficients p_k at the present instant: p_k' = (k + 1) p_(k+1). So D is
        # nilpotent there, and load, wave and motion have one series with one rule.
        for start in range(place, place + self.width * len(self.forcing.polynomials), self.width):
            for power in range(1, self.width):
                motion[start + power - 1, start + power] = power
        return motion

    @cached_property
    def places(self) -> Ints:
        """Rows (n,) of the selection in which the positions stand."""
        n = self.mechanics.problem.size
        result = np.arange(1, 1 + n)
        # Supports are states only for the sake of directions. Their displacement is read from the drive at each step;
        # summed up from velocities it would drift by rounding.
        result[self.mechanics.supports] = 1 + 2 * n + self.mechanics.carriers[0]  # no step leaves a rounding behind
        return result

    def _empty(self, m: int) -> Any:
        from veridyn.solver.integrators.kernels.series import FEW, ORDER

        problem = self.mechanics.problem
        n, elements, phase = problem.size, len(problem.stops) + len(problem.frictions), self.selection.shape[1]
        guards = (4 if self.mechanics.contrary else 2) * elements
        return ModeTables(
            states=np.zeros((m, elements), dtype=np.int64),
            step=np.zeros(m),
            positions=np.zeros((m, n, phase, ORDER + 1)),
            guards=np.zeros((m, guards, phase, ORDER + 1)),
            bernstein=np.zeros((m, guards, FEW, phase, ORDER + 1)),
            sizes=np.zeros((m, guards, 2, phase)),
            counts=np.zeros(m, dtype=np.int64),
            changes=np.full((m, guards, 3), -1, dtype=np.int64),
            elongation=np.zeros((m, guards, phase)),
            hold=np.zeros((m, n, n)),
            keep=np.ones((m, n)),
        )

    def _grow(self) -> None:
        old = self.arrays
        self.arrays = self._empty(2 * old.step.size)
        for source, target in zip(old, self.arrays, strict=True):
            target[: len(source)] = source

    def _drafted(self, states: Ints) -> Draft:
        from veridyn.solver.integrators.kernels.series import CALM, STRETCH

        flow, n = self.mechanics.written(self.mode(states)), self.mechanics.problem.size
        longest = min(STRETCH * self.span, CALM / flow.fastest if flow.fastest else math.inf)
        step = 2.0 ** math.floor(math.log2(longest))  # scaling with a power of two rounds nothing
        # A guard is a difference of terms that may be far larger than itself. What rounding leaves of it is measured
        # against the sum of their sizes, not against its value: near a root the value is nothing. ``sizes`` gives that
        # sum for the guard, ``rates`` for its derivative over a step, by |D| in place of D.
        motion, bound = self.motion.copy(), np.abs(self.motion)
        motion[1 + n : 1 + 2 * n] = flow.rate.rows[n:] @ self.selection
        bound[1 + n : 1 + 2 * n] = flow.efforts @ self.selection
        sizes, changes = flow.sizes @ self.selection, self._changes(flow)
        rates = sizes @ bound * step
        hit = changes[:, 2] == STRIKES  # at rest on a stop a gap is nothing but what rounding of the motion leaves
        rates[hit] += rates[hit] @ bound * step
        sizes[hit] += WAY * rates[hit]
        guards = flow.guards.rows @ self.selection
        return Draft(flow, step, motion * step, guards, np.stack((sizes, rates), axis=1), changes)

    def _changes(self, flow: ModeFlow) -> Ints:
        """Return element, new state and spring of every guard, (g, 3)."""
        stops = len(self.mechanics.problem.stops)
        rows = []
        for change in flow.changes:
            if isinstance(change.becomes, Touch):
                rows.append((change.element, TOUCHES.index(change.becomes), change.spring))
            else:
                rows.append((stops + change.element, int(change.becomes), change.spring))
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def _write(self, m: int, states: Ints, draft: Draft) -> None:
        from veridyn.solver.integrators.kernels.event_series import write_bernstein, write_series
        from veridyn.solver.integrators.kernels.roots import BERNSTEIN

        arrays, flow, count = self.arrays, draft.flow, len(draft.changes)
        arrays.states[m], arrays.step[m], arrays.counts[m] = states, draft.step, count
        guards, bernstein = arrays.guards[m, :count], arrays.bernstein[m, :count]
        write_series(self.selection[self.places], draft.motion, arrays.positions[m])
        write_series(draft.guards, draft.motion, guards)
        write_bernstein(guards, BERNSTEIN, bernstein)
        arrays.sizes[m, :count], arrays.changes[m, :count] = draft.sizes, draft.changes
        for g, change in enumerate(flow.changes):
            if change.elongation is not None:
                arrays.elongation[m, g] = change.elongation @ self.selection
        arrays.hold[m] = flow.hold
        arrays.keep[m, list(flow.slack)] = 0.0
