"""Gross faults: one thing wrong that has no size, as rows that any mechanical solver can be host of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from veridyn.problem.basis import modal_basis
from veridyn.problem.devices import BucklingStop, NonlinearSpring, Zener
from veridyn.problem.time_functions import Harmonic, Piecewise, Windowed

from ..fault import Fault
from .tools import Damaged, Problem, Response, Touches


class Gross(NamedTuple):
    """A row: ``needs`` are names of `FEATURES`, without which a problem is solved soundly.

    ``before(problem)`` returns the changed problem, ``after(problem, response)`` the changed response.
    """

    name: str
    part: str
    what: str
    needs: tuple[str, ...] = ()
    before: Callable[[Problem], Problem] | None = None
    after: Callable[[Problem, Response], Response] | None = None


def gross_faults(solver: Any, rows: Iterable[Gross]) -> list[Fault]:
    """Return the faults of rows in a solver."""
    return [_fault(solver, row) for row in rows]


def _fault(solver: Any, row: Gross) -> Fault:
    def touches(problem: Problem) -> bool:
        return all(FEATURES[name](problem) for name in row.needs)

    before = None if row.before is None else lambda p, _: row.before(p) if touches(p) else p
    after = None if row.after is None else lambda p, r, _: row.after(p, r) if touches(p) else r
    return Fault(row.name, row.part, row.what, lambda _: Damaged(solver, before, after), touches)


# --- what a problem has --------------------------------------------------------------------------------------------


def _is_coupled(matrix: Any) -> bool:
    return matrix is not None and bool(np.any(matrix - np.diag(np.diag(matrix))))


def _is_lopsided(shapes: Any) -> bool:
    """Return whether a square matrix is not its own transposed; others cannot be mistaken for it."""
    return shapes.shape[0] == shapes.shape[1] and bool(np.ptp(shapes - shapes.T))


def _ends(term: Any, p: Problem) -> bool:
    """Return whether a term of a load jumps inside the run."""
    instants = [term.end] if isinstance(term, Windowed) else term.breaks if isinstance(term, Piecewise) else []
    return any(p.start < float(instant) < p.end for instant in instants)


def _is_slanted(friction: Any) -> bool:
    """Return whether a single tangent is the part of a line along an axis."""
    return len(friction.tangents) == 1 and not np.isclose(np.linalg.norm(friction.tangents[0]), 1.0)


FEATURES: dict[str, Touches] = {
    "matrices": lambda p: p.mass is not None,
    "several coordinates": lambda p: p.size > 1,
    "coupled coordinates": lambda p: _is_coupled(p.stiffness) or _is_coupled(p.mass),
    "mass other than one": lambda p: p.mass is not None and not np.array_equal(p.mass, np.eye(p.size)),
    "damping": lambda p: "damping" in p.needs,
    "coupled damping": lambda p: "damping:coupled" in p.needs,
    "drive": lambda p: bool(p.drives),
    "drive that ends": lambda p: any(_ends(t, p) for f in p.drives for t in f.terms()),
    "harmonic drive": lambda p: any(isinstance(t, Harmonic) for f in p.drives for t in f.terms()),
    "initial displacement": lambda p: bool(np.any(p.initial_displacement)),
    "initial velocity": lambda p: bool(np.any(p.initial_velocity)),
    "support motion": lambda p: bool(p.supports),
    "several supports": lambda p: len(p.supports) > 1,
    "bent static mode": lambda p: any(np.ptp(s.influence) > 0 for s in p.supports),
    "lopsided static mode": lambda p: any(np.any(s.influence != s.influence[::-1]) for s in p.supports),
    "relative frame": lambda p: any(element.frame == "relative" for element in p.elements),
    "lopsided shapes": lambda p: _is_lopsided(modal_basis(p).shapes),
    "absolute frame": lambda p: "absolute-frame" in p.needs,
    "contact": lambda p: any(not stop.rigid for stop in p.stops),
    "plane stop": lambda p: any(stop.geometry == "plane" for stop in p.stops),
    "gap": lambda p: any(stop.gap != 0 for stop in p.stops),
    "damped contact": lambda p: any(stop.damping for stop in p.stops),
    "friction": lambda p: bool(p.frictions),
    "friction under constant force": lambda p: any(not isinstance(f.normal, str) for f in p.frictions),
    "friction other than one": lambda p: any(f.static != 1 or f.kinetic != 1 for f in p.frictions),
    "friction in a plane": lambda p: any(len(f.tangents) > 1 for f in p.frictions),
    "friction along one axis": lambda p: any(_is_slanted(f) for f in p.frictions),
    "static above kinetic": lambda p: any(f.static > f.kinetic for f in p.frictions),
    "device": lambda p: bool(p.devices),
    "Zener device": lambda p: any(isinstance(d, Zener) for d in p.devices),
    "power-law dashpot": lambda p: any(isinstance(d, Zener) and d.alpha < 1 for d in p.devices),
    "buckling stop": lambda p: any(isinstance(d, BucklingStop) for d in p.devices),
    "buckling plateau": lambda p: any(isinstance(d, BucklingStop) and d.plateau for d in p.devices),
    "buckling softening": lambda p: any(isinstance(d, BucklingStop) and d.softening for d in p.devices),
    "nonlinear spring": lambda p: any(isinstance(d, NonlinearSpring) for d in p.devices),
    "dead zone": lambda p: any(isinstance(d, NonlinearSpring) and len(d.breaks) > 1 for d in p.devices),
}
