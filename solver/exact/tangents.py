"""Derivatives of what the exact solver answers, along a tangent.

The motion is solved first. Its events and their modes being known, one more march carries the derivative along it (see
`kernels.event_slopes`), from event to event, without a search: within a mode motion and derivative are one linear
system; at an event its instant moves as the guard says, and the derivative jumps (saltation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.responses import Response
from veridyn.solver.event_driven.contact_modes import Affine, Grip, ModeFlow
from veridyn.solver.event_driven.forcing import Forcing, functions
from veridyn.solver.exact.blow_slopes import BlowSlope
from veridyn.solver.exact.flow_slopes import FlowSlope, FlowSlopes
from veridyn.solver.exact.number_slopes import differentiate_drive, read_slopes
from veridyn.solver.exact.tables import Tables
from veridyn.solver.integrators.kernels import event_tables as codes
from veridyn.solver.integrators.kernels.event_tables import ExactMotion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GRAZES = 1e-9  # of the terms of the rate of a gap


class ExactTangent:
    """The derivative of one motion of the exact solver along a tangent; `march` computes it.

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
        tangent: Tangent,
    ) -> None:
        from veridyn.solver.integrators.kernels import event_slopes

        self.kernel, self.tables, self.forcings, self.drives = event_slopes, tables, forcings, drives
        mechanics = self.mechanics = tables.mechanics
        if mechanics.springs:
            raise NotImplementedError("derivatives of friction that sticks through a spring")
        self.numbers = read_slopes(stated, mechanics, tangent)
        driving = functions(stated)
        self.moved_drives = [differentiate_drive(driving, each, tables.width, self.numbers) for each in forcings]
        slopes = FlowSlopes(mechanics, self.numbers)
        self.flows = [slopes.differentiate(flow) for flow in tables.flows]
        self.modes = self._write_modes()

    def _write_modes(self) -> tuple[Floats, Floats, Floats]:
        """Return of all modes D (m, p, p), the part of the positions' derivative that the phase makes, the guards'."""
        tables, n = self.tables, self.mechanics.problem.size
        count, width = len(tables.flows), tables.selection.shape[1]
        arrays = tables.arrays
        motions = np.zeros((count, width, width))
        crossed = np.zeros((count, n, width, arrays.positions.shape[3]))
        guards = np.zeros((count, arrays.guards.shape[1], width))
        drift = self._differentiate_waves()
        for m, (flow, slope) in enumerate(zip(tables.flows, self.flows, strict=True)):
            motions[m] = tables.motion
            motions[m, 1 + n : 1 + 2 * n] = flow.rate.rows[n:] @ tables.selection
            moved = drift.copy()
            moved[1 + n : 1 + 2 * n] = slope.accelerations @ tables.selection
            crossed[m] = self._cross(motions[m], moved, float(arrays.step[m]))
            guards[m, : len(slope.guards)] = slope.guards @ tables.selection
        return motions, crossed, guards

    def _differentiate_waves(self) -> Floats:
        """Return the derivative (p, p) of the matrix of the phase by the frequencies of the waves."""
        result, place = np.zeros_like(self.tables.motion), 1 + 2 * self.mechanics.problem.size
        for slope in self.moved_drives[0][0][:, 1]:
            result[place, place + 1], result[place + 1, place] = slope, -slope
            place += 2
        return result

    def _cross(self, motion: Floats, moved: Floats, step: float) -> Floats:
        """Return the Taylor coefficients (n, p, k) of the derivatives of positions, over the phase at the start.

        Phase and derivative are one phase of twice the length less one, since the derivative of 1 is none.
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

    def march(self, motion: ExactMotion) -> tuple[Floats, Floats]:
        """Return the derivatives of the instants (m,) and of the states (m, 2n) of all rows of a motion.

        Raises
        ------
        NotImplementedError
            If there is none that this solver knows: two events at one instant, a guard that only touches zero.
        """
        rows, n = motion.rows, self.mechanics.problem.size
        struck = self._find_struck(motion)
        moves, slopes = np.zeros(rows.times.size), np.zeros_like(rows.states)
        if struck[0] >= 0:
            raise NotImplementedError("derivatives of a motion that begins with an impact")
        t, m, row = float(rows.times[0]), int(rows.marks[0]), 1
        y, s = rows.states[0].copy(), self.numbers.start.copy()
        s[n:] = self.tables.flows[m].hold @ s[n:]
        slopes[0] = s
        known = (self.tables.arrays.states, self.tables.arrays.step, self.tables.arrays.positions)
        known += (self.tables.arrays.guards, self.tables.arrays.sizes, self.tables.arrays.counts)
        known += (self.tables.arrays.changes, self.tables.arrays.hold)
        for i, (forcing, drive, moved) in enumerate(zip(self.forcings, self.drives, self.moved_drives, strict=True)):
            last, reason = i == len(self.forcings) - 1, codes.IMPACT
            while reason == codes.IMPACT:
                reason, row, m, t = self.kernel.march_slopes(
                    t, forcing.end, last, forcing.start, m, row, y, s, rows.times, rows.states, rows.marks,
                    struck >= 0, slopes, moves, *known, *self.modes, *drive, *moved,
                )  # fmt: skip
                if reason == codes.IMPACT:
                    hit = np.array(motion.impacts[struck[row]][1], dtype=np.int64)
                    m = self._pass_impact(hit, row, m, y, s, (drive, moved), motion, slopes, moves)
                    row += 1
                elif reason != codes.DONE:
                    raise NotImplementedError(f"derivatives of {self._say(reason)} at t = {t:.9g} s")
        return moves, slopes

    def _find_struck(self, motion: ExactMotion) -> Ints:
        """Return for each row the place of the impact that happens there; -1: none."""
        result = np.full(motion.rows.times.size, -1)
        begins = np.flatnonzero(motion.begins)
        instants = motion.rows.times[begins]
        for place, (instant, _) in enumerate(motion.impacts):
            at = begins[instants == instant]
            if at.size != 1 or result[at[0]] >= 0:
                raise NotImplementedError(f"derivatives of impacts one after the other at t = {instant:.9g} s")
            result[at[0]] = place
        return result

    def _say(self, reason: int) -> str:
        return {
            self.kernel.GRAZING: "a motion that grazes",
            self.kernel.SIMULTANEOUS: "events that meet but do not move together",
            self.kernel.UNEXPLAINED: "a change that no guard explains",
        }[reason]

    def _pass_impact(
        self,
        hit: Ints,
        row: int,
        m: int,
        y: Floats,
        s: Floats,
        drive: Any,
        motion: ExactMotion,
        slopes: Floats,
        moves: Floats,
    ) -> int:
        """Pass the derivative s (2n,) through the impact of a row, in place, like the state y; return the mode after."""
        rows, n, (own, moved) = motion.rows, self.mechanics.problem.size, drive
        t, later = float(rows.times[row]), int(rows.marks[row])
        p, dp = self.kernel.fill_phases(t, y, s, *own, *moved, self.tables.selection.shape[1])
        rates = self.modes[0][m] @ p
        gaps, gap_slopes = (
            part[hit] @ self.tables.selection for part in (self.mechanics.gaps.rows, self.flows[m].gaps)
        )
        falls = gaps @ rates
        if (np.abs(falls) <= GRAZES * (np.abs(gaps) @ np.abs(rates))).any():
            raise NotImplementedError(f"derivatives of {self._say(self.kernel.GRAZING)} at t = {t:.9g} s")
        all_moves = -(gap_slopes @ p + gaps @ dp) / falls
        if np.ptp(all_moves) > self.kernel.ALIKE * np.abs(all_moves).max():
            raise NotImplementedError(f"derivatives of {self._say(self.kernel.SIMULTANEOUS)} at t = {t:.9g} s")
        moves[row] = all_moves[0]
        s += rates[1 : 1 + 2 * n] * moves[row]
        blow = BlowSlope(self.mechanics, self.numbers, hit, y[n:], rows.states[row, n:])
        s[n:] = self.tables.flows[later].hold @ blow.pass_on(s[n:])
        y[:], slopes[row] = rows.states[row], s
        p[1 : 1 + 2 * n] = y
        s -= (self.modes[0][later] @ p)[1 : 1 + 2 * n] * moves[row]
        return later

    # ---- the derivative of the response

    def differentiate(self, response: Response, motion: ExactMotion) -> Response:
        """Return the derivative of a response with all its histories and events."""
        moves, slopes = self.march(motion)
        n, times = self.mechanics.problem.size, motion.rows.times
        x, v = (self.mechanics.restored(part) for part in (slopes[:, :n], slopes[:, n:]))
        events = {name: moves[np.searchsorted(times, instants)] for name, instants in response.events.items()}
        return Response(moves, x, v, self._differentiate_histories(response, motion, moves, slopes), events=events)

    def _differentiate_histories(
        self, response: Response, motion: ExactMotion, moves: Floats, slopes: Floats
    ) -> dict[str, dict[str, Floats]]:
        times, states, modes = motion.rows.times, motion.rows.states, motion.modes
        result = {
            name: {key: np.zeros(times.size) for key in histories} for name, histories in response.elements.items()
        }
        parts = np.searchsorted([forcing.start for forcing in self.forcings[1:]], times, side="right")
        both = parts * len(self.flows) + modes
        for which in np.unique(both):
            here = both == which
            segment, m = divmod(int(which), len(self.flows))
            forcing = self.forcings[segment]
            u = forcing.values(times[here])
            drift = self._differentiate_driving(segment, times[here], moves[here])
            along = _Along(states[here], u, slopes[here], drift)
            for name, histories in self._differentiate_elements(self.tables.flows[m], self.flows[m], along).items():
                for key, value in histories.items():
                    result[name][key][here] = value
        return result

    def _differentiate_driving(self, segment: int, times: Floats, moves: Floats) -> Floats:
        """Return the derivatives (m, channels) of the driving functions at instants (m,) that move."""
        forcing, (waves, polynomials) = self.forcings[segment], self.moved_drives[segment]
        result = np.array([forcing.value(t, 1) for t in times]).reshape(times.size, -1) * moves[:, None]
        for wave, (amplitude, omega, phase) in zip(forcing.waves, waves, strict=True):
            angle = wave.omega * times + wave.phase
            turn = wave.amplitude * (omega * times + phase)
            result[:, wave.channel] += amplitude * np.sin(angle) + turn * np.cos(angle)
        for piece, row in zip(forcing.polynomials, polynomials, strict=True):
            result[:, piece.channel] += np.polyval(row[:0:-1], times - piece.origin)
        return result

    def _differentiate_elements(self, flow: ModeFlow, slope: FlowSlope, along: _Along) -> dict[str, dict[str, Any]]:
        """Return the derivatives of the histories of elements in one mode; as `event_driven.answer.histories` has them."""
        mechanics, result = self.mechanics, dict[str, dict[str, Any]]()
        nothing = np.zeros_like(slope.gaps)
        forces = along.differentiate(flow.stop_forces, slope.stop_forces)
        pushes = along.evaluate(flow.stop_forces) > 0
        gaps, rates = along.differentiate(flow.gaps, slope.gaps), along.differentiate(flow.gap_rates, nothing)
        nearest_gaps = along.evaluate(flow.gaps)
        for name, places in mechanics.planes.items():
            planes = list(places)
            nearest = np.argmin(nearest_gaps[:, planes], axis=1)[:, None]
            gap, rate = (np.take_along_axis(part[:, planes], nearest, axis=1)[:, 0] for part in (gaps, rates))
            force = np.where(pushes, forces, 0.0)[:, planes].sum(axis=1)
            result[name] = {"normal_force": force, "normal_velocity": rate, "gap": gap}
        normal = mechanics.normal_forces(flow.stop_forces)
        normals = np.where(along.evaluate(normal) > 0, along.differentiate(normal, slope.normal_forces), 0.0)
        pulls = along.differentiate(flow.friction_forces, slope.friction_forces)
        sliding = along.differentiate(flow.sliding, np.zeros_like(slope.friction_forces))
        for j, friction in enumerate(mechanics.problem.frictions):
            moving = flow.mode.frictions[j] is not Grip.STICK
            result[friction.name] = {"stuck": 0.0, "normal_force": normals[:, j]}
            for ending, cosine in zip(("", "_2"), mechanics.cosines[j], strict=False):
                result[friction.name][f"force{ending}"] = cosine * pulls[:, j]
                result[friction.name][f"sliding_velocity{ending}"] = cosine * sliding[:, j] * moving
        return result | self._differentiate_dampers(along)

    def _differentiate_dampers(self, along: _Along) -> Mapping[str, dict[str, Floats]]:
        """Return the derivatives of elongations and rates of dampers, and of their forces by the slope of the piece."""
        mechanics, result = self.mechanics, dict[str, dict[str, Floats]]()
        for d, device in enumerate(mechanics.problem.devices):
            elongation, rate = (
                along.differentiate(part, np.zeros_like(part.rows))[:, d]
                for part in (mechanics.elongations, mechanics.rates)
            )
            speeds = along.evaluate(mechanics.rates)[:, d]
            slopes = np.array([row[1] if len(row) > 1 else 0.0 for row in device.coefficients])
            force = slopes[np.searchsorted(device.breaks, speeds, side="right")] * rate
            result[device.name] = {"force": force, "elongation": elongation, "rate": rate}
        return result


class _Along:
    """States (m, 2n), driving functions (m, channels) and the derivatives of both along a path of samples."""

    def __init__(self, states: Floats, u: Floats, slopes: Floats, drift: Floats) -> None:
        self.states, self.u, self.slopes, self.drift = states, u, slopes, drift

    def evaluate(self, part: Affine) -> Floats:
        """Return the values (m, r) of rows."""
        return part.over(self.states, self.u)

    def differentiate(self, part: Affine, moved: Floats) -> Floats:
        """Return the derivatives (m, r) of what rows are, which move themselves."""
        own = Affine(moved, part.states).over(self.states, self.u)
        return np.asarray(own + self.slopes @ part.matrix.T + self.drift @ part.forcing.T)
