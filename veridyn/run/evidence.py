"""Results held against the installed library: what no file can prove of itself is computed anew.

Reading a file computes each number from others of the same file (`veridyn.results.contradictions`). Whoever changes all
of them alike passes there. Here true values, criteria, the checks that a case has for a solver, and what follows from
levels come from the library, as the run had them. What only the answers of the solver tell (how far they change where
every second sample is read, why a check could not be judged) stays what the file states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from veridyn.outputs import hash_file
from veridyn.problem.errors import SolverInputError
from veridyn.references import CertificationError, ParameterError
from veridyn.results import (
    CaseSheet,
    Document,
    FingerprintKind,
    PlannedChecks,
    Profile,
    Record,
    ReferenceRow,
    ReportError,
    SolverVersion,
    Verdict,
)
from veridyn.results.recomputing import make_decimal
from veridyn.results.words import CARD
from veridyn.run.document import sheet
from veridyn.run.fingerprints import mark_solver, mark_suite
from veridyn.run.rechecking import Judged, recheck, recheck_card
from veridyn.solver.contract.statements import Claims, read_claims
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import UnknownCase, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.derivatives import find_statement
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.tolerances import read_requirement

WRONG_STATEMENTS = (UnknownCase, KeyError, ParameterError, CertificationError, SolverInputError)


@dataclass
class Evidence:
    """What results have in common with the library: differences, a line each, what was compared, and what not."""

    differences: list[str] = field(default_factory=list)
    references: int = 0
    records: int = 0
    remarks: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One sentence."""
        return f"{self.references} references and {self.records} results agree with the installed library"


def verify_evidence(document: Document) -> Evidence:
    """Compute anew what the library tells of results, and return how they differ from it.

    Raises ReportError if the document states no plan, or compares solvers on a problem that is no case.
    """
    if document.profile is Profile.COMPARISON:
        raise ReportError("a comparison of solvers on a problem of one's own: the library does not hold that problem")
    if document.plan is None:
        raise ReportError("the results state no plan: what they are held against is not known; repeat the run")
    evidence = Evidence()
    same_suite = _compare_suite(document, evidence)
    _compare_solvers(document, evidence)
    _compare_answers(document, evidence)
    for described in document.cases:
        evidence.differences += _compare_sheet(document, described, evidence, whole=same_suite)
    by_check = {(r.run_number, r.solver, r.case, r.variant, r.id): r for r in document.results}
    stated = {(solver.run or 1, solver.name): solver for solver in document.solvers}
    for entry in document.plan:
        evidence.differences += _compare_entry(entry, stated[entry.run or 1, entry.solver], by_check, evidence)
    return evidence


def _compare_suite(document: Document, evidence: Evidence) -> bool:
    """Tell whether the files of veridyn here are those that made the results."""
    here = mark_suite()
    marks = {mark.sha256 for mark in document.fingerprints if mark.kind is FingerprintKind.SUITE}
    if marks == {here.sha256}:
        return True
    versions = ", ".join(sorted({run.veridyn for run in document.runs}))
    evidence.remarks.append(f"the results are of veridyn {versions}, other files than those of {here.version} here")
    return False


def _compare_solvers(document: Document, evidence: Evidence) -> None:
    """Compare the files of solvers that are here with those that were judged."""
    marks = {(m.run or 1, m.name): m for m in document.fingerprints if m.kind is FingerprintKind.SOLVER}
    by_hand = {m.run or 1 for m in document.fingerprints if m.kind is FingerprintKind.ANSWERS}
    for solver in document.solvers:
        if not solver.specification and (solver.run or 1) in by_hand:
            continue  # its files of answers have hashes of their own
        mark = marks.get((solver.run or 1, solver.name))
        here = mark_solver(solver.specification, solver.name) if solver.specification else None
        if mark is None or here is None:
            evidence.remarks.append(f"files of solver {solver.name} are not here: their hash was not compared")
        elif mark.sha256 == here.sha256:
            continue
        elif mark.version:
            evidence.remarks.append(f"solver {solver.name} was of version {mark.version}, other files than those here")
        else:
            evidence.differences.append(f"solver {solver.name}: its files here are not those that were judged")


def _compare_answers(document: Document, evidence: Evidence) -> None:
    """Compare files of answers that are here, by the name that they were judged by, with those that were judged."""
    for mark in document.fingerprints:
        if mark.kind is not FingerprintKind.ANSWERS:
            continue
        if not Path(mark.name).is_file():
            evidence.remarks.append(f"{mark.name}, which was judged, is not here: its hash was not compared")
        elif hash_file(Path(mark.name)) != mark.sha256:
            evidence.differences.append(f"{mark.name} is not the file that was judged")


# ---- sheets


