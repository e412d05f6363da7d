"""The journal of a run: every record on disk as soon as it is judged, so that a run that is killed can go on."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from filelock import FileLock, Timeout

from veridyn import __version__
from veridyn.reports.errors import ReportError
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.judge import Record
from veridyn.verification import Findings, Task

JOURNAL = ".journal"
BROKEN = (ValueError, KeyError, TypeError, IndexError, RecursionError)  # what a damaged line may raise


class Journal:
    """What a run has judged so far, one JSON document a line: what was asked, then records and lost runs.

    A disk that is full ends the journal, not the run: ``trouble`` says why.
    """

    def __init__(self, place: Path, todo: Sequence[Task], solvers: Mapping[str, Subject]) -> None:
        self.file = place.with_name(place.name + JOURNAL)
        self.trouble = ""
        self._asked = _asked(todo, solvers)
        self._stream: TextIO | None = None

    def begin(self, findings: Findings, *, resume: bool) -> None:
        """Open the journal; with ``resume`` the findings get what an earlier run has left in it.

        What an earlier run has left and nobody wants is kept under another name.

        Raises
        ------
        ReportError
            If there is nothing to go on with, the earlier run was another one, or the file cannot be written.
        """
        try:
            kept = self._kept(findings) if resume else ""
            if self.file.exists() and not resume:
                self.file.replace(self.file.with_name(self.file.name + ".old"))
            self._stream = self.file.open("w", encoding="utf-8")
            self._put(kept or _line({"asked": self._asked}))
        except OSError as error:
            raise ReportError(f"cannot write {self.file}: {error.strerror or error}; choose another folder") from None

    def _kept(self, findings: Findings) -> str:
        """Fill the findings from the file; return its sound part. A line that was cut short ends it."""
        if not self.file.exists():
            raise ReportError(f"--resume: there is no unfinished run, {self.file} does not exist; leave the option out")
        lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        self._refuse_other(lines[0] if lines else "")
        for sound, line in enumerate(lines[1:], start=1):
            try:
                _take(json.loads(line), findings)
            except BROKEN:
                lines = lines[:sound]
                break
        return "".join(f"{line}\n" for line in lines)

    def _refuse_other(self, first: str) -> None:
        try:
            asked = json.loads(first)["asked"]
        except BROKEN:
            raise ReportError(f"--resume: {self.file} is damaged from its beginning; leave the option out") from None
        if asked != self._asked:
            raise ReportError(
                f"--resume: {self.file} belongs to a run of other solvers, versions, cases or parameters; "
                "give the same command, or leave the option out"
            )

    def record(self, task: int, record: Record) -> None:
        """Keep a record."""
        self._put(_line({"task": task, "record": record.as_dict()}))

    def lost(self, solver: str, key: str, why: str) -> None:
        """Keep that a run was lost, so that it is not tried again."""
        self._put(_line({"lost": [solver, key, why]}))

    def _put(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError as error:
            self.trouble = f"the journal {self.file} ends early: {error.strerror or error}; --resume would start there"
            self.close()

    def close(self) -> None:
        """Close the file; it stays."""
        stream, self._stream = self._stream, None
        if stream:
            with contextlib.suppress(OSError):
                stream.close()

    def drop(self) -> None:
        """Delete the file: the results are written."""
        self.close()
        self.file.unlink(missing_ok=True)


def _take(entry: Mapping[str, Any], findings: Findings) -> None:
    if "lost" in entry:
        solver, key, why = entry["lost"]
        findings.lost[solver][key] = why
    else:
        findings.by_task[entry["task"]].append(Record(**entry["record"]))


def _asked(todo: Sequence[Task], solvers: Mapping[str, Subject]) -> dict[str, Any]:
    """Return what tells one run from another, as it comes back from JSON."""
    named = {spec: [subject.name, subject.version, *subject.schemes] for spec, subject in solvers.items()}
    asked = {"veridyn": __version__, "solvers": named, "tasks": [asdict(task) for task in todo]}
    return dict(json.loads(_line(asked)))


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, default=str) + "\n"


@contextlib.contextmanager
def alone(place: Path) -> Iterator[None]:
    """Keep other runs from writing to the same place meanwhile.

    Raises
    ------
    ReportError
        If another run is at it.
    """
    try:
        with FileLock(str(lock_of(place)), timeout=0):
            yield
    except Timeout:
        raise ReportError(f"another run writes to {place}; wait for it, or choose another name") from None


def lock_of(place: Path) -> Path:
    """Return a file outside the folder of the results, so that it can stay."""
    name = hashlib.sha256(f"{getpass.getuser()} {place.resolve()}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"veridyn-{name}.lock"
