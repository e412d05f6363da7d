"""Where outputs go: nothing is deleted or overwritten that veridyn did not write.

A *folder* of outputs is new, empty, or has the manifest of an earlier command: name and SHA-256 of each file that it
wrote. These files are replaced, and deleted where the new outputs lack them, as long as nobody has changed them. A
*file* of outputs is new, empty, or recognised as a document of ours.

All that is no output yet lies in a folder of ours: ``DIR/.veridyn``, or ``.FILE.veridyn`` beside a file. There are the
lock, the manifest, journals, chunks of sweeps, and what is being written. Outputs are written there wholly before the
first of them takes its place; a full disk or a kill before that leaves the earlier ones as they were.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from veridyn.inputs import InputError, parse_json, read_text
from veridyn.results.errors import ReportError

WORK = ".veridyn"
FORMAT = "1"
ATTEMPTS = 100  # to get a lock that others delete

Content = bytes | Callable[[BinaryIO], object]
"""What a file shall hold, or what writes that into a stream."""

Digests = Mapping[str, tuple[str, ...]]
"""SHA-256 by name; two while a file is being replaced, since a kill may leave the old or the new one."""

Manifest = Mapping[str, Digests]
"""What commands wrote, by the kind of output: report, manual, sweep, …"""


@dataclass(frozen=True)
class OutputFolder:
    """A folder that outputs of one kind go to; this process alone writes there, see `open_folder`."""

    path: Path
    kind: str

    @property
    def work(self) -> Path:
        """The folder of ours in it."""
        return self.path / WORK

    def write(self, files: Mapping[str, Content]) -> list[Path]:
        """Write the files of an output by their names, all of them or none, in place of earlier ones of this kind.

        Returns their paths. Raises ReportError if one would take the place of what is not ours; OSError if one cannot
        be written.
        """
        before = _read_manifest(self.work)
        self.refuse_foreign(files, before)
        for name in files:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        parts = _write_parts(self.work / "parts", files)
        new = {name: (hash_file(part),) for name, part in parts.items()}
        old = before.get(self.kind, {})
        # Both digests stand in the manifest while files are replaced: whatever a kill leaves is one of the two, so that
        # the next command sees that all is ours.
        both = {name: (*_list_digests(before, name), *new.get(name, ())) for name in {*old, *new}}
        _write_manifest(self.work, {**before, self.kind: both})
        for name, part in parts.items():
            part.replace(self.path / name)
        for name in old.keys() - new.keys():
            if _is_ours(self.path / name, before, name):
                (self.path / name).unlink()
        others = {kind: _leave_out(digests, new) for kind, digests in before.items()}
        _write_manifest(self.work, {**others, self.kind: new})
        return [self.path / name for name in files]

    def refuse_foreign(self, names: Iterable[str], manifest: Manifest | None = None) -> None:
        """Raise ReportError if one of the names belongs to a file that is not ours, or was changed since."""
        written = _read_manifest(self.work) if manifest is None else manifest
        for name in names:
            path = self.path / name
            if os.path.lexists(path) and not _is_ours(path, written, name):
                raise ReportError(
                    f"{path} was not written by veridyn, or was changed since: move it away, or choose another folder"
                )


@dataclass(frozen=True)
class OutputFile:
    """A file that an output goes to; this process alone writes there, see `open_file`."""

    path: Path

    @property
    def work(self) -> Path:
        """The folder of ours beside it."""
        return self.path.with_name(f".{self.path.name}{WORK}")

    def write(self, content: Content) -> None:
        """Write the file wholly or not at all; raises OSError."""
        if not keeps(self.path):
            with self.path.open("wb") as stream:
                _fill(stream, content)
            return
        (part,) = _write_parts(self.work / "parts", {self.path.name: content}).values()
        part.replace(self.path)
        _sync_folder(self.path.parent)


def keeps(file: Path) -> bool:
    """Tell whether a path is, or will be, a file that keeps what is written; a pipe or a device is none."""
    return file.is_file() or not file.exists()


@contextlib.contextmanager
def open_folder(path: Path, kind: str, names: Collection[str] = ()) -> Iterator[OutputFolder]:
    """Open a folder for outputs of one kind, and make it if need be; what stays empty is taken away again.

    ``names`` are files that will be written. Raises ReportError if the folder cannot be written, holds what is not
    ours, or another process writes there.
    """
    place = OutputFolder(path, kind)
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    refuse_foreign_folder(place.path)
    with _alone(place.work, path, made):
        written = _read_manifest(place.work)
        place.refuse_foreign({*names, *written.get(kind, {})}, written)
        if not written:
            _write_manifest(place.work, {})
        try:
            yield place
        finally:
            if not any(_read_manifest(place.work).values()):
                _drop_manifest(place.work)


@contextlib.contextmanager
def enter_folder(folder: Path | OutputFolder, kind: str, names: Collection[str] = ()) -> Iterator[OutputFolder]:
    """Open a folder for outputs, see `open_folder`; one that is open is taken as it is."""
    if isinstance(folder, OutputFolder):
        yield replace(folder, kind=kind)
        return
    with open_folder(folder, kind, names) as place:
        yield place


def refuse_foreign_folder(path: Path) -> None:
    """Raise ReportError if a folder holds files and none of our commands has written there."""
    try:
        found = {entry.name for entry in os.scandir(path)} if path.exists() else set()
    except OSError as error:
        raise ReportError(f"cannot write into {path}: {error.strerror or error}; choose another folder") from None
    if found - {WORK} and not _manifest(path / WORK).is_file():
        raise ReportError(f"{path} holds files that veridyn did not write: choose a new folder, or an empty one")


@contextlib.contextmanager
def open_file(path: Path, recognise: Callable[[object], bool]) -> Iterator[OutputFile]:
    """Open a file for an output; ``recognise`` tells a JSON document of ours from other content.

    Raises ReportError if there is no such folder, it cannot be written, the file holds what is not ours, or another
    process writes there. Pipes and devices are written as they are.
    """
    place = OutputFile(path.resolve() if keeps(path) else path)
    if path.is_dir():
        raise ReportError(f"cannot write {path}: it is a folder; name a file in it")
    if not place.path.parent.exists():
        raise ReportError(f"cannot write {path}: there is no folder {place.path.parent}; create it first")
    if not place.path.parent.is_dir():
        raise ReportError(f"cannot write into {path.parent}: it is no folder; choose another one")
    if not keeps(path):
        yield place
        return
    if path.exists() and not os.access(path, os.W_OK):
        raise ReportError(f"cannot write {path}: it is write-protected; choose another name")
    if not _is_document(place.path, recognise):
        raise ReportError(f"{path} was not written by veridyn, or was changed since: move it, or choose another name")
    with _alone(place.work, path):
        yield place


def _is_document(path: Path, recognise: Callable[[object], bool]) -> bool:
    """Tell whether a file is missing, empty, or a JSON document that is recognised."""
    try:
        content = read_text(path)
        return not content or recognise(parse_json(content))
    except FileNotFoundError:
        return True
    except (InputError, OSError):
        return False


@contextlib.contextmanager
def _alone(work: Path, place: Path, made: Collection[Path] = ()) -> Iterator[None]:
    """Make a folder of ours and keep other processes out of it meanwhile; it goes when nothing is left in it."""
    try:
        descriptor = _lock(work)
    except BlockingIOError:
        raise ReportError(f"another run writes to {place}; wait for it, or choose another name") from None
    except OSError as error:
        raise ReportError(
            f"cannot write into {work.parent}: {error.strerror or error}; choose another folder"
        ) from None
    try:
        shutil.rmtree(work / "parts", ignore_errors=True)  # of a process that was killed
        yield
    finally:
        shutil.rmtree(work / "parts", ignore_errors=True)
        _unlock(work, descriptor)
        for folder in (work, *made):
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()


def _lock(work: Path) -> int:
    """Make a folder of ours if need be and lock it; return what holds the lock until this process ends.

    The lock file is deleted by its holder (`_unlock`). Whoever has opened it before and gets the lock afterwards holds
    a file without a name, which keeps nobody out: such a one is given up and the next one is taken. So is a folder that
    is deleted meanwhile. Raises BlockingIOError if another process has the lock; OSError.
    """
    trouble: OSError = BlockingIOError(errno.EAGAIN, "others lock it again and again")
    for _ in range(ATTEMPTS):
        try:
            work.mkdir(parents=True, exist_ok=True)
            if work.is_symlink():
                raise OSError(errno.ELOOP, f"{work} is a link")
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(work / "lock", flags, 0o644)
            try:
                _seize(descriptor)
                if os.name == "nt" or os.fstat(descriptor).st_nlink > 0:
                    return descriptor
            except OSError:
                os.close(descriptor)
                raise
            os.close(descriptor)
        except (FileNotFoundError, FileExistsError) as error:
            trouble = error  # the folder went between two of these calls, or it can never be made
    raise trouble


def _seize(descriptor: int) -> None:
    """Lock an open file for this process; raises BlockingIOError if another one has it."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _unlock(work: Path, descriptor: int) -> None:
    """Delete a lock file and release the lock, in this order, so that nobody deletes the lock of another."""
    if os.name != "nt":
        (work / "lock").unlink(missing_ok=True)
    os.close(descriptor)
    if os.name == "nt":
        with contextlib.suppress(OSError):  # open files cannot be deleted there: another process has it
            (work / "lock").unlink()


