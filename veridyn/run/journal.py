"""The journal of long work: every finding on disk as it comes, until the results are written."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from veridyn.inputs import InputError, parse_json, read_bytes
from veridyn.outputs import replace_file
from veridyn.problem.printable import print_line
from veridyn.results import ReportError
from veridyn.version import __version__

JOURNAL = "journal"
BROKEN = (ValueError, KeyError, TypeError, IndexError, RecursionError)  # what a damaged line may raise
LINE = re.compile(rb'\["([0-9a-f]{16})", (.*)\]\n', re.DOTALL)  # checksum, entry
SYNCHRONISED = 1.0  # s, between two moments at which all that was found outlives a power cut

Entry = Mapping[str, object]


class Journal:
    """What work has found so far, one JSON document a line: what was asked, then an entry for every finding.

    It lies in the folder of ours at the place of the results, see `veridyn.outputs`. ``asked`` tells this work from
    other work, as JSON can carry it; ``take`` takes in an entry that an earlier run has left, and raises one of
    `BROKEN` if it is damaged. A disk that is full ends the journal, not the work: ``trouble`` says why.

    Each line is a list of a checksum and an entry. The checksum is that of the entry and all lines before, so that a
    line that was changed, repeated, or put elsewhere does not fit, and nothing after it does.
    """

    def __init__(self, work: Path, asked: Entry, take: Callable[[Entry], None]) -> None:
        self.file = work / JOURNAL
        self.trouble = ""
        self._asked = json.loads(_print({"veridyn": __version__, **asked}))
        self._take = take
        self._stream: BinaryIO | None = None
        self._checksum = ""
        self._synchronised = time.monotonic()

    def begin(self, *, resume: bool) -> None:
        """Open the journal; with ``resume`` the entries of an earlier run are taken in.

        What an earlier run has left and nobody wants is kept under another name. Raises ReportError if there is nothing
        to go on with, the earlier run was another one, or the file cannot be read or written.
        """
        try:
            sound = self._take_in() if resume else self._start()
            self._stream = self.file.open("r+b", buffering=0)
            self._stream.truncate(sound)
            self._stream.seek(sound)
        except OSError as error:
            raise ReportError(f"cannot write {self.file}: {error.strerror or error}; choose another folder") from None

    def _start(self) -> int:
        """Write what is asked into a new file; return its length."""
        if self.file.exists():
            self.file.replace(self.file.with_name(f"{JOURNAL}.old"))
        first = self._seal({"asked": self._asked})
        replace_file(self.file, first)
        return len(first)

    def _take_in(self) -> int:
        """Take in the entries of the file; return the length of its sound part, which ends before a line cut short."""
        if not self.file.exists():
            raise ReportError(f"--resume: there is no unfinished run, {self.file} does not exist; leave the option out")
        try:
            first, *lines = read_bytes(self.file).splitlines(keepends=True) or [b""]
        except InputError as error:
            raise ReportError(f"--resume: {self.file} {error}; leave the option out") from None
        self._refuse_other(first)
        sound = len(first)
        for number, line in enumerate(lines, start=2):
            try:
                self._take(self._open(line))
            except BROKEN:
                self._report_damage(number, len(lines) + 2 - number)
                break
            sound += len(line)
        return sound

    def _report_damage(self, number: int, rest: int) -> None:
        if rest > 1:  # half a line at the end is what a kill leaves
            print_line(f"veridyn: {self.file} is damaged at line {number}; what follows is done again", file=sys.stderr)

    def _refuse_other(self, first: bytes) -> None:
        try:
            asked = self._open(first)["asked"]
        except BROKEN:
            raise ReportError(f"--resume: {self.file} is damaged from its beginning; leave the option out") from None
        if asked != self._asked:
            raise ReportError(
                f"--resume: {self.file} belongs to a run of other solvers, versions, cases or parameters; "
                "give the same command, or leave the option out"
            )

    def _seal(self, entry: Entry) -> bytes:
        """Return the line of an entry that follows all before."""
        text = _print(entry).encode()
        self._checksum = _sum(self._checksum, text)
        return b'["%s", %s]\n' % (self._checksum.encode(), text)

    def _open(self, line: bytes) -> Entry:
        """Return the entry of a line; raises one of `BROKEN` if it is damaged, or does not follow the lines before."""
        match = LINE.fullmatch(line)
        if not match or match[1].decode() != _sum(self._checksum, match[2]):
            raise ValueError("the checksum does not fit")
        self._checksum = match[1].decode()
        return parse_json(match[2].decode(), finite=False)  # type: ignore[no-any-return]

    def keep(self, entry: Entry) -> None:
        """Keep a finding."""
        if self._stream is None:
            return
        try:
            _write_all(self._stream, self._seal(entry))
            if time.monotonic() - self._synchronised >= SYNCHRONISED:
                os.fsync(self._stream.fileno())
                self._synchronised = time.monotonic()
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


def _print(entry: Entry) -> str:
    return json.dumps(entry, default=str)


def _sum(before: str, text: bytes) -> str:
    return hashlib.sha256(before.encode() + text).hexdigest()[:16]


def _write_all(stream: BinaryIO, content: bytes) -> None:
    """Write without a buffer; a disk that fills up takes a part first."""
    while content:
        content = content[stream.write(content) :]


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
                print_line(f"veridyn: {self.journal.trouble}", file=sys.stderr)
            self.journal.drop()


@contextlib.contextmanager
def journal(work: Path | None, asked: Entry, found: Found, *, resume: bool) -> Iterator[None]:
    """Open the journal of work in a folder of ours; there is none without a place of the results.

    It stays until the work drops it. Raises ReportError, see `Journal.begin`; if the work is to be resumed and has no
    place.
    """
    if resume and work is None:
        raise ReportError("--resume needs the --json file or the --report folder of the run that it goes on with")
    if work is None:
        yield
        return
    opened = found.journal = Journal(work, asked, found.take)
    try:
        opened.begin(resume=resume)
        yield
    except BaseException as ended:
        if not isinstance(ended, ReportError):
            print_line(f"veridyn: what was found is kept in {opened.file}; --resume goes on with it", file=sys.stderr)
        raise
    finally:
        opened.close()
