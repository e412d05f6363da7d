"""A problem of the user as a case that is swept: its numbers are the parameters.

It is asked what `veridyn.compare` asks; points that are checked are held against the proved truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from veridyn.api.limits import SECONDS
from veridyn.api.prover import Prover, make_prover
from veridyn.api.questions import Question, questions
from veridyn.api.yardsticks import Yardstick, prove_question
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.named_numbers import NamedNumber, list_numbers, replace_number
from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact, Parameter, ParameterError, unknown
from veridyn.references.reference import Reference
from veridyn.validation_cases.judgement.case import Case, Number, Observation, Quantity, Variant, read_once
from veridyn.validation_cases.judgement.sweeping import Swept
from veridyn.validation_cases.judgement.tolerances import Tolerance

Values = Mapping[str, Exact]
RELATIVE = 1e-3  # of the scale of a quantity, as `veridyn.compare` asks unless it is told otherwise


def make_case(problem: Problem, names: Sequence[str]) -> Case:
    """Return a problem as a case whose parameters are some of its numbers, all of them if none is named.

    Raises
    ------
    ParameterError
        If the problem has no number of such a name, or none at all.
    """
    numbers = _read_numbers(problem)
    for name in names:
        if name not in numbers:
            raise ParameterError(unknown(name, numbers, "number"))
    if not numbers:
        raise ParameterError(f"{problem.name} has no number that can be swept; parameters are those of `parameters=`")
    chosen = names or tuple(numbers)
    return Case(
        name=problem.name,
        title=problem.name,
        document="problem of the user",
        summary="A problem of one's own.",
        statement=(),
        parameters=tuple(Parameter(name, "", name, numbers[name], "any") for name in chosen),
        variants=(Variant("given", {}),),
        quantities=tuple(map(_make_quantity, questions(problem, {}))),
        problem=partial(_pose, problem, list_numbers(problem) if isinstance(problem, MechanicalProblem) else {}),
    )


def describe_questions(case: Case) -> Iterator[Swept]:
    """Yield what is found at each point; what has a proof is compared with it where points are checked."""
    proofs = _Proofs(case.problem)
    for question in questions(case.problem(case.values()), {}):
        what = (question.name, question.unit, question.definition)
        if question.proof is None:
            yield Swept(*what, None)
        else:
            truth = Reference(question.name, case.parameters, partial(proofs.compute, question))
            yield Swept(*what, truth, tolerance=partial(proofs.limit, question))


def _read_numbers(problem: Problem) -> dict[str, str]:
    """Return the numbers of a problem by name, as texts; of an initial value problem its parameters."""
    if isinstance(problem, InitialValueProblem):
        return {name: repr(value) for name, value in zip(problem.parameters, problem.parameter_numbers, strict=True)}
    assert isinstance(problem, MechanicalProblem)
    if problem.sparse:
        raise ParameterError(f"{problem.name} has sparse matrices: sweep problem.dense()")
    return {name: repr(float(number.value)) for name, number in list_numbers(problem).items()}


def _pose(problem: Problem, numbers: Mapping[str, NamedNumber], values: Values) -> Problem:
    """Return the problem with other numbers; ``numbers`` are those of a mechanical problem by name."""
    doubles = {name: float(value) for name, value in values.items()}
    if isinstance(problem, InitialValueProblem):
        return replace(problem, parameters={**problem.parameters, **doubles})
    assert isinstance(problem, MechanicalProblem)
    for name, value in doubles.items():
        problem = replace_number(problem, numbers[name], value)
    return problem


def _make_quantity(question: Question) -> Quantity:
    return Quantity(
        question.name,
        question.unit,
        question.definition,
        reference=Reference(question.name, (), _refuse_truth),
        measure=partial(_read, question.name),
        criterion=Tolerance(RELATIVE, "relative", "asked of no single point"),
    )


def _refuse_truth(_: Values, __: int) -> Certified:
    raise AssertionError("points are solved without their truth")


def _read(name: str, o: Observation) -> Number:
    """Return the answer to a question, asked of the problem at the point; None if that has no such question."""
    question = _list_questions(o).get(name)
    return question.read(o.response) if question else None


@read_once
def _list_questions(o: Observation) -> Mapping[str, Question]:
    return {each.name: each for each in questions(o.problem, {})}


@dataclass(frozen=True, eq=False)
class _Proofs:
    """Proofs at points, one motion for all questions of a point."""

    pose: Callable[[Values], Problem]
    provers: dict[tuple[Exact, ...], Prover] = field(default_factory=dict)

    def compute(self, question: Question, values: Values, _: int) -> Certified:
        """Return the proved value; raises `CertificationError` if there is none."""
        return self._prove(question, values).value

    def limit(self, question: Question, values: Values) -> Tolerance:
        """Return how near an answer must come."""
        return self._prove(question, values).criterion(RELATIVE, f"rel={RELATIVE:g}")

    def _prove(self, question: Question, values: Any) -> Yardstick:
        key = tuple(values.values())
        if key not in self.provers:
            self.provers[key] = make_prover(self.pose(values), SECONDS)
        return prove_question(question, self.provers[key])
