"""Hashes of what is judged, of the judge, and of what they read: so that results say which bytes they belong to."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

from veridyn.outputs import hash_file
from veridyn.results import Fingerprint, FingerprintKind
from veridyn.solver.contract.loading import OWN
from veridyn.solver.contract.sources import Named, find_files, find_package, walk
from veridyn.version import __version__

ROOMS = ("references", "solver", "validation_cases", "reports")  # of this package, wherever they lie
FEW = 20  # files whose names are listed


def take_fingerprint(kind: FingerprintKind, name: str, files: Named, version: str = "") -> Fingerprint:
    """Return the hash of files: of one line each, SHA-256 and name, in the order of the names.

    ``sha256sum`` prints the same lines. Raises OSError if a file cannot be read.
    """
    names = sorted(files)
    lines = "".join(f"{hash_file(files[each])}  {each}\n" for each in names)
    listed = tuple(names) if len(names) <= FEW else ()
    return Fingerprint(kind=kind, name=name, version=version, files=listed, sha256=_hash_text(lines))


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def take_fingerprints(solvers: Mapping[str, str], inputs: Iterable[Path | None]) -> tuple[Fingerprint, ...]:
    """Return the hashes of solvers, by specification and name, of the suite, the inputs and the environment."""
    read = (take_fingerprint(FingerprintKind.INPUT, file.name, {file.name: file}) for file in inputs if file)
    return (
        *(mark for spec, name in solvers.items() if (mark := mark_solver(spec, name))),
        mark_suite(),
        *read,
        mark_environment(),
    )


def mark_suite() -> Fingerprint:
    """Return the hash of all files of this package."""
    return take_fingerprint(FingerprintKind.SUITE, OWN, _list_suite(), __version__)


def mark_answers(file: Path) -> Fingerprint:
    """Return the SHA-256 of a file with answers, as ``sha256sum`` prints it; raises OSError if it cannot be read."""
    name = file.name if file.is_absolute() else file.as_posix()
    return Fingerprint(kind=FingerprintKind.ANSWERS, name=name, files=(name,), sha256=hash_file(file))


def mark_environment() -> Fingerprint:
    """Return the hash of all installed distributions: a line `name==version` each, in the order of the names."""
    # asked for its name and then for its version, a distribution would read and parse its metadata twice
    described = [each.metadata for each in distributions()]
    lines = sorted({f"{each['Name'].lower()}=={each['Version']}" for each in described if each["Name"]})
    text = "".join(f"{line}\n" for line in lines)
    return Fingerprint(kind=FingerprintKind.ENVIRONMENT, name="distributions", sha256=_hash_text(text))


def _list_suite() -> Named:
    """Return the files of this package, by room."""
    places = {"": Path(__file__).parents[1], **{room: _find_package(f"{OWN}.{room}") for room in ROOMS}}
    return {"/".join(filter(None, (room, name))): file for room, place in places.items() for name, file in walk(place)}


def _find_package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


# ---- solvers


def mark_solver(spec: str, name: str) -> Fingerprint | None:
    """Return the hash of what a specification names; None where no file of it can be seen."""
    files, version = (_list_suite(), __version__) if find_package(spec) == OWN else find_files(spec)
    return take_fingerprint(FingerprintKind.SOLVER, name, files, version) if files else None
