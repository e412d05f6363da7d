"""Faults in how a solver writes its answer, and in what it keeps from one solve to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from ..fault import Fault, always
from .features import has_devices, has_elements, has_frictions, has_stops, has_two_coordinates
from .problem import coarse, is_stiff, stiffness
from .tools import RELATIVE, RESOLUTION, After, Damaged, Problem, Response, Sizes, Standing, Touches, fault


def late_motion(names: str) -> After:
    """Return the change of displacement or velocity that stands late, by a part of the span."""

    def after(p: Problem, r: Response, s: float) -> Response:
        t = r["time"]
        return {**r, **{name: at_times(t, r[name], t - s * (p.end - p.start)) for name in names.split()}}

    return after


def at_times(t: Any, columns: Any, instants: Any) -> Any:
    """Return columns (m, n) at other instants, along straight lines."""
    return np.column_stack([np.interp(instants, t, column) for column in columns.T])


def sample_late(names: str) -> After:
    """Return the change of what stands one sample late."""
    return lambda _, r, s: {**r, **{n: np.concatenate((r[n][:1], r[n][:-1])) for n in names.split()}}


def half_sample_late(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose velocity is that of half a sample before."""
    v = r["velocity"]
    return {**r, "velocity": 0.5 * (v + np.concatenate((v[:1], v[:-1])))}


