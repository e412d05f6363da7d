"""A copy of each case that no solver can know before: parameters moved by a seed, put so that nothing names the case.

What keeps the criterion at the default parameters must keep it at parameters that nobody knew before the run. A solver
that recognises a case and answers with values that it has stored does not.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.references.certified import CertificationError, forget
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.references.parameters import Exact, Parameter, ParameterError
from veridyn.results import LevelRow
from veridyn.results.recomputing import compute_share
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.validation_cases.judgement.case import Case, Quantity, Variant
from veridyn.validation_cases.judgement.judge import Finding, measured_error, required
from veridyn.validation_cases.judgement.levels import level_runs
from veridyn.validation_cases.judgement.relations import DISGUISED
from veridyn.validation_cases.judgement.restated_mechanical import NAMELESS
from veridyn.validation_cases.judgement.runner import Answer, HarnessError, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Requirement, Tolerance
from veridyn.validation_cases.judgement.uncertainty import Level, numerical_uncertainty

MOVED = "moved_copy"  # name of the check
REACH = 0.1  # parameters are moved by up to a tenth, up or down
DIGITS = 4  # significant, of a moved parameter: a reader can type it
TRIES = 20  # for a set that meets the requirements of the case
SECONDS = 20.0  # for all true values of a copy together

WHAT = "What keeps the criterion at the default parameters keeps it at others, of a seed, in a problem without names."


# ---- the copy


def move_parameters(case: Case, seed: int) -> dict[str, str]:
    """Return the parameters of the default variant, the positive ones moved by a seed, as text.

    What the case holds, whole numbers, choices, zeros and parameters that may be negative stay. The draw is a hash of
    seed, case, parameter and number of the try: it is the same on every machine and with every library.

    Raises
    ------
    NotJudged
        If nothing can be moved, or none of some sets meets the requirements of the case.
    """
    variant = case.default_variant
    values = case.values(variant.changes)
    movable = [each for each in case.parameters if _may_move(case, each, values[each.name])]
    if not movable:
        raise NotJudged("the case has no parameter that can be moved")
    for attempt in range(TRIES):
        moved = {each.name: _move(values[each.name], f"{seed}/{case.name}/{each.name}/{attempt}") for each in movable}
        drawn = {name: str(values[name]) for name in variant.changes} | moved
        try:
            stated = (variant.problem or case.problem)(case.values(drawn))
        except (ParameterError, CertificationError, SolverInputError):
            continue
        if stated.needs == (variant.problem or case.problem)(values).needs:
            return drawn
    raise NotJudged(f"none of {TRIES} sets of moved parameters meets the requirements of the case")


def _may_move(case: Case, parameter: Parameter, value: Exact) -> bool:
    return (
        parameter.rule == "positive"
        and not parameter.among
        and parameter.name not in case.held
        and bool(value.rational)
    )


def _move(value: Exact, draw: str) -> str:
    share = int.from_bytes(hashlib.sha256(draw.encode()).digest()[:8]) / 2.0**64
    return f"{float(value) * (1.0 + REACH * (2.0 * share - 1.0)):.{DIGITS}g}"


def make_copy(case: Case, seed: int) -> Statement:
    """Return the copy of a case at moved parameters, under a name that says nothing; raises `NotJudged`."""
    variant = case.default_variant
    parameters = move_parameters(case, seed)

    def state(values: Mapping[str, Exact]) -> Problem:
        return replace((variant.problem or case.problem)(values), name=NAMELESS)

    return Statement(case, Variant(f"moved by seed {seed}", parameters, variant.quantities, state))


def admissible_change(statement: Statement, quantity: Quantity, requirement: Requirement | None) -> float:
    """Return how far an answer to the copy may be from the truth, in the unit of the quantity."""
    tolerance = required(quantity, statement, requirement)
    if tolerance.kind != "relative":
        return tolerance.value
    truth = statement.truth(quantity).value
    assert truth is not None  # what is compared is a number
    return tolerance.value * abs(float(truth))


def list_compared(statement: Statement) -> tuple[Quantity, ...]:
    """Return what of a copy is compared: quantities that converge to a number, of which the truth is proved.

    Counts and words are left out: any error at all may change them, and no margin tells whether it does.
    """
    residuals = statement.case.residuals
    tending = (q for q in statement.quantities if q.converges and q not in residuals)
    return tuple(q for q in tending if statement.tolerance(q).kind != "exact" and _is_number(statement, q))


def _is_number(statement: Statement, quantity: Quantity) -> bool:
    value = statement.truth(quantity).value
    return value is not None and not isinstance(value, str)


@dataclass(frozen=True)
class Copy:
    """A copy with the quantities that are compared; ``missing`` says why there is none."""

    statement: Statement | None = None
    quantities: tuple[Quantity, ...] = ()
    missing: str = ""


def _prepare(case: Case, seed: int) -> Copy:
    """Return the copy with its true values, or why they did not come."""
    try:
        with time_limit(SECONDS):
            statement = make_copy(case, seed)
            return Copy(statement, list_compared(statement))
    except OutOfTime as reached:
        forget()  # motions that were left half-way
        return Copy(missing=f"the true values at moved parameters did not come within {SECONDS:g} s ({reached})")
    except (NotJudged, ParameterError, CertificationError) as reason:
        return Copy(missing=f"the case has no copy at moved parameters: {reason}")


# ---- the judgement


def moved_copy(runner: Runner, statement: Statement, scheme: str, seed: int) -> Finding:
    """Compare the answers to a copy of the case with the truth at its parameters; the worst one decides.

    Raises
    ------
    NotJudged
        If there is no copy, or nothing that keeps the criterion at the default parameters can be compared.
    SolverFailure
        If the solver has no answer to the copy though it has one at the default parameters.
    """
    copy = runner.find_once(f"copy {seed}", statement, "", lambda: _prepare(statement.case, seed))
    if copy.statement is None:
        raise NotJudged(copy.missing)
    asked = CopyComparison(runner, statement, copy.statement, scheme)
    kept = [quantity for quantity in copy.quantities if asked.is_kept_by_default(quantity)]
    rows = [row for quantity in kept if (row := asked.compare(quantity))]
    if not rows:
        raise NotJudged("nothing that keeps the criterion at the default parameters can be compared at moved ones")
    worst = max(rows, key=share_of)
    parameters = ", ".join(f"{name}={value}" for name, value in copy.statement.variant.changes.items())
    detail = (
        f"{WHAT} Seed {seed}: {parameters}. {worst.quantity} is {worst.before}, the answer {worst.after}, "
        f"admissible {worst.admissible:.3g}"
    )
    allowed = Tolerance(1.0, "absolute", f"of the criterion of {worst.quantity} at the moved parameters")
    table = tuple(sorted(rows, key=share_of, reverse=True))
    return Finding(asked.copied, share_of(worst), 0.0, share_of(worst), allowed, detail, table)


def share_of(row: LevelRow) -> float:
    """Return a change over what is admissible."""
    return compute_share(row.change or 0.0, row.admissible or 0.0)


@dataclass(frozen=True)
class CopyComparison:
    """A solver on the default statement and on the copy."""

    runner: Runner
    statement: Statement
    copy: Statement
    scheme: str

    @property
    def copied(self) -> Run:
        """The copy with default settings.

        Raises
        ------
        SolverFailure, CapabilityError
            If the solver does not state them.
        """
        default = self.runner.default_run(self.copy, self.scheme)
        if default.key in self.runner.failures:
            raise self.runner.failures[default.key]
        return replace(default, relation=DISGUISED)

    def is_kept_by_default(self, quantity: Quantity) -> bool:
        """Tell whether the answer at the default parameters keeps the criterion; a failure there says all there is."""
        if all(each.name != quantity.name for each in self.statement.quantities):
            return False
        answer = self.runner.measured(self.runner.default_run(self.statement, self.scheme))[quantity.name]
        if not isinstance(answer, int | float):
            return False
        tolerance = required(quantity, self.statement, self.runner.subject.request.require)
        truth = self.statement.truth(quantity).value
        error = None if truth is None else measured_error(answer, truth, tolerance)
        return error is not None and error <= tolerance.value

    def compare(self, quantity: Quantity) -> LevelRow | None:
        """Return how an answer to the copy differs from the truth; None where the levels of the solver leave it open.

        A default step may be just fine enough at the default parameters. So an answer that misses the criterion is
        looked for once more at the finest level, where a sound solver has errors that are smaller by far. What misses
        it there too, by no more than the uncertainty that the levels show, is open: neither alarm nor proof.
        """
        row = self._compare(quantity, self._answer(self.copied, quantity))
        if share_of(row) <= 1 or not self.runner.subject.refined:
            return row
        sizes, runs = level_runs(self.runner, self.copy, self.scheme)[1:]
        answers = [self._answer(replace(run, relation=DISGUISED), quantity) for run in runs]
        finest = self._compare(quantity, answers[-1])
        uncertainty = numerical_uncertainty([Level(*pair, 0.0) for pair in zip(sizes, answers, strict=True)])
        is_open = share_of(finest) > 1 and (finest.change or 0.0) <= (finest.admissible or 0.0) + uncertainty
        return None if is_open else min(row, finest, key=share_of)

    def _compare(self, quantity: Quantity, answer: float) -> LevelRow:
        true = float(self.copy.truth(quantity).value)  # type: ignore[arg-type]  # compared quantities have a number
        admissible = admissible_change(self.copy, quantity, self.runner.subject.request.require)
        return LevelRow(
            quantity=quantity.name, before=true, after=answer, change=abs(answer - true), admissible=admissible
        )

    def _answer(self, run: Run, quantity: Quantity) -> float:
        """Return an answer to the copy.

        Raises
        ------
        SolverFailure
            If there is none, or no number.
        """
        try:
            answer: Answer = self.runner.measured(run)[quantity.name]
        except CapabilityError:
            raise
        except SolverInputError as refused:
            raise SolverFailure(f"{WHAT} But the copy is refused: {refused}") from None
        if isinstance(answer, HarnessError | CapabilityError):
            raise answer
        if not isinstance(answer, int | float):
            raise SolverFailure(f"{WHAT} But then {quantity.name}: {answer}")
        return float(answer)
