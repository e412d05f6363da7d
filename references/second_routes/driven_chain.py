"""Chain of three equal masses between two supports, one of which is driven: modes and Duhamel integrals in closed form.

Nodes are numbered as in the documents: node 1 is the left support, which starts at rest with the acceleration a t²,
nodes 2 to 4 are the masses, node 5 is the right support, which stands still; no damping. The modes have
ω_r = 2 √(k/m) sin(r π/8) and shapes sin(r i π/4).

Functions take the parameters m, k, a as attributes in mpmath.
Source: EDF validation manual V2.01.103 (SDLD103); J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968),
chapters 10 and 13.
"""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf

MASSES = (1, 2, 3)


def frequency(o: Any, number: int) -> mpf:
    """Return a natural frequency (Hz) with both supports held, counted from 1."""
    return _omega(o, number) / (2 * mpmath.pi)


def relative_displacement(o: Any, node: int, time: mpf) -> mpf:
    """Return the displacement (m) of a mass relative to the static shape: participation × Duhamel integral × shape."""

    def mode(number: int) -> mpf:
        w = _omega(o, number)
        shape = [mpmath.sin(number * i * mpmath.pi / 4) for i in MASSES]  # the sum of its squares is 2
        share = mpmath.fsum((4 - i) * x for i, x in zip(MASSES, shape, strict=True)) / 8
        return share * shape[node - 2] * (time**2 - (2 * mpmath.sin(w * time / 2) / w) ** 2) / w**2

    return -o.a * mpmath.fsum(map(mode, MASSES))


def absolute_displacement(o: Any, node: int, time: mpf) -> mpf:
    """Return the displacement (m) of a mass: relative, and what the support imposes."""
    return relative_displacement(o, node, time) + o.a * time**4 * (5 - node) / 48


def _omega(o: Any, number: int) -> mpf:
    """Return a circular frequency (rad/s)."""
    return 2 * mpmath.sqrt(o.k / o.m) * mpmath.sin(number * mpmath.pi / 8)
