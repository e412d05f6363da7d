"""A mechanical problem in one of its discrete states: smooth affine equations, and the guards that bound them.

With y = (x, v) and the driving functions u(t) everything is affine as long as every stop stays open or closed and
every friction sticks or slips one way: the rate of y, the stop forces, the friction forces, and the guards. So
each is written once, as an `Affine`, for float, array and symbolic arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.event_driven.contact_modes import (
    SLIPS,
    STRIKES,
    Affine,
    ContactMode,
    ElementChange,
    Grip,
    ModeFlow,
    Touch,
)
from veridyn.solver.event_driven.reduction import (
    Bend,
)
from veridyn.solver.event_driven.structure import WAY, Structure, find_constant_force

Floats = NDArray[np.float64]

ROUNDING = 1e-14  # relative; a difference smaller than this is rounding
DEPENDENT = 1e-12  # of the largest eigenvalue: below it tangents are dependent
LEAST = 1e-3  # of the strongest friction: what a weaker one counts as, where they share a load
AT_REST = 1e-12  # of the motion of the whole structure; a slower velocity along a direction is rest
LOW = 4e-13  # of the terms of a gap; what is no higher is on the stop
TORN = 1e-6  # relative; what holds two that move apart by less is one
MOST_HELD = 256  # sets of what holds still, that are remembered


@dataclass(frozen=True, eq=False)
class Constraint:
    """What k frictions that stick and rigid stops that are closed do to the n unknowns.

    ``back`` (n, k) turns rates along them into the velocities that take them away; ``demand`` (k, n) turns loads into
    the negative of the forces that hold, those of frictions that slip under the stops being in proportion to them;
    they act along ``forces`` (k, n), and ``hold`` (n, n) is the projection of velocities that keeps rest.
    """

    forces: Floats
    back: Floats
    demand: Floats
    hold: Floats


class Mechanics(Structure):
    """Writes the equations of a problem in any of its modes, once each."""

    def __init__(self, problem: MechanicalProblem) -> None:
        super().__init__(problem)
        self.known: dict[ContactMode, ModeFlow] = {}
        self.holds: dict[tuple[tuple[int, ...], tuple[int, ...], bytes], Constraint] = {}

    def flow(self, mode: ContactMode) -> ModeFlow:
        """Return the equations of a mode."""
        if mode not in self.known:
            self.known[mode] = self.written(mode)
        return self.known[mode]

    def written(self, mode: ContactMode) -> ModeFlow:
        """Return the equations of a mode, written anew."""
        n = self.problem.size
        closed = np.array([touch is Touch.CLOSED for touch in mode.stops], dtype=bool)
        stop_forces = self.whole(closed[:, None] * self.pressing.rows)  # none of a rigid stop yet
        slips = self.list_slips(mode)[:, None]
        normal = self.normal_forces(stop_forces)
        friction = slips * normal.rows
        self._add_springs(mode, friction)
        loads = self.whole(self.free.rows + self.pushes.T @ stop_forces.rows + self.pulls.T @ friction).rows
        # The order matters. Forces that follow from the state (springs, dampers, slip under constant forces) come
        # first. What holds rigidly answers their sum, so that it comes second. Friction that slips under a rigid stop
        # is in proportion to that answer: it is added last, and `held` has taken it into account by F, or the stop
        # would hold too much or too little.
        stuck, shut = self.list_rigid(mode), np.flatnonzero(closed & self.rigid).tolist()
        held = self.held(tuple(stuck), tuple(shut), mode)
        hold = self._following(mode, held.hold)
        needed, efforts = -held.demand @ loads, np.abs(held.demand) @ np.abs(loads)
        friction[stuck] += needed[: len(stuck)]
        needs, pushes = np.abs(friction), np.abs(self.pressing.rows)
        needs[stuck] = efforts[: len(stuck)]
        if shut:
            stop_forces.rows[shut], pushes[shut] = needed[len(stuck) :], efforts[len(stuck) :]
            normal, pressed = self.normal_forces(stop_forces), self.presses[:, shut]
            needs += self.static[:, None] * (pressed @ pushes[shut])
            rubbing = slips * (pressed @ stop_forces.rows[shut])
            friction, loads = friction + rubbing, loads + self.pulls.T @ rubbing
        rate = np.zeros((2 * n, loads.shape[1]))
        rate[:n, 1 + n : 1 + 2 * n] = np.eye(n)
        rate[n:] = hold @ self.inverse @ loads
        pressing = np.where(self.rigid[:, None], stop_forces.rows, self.pressing.rows)
        guards, sizes, changes = self._guards(mode, friction, needs, normal.rows, pressing, pushes, hold)
        slack = tuple(spring for j, spring in self.springs.items() if mode.frictions[j] is Grip.FREE)
        return ModeFlow(
            mode, self.whole(rate), guards, changes, sizes, np.abs(self.inverse) @ np.abs(loads), stop_forces,
            self.gaps, self.gap_rates, self.whole(friction), self.sliding, hold, slack,
        )  # fmt: skip

    def list_slips(self, mode: ContactMode) -> Floats:
        """Return what part of the normal force each friction has as force: none unless it slips, (f,)."""
        pairs = zip(mode.frictions, self.problem.frictions, strict=True)
        return np.array([-float(grip) * f.kinetic if grip in SLIPS else 0.0 for grip, f in pairs])

    def list_rigid(self, mode: ContactMode) -> list[int]:
        """Return the frictions that stick rigidly."""
        return [j for j, grip in enumerate(mode.frictions) if grip is Grip.STICK and j not in self.springs]

    def _add_springs(self, mode: ContactMode, forces: Floats) -> None:
        """Add the forces ``-k s - c w`` of the frictions that stick through a spring and damper."""
        n = self.problem.size
        for j, spring in self.springs.items():
            friction = self.problem.frictions[j]
            if mode.frictions[j] is Grip.STICK:
                forces[j, 1 + spring] -= friction.stiffness
                forces[j, 1 + n : 1 + 2 * n] -= friction.damping * friction.tangents[0]

    def held(self, stuck: tuple[int, ...], shut: tuple[int, ...], mode: ContactMode | None = None) -> Constraint:
        """Return what holds the unknowns where frictions stick and rigid stops are closed.

        They ask ``W (M⁻¹ (q + F λ) + ψ s'') = 0`` of their tangents and inward normals W, q being all other forces and
        s'' the accelerations of the supports; F are the same directions, those of the stops with the forces of what
        slips under them in a mode. The projection takes away what rounding leaves of the velocities along W, so that
        rest holds exactly however long it lasts.
        """
        slips = self.list_slips(mode) * self.jams if mode and shut else np.zeros(0)
        key = stuck, shut, slips.tobytes() if slips.any() else b""
        if key not in self.holds:
            if len(self.holds) == MOST_HELD:
                self.holds.clear()
            W = np.vstack((self.tangents[list(stuck)], -self.normals[list(shut)]))
            shares = self._shares(stuck, len(shut)) / norms(W @ self.root)
            F = W.copy() if slips.any() else W
            if slips.any():
                F[len(stuck) :] += (slips[:, None] * self.presses[:, list(shut)]).T @ self.pulls
            self.holds[key] = self._constrained(W, shares, F)
        return self.holds[key]

    def _constrained(self, W: Floats, shares: Floats, F: Floats) -> Constraint:
        """Return the same for directions W and F (k, n); if dependent, they share by the squares of shares (k,).

        With ``M = L Lᵀ`` and an orthonormal basis V of the rows of ``W L⁻ᵀ`` the projection is ``1 - L⁻ᵀ Vᵀ V Lᵀ``:
        no difference of shares cancels in it.
        """
        eye, along = np.eye(self.problem.size), W @ self.root
        # W L⁻ᵀ has the directions in the norm of the kinetic energy. There the projection on velocities that rest along
        # W is orthogonal: it takes the least kinetic energy away. Rank is then decided without units of coordinates;
        # squares of singular values are eigenvalues of W M⁻¹ Wᵀ.
        _, sizes, rows = np.linalg.svd(along / norms(along)[:, None])
        basis = rows[: np.count_nonzero(sizes**2 > DEPENDENT * sizes.max(initial=0.0) ** 2)]
        back, parts = self.root @ basis.T, along @ basis.T
        shared = np.linalg.pinv(shares[:, None] * parts) * shares
        resisted = shared if F is W else np.linalg.pinv(shares[:, None] * (F @ self.root @ basis.T)) * shares
        demand = resisted.T @ back.T
        carried = np.linalg.pinv(parts) @ W[:, self.supports] if self.supports.size else np.zeros((len(basis), 0))
        demand[:, self.supports] = resisted.T @ carried
        projected = back @ back.T @ self.problem.mass
        if len(basis) == len(eye) - self.supports.size:
            projected = eye.copy()
            projected[self.supports, self.supports] = 0.0
        projected[:, self.supports] = back @ carried
        hold = eye - projected
        # Rounding in a zero of the projection would let a velocity of 1e-17 through, at every event again. Exact zeros
        # keep what rests at rest and independent modes apart.
        hold[np.abs(hold) <= ROUNDING * (eye + np.abs(projected))] = 0.0
        return Constraint(F, back @ shared, demand, hold)

    def _following(self, mode: ContactMode, hold: Floats) -> Floats:
        """Return a projection in which a spring of stick follows the sliding, and that of a slip waits."""
        result = hold.copy()
        for j, spring in self.springs.items():
            result[spring] = self.tangents[j] @ result if mode.frictions[j] is Grip.STICK else 0.0
        return result

    def _shares(self, stuck: Sequence[int], shut: int) -> Floats:
        """Return weights (k,) of frictions that stick, then of closed stops: their squares are what each can hold.

        So several frictions along one line are one that holds as much as all. Forces are taken in the norm of the
        kinetic energy; those of stops that press, unknown beforehand, count as equal. A closed rigid stop holds any
        force: frictions leave to it what both can hold.
        """
        frictions = [self.problem.frictions[j] for j in stuck]
        reach = np.linalg.norm(self.tangents[list(stuck)] @ self.root, axis=1)  # 0 of one that does not rub
        # Weights w in the pseudoinverse share a load by w²: the least Σ (λ/w)² under the load. With w² the force that
        # each can hold, all reach their limits together, as parallel frictions of one body do.
        limits = np.array([f.static * find_constant_force(f) for f in frictions]) * reach
        if shut or not limits.any() or any(isinstance(f.normal, str) for f in frictions):
            return np.repeat([LEAST if shut else 1.0, 1.0], [len(stuck), shut])
        return np.asarray(np.sqrt(np.maximum(limits / limits.max(), LEAST)))  # of the unit of force nothing is left

    def _guards(
        self,
        mode: ContactMode,
        friction: Floats,
        needs: Floats,
        normal: Floats,
        pressing: Floats,
        pushes: Floats,
        hold: Floats,
    ) -> tuple[Affine, Floats, tuple[ElementChange, ...]]:
        """Return the guards, the sizes of their terms, and what they mean.

        ``needs`` are the sizes of the forces of frictions, ``pushes`` those of stops.
        """
        parted, torn = self._torn(self.normals, hold), self._torn(self.tangents, hold)
        rows: list[Floats] = []
        sizes: list[Floats] = []
        changes: list[ElementChange] = []
        for i, touch in enumerate(mode.stops):
            rigid = bool(self.rigid[i])
            for row, becomes in guards_of_stop(touch, self.gaps.rows[i], pressing[i], rigid=rigid):
                if becomes is Touch.OPEN and isinstance(self.problem.stops[i], Bend):
                    continue  # it never opens, and SUNDIALS takes the rate of a constant guard for a root
                rows.append(row)
                sizes.append((pushes if touch is Touch.CLOSED else self.gap_sizes)[i] if rigid else np.abs(row))
                changes.append(ElementChange(i, becomes, STRIKES if rigid and becomes is Touch.CLOSED else -1))
            if rigid and parted[i] and touch is Touch.CLOSED:
                rows += [self.gap_rates.rows[i], -self.gap_rates.rows[i]]
                sizes += 2 * [self._row(v=self._bounds(self.lengths(self.normals[[i]]))[0])]
                changes += 2 * [ElementChange(i, Touch.OPEN)]
        for j, grip in enumerate(mode.frictions):
            limit = self.problem.frictions[j].static * normal[j]
            glides = self._row(v=self.glides[j])
            size = glides if grip in SLIPS else np.abs(limit) + needs[j]
            for row, becomes_grip in guards_of_friction(grip, limit, friction[j], self.sliding.rows[j]):
                rows.append(row)
                sizes.append(size)
                changes.append(self._regripping(j, grip, becomes_grip, normal[j]))
            if grip is Grip.STICK and torn[j] and j not in self.springs:
                rows += [self.sliding.rows[j], -self.sliding.rows[j]]
                sizes += 2 * [glides]
                changes += [ElementChange(j, Grip.SLIP_DOWN), ElementChange(j, Grip.SLIP_UP)]
        return self._affine(rows), self._affine(sizes).rows, tuple(changes)

    def _torn(self, directions: Floats, hold: Floats) -> NDArray[np.bool_]:
        """Tell along which directions (k, n) what is held cannot rest together, as supports move it apart."""
        if not self.supports.size:
            return np.zeros(len(directions), dtype=bool)
        left = directions @ hold
        left[:, : self.own], left[:, self.own + self.supports.size :] = 0.0, 0.0
        return np.asarray(self.lengths(left) > TORN * self.lengths(directions))

    def rounding(self, mode: ContactMode, y: Floats, u: Floats, scale: float) -> tuple[Floats, Floats, Floats]:
        """Return the gaps (s,) and rates of gaps (s,) that are none, and the rates whose hops may be none.

        Measures are the terms of a gap, and a share of the ways that velocities and forces, each by itself, lead in a
        time (s). A hop against all forces at once that is no higher than such a gap is none.
        """
        sizes, across = np.abs(np.concatenate(([1.0], y, u))), np.abs(self.normals)
        low, hops = self._hops(self.gap_sizes @ sizes, across, self.flow(mode).efforts @ sizes, y, scale)
        still = AT_REST * self.speed(y[self.problem.size :]) * self.lengths(self.normals) + low / scale
        return low, still, np.maximum(still, hops)

    def slow(self, mode: ContactMode, y: Floats, u: Floats, scale: float) -> NDArray[np.bool_]:
        """Tell which rigid frictions slide so slowly that all forces at once would end it on a way that is rounding."""
        n, sizes = self.problem.size, np.abs(np.concatenate(([1.0], y, u)))
        terms, pull = WAY * self.glides @ np.abs(y[:n]), self.flow(mode).efforts @ sizes
        _, ends = self._hops(terms, np.abs(self.tangents), pull, y, scale)
        slow = np.abs(self.tangents @ y[n:]) <= ends
        slow[list(self.springs)] = False
        return np.asarray(slow)

    def _hops(self, terms: Floats, across: Floats, pull: Floats, y: Floats, scale: float) -> tuple[Floats, Floats]:
        """Return ways (k,) along directions that are rounding, and the velocities that ``pull`` (m/s²) ends on them."""
        speeds = np.abs(y[self.problem.size :])
        low = LOW * (terms + WAY * across @ (speeds * scale + pull * scale**2))
        return low, 2 * np.sqrt(low * (across @ pull))

    def _regripping(self, j: int, grip: Grip, becomes: Grip, normal: Floats) -> ElementChange:
        """Return the change of a friction; the spring of a slip that ends takes over the force of the slip."""
        if becomes is not Grip.STICK or j not in self.springs:
            return ElementChange(j, becomes)
        friction = self.problem.frictions[j]
        return ElementChange(j, becomes, self.springs[j], float(grip) * friction.kinetic / friction.stiffness * normal)


def norms(rows: Floats) -> Floats:
    """Return the lengths (k,) of rows (k, n), one for a row of zeros."""
    lengths = np.linalg.norm(rows, axis=1)
    return np.asarray(np.where(lengths > 0, lengths, 1.0))


def guards_of_stop(touch: Touch, gap: Floats, force: Floats, *, rigid: bool) -> list[tuple[Floats, Touch]]:
    """Return the guards of a stop in a state, rows of its gap and its force, and the state that follows each."""
    if touch is Touch.OPEN:
        return [(gap, Touch.CLOSED)]
    if rigid:
        return [(force, Touch.OPEN)]
    if touch is Touch.CLOSED:  # never tensile: released when the force vanishes, with damping before the gap opens
        return [(force, Touch.RELEASED)]
    return [(-force, Touch.CLOSED), (-gap, Touch.OPEN)]


def guards_of_friction(grip: Grip, limit: Floats, force: Floats, sliding: Floats) -> list[tuple[Floats, Grip]]:
    """Return the guards of a friction in a state, rows of its limit, force and sliding, and what follows each."""
    if grip is Grip.FREE:
        return []
    if grip is Grip.STICK:  # too much force needed upwards means that the drive wins downwards
        return [(limit - force, Grip.SLIP_DOWN), (limit + force, Grip.SLIP_UP)]
    return [(float(grip) * sliding, Grip.STICK)]
