"""Where the results of a command go: a report, a document, a baseline, tables."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from veridyn.outputs import OutputFile, OutputFolder, keeps, open_file, open_folder
from veridyn.problem.printable import print_line
from veridyn.reports.errors import need_packages
from veridyn.reports.names import REPORT_FILES
from veridyn.reports.terminal import LAYOUTS, Layout
from veridyn.results import Document, ReportError, Verdict, add_checksum, check, compute_checksum
from veridyn.run.baseline import is_baseline
from veridyn.run.exit_code import ExitCode
from veridyn.run.screen import announce, console


@dataclass(frozen=True)
class Delivery:
    """Where the results go: a report folder, a result file, a baseline, tables; nothing is needed.

    With ``resume`` the records of a run that was ended are taken from its journal.
    """

    command: Sequence[str]
    report: Path | None = None
    output: str | None = None
    layout: Layout = "summary"
    baseline: Path | None = None
    resume: bool = False

    @property
    def keeps(self) -> bool:
        """Whether a document is made."""
        return self.report is not None or self.output is not None


@dataclass(frozen=True)
class Places:
    """The places that results go to, as far as they are wanted; this process alone writes there."""

    report: OutputFolder | None = None
    output: OutputFile | None = None
    baseline: OutputFile | None = None

    @property
    def work(self) -> Path | None:
        """The folder of ours that a journal lies in."""
        if self.output and keeps(self.output.path):
            return self.output.work
        return self.report.work if self.report else None


@contextlib.contextmanager
def open_places(delivery: Delivery) -> Iterator[Places]:
    """Open the places of a delivery: what would keep results from being written shows before minutes of work.

    Raises ReportError, see `veridyn.outputs`; if a package is not installed that writes reports.
    """
    report, output = delivery.report, delivery.output
    if report:
        need_packages("jinja2", "matplotlib")
    if report and output and Path(output).resolve() in {(report / name).resolve() for name in REPORT_FILES}:
        raise ReportError(f"--json {output}: a report writes that file itself; leave --json out, or name another file")
    with contextlib.ExitStack() as opened:
        yield Places(
            opened.enter_context(open_folder(report, "report", REPORT_FILES)) if report else None,
            opened.enter_context(open_file(Path(output), is_result)) if output and output != "-" else None,
            opened.enter_context(open_file(delivery.baseline, is_baseline)) if delivery.baseline else None,
        )


def is_result(content: object) -> bool:
    """Tell whether what a file holds is a result document of ours that nobody has changed."""
    if not isinstance(content, dict) or not {"schema_version", "environment", "results"} <= content.keys():
        return False
    return content.get("digest") in (None, compute_checksum(content))


def deliver(made: Document, delivery: Delivery, places: Places) -> int:
    """Print the tables, write result document and report as far as wanted; returns the exit status.

    Raises ReportError if they cannot be written.
    """
    made = check(made) if delivery.keeps else made
    if delivery.output != "-":
        LAYOUTS[delivery.layout](made, console())
    _write(made, delivery, places)
    return status(record.verdict for record in made.results)


def _write(made: Document, delivery: Delivery, places: Places) -> None:
    if delivery.output:
        text = json.dumps(add_checksum(made), indent=1, allow_nan=False) + "\n"
        if places.output:
            save(places.output, text)
        else:
            sys.stdout.write(text)
    if places.report:
        announce("writing the report", silent=delivery.layout == "brief")
        from veridyn.reports.studio import cores
        from veridyn.reports.writer import write

        write(made, places.report, processes=cores())  # checked before it is delivered
        if delivery.output != "-":
            print_line(f"report: {places.report.path / 'index.html'}")


def save(file: OutputFile, text: str) -> None:
    """Write a result file whole or not at all; raises ReportError if it cannot be written."""
    try:
        file.write(text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise ReportError(
            f"cannot write {file.path}: {error.strerror or error}; --resume writes what was judged"
        ) from None


def status(verdicts: Iterable[Verdict], gaps: Sequence[str] = ()) -> int:
    """Return 0 if all is fine, 3 if a solver crashed, 1 if a check failed or is missing, 2 if none was judged.

    A fault of one of our own measures counts as not judged.
    """
    reached = set(verdicts)
    if Verdict.ERROR in reached:
        return ExitCode.CRASHED
    if Verdict.HARNESS_ERROR in reached or not reached - {Verdict.NOT_APPLICABLE}:
        return ExitCode.UNUSABLE
    return ExitCode.FAILED if gaps or Verdict.FAIL in reached else ExitCode.FINE
