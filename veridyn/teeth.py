"""The command `teeth`: deliberate defects against the checks of the cases, or sound solvers over many parameters."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from veridyn.document import environment
from veridyn.journal import done, journal
from veridyn.reports import teeth as findings_of
from veridyn.running import save, writable
from veridyn.texts import console
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.defects.catalogue import chosen
from veridyn.validation_cases.defects.defect import Defect
from veridyn.validation_cases.defects.features import features
from veridyn.validation_cases.judge import Record
from veridyn.verification import Findings, Task, run_tasks
from veridyn.workers import TIME_OUT, Crew

SCHEMA_VERSION = "1.0"
FINE, FAILED = 0, 1
ROOM = "veridyn.validation_cases.defects"
FAILING = ("fail", "error")


@dataclass(frozen=True)
class Bite:
    """One defect on one case: by the theory of its scheme, or (around the exact solver) by what documents ask for."""

    defect: Defect
    case: str
    foreign: bool

    @property
    def task(self) -> Task:
        """What a worker does."""
        return Task(f"{ROOM}.foreign:{self.defect.name}" if self.foreign else f"{ROOM}:{self.defect.name}", self.case)

    @property
    def touched(self) -> frozenset[str]:
        """Names of the checks whose problem has what the defect damages."""
        posed = _posed(self.case, "" if self.foreign else self.defect.of)
        return frozenset(name for has, names in posed if has.issuperset(self.defect.needs) for name in names)

    def as_dict(self, records: Iterable[Record]) -> dict[str, Any]:
        """Return the entry of the document: which checks failed, and on which side of the truth the value lay."""
        touched = self.touched
        judged = [r.as_dict() for r in records if r.id in touched and r.verdict != "not applicable"]
        failed = [record for record in judged if record["verdict"] in FAILING]
        return {
            "defect": self.defect.name,
            "case": self.case,
            "judged_by": "documents" if self.foreign else "theory",
            "asked": [findings_of.check_name(record) for record in judged],
            "caught": {findings_of.check_name(record): findings_of.side(record) for record in failed},
            # a defect that cannot run is no defect that is caught
            "broken": sorted({record["detail"] for record in failed if " raised " in record["detail"]}),
        }


def bites(defects: Iterable[Defect], cases: Sequence[str], most: int | None = None) -> list[Bite]:
    """Return what is to be tried: every defect on every case with a problem that it touches, in both judgements.

    ``most`` limits the cases of a defect to so many of those that it touches, always the same and evenly spread.
    """
    return [bite for defect in defects for bite in _bites(defect, cases, most)]


def _bites(defect: Defect, cases: Sequence[str], most: int | None) -> list[Bite]:
    by_theory = [bite for case in cases if (bite := Bite(defect, case, False)).touched]
    kept = set(
        sorted((bite.case for bite in by_theory), key=lambda case: zlib.crc32(f"{defect.name} {case}".encode()))[:most]
    )
    views = (False, True) if defect.outside else (False,)
    possible = (Bite(defect, case, foreign) for case in cases if case in kept for foreign in views)
    return [bite for bite in possible if bite.touched]


@cache
def _posed(case: str, scheme: str) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """Return what the problems have that a case poses to a scheme (none: to a foreign solver), and their checks."""
    subject = Subject("", (scheme,), own=bool(scheme))
    problems: dict[str, Any] = {}
    names: dict[str, list[str]] = {}
    for check in checks(load_case(case), subject):
        problems.setdefault(check.run.key, check.run.problem)
        names.setdefault(check.run.key, []).append(check.id)
    return tuple((features(problem), tuple(names[key])) for key, problem in problems.items())


def teeth(
    *,
    cases: Sequence[str],
    defects: Sequence[str],
    jobs: int,
    report: Path | None,
    output: str | None,
    command: Sequence[str],
    most: int | None = None,
    time_out: float = TIME_OUT,
    resume: bool = False,
) -> int:
    """Try the defects on the cases, print and write what caught them; returns 1 if one survives.

    ``most`` limits the cases of a defect, see `bites`. With ``resume`` the records of a run that was ended are taken
    from its journal.

    Raises
    ------
    UnknownCase, UnknownDefect
        If something was asked for that does not exist.
    ReportError
        If the results cannot be written; found out before the work starts.
    """
    names = [load_case(name).name for name in cases] or list(case_names())
    wanted = chosen(defects)
    writable(report, output)
    todo = bites(wanted, names, most)
    work = [bite.task for bite in todo]
    found = Findings([[] for _ in todo])
    asked = {"tasks": [asdict(task) for task in work]}
    with journal(output, report, asked, found.take, resume=resume) as found.keeper:
        with Crew(jobs, time_out) as crew, bar(len(todo), "defects") as advance:
            run_tasks(crew, work, found, _counting(advance))
        result = document(wanted, names, todo, found, command)
        _write(result, report, output)
        done(found.keeper)
    if output != "-":
        show(result, console())
    return FAILED if findings_of.survivors(result) or findings_of.broken(result) else FINE


def document(
    defects: Iterable[Defect], cases: Sequence[str], todo: Sequence[Bite], found: Findings, command: Sequence[str]
) -> dict[str, Any]:
    """Return what was found, as JSON can carry it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "environment": environment(command),
        "cases": list(cases),
        "defects": [
            {
                "name": d.name,
                "kind": d.kind,
                "what": d.what,
                "mistake": d.mistake,
                "needs": list(d.needs),
                "of": d.of,
                "unseen": d.unseen,
            }
            for d in defects
        ],
        "runs": [bite.as_dict(records) for bite, records in zip(todo, found.by_task, strict=True)],
    }


def _counting(advance: Callable[[str], None]) -> Callable[[Record], None]:
    """Return what moves the bar on when the records of another bite begin."""
    begun: set[str] = set()

    def on_record(record: Record) -> None:
        bite = f"{record.solver} {record.case}"
        if bite not in begun:
            begun.add(bite)
            advance(bite)

    return on_record


@contextmanager
def bar(total: int, what: str) -> Iterator[Callable[[str], None]]:
    """Show progress on a terminal and nothing in a pipe; yields what moves it on by one, with a text."""
    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda text: progress.update(task, advance=1, description=text)


def show(result: Mapping[str, Any], out: Console) -> None:
    """Print a line per defect, then survivors, then totals."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title in ("kind", "defect", "judged by", *result["cases"]):
        table.add_column(title, overflow="fold")
    before = ""
    for defect, judged_by, counts in findings_of.lines(result):
        kind = defect["kind"] if defect["kind"] != before else ""
        before = defect["kind"]
        style = "" if any(counts.values()) else "bold red"
        cells = [str(counts[case]) if case in counts else "" for case in result["cases"]]
        table.add_row(Text(kind), Text(defect["name"], style=style), Text(judged_by, style="dim"), *map(Text, cells))
    out.print(table)
    out.print(Text("Checks that catch the defect; empty: the case has nothing that it damages.", style="dim"))
    for sentence in findings_of.summary(result):
        out.print(Text(sentence))


def _write(result: Mapping[str, Any], report: Path | None, output: str | None) -> None:
    text = json.dumps(result, indent=1, allow_nan=False) + "\n"
    if output == "-":
        sys.stdout.write(text)
    elif output:
        save(Path(output), text)
    if report:
        from veridyn.catches import write

        (report / "teeth.json").write_text(text, encoding="utf-8")
        print(f"report: {write(result, report)}", file=sys.stderr if output == "-" else sys.stdout)
