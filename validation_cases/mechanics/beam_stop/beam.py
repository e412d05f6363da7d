"""Beam on a stop: the modes as a problem."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.problem.elements import Stop
from veridyn.solver.problem.mechanical import MechanicalProblem, Modes
from veridyn.validation_cases.core.case import Beam, Values

Floats = NDArray[np.float64]

OUTPUT_NUMBER = 0.05  # largest frequency times the spacing of the requested output
INSTANTS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # s, at which mid-span is observed
POINTS = 7  # points of the beam, at least: its eighths
DRAWN, MOST_DRAWN = 97, 3  # points of a drawn shape, and how many shapes are drawn
MARGIN = 1.01  # end of the run over T, so that T lies inside


def modes(values: Values) -> tuple[Floats, Floats, Floats]:
    """Return numbers (N,), circular frequencies (rad/s) and velocities at the start (m/s) of the modes."""
    n: Floats = np.arange(1.0, float(values["N"]) + 1)
    speeds = -2 * np.sqrt(2) * float(values["v0"]) / (n * np.pi)
    return n, np.asarray((n * np.pi) ** 2), np.asarray(np.where(n % 2 == 1, speeds, 0.0))


def fastest(values: Values) -> float:
    """Return a bound of the frequencies in contact (rad/s)."""
    n, w, _ = modes(values)
    return math.sqrt(w[-1] ** 2 + 2 * float(values["kc"]) * math.ceil(n.size / 2))


def shapes(values: Values) -> Floats:
    """Return the shapes (points, N) at evenly spread points, quarter points and mid-span among them."""
    n, _, _ = modes(values)
    parts = max(POINTS + 1, 4 * math.ceil((n.size + 1) / 4))
    table = np.sqrt(2) * np.sin(np.outer(np.arange(1, parts), n) * np.pi / parts)
    table[parts // 2 - 1, 1::2] = 0.0  # sin(kπ), exactly
    return np.asarray(table)


def drawn(values: Values) -> Beam:
    """Return the beam as it is drawn: on a pin and a roller, with the shapes that are seen at mid-span."""
    n, _, _ = modes(values)
    parts = shapes(values).shape[0] + 1
    along = np.linspace(0.0, 1.0, DRAWN)
    seen = [k for k in n.astype(int) if k % 2][:MOST_DRAWN]
    return Beam(
        length=1.0,
        points=tuple(i / parts for i in range(1, parts)),
        supports=((0.0, "pin"), (1.0, "roller")),
        shapes=tuple((f"φ{k}", tuple(np.round(np.sin(k * np.pi * along), 4).tolist())) for k in seen),
    )


def mid_span(points: int) -> int:
    """Return the place of mid-span among the points."""
    return points // 2


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output: a grid, and the instants that are measured."""
    end = round(MARGIN * float(values["T"]), 9)
    grid = np.linspace(0.0, end, math.ceil(end * fastest(values) / OUTPUT_NUMBER) + 1)
    measured = np.array([float(t) for t in (*INSTANTS, str(float(values["T"])))])
    return np.unique(np.round(np.concatenate((grid, measured[measured <= end])), 9))


def problem(values: Values) -> MechanicalProblem:
    """Return the beam by its modes, straight and falling."""
    _, w, speeds = modes(values)
    table = shapes(values)
    down = -np.eye(table.shape[0])[mid_span(table.shape[0])]
    times = outputs(values)
    return MechanicalProblem(
        name="beam_stop",
        modes=Modes(omega=w, damping=np.full(w.size, float(values["xi"])), masses=np.ones(w.size), shapes=table),
        initial_displacement=np.zeros(table.shape[0]),
        initial_velocity=table @ speeds,
        end=float(times[-1]),
        output_times=times,
        stops=(Stop("stop", down, gap=float(values["gap"]), stiffness=float(values["kc"])),),
    )
