"""Random small systems as plain numbers, posed in any units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic

# multiples of 1/64: no example lives on numbers that no structure has, such as 1e-164 m
numbers = st.integers(16, 256).map(lambda n: n / 64)
SIZES, EITHER = st.integers(1, 3), st.booleans()
signed = st.integers(-128, 128).map(lambda n: n / 64)


@dataclass(frozen=True)
class System:
    """A chain held at its left end: masses, springs, dampers; one stop, one friction and one load, if any."""

    masses: tuple[float, ...]
    springs: tuple[float, ...]
    damping: float  # of every spring, as a time (s): C = damping K
    place: tuple[float, ...]
    speed: tuple[float, ...]
    stop: tuple[int, float, float] | None = None  # node, gap, stiffness
    friction: tuple[int, float, float, float] | None = None  # node, normal force, static, kinetic coefficient
    law: str = "set-valued"
    load: tuple[int, float, float, float] | None = None  # node, amplitude, omega, phase
    end: float = 4.0

    @property
    def stiffness(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Matrix (n, n) of the chain."""
        k = np.array([*self.springs, 0.0])
        return np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)

    def posed(self, M: float = 1.0, T: float = 1.0, L: float = 1.0, start: float = 0.0) -> MechanicalProblem:
        """Return the problem with other units of mass, time and length, or a later start (of this time unit)."""
        n, force = len(self.masses), M * L / T**2
        rows = np.eye(n)
        stops, frictions, loads = [], [], []
        if self.stop:
            node, gap, stiffness = self.stop
            stops.append(Stop("stop", rows[node], gap * L, stiffness * M / T**2))
        if self.friction:
            node, normal, static, kinetic = self.friction
            soft = self.law == "regularised"
            spring, damper = (400.0 * M / T**2, 2.0 * M / T) if soft else (0.0, 0.0)
            frictions.append(Friction("rub", (rows[node],), normal * force, static, kinetic, self.law, spring, damper))
        if self.load:
            node, amplitude, omega, phase = self.load
            loads.append(Load(rows[node], Harmonic(amplitude * force, omega / T, phase - omega * start)))
        return MechanicalProblem(
            name="random",
            mass=np.diag(self.masses) * M,
            stiffness=self.stiffness * M / T**2,
            damping=self.damping * self.stiffness * M / T,
            initial_displacement=np.array(self.place) * L,
            initial_velocity=np.array(self.speed) * L / T,
            stops=tuple(stops),
            frictions=tuple(frictions),
            loads=tuple(loads),
            start=start * T,
            end=(start + self.end) * T,
            output_times=np.linspace(start, start + self.end, 81) * T,
        )


@st.composite
def systems(draw: Any, *, size: Any = SIZES, nonlinear: bool = True, loaded: Any = EITHER) -> System:
    """Draw a chain, with a stop and a friction where wanted."""
    n = draw(size)
    each = st.tuples(*[numbers] * n)
    motion = st.tuples(*[signed] * n)
    node = st.integers(0, n - 1)
    coefficient = st.tuples(st.floats(0.2, 0.6), st.floats(0.0, 0.2))
    system = System(
        draw(each), draw(each), draw(st.sampled_from([0.0, 0.01, 0.1])), draw(motion), draw(motion),
        load=draw(st.tuples(node, numbers, numbers, signed)) if draw(loaded) else None,
    )  # fmt: skip
    if not nonlinear:
        return system
    stop = draw(st.none() | st.tuples(node, st.floats(0.1, 1.0), st.floats(20.0, 200.0)))
    kinetic, more = draw(coefficient)
    friction = draw(st.none() | st.tuples(node, numbers, st.just(kinetic + more), st.just(kinetic)))
    return replace(system, stop=stop, friction=friction)


@pytest.fixture(scope="session")
def read():
    """Return displacements and velocities of a response at instants that it holds, or near enough."""

    def at(response, instants):
        place = np.clip(np.searchsorted(response.time, instants), 1, response.time.size - 1)
        before = np.abs(response.time[place - 1] - instants) < np.abs(response.time[place] - instants)
        place = place - before
        return np.column_stack((response.displacement[place], response.velocity[place]))

    return at
