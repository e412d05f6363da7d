"""How the numbers behind the equations of the exact solver follow a tangent: matrices, elements, loads, start.

They are the numbers of the problem in the unknowns of `Structure`. What turns a direction (a normal, a tangent, a mode
shape, the influence of a support), moves an edge of a load or a support is declined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.named_numbers import Step, list_numbers
from veridyn.problem.scalars import to_float
from veridyn.problem.tangent import Tangent
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed
from veridyn.solver.event_driven.forcing import Forcing
from veridyn.solver.event_driven.mechanics import Mechanics

Floats = NDArray[np.float64]

MATRICES = ("mass", "damping", "stiffness")
OF_STOPS = ("gap", "offset", "stiffness", "damping", "restitution")
OF_FRICTIONS = ("normal", "static", "kinetic")
IDLE = ("stiffness", "damping")  # of friction that sticks rigidly: without effect
IDLE_STOPS = ("lateral_offset",)  # of planes: without effect


@dataclass(frozen=True)
class TermSlope:
    """The derivative of one number of an elementary function that drives a channel.

    ``term`` is its place among the terms of all channels; ``piece`` and ``power`` are those of a coefficient.
    """

    term: int
    field: str
    slope: float
    piece: int = 0
    power: int = 0


@dataclass(frozen=True, eq=False)
class NumberSlopes:
    """Derivatives of numbers: matrices (n, n); by name those of stops (s,) and frictions (f,); the start (2n,).

    ``pushes`` (n, channels) are those of the directions of loads, ``terms`` those of their functions of time.
    """

    matrices: Mapping[str, Floats]
    stops: Mapping[str, Floats]
    frictions: Mapping[str, Floats]
    start: Floats
    pushes: Floats
    terms: list[TermSlope] = field(default_factory=list)


def read_slopes(stated: MechanicalProblem, mechanics: Mechanics, tangent: Tangent) -> NumberSlopes:
    """Return the derivatives of all numbers along a tangent of a problem as it is stated.

    Raises NotImplementedError for a number that is not differentiated by.
    """
    problem = mechanics.problem
    n, s, f = problem.size, len(problem.stops), len(problem.frictions)
    slopes = NumberSlopes(
        matrices={name: np.zeros((n, n)) for name in MATRICES},
        stops={name: np.zeros(s) for name in OF_STOPS},
        frictions={name: np.zeros(f) for name in OF_FRICTIONS},
        start=np.zeros(2 * n),
        pushes=np.zeros((n, mechanics.channels)),
    )
    numbers, source = list_numbers(stated), Source(stated, mechanics)
    for name, slope in tangent.numbers.items():
        if slope and not _add(slopes, source, numbers[name].way, slope):
            raise NotImplementedError(f"derivatives by {name}")
    return slopes


@dataclass(frozen=True, eq=False)
class Source:
    """What the names of numbers belong to: the problem as it is stated, and its equations."""

    stated: MechanicalProblem
    mechanics: Mechanics

    def project(self, place: int) -> Floats:
        """Return what a unit of a displacement or velocity is in the first unknowns, (r,)."""
        modes = self.stated.modes
        return np.eye(self.mechanics.own)[place] if modes is None else np.linalg.pinv(modes.shapes)[:, place]

    def load(self, place: int) -> Floats:
        """Return what a unit of force along a coordinate is on the first unknowns, (r,)."""
        modes = self.stated.modes
        return np.eye(self.mechanics.own)[place] if modes is None else np.asarray(modes.shapes[place])

    def find_planes(self, stop: int) -> list[int]:
        """Return the places of the planes of a stop."""
        return list(self.mechanics.planes[self.stated.stops[stop].name])


def _add(slopes: NumberSlopes, source: Source, way: tuple[Step, ...], slope: float) -> bool:
    """Add the derivative of the number at the end of a way; tell whether it is one that is differentiated by."""
    own, n = source.mechanics.own, source.mechanics.problem.size
    match way:
        case ("mass" | "damping" | "stiffness") as name, tuple(places):
            for i, j in places:  # an entry, and its mirror image
                slopes.matrices[name][i, j] += slope
        case "modes", str(name), ((*place,),):
            return _add_mode(slopes, source, name, place, slope)
        case "initial_displacement", ((int(i),),):
            slopes.start[:own] += slope * source.project(i)
        case "initial_velocity", ((int(i),),):
            slopes.start[n : n + own] += slope * source.project(i)
        case ("stops" | "frictions") as kind, int(i), str(name):
            return _add_element(slopes, source, kind, i, name, slope)
        case "loads", int(i), "direction", ((int(k),),):
            slopes.pushes[:own, i] += slope * source.load(k)
        case "loads", int(i), "function", *rest:
            return _add_term(slopes, source, i, tuple(rest), slope)
        case _:
            return False
    return True


def _add_element(slopes: NumberSlopes, source: Source, kind: str, i: int, name: str, slope: float) -> bool:
    """Add the derivative by a number of a stop or a friction."""
    if kind == "frictions":
        if name in OF_FRICTIONS:
            slopes.frictions[name][i] += slope
        return name in (*OF_FRICTIONS, *IDLE)
    if name in OF_STOPS:
        planes = source.find_planes(i)
        # the other one of parallel planes looks the other way
        signs = np.array([1.0, -1.0])[: len(planes)] if name == "offset" else 1.0
        slopes.stops[name][planes] += slope * signs
    return name in (*OF_STOPS, *IDLE_STOPS)


def _add_mode(slopes: NumberSlopes, source: Source, name: str, place: list[int], slope: float) -> bool:
    """Add the derivative by a number of a modal basis: K = w² m, C = 2 z w m and their couplings."""
    modes, (mass, damping, stiffness) = source.stated.modes, (slopes.matrices[each] for each in MATRICES)
    assert modes is not None
    if name in ("coupling", "stiffness_coupling"):
        (damping if name == "coupling" else stiffness)[tuple(place)] += slope
        return True
    if name not in ("omega", "damping", "masses"):
        return False
    (k,) = place
    w, z, m = (float(each[k]) for each in (modes.omega, modes.damping, modes.masses))
    by_mass, by_damping, by_stiffness = {
        "omega": (0.0, 2 * z * m, 2 * w * m),
        "damping": (0.0, 2 * w * m, 0.0),
        "masses": (1.0, 2 * z * w, w * w),
    }[name]
    mass[k, k] += slope * by_mass
    damping[k, k] += slope * by_damping
    stiffness[k, k] += slope * by_stiffness
    return True


def _add_term(slopes: NumberSlopes, source: Source, load: int, way: tuple[Step, ...], slope: float) -> bool:
    """Add the derivative by a number of the function of a load."""
    loads = source.stated.loads
    before = sum(len(each.function.terms()) for each in loads[:load])
    if (found := _find_term(loads[load].function, way)) is None:
        return False
    term, name, places = found
    slopes.terms.append(TermSlope(before + term, name, slope, *places))
    return True


def _find_term(function: TimeFunction, way: tuple[Step, ...]) -> tuple[int, str, tuple[int, ...]] | None:
    """Return the place of a term among those of a function, the field of its number and the places in it.

    None for what makes no smooth change of a term: edges, and what is derived from a window.
    """
    match function, way:
        case Sum(), ("summands", int(i), *rest):
            found = _find_term(function.summands[i], tuple(rest))
            before = sum(len(each.terms()) for each in function.summands[:i])
            return None if found is None else (before + found[0], found[1], found[2])
        case Windowed(order=0, function=Harmonic(order=0) as wave), ("function", *rest):
            return _find_term(wave, tuple(rest))
        case Harmonic(), (("amplitude" | "omega" | "phase") as name,):
            return 0, name, ()
        case Piecewise(), ("coefficients", int(i), int(k)):
            return 0, "coefficients", (i, k)
    return None


# ---- driving functions


def differentiate_drive(
    functions: list[TimeFunction], forcing: Forcing, width: int, slopes: NumberSlopes
) -> tuple[Floats, Floats]:
    """Return the derivatives of the waves (a, 3) and of the polynomials (b, 1 + width) on one segment.

    Waves have amplitude, omega and phase; polynomials keep their origins, which come first.
    """
    terms = [term for function in functions for term in function.terms()]
    waves = [i for kind in (Harmonic, Windowed) for i, term in enumerate(terms) if isinstance(term, kind)]
    pieces = [i for i, term in enumerate(terms) if isinstance(term, Piecewise)]
    moved, moved_pieces = np.zeros((len(waves), 3)), np.zeros((len(pieces), 1 + width))
    for row, piece in zip(moved_pieces, forcing.polynomials, strict=True):
        row[0] = piece.origin
    inside = 0.5 * (forcing.start + forcing.end)
    for each in slopes.terms:
        term = terms[each.term]
        if isinstance(term, Piecewise):
            starts = [to_float(b) for b in term.breaks]
            if int(np.searchsorted(starts, inside, side="right")) - 1 == each.piece:
                moved_pieces[pieces.index(each.term), 1 + each.power] += each.slope
        else:
            moved[waves.index(each.term)] += each.slope * _differentiate_wave(term, each.field, inside)
    return moved, moved_pieces


def _differentiate_wave(term: TimeFunction, name: str, inside: float) -> Floats:
    """Return the derivatives of amplitude, omega and phase of the wave of a term around an instant (s)."""
    wave = term.function if isinstance(term, Windowed) else term
    assert isinstance(wave, Harmonic)
    opened = not isinstance(term, Windowed) or to_float(term.start) <= inside < to_float(term.end)
    amplitude, omega, order = to_float(wave.amplitude), to_float(wave.omega), wave.order
    if name == "phase":
        return np.array([0.0, 0.0, 1.0])
    if name == "amplitude":
        return np.array([omega**order if opened else 0.0, 0.0, 0.0])
    return np.array([amplitude * order * omega ** (order - 1) if opened and order else 0.0, 1.0, 0.0])
