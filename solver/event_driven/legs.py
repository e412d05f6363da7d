"""What drivers ask of an integrator: one leg, from an instant to the next event, and what they do about misses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.contact_modes import ModeFlow
from veridyn.solver.event_driven.forcing import Forcing

Floats = NDArray[np.float64]

OVERLOOKED = 1e-3  # of its largest value in a leg: a guard this far below zero should have fired
LEVEL = 1e-6  # of the terms of a guard: what tolerances of an integrator may leave below zero
RETRY_STEPS = 100  # a leg with an overlooked event is integrated again with at least so many steps


def until(outputs: Floats, end: float) -> Floats:
    """Return the outputs (k,) up to an instant (s)."""
    return outputs[: np.searchsorted(outputs, end, side="right")]


@dataclass(frozen=True, eq=False, kw_only=True)
class Leg(ABC):
    """A smooth initial value problem that ends at the first event or at ``end``.

    Functions whose fall through zero is an event: the guards, then the dips (minus the rates of the guards: a guard
    that has a minimum between two steps shows it there). A function is not looked at before ``armed`` (s): it may
    start at zero, and rounding must not fire it.
    """

    start: float
    state: Floats
    end: float
    outputs: Floats
    armed: Floats
    largest_step: float
    dips: bool

    @property
    @abstractmethod
    def guards(self) -> int:
        """Number of guards, without the dips."""

    @property
    def functions(self) -> int:
        """Number of functions that can fire."""
        return self.guards * (2 if self.dips else 1)

    @abstractmethod
    def rate(self, t: float, y: Floats) -> Floats:
        """Return y' (n,)."""

    @abstractmethod
    def jacobian(self, t: float, y: Floats) -> Floats:
        """Return the derivatives (n, n) of y' with respect to y."""

    @abstractmethod
    def guard(self, index: int, t: float, y: Floats) -> float:
        """Return a guard."""

    @abstractmethod
    def guard_rate(self, index: int, t: float, y: Floats) -> float:
        """Return the rate of a guard along the motion."""

    @abstractmethod
    def guards_over(self, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        """Return the guards (m, g) at instants (m,) with states (m, n), and the size (g,) of their terms."""

    @property
    def stages(self) -> list[float]:
        """Ends (s) of the stages in which no function is armed anew: for integrators that cannot arm one under way."""
        inner = {t for t in self.armed[: self.functions] if self.start < t < self.end}
        return [*sorted(inner), self.end]

    def watched(self, index: int, t: float, y: Floats) -> float:
        """Return a function that can fire; constant while it is not armed."""
        if t < self.armed[index]:
            return 1.0 if index < self.guards else -1.0
        return self.guard(index, t, y) if index < self.guards else -self.guard_rate(index - self.guards, t, y)


@dataclass(frozen=True, eq=False, kw_only=True)
class AffineLeg(Leg):
    """A leg of a mechanical problem: the affine equations of a mode under a forcing."""

    flow: ModeFlow
    forcing: Forcing

    @cached_property
    def guards(self) -> int:
        return len(self.flow.changes)

    def rate(self, t: float, y: Floats) -> Floats:
        return self.flow.rate(y, self.forcing.value(t))

    def jacobian(self, t: float, y: Floats) -> Floats:  # noqa: ARG002 - the same everywhere
        return self.flow.rate.matrix

    def guard(self, index: int, t: float, y: Floats) -> float:
        guards = self.flow.guards
        value = guards.matrix[index] @ y + guards.constant[index]
        return float(value + guards.forcing[index] @ self.forcing.value(t) if self.driven[index] else value)

    def guard_rate(self, index: int, t: float, y: Floats) -> float:
        rates = self.flow.guard_rates
        value = rates.matrix[index] @ y + rates.constant[index]
        if self.forcing.channels:
            value += rates.forcing[index] @ self.forcing.value(t)
            value += self.flow.guards.forcing[index] @ self.forcing.value(t, 1)
        return float(value)

    def guards_over(self, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        guards = self.flow.guards
        size = np.abs(guards.matrix) @ np.abs(states).max(axis=0) + np.abs(guards.constant)
        return guards.over(states, self.forcing.values(times)), size

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


@dataclass
class Legs:
    """Integrates the legs of a problem one after another, and counts.

    ``most_events`` guards against infinitely many events in finite time.
    """

    name: str
    integrator: Integrator
    most_events: int
    counters: Counter[str] = field(default_factory=lambda: Counter(events=0))

    def advance(self, leg: Leg) -> tuple[Arrival, int | None]:
        """Integrate to the next event; return how it ended and the guard that fired.

        Raises
        ------
        SolverFailure
            If the integrator gives up or overlooks an event twice, or events do not end.
        """
        arrival = self._integrate(leg)
        if arrival.fired is None or arrival.fired < leg.guards:
            return arrival, arrival.fired
        # An integrator compares signs at the ends of a step. A guard that falls below zero and is back within one
        # step shows no change of sign, but its rate does: it passes zero upwards at the minimum. So the leg ends
        # there. If the guard is negative at that place, the leg is integrated again up to it: now the signs at both
        # ends differ, and the fall is seen.
        guard = arrival.fired - leg.guards
        if leg.guard(guard, arrival.time, arrival.state) >= 0 or arrival.time <= leg.armed[guard]:
            return arrival, None
        # the guard fell and rose again within a step: its fall lies before the minimum
        shorter = replace(leg, end=arrival.time, dips=False, outputs=until(leg.outputs, arrival.time))
        earlier = self._integrate(shorter)
        return earlier, guard if earlier.fired is None else earlier.fired

    def _integrate(self, leg: Leg) -> Arrival:
        arrival = self.integrator.integrate(leg)
        self.counters.update(arrival.counters)
        if _overlooked(leg, arrival):
            # seen with heyoka 7.13: a simple root within a step is missed; other steps find it
            self.counters["overlooked"] += 1
            arrival = self.integrator.integrate(replace(leg, largest_step=(arrival.time - leg.start) / RETRY_STEPS))
            self.counters.update(arrival.counters)
            if _overlooked(leg, arrival):
                raise SolverFailure(f"{self.name}: an event before t = {arrival.time:.9g} s is overlooked twice")
        self.counters["events"] += arrival.fired is not None
        if self.counters["events"] > self.most_events:
            raise SolverFailure(
                f"{self.name}: more than {self.most_events} events before t = {arrival.time:.9g} s; "
                "they accumulate (Zeno), or raise the setting most_events"
            )
        return arrival


def _overlooked(leg: Leg, arrival: Arrival) -> bool:
    """Tell whether a guard is negative at an output or at the end of a leg, though it did not fire."""
    times = np.append(leg.outputs[: len(arrival.states)], arrival.time)
    values, size = leg.guards_over(times, np.vstack((arrival.states, arrival.state)))
    values[times[:, None] <= leg.armed[: leg.guards]] = 0.0
    if arrival.fired is not None:
        if arrival.fired >= leg.guards:  # a dip: the driver itself looks for the fall before it
            return False
        values[-1, arrival.fired] = 0.0
    allowed = OVERLOOKED * np.abs(values).max(axis=0) + LEVEL * size
    return bool(np.any(values.min(axis=0) < -allowed))
