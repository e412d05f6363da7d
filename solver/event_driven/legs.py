"""What the driver asks of an integrator: one leg, from an instant to the next event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.event_driven.forcing import Forcing
from veridyn.solver.event_driven.mechanics import Flow

Floats = NDArray[np.float64]


def until(outputs: Floats, end: float) -> Floats:
    """Return the outputs (k,) up to an instant (s)."""
    return outputs[: np.searchsorted(outputs, end, side="right")]


@dataclass(frozen=True, eq=False)
class Leg:
    """A smooth initial value problem that ends at the first event or at ``end``.

    Functions whose fall through zero is an event: the guards of the flow, then the dips (minus the rates of the
    guards: a guard that has a minimum between two steps shows it there). A function is not looked at before
    ``armed`` (s): it may start at zero, and rounding must not fire it.
    """

    flow: Flow
    forcing: Forcing
    start: float
    state: Floats
    end: float
    outputs: Floats
    armed: Floats
    largest_step: float
    dips: bool

    @cached_property
    def guards(self) -> int:
        """Number of guards, without the dips."""
        return len(self.flow.changes)

    @cached_property
    def functions(self) -> int:
        """Number of functions that can fire."""
        return self.guards * (2 if self.dips else 1)

    def rate(self, t: float, y: Floats) -> Floats:
        """Return y' (2n,)."""
        return self.flow.rate(y, self.forcing.value(t))

    def watched(self, index: int, t: float, y: Floats) -> float:
        """Return a function that can fire; constant while it is not armed."""
        if t < self.armed[index]:
            return 1.0 if index < self.guards else -1.0
        if index < self.guards:
            guards = self.flow.guards
            value = guards.matrix[index] @ y + guards.constant[index]
            return float(value + guards.forcing[index] @ self.forcing.value(t) if self.driven[index] else value)
        row = index - self.guards
        rates = self.flow.guard_rates
        value = rates.matrix[row] @ y + rates.constant[row]
        if self.forcing.channels:
            value += rates.forcing[row] @ self.forcing.value(t)
            value += self.flow.guards.forcing[row] @ self.forcing.value(t, 1)
        return -float(value)

    @cached_property
    def driven(self) -> list[bool]:
        """Which guards the drive moves by itself."""
        return [bool(row.any()) for row in self.flow.guards.forcing]


@dataclass(frozen=True, eq=False)
class Arrival:
    """How a leg ended: instant, state, the function that fired (None: ``end`` reached), states (k, 2n) at the outputs.

    The outputs are those of the leg up to its end, in order.
    """

    time: float
    state: Floats
    fired: int | None
    states: Floats
    counters: Mapping[str, int]


class Integrator(Protocol):
    """An ODE integrator with event location.

    ``sees_dips``: it finds every root within a step by itself, and needs no dips.
    """

    @property
    def sees_dips(self) -> bool:
        """Tell whether minima of guards need no watching."""

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg; raises SolverFailure if the library gives up."""
