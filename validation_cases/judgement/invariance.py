"""Layer 4: answers that must not change where the same problem is put otherwise; no truth is needed."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from veridyn.problem.errors import SolverInputError
from veridyn.results import LevelRow
from veridyn.results.recomputing import compute_share
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.case import Number, Quantity
from veridyn.validation_cases.judgement.judge import Finding, measured_error
from veridyn.validation_cases.judgement.levels import CONFIRMING, answers, confirmed, confirming_runs
from veridyn.validation_cases.judgement.relations import Relation
from veridyn.validation_cases.judgement.runner import Answer, HarnessError, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.judgement.uncertainty import Level, numerical_uncertainty

REPEATED = 1e-12  # of the scale: the same arithmetic on the same numbers
TWICE = 2.0  # criteria: two answers that both keep one differ by no more
UNCERTAINTY = (
    "numerical uncertainty (the largest of any quantity over its scale; that of the changed runs), sampling, rounding"
)


@dataclass(frozen=True)
class AnswerChange:
    """How far an answer changed, and how far it may, by what reason."""

    quantity: str
    before: Number
    after: Number
    change: float
    admissible: float
    reason: str

    @property
    def share(self) -> float:
        """The change over what is admissible; an inadmissible change of nothing is large."""
        return compute_share(self.change, self.admissible)


@dataclass(frozen=True)
class RelationComparison:
    """A run and the same run put otherwise, with what tells how far they may differ."""

    runner: Runner
    statement: Statement
    scheme: str
    relation: Relation
    claims: Claims
    more: int = 0  # finer levels that confirm

    @property
    def levels(self) -> tuple[tuple[float, ...], tuple[Run, ...]]:
        """The refined setting and the runs on all levels."""
        return confirming_runs(self.runner, self.statement, self.scheme, self.more)[1:]

    @property
    def base(self) -> Run:
        """The run that is repeated: the last level but one, or with default settings where there are none."""
        if not self.runner.subject.refined:
            return self.runner.default_run(self.statement, self.scheme)
        return self.levels[1][-2]

    @property
    def changed(self) -> Run:
        """The run put otherwise."""
        return replace(self.base, relation=self.relation)

    def after(self, run: Run) -> Mapping[str, Answer]:
        """Return what is measured in a run put otherwise.

        Raises
        ------
        SolverFailure
            If the solver refuses the changed problem although it has solved the other.
        """
        try:
            return self.runner.measured(run)
        except CapabilityError:
            raise
        except SolverInputError as refused:
            raise SolverFailure(f"{self.relation.what} But it is refused: {refused}") from None


def invariance(runner: Runner, statement: Statement, scheme: str, relation: Relation, claims: Claims) -> Finding:
    """Compare all answers with those to the same problem put otherwise; the worst one decides.

    Where the step is refined, what is more than numerical uncertainty is tried again with finer levels: where the
    higher of two like peaks stands may be undecided on coarse ones.

    Raises
    ------
    NotJudged
        If the relation does not apply to the problem, or nothing can be compared.
    """
    if not relation.applies(statement.problem):
        raise NotJudged(f"{relation.name} does not apply to this problem")
    asked = RelationComparison(runner, statement, scheme, relation, claims)
    stepping = runner.subject.refined and claims.order and not relation.to_rounding
    return confirmed(lambda more: _compared(replace(asked, more=more)), CONFIRMING if stepping else 0)


def _compared(asked: RelationComparison) -> Finding:
    relation = asked.relation
    changes = [change for quantity in asked.statement.quantities if (change := _change(asked, quantity))]
    if not changes:
        raise NotJudged("nothing can be compared")
    # Runs of the changed problem on other levels cost as much as all before. They are made only where a change is too
    # large without them, since they can only add to what is admissible.
    if max(change.share for change in changes) > 1 and asked.runner.subject.refined and not relation.to_rounding:
        changes = [_with_uncertainty_of_change(asked, change) for change in changes]
    worst = max(changes, key=lambda change: change.share)
    allowed = Tolerance(1.0, "absolute", f"of what is admissible: {worst.reason}")
    detail = f"{relation.what} {worst.quantity} {worst.before} became {worst.after}, admissible {worst.admissible:.3g}"
    table = tuple(
        LevelRow(quantity=c.quantity, before=c.before, after=c.after, change=c.change, admissible=c.admissible)
        for c in sorted(changes, key=lambda c: -c.share)
    )
    return Finding(asked.changed, worst.share, 0.0, worst.share, allowed, detail, table)


def _change(asked: RelationComparison, quantity: Quantity) -> AnswerChange | None:
    """Return the change of a quantity; None where it was not measured before, or nothing says how far it may change.

    Raises
    ------
    SolverFailure
        If it cannot be measured any more.
    """
    if not quantity.converges or quantity in asked.statement.case.residuals:
        return None
    old = asked.runner.measured(asked.base)[quantity.name]
    new = asked.after(asked.changed)[quantity.name]
    if isinstance(old, HarnessError):
        raise old
    if isinstance(old, Exception):
        return None
    if isinstance(new, HarnessError):
        raise new
    if isinstance(new, Exception):
        raise SolverFailure(f"{asked.relation.what} But then: {new}")
    if not isinstance(old, int | float) or not isinstance(new, int | float):
        return AnswerChange(quantity.name, old, new, float(old != new), 0.0, "words must not change")
    try:
        admissible, reason = _admissible(asked, quantity, float(old))
    except NotJudged:
        return None
    return AnswerChange(quantity.name, old, new, abs(float(new) - float(old)), admissible, reason)


def _admissible(asked: RelationComparison, quantity: Quantity, value: float) -> tuple[float, str]:
    """Return how far an answer may change, and why."""
    # The strictest statement that holds for the solver decides, from the top: the same arithmetic on the same numbers;
    # digits that are claimed; the uncertainty that its own levels show; else the criterion. Two answers that are each
    # within d of the truth are within 2 d of each other, and no truth is needed to say so.
    size = asked.statement.size(quantity)
    if asked.relation.to_rounding:
        return REPEATED * size, "rounding"
    if asked.claims.digits:
        clocks = (0.0, asked.relation.later(asked.statement.problem))
        rounded = sum(quantity.rounded(asked.statement.values, clock) for clock in clocks) if quantity.rounded else 0.0
        digits = 2 * 10.0**-asked.claims.digits * asked.statement.magnified * size + rounded
        return digits + _sampling(asked, quantity, value), "twice the claimed digits and rounding, and sampling"
    if asked.runner.subject.refined:
        share = _uncertainty_share(asked) + asked.runner.rounding(asked.base)
        return share * size + _sampling(asked, quantity, value), UNCERTAINTY
    tolerance = asked.statement.tolerance(quantity)
    if tolerance.kind == "exact":
        return 0.0, tolerance.reason
    if (measured_error(value, asked.statement.truth(quantity).value, tolerance) or 0.0) > tolerance.value:
        raise NotJudged("the answer misses the criterion already, so that nothing bounds its change")
    relative = tolerance.value * (size if tolerance.kind == "relative" else 1.0)
    return TWICE * relative, "twice the criterion, which both answers must keep"


def _sampling(asked: RelationComparison, quantity: Quantity, value: float) -> float:
    """Return how far the distance of samples matters, in the run itself or in the changed one."""
    after = float(asked.after(asked.changed)[quantity.name])  # type: ignore[arg-type]
    both = ((asked.base, value), (asked.changed, after))
    confirming = asked.more > 0
    return max(asked.runner.sampling(run, quantity, answer, confirming=confirming) for run, answer in both)


def _uncertainty_share(asked: RelationComparison) -> float:
    """Return the largest numerical uncertainty of all quantities, each over its scale; raises `NotJudged` without any.

    That of a single one may be small by chance, where its error passes zero between two levels.
    """

    def find() -> float:
        return max(_shares(asked), default=-1.0)

    share: float = asked.runner.find_once(f"uncertainty {asked.more}", asked.statement, asked.scheme, find)
    if share < 0:
        raise NotJudged("no quantity has three levels")
    return share


def _shares(asked: RelationComparison) -> list[float]:
    shares = []
    for quantity in asked.statement.quantities:
        if quantity.converges and (size := asked.statement.size(quantity)):
            with contextlib.suppress(NotJudged, SolverFailure, CapabilityError):
                result = answers(asked.runner, asked.statement, asked.scheme, quantity, asked.more)
                shares.append(result.uncertainty / size)
    return shares


def _with_uncertainty_of_change(asked: RelationComparison, change: AnswerChange) -> AnswerChange:
    """Return a change with the numerical uncertainty of the changed run added to what is admissible.

    A restart, say, may leave an error of its own where the run in one piece has none. Steps that halve share samples,
    so that the last difference may vanish by chance; of a tolerance that is refined the last difference alone counts.
    """
    sizes, runs = asked.levels
    result: list[Level] = []
    for size, run in zip(sizes[:-1], runs[:-1], strict=True):
        answer: Number | Exception = NotJudged("")
        with contextlib.suppress(NotJudged, SolverFailure, CapabilityError):
            answer = asked.after(replace(run, relation=asked.relation))[change.quantity]
        # A difference of answers needs neighbours: across a gap the ratio of sizes is another one.
        # a level that cannot be measured leaves out those before it
        result = [*result, Level(size, float(answer), 0.0)] if isinstance(answer, int | float) else []
    if len(result) < 2:
        return change
    known = result if asked.claims.order else result[-2:]
    return replace(change, admissible=change.admissible + numerical_uncertainty(known))
