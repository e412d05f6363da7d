"""How an impact on rigid stops passes a derivative on.

The impulses λ along directions F solve M (v' - v) = Fᵀ λ and W v' = r: stops that are hit want r = -e W v, frictions
under them that stick want r = 0, those that slip give a fixed share of the impulses. Which do what the motion says; the
derivative of that system is linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.event_driven.mechanics import AT_REST, DEPENDENT, Mechanics
from veridyn.solver.exact.number_slopes import NumberSlopes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SAME = 1e-9  # of the speed: velocities that the impact of the motion had, too


@dataclass(frozen=True, eq=False)
class BlowSlope:
    """An impact on stops ``hit`` (k,): velocities before and after it (n,)."""

    mechanics: Mechanics
    numbers: NumberSlopes
    hit: Ints
    before: Floats
    after: Floats

    def pass_on(self, slopes: Floats) -> Floats:
        """Return the derivative of the velocities after the impact, from that before it, on the instant that moves.

        Raises NotImplementedError if no impulses lead from the velocities before to those after: other stops that are
        touched share them, or hops end in a rule of their own.
        """
        mechanics, k = self.mechanics, self.hit.size
        inverse = mechanics.root @ mechanics.root.T  # supports are moved by no impulse
        presses = mechanics.presses[:, self.hit]
        under = presses.sum(axis=1) > 0
        glides = mechanics.tangents @ self.after
        moving = np.abs(glides) > AT_REST * mechanics.reach * mechanics.speed(self.before)
        sticks = np.flatnonzero(under & ~moving)
        signs = np.where(under & moving, np.sign(glides), 0.0)
        kinetic = np.array([friction.kinetic for friction in mechanics.problem.frictions])
        W = np.vstack((-mechanics.normals[self.hit], mechanics.tangents[sticks]))
        F, moved = W.copy(), np.zeros_like(W)
        F[:k] -= ((signs * kinetic)[:, None] * presses).T @ mechanics.tangents
        moved[:k] -= ((signs * self.numbers.frictions["kinetic"])[:, None] * presses).T @ mechanics.tangents
        bounce, moved_bounce = self._read_bounce()
        wanted = np.concatenate((-bounce * (W[:k] @ self.before), np.zeros(sticks.size)))
        A = W @ inverse @ F.T
        impulses = _solve(A, wanted - W @ self.before)
        change = inverse @ F.T @ impulses
        if np.abs(self.before + change - self.after).max() > SAME * np.abs(self.before).max():
            raise NotImplementedError("derivatives of an impact that is shared with stops at rest")
        moved_wanted = np.zeros_like(wanted)
        moved_wanted[:k] = -bounce * (W[:k] @ slopes) - moved_bounce * (W[:k] @ self.before)
        loads = moved.T @ impulses - self.numbers.matrices["mass"] @ change
        moved_impulses = _solve(A, moved_wanted - W @ (slopes + inverse @ loads))
        return np.asarray(slopes + inverse @ (loads + F.T @ moved_impulses))

    def _read_bounce(self) -> tuple[Floats, Floats]:
        """Return the restitutions of what is hit, and their derivatives; none where a hop was too short."""
        W = -self.mechanics.normals[self.hit]
        stated = np.array([self.mechanics.problem.stops[i].restitution for i in self.hit], dtype=float)
        moved = self.numbers.stops["restitution"][self.hit]
        leaves = np.abs(W @ self.after) > SAME * np.abs(W @ self.before)
        return np.where(leaves, stated, 0.0), np.where(leaves | (stated == 0), moved, 0.0)


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Return the shortest solution: dependent directions have many, and one motion."""
    return np.asarray(np.linalg.lstsq(matrix, right, DEPENDENT)[0])
