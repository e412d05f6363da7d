"""SDND104: what is measured in a response."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from veridyn.references import sliding_block
from veridyn.references.parameters import Exact
from veridyn.solver.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.core.case import Observation, Values, once

SHORTEST = 1 / 600  # periods; what a penalised law shows at every reversal is shorter
TOLD = 1 / 200  # periods; half of the requested output has at least two samples in a longer stick
SAMPLES = 2  # of a stick between samples; one may be what a penalised law shows at a reversal
KINDS = {1: "slip+", -1: "slip-", 0: "stick"}


def first_slip(values: Values) -> tuple[float, float] | None:
    """Return begin and end (s) of the first true slip, None if there is none."""
    return _first_slip(tuple(_block(values).items()))[1]


@lru_cache(maxsize=64)
def _first_slip(block: tuple[tuple[str, Exact], ...]) -> tuple[str, tuple[float, float] | None]:
    given: dict[str, Any] = dict(block)
    regime = str(sliding_block.regime(**given).value)
    if regime == "stick":
        return regime, None
    return regime, (float(sliding_block.slip_start(**given)), float(sliding_block.slip_end(**given)))


def stick_of(values: Values) -> float | None:
    """Return how long the true sticks of a stick-slip motion last (s), None in the other regimes."""
    regime, slip = _first_slip(tuple(_block(values).items()))
    if slip is None or regime != "stick-slip":
        return None
    return slip[0] + math.pi / float(values["omega"]) - slip[1]


def _block(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}


def shortest_stick(o: Observation) -> float:
    """Return the duration (s) of sticks that may be what a penalised law shows at a reversal."""
    return SHORTEST * 2 * math.pi / o["omega"]


@once
def slip_phases(o: Observation) -> list[Phase]:
    """Slip and stick phases of the response; what a penalised law slides while its spring of stick settles is none.

    Raises
    ------
    CapabilityError
        If the true sticks are too short to be told from reversals.
    """
    stick, slip, shortest = stick_of(o.values), first_slip(o.values), shortest_stick(o)
    if stick and stick < TOLD * 2 * math.pi / o["omega"]:
        raise CapabilityError(f"sticks of {stick:.2g} s cannot be told from reversals in a response")
    shoe = o.response.elements.get("shoe", {})
    velocity = shoe.get("sliding_velocity", o.response.velocity[:, 0])
    fewest = 1 if "shoe" in o.response.events else SAMPLES  # who reports events has samples where sticks begin and end
    found = phases(o.response.time, velocity, shoe.get("stuck"), shortest_stick=shortest, fewest_samples=fewest)
    return _settled(found, min(shortest, 0.5 * (slip[1] - slip[0])) if slip else shortest)


def _settled(found: list[Phase], shortest: float) -> list[Phase]:
    """Return the phases without slips shorter than ``shortest`` (s), but for one that the motion ends in."""
    kept: list[Phase] = []
    for phase in found:
        if phase.direction and phase.end - phase.start < shortest and phase is not found[-1]:
            continue
        if kept and kept[-1].direction == phase.direction:
            kept[-1] = Phase(kept[-1].start, phase.end, phase.direction)
        else:
            kept.append(phase)
    return kept


def _distance(o: Observation, start: float, end: float) -> float:
    response = o.response
    stuck = response.elements.get("shoe", {}).get("stuck")
    located = "shoe" in response.events
    return sliding_distance(response.time, response.displacement[:, 0], stuck, start, end, located=located)


@once
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


def seen_changes(o: Observation) -> list[tuple[float, str]]:
    """Return the changes of phase in a response: instant (s), and the phase that begins."""
    # the first phase is the stick at the start, no change
    return [(phase.start, KINDS[phase.direction]) for phase in slip_phases(o)[1:]]


def count_changes(o: Observation) -> float:
    """Count the changes of phase."""
    return float(len(seen_changes(o)))


def phase_order(o: Observation) -> str:
    """Return the phases that begin, in order of time."""
    return " ".join(kind for _, kind in seen_changes(o))


def phase_time(o: Observation, number: int) -> float:
    """Return the instant of a change of phase (s), counted from 0, or -1 for the last.

    Raises
    ------
    SolverFailure
        If the response shows fewer changes.
    """
    seen = seen_changes(o)
    if not -len(seen) <= number < len(seen):
        raise SolverFailure(f"the response shows {len(seen)} changes of phase; number {number + 1} is not among them")
    return seen[number][0]
