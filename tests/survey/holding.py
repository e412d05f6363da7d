"""Values held against solvers: what SciPy at its tightest and the exact solver answer to the same problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath

from tests.detection.timed import TimedGate
from veridyn.problem.errors import SolverInputError
from veridyn.references.certified import CertificationError, Certified
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.loading import load_solver
from veridyn.validation_cases.judgement.case import Case, Quantity
from veridyn.validation_cases.judgement.runner import HarnessError, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement


@dataclass(frozen=True)
class Holder:
    """A solver that values are held against.

    ``share`` of the scale of a quantity is what its answer may be off. ``coarser`` settings tell whether the answer has
    settled; None where the solver has no step and no tolerance.
    """

    name: str
    share: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    coarser: Mapping[str, Any] | None = None


DOP853 = {"scheme": "DOP853", "max_step": float("inf")}
HOLDERS = (
    Holder("exact", 1e-8),
    Holder("scipy", 1e-6, {**DOP853, "rtol": 1e-12, "atol": 1e-14}, {**DOP853, "rtol": 1e-10, "atol": 1e-12}),
)

Item = dict[str, Any]


def hold(case: Case, parameters: Mapping[str, str], truths: Mapping[str, Certified], seconds: float) -> Iterator[Item]:
    """Yield what solvers say of the values of a set: an item a value that is held, or why none is.

    An item has ``held`` (the solver), ``quantity`` and ``differs`` with the numbers; or ``silent`` with the reason.
    """
    statement = Statement(case, case.make_variant(parameters))
    try:
        asked = [q for q in statement.quantities if q.name in truths and (q.converges or is_counted(q, statement))]
    except CertificationError as reason:  # the truth that says which quantities there are has none
        yield {"silent": "all", "reason": str(reason)}
        return
    if not asked:
        return
    try:
        needs = statement.needs
    except Exception as reason:  # noqa: BLE001 - what doubles do not hold may end anywhere
        yield {"silent": "all", "reason": f"no problem for solvers: {type(reason).__name__}: {reason}"}
        return
    for holder in HOLDERS:
        yield from _hold_against(holder, statement, needs, asked, truths, seconds)


def is_counted(quantity: Quantity, statement: Statement) -> bool:
    """Tell whether a quantity is a count or a word."""
    return quantity.tolerance(statement.values).kind == "exact"


def _hold_against(
    holder: Holder,
    statement: Statement,
    needs: frozenset[str],
    asked: list[Quantity],
    truths: Mapping[str, Certified],
    seconds: float,
) -> Iterator[Item]:
    runner = Runner(TimedGate(load_solver(holder.name), seconds))
    scheme = str(holder.settings.get("scheme", runner.subject.schemes[0]))
    runs = [Run(statement, s, scheme) for s in (holder.settings, holder.coarser) if s is not None]
    try:
        if missing := sorted(needs - runner.subject.capabilities):
            yield {"silent": holder.name, "reason": f"does not offer {', '.join(missing)}"}
            return
        answers = [runner.measured(run) for run in runs]
    except (SolverInputError, SolverFailure, CapabilityError) as reason:
        yield {"silent": holder.name, "reason": str(reason)}
        return
    for quantity in asked:
        truth, values = truths[quantity.name], [answer[quantity.name] for answer in answers]
        try:
            differs = _compare(holder, runner, runs[0], quantity, truth, values)
            yield {"held": holder.name, "quantity": quantity.name, "differs": differs}
        except NotJudged as reason:
            yield {"silent": holder.name, "quantity": quantity.name, "reason": str(reason)}


def _compare(holder: Holder, runner: Runner, run: Run, quantity: Quantity, truth: Certified, values: list[Any]) -> str:
    """Return how an answer differs from the truth, empty if it does not; raises NotJudged if nothing can be said."""
    fine = values[0]
    if isinstance(fine, HarnessError):
        return f"{fine}"
    if isinstance(fine, Exception) or fine is None:
        raise NotJudged(f"nothing is read: {fine}")
    if is_counted(quantity, run.statement) or isinstance(fine, str) or isinstance(truth.value, str):
        if any(value != fine for value in values):
            raise NotJudged("the answer has not settled")
        return "" if fine == truth.value else f"{fine} instead of {truth.text()}"
    size = quantity.size(run.statement.values)
    limit = holder.share * size + runner.sampling(run, quantity, float(fine), confirming=True)
    error = float(abs(mpmath.mpf(float(fine)) - truth.value))
    if error <= limit:
        return ""
    if any(not isinstance(value, int | float) or abs(value - fine) > limit for value in values[1:]):
        raise NotJudged("the answer has not settled")
    return f"{fine:.12g} instead of {float(truth.value):.12g}, off by {error:.1e} where {limit:.1e} is its accuracy"
