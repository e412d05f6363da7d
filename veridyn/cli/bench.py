"""The command `bench`: run the benchmarks with pytest-benchmark, print digits beside times, write the timing report."""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.text import Text

from veridyn.inputs import parse_json, read_text
from veridyn.outputs import OutputFolder, open_file, open_folder
from veridyn.problem.printable import print_line
from veridyn.reports import numbers, timing
from veridyn.reports.names import TIMING_FILES
from veridyn.reports.timing import (
    Timing,
    TimingChange,
    TimingComparison,
    TimingLine,
    compare,
    read_history,
    read_timing,
    seconds,
    timing_of,
)
from veridyn.reports.writer import save_all
from veridyn.results import ReportError
from veridyn.run.screen import console, table
from veridyn.solver.contract.loading import OWN, load_solver
from veridyn.validation_cases.judgement.catalogue import load_case

COLUMNS = ("solver", "case", "scheme", "median", "min", "first call", "digits", "fewest")


def bench(
    *,
    cases: Sequence[str],
    solvers: Sequence[str],
    report: Path | None,
    against: Path | None,
    history: Path | None,
    results: Path | None,
    command: Sequence[str],
) -> int:
    """Run the benchmarks, or read those of ``results``; returns 0, or 1 if one of them failed.

    Nothing is asserted of the times: a run that is slower than the one it is held ``against`` returns 0. Raises
    UnknownCase, SolverNotFound if something was asked for that does not exist; ReportError if pytest-benchmark is
    missing, a timing file cannot be read or the report cannot be written.
    """
    for name in cases:
        load_case(name)
    for spec in (solvers := solvers or [OWN]):
        load_solver(spec)
    before = read_timing(against) if against else None  # said before the benchmarks, not after them
    opened = open_folder(report, "timing", TIMING_FILES) if report else nullcontext()
    with opened as place:
        return _report(cases, solvers, place, before, history, results, command)


def _report(
    cases: Sequence[str],
    solvers: Sequence[str],
    place: OutputFolder | None,
    before: Timing | None,
    history: Path | None,
    results: Path | None,
    command: Sequence[str],
) -> int:
    status, data = (0, _read(results)) if results else _measured(cases, solvers)
    now = timing_of(data, str(results or "timing.json"))
    if history:
        _store(data, now, history)
    compared = compare(now, before) if before else None
    past = read_history(history, now) if history else None
    _print(now, compared)
    if place:
        _write(data, timing.make_page(now, shlex.join(command), compared, past), place)
    return status


def _read(file: Path) -> Any:
    read_timing(file)
    return parse_json(read_text(file))


def _measured(cases: Sequence[str], solvers: Sequence[str]) -> tuple[int, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "timing.json"
        status = _run(data, cases, solvers)
        if not data.exists() or data.stat().st_size == 0:
            raise ReportError(
                "the benchmarks gave no result; run pytest --benchmark-only --pyargs veridyn.validation_cases to "
                "see why"
            )
        return status, parse_json(read_text(data))


def _run(data: Path, cases: Sequence[str], solvers: Sequence[str]) -> int:
    try:
        import pytest
        import pytest_benchmark  # noqa: F401 - only to say clearly that it is missing
    except ModuleNotFoundError as missing:
        raise ReportError(f'{missing.name} is not installed; pip install "veridyn[test]"') from None
    arguments = ["-q", "--no-header", "-o", "addopts=", "--import-mode=importlib", "-p", "no:cacheprovider"]
    arguments += ["--benchmark-only", f"--benchmark-json={data}", "--benchmark-quiet"]
    arguments += [f"--timed={name}" for name in cases] + [f"--solver={spec}" for spec in solvers]
    return int(pytest.main([*arguments, "--pyargs", "veridyn.validation_cases.test_benchmarks"]) != 0)


def _store(data: Any, now: Timing, folder: Path) -> None:
    """Add a run to the stored ones; the same run twice is one."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^0-9A-Za-z]+", "-", now.date).strip("-")
    with open_file(folder / f"timing-{name}.json", lambda content: content == data) as file:
        file.write(_json(data))


def _write(data: Any, page: timing.TimingPage, place: OutputFolder) -> None:
    texts = {"timing.md": timing.text(page), "timing.html": timing.html(page)}
    save_all(place, {"timing.json": _json(data), **{name: text.encode() for name, text in texts.items()}})
    print_line(f"timing report: {place.path / 'timing.html'}")


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1) + "\n").encode()


def _print(now: Timing, compared: TimingComparison | None) -> None:
    changes = {change.key: change for change in compared.changes} if compared else {}
    rows = ((*_cells(line), *_ratio(changes.get(line.key))) for line in now.lines)
    out = console()
    out.print(table((*COLUMNS, *(("ratio", "") if compared else ())), rows))
    for sentence in (*now.sentences, *(compared.remarks if compared else ())):
        out.print(Text(sentence))
    if compared:
        out.print(Text(f"against the baseline: {compared.headline}"))


def _cells(line: TimingLine) -> tuple[str, ...]:
    solver, case, variant, scheme = line.key
    times = map(seconds, (line.median, line.min, line.first_call))
    digits = map(numbers.correct_digits, (line.digits, line.fewest_digits))
    return solver, f"{case} {variant}", scheme, *times, *digits


def _ratio(change: TimingChange | None) -> tuple[str, ...]:
    if change is None:
        return ()
    return timing.ratio(change.ratio), change.turn
