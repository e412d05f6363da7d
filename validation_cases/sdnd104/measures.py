"""SDND104: what is measured in a response."""

from __future__ import annotations

import math

from veridyn.solver.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.case import Observation

STIFFNESS_NUMBER = 9e6  # k_T T²/m: 9e6 N/m at the default mass and period


def stick_time(o: Observation) -> float:
    """Time constant sqrt(m/k_T) (s) of the penalised stick; stick shorter than a few of them is none."""
    period = 2 * math.pi / o["omega"]
    return period / math.sqrt(STIFFNESS_NUMBER)


def slip_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of the response."""
    shoe = o.response.elements.get("shoe", {})
    velocity = shoe.get("sliding_velocity", o.response.velocity[:, 0])
    return phases(o.response.time, velocity, shoe.get("stuck"), shortest_stick=20 * stick_time(o))


def _distance(o: Observation, start: float, end: float) -> float:
    stuck = o.response.elements.get("shoe", {}).get("stuck")
    return sliding_distance(o.response.time, o.response.displacement[:, 0], stuck, start, end)


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
    """Classify the phases within the window."""
    inside = {p.direction for p in slip_phases(o) if p.end > o["t_start"] and p.start < o["t_end"]}
    if inside == {0}:
        return "stick"
    return "stick-slip" if 0 in inside else "slip-slip"


def slip_start(o: Observation) -> float | None:
    """Instant of the first slip (s)."""
    return next((p.start for p in slip_phases(o) if p.direction), None)


def slip_end(o: Observation) -> float | None:
    """End of the first slip (s)."""
    return next((p.end for p in slip_phases(o) if p.direction), None)
