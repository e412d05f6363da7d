"""A problem and the output that is asked of solvers, apart: derivatives are taken over one span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from veridyn.problem.exact_fields import carry_exact
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.judgement.case import Floats, Values


@dataclass(frozen=True)
class Watched:
    """How a case states its problem where the span of a run follows the motion, or its output does.

    ``state`` states the problem, by formulas too; its own end is that of the proof. ``find_outputs`` returns the output
    instants (m,) in s, the last of which is the end of the run. It may compute truths, so that it takes no formulas.
    """

    state: Callable[[Values], MechanicalProblem]
    find_outputs: Callable[[Values], Floats]

    def __call__(self, values: Values) -> MechanicalProblem:
        """Return the problem with its output."""
        return self.hold_span(values)(values)

    def hold_span(self, values: Values) -> Callable[[Values], MechanicalProblem]:
        """Return the statement of neighbours, with the output that these values have.

        Output instants do not move with a parameter, and the end of a run is one of them.
        """
        times = self.find_outputs(values)
        span: dict[str, Any] = {"end": float(times[-1]), "output_times": times}

        def state_watched(others: Values) -> MechanicalProblem:
            stated = self.state(others)
            return carry_exact(replace(stated, **span), stated, span)  # `replace` alone keeps doubles

        return state_watched
