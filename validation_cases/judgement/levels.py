"""Answers over refinement levels, and the two layers that read them: convergence to the truth, observed order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath

from veridyn.problem.errors import SolverInputError
from veridyn.results import LevelRow
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverFailure
from veridyn.solver.contract.statements import FEWEST_LEVELS, Claims, as_float
from veridyn.validation_cases.judgement.case import Number, Quantity
from veridyn.validation_cases.judgement.judge import Finding, measured_error
from veridyn.validation_cases.judgement.runner import NotJudged, Run, Runner, finer_settings
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance, exactly
from veridyn.validation_cases.judgement.uncertainty import (
    ROUNDING,
    SAFETY,
    Level,
    differences,
    numerical_uncertainty,
)


@dataclass(frozen=True)
class Answers:
    """What a quantity was on the refinement levels that could be measured, without a gap up to the finest."""

    quantity: Quantity
    key: str
    sizes: tuple[float, ...]
    runs: tuple[Run, ...]
    values: tuple[Number, ...]

    @property
    def uncertainty(self) -> float:
        """Numerical uncertainty of the finest answer; raises `NotJudged` where answers are no numbers."""
        numbers = zip(self.sizes, self.numbers, strict=True)
        return numerical_uncertainty([Level(size, value, 0.0) for size, value in numbers])

    @property
    def finest(self) -> Number:
        """Answer at the finest level."""
        return self.values[-1]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The answers, all of them numbers.

        Raises
        ------
        NotJudged
            If one is a word, or nothing.
        """
        if not all(isinstance(value, int | float) for value in self.values):
            raise NotJudged(f"{self.quantity.name} is no number on every level")
        return tuple(float(value) for value in self.values)  # type: ignore[arg-type]


LevelRuns = tuple[str, tuple[float, ...], tuple[Run, ...]]


def level_runs(runner: Runner, statement: Statement, scheme: str) -> LevelRuns:
    """Return the refined setting, its values, and the runs from coarse to fine.

    Raises
    ------
    SolverFailure
        If the solver states levels that cannot be used.
    """
    return runner.find_once("levels", statement, scheme, lambda: _level_runs(runner, statement, scheme))


def _level_runs(runner: Runner, statement: Statement, scheme: str) -> LevelRuns:
    try:
        refinement = runner.refinement(statement, scheme)
    except SettingsError as wrong:
        raise SolverFailure(f"refinement cannot be used: {wrong}") from None
    default = runner.default_run(statement, scheme)
    # a level with the default settings is the default run
    runs = (Run(statement, level, scheme, number) for number, level in enumerate(refinement.levels))
    return refinement.key, refinement.sizes, tuple(default if run.settings == default.settings else run for run in runs)


def confirming_runs(runner: Runner, statement: Statement, scheme: str, more: int) -> LevelRuns:
    """Return what `level_runs` does, with ``more`` finer levels."""
    key, sizes, runs = level_runs(runner, statement, scheme)
    for _ in range(more):
        runs = (*runs, _finer_run(runs))
        sizes = (*sizes, as_float(runs[-1].settings[key]))
    return key, sizes, runs


def _finer_run(runs: Sequence[Run]) -> Run:
    settings = finer_settings(runs[-2].settings, runs[-1].settings)
    return Run(runs[-1].statement, settings, runs[-1].scheme, len(runs))


def answers(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, more: int = 0) -> Answers:
    """Return the answers over the levels, and ``more`` finer ones; coarse levels that cannot be measured are left out.

    Raises
    ------
    SolverFailure, CapabilityError, HarnessError
        If the finest level is not solved or cannot be measured.
    NotJudged
        If fewer than three levels can be measured.
    """
    key, sizes, runs = confirming_runs(runner, statement, scheme, more)
    result: list[tuple[float, Run, Number]] = []
    why = ""
    for size, run in zip(sizes, runs, strict=True):
        answer = _answer(runner, run, quantity, f"{key}={size:g}")
        if isinstance(answer, Exception):
            if run is runs[-1] or isinstance(answer, CapabilityError):
                raise answer
            # All coarser levels go, too. Uncertainty and order compare neighbours; across a level that is missing the
            # ratio of sizes would be larger, and a difference would look like one of a lower order.
            result, why = [], f"; at {key}={size:g}: {answer}"
        else:
            result.append((size, run, answer))
    if len(result) < FEWEST_LEVELS:
        raise NotJudged(f"{len(result)} of {len(runs)} levels could be measured, {FEWEST_LEVELS} are needed{why}")
    kept_sizes, kept_runs, values = zip(*result, strict=True)
    return Answers(quantity, key, kept_sizes, kept_runs, values)


def _answer(runner: Runner, run: Run, quantity: Quantity, level: str) -> Number | Exception:
    try:
        return runner.measured(run)[quantity.name]
    except CapabilityError as missing:
        return missing
    except SolverInputError as refused:
        return SolverFailure(f"the level {level} is refused: {refused}")
    except SolverFailure as failure:
        return failure


