"""The command `sweep`: many parameter sets of a case at once, as a table and a picture."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from veridyn.document import environment
from veridyn.exit_code import ExitCode
from veridyn.progress import bar
from veridyn.reports.errors import ReportError
from veridyn.reports.regime_map import draw
from veridyn.running import writable
from veridyn.sweep import check as sweep_check
from veridyn.sweep import runs as sweep_runs
from veridyn.sweep import store as sweep_store
from veridyn.sweep.picture import picture
from veridyn.sweep.request import Request, SweepError, describe, request, sweep_of
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.sweeping import Columns

SCHEMA_VERSION = "1.0"
BAR = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())


@dataclass(frozen=True)
class Means:
    """Who solves: threads of this machine, or the workers of a scheduler."""

    threads: int
    scheduler: str | None

    def __str__(self) -> str:
        """Say who solves."""
        return f"scheduler {self.scheduler}" if self.scheduler else f"{self.threads} thread{'s'[: self.threads - 1]}"


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

    Raises ParameterError, SweepError, UnknownCase if what is asked for cannot be done; ReportError if the folder cannot
    be written; found out before the work starts.
    """
    asked = request(load_case(case), over, changed)
    means = _means(threads, scheduler)
    if resume and output is None:
        raise SweepError("--resume needs the --output of the sweep that it goes on with")
    writable(output, None)
    if resume and output and _is_complete(output, asked):
        print(f"{output} is complete: nothing to do")
        return ExitCode.FINE
    with tempfile.TemporaryDirectory() if output is None else nullcontext(output) as place:
        chunks = sweep_store.Chunks(Path(place), asked)
        with _solver(asked, means) as solve:
            chunks.open(resume=resume)
            work = _work(chunks, solve, kept=output is not None)
        if isinstance(work, int):
            return work
        columns = chunks.columns()
        found = _document(asked, means, work, columns, check, command)
        if output:
            _write(output, asked, columns, found)
            chunks.remove()
    _print(asked, found, output)
    return ExitCode.FINE if found["check"]["passed"] else ExitCode.FAILED


def _means(threads: int | None, scheduler: str | None) -> Means:
    most: int = numba.get_num_threads()
    if threads is not None and scheduler:
        raise SweepError("-n counts threads of this machine; a scheduler has workers of its own: leave one out")
    if threads is not None and threads > most:
        raise SweepError(f"-n {threads} is more than the {most} threads of this machine")
    return Means(threads or most, scheduler)


def _is_complete(output: Path, asked: Request) -> bool:
    """Tell whether the table of this sweep is there; raises `SweepError` if it is that of another one."""
    document, table = output / "sweep.json", output / "sweep.npz"
    if not (document.exists() and table.exists()) or (output / "chunks").exists():
        return False
    sweep_store.refuse_other(document, asked)
    return True


@contextmanager
def _solver(asked: Request, means: Means) -> Iterator[Any]:
    """Yield the function that solves some chunks."""
    if means.scheduler:
        with sweep_runs.scheduler(means.scheduler) as client:
            yield lambda todo: sweep_runs.on_workers(client, asked, todo)
    else:
        sweep_runs.warm_up(asked, means.threads)
        yield lambda todo: sweep_runs.on_threads(asked, todo, means.threads)


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
    except sweep_runs.WorkersFailed as failure:
        return _ended(str(failure), chunks, ExitCode.CRASHED, kept=kept)
    return done, time.perf_counter() - start


def _ended(why: str, chunks: sweep_store.Chunks, status: int, *, kept: bool) -> int:
    total = chunks.request.chunks
    there = f"; {total - len(chunks.missing())} of {total} chunks are kept, --resume goes on" if kept else ""
    print(f"veridyn: {' '.join(why.split())}{there}", file=sys.stderr)
    return status


def _document(
    asked: Request, means: Means, work: Work, columns: Columns, check: int, command: Sequence[str]
) -> dict[str, Any]:
    """Return all that a reader needs beside the table."""
    offered = sweep_of(load_case(asked.case))
    findings = sweep_check.check(asked, columns, check)
    return {
        "schema_version": SCHEMA_VERSION,
        "hash": asked.hash(),
        "case": asked.case,
        "environment": environment(command),
        "parameters": describe(asked),
        "points": asked.size,
        "shape": list(asked.shape),
        "quantities": [
            {"name": q.name, "unit": q.unit, "definition": q.definition, "labels": list(q.labels)}
            for q in offered.quantities
        ],
        "counts": _counts(asked, columns),
        "timing": {
            "solved_by": str(means),
            "points": work[0],
            "seconds": work[1],
            "microseconds_per_point": 1e6 * work[1] / max(work[0], 1),
        },
        "check": sweep_check.verdict(findings, offered.digits) | {"reason": offered.reason},
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
        (output / "sweep.svg").write_text(draw(picture(asked, columns)), encoding="utf-8", newline="\n")
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
