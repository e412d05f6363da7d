"""Hashes of what is judged, of the judge, and of what they read: so that results say which bytes they belong to."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points, packages_distributions
from pathlib import Path

from veridyn.outputs import hash_file
from veridyn.results import Fingerprint, FingerprintKind
from veridyn.solver.contract.loading import GROUP, OWN
from veridyn.solver.contract.programs import PROGRAM
from veridyn.version import __version__

UNIT = "fmu:"
ROOMS = ("references", "solver", "validation_cases", "reports")  # of this package, wherever they lie
MADE = (".pyc", ".nbi", ".nbc")  # files that are made from others
FEW = 20  # files whose names are listed

Named = Mapping[str, Path]
"""Files by the names that a hash states for them, with forward slashes."""


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
    lines = sorted({f"{each.name.lower()}=={each.version}" for each in distributions() if each.name})
    text = "".join(f"{line}\n" for line in lines)
    return Fingerprint(kind=FingerprintKind.ENVIRONMENT, name="distributions", sha256=_hash_text(text))


def _list_suite() -> Named:
    """Return the files of this package, by room."""
    places = {"": Path(__file__).parents[1], **{room: _find_package(f"{OWN}.{room}") for room in ROOMS}}
    return {"/".join(filter(None, (room, name))): file for room, place in places.items() for name, file in _walk(place)}


def _find_package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


def _walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder and of those in it, but for what is made from them."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix not in MADE and "__pycache__" not in file.parts:
            yield file.relative_to(folder).as_posix(), file


# ---- solvers


def mark_solver(spec: str, name: str) -> Fingerprint | None:
    """Return the hash of what a specification names; None where no file of it can be seen."""
    files, version = _find_files(spec)
    return take_fingerprint(FingerprintKind.SOLVER, name, files, version) if files else None


def _find_files(spec: str) -> tuple[Named, str]:
    """Return the files of a solver, and the version of the distribution that they belong to, if they do."""
    if spec.startswith(PROGRAM):
        return _list_program(spec.removeprefix(PROGRAM)), ""
    if spec.startswith(UNIT):
        return {Path(part).name: Path(part) for part in spec.removeprefix(UNIT).split(",") if Path(part).is_file()}, ""
    place = spec.rpartition(":")[0]
    if place.endswith(".py"):
        return (_list_modules(Path(place)) if Path(place).is_file() else {}), ""
    module = place or _find_module(spec)
    return _list_distribution(module.partition(".")[0]) if module else ({}, "")


def _find_module(name: str) -> str:
    points: Iterable[EntryPoint] = entry_points(group=GROUP, name=name)
    return next((point.module for point in points), "")


def _list_distribution(package: str) -> tuple[Named, str]:
    """Return the files of an installed package, or of a module or package on the path."""
    if package == OWN:
        return _list_suite(), __version__
    spec = importlib.util.find_spec(package)
    if spec is None:
        return {}, ""
    if spec.submodule_search_locations:
        places = map(Path, spec.submodule_search_locations)
        files: Named = {f"{package}/{name}": file for place in places for name, file in _walk(place)}
    else:
        files = _list_modules(Path(spec.origin)) if spec.origin else {}
    owner = next(iter(packages_distributions().get(package, ())), "")
    return files, Distribution.from_name(owner).version if owner else ""


def _list_program(command: str) -> Named:
    """Return the files that a command line names, the program first."""
    words = shlex.split(command)
    program = shutil.which(words[0]) if words else None
    paths = [*([Path(program)] if program else []), *map(Path, words[1:])]
    return {path.name: path for path in paths if path.is_file()}


def _list_modules(file: Path) -> Named:
    """Return a module with the modules beside it, or in this folder, that it imports, and those that they import.

    This package is left out, where it lies in this folder: it has a hash of its own.
    """
    listed, new, sought = {file.name: file}, [file], {OWN}
    while new:
        names = _list_imports(new.pop()) - sought
        sought |= names
        beside = (pair for name in names for folder in (file.parent, Path.cwd()) for pair in _find_beside(folder, name))
        for key, path in beside:
            if key not in listed:
                listed[key] = path
                new.append(path)
    return listed


def _find_beside(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    module, package = folder / f"{name}.py", folder / name
    if module.is_file():
        yield module.name, module
    elif (package / "__init__.py").is_file():
        yield from ((f"{name}/{each}", path) for each, path in _walk(package) if path.suffix == ".py")


def _list_imports(file: Path) -> set[str]:
    """Return the first names of what a module imports; none if it cannot be parsed."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names}
