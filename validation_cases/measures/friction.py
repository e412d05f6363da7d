"""Slips and sticks of a mass that rubs, as a response shows them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from veridyn.problem.basis import driven_velocity
from veridyn.references.certified import CertificationError, PhaseChange
from veridyn.references.parameters import Exact
from veridyn.references.reference import Reference
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.wear import SlidingPhase, phases, sliding_distance
from veridyn.validation_cases.judgement.case import Floats, Number, Observation, Values, read_once

OVERSHOOT = Fraction(1, 6)  # of a jump of friction: 0.135 of a critically damped spring, 0.156 in steps
SHORTEST = 1 / 150  # periods; what a penalised law shows where sliding turns, or while its spring settles, is shorter


def where_solvers_do_not_decide(
    measure: Callable[..., Number], left: Callable[[Values], float], slips: Callable[[Values], int], steps: int
) -> Callable[..., Number]:
    """Return a measure of what depends on how many slips there are, asked only where a sound solver finds as many.

    A slip ends up to a step off: with ``steps`` in a period, what the last one leaves of friction, the share ``left``,
    is off by up to 2 pi/steps for every slip. A mass held from the start gets a penalised friction that overshoots.
    Without more to spare the measure raises CapabilityError.
    """

    @lru_cache(maxsize=64)  # every response asks
    def find_spare(given: tuple[tuple[str, Exact], ...]) -> tuple[float, float, int]:
        values = dict(given)
        count = slips(values)
        needed = 2 * math.pi * count / steps if count else float(OVERSHOOT / (1 + OVERSHOOT))
        return left(values), needed, count

    def measured(o: Observation, **which: Any) -> Number:
        share, needed, count = find_spare(tuple(o.values.items()))
        if share < needed:
            what = "steps decide on the last slip: it" if count else "the stiffness of stick decides: the start"
            raise CapabilityError(f"{what} leaves {share:.2g} of friction, less than {needed:.3g}")
        return measure(o, **which)

    return measured


class Grip(NamedTuple):
    """Friction (N) that a stick begins with, in sign that on the body, and its static and kinetic limits."""

    held: float
    static: float
    kinetic: float

    def spare(self, slip: str) -> float:
        """Return what is left of the static limit, as a share of the jump of friction at the end of a slip."""
        jump = self.held + math.copysign(self.kinetic, 1.0 if slip == "slip+" else -1.0)
        left = self.static - abs(self.held)
        return left / abs(jump) if jump else math.inf


def find_spare(
    first: str, changes: Reference[tuple[PhaseChange, ...]], values: Values, grip: Callable[[float], Grip]
) -> float:
    """Return the least spare of a stick after a slip; 0 where the changes of phase are not proved.

    ``first`` is the phase at the start, ``grip`` what a stick begins with at an instant (s).
    """
    try:
        result = changes.compute(values, 15)
    except CertificationError:
        return 0.0
    order = (first, *(change.kind for change in result))
    sticks = ((slip, change) for slip, change in zip(order, result, strict=False) if change.kind == "stick")
    return min((grip(float(change.time)).spare(slip) for slip, change in sticks), default=math.inf)


@dataclass(frozen=True)
class SlipMeasures:
    """The first coordinate, which rubs on the friction of that name.

    ``period`` (s) is that of its motion, ``force`` (N) that of sliding; functions of the parameters.
    What it offers are measures. What a penalised law slides while its spring of stick settles is no slip.
    """

    friction: str
    period: Callable[[Values], float]
    force: Callable[[Values], float]

    def slips(self, o: Observation) -> list[SlidingPhase]:
        """Return the slips in order of time."""
        return read_once(self._slips)(o)

    def _slips(self, o: Observation) -> list[SlidingPhase]:
        shortest, stuck = SHORTEST * self.period(o.values), o.response.elements.get(self.friction, {}).get("stuck")
        seen = phases(o.response.time, self._velocity(o), stuck, shortest_stick=shortest)
        return [phase for phase in seen if phase.direction and phase.end - phase.start > shortest]

    def _velocity(self, o: Observation) -> Floats:
        """Return the velocity (m,) against what the coordinate rubs on: the support, or ground that stands still."""
        friction = next(f for f in o.problem.frictions if f.name == self.friction)
        moved = driven_velocity(o.problem, o.response.time) if friction.frame == "absolute" else 0.0
        return np.asarray((o.response.velocity + moved)[:, 0])

    def count(self, o: Observation) -> float:
        """Count the slips."""
        return float(len(self.slips(o)))

    def order(self, o: Observation) -> str:
        """Return the directions of the slips in order of time."""
        return " ".join("+" if slip.direction > 0 else "-" for slip in self.slips(o))

    def first_start(self, o: Observation) -> float | None:
        """Start of the first slip (s), None without one."""
        return min((slip.start for slip in self.slips(o)), default=None)

    def last_end(self, o: Observation) -> float | None:
        """End of the last slip (s), None without one."""
        return max((slip.end for slip in self.slips(o)), default=None)

    def end(self, o: Observation, number: int) -> float:
        """End of a slip (s), counted from 1; raises SolverFailure if the response shows fewer slips."""
        return _counted([slip.end for slip in self.slips(o)], number, "slips")

    def changes(self, o: Observation) -> list[tuple[float, str]]:
        """Return the changes of phase in a response: instant (s), and the phase that begins.

        A slip is followed by stick, unless the slip back begins at once: at rest, friction would not hold.
        """
        result: list[tuple[float, str]] = []
        for slip in self.slips(o):
            if result and result[-1][0] == slip.start:
                result.pop()
            result += [(slip.start, "slip+" if slip.direction > 0 else "slip-"), (slip.end, "stick")]
        return result

    def change(self, o: Observation, number: int) -> float:
        """Instant of a change of phase (s), counted from 1; raises SolverFailure if the response shows fewer."""
        return _counted([time for time, _ in self.changes(o)], number, "changes of phase")

    def phases(self, o: Observation) -> str:
        """Return the phases that begin, in order of time."""
        return " ".join(kind for _, kind in self.changes(o))

    def path(self, o: Observation, start: float = 0.0, end: float | None = None) -> float:
        """Path (m) slid in a window (s), which is the span if None."""
        response, until = o.response, o.problem.end if end is None else end
        stuck, located = response.elements.get(self.friction, {}).get("stuck"), self.friction in response.events
        return sliding_distance(response.time, response.displacement[:, 0], stuck, start, until, located=located)

    def dissipated(self, o: Observation) -> float:
        """Energy (J) that friction takes: its force times the path slid."""
        return self.force(o.values) * self.path(o)


def _counted(instants: list[float], number: int, what: str) -> float:
    if len(instants) < number:
        raise SolverFailure(f"the response shows {len(instants)} {what}, {number} are needed")
    return instants[number - 1]
