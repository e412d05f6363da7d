"""The classical method of order 4 with a fixed step, and cubics between its steps for outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.problem.generated import functions

Floats = np.ndarray[Any, np.dtype[np.float64]]
Between = Callable[[float, Floats, Floats, Floats, Floats], Floats]

STEPS = 2000  # over the span, by default
LEVELS = (250, 500, 1000, 2000)


def cubic(share: float, y: Floats, after: Floats, slope: Floats, slope_after: Floats) -> Floats:
    """Return the state at a share of a step by Hermite's cubic; slopes are rates times the step."""
    s = share
    return y + s**2 * (3 - 2 * s) * (after - y) + s * (1 - s) ** 2 * slope - s**2 * (1 - s) * slope_after


def parabola(share: float, y: Floats, after: Floats, slope: Floats, slope_after: Floats) -> Floats:
    """Return the state by the parabola with the slope at the start."""
    return y + share * slope + share**2 * (after - y - slope)


def with_one_slope(share: float, y: Floats, after: Floats, slope: Floats, slope_after: Floats) -> Floats:
    """Return the state by a cubic that has the slope at the start at both ends."""
    return cubic(share, y, after, slope, slope)


def with_coefficient_off(share: float, y: Floats, after: Floats, slope: Floats, slope_after: Floats) -> Floats:
    """Return the state by a cubic one coefficient of which is off by a ten thousandth."""
    return cubic(share, y, after, slope * (1 + 1e-4), slope_after)


@dataclass(frozen=True)
class Dense:
    """A method of order 4 whose outputs are read from a polynomial in each step."""

    name: str = "dense"
    between: Between = cubic
    version = "1.0"
    capabilities = frozenset({"initial-value"})
    settings = {"step": f"step (s); default 1/{STEPS} of the span"}  # noqa: RUF012 - never written
    claims = {"order": 4}  # noqa: RUF012 - never written

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return the step by default."""
        return {"step": (problem.end - problem.start) / STEPS}

    def refinement(self, problem: Any) -> list[Mapping[str, Any]]:
        """Return steps from coarse to fine."""
        return [{"step": (problem.end - problem.start) / count} for count in LEVELS]

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the outputs, or at the steps if none are stated."""
        rate = functions(problem).rhs
        count = round((problem.end - problem.start) / {**self.defaults(problem), **settings}["step"])
        times = np.linspace(problem.start, problem.end, count + 1)
        states, slopes = march(rate, problem.initial_state, times)
        outputs = times if problem.output_times is None else problem.output_times
        places = np.clip(np.searchsorted(times, outputs, side="right") - 1, 0, count - 1)
        rows = [self.at(times, states, slopes, i, t) for i, t in zip(places, outputs, strict=True)]
        return {"time": outputs, "states": np.array(rows), "counters": {"steps": count}}

    def at(self, times: Floats, states: Floats, slopes: Floats, i: int, t: float) -> Floats:
        """Return the state at an instant of a step."""
        h = times[i + 1] - times[i]
        return self.between((t - times[i]) / h, states[i], states[i + 1], h * slopes[i], h * slopes[i + 1])


def march(rate: Callable[[float, Floats], Floats], y: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Return states and rates (m, n) at instants, one step from each to the next."""
    rows, slopes = [y], [rate(times[0], y)]
    for t, h in zip(times, np.diff(times), strict=False):
        k1 = slopes[-1]
        k2 = rate(t + h / 2, y + h / 2 * k1)
        k3 = rate(t + h / 2, y + h / 2 * k2)
        k4 = rate(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        rows.append(y)
        slopes.append(rate(t + h, y))
    return np.array(rows), np.array(slopes)


SOLVER = Dense()
