"""Several solvers on a problem of the user: the same judgement as for the cases, against the best answer there is.

No truth is known of such a problem. What stands in for it is the exact solver where it applies, otherwise the answer
with the smallest numerical uncertainty over refinement levels. Solvers that meet it agree; that is all that is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import mpmath
import numpy as np
from msgspec import structs

from veridyn.api.questions import Question, questions, residuals
from veridyn.api.solving import (
    Drawing,
    Solution,
    can_draw,
    drawn,
    figure_of,
    need,
    open_here,
    refuse_others,
    request_of,
    shown,
    subject_of,
)
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.smoothness import regularity
from veridyn.problem.time_scales import shortest_period
from veridyn.references.certified import Certified, undefined
from veridyn.reports.numbers import plural
from veridyn.results import Document, Layer, Message, Profile, Record, Verdict
from veridyn.run.document import Scope, document, sheet
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverFailure
from veridyn.solver.contract.loading import EXACT as EXACT_NAME
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.responses import Response, Trajectory, output_instants
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.case import Case, Quantity, Variant
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import Check, judge
from veridyn.validation_cases.judgement.levels import answers
from veridyn.validation_cases.judgement.runner import HarnessError, NotJudged, Runner, Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance, read_requirement

LAYERS = (Layer.CRITERION, Layer.CONVERGENCE, Layer.CLAIM, Layer.INVARIANCE)
STANDS_IN = "no truth is known of this problem: solvers that agree may share a mistake"
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

    @property
    def problem(self) -> Problem:
        """What was solved."""
        found: Problem = self.statement.problem
        return found

    @property
    def agreement(self) -> str:
        """One sentence: how many answers agree with the reference."""
        judged = [a for a in self.answers if a.relation in ("agrees", "differs")]
        agreeing = sum(a.relation == "agrees" for a in judged)
        return f"{agreeing} of {plural(len(judged), 'answer')} agree with the reference; {STANDS_IN}"

    @property
    def failures(self) -> tuple[Record, ...]:
        """Checks that fail: of criterion, convergence, claims and invariance."""
        return tuple(r for r in self.records if r.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE))

    def table(self) -> str:
        """Return the comparison as a table of text: quantities, the reference, how far each solver is from it."""
        solvers = list(dict.fromkeys(a.solver for a in self.answers))
        known = {(a.solver, a.quantity): a for a in self.answers}
        units = {q.name: q.unit for q in self.statement.quantities}
        rows = [["quantity", "unit", "reference", "±", "by", *solvers]]
        for name, reference in self.references.items():
            radius = "" if reference.radius is None else f"{float(reference.radius):.1e}"
            value = "none" if reference.value is None else f"{float(reference):.9g}"
            cells = [_cell(known[solver, name]) for solver in solvers]
            rows.append([name, units[name], value, radius, self.sources[name], *cells])
        return _aligned(rows)

    def __str__(self) -> str:
        lines = [self.table(), "", self.agreement]
        lines += [f"{name}: {why}" for name, why in self.missing.items()]
        lines += [f"{f'{r.solver} {r.scheme}'.strip()}: {r.layer} {r.quantity} fails: {_why(r)}" for r in self.failures]
        return "\n".join(lines)

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
        goes. Raises ProblemError if a solver reports no such
        history; ReportError if what draws is not installed.
        """
        return drawn(self.problem.name, self._panels(names))

    def _panels(self, names: Sequence[str]) -> list[tuple[str, list[tuple[str, str, Solution]]]]:
        grid = output_instants(self.problem)
        lasts = min(solution.time[-1] for solution in self.solutions.values())  # a terminal event may end a motion
        common = {label: solution.at(grid[grid <= lasts]) for label, solution in self.solutions.items()}
        first = next((label for label in common if label.startswith(EXACT.name)), next(iter(common)))
        panels = []
        for name in names or self.problem.unknowns[:4]:
            curves = [(label, "reference" if label == first else "computed", s) for label, s in common.items()]
            apart = [
                (f"{label} - {first}", "error", _difference(s, common[first]))
                for label, s in common.items()
                if label != first
            ]
            panels.append((name, sorted(curves, key=lambda curve: curve[1] != "reference") + apart))
        return panels

    def document(self) -> Document:
        """Return the comparison as a result document, as a run of the cases gives one."""
        case = self.statement.case
        texts = [self.agreement, *(f"{name} has no solution: {why}" for name, why in self.missing.items())]
        messages = [Message(text=text) for text in texts]
        made = figure_of(case.title, self._panels(())) if self.solutions else None
        figures = [structs.replace(made, case=case.name)] if made else []
        scope = Scope(Profile.COMPARISON, len(self.records))
        command = ["python", "-c", "veridyn.compare(…)"]
        return document(
            self.records, [sheet(case, {})], figures, command, messages, planned=len(self.records), scope=scope
        )

    def _repr_html_(self) -> str:
        return shown(str(self), self.plot if self.solutions and can_draw() else None)


