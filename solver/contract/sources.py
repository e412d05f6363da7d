"""The files that a solver is made of, as far as its specification tells them: what is hashed, and loaded anew."""

from __future__ import annotations

import ast
import importlib.util
import os
import shlex
import shutil
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, entry_points, packages_distributions
from itertools import product
from pathlib import Path

from veridyn.solver.contract.loading import GROUP, OWN
from veridyn.solver.contract.programs import PROGRAM

UNIT = "fmu:"
MADE = (".pyc", ".nbi", ".nbc")  # files that are made from others

Named = Mapping[str, Path]
"""Files by the names that a hash states for them, with forward slashes."""


def find_files(spec: str) -> tuple[Named, str]:
    """Return the files of a solver, and the version of the distribution that they belong to, if they do."""
    if spec.startswith(PROGRAM):
        return _list_program(spec.removeprefix(PROGRAM)), ""
    if spec.startswith(UNIT):
        return {Path(part).name: Path(part) for part in spec.removeprefix(UNIT).split(",") if Path(part).is_file()}, ""
    place = spec.rpartition(":")[0]
    if place.endswith(".py"):
        return (_list_modules(Path(place)) if Path(place).is_file() else {}), ""
    package = find_package(spec)
    return _list_distribution(package) if package else ({}, "")


def find_package(spec: str) -> str:
    """Return the first name of the module that holds a solver; empty where it is in no module that has a name."""
    place = spec.rpartition(":")[0]
    if spec.startswith((PROGRAM, UNIT)) or place.endswith(".py"):
        return ""
    return (place or _find_module(spec)).partition(".")[0]


def _find_module(name: str) -> str:
    return next((point.module for point in entry_points(group=GROUP, name=name)), "")


def walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder and of those in it, but for what is made from them."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each != "__pycache__")
        inside = Path(place).relative_to(folder)
        for name in sorted(names):
            file = Path(place, name)
            if file.suffix not in MADE and file.is_file():
                yield (inside / name).as_posix(), file


def _list_distribution(package: str) -> tuple[Named, str]:
    owner = next(iter(packages_distributions().get(package, ())), "")
    return _list_package(package), Distribution.from_name(owner).version if owner else ""


def _list_package(package: str) -> Named:
    """Return the files of an installed package, or of a module or package on the path."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return {}
    if spec.submodule_search_locations:
        places = map(Path, spec.submodule_search_locations)
        return {f"{package}/{name}": file for place in places for name, file in walk(place)}
    return _list_modules(Path(spec.origin)) if spec.origin else {}


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
        for name, folder in product(names, (file.parent, Path.cwd())):
            for key, path in _find_beside(folder, name):
                if key not in listed:
                    listed[key] = path
                    new.append(path)
    return listed


def _find_beside(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    module, package = folder / f"{name}.py", folder / name
    if module.is_file():
        yield module.name, module
    elif (package / "__init__.py").is_file():
        yield from ((f"{name}/{each}", path) for each, path in walk(package) if path.suffix == ".py")


def _list_imports(file: Path) -> set[str]:
    """Return the first names of what a module imports; none if it cannot be parsed."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names}


# ---- changes

Stamp = tuple[tuple[str, int, int], ...]
"""Files with size (bytes) and instant of the last change (ns)."""


def stamp_files(spec: str) -> Stamp:
    """Return what changes when a file of a solver does; of a package that an installer put there nothing does."""
    if package := find_package(spec):
        files = {} if package == OWN or _is_installed(package) else _list_package(package)
    else:
        files = find_files(spec)[0]
    return tuple(map(_stamp, files.values()))


def _is_installed(package: str) -> bool:
    """Tell whether a package lies where installers put them; one that is installed to be edited lies elsewhere."""
    spec = importlib.util.find_spec(package)
    places = {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")}
    return spec is not None and any(Path(spec.origin or "").is_relative_to(place) for place in places)


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        state = file.stat()
    except OSError:  # gone meanwhile: changed
        return str(file), -1, -1
    return str(file), state.st_size, state.st_mtime_ns
