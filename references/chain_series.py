"""The driven chain once more, by Taylor series of its coupled equations: no modes, no static shapes.

State: displacements and velocities of all nodes, supports included, then the states that generate the
accelerations of the supports.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact
from veridyn.references.support_motion import Acceleration, Harmonic

RADIANS_PER_STEP = 4  # of the fastest oscillation


@dataclass(frozen=True)
class Chain:
    """Masses (kg) and springs (N/m) from left to right, accelerations of the two supports."""

    masses: tuple[Exact, ...]
    springs: tuple[Exact, ...]
    left: Acceleration = ()
    right: Acceleration = ()

    @property
    def n(self) -> int:
        """Number of masses."""
        return len(self.masses)


def stiffest(c: Chain) -> mpf:
    """Bound of all squared circular frequencies (Gershgorin)."""
    pairs = zip(c.springs, c.springs[1:], c.masses, strict=False)
    return 2 * max((left.mpf() + right.mpf()) / m.mpf() for left, right, m in pairs)


def _equations(c: Chain) -> tuple[list[list[tuple[int, mpf]]], list[mpf]]:
    """Rows of A and the initial state."""
    nodes = c.n + 2
    rows = [[(nodes + i, mpmath.mpf(1))] for i in range(nodes)]
    rows.append([])
    for i, m in enumerate(c.masses, start=1):
        left, right = ((c.springs[j] / m).mpf() for j in (i - 1, i))
        rows.append([(i - 1, left), (i, -left - right), (i + 1, right)])
    rows.append([])
    state = [mpmath.mpf(0)] * (2 * nodes)
    for row, acceleration in ((nodes, c.left), (2 * nodes - 1, c.right)):
        for term in acceleration:
            B, z0, weights = term.generator()
            first = len(rows)
            rows[row] += [(first + j, weight) for j, weight in enumerate(weights)]
            rows += [[(first + j, b) for j, b in enumerate(line) if b] for line in B]
            state += z0
    return rows, state


@per_precision
def directly(c: Chain, time: Exact) -> tuple[taylor.State, taylor.State]:
    """Displacements and velocities of all nodes at an instant, from rest."""
    rows, state = _equations(c)
    forced = [term.omega.mpf() for term in (*c.left, *c.right) if isinstance(term, Harmonic)]
    fastest = max([mpmath.sqrt(stiffest(c)), *forced])
    end = taylor.advance(rows, tuple(state), time.mpf(), RADIANS_PER_STEP / fastest)
    nodes = c.n + 2
    return end[:nodes], end[nodes : 2 * nodes]
