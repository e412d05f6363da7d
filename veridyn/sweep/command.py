"""The command `sweep`: many parameter sets of a case at once, as a table and a picture."""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from veridyn.problem.errors import SolverInputError
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Exact, ParameterError
from veridyn.reports.numbers import plural
from veridyn.results import ReportError, unstructure_environment
from veridyn.run.document import environment
from veridyn.run.exit_code import ExitCode
from veridyn.run.running import writable
from veridyn.run.screen import bar
from veridyn.run.spreading import connected, distributed
from veridyn.sweep import store as sweep_store
from veridyn.sweep.picture import draw
from veridyn.sweep.request import Request, describe, request, sweep_of
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.judge import correct_digits
from veridyn.validation_cases.judgement.sweeping import Columns, Swept

SCHEMA_VERSION = "1.0"
BAR = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())


class WorkersFailed(RuntimeError):
    """The workers of a scheduler did not do their work."""


Work = tuple[int, float]
"""What this call computed: points, and the time (s) that they took."""


def sweep(
    *,
    case: str,
    over: Sequence[str],
    changed: Mapping[str, str],
    output: Path | None,
    scheduler: str | None,
    threads: int | None,
    resume: bool,
    check: int,
    command: Sequence[str],
) -> int:
    """Solve all points, check some, write, print; returns the exit status: 1 if the check failed.

    Raises ParameterError, SolverInputError, UnknownCase if what is asked for cannot be done; ReportError if the folder
    cannot be written; found out before the work starts.
    """
    asked = request(load_case(case), over, changed)
    threads = _threads(threads, scheduler)
    if resume and output is None:
        raise SolverInputError("--resume needs the --output of the sweep that it goes on with")
    writable(output, None)
    if resume and output and _is_complete(output, asked):
        print(f"{output} is complete: nothing to do")
        return ExitCode.FINE
    with tempfile.TemporaryDirectory() if output is None else nullcontext(output) as place:
        chunks = sweep_store.Chunks(Path(place), asked)
        with _solver(asked, threads, scheduler) as solve:
            chunks.open(resume=resume)
            work = _work(chunks, solve, kept=output is not None)
        if isinstance(work, int):
            return work
        columns = chunks.columns()
        solved_by = f"scheduler {scheduler}" if scheduler else plural(threads, "thread")
        found = _document(asked, solved_by, work, columns, check, command)
        if output:
            _write(output, asked, columns, found)
            chunks.remove()
    _print(asked, found, output)
    return ExitCode.FINE if found["check"]["passed"] else ExitCode.FAILED


def _threads(threads: int | None, scheduler: str | None) -> int:
    most: int = numba.get_num_threads()
    if threads is not None and scheduler:
        raise SolverInputError("-n counts threads of this machine; a scheduler has workers of its own: leave one out")
    if threads is not None and threads > most:
        raise SolverInputError(f"-n {threads} is more than the {most} threads of this machine")
    return threads or most


def _is_complete(output: Path, asked: Request) -> bool:
    """Tell whether the table of this sweep is there; raises `SolverInputError` if it is that of another one."""
    document, table = output / "sweep.json", output / "sweep.npz"
    if not (document.exists() and table.exists()) or (output / "chunks").exists():
        return False
    sweep_store.refuse_other(document, asked)
    return True


@contextmanager
def _solver(asked: Request, threads: int, scheduler: str | None) -> Iterator[Any]:
    """Yield the function that solves some chunks."""
    if scheduler:
        with connected(scheduler) as client:
            yield lambda todo: _on_workers(client, asked, todo)
    else:
        # load or compile the kernels, so that the time of the sweep is its own
        single = tuple(replace(axis, values=axis.values[:1]) for axis in asked.axes)
        Request(asked.case, single, asked.fixed).compute(0, threads)
        yield lambda todo: ((chunk, asked.compute(chunk, threads)) for chunk in todo)


def _on_workers(client: Any, asked: Request, todo: Sequence[int]) -> Iterator[tuple[int, Columns]]:
    """Yield the chunks as the workers solve them, each on one thread.

    Raises WorkersFailed if a worker raises or the scheduler gives a chunk up.
    """
    shared = client.scatter(asked, broadcast=True, hash=False)
    futures = client.map(_compute, todo, request=shared, pure=False)
    chunks = dict(zip((future.key for future in futures), todo, strict=True))
    waiting = distributed().as_completed(futures, loop=client.loop)
    del futures  # the workers forget what has been fetched
    for future in waiting:
        try:
            yield chunks[future.key], future.result()
        except Exception as error:
            raise WorkersFailed(f"the workers failed: {type(error).__name__}: {error}") from error


def _compute(chunk: int, request: Request) -> Columns:
    return request.compute(chunk, 1)


def _work(chunks: sweep_store.Chunks, solve: Any, *, kept: bool) -> Work | int:
    """Solve what is missing, and keep it as it comes; returns an exit status if that did not come to its end."""
    todo, done, start = chunks.missing(), 0, time.perf_counter()
    try:
        said, total = f"{chunks.request.size:,} points", chunks.request.chunks
        with bar(total, said, total - len(todo), BAR) as advance:
            for chunk, columns in solve(todo):
                chunks.write(chunk, columns)
                first, end = chunks.request.bounds(chunk)
                done += end - first
                advance(said)
    except KeyboardInterrupt:
        return _ended("interrupted", chunks, ExitCode.INTERRUPTED, kept=kept)
    except WorkersFailed as failure:
        return _ended(str(failure), chunks, ExitCode.CRASHED, kept=kept)
    return done, time.perf_counter() - start


