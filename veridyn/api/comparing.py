"""Several solvers on a problem of the user: the same judgement as for the cases, against the truth where it is proved.

Where the engine gives up, no truth is known. What stands in for it is the answer of the exact solver where that
applies, otherwise the answer with the smallest numerical uncertainty over refinement levels. Solvers that meet it
agree; that is all that is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from msgspec import structs

from veridyn.api.entrants import Entrant, make_entrants, with_outputs
from veridyn.api.limits import SECONDS
from veridyn.api.prover import make_prover
from veridyn.api.questions import Question, questions, residuals
from veridyn.api.solving import (
    Drawing,
    Solution,
    can_draw,
    drawn,
    figure_of,
    need,
    refuse_others,
    shown,
    tabulated,
)
from veridyn.api.yardsticks import NOTHING, Yardstick, find_exact, find_yardstick
from veridyn.problem.mechanical import Problem
from veridyn.problem.smoothness import regularity
from veridyn.references.certified import Certified
from veridyn.references.reference import state
from veridyn.reports.numbers import plural
from veridyn.results import Document, Layer, Message, Profile, Record, Verdict
from veridyn.run.document import Scope, document, sheet
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.responses import Response, Trajectory, output_instants
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.case import Case, Quantity, Variant
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import Check, judge
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import read_requirement

LAYERS = (Layer.CRITERION, Layer.CONVERGENCE, Layer.CLAIM, Layer.INVARIANCE)
SHARED = "solvers that agree may share a mistake"
Relation = Literal["agrees", "differs", "reference", "not judged"]


@dataclass(frozen=True)
class Answer:
    """What one solver answered to one question: by default, and how it stands to the reference.

    ``difference`` is that of the finest refinement level where the solver has levels, of the default answer otherwise;
    ``admissible`` is how large it may be.
    """

    solver: str
    quantity: str
    value: float | None
    difference: float | None
    admissible: float | None
    relation: Relation
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Solvers on one problem: answers by solver and quantity, references by quantity, records of all checks."""

    statement: Statement
    solutions: Mapping[str, Solution]
    references: Mapping[str, Certified]
    sources: Mapping[str, str]  # who gave the reference, by quantity
    answers: tuple[Answer, ...]
    records: tuple[Record, ...]
    missing: Mapping[str, str]  # solvers without a solution, and why
    unproved: Mapping[str, str]  # quantities of which no truth is known, and why

    @property
    def problem(self) -> Problem:
        """What was solved."""
        result: Problem = self.statement.problem
        return result

    @property
    def agreement(self) -> str:
        """One sentence: how many answers agree with the reference, and which references are no proved truth."""
        judged = [a for a in self.answers if a.relation in ("agrees", "differs")]
        agreeing = sum(a.relation == "agrees" for a in judged)
        counts = f"{agreeing} of {plural(len(judged), 'answer')} agree with the reference"
        return f"{counts}; {_describe_truth(len(self.references), list(self.unproved))}"

    @property
    def failures(self) -> tuple[Record, ...]:
        """Checks that fail: of criterion, convergence, claims and invariance."""
        return tuple(r for r in self.records if r.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE))

    def table(self) -> str:
        """Return the comparison as a table of text: quantities, the reference, how far each solver is from it."""
        return _aligned(self._rows())

    def _rows(self) -> list[list[str]]:
        solvers = list(dict.fromkeys(a.solver for a in self.answers))
        known = {(a.solver, a.quantity): a for a in self.answers}
        units = {q.name: q.unit for q in self.statement.quantities}
        rows = [["quantity", "unit", "reference", "±", "by", *solvers]]
        for name, reference in self.references.items():
            radius = "" if reference.radius is None else f"{float(reference.radius):.1e}"
            value = "none" if reference.value is None else f"{float(reference):.9g}"
            cells = [_cell(known[solver, name]) for solver in solvers]
            rows.append([name, units[name], value, radius, self.sources[name], *cells])
        return rows

    def __repr__(self) -> str:
        return f"<Comparison of {self.problem.name}: {self.agreement}>"

    def __str__(self) -> str:
        return "\n".join([self.table(), "", *self._lines()])

    def _lines(self) -> list[str]:
        """Return what is said beneath the table."""
        lines = [self.agreement, *(f"{name}: {why}" for name, why in self.missing.items())]
        lines += [f"{name} is not proved: {why}" for name, why in self.unproved.items()]
        lines += [f"{f'{r.solver} {r.scheme}'.strip()}: {r.layer} {r.quantity} fails: {_why(r)}" for r in self.failures]
        return lines

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each answer; raises `MissingPackage`."""
        need("pandas")
        import pandas as pd

        known = {n: math.nan if r.value is None else float(r) for n, r in self.references.items()}
        rows = [{**vars(a), "reference": known[a.quantity]} for a in self.answers]
        return pd.DataFrame(rows).set_index(["quantity", "solver"])

    def plot(self, *names: str) -> Drawing:
        """Return a drawing of histories by their names, a curve for each solver, the differences from one beneath.

        The first four displacements or unknowns are drawn if none is named. Differences are those from the exact
        solver, if it is among them, or from the first one, on the output instants of the problem, as far as the motion
        goes. A solver that reports no such history is left out of its panel. Raises ProblemError if no solver reports
        it; ReportError if what draws is not installed.
        """
        return drawn(self.problem.name, self._panels(names))

    def _panels(self, names: Sequence[str]) -> list[tuple[str, list[tuple[str, str, Solution]]]]:
        grid = output_instants(self.problem)
        lasts = min(solution.time[-1] for solution in self.solutions.values())  # a terminal event may end a motion
        common = {label: solution.at(grid[grid <= lasts]) for label, solution in self.solutions.items()}
        return [(name, _curves_of(name, common)) for name in names or self.problem.unknowns[:4]]

    def document(self) -> Document:
        """Return the comparison as a result document, as a run of the cases gives one."""
        case = self.statement.case
        texts = [self.agreement, *(f"{name} has no solution: {why}" for name, why in self.missing.items())]
        texts += [f"{name} is not proved: {why}" for name, why in self.unproved.items()]
        messages = [Message(text=text) for text in texts]
        made = figure_of(case.title, self._panels(())) if self.solutions else None
        figures = [structs.replace(made, case=case.name)] if made else []
        scope = Scope(Profile.COMPARISON, len(self.records))
        command = ["python", "-c", "veridyn.compare(…)"]
        return document(self.records, [sheet(case, {})], figures, command, messages, scope=scope)

    def _repr_html_(self) -> str:
        plot = self.plot if self.solutions and can_draw() else None
        return tabulated(self._rows()) + shown("\n".join(self._lines()), plot)


def compare(
    problem: Problem,
    solvers: Iterable[Any],
    *,
    quantities: Mapping[str, Any] | None = None,
    require: str = "rel=1e-3",
    layers: Sequence[str] = LAYERS,
    seconds: float = SECONDS,
) -> Comparison:
    """Compare solvers on a problem, against its proved truth where there is one.

    Parameters
    ----------
    problem
        What is to be solved.
    solvers
        Specifications or solver objects, see `solve`; a pair of one of them and a mapping of settings (``scheme`` among
        them) sets them. A solver with several schemes is compared by its first one.
    quantities
        Functions of a `Response` or `Trajectory` by name, asked for beside what every problem of the kind is asked.
    require
        How near default answers must come: ``"rel=1e-3"`` of the scale of a quantity, or ``"digits=6"``.
    layers
        Layers of the judgement that are made; fewer cost less.
    seconds
        That all proofs together may take; 0: nothing is proved.

    Returns
    -------
    Comparison
        The reference of each quantity is the proved truth, see `prove`. Where there is none, for the reason that
        `Comparison.unproved` states, it is the answer of the exact solver where it applies, else the answer with the
        smallest numerical uncertainty over the refinement levels of the solvers (three times the largest of the last
        differences, see docs/judgement.md).

    Raises
    ------
    ProblemError
        If the first argument is no problem.
    SolverNotFound, SettingsError, SolverInputError
        If a solver cannot be found, or is asked for wrongly.
    """
    refuse_others(problem)
    entrants, problem = make_entrants(solvers), with_outputs(problem)
    asked = questions(problem, quantities or {})
    result: dict[str, Yardstick] = {}
    statement = _statement(problem, asked, result, require)
    offered = [e for e in entrants if not e.lacking(problem)]
    solutions, missing = _solutions(statement, entrants)
    exact, prover = find_exact(problem, offered), make_prover(problem, seconds)
    result |= {question.name: find_yardstick(question, prover, statement, offered, exact) for question in asked}
    records = {e.label: [judge(c, e.runner) for c in _checks(e, statement, result, layers)] for e in offered}
    return Comparison(
        statement=statement,
        solutions=solutions,
        references={name: r.value for name, r in result.items()},
        sources={name: r.label for name, r in result.items()},
        answers=tuple(_answer(e, q, result[q.name], statement, records) for q in asked for e in entrants),
        records=tuple(record for judged in records.values() for record in judged),
        missing=missing,
        unproved={name: r.doubt for name, r in result.items() if r.doubt},
    )


def report(comparison: Comparison, folder: str | Path) -> Path:
    """Write a comparison as a report: a page with figures, and the results in all formats; returns the page.

    Raises
    ------
    ReportError
        If the folder cannot be written, or a package is not installed.
    """
    from veridyn.reports import build

    build(comparison.document(), folder)
    return Path(folder) / "index.html"


def _statement(problem: Problem, asked: Sequence[Question], found: Mapping[str, Yardstick], require: str) -> Statement:
    """Return the problem as a case with one variant; the references are looked up in what is found later."""
    case = Case(
        name=problem.name,
        title=problem.name,
        document="problem of the user",
        summary="Comparison of solvers on a problem of one's own.",
        statement=(),
        parameters=(),
        variants=(Variant("given", {}),),
        quantities=tuple(_quantity(q, problem, found, require) for q in asked),
        problem=lambda _: problem,
        remarks=(f'References of kind "numerical" are answers of solvers: no truth is known there, {SHARED}.',),
        residuals=residuals(problem),
        linear=problem.is_linear,
    )
    return Statement(case, case.variants[0])


def _quantity(q: Question, problem: Problem, found: Mapping[str, Yardstick], require: str) -> Quantity:
    relative = read_requirement(require).relative
    return Quantity(
        q.name,
        q.unit,
        q.definition,
        reference=state(q.name, lambda _: found[q.name].value),
        measure=lambda o: q.read(o.response),
        criterion=lambda _: found[q.name].criterion(relative, require),
        scale=lambda _: found[q.name].size,
        regularity=regularity(problem),
    )


def _checks(e: Entrant, statement: Statement, found: Mapping[str, Yardstick], layers: Sequence[str]) -> Iterator[Check]:
    """Yield the checks of a solver; none of a quantity without reference, or whose reference it gave itself."""
    left_out = {name for name, r in found.items() if r.value.value is None or r.label == e.label}
    everything = left_out == set(found)
    for check in checks_of(statement, e.runner.subject, e.scheme):
        claim, _, quantity = check.name.rpartition(":")
        pooled = check.layer is Layer.CLAIM and not claim and check.name in ("order", "slope", "error_over_tolerance")
        if check.layer in layers and quantity not in left_out and not (pooled and everything):
            yield check


def _describe_truth(count: int, unproved: Sequence[str]) -> str:
    """Say which references are proved."""
    if not unproved:
        return "all references are proved"
    if len(unproved) == count:
        return f"no truth is known of this problem: {SHARED}"
    names = ", ".join(unproved)
    return f"{count - len(unproved)} of {count} references are proved; no truth is known of {names}: {SHARED}"


def _solutions(statement: Statement, entrants: Iterable[Entrant]) -> tuple[dict[str, Solution], dict[str, str]]:
    """Return the solutions with default settings, and why there are no others."""
    solutions, missing = {}, {}
    for e in entrants:
        if lacking := e.lacking(statement.problem):
            missing[e.label] = f"it does not offer {', '.join(lacking)}"
            continue
        run = e.runner.default_run(statement, e.scheme)
        try:
            response = e.runner.observe(run).response
        except (SolverFailure, CapabilityError) as failure:
            missing[e.label] = str(failure)
            continue
        lasted = e.runner.wall_times[run.key]
        solutions[e.label] = Solution(statement.problem, e.label, dict(run.settings), response, lasted)
    return solutions, missing


def _answer(
    e: Entrant,
    question: Question,
    reference: Yardstick,
    statement: Statement,
    records: Mapping[str, Sequence[Record]],
) -> Answer:
    """Return how a solver stands to a reference: by convergence where it has levels, else by the criterion."""
    judged = {r.layer: r for r in records.get(e.label, ()) if r.quantity == question.name}
    default = judged.get(Layer.CRITERION)
    value = default.value if default else _default(e, question, statement)
    number = float(value) if isinstance(value, int | float) else None
    if reference.label == e.label:
        return Answer(e.label, question.name, number, 0.0, None, "reference")
    record = next(
        (r for r in (judged.get(Layer.CONVERGENCE), default) if r and r.verdict in (Verdict.PASS, Verdict.FAIL)), None
    )
    if record is None:
        return Answer(e.label, question.name, number, None, None, "not judged", default.detail if default else "")
    relation: Relation = "agrees" if record.verdict is Verdict.PASS else "differs"
    return Answer(e.label, question.name, number, record.error, record.tolerance, relation, record.detail)


def _default(e: Entrant, question: Question, statement: Statement) -> Any:
    if e.lacking(statement.problem):
        return None
    try:
        return e.runner.measured(e.runner.default_run(statement, e.scheme)).get(question.name)
    except NOTHING:
        return None


def _curves_of(name: str, solutions: Mapping[str, Solution]) -> list[tuple[str, str, Solution]]:
    """Return what the panel of a history draws, the reference first: label, role, where it is."""
    reporting = {label: s for label, s in solutions.items() if s.reports(name)} or solutions
    first = next((label for label in reporting if label.startswith(EXACT.name)), next(iter(reporting)))
    others = {label: s for label, s in reporting.items() if label != first}
    curves = [(first, "reference", reporting[first]), *((label, "computed", s) for label, s in others.items())]
    apart = ((f"{label} - {first}", "error", _difference(s, reporting[first])) for label, s in others.items())
    return [*curves, *apart]


def _difference(solution: Solution, reference: Solution) -> Solution:
    """Return the differences of displacements, velocities and common histories of elements on one grid."""
    a, b = solution.response, reference.response
    if isinstance(a, Trajectory):
        return replace(solution, response=replace(a, states=a.states - cast(Trajectory, b).states))
    b = cast(Response, b)
    elements = {
        e: {n: h - b.elements[e][n] for n, h in hs.items() if n in b.elements.get(e, {})}
        for e, hs in a.elements.items()
    }
    apart = replace(
        a, displacement=a.displacement - b.displacement, velocity=a.velocity - b.velocity, elements=elements
    )
    return replace(solution, response=apart)


def _cell(answer: Answer) -> str:
    if answer.relation in ("reference", "not judged"):
        return answer.relation
    apart = "?" if answer.difference is None else f"{answer.difference:.1e}"
    return f"{apart} {answer.relation}"


def _why(record: Record) -> str:
    error, allowed = (f"{x:.2g}" if x is not None else "none" for x in (record.error, record.tolerance))
    return record.detail or f"error {error}, admissible {allowed}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "─" * max(map(len, lines)), *lines[1:]])
