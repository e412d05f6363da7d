"""Seeded faults of the event-driven host: what could go wrong in its phases, events and guards, and in any solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..fault import Fault, Host
from ..hosts.event_driven import SOLVER as HOST
from ..hosts.event_driven import EventDriven
from ..hosts.event_driven.records import CLOSED, OPEN
from . import tools
from .common import common_faults
from .event_driven_laws import SIZES, law_faults
from .features import (
    has_frictions,
    has_nonlinear,
    has_stops,
)
from .problem import coarse
from .tools import RELATIVE, RESOLUTION, overridden

own, sized = partial(tools.fault, SIZES), partial(overridden, HOST)
Solver = Callable[[float], EventDriven]


def numbers(**arguments: Callable[[float], float]) -> Solver:
    """Return what makes the solver with other numerical parameters."""
    return lambda size: EventDriven(**{name: change(size) for name, change in arguments.items()})


# --- events --------------------------------------------------------------------------------------------------------


def guards_shifted(what: str, states: tuple[int, ...], *, late: bool) -> Callable[..., Any]:
    """Return the change of guards that fall too late, or too early, by a part of their size."""

    def change(size: float, solver: Any, sound: Any, mode: Any, seen: Any) -> Any:
        sign = 1.0 if late else -1.0
        return [
            a._replace(values=a.values + sign * size * a.size)
            if a.what == what and getattr(mode, what)[a.place] in states
            else a
            for a in sound(mode, seen)
        ]

    return change


def rounded_root(size: float, solver: Any, sound: Any, values: Any, above: float, below: float) -> float:
    """Return the root of a guard to a resolution, in parts of the step."""
    return min(below, size * np.ceil(sound(values, above, below) / size))


def secant_root(size: float, solver: Any, sound: Any, values: Any, above: float, below: float) -> float:
    """Return the root of the straight line through the last samples of a guard."""
    grid = solver.tables.grid
    one, two = np.interp([above, below], grid, values)
    return float(above + (below - above) * one / (one - two)) if one > two else below


def early_root(size: float, solver: Any, sound: Any, values: Any, above: float, below: float) -> float:
    """Return a root that is too early by a part of the step."""
    return max(above, sound(values, above, below) - size)


def no_dip(*_: Any) -> None:
    """Find no guard that falls and rises between samples."""


def sample_root(size: float, solver: Any, sound: Any, values: Any) -> float:
    """Return the first sample at which a guard is below zero, instead of its root."""
    part = sound(values)
    return part if part == 0 or part > 1 else float(solver.tables.grid[np.searchsorted(solver.tables.grid, part)])


def smaller_at_events(part: int) -> Callable[..., Any]:
    """Begin every phase but the first with displacements (0) or velocities (1) that are too small."""

    def change(size: float, solver: Any, sound: Any, mode: Any, t: float, y: Any, until: float) -> Any:
        n = solver.system.size
        if solver.phases and t > solver.phases[0].start and (part == 0 or solver.system.planes):
            y = y.copy()
            y[part * n : (part + 1) * n] *= 1 - size
        return sound(mode, t, y, until)

    return change


def event_forgotten(size: float, solver: Any, sound: Any, problem: Any) -> Any:
    """Return a response whose events lack the last one of every element."""
    response = sound(problem)
    return {**response, "events": {name: at[:-1] for name, at in response["events"].items()}}


def no_events(size: float, solver: Any, sound: Any, problem: Any) -> Any:
    """Return a response without events."""
    return {name: part for name, part in sound(problem).items() if name != "events"}


# --- steps ---------------------------------------------------------------------------------------------------------


def longer(size: float, solver: Any, sound: Any, mode: Any, t: float, y: Any, length: float, where: float) -> Any:
    """Return the step of another length than that under which it is kept."""
    step = sound(mode, t, y, length * (1 + size), where)
    return None if step is None else step._replace(length=length)


def single_state(size: float, solver: Any, sound: Any, step: Any, part: float, until: float) -> Any:
    """Return instant and state of few digits."""
    t, y = sound(step, part, until)
    return t, coarse(y, size)


def single_clock(size: float, solver: Any, sound: Any, step: Any, part: float, until: float) -> Any:
    """Return an instant of few digits, and the state."""
    t, y = sound(step, part, until)
    return (t if t == until else float(coarse(t, size))), y


def linear_output(size: float, solver: Any, sound: Any, phase: Any, start: float, end: float, outputs: Any) -> Any:
    """Return samples on straight lines between the ends of steps."""
    times, states = sound(phase, start, end, outputs)
    knots = np.array([step.start for step in phase.steps] + [phase.steps[-1].start + phase.steps[-1].length])
    ends = np.vstack([*(step.state for step in phase.steps), phase.steps[-1].at([1.0])[0]])
    inner = slice(1 if phase.changed else 0, None)
    if times[inner].size:
        states[inner] = np.column_stack([np.interp(times[inner], knots, column) for column in ends.T])
    return times, states


def error_share(size: float, solver: Any, sound: Any, step: Any) -> float:
    """Return an estimate of the error that is too small."""
    return size * sound(step)


def no_error(*_: Any) -> float:
    """Return an error that every control accepts."""
    return 1e-14


def from_rejected(size: float, solver: Any, sound: Any, step: Any) -> float:
    """Return the error; where it refuses the step, leave a part of it in the state that the next try starts from."""
    error = sound(step)
    if error > 1:
        step.state[:] += size * (step.at([1.0])[0] - step.state)
    return error


def lower_order(size: float, solver: Any, sound: Any, *arguments: Any) -> Any:
    """Return the step whose motion keeps half of its coefficients."""
    step = sound(*arguments)
    if step is None:
        return None
    motion = np.array(step.motion)
    motion[motion.shape[0] // 2 :] = 0.0
    return step._replace(motion=motion)


class FixedTolerance(EventDriven):
    """Solves to 1e-6 whatever the tolerance."""

    def solve(self, problem: Any, settings: Any) -> Any:
        """Return the response to a tolerance of 1e-6."""
        return super().solve(problem, {**settings, "rtol": 1e-6})


class ByName(EventDriven):
    """Keeps what it knows of a problem under the name of the problem."""

    systems: ClassVar[dict[Any, Any]] = {}

    def describe(self, problem: Any) -> Any:
        """Return the problem in its unknowns, as it was when its name was first seen."""
        return self.systems.setdefault((id(type(self)), problem.name), super().describe(problem))


def by_name(_: float) -> EventDriven:
    """Return a solver that remembers problems by name, nothing yet."""
    return type("Remembering", (ByName,), {"systems": {}})()


def late_first_memory(size: float, solver: Any, sound: Any, problem: Any, system: Any) -> Any:
    """Return a start at which stops have rounded the displacement to their gaps."""
    return coarse(sound(problem, system), size)


class WrittenAsAsked(EventDriven):
    """Answers at shifted instants under those that were wanted."""

    shift: ClassVar[float] = 0.0

    def sampled(self, phase: Any, start: float, end: float, outputs: Any) -> Any:
        """Return the states a little later than the instants under which they stand."""
        times, states = super().sampled(phase, start, end, outputs)
        span = self.shift * (phase.steps[-1].start + phase.steps[-1].length - phase.start)
        n = self.system.size
        states[:, :n] += span * states[:, n : 2 * n]
        return times, states


def own_faults() -> list[Fault]:
    """Return the faults of this method."""
    relative, of_size, of_step, bits = RELATIVE, "part of the largest value", "part of a step", RESOLUTION
    planes, grips = "planes", "grips"
    return [
        own("touch_late", "contact", "Stops are touched too late.", sized("stop_guards", guards_shifted(planes, (OPEN,), late=True)), has_stops, of_size),
        own("touch_early", "contact", "Stops are touched too early.", sized("stop_guards", guards_shifted(planes, (OPEN,), late=False)), has_stops, of_size),
        own("release_late", "contact", "Stops are released too late.", sized("stop_guards", guards_shifted(planes, (CLOSED,), late=True)), has_stops, of_size),
        own("release_early", "contact", "Stops are released too early.", sized("stop_guards", guards_shifted(planes, (CLOSED,), late=False)), has_stops, of_size),
        own("slip_ends_late", "friction", "Slip ends only when the velocity has turned.", sized("friction_guards", guards_shifted(grips, (1, -1), late=True)), has_frictions, of_size),
        own("slip_ends_early", "friction", "Slip ends before the velocity is zero.", sized("friction_guards", guards_shifted(grips, (1, -1), late=False)), has_frictions, of_size),
        own("root_rounded", "precision", "Events are located to a coarse resolution.", sized("located", rounded_root), has_nonlinear, of_step),
        own("root_early", "contact", "Events are located too early.", sized("located", early_root), has_nonlinear, of_step),
        own("root_by_secant", "method", "Events are located on a straight line.", sized("located", secant_root), has_nonlinear),
        own("root_at_sample", "method", "Events are taken at the next sample.", sized("first_fall", sample_root), has_nonlinear),
        own("dips_missed", "method", "What opens and closes between two samples of a step is missed.", sized("dip", no_dip), has_nonlinear),
        own("restitution", "contact", "Every event takes a part of the velocity away.", sized("settled", smaller_at_events(1)), has_stops, "part of the velocity"),
        own("event_moves", "state", "Every event takes a part of the displacement away.", sized("settled", smaller_at_events(0)), has_nonlinear, "part of the displacement"),
        own("last_event_forgotten", "output", "The last event of every element is not reported.", sized("response", event_forgotten), has_nonlinear),
        own("events_unreported", "output", "Events are not reported.", sized("response", no_events), has_nonlinear, unclaimed="Who reports no events is not asked for them; the motion is right."),
        own("step_longer", "method", "Steps are longer than the time that they take.", sized("collocated", longer), meaning=relative),
        own("state_single", "precision", "The state has few digits from step to step.", sized("reached", single_state), meaning=bits, size=6e-8),
        own("clock_single", "precision", "The instants of steps have few digits.", sized("reached", single_clock), meaning=bits, size=6e-8),
        own("output_on_lines", "output", "Outputs lie on straight lines between the ends of steps.", sized("sampled", linear_output)),
        own("output_late", "output", "Outputs show displacements of a later instant.", lambda s: type("Late", (WrittenAsAsked,), {"shift": s})(), meaning="part of a phase"),
        own("error_underestimated", "method", "The estimate of the error is too small.", sized("error", error_share), meaning="share of the estimate", size=1e-3),
        own("tolerance_ignored", "method", "The tolerance is 1e-6 whatever is asked for.", lambda _: FixedTolerance()),
        own("newton_loose", "method", "Newton's iteration ends early.", numbers(newton_tolerance=lambda s: s), meaning="tolerance"),
        own("guards_loose", "method", "Guards near zero at the start of a phase count as zero.", numbers(guard_tolerance=lambda s: s), has_nonlinear, "tolerance"),
        own("guards_unresolved", "method", "Guards are interpolated to a tolerance so loose that steps as short as the error asks for do not make up for it.", numbers(guard_resolution=lambda s: s), has_nonlinear, "tolerance", 1e-1),
        own("problem_by_name", "state", "What is known of a problem is kept by its name.", by_name),
        own("start_single", "precision", "The initial state has few digits.", sized("initial_state", late_first_memory), meaning=bits, size=6e-8),
        own("rejected_try_remembered", "state", "A step that is tried again starts from a part of the way that the rejected try went.", sized("error", from_rejected), meaning="part of the step"),
        own("error_control_accepts_all", "method", "The estimate of the error is always small: the control accepts every step.", sized("error", no_error)),
        own("last_coefficients_dropped", "method", "The motion in a step keeps half of its coefficients: the formula of a lower order.", sized("collocated", lower_order)),
    ]  # fmt: skip


UNFOLLOWED = (
    "Errors of free vibrations fall with the tolerance and then stop, above rounding, as the card says: so none is taken "
    "for claimed, and so small an error is within every criterion."
)
SMALL = tuple(
    replace(fault, unclaimed=UNFOLLOWED) if fault.name == "outputs_cost_motion" else fault
    for fault in common_faults(HOST, SIZES)
)
HOSTS = (Host(HOST.name, HOST, (*SMALL, *own_faults(), *law_faults())),)
