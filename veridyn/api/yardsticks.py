"""What answers to a problem of the user are held against: the proved truth, else the best answer of a solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mpmath

from veridyn.api.entrants import Entrant, make_entrant
from veridyn.api.prover import Prover
from veridyn.api.questions import Question
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.references.certified import CertificationError, Certified, undefined
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.case import Quantity
from veridyn.validation_cases.judgement.levels import answers
from veridyn.validation_cases.judgement.runner import HarnessError, NotJudged
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance


@dataclass(frozen=True)
class Yardstick:
    """What answers are held against: the value with its uncertainty, its scale, who gave it.

    ``doubt`` says why it is no proved truth but the answer of a solver, or nothing; empty if it is one.
    """

    value: Certified
    size: float = 0.0
    label: str = ""
    doubt: str = ""

    def criterion(self, relative: float, text: str) -> Tolerance:
        """Return how near a default answer must come: what the user requires, and what nobody knows better."""
        doubt = float(self.value.radius or 0.0)
        size = self.size if self.value.value is None else max(self.size, abs(float(self.value)))
        reason = f"required: {text}, of {size:.3g} + uncertainty of the reference"
        return Tolerance(relative * size + doubt, "absolute", reason)


def find_exact(problem: Problem, offered: Sequence[Entrant]) -> Entrant | None:
    """Return the exact solver as it is compared, or beside what is compared; None where it does not apply."""
    compared = next((e for e in offered if e.is_exact and e.plain), None)
    entrant = compared or make_entrant(EXACT, {})
    return None if entrant.lacking(problem) else entrant


def find_yardstick(
    question: Question, prover: Prover, statement: Statement, offered: Sequence[Entrant], exact: Entrant | None
) -> Yardstick:
    """Return the proved value; else the exact solver's answer, else that of the smallest uncertainty over levels."""
    if question.vanishes:
        size = max((_size_of(question, statement, e) for e in offered), default=0.0)
        return Yardstick(VANISHES, size, "statement")
    try:
        return prove_question(question, prover)
    except CertificationError as reason:
        return replace(_find_answer(question, statement, offered, exact), doubt=str(reason))


def prove_question(question: Question, prover: Prover) -> Yardstick:
    """Return the proved value of a question; raises `CertificationError` where there is none."""
    if question.proof is None:
        raise CertificationError("a function of the response has no proof")
    value, size = question.proof.value(prover), question.proof.size(prover)
    if value.value is None:
        return Yardstick(value, label="proof")
    return Yardstick(value, abs(float(size)), "proof")


def _find_answer(
    question: Question, statement: Statement, offered: Sequence[Entrant], exact: Entrant | None
) -> Yardstick:
    """Return the answer of the exact solver, else that with the smallest uncertainty over refinement levels."""
    (quantity,) = (q for q in statement.quantities if q.name == question.name)
    if exact and (known := _exactly(question, quantity, statement, exact)):
        return known
    refined = [
        result for e in offered if e.runner.subject.refined and (result := _finest(question, quantity, statement, e))
    ]
    none = undefined("neither the exact solver nor refinement levels of a solver give an answer with an uncertainty")
    if refined:
        return min(refined, key=lambda r: float(r.value.radius or 0.0))
    return Yardstick(none, max((_size_of(question, statement, e) for e in offered), default=0.0))


def _size_of(question: Question, statement: Statement, e: Entrant) -> float:
    try:
        return question.size(e.runner.observe(e.runner.default_run(statement, e.scheme)).response)
    except NOTHING:
        return 0.0


VANISHES = Certified(mpmath.mpf(0), None, "closed form", ("zero by the statement of the problem",), mpmath.mpf(0))
NOTHING = (SolverFailure, CapabilityError, SolverInputError, NotJudged, HarnessError)


def _exactly(question: Question, quantity: Quantity, statement: Statement, exact: Entrant) -> Yardstick | None:
    runner, digits = exact.runner, float(EXACT.claims["digits"])
    run = runner.default_run(statement, exact.scheme)
    try:
        value = runner.measured(run)[quantity.name]
        if not isinstance(value, int | float):
            return None
        radius = runner.sampling(run, quantity, float(value))
        size = max(abs(value), question.size(runner.observe(run).response))
    except NOTHING:
        return None
    how = f"exact solver: {digits:g} digits claimed, and what the distance of samples leaves"
    return Yardstick(_numerical(float(value), radius + 10.0**-digits * size, how), size, exact.label)


def _finest(question: Question, quantity: Quantity, statement: Statement, e: Entrant) -> Yardstick | None:
    try:
        result = answers(e.runner, statement, e.scheme, quantity)
        value, run = result.numbers[-1], result.runs[-1]
        radius = result.uncertainty + e.runner.sampling(run, quantity, value)
        size = max(abs(value), question.size(e.runner.observe(run).response))
    except NOTHING:
        return None
    how = f"{e.label}, {result.key} = {result.sizes[-1]:.3g}: numerical uncertainty over {len(result.sizes)} levels"
    return Yardstick(_numerical(value, radius, how), size, e.label)


def _numerical(value: float, radius: float, how: str) -> Certified:
    share = radius / abs(value) if value else 1.0
    digits = max(1, math.floor(-math.log10(share))) if share else 16
    return Certified(mpmath.mpf(value), digits, "numerical", (how,), mpmath.mpf(radius))
