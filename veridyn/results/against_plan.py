"""A document held against its plan: every check that was planned has one result, and every result was planned."""

from collections.abc import Iterator

from veridyn.results.causes import find_causes
from veridyn.results.document import Document, SolverVersion
from veridyn.results.words import FingerprintKind
from veridyn.results.writing import count_verdicts


def find_deviations(document: Document) -> Iterator[str]:
    """Yield how the results of a document differ from its plan and its counts; nothing without a plan."""
    counts = count_verdicts(document.results)
    if document.counts is not None and document.counts != counts:
        yield f"counts {_list_counts(document.counts)}, but has {_list_counts(counts)}"
    if document.causes is not None and document.causes != find_causes(document):
        yield "states other causes of its failures than its results show"
    yield from _compare_with_plan(document)
    yield from contradict_runs(document)


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) or "nothing"


def _compare_with_plan(document: Document) -> Iterator[str]:
    if document.plan is None:
        return
    planned = [
        (entry.run or 1, entry.solver, entry.case, entry.variant, check)
        for entry in document.plan
        for check in entry.checks
    ]
    there = {(r.run_number, r.solver, r.case, r.variant, r.id): r for r in document.results}
    distinct = set(planned)
    if len(distinct) != len(planned):
        yield "plans a check twice"
    if document.planned != len(planned):
        yield f"states {document.planned} planned checks, but its plan has {len(planned)}"
    yield from (f"has a result that was not planned: {_name(check)}" for check in there if check not in distinct)
    missing = [check for check in planned if check not in there]
    if missing and not document.ended:
        yield f"has no result of {_name(missing[0])}, which was planned ({len(missing)} missing)"
    stated = {(solver.run or 1, solver.name) for solver in document.solvers}
    for run, solver in dict.fromkeys((check[0], check[1]) for check in planned):
        if (run, solver) not in stated:
            yield f"plans checks of solver {solver!r}, of which it states nothing"


def _name(check: tuple[int, str, str, str, str]) -> str:
    _, solver, case, _, name = check
    return f"{solver}, {case} {name}"


def contradict_runs(document: Document) -> Iterator[str]:
    """Yield why runs cannot be judged as one: other versions of the suite, or of a solver, or other files of it."""
    suites = sorted({run.veridyn for run in document.runs})
    if len(suites) > 1:
        yield f"joins runs of different versions of veridyn ({', '.join(suites)}); {APART}"
    versions: dict[str, SolverVersion] = {}
    for solver in document.solvers:
        first = versions.setdefault(solver.name, solver)
        if first.version != solver.version:
            yield f"joins runs of different versions of {solver.name} ({first.version}, {solver.version}); {APART}"
    hashes: dict[tuple[str, tuple[str, ...]], str] = {}
    for mark in document.fingerprints:
        # a distribution has its version; its binaries differ between machines
        is_file = mark.kind is FingerprintKind.SOLVER and not mark.version
        if is_file and hashes.setdefault((mark.name, mark.files), mark.sha256) != mark.sha256:
            yield f"joins runs of different files of {mark.name}; {APART}"


APART = "make a report of each, or compare them with --against"
