"""The command `manual`: the validation manual of a recorded run, or of a run of our own solver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from veridyn import running
from veridyn.exit_code import ExitCode
from veridyn.reports import gaps, read_results
from veridyn.reports.document import of_cases
from veridyn.reports.errors import ReportError
from veridyn.reports.manual import Particulars, write
from veridyn.reports.manual_pdf import typesetter
from veridyn.selection import Selection
from veridyn.solver.loading import OWN
from veridyn.validation_cases.core.catalogue import load_case


def manual(
    *,
    cases: Sequence[str],
    results: Path | None,
    output: Path,
    jobs: int,
    pdf: bool,
    number: str,
    revision: str,
    intended_use: str,
    command: Sequence[str],
) -> int:
    """Build the manual of some cases, of all without any; returns the status of the results.

    Without ``results`` our own solver is run first and its results are kept in the folder. Raises UnknownCase if there
    is no such case; ReportError if results cannot be read, have nothing of a case, or the manual cannot be written.
    """
    if pdf:
        typesetter()  # said before the run, not after it
    if results is None:
        results = output / "results.json"
        ended = _run(cases, results, jobs, command)
        if ended == ExitCode.INTERRUPTED:
            return ended
    elif cases and results.resolve() == (output / "results.json").resolve():
        raise ReportError(f"{results} would lose the cases that are not asked for; choose another folder")
    found = read_results([results])
    chosen = of_cases(found, cases) if cases else found
    for file in write(chosen, output, pdf=pdf, particulars=Particulars(number, revision, intended_use)):
        if file.stem == "manual":
            print(file)
    return running.status(chosen["results"], gaps(chosen))


def _run(cases: Sequence[str], file: Path, jobs: int, command: Sequence[str]) -> int:
    for name in cases:
        load_case(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    return running.run(
        selection=Selection(cases=tuple(cases)),
        solvers=[OWN],
        changed={},
        jobs=jobs,
        report=None,
        output=str(file),
        command=command,
    )
