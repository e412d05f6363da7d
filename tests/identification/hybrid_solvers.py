"""A small solver of hybrid initial value problems: steps of Kutta's method, events located by what it is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.problem.generated import Functions, functions

Floats = np.ndarray[Any, np.dtype[np.float64]]
HALVINGS = 42


@dataclass(frozen=True)
class Stepper:
    """Steps on the grid of the step from 0; the output inside a step is a shorter step from its start.

    ``locate``: root, chord or end; ``keeps``: which event of a step is taken: earliest, last of the list.
    ``blind``: directions are not looked at. ``reports_end``: events are reported at the end of their step.
    ``in_turn``: resets see the states that earlier ones have changed. ``parabola``: outputs lie on one.
    ``cut_output``: outputs in a step that an event cuts are those of the whole step, shortened.
    ``single``: what is rounded to single precision, instants of events or the guards' states.
    """

    name: str = "stepper"
    locate: str = "root"
    takes: str = "earliest"
    blind: bool = False
    reports_end: bool = False
    in_turn: bool = False
    parabola: bool = False
    cut_output: bool = False
    single: str = ""
    version = "1"
    capabilities = frozenset({"initial-value", "hybrid"})
    settings = {"step": "step (s)"}  # noqa: RUF012

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return states at outputs and events."""
        h, t, y, mode = settings.get("step", 0.01), problem.start, problem.initial_state, problem.mode
        rows, events = {t: y}, {name: [] for name in problem.event_names}
        while t < problem.end:
            parts = functions(problem, mode)
            end = min((np.floor(t / h + 1e-9) + 1.0) * h, problem.end)
            end = problem.end if problem.end - end < 1e-12 else end
            happening = self.find_event(parts, t, y, end)
            stop = end if happening is None else happening[0]
            outputs = problem.output_times[(problem.output_times > t) & (problem.output_times <= stop)]
            for output in outputs:
                share = (output - t) / (stop - t) if self.cut_output else (output - t) / (end - t)
                rows[output] = self.interpolate(parts, t, y, end, share)
            before = kutta(parts, t, y, stop - t)
            if happening is not None:
                _, index = happening
                change = parts.mode.events[index]
                y = self.reset(parts, change.name, stop, before)
                mode = change.mode or mode
                reported = end if self.reports_end else stop
                events[change.name].append(reported)
                rows[reported] = y
            else:
                y = before
            t = stop
        times = sorted(rows)
        return {
            "time": np.array(times),
            "states": np.array([rows[time] for time in times]),
            "events": {name: np.array(at) for name, at in events.items()},
        }

    def find_event(self, parts: Functions, t: float, y: Floats, end: float) -> tuple[float, int] | None:
        """Return instant and place of the event of a step."""
        soon = t + 1e-6 * (end - t)
        early, late = (parts.guards(at, kutta(parts, t, y, at - t)) for at in (soon, end))
        crossing = []
        for i, change in enumerate(parts.mode.events):
            rising = early[i] < 0 <= late[i]
            falling = early[i] > 0 >= late[i]
            if (rising and (change.direction >= 0 or self.blind)) or (
                falling and (change.direction <= 0 or self.blind)
            ):
                crossing.append((self.find_instant(parts, i, t, y, soon, end), i))
        if not crossing:
            return None
        return min(crossing) if self.takes == "earliest" else crossing[-1]

    def find_instant(self, parts: Functions, i: int, t: float, y: Floats, early: float, late: float) -> float:
        """Return the instant of an event in a step."""

        def guard(at: float) -> float:
            state = kutta(parts, t, y, at - t)
            return float(
                parts.guards(at, state.astype(np.float32).astype(float) if self.single == "guards" else state)[i]
            )

        a, b = guard(early), guard(late)
        if self.locate == "end":
            return late
        if self.locate == "chord":
            return early + (late - early) * a / (a - b)
        for _ in range(HALVINGS):
            middle = (early + late) / 2
            early, late = (middle, late) if guard(middle) * a > 0 else (early, middle)
        return float(np.float32(late)) if self.single == "instants" else late

    def reset(self, parts: Functions, event: str, t: float, before: Floats) -> Floats:
        """Return the states after an event."""
        if not self.in_turn:
            return parts.reset(event, t, before)
        after = np.array(before)
        for place in range(before.size):
            after[place] = parts.reset(event, t, after)[place]
        return after

    def interpolate(self, parts: Functions, t: float, y: Floats, end: float, share: float) -> Floats:
        """Return the states at a share of a step."""
        if not self.parabola or share == 1.0:
            return kutta(parts, t, y, share * (end - t))
        slope, after = (end - t) * parts.rhs(t, y), kutta(parts, t, y, end - t)
        return y + share * slope + share**2 * (after - y - slope)


def kutta(parts: Functions, t: float, y: Floats, h: float) -> Floats:
    """Return the state a step of the classical method of order 4 later."""
    k1 = parts.rhs(t, y)
    k2 = parts.rhs(t + h / 2, y + h / 2 * k1)
    k3 = parts.rhs(t + h / 2, y + h / 2 * k2)
    k4 = parts.rhs(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


SOUND = Stepper()
CHORD = Stepper(locate="chord")
END = Stepper(locate="end")
LAST = Stepper(takes="last")
BLIND = Stepper(blind=True)
LATE_REPORT = Stepper(reports_end=True)
IN_TURN = Stepper(in_turn=True)
PARABOLA = Stepper(parabola=True)
CUT = Stepper(cut_output=True)
SINGLE_CLOCK = Stepper(single="instants")
SINGLE_GUARDS = Stepper(single="guards")
