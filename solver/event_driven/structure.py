"""The structure behind the event-driven equations: matrices, directions and elements that are the same in all modes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import in_modal_coordinates, with_coordinates, with_supports
from veridyn.problem.devices import NonlinearDamper
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.event_driven.contact_modes import Affine, ContactMode, Touch
from veridyn.solver.event_driven.forcing import functions, is_carried, segments
from veridyn.solver.event_driven.reduction import (
    Bend,
    find_bends,
    find_cosines,
    find_linear_piece,
    join_tangents,
    refuse,
    split_planes,
)

Floats = NDArray[np.float64]

BEYOND = 1e-9  # of the terms of a gap; a start that is deeper in a rigid stop is none
WAY = 1e-2  # of the way of a step: what counts like the terms of a gap


class Structure:
    """A problem in the unknowns of the event-driven equations, with what holds in all of its modes.

    ``problem`` has these unknowns: the degrees of freedom or modal coordinates; the supports, if an element sees them
    (see `with_supports`); the springs of regularised friction. In all equations the supports move as their functions
    say: as unknowns they serve where velocities along a direction are to be zero. Forces do not move them.

    Raises
    ------
    NotImplementedError
        See `refuse`.
    ProblemError
        If the body starts beyond a rigid stop.
    """

    def __init__(self, problem: MechanicalProblem) -> None:
        refuse(problem)
        self.shapes = None if problem.modes is None else problem.modes.shapes
        stated, problem = problem, problem if problem.modes is None else in_modal_coordinates(problem)
        self.own = problem.size
        problem = with_supports(problem, stated) if is_carried(problem) else problem
        self.supports = np.arange(self.own, problem.size)
        joined = tuple(join_tangents(friction) for friction in problem.frictions)
        self.cosines = [find_cosines(f, line) for f, line in zip(problem.frictions, joined, strict=True)]
        problem = replace(problem, frictions=joined)
        problem, self.planes = split_planes(problem)
        bends = [find_bends(damper) for damper in problem.devices if isinstance(damper, NonlinearDamper)]
        ends = list(accumulate(map(len, bends), initial=len(problem.stops)))
        self.bends = {d.name: tuple(range(*e)) for d, e in zip(problem.devices, pairwise(ends), strict=True)}
        problem = replace(problem, stops=(*problem.stops, *chain.from_iterable(bends)))
        self.springs = {j: 0 for j, friction in enumerate(problem.frictions) if friction.law == "regularised"}
        self.springs = {j: problem.size + i for i, j in enumerate(self.springs)}
        problem = with_coordinates(problem, len(self.springs))
        assert problem.mass is not None
        assert problem.damping is not None
        assert problem.stiffness is not None
        self.problem = problem
        self.measure = np.linalg.inv(problem.mass)
        self.inverse, self.root = self.measure.copy(), np.linalg.inv(np.linalg.cholesky(problem.mass)).T
        # A support moves as its function says, whatever acts on it. As a root of the mass has no part in it,
        # projections in the norm of the kinetic energy leave it alone.
        self.inverse[self.supports, self.supports] = 1.0  # their loads are accelerations
        self.root[self.supports] = 0.0
        self.channels = len(functions(problem))
        first = self.channels - 2 * self.supports.size + np.arange(self.supports.size)
        self.carriers = (first, first + self.supports.size)  # channels of displacements and velocities of supports
        self.tangents = np.array([f.tangents[0] for f in problem.frictions]).reshape(-1, problem.size)
        self.normals = np.array([stop.normal for stop in problem.stops]).reshape(-1, problem.size)
        acts = np.ones(problem.size)
        acts[self.supports] = 0.0  # of elements nothing acts on them
        self.pulls, self.pushes = acts * self.tangents, -acts * self.normals
        self.free = self._free(acts)
        self.elongations, self.rates = self._elongations()
        self.pressing = self._affine([self._spring(stop) for stop in problem.stops])
        self.gaps, self.gap_rates = self._gaps()
        self.gap_sizes = self._gap_sizes()
        self.sliding = self._affine([self._row(v=tangent) for tangent in self.tangents])
        self.presses = self._presses()
        self.weights = self._affine([self._row(constant=find_constant_force(f)) for f in problem.frictions])
        self.static = np.array([friction.static for friction in problem.frictions])
        self.reach = self.lengths(self.tangents)
        self.glides = self._bounds(self.reach)
        self.rigid = np.array([stop.rigid for stop in problem.stops], dtype=bool)
        self.jams = self.presses @ self.rigid > 0  # frictions under the forces of rigid stops
        if self.rigid.any():
            self._check_start()
        rows = np.vstack((self.tangents, self.normals[self.rigid]))
        # whether what moves apart may want to hold one body
        self.contrary = len(rows) > 1 and bool(rows[:, self.supports].any())

    def _free(self, acts: Floats) -> Affine:
        """Return the forces on a structure that touches nothing (n rows), and the accelerations of supports."""
        problem = self.problem
        assert problem.mass is not None
        assert problem.damping is not None
        assert problem.stiffness is not None
        columns = [load.direction for load in problem.loads]
        columns += [-problem.mass @ support.influence for support in problem.supports]
        columns += [np.zeros(problem.size)] * (self.channels - len(columns))
        forcing = np.array(columns).reshape(self.channels, problem.size).T
        forcing[self.supports, len(problem.loads) + np.arange(self.supports.size)] = 1.0
        rows = np.hstack((np.zeros((problem.size, 1)), -problem.stiffness, -problem.damping, forcing))
        for damper in problem.devices:
            assert isinstance(damper, NonlinearDamper)
            force, slope = find_linear_piece(damper)
            rows -= np.outer(acts * damper.direction, self._row(constant=force, v=slope * damper.direction))
        return self.whole(rows)

    def _check_start(self) -> None:
        """Refuse a body that starts beyond a rigid stop by more than rounding leaves of it and of the way ahead."""
        problem, (first, *_) = self.problem, segments(self.problem)
        y = np.concatenate((problem.initial_displacement, problem.initial_velocity))
        gaps = self.gaps(y, first.value(first.start))
        ways = np.abs(y) @ np.kron([[1.0], [problem.end - problem.start]], np.eye(problem.size))
        for name, planes in self.planes.items():
            for i in planes:
                stop = problem.stops[i]
                size = abs(stop.gap) + abs(stop.offset) + float(np.abs(stop.normal) @ ways)
                if stop.rigid and -gaps[i] > BEYOND * size:
                    raise ProblemError(
                        f"{problem.name}: the body starts {-gaps[i]:.3g} m beyond stop {name!r}, which is rigid; "
                        "begin on its free side, or give it a stiffness"
                    )

    def _presses(self) -> Floats:
        """Return which stops press which frictions, (f, s)."""
        presses = np.zeros((len(self.problem.frictions), len(self.problem.stops)))
        for row, friction in zip(presses, self.problem.frictions, strict=True):
            row[list(self.pressing_planes(friction))] = 1.0
        return presses

    def lengths(self, directions: Floats) -> Floats:
        """Return the lengths (k,) of directions (k, n) in the norm of the kinetic energy, that of supports too."""
        return np.asarray(np.sqrt(np.einsum("ki,ij,kj->k", directions, self.measure, directions)))

    def _bounds(self, reach: Floats) -> Floats:
        """Return rows (k, n) over absolute velocities that bound the velocities along directions: ``|t| |v|``.

        The norms are those of the kinetic energy; so what is left of a velocity that vanishes is measured against the
        motion of the whole structure, not against itself.
        """
        # Cauchy and Schwarz with M = L Lᵀ: |t·v| <= |L⁻¹ t| |Lᵀ v|, the first being √(t M⁻¹ t), the second √(v M v). By
        # the triangle inequality the second is at most Σ √(M_ii) |v_i|, which is linear in |v| and so a row.
        return np.outer(reach, np.sqrt(np.diag(np.asarray(self.problem.mass))))

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Places of each stop, damper and friction among the states of a mode."""
        stops = len(self.problem.stops)
        return {**self.planes, **self.bends, **{f.name: (stops + j,) for j, f in enumerate(self.problem.frictions)}}

    def restored(self, unknowns: Floats) -> Floats:
        """Return the displacements or velocities (m, n) of unknowns (m, r), springs and supports left out."""
        unknowns = unknowns[:, : self.own]
        return unknowns if self.shapes is None else unknowns @ self.shapes.T

    def carried(self, y: Floats, u: Floats) -> Floats:
        """Return a state (2n,) whose supports are where their functions say."""
        y = y.copy()
        for order, channels in enumerate(self.carriers):
            y[order * self.problem.size + self.supports] = u[channels]
        return y

    def pressed(self, friction: Friction, mode: ContactMode) -> bool:
        """Tell whether a friction has a normal force in a mode."""
        if not isinstance(friction.normal, str):
            return True
        return any(mode.stops[i] is Touch.CLOSED for i in self.planes[friction.normal])

    def whole(self, rows: Floats) -> Affine:
        """Return rows as an Affine in which supports move as their functions say."""
        n, supports = self.problem.size, self.supports
        for order, channels in enumerate(self.carriers if supports.size else ()):
            rows[:, 1 + 2 * n + channels] += rows[:, 1 + order * n + supports]
            rows[:, 1 + order * n + supports] = 0.0
        return Affine(rows, 2 * n)

    def _affine(self, rows: list[Floats]) -> Affine:
        return self.whole(np.array(rows).reshape(-1, 1 + 2 * self.problem.size + self.channels))

    def _row(self, *, constant: float = 0.0, x: Any = 0.0, v: Any = 0.0) -> Floats:
        n = self.problem.size
        row = np.zeros(1 + 2 * n + self.channels)
        row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n] = constant, x, v
        return row

    def _elongations(self) -> tuple[Affine, Affine]:
        """Return elongations (m) and rates (m/s) of the dampers."""
        devices = self.problem.devices
        return (
            self._affine([self._row(constant=d.offset, x=d.direction) for d in devices]),
            self._affine([self._row(v=d.direction) for d in devices]),
        )

    def _spring(self, stop: Stop) -> Floats:
        """Return ``-k d - c d'`` of a stop, zeros of a rigid one, the push of a bend."""
        if stop.rigid:
            return self._row()
        k, c = stop.stiffness, stop.damping
        if isinstance(stop, Bend):
            return self._row(constant=-c * stop.rate, v=c * stop.along)
        return self._row(constant=k * (stop.offset - stop.gap), x=k * stop.normal, v=c * stop.normal)

    def _gap_sizes(self) -> Floats:
        """Return the sizes of the terms of gaps, as rows; with a share of all displacements where stops are rigid.

        The gap of what rests is nothing but what their rounding leaves.
        """
        bounds = WAY * self._bounds(self.lengths(self.normals))
        shares = [
            self._row(x=bound if stop.rigid else 0.0) for stop, bound in zip(self.problem.stops, bounds, strict=True)
        ]
        return np.abs(self.gaps.rows) + np.array(shares).reshape(self.gaps.rows.shape)

    def _gaps(self) -> tuple[Affine, Affine]:
        gaps, rates = zip(*map(self._gap, self.problem.stops), strict=True) if self.problem.stops else ((), ())
        return self._affine(list(gaps)), self._affine(list(rates))

    def _gap(self, stop: Stop) -> tuple[Floats, Floats]:
        """Return the gap of a stop and its rate; a bend has a constant one."""
        if isinstance(stop, Bend):
            return self._row(constant=stop.gap), self._row()
        return self._row(constant=stop.gap - stop.offset, x=-stop.normal), self._row(v=-stop.normal)

    def normal_forces(self, stop_forces: Affine) -> Affine:
        """Return the normal force of each friction: constant, or of its stop."""
        return self.whole(self.weights.rows + self.presses @ stop_forces.rows)

    def pressing_planes(self, friction: Friction) -> tuple[int, ...]:
        """Return the planes that press a friction; none if the force is constant."""
        return self.planes[friction.normal] if isinstance(friction.normal, str) else ()

    def speed(self, v: Floats) -> float:
        """Return the norm of velocities that goes with the kinetic energy."""
        return float(np.sqrt(v @ np.asarray(self.problem.mass) @ v))


def find_constant_force(friction: Friction) -> float:
    """Return the normal force (N) of a friction, 0 if a stop presses it."""
    return 0.0 if isinstance(friction.normal, str) else friction.normal