def convergence(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, claims: Claims) -> Finding:
    """Compare the finest answer with the truth: within numerical uncertainty, sampling and rounding.

    What fails is tried again on finer levels, where the step is refined: an answer that nears the truth by chance on
    some levels, as events fall in a step, looks more certain than it is.
    """
    return confirmed(
        lambda more: _convergence(runner, statement, scheme, quantity, more), CONFIRMING if claims.order else 0
    )


def confirmed(find: Callable[[int], Finding], most: int, *, last_decides: bool = False) -> Finding:
    """Return what is found with no finer level, or with up to ``most`` of them as long as it fails.

    Raises
    ------
    NotJudged
        If nothing can be judged without finer levels, or with all of them where those decide.
    """
    finding = find(0)
    # Only failures are tried again. A wrong answer stays wrong on finer levels, where less is admissible; a
    # right one that looked too certain by chance passes there. So another try hardly helps what is wrong,
    # and spares what is right.
    for more in range(1, most + 1):
        if finding.passes:
            break
        try:
            finding = find(more)
        except (SolverFailure, CapabilityError):  # a finer level cannot be solved
            continue
        except NotJudged:
            if last_decides and more == most:
                raise
    return finding


def _convergence(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, more: int) -> Finding:
    result = answers(runner, statement, scheme, quantity, more)
    reference = statement.truth(quantity)
    truth = reference.value
    if truth is None or isinstance(truth, str):
        same = exactly("the finest level must answer what is true")
        return Finding(result.runs[-1], result.finest, reference, measured_error(result.finest, truth, same), same)
    terms = _terms(runner, result, statement, confirming=more > 0)
    reason = f"{REASON} + {FEW_DIGITS}" if FEW_DIGITS in terms else REASON
    allowed = Tolerance(sum(terms.values()), "absolute", reason)
    error = measured_error(result.numbers[-1], truth, allowed)
    # Equal answers on all levels make the numerical uncertainty zero. Then any error fails: rightly for a wrong method,
    # but a setting that does nothing looks just so, and the message says which to look at.
    same_everywhere = len(set(result.numbers)) == 1 and error is not None and error > allowed.value
    detail = f"all levels give the same answer: does the setting {result.key} act?" if same_everywhere else ""
    table = level_table(result, statement)
    return Finding(result.runs[-1], result.finest, reference, error, allowed, detail, table, terms, counts_digits=True)


FEWEST_POOLED = 3  # quantities; the errors of fewer scatter too much together
CONFIRMING = 2  # finer levels that confirm a failure
REASON = (
    f"numerical uncertainty ({SAFETY:g} times the largest of the last two differences of answers, or of earlier ones "
    f"by the ratio of sizes) + sampling (change where only every second sample is read) + rounding ({ROUNDING:g} of "
    "the scale)"
)


def _terms(runner: Runner, found: Answers, statement: Statement, *, confirming: bool) -> dict[str, float]:
    """Return the parts of the admissible difference from the truth, in the unit of the quantity."""
    return {
        "numerical uncertainty": found.uncertainty,
        # An answer that is read from samples has an error that no smaller step takes away. It is of the interface, not
        # of the method, and is estimated from the samples themselves: every second one, and the change.
        "sampling": runner.sampling(found.runs[-1], found.quantity, found.numbers[-1], confirming=confirming),
        "rounding": ROUNDING * statement.size(found.quantity),
        **of_digits(runner, found.runs[-1], statement.size(found.quantity)),
        **of_reference(statement, found.quantity),
    }


FEW_DIGITS = "digits of the answer"


def of_digits(runner: Runner, run: Run, size: float) -> dict[str, float]:
    """Return what numbers of few digits add to what is admissible; nothing where they are doubles."""
    more = runner.rounding(run) - ROUNDING
    return {FEW_DIGITS: more * size} if more > 0 else {}


def of_reference(statement: Statement, quantity: Quantity) -> dict[str, float]:
    """Return what a reference that is not proved adds to what is admissible; nothing where it is proved."""
    doubt = statement.doubt(quantity)
    return {"uncertainty of the reference": doubt} if doubt else {}


def level_table(found: Answers, statement: Statement) -> tuple[LevelRow, ...]:
    """Return the level table, from coarse to fine."""
    truth, numbers = _true_number(found, statement), found.numbers
    steps: Sequence[float | None] = (None, *differences(numbers))
    return tuple(
        LevelRow(setting=found.key, size=size, value=value, difference=step, error=abs(float(value - truth)))
        for size, value, step in zip(found.sizes, numbers, steps, strict=True)
    )


def _true_number(found: Answers, statement: Statement) -> mpmath.mpf:
    truth = statement.truth(found.quantity).value
    if truth is None or isinstance(truth, str):
        raise NotJudged("there is no true number")
    return truth


def error_levels(found: Answers, statement: Statement) -> list[Level]:
    """Return the errors over the levels.

    Raises
    ------
    NotJudged
        If there is no true number.
    """
    truth = _true_number(found, statement)
    return [Level(size, v, abs(float(v - truth))) for size, v in zip(found.sizes, found.numbers, strict=True)]
