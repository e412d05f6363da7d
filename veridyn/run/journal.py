"""Files that are written wholly or not at all, and the journal of long work: every finding on disk as it comes."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from filelock import FileLock, Timeout

from veridyn.results import ReportError
from veridyn.version import __version__


@contextlib.contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to; what is there takes the place of the file when nothing went wrong.

    Pipes and devices are written as they are. Raises OSError.
    """
    part = file.with_name(file.name + ".part") if keeps(file) else file
    yield part
    if part != file:
        part.replace(file)


def keeps(file: Path) -> bool:
    """Tell whether a path is, or will be, a file that keeps what is written."""
    return file.is_file() or not file.exists()


JOURNAL = ".journal"
BROKEN = (ValueError, KeyError, TypeError, IndexError, RecursionError)  # what a damaged line may raise

Entry = Mapping[str, object]


class Journal:
    """What work has found so far, one JSON document a line: what was asked, then an entry for every finding.

    It lies beside the place of the results. ``asked`` tells this work from other work, as JSON can carry it; ``take``
    takes in an entry that an earlier run has left, and raises one of `BROKEN` if it is damaged. A disk that is full
    ends the journal, not the work: ``trouble`` says why.
    """

    def __init__(self, place: Path, asked: Entry, take: Callable[[Entry], None]) -> None:
        self.file = place.with_name(place.name + JOURNAL)
        self.trouble = ""
        self._asked = json.loads(_line({"veridyn": __version__, **asked}))
        self._take = take
        self._stream: TextIO | None = None

    def begin(self, *, resume: bool) -> None:
        """Open the journal; with ``resume`` the entries of an earlier run are taken in.

        What an earlier run has left and nobody wants is kept under another name. Raises ReportError if there is nothing
        to go on with, the earlier run was another one, or the file cannot be written.
        """
        try:
            kept = self._kept() if resume else ""
            if self.file.exists() and not resume:
                self.file.replace(self.file.with_name(self.file.name + ".old"))
            self._stream = self.file.open("w", encoding="utf-8")
            self._put(kept or _line({"asked": self._asked}))
        except OSError as error:
            raise ReportError(f"cannot write {self.file}: {error.strerror or error}; choose another folder") from None

    def _kept(self) -> str:
        """Take in the entries of the file; return its sound part. A line that was cut short ends it."""
        if not self.file.exists():
            raise ReportError(f"--resume: there is no unfinished run, {self.file} does not exist; leave the option out")
        lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        self._refuse_other(lines[0] if lines else "")
        for sound, line in enumerate(lines[1:], start=1):
            try:
                self._take(json.loads(line))
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

    def keep(self, entry: Entry) -> None:
        """Keep a finding."""
        self._put(_line(entry))

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


def _line(entry: Entry) -> str:
    return json.dumps(entry, default=str) + "\n"


def _places(output: str | None, report: Path | None) -> list[Path]:
    """Return where results go, that of the journal first."""
    files = [Path(output)] if output and output != "-" and keeps(Path(output)) else []
    return [*files, report / "run"] if report else files


@dataclass
class Found:
    """What long work has found; what is added goes to the ``journal``, if there is one, as soon as it is there."""

    journal: Journal | None = field(default=None, kw_only=True)

    def add(self, entry: Entry) -> None:
        """Take in an entry, and keep it."""
        self.take(entry)
        if self.journal:
            self.journal.keep(entry)

    def take(self, entry: Entry) -> None:
        """Take in an entry, as it was added or kept."""
        raise NotImplementedError

    def done(self) -> None:
        """End the journal: the results are written."""
        if self.journal:
            if self.journal.trouble:
                print(f"veridyn: {self.journal.trouble}", file=sys.stderr)
            self.journal.drop()


@contextlib.contextmanager
def journal(output: str | None, report: Path | None, asked: Entry, found: Found, *, resume: bool) -> Iterator[None]:
    """Open the journal of work whose results go into a file or a folder; there is none if they go to neither.

    It stays until the work drops it. Raises ReportError, see `Journal.begin`; if another run is at the same place; if
    the work is to be resumed and has none.
    """
    places = _places(output, report)
    if resume and not places:
        raise ReportError("--resume needs the --json file or the --report folder of the run that it goes on with")
    with contextlib.ExitStack() as held:
        for place in places:
            held.enter_context(alone(place))
        if places:
            found.journal = Journal(places[0], asked, found.take)
            held.callback(found.journal.close)
            found.journal.begin(resume=resume)
        try:
            yield
        except BaseException as ended:
            if found.journal and not isinstance(ended, ReportError):
                kept = found.journal.file
                print(f"veridyn: what was found is kept in {kept}; --resume goes on with it", file=sys.stderr)
            raise


@contextlib.contextmanager
def alone(place: Path) -> Iterator[None]:
    """Keep other runs from writing to the same place meanwhile; raises ReportError if another run is at it."""
    try:
        with FileLock(str(lock_of(place)), timeout=0):
            yield
    except Timeout:
        raise ReportError(f"another run writes to {place}; wait for it, or choose another name") from None


def lock_of(place: Path) -> Path:
    """Return a file outside the folder of the results, so that it can stay."""
    name = hashlib.sha256(f"{getpass.getuser()} {place.resolve()}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"veridyn-{name}.lock"
