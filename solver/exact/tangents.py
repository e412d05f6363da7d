"""Derivatives of what the exact solver answers, along a tangent.

The motion is solved first. Its events and their modes being known, one more march carries the derivative along it (see
`kernels.event_slopes`), from event to event, without a search: within a mode motion and derivative are one linear
system; at an event its instant moves as the guard says, and the derivative jumps (saltation).

Of the ways to differentiate a flow with constant coefficients this one needs no matrix exponential, no eigenvectors
(which have no derivative where two frequencies meet) and no step of a difference: the Taylor series of motion and
derivative have one rule, and the steps of the motion serve both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.extended import Term
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.tangent import Tangent
from veridyn.solver.event_driven.forcing import Forcing, functions
from veridyn.solver.exact.blow_slopes import BlowSlope
from veridyn.solver.exact.flow_slopes import FlowSlopes
from veridyn.solver.exact.number_slopes import differentiate_drive, read_slopes
from veridyn.solver.exact.tables import Tables
from veridyn.solver.integrators.kernels import event_tables as codes
from veridyn.solver.integrators.kernels.event_tables import ExactMotion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-9  # of the terms of a derivative: what is no larger is none


@dataclass(frozen=True, eq=False)
class ModeSlopes:
    """What the march needs of all modes: the matrix D (m, p, p) of the phase, derivatives of the guards (m, g, p).

    ``crossed`` (m, n, p, k) are Taylor coefficients of the derivatives of positions, over the phase.
    """

    motions: Floats
    crossed: Floats
    guards: Floats


class ExactTangent:
    """The derivative of one motion of the exact solver along a tangent.

    ``without`` are terms that are left out on purpose: derivatives as wrong as those of who forgets them.
    After `march`, ``moves`` (m,) are the derivatives of the instants of its rows, ``slopes`` (m, 2n) those of their
    states, at an event on the instant that moves.

    Raises
    ------
    NotImplementedError
        For a number that is not differentiated by, for friction that sticks through a spring.
    """

    def __init__(
        self,
        stated: MechanicalProblem,
        tables: Tables,
        forcings: tuple[Forcing, ...],
        drives: list[Any],
        motion: ExactMotion,
        tangent: Tangent,
        without: frozenset[Term] = frozenset(),
    ) -> None:
        from veridyn.solver.integrators.kernels import event_slopes

        self.kernel, self.tables, self.forcings, self.drives = event_slopes, tables, forcings, drives
        self.mechanics, self.motion, self.without = tables.mechanics, motion, without
        self.passing = event_slopes.Passing(**_choose_passing(without))
        if self.mechanics.springs:
            raise NotImplementedError("derivatives of friction that sticks through a spring")
        self.numbers = read_slopes(stated, self.mechanics, tangent)
        self.moving = 0.0 if Term.RATES in without else 1.0  # whether the equations of motion follow the parameter
        driving = functions(stated)
        moved = [differentiate_drive(driving, each, tables.width, self.numbers) for each in forcings]
        self.moved_drives = [tuple(self.moving * part for part in each) for each in moved]
        slopes = FlowSlopes(self.mechanics, self.numbers)
        self.flows = [slopes.differentiate(flow) for flow in tables.flows]
        self.modes = self._write_modes()
        self.struck = self._find_struck()
        self.moves, self.slopes = np.zeros(motion.rows.times.size), np.zeros_like(motion.rows.states)

    def _write_modes(self) -> ModeSlopes:
        tables, n = self.tables, self.mechanics.problem.size
        count, width, arrays = len(tables.flows), tables.selection.shape[1], tables.arrays
        result = ModeSlopes(
            motions=np.zeros((count, width, width)),
            crossed=np.zeros((count, n, width, arrays.positions.shape[3])),
            guards=np.zeros((count, arrays.guards.shape[1], width)),
        )
        drift = self._differentiate_waves()
        for m, (flow, slope) in enumerate(zip(tables.flows, self.flows, strict=True)):
            result.motions[m] = tables.motion
            result.motions[m, 1 + n : 1 + 2 * n] = flow.rate.rows[n:] @ tables.selection
            moved = drift.copy()
            moved[1 + n : 1 + 2 * n] = self.moving * slope.accelerations @ tables.selection
            result.crossed[m] = self._cross(result.motions[m], moved, float(arrays.step[m]))
            if Term.GUARD not in self.without:
                result.guards[m, : len(slope.guards)] = slope.guards @ tables.selection
        return result

    def _differentiate_waves(self) -> Floats:
        """Return the derivative (p, p) of the matrix of the phase by the frequencies of the waves."""
        result, place = np.zeros_like(self.tables.motion), 1 + 2 * self.mechanics.problem.size
        for slope in self.moved_drives[0][0][:, 1]:
            result[place, place + 1], result[place + 1, place] = slope, -slope
            place += 2
        return result

    def _cross(self, motion: Floats, moved: Floats, step: float) -> Floats:
        """Return the Taylor coefficients (n, p, k) of the derivatives of positions, over the phase at the start.

        Phase and derivative are one phase of twice the length less one, since the derivative of 1 is none. What the
        derivative makes of itself are the coefficients of the positions.
        """
        from veridyn.solver.integrators.kernels.event_series import write_series

        width, places = len(motion), self.tables.places
        both = np.zeros((2 * width - 1, 2 * width - 1))
        both[:width, :width], both[width:, :width], both[width:, width:] = motion, moved[1:], motion[1:, 1:]
        rows = np.zeros((len(places), 2 * width - 1))
        rows[:, width:] = self.tables.selection[places, 1:]
        coefficients = np.zeros((*rows.shape, self.tables.arrays.positions.shape[3]))
        write_series(rows, both * step, coefficients)
        return coefficients[:, :width]

    def _find_struck(self) -> Ints:
        """Return for each row the place of the impact that happens there; -1: none."""
        result = np.full(self.motion.rows.times.size, -1)
        begins = np.flatnonzero(self.motion.begins)
        instants = self.motion.rows.times[begins]
        for place, (instant, _) in enumerate(self.motion.impacts):
            at = begins[instants == instant]
            if at.size != 1 or result[at[0]] >= 0:
                raise NotImplementedError(f"derivatives of impacts one after the other at t = {instant:.9g} s")
            result[at[0]] = place
        return result

    def march(self) -> None:
        """Compute the derivatives of all rows of the motion.

        Raises
        ------
        NotImplementedError
            If there is none that this solver knows: two events at one instant, a guard that only touches zero, a start
            between two modes.
        """
        rows, arrays = self.motion.rows, self.tables.arrays
        y, s = rows.states[0].copy(), self.numbers.start.copy()
        s *= 0.0 if Term.START in self.without else 1.0
        t, m, row = self._begin(y, s)
        known = (
            arrays.states, arrays.step, arrays.positions, arrays.guards, arrays.sizes, arrays.counts, arrays.changes,
            arrays.hold, self.modes.motions, self.modes.crossed, self.modes.guards,
        )  # fmt: skip
        for i, forcing in enumerate(self.forcings):
            drive = (*self.drives[i], *self.moved_drives[i])
            is_last, reason = i == len(self.forcings) - 1, codes.IMPACT
            while reason == codes.IMPACT:
                reason, row, m, t = self.kernel.march_slopes(
                    self.passing,
                    t, forcing.end, is_last, forcing.start, m, row, y, s, rows.times, rows.states, rows.marks,
                    self.struck >= 0, self.slopes, self.moves, *known, *drive,
                )  # fmt: skip
                if reason == codes.IMPACT:
                    self._pass_impact(row, m, y, s, drive)
                    m, row = int(rows.marks[row]), row + 1
                elif reason != codes.DONE:
                    raise self._decline(reason, t)

    def _begin(self, y: Floats, s: Floats) -> tuple[float, int, int]:
        """Set the derivative of the start; return its instant, its mode and the row after it."""
        rows, n, arrays = self.motion.rows, self.mechanics.problem.size, self.tables.arrays
        t, m = float(rows.times[0]), int(rows.marks[0])
        if self.struck[0] >= 0:
            raise NotImplementedError("derivatives of a motion that begins with an impact")
        s[n:] = self.tables.flows[m].hold @ s[n:]
        self.slopes[0] = s
        # A guard that is zero at the start and moves: one mode on one side of the parameter, another on the other.
        p, dp = self._fill(t, y, s, (*self.drives[0], *self.moved_drives[0]))
        guards, moved = arrays.guards[m, :, :, 0], self.modes.guards[m]
        is_zero = np.abs(guards @ p) <= self.kernel.NEAR_ZERO * (arrays.sizes[m].sum(axis=1) @ np.abs(p))
        moves = np.abs(moved @ p + guards @ dp) > ROUNDING * (np.abs(moved) @ np.abs(p) + np.abs(guards) @ np.abs(dp))
        if (is_zero & moves)[: arrays.counts[m]].any():
            raise NotImplementedError("derivatives of a motion that begins between two modes")
        return t, m, 1

    def _fill(self, t: float, y: Floats, s: Floats, drive: Any) -> tuple[Floats, Floats]:
        """Return the phase (p,) and its derivative."""
        p, dp = self.kernel.fill_phases(t, y, s, *drive, self.tables.selection.shape[1])
        return p, dp

    def _decline(self, reason: int, t: float) -> NotImplementedError:
        """Return what says why there is no derivative."""
        what = {
            self.kernel.GRAZING: "a motion that grazes",
            self.kernel.SIMULTANEOUS: "events that meet but do not move together",
            self.kernel.UNEXPLAINED: "a change that no guard explains",
        }[reason]
        return NotImplementedError(f"derivatives of {what} at t = {t:.9g} s")

    def _pass_impact(self, row: int, m: int, y: Floats, s: Floats, drive: Any) -> None:
        """Pass the derivative s (2n,) through the impact of a row, in place, and the state y (2n,) with it."""
        rows, n, selection = self.motion.rows, self.mechanics.problem.size, self.tables.selection
        t, later = float(rows.times[row]), int(rows.marks[row])
        hit = np.array(self.motion.impacts[self.struck[row]][1], dtype=np.int64)
        p, dp = self._fill(t, y, s, drive)
        rates = self.modes.motions[m] @ p
        gaps, moved = self.mechanics.gaps.rows[hit] @ selection, self.flows[m].gaps[hit] @ selection
        falls = gaps @ rates
        if (np.abs(falls) <= self.kernel.GRAZES * (np.abs(gaps) @ np.abs(rates))).any():
            raise self._decline(self.kernel.GRAZING, t)
        moved *= 0.0 if Term.GUARD in self.without else 1.0
        moves = -(moved @ p + gaps @ dp) / falls
        if np.ptp(moves) > self.kernel.ALIKE * np.abs(moves).max():
            raise self._decline(self.kernel.SIMULTANEOUS, t)
        passing = self.passing
        self.moves[row] = passing.moves * moves[0]
        before = rates[1 : 1 + 2 * n]
        s[:] = passing.memory * (s + before * passing.arrival * self.moves[row])
        if Term.RESET not in self.without:
            s[n:] = self._strike(hit, later, y[n:], rows.states[row, n:], s[n:])
        y[:] = rows.states[row]
        p[1 : 1 + 2 * n] = y
        begins = (self.modes.motions[later] @ p)[1 : 1 + 2 * n]
        leaves = passing.memory * passing.beginning * np.where(passing.jump, begins, before)
        s -= leaves * self.moves[row]
        self.slopes[row] = s + begins * self.moves[row]

    def _strike(self, hit: Ints, later: int, before: Floats, after: Floats, slopes: Floats) -> Floats:
        """Return the derivative of the velocities (n,) after an impact on stops, from that before."""
        numbers = self.numbers
        if Term.COEFFICIENT in self.without:
            numbers = replace(
                numbers,
                matrices={name: np.zeros_like(value) for name, value in numbers.matrices.items()},
                stops={name: np.zeros_like(value) for name, value in numbers.stops.items()},
                frictions={name: np.zeros_like(value) for name, value in numbers.frictions.items()},
            )
        blow = BlowSlope(self.mechanics, numbers, hit, before, after)
        return np.asarray(self.tables.flows[later].hold @ blow.pass_on(slopes))


def _choose_passing(without: frozenset[Term]) -> dict[str, float]:
    """Return what of the rule at events is taken, see `event_slopes.Passing`.

    Raises NotImplementedError for a term that is not left out here.
    """
    if Term.OTHER in without:
        raise NotImplementedError(f"derivatives as if {Term.OTHER}")
    moves = 0.0 if Term.INSTANT in without else -1.0 if Term.REVERSED in without else 1.0
    left_out = {
        "arrival": {Term.SALTATION, Term.ARRIVAL},
        "beginning": {Term.SALTATION, Term.BEGINNING},
        "jump": {Term.JUMP},
        "hold": {Term.RESET},
        "memory": {Term.MEMORY},
    }
    return {"moves": moves, **{name: 0.0 if without & terms else 1.0 for name, terms in left_out.items()}}
