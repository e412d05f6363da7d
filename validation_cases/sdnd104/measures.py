"""SDND104: what is measured in a response."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from veridyn.references import sliding_block
from veridyn.solver.errors import CapabilityError
from veridyn.solver.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.case import Observation, Values

STIFFNESS_NUMBER = 9e6  # k_T T²/m: 9e6 N/m at the default mass and period


@dataclass(frozen=True)
class Stick:
    """The true stick of a stick-slip motion.

    Duration (s), relative acceleration of the slip that it ends (m/s²), and rate (m/s³) at which the reserve of
    friction, zero at its end, falls during it.
    """

    duration: float
    relative_acceleration: float
    rate: float

    def arrests(self, velocity: float) -> bool:
        """Whether the friction in reserve arrests a relative velocity (m/s) before the stick ends."""
        return 2 * velocity < self.rate * self.duration**2

    def time_to_arrest(self, velocity: float) -> float:
        """Time (s) that this takes."""
        return self.duration - math.sqrt(self.duration**2 - 2 * velocity / self.rate)


def stick_of(values: Values) -> Stick | None:
    """Return the stick of a stick-slip motion, None in the other regimes."""
    given: dict[str, Any] = {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}
    if sliding_block.regime(**given).value != "stick-slip":
        return None
    a0, mu, g, omega = (float(values[name]) for name in ("a0", "mu", "g", "omega"))
    slip, end = (float(f(**given)) for f in (sliding_block.slip_start, sliding_block.slip_end))
    return Stick(
        duration=slip + math.pi / omega - end,
        relative_acceleration=abs(mu * g - a0 * math.sin(omega * end)),
        rate=omega * math.sqrt(a0**2 - (mu * g) ** 2),
    )


def departure_of(values: Values) -> float:
    """Return the relative acceleration (m/s²) with which a slip-slip motion leaves its reversals in the limit."""
    a0, mu, g = (float(values[name]) for name in ("a0", "mu", "g"))
    half = math.pi * mu * g / (2 * a0)  # cos(omega theta)
    return a0 * math.sqrt(max(0.0, 1 - half**2)) - mu * g


def shortest_stick(o: Observation) -> float:
    """Return five time constants sqrt(m/k_T) (s): what a penalised law shows at every reversal is shorter."""
    return 5 * 2 * math.pi / o["omega"] / math.sqrt(STIFFNESS_NUMBER)


def slip_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of the response.

    Raises
    ------
    CapabilityError
        If the true sticks are too short to be told from reversals.
    """
    stick = stick_of(o.values)
    if stick and stick.duration < 2 * shortest_stick(o):
        raise CapabilityError(f"sticks of {stick.duration:.2g} s cannot be told from reversals in a response")
    shoe = o.response.elements.get("shoe", {})
    velocity = shoe.get("sliding_velocity", o.response.velocity[:, 0])
    return phases(o.response.time, velocity, shoe.get("stuck"), shortest_stick=shortest_stick(o))


def _distance(o: Observation, start: float, end: float) -> float:
    response = o.response
    stuck = response.elements.get("shoe", {}).get("stuck")
    located = "shoe" in response.events
    return sliding_distance(response.time, response.displacement[:, 0], stuck, start, end, located=located)


def wear_energy(o: Observation) -> float:
    """∫ N |v| dt over the window (J)."""
    return o["m"] * o["g"] * _distance(o, o["t_start"], o["t_end"])


def wear_power(o: Observation) -> float:
    """Mean of N |v| over the window (W)."""
    return wear_energy(o) / (o["t_end"] - o["t_start"])


def friction_power(o: Observation) -> float:
    """Mean of mu N |v| over the window (W)."""
    return o["mu"] * wear_power(o)


def regime(o: Observation) -> str:
    """Classify the phases from the first slip on; a window may be too short to hold each of them.

    Raises
    ------
    CapabilityError
        If the motion ends within the first slip, so that nothing follows by which to tell.
    """
    directions = [p.direction for p in slip_phases(o)]
    first = next((i for i, direction in enumerate(directions) if direction), None)
    if first is None:
        return "stick"
    if directions[first + 1 :] == []:
        raise CapabilityError("the motion ends within its first slip, before its regime shows")
    return "stick-slip" if 0 in directions[first:] else "slip-slip"


def slip_start(o: Observation) -> float | None:
    """Instant of the first slip (s)."""
    return next((p.start for p in slip_phases(o) if p.direction), None)


def slip_end(o: Observation) -> float | None:
    """End of the first slip (s)."""
    return next((p.end for p in slip_phases(o) if p.direction), None)