def every_second(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose displacement lies on straight lines between every second sample."""
    t, rows = r["time"], np.append(np.arange(0, r["time"].size - 1, 2), r["time"].size - 1)
    return {**r, "displacement": at_times(t[rows], r["displacement"][rows], t)}


def of_motion(**change: Callable[[Any, float], Any]) -> After:
    """Return the change of displacement or velocity."""
    return lambda _, r, s: {**r, **{name: new(r[name], s) for name, new in change.items()}}


def of_histories(names: str, change: Callable[[Any, float], Any]) -> After:
    """Return the change of histories of all elements that have them."""

    def after(_: Problem, r: Response, s: float) -> Response:
        changed = names.split()
        return {
            **r,
            "elements": {
                e: {h: change(np.asarray(x), s) if h in changed else x for h, x in own.items()}
                for e, own in r["elements"].items()
            },
        }

    return after


def grown(x: Any, s: float) -> Any:
    """Return what is too large."""
    return (1 + s) * x


def coarse_steps(x: Any, s: float) -> Any:
    """Return multiples of a part of the largest value."""
    tick = s * max(float(np.abs(x).max()), 1e-300)
    return tick * np.round(x / tick)


def one_late(x: Any, _: float) -> Any:
    """Return a history one sample late."""
    return np.concatenate((x[:1], x[:-1]))


def one_early(x: Any, _: float) -> Any:
    """Return a history one sample early."""
    return np.concatenate((x[1:], x[-1:]))


def slow_is_stuck(_: Problem, r: Response, s: float) -> Response:
    """Return a response in which whatever slides slower than a velocity (m/s) counts as stuck."""

    def flagged(own: Any) -> Any:
        if "stuck" not in own:
            return own
        slow = np.abs(own["sliding_velocity"]) < s
        return {**own, "stuck": np.where(slow, 1.0, own["stuck"])}

    return {**r, "elements": {e: flagged(own) for e, own in r["elements"].items()}}


def noisy(x: Any, s: float) -> Any:
    """Return values with noise that differs from call to call."""
    return x + s * float(np.abs(x).max()) * np.random.default_rng().standard_normal(x.shape)


def worn_by_output(_: Problem, r: Response, s: float) -> Response:
    """Return a motion that loses a part of its amplitude at every thousandth of 1000 outputs."""
    factor = 1 - s * np.arange(r["time"].size)[:, None] / 1000
    return {**r, "displacement": factor * r["displacement"]}


def end_held(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose last sample repeats the one before."""
    return {**r, "displacement": np.concatenate((r["displacement"][:-1], r["displacement"][-2:-1]))}


def swapped(_: Problem, r: Response, s: float) -> Response:
    """Return a response with the columns of the velocity in reverse order."""
    return {**r, "velocity": r["velocity"][:, ::-1]}


def biased(x: Any, s: float) -> Any:
    """Return displacements that are too large on one side."""
    return x + s * np.abs(x)


def response_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return faults in how a host writes its answer."""

    def changed(
        name: str,
        what: str,
        after: After,
        touches: Touches = always,
        meaning: str = RELATIVE,
        part: str = "output",
        size: float | None = None,
    ) -> Fault:
        return fault(sizes, name, part, what, lambda s: Damaged(solver, after=after, size=s), touches, meaning, size)

    shift = "part of the time span"
    of_law = max(sizes.size, 1e-5)  # laws of reported forces are held to six printed digits
    return [
        changed("displacement_size", "Displacements are written too large.", of_motion(displacement=grown)),
        changed("velocity_size", "Velocities are written too large.", of_motion(velocity=grown)),
        changed("displacement_late", "Displacements are written under too late an instant.", late_motion("displacement"), meaning=shift),
        changed("velocity_late", "Velocities are written under too late an instant.", late_motion("velocity"), meaning=shift),
        changed("motion_late", "Displacements and velocities are written under too late an instant.", late_motion("displacement velocity"), meaning=shift),
        changed("displacement_sample_late", "Displacements are those of the sample before.", sample_late("displacement"), meaning=""),
        changed("velocity_sample_late", "Velocities are those of the sample before.", sample_late("velocity"), meaning=""),
        changed("velocity_half_sample_late", "Velocities are those of half a sample before.", half_sample_late, meaning=""),
        changed("output_interpolated", "Displacements lie on straight lines between every second sample.", every_second, meaning=""),
        changed("output_single", "Displacements are written in single precision.", of_motion(displacement=coarse), meaning=RESOLUTION, part="precision", size=6e-8),
        changed("output_ticks", "Displacements are multiples of a part of their largest value.", of_motion(displacement=coarse_steps), meaning="part of the largest value", part="precision"),
        changed("output_noise", "Displacements carry noise that differs from run to run.", of_motion(displacement=noisy), meaning="part of the largest value"),
        changed("one_side_larger", "Displacements to one side are written too large.", of_motion(displacement=biased)),
        changed("end_held", "The last sample repeats the displacement of the one before.", end_held, meaning=""),
        changed("columns_swapped", "Velocities stand in reverse order of the coordinates.", swapped, has_two_coordinates, meaning=""),
        changed("push_size", "Pushes of stops are written too large.", of_histories("normal_force", grown), has_stops),
        changed("gap_size", "Gaps are written too large.", of_histories("gap", grown), has_stops),
        changed("gap_rate_size", "Rates of gaps are written too large.", of_histories("normal_velocity", grown), has_stops),
        changed("friction_force_size", "Forces of friction are written too large.", of_histories("force", grown), has_frictions, size=of_law),
        changed("sliding_velocity_size", "Sliding velocities are written too large.", of_histories("sliding_velocity", grown), has_frictions),
        changed("stick_sample_late", "Stick is written one sample late.", of_histories("stuck", one_late), has_frictions, meaning=""),
        changed("adherence_by_slowness", "What slides slowly counts as stuck.", slow_is_stuck, has_frictions, "velocity in m/s", "output", 1e-2),
        changed("device_force_size", "Forces of devices are written too large.", of_histories("force", grown), has_elements("devices"), size=of_law),
        changed("elongation_size", "Elongations of devices are written too large.", of_histories("elongation", grown), has_elements("devices")),
        changed("dashpot_force_size", "Forces of dashpots are written too large.", of_histories("dashpot_force", grown), has_devices("k1"), size=of_law),
        changed("push_sample_late", "Pushes of stops are those of the sample before.", of_histories("normal_force", one_late), has_stops, meaning=""),
        changed("outputs_cost_motion", "Every output takes a part of the displacement away.", worn_by_output, meaning="loss in 1000 outputs", part="state"),
    ]  # fmt: skip


class Stale(Standing):
    """A solver that keeps a part of the state that an earlier solve ended with."""

    def __init__(self, solver: Any, size: float, keep: str) -> None:
        super().__init__(solver)
        self.size, self.keep = size, keep
        self.last: dict[int, Any] = {}

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response from an initial state that is not quite that of the problem."""
        field = f"initial_{self.keep}"
        start = getattr(problem, field)
        rest = self.last.get(start.size, np.zeros(start.size))
        response = dict(self.solver.solve(replace(problem, **{field: start + self.size * rest}), settings))
        self.last[start.size] = np.array(response[self.keep][-1])
        return response


class Cached(Standing):
    """A solver that keeps the response to a problem by its name and settings."""

    def __init__(self, solver: Any) -> None:
        super().__init__(solver)
        self.answers: dict[str, Response] = {}

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response to the problem that had the name, span and settings first."""
        key = f"{problem.name} {problem.start} {problem.end} {sorted(settings.items())} {problem.output_times is None}"
        if key not in self.answers:
            self.answers[key] = dict(self.solver.solve(problem, settings))
        return self.answers[key]


class Counting(Standing):
    """A solver whose every further solve has a little more of something: a counter that is never set back."""

    def __init__(self, solver: Any, size: float) -> None:
        super().__init__(solver)
        self.size, self.calls = size, count()

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response of a structure that gets stiffer from solve to solve."""
        return dict(self.solver.solve(stiffness(problem, self.size * next(self.calls)), settings))


def state_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return faults of what a host keeps from one solve to the next."""

    def stale(name: str, what: str, make: Any, meaning: str, touches: Touches = always) -> Fault:
        return fault(sizes, name, "state", what, make, touches, meaning)

    share = "part of the last state"
    return [
        stale("displacement_left", "A part of the last displacement of an earlier solve is left.", lambda s: Stale(solver, s, "displacement"), share),
        stale("velocity_left", "A part of the last velocity of an earlier solve is left.", lambda s: Stale(solver, s, "velocity"), share),
        stale("answer_cached", "The answer is kept by name and settings of a problem.", lambda _: Cached(solver), ""),
        stale("stiffness_accumulates", "The structure gets stiffer from solve to solve.", lambda s: Counting(solver, s), "relative change a solve", is_stiff),
    ]  # fmt: skip
