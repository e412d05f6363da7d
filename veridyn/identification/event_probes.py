"""Problems that show how a solver treats events: where, how many, of which direction, in which order, with what effect.

All of them last 1 s, and begin at 0 unless they are shifted. A state ``y`` is the time, which every method integrates
without error, so that only the treatment of events shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from veridyn.identification.stepping import StepControl
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.statements import Settings

Floats = NDArray[np.float64]

CROSSINGS = ("0.21", "0.5123", "0.8")  # s, of a guard that rises, falls and rises
TWO = "0.3183"  # s, of the first of two events
FORWARD = "0.125"  # s, by which an event puts the clock forward, off the zero of its guard
SQUARES = ("0.1", "0.3", "0.55", "0.7", "0.9")  # s^2, of instants whose places in a step are irrational


@dataclass(frozen=True, kw_only=True)
class Stride:
    """How an examinee is made to take steps over the span of 1 s: by what sets its step, or as it will."""

    control: StepControl | None

    def make(self, count: int) -> tuple[Floats, Settings]:
        """Return output instants and settings for so many steps; two instants where nothing sets the step."""
        if self.control is None:
            return make_times(1), {}
        return make_times(count), self.control.make_settings(1.0 / count)

    def measure_step(self, count: int) -> float:
        """Return the step (s), the span where nothing sets it."""
        return 1.0 / count if self.control else 1.0


def make_times(intervals: int) -> Floats:
    """Return output instants (intervals + 1,) in s from 0 to 1."""
    return np.linspace(0.0, 1.0, intervals + 1)


def build_clock(
    times: Floats, modes: Sequence[tuple[str, Sequence[Change]]], others: Mapping[str, str] | None = None
) -> InitialValueProblem:
    """Return a problem with a clock ``y`` and other states that only events change, at initial values.

    Modes are stated by their events; the first one begins.
    """
    states = {"y": "0", **(others or {})}
    rates = ("1", *("0" for _ in range(len(states) - 1)))
    return InitialValueProblem(
        name="events",
        states=tuple(states),
        modes=tuple(Mode(name=name, rates=rates, events=tuple(events)) for name, events in modes),
        initial=tuple(states.values()),
        end=1.0,
        output_times=times,
    )


def build_pair(
    times: Floats, first: Change, second: Change, states: Mapping[str, str], *, swapped: bool = False
) -> InitialValueProblem:
    """Return a problem with two events that each happen once: a mode for what has happened already.

    ``swapped``: the list of events names the second one first.
    """
    begin = (replace(first, mode="first_done"), replace(second, mode="second_done"))
    modes = (
        ("begin", begin[::-1] if swapped else begin),
        ("first_done", (replace(second, mode="done"),)),
        ("second_done", (replace(first, mode="done"),)),
        ("done", ()),
    )
    return build_clock(times, modes, states)


def build_curved(times: Floats, square: str) -> InitialValueProblem:
    """Return a problem whose guard is a parabola of the clock: its root is ``sqrt(square)``, a chord's is another one.

    From the event on ``z`` grows with the time: at the end it tells when the event took effect.
    """
    hit = Change(name="hit", guard=f"y**2 - {square}", direction=1, mode="after")
    return InitialValueProblem(
        name="curved guard",
        states=("y", "z"),
        modes=(Mode(name="before", rates=("1", "0"), events=(hit,)), Mode(name="after", rates=("1", "1"))),
        initial=("0", "0"),
        mode="before",
        end=1.0,
        output_times=times,
    )


def build_shifted(times: Floats, instant: str, *, clock: int, state: int) -> InitialValueProblem:
    """Return a problem with an event at an instant (s) after its start, which is at ``clock`` s; y begins at a state.

    ``z`` grows from the event on, as that of `build_curved` does.
    """
    hit = Change(name="hit", guard=f"y - {state} - {instant}", direction=1, mode="after")
    curved = build_curved(times, instant)
    before, after = curved.modes
    return replace(
        curved,
        name="shifted guard",
        modes=(replace(before, events=(hit,)), after),
        initial=(str(state), "0"),
        start=float(clock),
        end=float(clock + 1),
        output_times=times + clock,
    )


def build_two(times: Floats, apart: str, *, swapped: bool) -> InitialValueProblem:
    """Return a problem with two events one after the other: ``w`` is doubled, then grows by 3, from 1 to 5."""
    first = Change(name="first", guard=f"y - {TWO}", direction=1, reset={"w": "2*w"})
    second = Change(name="second", guard=f"y - {TWO} - {apart}", direction=1, reset={"w": "w + 3"})
    return build_pair(times, first, second, {"w": "1"}, swapped=swapped)


def build_simultaneous(times: Floats) -> InitialValueProblem:
    """Return a problem with two events at once: ``p`` and ``q`` go from 0 to 1."""
    first = Change(name="first", guard=f"y - {TWO}", direction=1, reset={"p": "p + 1"})
    second = Change(name="second", guard=f"y - {TWO}", direction=1, reset={"q": "q + 1"})
    return build_pair(times, first, second, {"p": "0", "q": "0"})


def build_crossings(times: Floats, direction: int) -> InitialValueProblem:
    """Return a problem whose guard passes zero three times; each event puts the clock forward by `FORWARD`."""
    a, b, c = CROSSINGS
    guard = f"{'-' if direction < 0 else ''}(y - {a})*(y - {b})*(y - {c})"
    event = Change(name="crossing", guard=guard, direction=direction, reset={"y": f"y + {FORWARD}"})
    return build_clock(times, (("one", (event,)),))


def build_dip(times: Floats, apart: str) -> InitialValueProblem:
    """Return a problem whose guard falls below zero and is back soon; an event puts the clock forward by `FORWARD`."""
    guard = f"(y - {TWO})*(y - {TWO} - {apart})"
    event = Change(name="dip", guard=guard, direction=-1, reset={"y": f"y + {FORWARD}"})
    return build_clock(times, (("one", (event,)),))


def build_exchange(times: Floats) -> InitialValueProblem:
    """Return a problem whose event exchanges ``u`` and ``v``, 1 and 2 before it."""
    swap = Change(name="swap", guard=f"y - {TWO}", direction=1, reset={"u": "v", "v": "u"}, mode="done")
    return build_clock(times, (("begin", (swap,)), ("done", ())), {"u": "1", "v": "2"})
