"""Methods for ``u'' = f(t, u)``: tableaux of Runge, Kutta and Nystrom, and compositions of drifts and kicks as such.

A step of a size h takes ``U_i = u + c_i h v + h² Σ a_ij f(t + c_i h, U_j)`` to ``u + h v + h² Σ bbar_i f_i`` and
``v + h Σ b_i f_i``. Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import mpmath
import numpy as np
from mpmath import mpf

from veridyn.references.methods.recurrences import Blocks, MatrixSystem, Rule
from veridyn.references.methods.tableaux import DIGITS, Array, read_entry


@dataclass(frozen=True, eq=False)
class NystromTableau:
    """A method with s stages: weights of the stages (s, s), of displacement and velocity (s,), instants (s,) in steps.

    ``total`` (1,) is the share of a step by which the velocity at the start moves the displacement: 1. ``drifts`` and
    ``kicks`` are the shares of a composition, empty for other methods.
    """

    stages: Array
    displacement: Array
    velocity: Array
    instants: Array
    total: Array
    drifts: Array = field(default_factory=lambda: np.array([], dtype=object))
    kicks: Array = field(default_factory=lambda: np.array([], dtype=object))


def compose(drifts: Array, kicks: Array) -> NystromTableau:
    """Return the method that drifts and kicks in turn, by shares (s + 1,) and (s,) of a step; 0 is no drift.

    A kick sees the place that the drifts before it have led to, and adds to it from there on.
    """
    places, total = np.cumsum(drifts)[: len(kicks)], np.sum(drifts, keepdims=True)
    later = np.tri(len(kicks), k=-1, dtype=int)
    stages = later * kicks * (places[:, None] - places)
    return NystromTableau(stages, kicks * (total - places), kicks, places, total, drifts, kicks)


def make_rule(tableau: NystromTableau) -> Rule:
    """Return the step on structures.

    Dampers see the velocity of the kicks so far; of methods that are no composition, which have none between the ends,
    that of the start.
    """

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        (x, v), h = blocks, s.step
        place, seen, velocity = x + v * (tableau.total[0] * h), v, v
        pulls: list[Array] = []
        for i, load in enumerate(loads):
            inner = (pull * (weight * h * h) for pull, weight in zip(pulls, tableau.stages[i], strict=False))
            pulls.append(s.acceleration(load, sum(inner, x + v * (tableau.instants[i] * h)), seen))
            place = place + pulls[i] * (tableau.displacement[i] * h * h)
            velocity = velocity + pulls[i] * (tableau.velocity[i] * h)
            seen = velocity if tableau.kicks.size else v
        return place, velocity

    return Rule(tuple(tableau.instants), lambda _, x, v, __: (x, v), advance)


def _read(values: Sequence[object]) -> Array:
    numbers = [value if isinstance(value, mpf) else read_entry(value, "share") for value in values]
    return np.array(numbers, dtype=object)


def _read_tableau(line: str) -> tuple[str, NystromTableau]:
    name, entries = line.split(":")
    displacement, velocity, instants, *rows = (_read(part.split()) for part in entries.split("|"))
    s = len(velocity)
    stages = np.array([[*row, *[mpf(0)] * (s - len(row))] for row in rows], dtype=object)
    return name, NystromTableau(stages, displacement, velocity, instants, _read([1]))


# name: weights of displacement | of velocity | instants | rows of the stages
_PRINTED = """
# Nystrom, Acta Soc. Sci. Fenn. 50, 1925
nystrom-4: 1/6 1/3 0 | 1/6 2/3 1/6 | 0 1/2 1 | | 1/8 | 0 1/2
nystrom-5: 1/24 25/84 9/56 0 | 1/24 125/336 27/56 5/48 | 0 1/5 2/3 1 | | 1/50 | -1/27 7/27 | 3/10 -2/35 9/35
# Dormand, El-Mikkawy, Prince, IMA J. Numer. Anal. 7, 1987: the advancing formulas of RKN4(3)4FM and RKN6(4)6FM
dormand-el-mikkawy-prince-4: 1/14 8/27 25/189 0 | 1/14 32/81 250/567 5/54 | 0 1/4 7/10 1 \\
    | | 1/32 | 7/1000 119/500 | 1/14 8/27 25/189
dormand-el-mikkawy-prince-6: 151/2142 5/116 385/1368 55/168 -6250/28101 0 \\
    | 151/2142 25/522 275/684 275/252 -78125/112404 1/12 | 0 1/10 3/10 7/10 17/25 1 \\
    | | 1/200 | -1/2200 1/22 | 637/6600 -7/110 7/33 | 225437/1968750 -30073/281250 65569/281250 -9367/984375 \\
    | 151/2142 5/116 385/1368 55/168 -6250/28101
"""


def _join_lines(text: str) -> list[str]:
    return text.replace("\\\n", "").splitlines()


def _list_compositions() -> dict[str, NystromTableau]:
    with mpmath.workdps(DIGITS):
        root = mpf(2) ** (mpf(1) / 3)
        outer, inner = 1 / (2 - root), -root / (2 - root)
        join = (outer + inner) / 2
        shares = {
            "symplectic Euler, velocity first": ((0, 1), (1,)),
            "symplectic Euler, position first": ((1, 0), (1,)),
            "velocity Verlet": ((0, 1, 0), ("1/2", "1/2")),
            "position Verlet": (("1/2", "1/2"), (1,)),
            # Ruth, IEEE Trans. Nucl. Sci. 30, 1983
            "Ruth 3, velocity first": ((0, "2/3", "-2/3", 1), ("7/24", "3/4", "-1/24")),
            "Ruth 3, position first": (("7/24", "3/4", "-1/24", 0), ("2/3", "-2/3", 1)),
            # Forest, Ruth, Physica D 43, 1990; Yoshida, Phys. Lett. A 150, 1990
            "Yoshida 4, position first": ((outer / 2, join, join, outer / 2), (outer, inner, outer)),
            "Yoshida 4, velocity first": ((0, outer, inner, outer, 0), (outer / 2, join, join, outer / 2)),
        }
        return {name: compose(_read(drifts), _read(kicks)) for name, (drifts, kicks) in shares.items()}


NYSTROM: Mapping[str, NystromTableau] = MappingProxyType(
    _list_compositions()
    | dict(_read_tableau(line) for line in _join_lines(_PRINTED) if line and not line.startswith("#"))
)
