"""Which part of a derivative is missing, by name: wrong derivatives are computed on purpose, and compared.

The problem is solved together with its derivative, each time with a term of the rule at events left out: initial value
problems by `veridyn.problem.extended`, mechanical ones by the exact solver.
What agrees with the solver in all quantities names the term.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations

from veridyn.problem.extended import Term
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.tangent import Tangent
from veridyn.references.certified import Certified
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.rewriting.tangents import differentiate_exactly, solve_extended
from veridyn.validation_cases.judgement.case import Quantity
from veridyn.validation_cases.judgement.derivatives import MOST, DerivativeStatement
from veridyn.validation_cases.judgement.following import follow
from veridyn.validation_cases.judgement.gradients import own_differences
from veridyn.validation_cases.judgement.judge import Finding
from veridyn.validation_cases.judgement.runner import Answer, NotJudged, Runner, read_quantity

ALIKE = 1e-3  # of what a term makes of a derivative: so near is what a solver without it computes
TOLD = 10.0  # criteria, or a tenth of the scale: what a term changes by less is not told from no change
ZERO = "every derivative is zero"
RIGHT = "differences of the solver's own answers are the same: a right derivative of wrong answers"
PAIRS = tuple(combinations(tuple(Term)[:8], 2))  # those after them are parts of the first, or its opposite

Numbers = Mapping[str, float]


def explain_derivative(runner: Runner, statement: DerivativeStatement, scheme: str, finding: Finding) -> str:
    """Say what a wrong derivative is: that of the solver's own wrong answers, or one with a term missing."""
    truth = finding.reference.text() if isinstance(finding.reference, Certified) else finding.reference
    stated = f"{finding.value} instead of {truth:.12}"
    own = _weigh_differences(runner, statement, scheme)
    parts = [stated, own] if own == RIGHT else [stated, name_missing(runner, statement, scheme), own]
    return "; ".join(filter(None, parts))


def _weigh_differences(runner: Runner, statement: DerivativeStatement, scheme: str) -> str:
    if FORWARD not in runner.subject.capabilities:  # a file has no answers at other parameters
        return ""
    try:
        own = own_differences(runner, statement, scheme)
    except NotJudged:
        return ""
    return RIGHT if own.passes else "differences of the solver's own answers are others: a wrong derivative"


def name_missing(runner: Runner, statement: DerivativeStatement, scheme: str) -> str:
    """Return as if what the derivatives of a solver are computed; empty if no missing term explains them."""
    return runner.find_once("missing term", statement, scheme, lambda: _find_missing(runner, statement, scheme))


def _find_missing(runner: Runner, statement: DerivativeStatement, scheme: str) -> str:
    answers = _keep_numbers(runner.measured(runner.default_run(statement, scheme)))
    truths = {q.name: statement.truth(q).value for q in statement.quantities}
    proved = {name: float(truth) for name, truth in truths.items() if truth is not None}
    told = {q.name: _find_least(statement, q) for q in statement.quantities if q.name in proved}
    zero = ZERO if _are_zero(answers, proved, told) else ""
    # The simplest explanation is the best. Some problems do not tell two terms apart: then both are named.
    for group in (tuple((term,) for term in Term), () if zero else PAIRS):
        named = [
            " and ".join(term.value for term in without)
            for without in group
            if explains(compute_without(statement, without), answers, proved, told)
        ]
        if named:
            return ": ".join(filter(None, (zero, f"as if {', or '.join(named)}")))
    return zero


def _find_least(statement: DerivativeStatement, quantity: Quantity) -> float:
    """Return what a term must change of a derivative to be told; ten wide criteria would be its whole scale."""
    return min(TOLD * statement.tolerance(quantity).value, MOST * quantity.size(statement.values))


def _are_zero(answers: Numbers, proved: Numbers, told: Numbers) -> bool:
    """Tell whether all answers are zero, but for rounding, and not all truths: one is larger than its criterion."""
    common = [name for name in told if name in answers]
    is_wrong = any(TOLD * abs(proved[name]) > told[name] for name in common)
    return is_wrong and all(abs(answers[name]) <= ALIKE * told[name] for name in common)


def explains(wrong: Numbers, answers: Numbers, proved: Numbers, told: Numbers) -> bool:
    """Tell whether answers are those of a wrong derivative: near to it, wherever it is far from the truth or is not."""
    common = [name for name in told if name in wrong and name in answers]
    apart = [name for name in common if abs(wrong[name] - proved[name]) > told[name]]
    near = (
        abs(answers[name] - wrong[name]) <= max(told[name], ALIKE * abs(wrong[name] - proved[name])) for name in common
    )
    return bool(apart) and all(near)


@lru_cache(maxsize=128)
def compute_without(statement: DerivativeStatement, without: tuple[Term, ...]) -> Numbers:
    """Return the derivatives of a statement with terms left out, by the name of the quantity; none if that fails."""
    try:
        pair = _differentiate_without(statement.problem, statement.tangent, without)
    except (SolverFailure, NotImplementedError, CapabilityError):
        return {}
    o = statement.observe(pair)
    return _keep_numbers({q.name: read_quantity(q, o) for q in statement.quantities})


def _differentiate_without(problem: Problem, tangent: Tangent, without: tuple[Term, ...]) -> Differentiated:
    if isinstance(problem, InitialValueProblem):
        return solve_extended(problem, tangent, follow, without)
    if isinstance(problem, MechanicalProblem):
        return differentiate_exactly(problem, tangent, without)
    raise CapabilityError(f"problems of kind {problem.kind!r} have no derivatives")


def _keep_numbers(answers: Mapping[str, Answer]) -> dict[str, float]:
    return {name: float(value) for name, value in answers.items() if isinstance(value, int | float)}
