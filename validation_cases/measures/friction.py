"""Slips and sticks of a mass that rubs, as a response shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.wear import Phase, phases, sliding_distance
from veridyn.validation_cases.core.case import Observation, Values, once

SHORTEST = 1 / 150  # periods; what a penalised law shows where sliding turns, or while its spring settles, is shorter

Slips = Callable[[Observation], Sequence[Phase]]


def slips(name: str, period: Callable[[Values], float]) -> Slips:
    """Return the reading of the slips of the first coordinate, which rubs on a friction of that name.

    ``period`` (s) is that of the motion: what a penalised law slides while its spring of stick settles is no slip.
    """

    @once
    def found(o: Observation) -> list[Phase]:
        shortest, stuck = SHORTEST * period(o.values), o.response.elements.get(name, {}).get("stuck")
        seen = phases(o.response.time, o.response.velocity[:, 0], stuck, shortest_stick=shortest)
        return [phase for phase in seen if phase.direction and phase.end - phase.start > shortest]

    return found


def slip_end(seen: Slips, o: Observation, number: int) -> float:
    """End of a slip (s), counted from 1.

    Raises
    ------
    SolverFailure
        If the response shows fewer slips.
    """
    if len(seen(o)) < number:
        raise SolverFailure(f"the response shows {len(seen(o))} slips, {number} are needed")
    return seen(o)[number - 1].end


def changes(seen: Slips, o: Observation) -> list[tuple[float, str]]:
    """Return the changes of phase in a response: instant (s), and the phase that begins.

    A slip is followed by stick, unless the slip back begins at once: at rest, friction would not hold.
    """
    found: list[tuple[float, str]] = []
    for slip in seen(o):
        if found and found[-1][0] == slip.start:
            found.pop()
        found += [(slip.start, "slip+" if slip.direction > 0 else "slip-"), (slip.end, "stick")]
    return found


def change_time(seen: Slips, o: Observation, number: int) -> float:
    """Instant of a change of phase (s), counted from 1; raises SolverFailure if there are fewer."""
    found = changes(seen, o)
    if len(found) < number:
        raise SolverFailure(f"the response shows {len(found)} changes of phase, {number} are needed")
    return found[number - 1][0]


def slid(o: Observation, name: str, start: float = 0.0, end: float | None = None) -> float:
    """Path of the first coordinate (m) while it slides on a friction, in a window (s), which is the span if None."""
    response = o.response
    stuck, located = response.elements.get(name, {}).get("stuck"), name in response.events
    until = o.problem.end if end is None else end
    return sliding_distance(response.time, response.displacement[:, 0], stuck, start, until, located=located)
