"""Seeded faults and the solvers they sit in: our integrator, the exact solver, any file with ``FAULTS``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from veridyn.mutation.defects import all_defects
from veridyn.mutation.defects.defect import Defect, Foreign, undamaged
from veridyn.nearest import nearest
from veridyn.solver.errors import SolverInputError

INTEGRATOR, EXACT = "integrator", "exact"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "hosts"
RECORD = ("name", "kind", "what", "size", "meaning", "smallest", "make", "touches")


class UnknownFault(SolverInputError):
    """There is no host or no fault of that name."""


@dataclass(frozen=True)
class Fault:
    """A fault that can be seeded into a solver.

    Attributes
    ----------
    name, kind, what
        How it is called; what part of a code it damages; what is wrong, in one sentence.
    size, meaning, smallest
        How large it is, what that number means, and the smallest size that is tried; None and empty where a fault has
        no size.
    make
        Returns the solver with the fault of a size in it.
    touches
        Whether a problem has anything that it damages.
    undamaged
        Name of the solver without fault that the mutant is compared with, see `Host.undamaged`.
    unseen
        Why no check can detect it, if so; empty otherwise.
    """

    name: str
    kind: str
    what: str
    size: float | None
    meaning: str
    smallest: float | None
    make: Callable[[Any], Any]
    touches: Callable[[Any], bool]
    undamaged: str
    unseen: str = ""


@dataclass(frozen=True)
class Host:
    """A solver, or several schemes of one, into which faults are seeded.

    ``place`` is what finds it again in another process, ``undamaged`` the solvers without fault by name.
    """

    name: str
    place: str
    faults: Mapping[str, Fault]
    undamaged: Mapping[str, Any]


def hosts() -> tuple[str, ...]:
    """Return the hosts that are known by name: our two solvers, and the examples where there is a checkout."""
    files = sorted(EXAMPLES.glob("faults_*.py")) if EXAMPLES.is_dir() else []
    named = [file.stem.removeprefix("faults_") for file in files]
    return INTEGRATOR, EXACT, *(name for name in named if name != "common")


@cache
def load_host(place: str) -> Host:
    """Return a host by name, or from a file that defines ``FAULTS`` and ``SOLVER``.

    Raises UnknownFault if there is none, or the file does not define what is needed.
    """
    if place in (INTEGRATOR, EXACT):
        return _integrator() if place == INTEGRATOR else _exact()
    file = Path(place) if place.endswith(".py") else EXAMPLES / f"faults_{place}.py"
    if not file.is_file():
        raise UnknownFault(f"unknown host {place!r}: {nearest(place, hosts())}, or name a file with FAULTS and SOLVER")
    return _from_file(file)


def _integrator() -> Host:
    from veridyn.solver.integrators.schemes import SCHEMES

    found = {defect.name: _sizeless(defect, defect.scheme) for defect in all_defects().values()}
    return Host(INTEGRATOR, INTEGRATOR, found, {scheme: undamaged(scheme) for scheme in SCHEMES})


def _exact() -> Host:
    from veridyn.solver.exact import solver as exact

    outside = [defect for defect in all_defects().values() if defect.outside]
    found = {defect.name: _sizeless(Foreign(defect), EXACT) for defect in outside}
    return Host(EXACT, EXACT, found, {EXACT: exact.SOLVER})


def _sizeless(mutant: Defect | Foreign, compared: str) -> Fault:
    defect = mutant.defect if isinstance(mutant, Foreign) else mutant
    return Fault(
        defect.name, defect.kind, defect.what, None, "", None, lambda _: mutant, defect.touches, compared, defect.unseen
    )


def _from_file(file: Path) -> Host:
    """Load a file as Python runs one: modules beside it can be imported."""
    sys.path.insert(0, str(file.parent))
    try:
        module = importlib.import_module(file.stem)
    except Exception as error:
        raise UnknownFault(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
    faults = getattr(module, "FAULTS", ())
    missing = [name for name in ("FAULTS", "SOLVER") if not hasattr(module, name)]
    missing += [f"{name} of {fault!r}" for fault in faults for name in RECORD if not hasattr(fault, name)]
    if missing:
        raise UnknownFault(f"{file} lacks {missing[0]}; docs/mutation-analysis.md says what a file of faults defines")
    solver = module.SOLVER
    found = {fault.name: _sized(fault, solver.name) for fault in faults}
    return Host(solver.name, str(file), found, {solver.name: solver})


def _sized(given: Any, compared: str) -> Fault:
    said = {name: getattr(given, name) for name in RECORD}
    return Fault(**said, undamaged=compared, unseen=getattr(given, "unseen", ""))


def chosen(places: Sequence[str], names: Sequence[str]) -> list[tuple[Host, Fault]]:
    """Return the faults of these names in these hosts; all where nothing is named.

    Raises UnknownFault if there is none of a name; the message suggests the nearest.
    """
    loaded = [load_host(place) for place in dict.fromkeys(places or hosts())]
    known = {name for host in loaded for name in host.faults}
    for name in names:
        if name not in known:
            raise UnknownFault(f"unknown fault {name!r}: {nearest(name, sorted(known))}")
    return [(host, fault) for host in loaded for name, fault in host.faults.items() if not names or name in names]
