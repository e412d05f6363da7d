"""SDND104: slips and sticks, the true ones and those that a response shows."""

import math
from collections.abc import Mapping
from typing import Any

from veridyn.references.certified import PhaseChange
from veridyn.references.problems import sliding_block
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.postprocessing.wear import SlidingPhase, phases
from veridyn.validation_cases.judgement.case import Observation, Values, read_once
from veridyn.validation_cases.mechanics.sdnd104.statement import CHANGES, SLIP_END, SLIP_START, period_of

SHORTEST = 1 / 600  # periods; what a penalised law shows at every reversal is shorter
TOLD = 1 / 200  # periods; half of the requested output has at least two samples in a longer stick
SAMPLES = 2  # of a stick between samples; one may be what a penalised law shows at a reversal


def slides(values: Values) -> bool:
    """Whether the mass slides at all."""
    return bool(sliding_block.regime.compute(values).value != "stick")


def changes(values: Mapping[str, Any], digits: int = 15) -> tuple[PhaseChange, ...]:
    """Return the true changes of phase up to t_end."""
    return CHANGES.compute(values, digits)


@read_once
def slip_phases(o: Observation) -> list[SlidingPhase]:
    """Slip and stick phases of the response; what a penalised law slides while its spring of stick settles is none.

    Raises
    ------
    CapabilityError
        If the true sticks are too short to be told from reversals.
    """
    period, least, shoe = period_of(o.values), math.inf, o.response.elements.get("shoe", {})
    if slides(o.values):
        start, end = (float(f.compute(o.values)) for f in (SLIP_START, SLIP_END))
        stick, least = start + period / 2 - end, (end - start) / 2
        if sliding_block.regime.compute(o.values).value == "stick-slip" and stick < TOLD * period:
            raise CapabilityError(f"sticks of {stick:.2g} s cannot be told from reversals in a response")
    velocity = shoe.get("sliding_velocity", o.response.velocity[:, 0])
    shortest = SHORTEST * period
    fewest = 1 if "shoe" in o.response.events else SAMPLES  # who reports events has samples where sticks begin and end
    result = phases(o.response.time, velocity, shoe.get("stuck"), shortest_stick=shortest, fewest_samples=fewest)
    return _settled(result, min(shortest, least))


def _settled(found: list[SlidingPhase], shortest: float) -> list[SlidingPhase]:
    """Return the phases without slips shorter than ``shortest`` (s), but for one that the motion ends in."""
    kept: list[SlidingPhase] = []
    for phase in found:
        if phase.direction and phase.end - phase.start < shortest and phase is not found[-1]:
            continue
        if kept and kept[-1].direction == phase.direction:
            kept[-1] = SlidingPhase(kept[-1].start, phase.end, phase.direction)
        else:
            kept.append(phase)
    return kept


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
