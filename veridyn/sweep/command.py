"""The command `sweep`: many parameter sets of a case, solved by any solver, as a table and a picture."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from veridyn.files.problem_files import load_problem, names_problem
from veridyn.outputs import Content, OutputFolder, open_folder
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.printable import print_line
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Exact, ParameterError
from veridyn.reports.numbers import plural
from veridyn.reports.writer import save_all
from veridyn.results import ReportError, unstructure_environment
from veridyn.run import spreading
from veridyn.run.document import environment
from veridyn.run.execution import introduce_solvers
from veridyn.run.exit_code import ExitCode
from veridyn.run.posed import settings_of
from veridyn.run.running import Crew
from veridyn.run.screen import bar
from veridyn.run.workers import Job, Pool, WorkerLost
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import Columns
from veridyn.solver.contract.loading import EXACT, OWN, SCIPY
from veridyn.sweep import request
from veridyn.sweep import store as sweep_store
from veridyn.sweep.own_problem import make_case
from veridyn.sweep.picture import draw
from veridyn.sweep.points import solve_chunk, sweep_of
from veridyn.sweep.request import SweepRequest, describe, find_ranges, read_grid, read_names
from veridyn.validation_cases.judgement.catalogue import kind_of, load_case
from veridyn.validation_cases.judgement.judge import correct_digits, measured_error
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.sweeping import ANSWERED, OUTCOME, OUTCOMES, Swept

SCHEMA_VERSION = "1.0"
FILES = ("sweep.npz", "sweep.csv", "sweep.svg", "sweep.json")
BAR = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())


Work = tuple[int, float]
"""What this call computed: points, and the time (s) that they took."""


def sweep(
    *,
    case: str,
    over: Sequence[str],
    changed: Mapping[str, str],
    solver: str | None,
    scheme: str,
    output: Path | None,
    crew: Crew,
    resume: bool,
    check: int,
    command: Sequence[str],
) -> int:
    """Solve all points, check some, write, print; returns the exit status: 1 if the check failed.

    Raises ParameterError, SolverInputError, UnknownCase if what is asked for cannot be done; ReportError if the folder
    cannot be written; found out before the work starts.
    """
    problem = load_problem(case) if names_problem(case) else None
    spec = solver or default_solver(case, problem)
    if resume and output is None:
        raise SolverInputError("--resume needs the --output of the sweep that it goes on with")
    opened = open_folder(output, "sweep", FILES) if output else nullcontext()
    with opened as place, spreading.pool(1, crew.scheduler) as pool:
        subject = _introduce(pool, crew, spec, scheme)
        asked = read_request(case, problem, over, changed, spec, subject)
        if resume and place and _is_complete(place, asked):
            print_line(f"{output} is complete: nothing to do")
            return ExitCode.FINE
        with nullcontext(place.work) if place else tempfile.TemporaryDirectory() as scratch:
            chunks = sweep_store.Chunks(Path(scratch), asked)
            chunks.open(resume=resume)
            work = _work(pool, crew, chunks, kept=place is not None)
            if isinstance(work, int):
                pool.kill()
                return work
            columns = chunks.columns()
            result = _document(asked, subject, _describe_crew(asked, crew), work, columns, check, command)
            written: list[Path] = []
            if place:
                written = save_all(place, _make_files(asked, columns, result))
                chunks.remove()
    _print(asked, result, written)
    return ExitCode.FINE if result["check"]["passed"] else ExitCode.FAILED


def default_solver(case: str, problem: Problem | None) -> str:
    """Return who solves a case where the user names nobody: who solves many at once, else ours for its kind."""
    if problem is None and load_case(case).sweep:
        return EXACT
    kind = kind_of(case) if problem is None else problem.kind
    return OWN if kind == MechanicalProblem.kind else SCIPY


def _introduce(pool: Pool, crew: Crew, spec: str, scheme: str) -> Subject:
    subjects, refused = introduce_solvers(pool, crew.access, [spec], Request(schemes=(scheme,) if scheme else ()))
    if refused:
        raise SolverInputError(refused[spec])
    return subjects[spec]


def read_request(
    name: str,
    problem: Problem | None,
    over: Sequence[str],
    changed: Mapping[str, str],
    spec: str,
    subject: Subject,
) -> SweepRequest:
    """Return the points that are asked for of a case or a problem of the user, and how the solver solves them.

    Many at once if it offers the family of the case, one after another with settings of the user. Raises what
    `read_grid` raises; ParameterError if a combination cannot be solved.
    """
    settings = settings_of(changed, set(subject.all_settings))
    fixed = {name: value for name, value in changed.items() if name not in settings}
    case = load_case(name) if problem is None else make_case(problem, read_names(over, fixed))
    many = case.sweep is not None and case.name in subject.families and not settings
    grid = read_grid(case, over, fixed)
    chunk = request.CHUNK if many else request.SMALL_CHUNK
    how: dict[str, Any] = {"solver": spec, "scheme": subject.schemes[0], "settings": settings}
    asked = replace(grid, case=name, problem=problem, many=many, chunk=chunk, **how)
    sweep_of(asked).refuse(find_ranges(asked))
    return asked


def _describe_crew(asked: SweepRequest, crew: Crew) -> str:
    if crew.scheduler:
        return f"scheduler {crew.scheduler}"
    return plural(crew.jobs, "thread" if asked.many else "worker")


def _is_complete(place: OutputFolder, asked: SweepRequest) -> bool:
    """Tell whether the table of this sweep is there; raises `SolverInputError` if it is that of another one."""
    document, table = place.path / "sweep.json", place.path / "sweep.npz"
    if not (document.exists() and table.exists()) or (place.work / sweep_store.CHUNKS / sweep_store.REQUEST).exists():
        return False
    sweep_store.refuse_other(document, asked)
    return True


def _work(pool: Pool, crew: Crew, chunks: sweep_store.Chunks, *, kept: bool) -> Work | int:
    """Solve what is missing, and keep it as it comes; returns an exit status if that did not come to its end.

    A solver of many problems at once works with threads of its own on this machine, one chunk after another.
    """
    asked = chunks.request
    here = not crew.scheduler
    threads = crew.jobs if asked.many and here else 1
    todo, done = chunks.missing(), 0
    jobs = [Job(solve_chunk, (crew.access, asked, chunk, threads)) for chunk in todo]
    with Pool(crew.jobs) if here and not asked.many else nullcontext(pool) as workers:
        _prepare(workers, crew, asked)
        start = time.perf_counter()
        try:
            said, total = f"{asked.size:,} points", asked.chunks
            with bar(total, said, total - len(todo), BAR) as advance:
                for number, columns in workers.share(jobs):
                    chunks.write(todo[number], columns)
                    first, end = asked.bounds(todo[number])
                    done += end - first
                    advance(1, said)
        except KeyboardInterrupt:
            return _end("interrupted", chunks, ExitCode.INTERRUPTED, kept=kept)
        except (WorkerLost, SolverFailure) as failure:
            return _end(str(failure), chunks, ExitCode.CRASHED, kept=kept)
        return done, time.perf_counter() - start


def _prepare(pool: Pool, crew: Crew, asked: SweepRequest) -> None:
    """Load or compile the kernels, so that the time of the sweep is its own; what goes wrong shows at the points."""
    single = tuple(replace(axis, values=axis.values[:1]) for axis in asked.axes)
    with contextlib.suppress(WorkerLost, SolverFailure):
        list(pool.ask(solve_chunk, crew.access, replace(asked, axes=single), 0, 1))


def _end(why: str, chunks: sweep_store.Chunks, status: int, *, kept: bool) -> int:
    total = chunks.request.chunks
    there = f"; {total - len(chunks.missing())} of {total} chunks are kept, --resume goes on" if kept else ""
    print_line(f"veridyn: {' '.join(why.split())}{there}", file=sys.stderr)
    return status


def _document(
    asked: SweepRequest,
    subject: Subject,
    solved_by: str,
    work: Work,
    columns: Columns,
    check: int,
    command: Sequence[str],
) -> dict[str, Any]:
    """Return all that a reader needs beside the table."""
    offered = sweep_of(asked)
    findings = check_points(asked, columns, check)
    return {
        "schema_version": SCHEMA_VERSION,
        "hash": asked.hash(),
        "case": asked.case,
        "environment": unstructure_environment(environment(command)),
        "solver": {"name": subject.name, "version": subject.version, "scheme": asked.scheme}
        | {"settings": dict(asked.settings), "many_at_once": asked.many},
        "parameters": describe(asked),
        "points": asked.size,
        "shape": list(asked.shape),
        "quantities": [
            {"name": q.name, "unit": q.unit, "definition": q.definition, "labels": list(q.labels)}
            for q in offered.quantities
        ],
        "counts": _counts(asked, columns),
        "timing": {
            "solved_by": solved_by,
            "points": work[0],
            "seconds": work[1],
            "microseconds_per_point": 1e6 * work[1] / max(work[0], 1),
        },
        "check": verdict_of(findings, offered.digits) | {"reason": offered.reason},
    }


def _counts(asked: SweepRequest, columns: Columns) -> dict[str, int]:
    offered = sweep_of(asked)
    labels = offered.quantity(offered.classified).labels
    counts = np.bincount(columns[offered.classified].ravel(), minlength=len(labels))
    return {label: int(count) for label, count in zip(labels, counts, strict=True)}


def _make_files(asked: SweepRequest, columns: Columns, made: dict[str, Any]) -> dict[str, Content]:
    """Return table, picture and document, each as what it holds or what writes it."""
    files: dict[str, Content] = {
        "sweep.npz": partial(sweep_store.write_npz, request=asked, columns=columns),
    }
    if asked.size <= sweep_store.CSV_POINTS:
        files["sweep.csv"] = partial(sweep_store.write_csv, request=asked, columns=columns)
    try:
        files["sweep.svg"] = draw(asked, columns).encode()
    except ReportError as missing:
        print_line(f"veridyn: no picture: {missing}", file=sys.stderr)
    text = json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return files | {"sweep.json": text.encode()}  # the last: it stands for a complete sweep


def _print(asked: SweepRequest, found: dict[str, Any], written: Sequence[Path]) -> None:
    axes = " × ".join(f"{axis.name} {axis.values.size}" for axis in asked.axes)
    print(f"{asked.case}: {asked.size:,} points ({axes})")
    print("; ".join(f"{label} {count:,}" for label, count in found["counts"].items()))
    timing = found["timing"]
    if timing["points"]:
        each = f"{timing['microseconds_per_point']:.3g} µs per point"
        print(f"{timing['points']:,} solved in {timing['seconds']:.3g} s, {each}, by {timing['solved_by']}")
    _print_check(found["check"])
    if written:
        print_line(f"written: {', '.join(map(str, sorted(written)))}")


def _print_check(seen: dict[str, Any]) -> None:
    if not seen["points"]:
        return
    digits = "nothing to measure there"
    if seen["worst_digits"] is not None:
        digits = f"worst {seen['worst_digits']:.1f} digits, median {seen['median_digits']:.1f}"
    print(f"check: {seen['points']} random points against the certified reference: {digits}")
    for finding in seen["findings"]:
        if finding["unknown"]:
            print_line(f"  not compared at {finding['parameters']}: {finding['unknown']}")
        if finding["wrong"] or min(finding["digits"].values(), default=math.inf) < seen["wanted_digits"]:
            few = {name: digits for name, digits in finding["digits"].items() if digits < seen["wanted_digits"]}
            few |= {name: finding["digits"].get(name) for name in finding["wrong"]}
            told = ", ".join(name if n is None else f"{name} with {n:.1f} digits" for name, n in few.items())
            at = ", ".join(f"{name}={value:.6g}" for name, value in finding["parameters"].items())
            print_line(f"  FAILED at {at}: {told}")


# ---- points that are compared with the certified reference

ASKED = 17  # digits of the reference: all that a double can have, and one more


@dataclass(frozen=True)
class PointFinding:
    """One point: its parameters, and the correct digits of every number that exists there.

    ``wrong`` are the quantities that are plainly wrong; ``unknown`` says why there is no truth to compare with.
    """

    parameters: Mapping[str, float]
    digits: Mapping[str, float]
    wrong: tuple[str, ...] = ()
    unknown: str = ""


def check_points(asked: SweepRequest, columns: Columns, count: int) -> list[PointFinding]:
    """Compare some points with the truth. The same request gives the same points."""
    chance = np.random.default_rng(int(asked.hash(), 16))
    points = np.sort(chance.choice(asked.size, min(count, asked.size), replace=False))
    parameters = asked.columns(points)
    return [
        _compare(
            sweep_of(asked).quantities,
            {name: float(column[i]) for name, column in parameters.items()},
            {name: column.ravel()[point].item() for name, column in columns.items()},
        )
        for i, point in enumerate(points)
    ]


def _compare(quantities: Sequence[Swept], parameters: Mapping[str, float], found: Mapping[str, Any]) -> PointFinding:
    # the solver takes doubles as they are, and so must the truth: 0.1 is here not one tenth
    values = {name: Exact(Fraction(value)) for name, value in parameters.items()}
    digits: dict[str, float] = {}
    wrong: list[str] = []
    if found.get(OUTCOME, ANSWERED) != ANSWERED:
        return PointFinding(parameters, digits, (), f"the point is {OUTCOMES[found[OUTCOME]]}")
    for quantity in (q for q in quantities if q.reference):
        try:
            right, near = _count_digits(quantity, values, found[quantity.name])
        except (ParameterError, CertificationError) as limit:  # of the reference; the sweep may go further
            return PointFinding(parameters, digits, tuple(wrong), f"{quantity.name}: {limit}")
        if not near:
            wrong.append(quantity.name)
        if right is not None:
            digits[quantity.name] = right
    return PointFinding(parameters, digits, tuple(wrong))


def _count_digits(quantity: Swept, values: Mapping[str, Exact], found: Any) -> tuple[float | None, bool]:
    """Return the correct digits, None where there is nothing to count, and whether the value is right or near enough.

    A value that was not measured is not wrong: of a run its check would say so.
    """
    truth = quantity.truth(values, ASKED)
    if quantity.labels or quantity.counted or quantity.text:
        seen = quantity.labels[found] if quantity.labels else found
        return None, seen == truth.value or (quantity.text and not seen)
    if truth.value is None or math.isnan(found):
        return None, quantity.tolerance is not None or (truth.value is None) == math.isnan(found)
    digits = correct_digits(found, truth)
    if quantity.tolerance is None:
        return digits, True
    tolerance = quantity.tolerance(values)
    error = measured_error(found, truth.value, tolerance)
    return digits, error is not None and error <= tolerance.value


def verdict_of(findings: Sequence[PointFinding], wanted: float) -> dict[str, Any]:
    """Return what was found, for the document of a sweep."""
    digits = [d for finding in findings for d in finding.digits.values()]
    worst = min(digits, default=None)
    wrong = any(finding.wrong for finding in findings)
    return {
        "points": len(findings),
        "worst_digits": worst,
        "median_digits": float(np.median(digits)) if digits else None,
        "wanted_digits": wanted,
        "passed": not wrong and (worst is None or worst >= wanted),
        "findings": [asdict(finding) for finding in findings],
    }
