"""The command `bench`: run the benchmarks with pytest-benchmark and print digits beside times."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from veridyn.reports.errors import ReportError
from veridyn.solver.loading import load_solver
from veridyn.texts import console
from veridyn.validation_cases.catalogue import load_case

COLUMNS = ("solver", "case", "scheme", "median", "min", "first call", "digits", "fewest")


def bench(*, cases: Sequence[str], solvers: Sequence[str], report: Path | None, command: Sequence[str]) -> int:
    """Run the benchmarks; returns 0, or 1 if one of them failed.

    Raises
    ------
    UnknownCase, SolverNotFound
        If something was asked for that does not exist.
    ReportError
        If pytest-benchmark is missing or the report cannot be written.
    """
    for name in cases:
        load_case(name)
    for spec in solvers:
        load_solver(spec)
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "timing.json"
        status = _run(data, cases, solvers)
        if not data.exists() or data.stat().st_size == 0:
            raise ReportError(
                "the benchmarks gave no result; run pytest --benchmark-only --pyargs veridyn.validation_cases to "
                "see why"
            )
        measured = json.loads(data.read_text(encoding="utf-8"))
    rows = table_rows(measured)
    _print(rows, measured)
    if report:
        report.mkdir(parents=True, exist_ok=True)
        (report / "timing.json").write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
        (report / "timing.md").write_text(markdown(rows, measured, command), encoding="utf-8")
        print(f"timing report: {report / 'timing.md'}")
    return status


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


def table_rows(measured: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return one row per benchmark of a solution."""
    rows: list[tuple[str, ...]] = []
    for b in measured["benchmarks"]:
        info, stats = b["extra_info"], b["stats"]
        if "first_call" in info:
            times = (_time(stats["median"]), _time(stats["min"]), _time(info["first_call"]))
            rows.append(
                (
                    info["solver"],
                    f"{info['case']} {info['variant']}",
                    info["scheme"],
                    *times,
                    f"{info['digits']:.1f}",
                    f"{info['fewest_digits']:.1f}",
                )
            )
    return rows


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def ratios(measured: dict[str, Any]) -> list[str]:
    """Return a sentence per ratio that was measured within the run."""
    return [_sentence(b["extra_info"]) for b in measured["benchmarks"] if "ratio" in b["extra_info"]]


def _sentence(info: dict[str, Any]) -> str:
    others = ", ".join(f"{name} {ns:.4g}" for name, ns in info["others_ns_per_step"].items())
    rate = f"; {info['gigaflops']:.2g} Gflop/s" if "gigaflops" in info else ""
    return (
        f"General kernel over {info['against']} ({info['case']}, {info['scheme']}): {info['ratio']:.2f} "
        f"(ns per step: general {info['general_ns_per_step']:.4g}, {others}{rate})"
    )


def _print(rows: Sequence[tuple[str, ...]], measured: dict[str, Any]) -> None:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in COLUMNS:
        table.add_column(column)
    for row in rows:
        table.add_row(*map(Text, row))
    out = console()
    out.print(table)
    for sentence in ratios(measured):
        out.print(Text(sentence))


def markdown(rows: Sequence[tuple[str, ...]], measured: dict[str, Any], command: Sequence[str]) -> str:
    """Return the timing report: machine, table, ratios."""
    machine = measured["machine_info"]
    cpu = machine.get("cpu", {}).get("brand_raw", machine.get("processor", "unknown processor"))
    lines = [
        "# Timing report",
        "",
        f"`{' '.join(command)}` on {cpu}, Python {machine['python_version']}, {measured['datetime']}.",
        "",
        "Digits: median and fewest correct digits over the quantities of the run. The first call contains "
        "compilation or the "
        "loading of cached kernels. Machines are shared and noisy: compare ratios within one run.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|" + " --- |" * len(COLUMNS),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
        "",
        *ratios(measured),
        "",
    ]
    return "\n".join(lines)
