"""Reading of a mechanical problem: matrices of its unknowns, tables of its elements, jumps of its loads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh

from .laws import SPRING, ZENER, Floats

Problem = Any  # the record of a mechanical problem, see docs/plugging-in-a-solver.md


class Structure(NamedTuple):
    """Matrices (r, r) of the unknowns, shapes (n, r) that make displacements of them, and their start (r,)."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    shapes: Floats
    displacement: Floats
    velocity: Floats


def structure(problem: Problem, *, lumped: bool = False) -> Structure:
    """Return the structure in its own coordinates, or in those of the modal basis that it brings."""
    x, v = (np.asarray(problem.initial_displacement, float), np.asarray(problem.initial_velocity, float))
    modes = problem.modes
    if modes is None:
        mass, damping, stiffness = (np.array(m, float) for m in (problem.mass, problem.damping, problem.stiffness))
        mass = np.diag(mass.sum(axis=1)) if lumped else mass
        return Structure(mass, damping, stiffness, np.eye(x.size), x, v)
    back, masses = np.linalg.pinv(modes.shapes), np.asarray(modes.masses)
    damping = np.diag(2 * modes.damping * modes.omega * masses)
    if getattr(modes, "coupling", None) is not None:
        damping = damping + modes.coupling
    stiffness = np.diag(masses * modes.omega**2)
    return Structure(np.diag(masses), damping, stiffness, np.array(modes.shapes), back @ x, back @ v)


def highest_frequency(problem: Problem, s: Structure, *, stops: bool) -> float:
    """Return the highest circular frequency (rad/s), with devices, and with all stops closed if asked for."""
    stiffness = s.stiffness.copy()
    for device in problem.devices:
        direction = direction_of(device) @ s.shapes
        stiffness += device_stiffness(device) * np.outer(direction, direction)
    for stop in problem.stops if stops else ():
        normal = direction_of(stop) @ s.shapes
        stiffness += stop.stiffness * np.outer(normal, normal)
    return math.sqrt(max(0.0, float(eigh(stiffness, s.mass, eigvals_only=True)[-1])))


def has_jumps(problem: Problem) -> bool:
    """Tell whether forces jump: those of frictions at reversals, those of damped stops when touched."""
    return bool(problem.frictions) or any(stop.damping for stop in problem.stops)


def device_stiffness(device: Any) -> float:
    """Return about the largest stiffness (N/m) that a device shows."""
    if device.type == "zener":
        return float(device.k1 * (device.k2 + device.k3) / (device.k1 + device.k2 + device.k3))
    return max([0.0, *(float(row[1]) for row in getattr(device, "coefficients", ()) if len(row) > 1)])


def direction_of(element: Any) -> Floats:
    """Return the direction (n,) of the coordinate that an element sees: normal, tangent or direction."""
    if hasattr(element, "tangents"):
        return np.asarray(element.tangents[0], dtype=float)
    return np.asarray(element.normal if hasattr(element, "geometry") else element.direction, dtype=float)


def drift(problem: Problem, times: Floats, motion: str) -> Floats:
    """Return what the motion of supports adds to coordinates of elements (m, elements)."""
    elements = elements_of(problem)
    out = np.zeros((times.size, len(elements)))
    for i, element in enumerate(elements):
        for support in problem.supports if element.frame == "absolute" else ():
            factor = float(direction_of(element) @ np.asarray(support.influence))
            if factor:
                out[:, i] += factor * getattr(support, motion)(times)
    return out


def elements_of(problem: Problem) -> list[Any]:
    """Return stops, frictions and devices."""
    return [*problem.stops, *problem.frictions, *problem.devices]


def number(value: float | str) -> float:
    """Return a number of a time function: a float, or exact text such as ``3/4`` or ``1/4*pi``."""
    if not isinstance(value, str):
        return float(value)
    factor, pi, _ = value.partition("pi")
    exact = float(Fraction(factor.strip(" *") or 1))
    return exact * math.pi if pi else exact


