"""The command `manual`: the verification manual of a run, with requirements and document of the user."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from veridyn.files.quality import read_quality, read_requirements
from veridyn.outputs import hash_file, open_folder
from veridyn.problem.errors import SolverInputError
from veridyn.problem.printable import print_line
from veridyn.reports.manual import write
from veridyn.reports.manual_blocks import typesetter
from veridyn.reports.manual_trace import list_unmet
from veridyn.reports.names import MANUAL_FILES
from veridyn.results import Document, ReportError, find_gaps, read, select_cases
from veridyn.results.quality import QualityRecord
from veridyn.run.delivery import Delivery, status
from veridyn.run.exit_code import ExitCode
from veridyn.run.running import Crew, Order, run
from veridyn.run.selection import Selection
from veridyn.solver.contract.loading import OWN
from veridyn.validation_cases.judgement.catalogue import case_names, load_case


def manual(
    *,
    cases: Sequence[str],
    results: Sequence[Path],
    output: Path,
    jobs: int,
    pdf: bool,
    quality: Path | None,
    requirements: Path | None,
    resume: bool,
    command: Sequence[str],
) -> int:
    """Build the manual of some cases, of all without any; returns the status of the results, 1 for unmet requirements.

    Without ``results`` our own solver is run first, or ``resume`` goes on with that run. Raises UnknownCase if there
    is no such case; SolverInputError if a file of the user cannot be understood; ReportError if results cannot be read,
    have nothing of a case, or the manual cannot be written.
    """
    if pdf:
        typesetter()  # said before the run, not after it
    if results and resume:
        raise SolverInputError("--resume goes on with the run of a manual, and --results replaces it: leave one out")
    _keep_whole(results, cases, output)
    stated = read_quality(quality) if quality else QualityRecord()
    with open_folder(output, "manual", MANUAL_FILES) as place:
        judged = results or [place.work / "results.json"]
        if not results:
            ended = _run_our_own(cases, judged[0], jobs, command, resume=resume)
            if ended == ExitCode.INTERRUPTED:
                return ended
        result = read(judged)
        chosen = select_cases(result, cases) if cases else result
        files = tuple((file.name, hash_file(file)) for file in (quality, requirements) if file and file.is_file())
        required = read_requirements(requirements, KnownQuantities(chosen)) if requirements else None
        for file in write(chosen, place, replace(stated, requirements=required, files=files), pdf=pdf):
            if file.stem == "manual":
                print_line(file)
        if not results:
            judged[0].unlink()  # the manual has its own
    gaps = [*find_gaps(chosen), *list_unmet(required, chosen.results)]
    return status((record.verdict for record in chosen.results), gaps)


def _keep_whole(results: Sequence[Path], cases: Sequence[str], output: Path) -> None:
    """Raise ReportError if the results of a part would replace those of the whole."""
    for file in results if cases else ():
        if file.resolve() == (output / "results.json").resolve():
            raise ReportError(f"{file} would lose the cases that are not asked for; choose another folder")


class KnownQuantities(Mapping[str, Collection[str]]):
    """Names of quantities by case: of the cases of results first, then of those of the catalogue, read when needed.

    A requirement may name a case that was not judged: then it is one without a check.
    """

    def __init__(self, document: Document) -> None:
        self._judged = {sheet.case: {row.name for row in sheet.quantities} for sheet in document.cases}
        for record in document.results:
            self._judged.setdefault(record.case, set()).add(record.quantity.partition(":")[2] or record.quantity)

    def __getitem__(self, case: str) -> Collection[str]:
        return self._judged.get(case) or {quantity.name for quantity in load_case(case).quantities}

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._judged, *case_names()]))

    def __len__(self) -> int:
        return len(list(iter(self)))


def _run_our_own(cases: Sequence[str], file: Path, jobs: int, command: Sequence[str], *, resume: bool) -> int:
    for name in cases:
        load_case(name)
    order = Order(solvers=[OWN], selection=Selection(cases=tuple(cases)))
    return run(order, Delivery(command, output=str(file), resume=resume), Crew(jobs))
