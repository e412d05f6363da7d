"""Proofs of several queries of one problem, in a time that they share."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from veridyn.api.limits import MORE
from veridyn.api.proving import follow_problem, make_reference, read_values
from veridyn.problem.errors import ProblemError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Problem
from veridyn.references.certified import CertificationError, Certified, compute_in_time, undefined
from veridyn.references.mechanics.motions import MechanicalQuantities
from veridyn.references.parameters import ParameterError
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.references.problems.queries import CountOf, EventNumber, Query

DIGITS = 20  # more than any answer in doubles has


@dataclass(frozen=True, eq=False)
class Prover:
    """Proves queries of one problem, all of them together in some seconds; each is proved once.

    ``motion`` is None, and ``refusal`` says why, where nothing of the problem can be proved.
    """

    problem: Problem
    seconds: float
    motion: MotionQuantities | None
    refusal: str
    ends: float  # of the time, on the monotonic clock (s)
    _values: dict[Query, Certified] = field(default_factory=dict)

    def prove(self, query: Query) -> Certified:
        """Return the proved value of a query; raises `CertificationError` with the reason if it has none."""
        if query not in self._values:
            self._values[query] = self._try(query)
        value = self._values[query]
        if value.value is None:
            raise CertificationError("; ".join(value.routes))
        return value

    def _try(self, query: Query) -> Certified:
        left = self.ends - time.monotonic()
        if self.motion is None:
            return undefined(self.refusal)
        if left <= 0:
            return undefined(f"the proofs before it took the {self.seconds:g} s that all of them have")
        values = read_values(self.problem, self.motion)
        try:
            reference = make_reference(self.motion, query)
            value = compute_in_time(partial(reference.compute, values, DIGITS), left, MORE)
        except (CertificationError, ParameterError, ProblemError) as reason:
            return undefined(str(reason))
        # Second routes are as slow as solvers are fast: who compares solvers waits for the proof alone.
        return replace(value, routes=value.routes[:1], second=())

    @cached_property
    def last_event(self) -> EventNumber | None:
        """The event that ends the motion before the end of the problem; None if none does."""
        terminal = self.problem.terminal_events if isinstance(self.problem, InitialValueProblem) else ()
        for name in sorted(terminal):
            if number := round(float(self.prove(CountOf(name)))):
                return EventNumber(name, number)
        return None


def make_prover(problem: Problem, seconds: float) -> Prover:
    """Return what proves queries of a problem; where it is refused nothing is proved, and that says why."""
    ends = time.monotonic() + seconds
    if seconds <= 0:
        return Prover(problem, seconds, None, "no time is set for proofs", ends)
    try:
        motion = follow_problem(problem)
        fault = motion.find_fault() if isinstance(motion, MechanicalQuantities) else ""
    except (ParameterError, ProblemError) as reason:
        return Prover(problem, seconds, None, str(reason), ends)
    return Prover(problem, seconds, None if fault else motion, fault, ends)