def break_instants(form: Mapping[str, Any]) -> list[float]:
    """Return the instants (s) at which a time function in its JSON form may jump."""
    if form["kind"] == "sum":
        return [instant for summand in form["summands"] for instant in break_instants(summand)]
    if form["kind"] == "windowed":
        return [number(form["start"]), number(form["end"]), *break_instants(form["function"])]
    return [number(instant) for instant in form.get("breaks", ())]


def jumps(function: Any, times: Floats) -> list[tuple[float, float]]:
    """Return instants (s) within a span at which a function of time jumps, and by how much."""
    near = 1e-9 * (times[-1] - times[0])
    instants = break_instants(function.to_dict()) if hasattr(function, "to_dict") else []
    inside = sorted({instant for instant in instants if times[0] < instant < times[-1]})
    sizes = [(instant, float(function(instant + near)), float(function(instant - near))) for instant in inside]
    return [
        (at, after - before) for at, after, before in sizes if abs(after - before) > 1e-6 * (abs(after) + abs(before))
    ]


def spring_tables(devices: Any) -> tuple[Floats, Floats]:
    """Return breaks (d, b) and coefficients (d, b + 1, k) of all devices, filled up with infinity and zeros."""
    tables = [d.coefficients if d.type == "nonlinear-spring" else ((0.0,), (0.0,)) for d in devices]
    width = max((len(row) for table in tables for row in table), default=1)
    length = max((len(table) for table in tables), default=2)
    breaks = np.full((len(devices), length - 1), np.inf)
    coefficients = np.zeros((len(devices), length, width))
    for d, (device, table) in enumerate(zip(devices, tables, strict=True)):
        breaks[d, : len(table) - 1] = device.breaks if device.type == "nonlinear-spring" else 0.0
        for i, row in enumerate(table):
            coefficients[d, i, : len(row)] = row
    return breaks, coefficients


def stop_table(stops: Any) -> Floats:
    """Return the numbers of stops (s, 4): gap, two-sided, stiffness, damping."""
    numbers = [(s.gap, s.geometry == "parallel planes", s.stiffness, s.damping) for s in stops]
    return np.array(numbers, dtype=float).reshape(len(stops), 4)


def friction_table(frictions: Any, stops: Any) -> Floats:
    """Return the numbers of frictions (f, 4): number of the stop that presses or -1, normal force, static, kinetic."""
    number = {stop.name: i for i, stop in enumerate(stops)}
    pressed = [(number[f.normal], 0.0) if isinstance(f.normal, str) else (-1, f.normal) for f in frictions]
    numbers = [(*p, f.static, f.kinetic) for p, f in zip(pressed, frictions, strict=True)]
    return np.array(numbers, dtype=float).reshape(len(frictions), 4)


def device_table(devices: Any) -> Floats:
    """Return the numbers of devices (d, 6): kind, k1, k2, k3, damping, 1/alpha."""
    numbers = [
        (ZENER, d.k1, d.k2, d.k3, d.damping, 1 / d.alpha) if d.type == "zener" else (SPRING, *[1.0] * 5)
        for d in devices
    ]
    return np.array(numbers, dtype=float).reshape(len(devices), 6)


def refuse(problem: Problem, capabilities: frozenset[str]) -> None:
    """Raise `NotImplementedError` for what a problem needs and the solver does not have."""
    missing = sorted(set(problem.needs) - capabilities)
    if missing:
        raise NotImplementedError(", ".join(missing))


CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "contact", "contact:parallel-planes", "contact:damped", "friction:set-valued", "friction:on-stop",
    "device:nonlinear-spring", "device:zener", "absolute-frame",
})  # fmt: skip
"""What both time-stepping solvers treat."""

OSCILLATOR = SimpleNamespace(
    needs=frozenset({"mechanical"}), start=0.0, end=1.0, output_times=None, mass=np.eye(1), damping=np.zeros((1, 1)),
    stiffness=np.eye(1), modes=None, initial_displacement=np.ones(1), initial_velocity=np.zeros(1), loads=(),
    supports=(), stops=(), frictions=(), devices=(),
)  # fmt: skip
"""A problem to compile the loop with."""