def _compare_sheet(document: Document, described: CaseSheet, evidence: Evidence, *, whole: bool) -> Iterator[str]:
    """Yield how the sheet of a case differs from that of the library; ``whole``: by its text too, of the same files."""
    plan = [entry for entry in document.plan or () if entry.case == described.case]
    parameters = next((entry.parameters for entry in plan if entry.parameters), {})
    variants = list(dict.fromkeys(row.variant for row in described.references))
    try:
        made = sheet(load_case(described.case), parameters, [] if parameters else variants)
    except WRONG_STATEMENTS as wrong:
        yield f"{described.case}: the library cannot state it: {wrong}"
        return
    true = {(row.variant, row.quantity): row for row in made.references}
    for row in described.references:
        evidence.references += 1
        there = true.get((row.variant, row.quantity))
        if there is None:
            yield f"{described.case} {row.variant} {row.quantity}: the library has no such reference"
        elif not _agree(row, there):
            yield f"{described.case} {row.variant} {row.quantity}: reference {row.value}, the library has {there.value}"
    stated = {(row.variant, row.quantity) for row in described.references}
    for entry in plan:
        for variant, quantity in true:
            if variant == entry.variant and (variant, quantity) not in stated:
                yield f"{described.case} {variant} {quantity}: its reference is missing"
    for name in CaseSheet.__struct_fields__ if whole else ():
        if name != "references" and getattr(described, name) != getattr(made, name):
            yield f"{described.case}: its {name} is not that of the library"


def _agree(row: ReferenceRow, true: ReferenceRow) -> bool:
    """Tell whether two references are the same text, or two numbers whose enclosures meet."""
    if row.value == true.value:
        return row.digits == true.digits
    here, there = make_decimal(row.value), make_decimal(true.value)
    if here is None or there is None:
        return False
    radius = sum((Decimal(each.radius or 0) for each in (row, true)), Decimal(0))
    return abs(here - there) <= radius


# ---- results


def _compare_entry(
    entry: PlannedChecks,
    solver: SolverVersion,
    by_check: Mapping[tuple[int, str, str, str, str], Record],
    evidence: Evidence,
) -> Iterator[str]:
    """Yield how a part of the plan, and its results, differ from what the library makes of them."""
    if entry.case == CARD:
        yield from _compare_card(entry, solver, by_check, evidence)
        return
    if not solver.specification:
        evidence.remarks.append(
            f"{entry.case} {entry.variant} of {solver.name}, run by hand: its plan was not compared"
        )
    try:
        subject = read_subject(solver)
        case = load_case(entry.case)
        statement = Statement(case, _find_variant(case, entry))
        # of a code that was run by hand nobody knows what it offers, and which checks its files served
        made = dict.fromkeys(c.id for c in checks(case, subject, [statement.variant])) if solver.specification else None
        lacking = sorted(statement.needs - subject.capabilities) if solver.specification else []
    except WRONG_STATEMENTS as wrong:
        yield f"{entry.solver}, {entry.case} {entry.variant}: the library cannot state it: {wrong}"
        return
    planned = {check for check in entry.checks if not check.startswith("baseline:")}
    place = f"{entry.solver}, {entry.case}"
    if made is not None:
        yield from (f"{place} {check}: the library has no such check" for check in sorted(planned - set(made)))
        yield from (f"{place} {check}: is missing in the plan" for check in sorted(set(made) - planned))
    for name in entry.checks:
        record = by_check.get((entry.run or 1, entry.solver, entry.case, entry.variant, name))
        if record is None:
            continue
        if lacking and record.verdict is not Verdict.NOT_APPLICABLE:
            yield f"{place} {name}: was judged, but the solver does not offer {', '.join(lacking)}"
        elif record.tolerance is not None:
            evidence.records += 1
            yield from (
                f"{place} {name}: {fault}"
                for fault in recheck(Judged(record, find_statement(statement, record.quantity), subject))
            )


def _compare_card(
    entry: PlannedChecks,
    solver: SolverVersion,
    by_check: Mapping[tuple[int, str, str, str, str], Record],
    evidence: Evidence,
) -> Iterator[str]:
    """Yield how claims that a card contradicts are not those that the solver states."""
    subject = read_subject(solver)
    for name in entry.checks:
        record = by_check.get((entry.run or 1, entry.solver, entry.case, entry.variant, name))
        if record is not None:
            evidence.records += 1
            claims = subject.claims.get(record.scheme, Claims())
            yield from (f"{entry.solver}, {name}: {fault}" for fault in recheck_card(record, claims))


def _find_variant(case: Case, entry: PlannedChecks) -> Variant:
    return case.make_variant(entry.parameters) if entry.parameters else case.variant(entry.variant)


def read_subject(solver: SolverVersion) -> Subject:
    """Return a solver under test as the results state it; raises SettingsError if its claims cannot be read."""
    require = read_requirement(solver.require) if solver.require else None
    return Subject(
        name=solver.name,
        version=solver.version,
        capabilities=frozenset(solver.capabilities),
        schemes=solver.schemes,
        claims={scheme: read_claims(f"solver {solver.name}", claims) for scheme, claims in solver.claims.items()},
        refined=solver.refined,
        observed=solver.observed,
        request=Request(
            settings=solver.settings,
            require=require,
            quantities=solver.quantities,
            relations=solver.relations,
            seed=solver.seed,
        ),
    )