def compare(
    problem: Problem,
    solvers: Iterable[Any],
    *,
    quantities: Mapping[str, Any] | None = None,
    require: str = "rel=1e-3",
    layers: Sequence[str] = LAYERS,
) -> Comparison:
    """Compare solvers on a problem that has no known truth.

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

    Returns
    -------
    Comparison
        The reference of each quantity is the answer of the exact solver where it applies, else the answer with the
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
    entrants, problem = _entrants(solvers), _sampled(problem)
    asked = questions(problem, quantities or {})
    found: dict[str, _Reference] = {}
    statement = _statement(problem, asked, found, require)
    offered = [e for e in entrants if not e.lacking(problem)]
    solutions, missing = _solutions(statement, entrants)
    exact = _exact(problem, offered)
    found |= {question.name: _reference(question, statement, offered, exact) for question in asked}
    records = {e.label: [judge(c, e.runner) for c in _checks(e, statement, found, layers)] for e in offered}
    return Comparison(
        statement=statement,
        solutions=solutions,
        references={name: r.value for name, r in found.items()},
        sources={name: r.label for name, r in found.items()},
        answers=tuple(_answer(e, q, found[q.name], statement, records) for q in asked for e in entrants),
        records=tuple(record for judged in records.values() for record in judged),
        missing=missing,
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


SAMPLES = 40  # in the shortest period, so that peaks of forces are read off well
FEWEST, MOST = 2000, 40_000


def _sampled(problem: Problem) -> Problem:
    """Return a problem with output instants: those that it asks for, or enough for its shortest period."""
    if problem.output_times is not None:
        return problem
    if not isinstance(problem, MechanicalProblem):
        return replace(problem, output_times=output_instants(problem))
    wanted = SAMPLES * (problem.end - problem.start) / shortest_period(problem)
    count = int(min(max(wanted, FEWEST), MOST))
    return replace(problem, output_times=np.linspace(problem.start, problem.end, count + 1))


@dataclass(frozen=True, eq=False)
class _Entrant:
    """A solver of a comparison, with the one scheme that it is compared by."""

    label: str
    runner: Runner
    scheme: str
    plain: bool  # without settings of the user
    is_exact: bool  # ours

    def lacking(self, problem: Problem) -> list[str]:
        """Return what the problem needs and the solver does not offer."""
        return sorted(problem.needs - self.runner.subject.capabilities)


def _entrants(solvers: Any) -> list[_Entrant]:
    several = isinstance(solvers, Iterable) and not isinstance(solvers, str)
    found = [_entrant(*_pair(given)) for given in (solvers if several else (solvers,))]
    if not found:
        raise SettingsError("compare: name one solver or more")
    for i, entrant in enumerate(found):
        if entrant.label in [other.label for other in found[:i]]:
            raise SettingsError(f"compare: {entrant.label} is given twice; its refinement levels vary its settings")
    return found


def _pair(given: Any) -> tuple[Any, Mapping[str, Any]]:
    if not isinstance(given, tuple):
        return given, {}
    if len(given) == 2 and isinstance(given[1], Mapping):
        return given
    raise SettingsError(f"compare: write a solver, or a pair of solver and settings; got {given!r}")


def _entrant(solver: Solver | str, settings: Mapping[str, Any]) -> _Entrant:
    gate = open_here(solver)
    introduction = gate.introduction
    scheme = subject_of(gate, settings).schemes[0]
    label = f"{introduction.name} {scheme}" if len(introduction.schemes) > 1 else introduction.name
    is_exact = solver is EXACT or solver == EXACT_NAME
    return _Entrant(label, Runner(gate, request_of(settings)), scheme, plain=not settings, is_exact=is_exact)


def _statement(problem: Problem, asked: Sequence[Question], found: Mapping[str, _Reference], require: str) -> Statement:
    """Return the problem as a case with one variant; the references are looked up in what is found later."""
    case = Case(
        name=problem.name,
        title=problem.name,
        document="problem of the user",
        summary=f"Comparison of solvers; {STANDS_IN}.",
        statement=(),
        parameters=(),
        variants=(Variant("given", {}),),
        quantities=tuple(_quantity(q, problem, found, require) for q in asked),
        problem=lambda _: problem,
        remarks=(f'References of kind "numerical" are answers of solvers: {STANDS_IN}.',),
        residuals=residuals(problem),
        linear=isinstance(problem, MechanicalProblem) and not problem.elements,
    )
    return Statement(case, case.variants[0])


def _quantity(q: Question, problem: Problem, found: Mapping[str, _Reference], require: str) -> Quantity:
    relative = read_requirement(require).relative
    return Quantity(
        q.name,
        q.unit,
        q.definition,
        reference=lambda *, digits=30: found[q.name].value,  # noqa: ARG005 - the signature of references
        measure=lambda o: q.read(o.response),
        criterion=lambda _: found[q.name].criterion(relative, require),
        scale=lambda _: found[q.name].size,
        regularity=regularity(problem),
    )


@dataclass(frozen=True)
class _Reference:
    """What stands in for the truth of a quantity: the value with its uncertainty, its scale, who gave it."""

    value: Certified
    size: float = 0.0
    label: str = ""

    def criterion(self, relative: float, text: str) -> Tolerance:
        """Return how near a default answer must come: what the user requires, and what nobody knows better."""
        doubt = float(self.value.radius or 0.0)
        size = self.size if self.value.value is None else max(self.size, abs(float(self.value)))
        reason = f"required: {text}, of {size:.3g} + uncertainty of the reference"
        return Tolerance(relative * size + doubt, "absolute", reason)


def _exact(problem: Problem, offered: Sequence[_Entrant]) -> _Entrant | None:
    """Return the exact solver as it is compared, or beside what is compared; None where it does not apply."""
    compared = next((e for e in offered if e.is_exact and e.plain), None)
    entrant = compared or _entrant(EXACT, {})
    return None if entrant.lacking(problem) else entrant


def _reference(
    question: Question, statement: Statement, offered: Sequence[_Entrant], exact: _Entrant | None
) -> _Reference:
    """Return the answer of the exact solver, else that with the smallest uncertainty over refinement levels."""
    (quantity,) = (q for q in statement.quantities if q.name == question.name)
    if question.vanishes:
        return _Reference(VANISHES, max((_size_of(question, statement, e) for e in offered), default=0.0), "statement")
    if exact and (known := _exactly(question, quantity, statement, exact)):
        return known
    refined = [
        found for e in offered if e.runner.subject.refined and (found := _finest(question, quantity, statement, e))
    ]
    none = undefined("neither the exact solver nor refinement levels of a solver give an answer with an uncertainty")
    if refined:
        return min(refined, key=lambda r: float(r.value.radius or 0.0))
    return _Reference(none, max((_size_of(question, statement, e) for e in offered), default=0.0))


def _size_of(question: Question, statement: Statement, e: _Entrant) -> float:
    try:
        return question.size(e.runner.observe(e.runner.default_run(statement, e.scheme)).response)
    except NOTHING:
        return 0.0


VANISHES = Certified(mpmath.mpf(0), None, "closed form", ("zero by the statement of the problem",), mpmath.mpf(0))
NOTHING = (SolverFailure, CapabilityError, SolverInputError, NotJudged, HarnessError)


def _exactly(question: Question, quantity: Quantity, statement: Statement, exact: _Entrant) -> _Reference | None:
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
    return _Reference(_numerical(float(value), radius + 10.0**-digits * size, how), size, exact.label)


def _finest(question: Question, quantity: Quantity, statement: Statement, e: _Entrant) -> _Reference | None:
    try:
        found = answers(e.runner, statement, e.scheme, quantity)
        value, run = found.numbers[-1], found.runs[-1]
        radius = found.uncertainty + e.runner.sampling(run, quantity, value)
        size = max(abs(value), question.size(e.runner.observe(run).response))
    except NOTHING:
        return None
    how = f"{e.label}, {found.key} = {found.sizes[-1]:.3g}: numerical uncertainty over {len(found.sizes)} levels"
    return _Reference(_numerical(value, radius, how), size, e.label)


def _numerical(value: float, radius: float, how: str) -> Certified:
    share = radius / abs(value) if value else 1.0
    digits = max(1, math.floor(-math.log10(share))) if share else 16
    return Certified(mpmath.mpf(value), digits, "numerical", (how,), mpmath.mpf(radius))


def _checks(
    e: _Entrant, statement: Statement, found: Mapping[str, _Reference], layers: Sequence[str]
) -> Iterator[Check]:
    """Yield the checks of a solver; none of a quantity without reference, or whose reference it gave itself."""
    left_out = {name for name, r in found.items() if r.value.value is None or r.label == e.label}
    everything = left_out == set(found)
    for check in checks_of(statement, e.runner.subject, e.scheme):
        claim, _, quantity = check.name.rpartition(":")
        pooled = check.layer is Layer.CLAIM and not claim and check.name in ("order", "slope", "error_over_tolerance")
        if check.layer in layers and quantity not in left_out and not (pooled and everything):
            yield check


def _solutions(statement: Statement, entrants: Iterable[_Entrant]) -> tuple[dict[str, Solution], dict[str, str]]:
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
    e: _Entrant,
    question: Question,
    reference: _Reference,
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


def _default(e: _Entrant, question: Question, statement: Statement) -> Any:
    if e.lacking(statement.problem):
        return None
    try:
        return e.runner.measured(e.runner.default_run(statement, e.scheme)).get(question.name)
    except NOTHING:
        return None


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
