"""Find a solver under test: by name, by module, by file."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.introduction import check_members
from veridyn.solver.contract.programs import PROGRAM, shared_solver
from veridyn.solver.contract.protocol import Solver

GROUP = "veridyn.solvers"
OWN = "veridyn"
EXACT = "exact"
SCIPY = "scipy"
USUAL = {"mechanical": OWN, "initial-value": SCIPY}
"""The solvers that are always there, by the kind of problems that they are for."""


class SolverNotFound(SolverInputError):
    """No solver answers to this specification."""


def load_solver(spec: str, time_out: float = math.inf) -> Solver:
    """Return the solver that a specification names.

    Parameters
    ----------
    time_out
        Longest time (s) that a program of ``cmd:`` may take for a solve.
    spec
        ``NAME`` (entry point of the group ``veridyn.solvers``), ``package.module:attr`` or ``path/file.py:attr``;
        a class is instantiated without arguments. ``cmd:program arguments`` starts a program; ``fmu:model.fmu`` or
        ``fmu:model.fmu,map.toml`` is a functional mock-up unit, with a map of its names.

    Raises
    ------
    SolverNotFound
        If nothing is found there, or what is found is no solver.
    """
    if spec.startswith(PROGRAM):
        return _program(spec, time_out)
    if spec.startswith("fmu:"):
        return _unit(spec)
    place, _, attribute = spec.rpartition(":")
    found = _attribute(spec, _module(spec, place), attribute) if place else _entry_point(spec)
    result = _instance(spec, found)
    try:
        return check_members(result, spec)
    except SolverInputError as error:
        raise SolverNotFound(str(error)) from None


def load_attribute(spec: str) -> object:
    """Return what ``package.module:attr`` or ``path/file.py:attr`` names; raises `SolverNotFound`."""
    place, _, attribute = spec.rpartition(":")
    if not place:
        raise SolverNotFound(f"{spec}: write package.module:attr or path/file.py:attr")
    return _attribute(spec, _module(spec, place), attribute)


def _program(spec: str, time_out: float) -> Solver:
    try:
        return shared_solver(spec.removeprefix(PROGRAM).strip(), Path.cwd(), time_out)
    except SolverFailure as failure:
        raise SolverNotFound(f"{spec!r} {failure}") from None


def _unit(spec: str) -> Solver:
    path, _, mapped = spec.removeprefix("fmu:").partition(",")
    for name in filter(None, (path, mapped)):
        if not Path(name).is_file():
            raise SolverNotFound(f"{spec!r}: there is no file {name}")
    try:
        from veridyn.solver.adapters.fmu_adapter import Fmu

        return Fmu(Path(path), Path(mapped) if mapped else None)
    except ImportError as missing:
        raise SolverNotFound(f'{spec!r} needs FMPy, {missing}; pip install "{OWN}[fmi]"') from None
    except SolverInputError as error:
        raise SolverNotFound(str(error)) from None


@cache  # looks into every package that is installed
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def is_ours(spec: str) -> bool:
    """Tell whether a specification names a solver that veridyn brings."""
    point = _installed().get(spec)
    return point is not None and point.value.startswith("veridyn.")


def _entry_point(name: str) -> object:
    known = _installed()
    if name.endswith(".py"):
        raise SolverNotFound(f"{name!r} is a file: write {name}:NAME, the name of the solver in it")
    if name not in known:
        others = "write package.module:attr, path/file.py:attr or cmd:PROGRAM for others"
        hint = did_you_mean(name, known, f"installed are {', '.join(sorted(known))}")
        raise SolverNotFound(f"unknown solver {name!r}; {hint}; {others}")
    try:
        return known[name].load()
    except ImportError as missing:
        extra = find_extra(name) if known[name].value.startswith(f"{OWN}.") else ""
        remedy = f'pip install "{OWN}[{extra}]"' if extra else "is all that it needs installed?"
        raise SolverNotFound(f"solver {name!r} cannot be loaded, {missing}; {remedy}") from None


def find_extra(name: str) -> str:
    """Return the extra of ours that installs what a solver of ours needs; empty if there is none.

    It has the name of the solver, or of the library before its first underscore: ``mujoco`` for ``mujoco_scene``.
    """
    declared = metadata(OWN).get_all("Provides-Extra") or []
    return next((extra for extra in (name.replace("_", "-"), name.split("_")[0]) if extra in declared), "")


def _module(spec: str, place: str) -> ModuleType:
    try:
        return _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except ModuleNotFoundError as error:
        raise SolverNotFound(f"{spec!r}: {error}; is it installed or on the path?") from None
    except SolverNotFound:
        raise
    except SystemExit:
        remedy = "put that under if __name__ == '__main__'"
        raise SolverNotFound(f"{spec!r} ends the program when it is imported; {remedy}") from None
    except Exception as error:
        raise SolverNotFound(f"{spec!r} cannot be imported: {type(error).__name__}: {error}") from error


class _SourceLoader(SourceFileLoader):
    """Compiles a file as it is now.

    Python takes compiled code from its cache where size and second of the source are the same: a digit that a script
    has changed within a second would be overlooked.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Raise OSError: without the state of the source no compiled code is read or kept."""
        raise OSError(path)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise SolverNotFound(f"there is no file {path}")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # modules beside it are found; at the end, so that they hide no installed ones
    name = f"veridyn_solver_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_SourceLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickling look their module up
    spec.loader.exec_module(module)
    return module


def _attribute(spec: str, module: ModuleType, name: str) -> object:
    if not hasattr(module, name):
        raise SolverNotFound(f"{spec!r}: {module.__name__} has no attribute {name!r}")
    return getattr(module, name)


def _instance(spec: str, found: object) -> object:
    if not isinstance(found, type):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise SolverNotFound(f"{spec!r} cannot be created: {type(error).__name__}: {error}") from error