def _ended(why: str, chunks: sweep_store.Chunks, status: int, *, kept: bool) -> int:
    total = chunks.request.chunks
    there = f"; {total - len(chunks.missing())} of {total} chunks are kept, --resume goes on" if kept else ""
    print(f"veridyn: {' '.join(why.split())}{there}", file=sys.stderr)
    return status


def _document(
    asked: Request, solved_by: str, work: Work, columns: Columns, check: int, command: Sequence[str]
) -> dict[str, Any]:
    """Return all that a reader needs beside the table."""
    offered = sweep_of(load_case(asked.case))
    findings = check_points(asked, columns, check)
    return {
        "schema_version": SCHEMA_VERSION,
        "hash": asked.hash(),
        "case": asked.case,
        "environment": unstructure_environment(environment(command)),
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


def _counts(asked: Request, columns: Columns) -> dict[str, int]:
    offered = sweep_of(load_case(asked.case))
    labels = offered.quantity(offered.classified).labels
    counts = np.bincount(columns[offered.classified].ravel(), minlength=len(labels))
    return {label: int(count) for label, count in zip(labels, counts, strict=True)}


def _write(output: Path, asked: Request, columns: Columns, found: dict[str, Any]) -> None:
    """Write table, picture and document; the document comes last, so that it stands for a complete sweep."""
    sweep_store.write_npz(output / "sweep.npz", asked, columns)
    spreadsheet = output / "sweep.csv"
    spreadsheet.unlink(missing_ok=True)  # of another sweep, perhaps
    if asked.size <= sweep_store.CSV_POINTS:
        sweep_store.write_csv(spreadsheet, asked, columns)
    try:
        (output / "sweep.svg").write_text(draw(asked, columns), encoding="utf-8", newline="\n")
    except ReportError as missing:
        print(f"veridyn: no picture: {missing}", file=sys.stderr)
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    (output / "sweep.json").write_text(text, encoding="utf-8", newline="\n")


def _print(asked: Request, found: dict[str, Any], output: Path | None) -> None:
    axes = " × ".join(f"{axis.name} {axis.values.size}" for axis in asked.axes)
    print(f"{asked.case}: {asked.size:,} points ({axes})")
    print("; ".join(f"{label} {count:,}" for label, count in found["counts"].items()))
    timing = found["timing"]
    if timing["points"]:
        each = f"{timing['microseconds_per_point']:.3g} µs per point"
        print(f"{timing['points']:,} solved in {timing['seconds']:.3g} s, {each}, by {timing['solved_by']}")
    _print_check(found["check"])
    if output:
        print(f"written: {', '.join(str(file) for file in sorted(output.glob('sweep.*')))}")


def _print_check(seen: dict[str, Any]) -> None:
    if not seen["points"]:
        return
    digits = "nothing to measure there"
    if seen["worst_digits"] is not None:
        digits = f"worst {seen['worst_digits']:.1f} digits, median {seen['median_digits']:.1f}"
    print(f"check: {seen['points']} random points against the certified reference: {digits}")
    for finding in seen["findings"]:
        if finding["unknown"]:
            print(f"  no truth at {finding['parameters']}: {finding['unknown']}")
        if finding["wrong"] or min(finding["digits"].values(), default=99.0) < seen["wanted_digits"]:
            print(f"  FAILED at {finding['parameters']}: digits {finding['digits']}, wrong {finding['wrong']}")


# ---- points that are compared with the certified reference

ASKED = 17  # digits of the reference: all that a double can have, and one more


@dataclass(frozen=True)
class Finding:
    """One point: its parameters, and the correct digits of every number that exists there.

    ``wrong`` are the quantities that are plainly wrong; ``unknown`` says why there is no truth to compare with.
    """

    parameters: Mapping[str, float]
    digits: Mapping[str, float]
    wrong: tuple[str, ...] = ()
    unknown: str = ""


def check_points(request: Request, columns: Columns, count: int) -> list[Finding]:
    """Compare some points with the truth. The same request gives the same points."""
    chance = np.random.default_rng(int(request.hash(), 16))
    points = np.sort(chance.choice(request.size, min(count, request.size), replace=False))
    parameters = request.columns(points)
    return [
        _compare(
            sweep_of(load_case(request.case)).quantities,
            {name: float(column[i]) for name, column in parameters.items()},
            {name: column.ravel()[point].item() for name, column in columns.items()},
        )
        for i, point in enumerate(points)
    ]


def _compare(quantities: Sequence[Swept], parameters: Mapping[str, float], found: Mapping[str, Any]) -> Finding:
    # the kernel takes doubles as they are, and so must the truth: 0.1 is here not one tenth
    values = {name: Exact(Fraction(value)) for name, value in parameters.items()}
    digits: dict[str, float] = {}
    wrong: list[str] = []
    for quantity in quantities:
        try:
            right = _digits(quantity, values, found[quantity.name])
        except (ParameterError, CertificationError) as limit:  # of the reference; the sweep may go further
            return Finding(parameters, digits, tuple(wrong), f"{quantity.name}: {limit}")
        if right is None:
            wrong.append(quantity.name)
        elif right < math.inf:
            digits[quantity.name] = right
    return Finding(parameters, digits, tuple(wrong))


def _digits(quantity: Swept, values: Mapping[str, Exact], found: Any) -> float | None:
    """Return the correct digits, infinite where there is nothing to measure; None for what is plainly wrong."""
    truth = quantity.truth(values, ASKED)
    if truth.value is None:
        return math.inf if math.isnan(found) else None
    if quantity.labels or quantity.counted:
        same = (quantity.labels[found] if quantity.labels else found) == truth.value
        return math.inf if same else None
    return correct_digits(found, truth)


def verdict_of(findings: Sequence[Finding], wanted: float) -> dict[str, Any]:
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