# ---- files that are being written


def _write_parts(folder: Path, files: Mapping[str, Content]) -> dict[str, Path]:
    """Write files under numbers into a folder of ours; a disk that is full leaves nothing there."""
    folder.mkdir(exist_ok=True)
    parts = {name: folder / str(number) for number, name in enumerate(files)}
    try:
        for name, content in files.items():
            with parts[name].open("wb") as stream:
                _fill(stream, content)
                stream.flush()
                os.fsync(stream.fileno())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return parts


def _fill(stream: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        stream.write(content)
    else:
        content(stream)


def replace_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file in a folder of ours wholly or not at all; after a power cut, too, if it is to be ``durable``."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as stream:
        stream.write(content)
        stream.flush()
        if durable:
            os.fsync(stream.fileno())
    part.replace(path)
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Let the name of a new file outlive a power cut, where folders can be opened."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ---- the manifest


def _manifest(work: Path) -> Path:
    return work / "manifest.json"


def _read_manifest(work: Path) -> Manifest:
    """Return what earlier commands wrote; nothing without a manifest. Raises ReportError if it is damaged."""
    file = _manifest(work)
    try:
        content = parse_json(read_text(file))
        kinds = {str(kind): _read_digests(digests) for kind, digests in content["kinds"].items()}
    except FileNotFoundError:
        return {}
    except (InputError, OSError, TypeError, KeyError, AttributeError, ValueError):
        raise ReportError(f"{file} cannot be read: move it away with what it lists, or choose another folder") from None
    return kinds


def _read_digests(digests: Mapping[str, object]) -> Digests:
    """Return names and digests; raises ValueError if a name leads out of the folder."""
    for name, listed in digests.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or WORK in parts or PurePosixPath(name).is_absolute() or "\\" in name:
            raise ValueError(name)
        if not isinstance(listed, list):
            raise TypeError(name)
    return {name: tuple(map(str, listed)) for name, listed in digests.items()}  # type: ignore[call-overload]


def _write_manifest(work: Path, manifest: Manifest) -> None:
    kinds = {kind: {name: list(each) for name, each in digests.items()} for kind, digests in manifest.items()}
    text = json.dumps({"manifest": FORMAT, "kinds": kinds}, indent=1, sort_keys=True)
    replace_file(_manifest(work), f"{text}\n".encode())


def _drop_manifest(work: Path) -> None:
    """Delete a manifest of nothing, if nothing else lies in the folder of ours."""
    if {entry.name for entry in os.scandir(work)} <= {"manifest.json", "lock", "parts"}:
        _manifest(work).unlink(missing_ok=True)


def _list_digests(manifest: Manifest, name: str) -> tuple[str, ...]:
    return tuple(digest for digests in manifest.values() for digest in digests.get(name, ()))


def _leave_out(digests: Digests, names: Collection[str]) -> Digests:
    return {name: each for name, each in digests.items() if name not in names}


def _is_ours(path: Path, manifest: Manifest, name: str) -> bool:
    """Tell whether a file is as a command of ours wrote it."""
    return path.is_file() and not path.is_symlink() and hash_file(path) in _list_digests(manifest, name)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file; raises OSError if it cannot be read."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
