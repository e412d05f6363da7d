"""Skew boxes of states, whose axes follow the motion (Lohner 1987): radii grow as motions part, and no faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat

from veridyn.references.engine.flows import State, binary

LEAST_LENGTH = 1e-300  # of an edge, which is divided by


@dataclass(frozen=True, eq=False)
class SkewBox:
    """States ``centre + frame p``: exact numbers, an exact matrix, and balls around zero."""

    centre: State
    frame: arb_mat
    parts: arb_mat

    @staticmethod
    def around(state: Sequence[arb]) -> SkewBox:
        """Return the box of states given one by one: its axes are theirs."""
        n = len(state)
        radii = arb_mat(n, 1, [x - x.mid() for x in state])
        return SkewBox(
            tuple(x.mid() for x in state), arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)]), radii
        )

    def hull(self) -> State:
        """Return the states as balls, one by one."""
        return tuple(c + d for c, d in zip(self.centre, (self.frame * self.parts).entries(), strict=True))

    def moved(self, there: Sequence[arb], turned: arb_mat) -> SkewBox:
        """Return what the centre's image and the frame's make of it, in axes that follow the longest edges."""
        centre = tuple(x.mid() for x in there)
        errors = arb_mat(len(there), 1, [x - c for x, c in zip(there, centre, strict=True)])
        axes, back = find_axes(turned, self.parts, errors)
        parts = (back * turned) * self.parts + back * errors
        return SkewBox(centre, axes, arb_mat(len(there), 1, [arb(0, x.abs_upper()) for x in parts.entries()]))


def find_axes(turned: arb_mat, parts: arb_mat, errors: arb_mat) -> tuple[arb_mat, arb_mat]:
    """Return axes, orthogonal in units of how far each state may be off, the first along the longest edge; the inverse.

    Source: Lohner 1987.
    """
    n = parts.nrows()
    edges = [[(turned[i, j] * parts[j, 0].rad()).mid() for i in range(n)] for j in range(n)]
    reach = [max(errors[i, 0].rad(), *(abs(edge[i]) for edge in edges)) for i in range(n)]
    # of six bits: axes, which are doubles, times units are exact then, and so is the frame whose inverse is enclosed
    units = [arb(1) if size == 0 else binary(size) for size in reach]
    scaled = np.array([[float(x / unit) for x, unit in zip(edge, units, strict=True)] for edge in edges])
    longest = np.argsort(-np.linalg.norm(scaled, axis=1), kind="stable")
    lengths = np.maximum(np.linalg.norm(scaled[longest], axis=1, keepdims=True), LEAST_LENGTH)
    axes = arb_mat(n, n, [arb(x) for x in np.linalg.qr((scaled[longest] / lengths).T)[0].ravel().tolist()])
    back = axes.inv()
    return (
        arb_mat(n, n, [axes[i, j] * units[i] for i in range(n) for j in range(n)]),
        arb_mat(n, n, [back[i, j] / units[j] for i in range(n) for j in range(n)]),
    )


def split_edges(frame: arb_mat) -> tuple[list[arb], list[list[arb]]]:
    """Return the lengths of the columns of a frame, and these over their lengths."""
    columns = frame.transpose().tolist()
    lengths = [max(abs(x) for x in column).mid() for column in columns]
    return lengths, [[x / size for x in column] for column, size in zip(columns, lengths, strict=True)]
