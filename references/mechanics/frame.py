"""The coordinates of a mechanical problem, its matrices and its drives in exact numbers.

The unknowns are the coordinates themselves or, with a modal basis, the modal ones; directions of loads and elements are
turned into them by the mode shapes. What is driven is a formula between two breaks of the functions of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy
from sympy import Expr, Symbol

from veridyn.problem.exact_fields import exact_field, is_formula
from veridyn.problem.formulas import ReadNumber, list_breaks, write_function
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.references.mechanics.numbers import read_matrix, read_vector
from veridyn.references.problems.hybrid_modes import TIME

ZERO = sympy.Integer(0)
ENERGY = Symbol("energy")  # a reading, unless a coordinate has the name


@dataclass(frozen=True, eq=False)
class Frame:
    """A problem with dense matrices, read by a rule for numbers."""

    problem: MechanicalProblem
    read: ReadNumber

    # ---- coordinates

    @cached_property
    def size(self) -> int:
        """Number of unknown coordinates: r modal ones, or n."""
        return self.problem.size if self.problem.modes is None else int(self.problem.modes.omega.size)

    @cached_property
    def unknowns(self) -> tuple[Symbol, ...]:
        """Displacements (r,) that move."""
        if self.problem.modes is None:
            return tuple(map(Symbol, self.problem.coordinates))
        return tuple(Symbol(f"q_{i + 1}") for i in range(self.size))

    @cached_property
    def rates(self) -> tuple[Symbol, ...]:
        """Their velocities."""
        return tuple(Symbol(f"v_{x}") for x in self.unknowns)

    @cached_property
    def shapes(self) -> sympy.Matrix | None:
        """Mode shapes (n, r); None where the unknowns are the coordinates."""
        modes = self.problem.modes
        return None if modes is None else read_matrix(self.read, exact_field(modes, "shapes"))

    def along(self, direction: Iterable[Any]) -> tuple[Expr, ...]:
        """Return a direction (n,) of the coordinates as one of the unknowns (r,)."""
        column = read_vector(self.read, direction)
        return tuple(column if self.shapes is None else self.shapes.T * column)

    def number(self, record: Any, name: str) -> Expr:
        """Return a number of an element, exact."""
        return self.read(exact_field(record, name))

    def local(self, direction: Iterable[Any], frame: str) -> tuple[Expr, Expr]:
        """Return a local coordinate and its rate; in the absolute frame with the motion of the supports."""
        along = self.along(direction)
        y, w = (_dot(along, own) for own in (self.unknowns, self.rates))
        if frame == "absolute":
            plain = read_vector(self.read, direction)
            for j, influence in enumerate(self._influences):
                share = plain.dot(influence)
                y, w = y + share * driven(j, 0), w + share * driven(j, 1)
        return y, w

    @cached_property
    def readings(self) -> dict[Symbol, Expr]:
        """What can be read: the energy, and coordinates and their velocities by name where the unknowns are others.

        The energy (J) is the kinetic one and that of the constant stiffness; stops and devices have their own.
        """
        result = {} if ENERGY.name in self.problem.coordinates else {ENERGY: self._energy}
        if self.shapes is None:
            return result
        for i, name in enumerate(self.problem.coordinates):
            row = tuple(self.shapes.row(i))
            result[Symbol(name)], result[Symbol(f"v_{name}")] = _dot(row, self.unknowns), _dot(row, self.rates)
        return result

    def accelerations(self, moving: Sequence[Expr]) -> dict[Symbol, Expr]:
        """Return the accelerations of the coordinates by name; ``moving`` (r,): of the unknowns."""
        names = [Symbol(f"a_{name}") for name in self.problem.coordinates]
        if self.shapes is None:
            return dict(zip(names, moving, strict=True))
        return {name: _dot(tuple(self.shapes.row(i)), moving) for i, name in enumerate(names)}

    def absolute(self, drives: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
        """Return displacements and velocities with the motion of supports by name, where there are some."""
        result: dict[Symbol, Expr] = {}
        for i, name in enumerate(self.problem.coordinates if self.problem.supports else ()):
            for order, mark in enumerate(("", "v_")):
                moved = sympy.Add(*(factors[i] * driven(j, order) for j, factors in enumerate(self._influences)))
                own = Symbol(f"{mark}{name}")
                result[Symbol(f"absolute_{mark}{name}")] = self.readings.get(own, own) + moved.xreplace(drives)
        return result

    @cached_property
    def _influences(self) -> list[sympy.Matrix]:
        return [read_vector(self.read, exact_field(support, "influence")) for support in self.problem.supports]

    def _find_share(self, column: sympy.Matrix) -> sympy.Matrix:
        """Return what of a column (n, 1) of displacements the unknowns have, as solvers project it."""
        return column if self.shapes is None else _project(self.shapes, column)

    @property
    def _energy(self) -> Expr:
        mass, _, stiffness = self.matrices
        pairs = ((mass, self.rates), (stiffness, self.unknowns))
        entries = ((m[i, j], x[i] * x[j]) for m, x in pairs for i in range(self.size) for j in range(self.size))
        return sympy.Add(*(factor * product / 2 for factor, product in entries if factor != 0))

    @cached_property
    def initial(self) -> tuple[Expr, ...]:
        """Displacements, then velocities (2r,) at the start."""
        p, result = self.problem, []
        for name in ("initial_displacement", "initial_velocity"):
            column = read_vector(self.read, exact_field(p, name))
            result += list(self._find_share(column))
        return tuple(result)

    def at_start(self, coordinate: Expr) -> Expr:
        """Return a combination of the displacements that move, and of supports, at the start."""
        placed = dict(zip((*self.unknowns, *self.rates), self.initial, strict=True))
        return coordinate.xreplace(self.drives(0)).xreplace({**placed, TIME: self.number(self.problem, "start")})

    # ---- matrices

    @cached_property
    def matrices(self) -> tuple[sympy.Matrix, sympy.Matrix, sympy.Matrix]:
        """Mass, damping and stiffness (r, r)."""
        p = self.problem
        if p.modes is None:
            mass, damping, stiffness = (self._matrix(name) for name in ("mass", "damping", "stiffness"))
            return mass, damping, stiffness
        return _modal_matrices(p.modes, self.read)

    def _matrix(self, name: str) -> sympy.Matrix:
        value = exact_field(self.problem, name)
        return sympy.Matrix([[value]]) if is_formula(value) else read_matrix(self.read, value)

    @cached_property
    def inverse(self) -> sympy.Matrix:
        """The inverse of the mass matrix, exact."""
        mass = self.matrices[0]
        if mass.is_diagonal():
            return sympy.diag(*(1 / mass[i, i] for i in range(self.size)))
        return sympy.polys.matrices.DomainMatrix.from_Matrix(mass).to_field().inv().to_Matrix()

    @cached_property
    def linear(self) -> sympy.Matrix:
        """Forces (r, 1) of constant damping and stiffness."""
        _, damping, stiffness = self.matrices
        return -(stiffness * sympy.Matrix(self.unknowns) + damping * sympy.Matrix(self.rates))

    # ---- drives

    @cached_property
    def clock(self) -> tuple[Expr, ...]:
        """Instants (s) within the span at which a function of time changes its formula; `ProblemError` if too near."""
        return tuple(self._breaks.values())

    @cached_property
    def _breaks(self) -> dict[float, Expr]:
        return list_breaks(self.functions(), self.problem.start, self.problem.end, self.read)

    def functions(self) -> Iterator[TimeFunction]:
        """Yield all functions of time."""
        yield from self.problem.functions
        for support in self.problem.supports:
            yield from (support.displacement, support.velocity)

    def _middle(self, piece: int) -> float:
        edges = [self.problem.start, *self._breaks, self.problem.end]
        return 0.5 * (edges[piece] + edges[piece + 1])

    def write(self, function: TimeFunction, piece: int) -> Expr:
        """Return the formula of a function of time between two breaks."""
        return write_function(function, self._middle(piece), self.read)

    def drives(self, piece: int) -> Mapping[Symbol, Expr]:
        """Return displacements, velocities and accelerations of the supports by their stand-ins."""
        return _write_drives(self, piece)

    def loads(self, piece: int) -> sympy.Matrix:
        """Return the forces (r, 1) of loads, supports and matrices that vary, as formulas of the time."""
        total = sympy.zeros(self.size, 1)
        for load in self.problem.loads:
            total += sympy.Matrix(self.along(exact_field(load, "direction"))) * self.write(load.function, piece)
        for support, influence in zip(self.problem.supports, self._influences, strict=True):
            total -= self.matrices[0] * self._find_share(influence) * self.write(support.acceleration, piece)
        for part in self.problem.varying:
            own = sympy.Matrix(self.unknowns if part.of == "stiffness" else self.rates)
            total -= self.write(part.function, piece) * read_matrix(self.read, exact_field(part, "matrix")) * own
        return total


def driven(support: int, order: int) -> Symbol:
    """Return the stand-in for the motion of a support, or a rate of it."""
    return Symbol(f"support {support}{order * chr(39)}")


@lru_cache(maxsize=64)
def _write_drives(frame: Frame, piece: int) -> Mapping[Symbol, Expr]:
    """Return what drives a frame; once a piece, since it is asked for at every event."""
    result: dict[Symbol, Expr] = {}
    for j, support in enumerate(frame.problem.supports):
        functions = (support.displacement, support.velocity, support.acceleration)
        result |= {driven(j, order): frame.write(f, piece) for order, f in enumerate(functions)}
    return result


def make_frame(problem: MechanicalProblem, read: ReadNumber) -> Frame:
    """Return the frame of a problem; raises `ProblemError` for what has no exact form.

    That is functions of time that change twice at one instant as doubles tell.
    """
    frame = Frame(problem.dense(), read)
    list_breaks(frame.functions(), problem.start, problem.end, read)
    return frame


def _dot(row: Sequence[Expr], symbols: Sequence[Symbol]) -> Expr:
    return sympy.Add(*(a * s for a, s in zip(row, symbols, strict=True) if a != 0))


def _project(shapes: sympy.Matrix, values: sympy.Matrix) -> sympy.Matrix:
    """Return the modal coordinates (r, 1) of values (n, 1): those of the sum of modes that is nearest."""
    if values.is_zero_matrix:
        return sympy.zeros(shapes.shape[1], 1)
    return (shapes.T * shapes).LUsolve(shapes.T * values)


def _modal_matrices(modes: Modes, read: ReadNumber) -> tuple[sympy.Matrix, sympy.Matrix, sympy.Matrix]:
    columns: Mapping[str, list[Expr]] = {
        name: [read(value) for value in exact_field(modes, name)] for name in ("omega", "damping", "masses")
    }
    rows = list(zip(columns["omega"], columns["damping"], columns["masses"], strict=True))
    damping = sympy.diag(*(2 * zeta * omega * mass for omega, zeta, mass in rows))
    stiffness = sympy.diag(*(omega**2 * mass for omega, _, mass in rows))
    if modes.coupling is not None:
        damping += read_matrix(read, exact_field(modes, "coupling"))
    if modes.stiffness_coupling is not None:
        stiffness += read_matrix(read, exact_field(modes, "stiffness_coupling"))
    return sympy.diag(*columns["masses"]), damping, stiffness
