"""What is to be solved, and what is measured in the response: a variant of a case with its truths, each found once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

from veridyn.problem.mechanical import Problem
from veridyn.references.certified import Certified
from veridyn.references.parameters import Exact
from veridyn.solver.contract.gate import Gate, TimedAnswer
from veridyn.solver.contract.responses import AnyResponse, read_response
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Variant
from veridyn.validation_cases.judgement.relations import Relation
from veridyn.validation_cases.judgement.tolerances import Tolerance

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Statement:
    """A variant of a case, or a parameter set of the user, with its problem and what is measured in it."""

    case: Case
    variant: Variant

    @cached_property
    def values(self) -> dict[str, Exact]:
        """All parameters."""
        return self.case.values(self.variant.changes)

    @cached_property
    def problem(self) -> Problem:
        """What is to be solved."""
        return (self.variant.problem or self.case.problem)(self.values)

    @cached_property
    def needs(self) -> frozenset[str]:
        """What the problem needs of a solver; every check asks."""
        return frozenset(self.problem.needs)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """What is measured in a response."""
        return self.case.measured(self.variant)

    @cached_property
    def _known(self) -> dict[tuple[str, str], object]:
        return {}

    def _once(self, what: str, quantity: Quantity, find: Callable[[Mapping[str, Exact]], T]) -> T:
        key = (what, quantity.name)
        if key not in self._known:
            self._known[key] = find(self.values)
        return cast(T, self._known[key])

    def truth(self, quantity: Quantity) -> Certified:
        """Return the certified reference of a quantity.

        Second routes confirm those of all variants in the tests of this suite; of parameters that a user has chosen,
        they settle them here.
        """
        is_tested = any(self.variant is own for own in self.case.variants)

        def find(values: Mapping[str, Exact]) -> Certified:
            truth = quantity.truth(values)
            return truth if is_tested else truth.settle(quantity.name)

        return self._once("truth", quantity, find)

    def doubt(self, quantity: Quantity) -> float:
        """Return how uncertain a reference is that nobody has proved, in its unit; 0 for those that are proved."""
        truth = self.truth(quantity)
        return float(truth.radius or 0.0) if truth.kind == "numerical" else 0.0

    def size(self, quantity: Quantity) -> float:
        """Return the size to which errors of a quantity are related."""
        return self._once("size", quantity, quantity.size)

    @property
    def magnified(self) -> float:
        """By how much an error of its quantities may exceed the digits that a solver claims of values."""
        return 1.0

    def tolerance(self, quantity: Quantity) -> Tolerance:
        """Return the acceptance criterion of a quantity."""
        return self._once("tolerance", quantity, quantity.tolerance)

    @property
    def label(self) -> str:
        """What tells it from other statements, with its parts by slashes."""
        return f"{self.case.name}/{self.variant.name}"

    def ask(self, gate: Gate, problem: Problem, settings: Settings) -> TimedAnswer:
        """Return what a solver answers to its problem, as it is or with other outputs; raises what the gate raises."""
        return gate.solve(problem, settings)

    def read(self, problem: Problem, answer: object, solver: str) -> Observation:
        """Return an answer as measures look at it; raises `SolverFailure` if it is none."""
        return Observation(self.values, self.problem, read_response(problem, answer, solver))

    def observe_otherwise(self, relation: Relation, ask: Callable[[Problem], object], solver: str) -> Observation:
        """Return what is observed through a relation; ``ask`` returns what a solver answers to a problem."""

        def solve(problem: Problem) -> AnyResponse:
            return read_response(problem, ask(problem), solver)

        return Observation(self.values, self.problem, relation.answer(solve, self.problem))
