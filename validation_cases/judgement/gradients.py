"""What derivatives must agree with: differences of the solver's own answers, other tangents, reverse mode.

No truth is needed. Own differences tell a wrong derivative from the right derivative of a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from veridyn.problem.errors import SolverInputError
from veridyn.references.parameters import ParameterError
from veridyn.results import LevelRow
from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.judgement.derivatives import DerivativeStatement, DerivedQuantity
from veridyn.validation_cases.judgement.invariance import TWICE
from veridyn.validation_cases.judgement.judge import Finding
from veridyn.validation_cases.judgement.moved import share_of
from veridyn.validation_cases.judgement.runner import Answer, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.judgement.uncertainty import SAFETY

OWN_DIFFERENCES, LINEAR = "own_differences", "linear"
STEPS = (1e-2, 1e-3, 1e-4, 1e-6)  # of the parameter
FACTOR = -2.0  # of the tangent: a power of two rounds nothing


def own_differences(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives with central differences of the solver's own answers at other parameters.

    Raises
    ------
    NotJudged
        If the parameter has no neighbours on both sides, or nothing can be compared.
    """
    run = runner.default_run(statement, scheme)
    derivatives = runner.measured(run)
    table = [find_difference(runner, statement, scheme, step) for step in STEPS]
    rows = []
    for quantity in statement.quantities:
        assert isinstance(quantity, DerivedQuantity)
        value = derivatives[quantity.name]
        differences = [row[quantity.base.name] for row in table if quantity.base.name in row]
        if isinstance(value, int | float) and len(differences) >= 2:
            rows.append(_compare(quantity.name, float(value), differences, statement.tolerance(quantity).value))
    what = f"The derivatives by {statement.parameter.name} are those of the solver's own answers."
    return conclude(
        run, rows, what, "three times the distance of the differences at two steps, and the criterion of the derivative"
    )


def _compare(name: str, value: float, differences: Sequence[float], criterion: float) -> LevelRow:
    """Return a row that compares a derivative with the differences of two steps that agree best with it.

    Large steps see the curvature and meet other events, small ones the noise of tolerances: one pair is enough.
    """
    rows = (
        LevelRow(
            quantity=name,
            before=value,
            after=fine,
            change=abs(fine - value),
            admissible=SAFETY * abs(fine - coarse) + criterion,
        )
        for coarse, fine in pairwise(differences)
    )
    return min(rows, key=share_of)


def find_difference(runner: Runner, statement: DerivativeStatement, scheme: str, step: float) -> Mapping[str, float]:
    """Return the central differences of all quantities by name, with a step relative to the parameter."""
    name = statement.parameter.name
    size = Fraction(step) * (abs(Fraction(float(statement.values[name]))) or 1)

    def find() -> Mapping[str, float]:
        above, below = (_measure_beside(runner, statement, scheme, sign * size) for sign in (1, -1))
        both = (each for each, value in above.items() if _is_number(value) and _is_number(below.get(each)))
        return {each: (above[each] - below[each]) / float(2 * size) for each in both}  # type: ignore[operator]

    return runner.find_once(f"difference {step}", statement, scheme, find)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _measure_beside(runner: Runner, statement: DerivativeStatement, scheme: str, by: Fraction) -> Mapping[str, Answer]:
    """Return what is measured in the answer at another value of the parameter; nothing where there is none."""
    variant, name = statement.variant, statement.parameter.name
    value = str(Fraction(float(statement.values[name])) + by)
    beside = Statement(
        statement.case,
        replace(variant, name=f"{variant.name},{name}={value}", changes={**variant.changes, name: value}),
    )
    try:
        run = Run(beside, runner.default_run(statement, scheme).settings, scheme)
        return runner.measured(run)
    except ParameterError as outside:
        raise NotJudged(f"{name} has no neighbours on both sides: {outside}") from None
    except (SolverFailure, SolverInputError):
        return {}


def linear(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives with those along a tangent that is longer and points the other way.

    Raises `NotJudged` if nothing can be compared.
    """
    run = runner.default_run(statement, scheme)
    derivatives = runner.measured(run)
    longer = runner.measured(
        replace(run, statement=runner.find_once(LINEAR, statement, "", lambda: replace(statement, length=FACTOR)))
    )
    rows = []
    for quantity in statement.quantities:
        value, other = derivatives[quantity.name], longer[quantity.name]
        if isinstance(value, int | float) and isinstance(other, int | float):
            # error control may see the derivative, so that its steps change with the length
            admissible = TWICE * statement.tolerance(quantity).value
            change = abs(float(other) - float(value))
            rows.append(
                LevelRow(quantity=quantity.name, before=value, after=other, change=change, admissible=admissible)
            )
    what = f"Along a tangent that is {FACTOR:g} times as long the derivatives are so, too."
    return conclude(run, rows, what, "twice the criterion of the derivative, which both keep")


def conclude(run: Run, rows: Sequence[LevelRow], what: str, reason: str) -> Finding:
    """Return what a table of changes says: the worst one decides."""
    if not rows:
        raise NotJudged("nothing can be compared")
    table = tuple(sorted(rows, key=share_of, reverse=True))
    worst = table[0]
    detail = f"{what} {worst.quantity}: {worst.before} and {worst.after}, admissible {worst.admissible:.3g}"
    allowed = Tolerance(1.0, "absolute", f"of what is admissible: {reason}")
    return Finding(run, share_of(worst), 0.0, share_of(worst), allowed, detail, table)


GRADIENT_CHECKS: Mapping[str, Callable[[Runner, DerivativeStatement, str], Finding]] = {
    OWN_DIFFERENCES: own_differences,
    LINEAR: linear,
}
"""What derivatives by a parameter are asked without truth, by name."""
