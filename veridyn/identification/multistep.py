"""Multistep methods, told by the recurrence that their answers obey, whatever their first steps were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from veridyn.identification.families import Measured
from veridyn.identification.trials import Floats

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Multistep:
    """A method ``Σ a[j] y_{n+j} = h Σ b[j] f_{n+j}`` on displacement and velocity."""

    name: str
    a: Row
    b: Row

    def differ(self, motion: Measured) -> Floats:
        """Return what is left of the recurrence, over the size of its terms."""
        rates = find_rates(motion)
        k = len(self.a)
        count = len(motion.states) - k + 1
        terms = np.stack(
            [float(a) * motion.states[j : j + count] for j, a in enumerate(self.a)]
            + [-motion.trial.span * float(b) * rates[j : j + count] for j, b in enumerate(self.b)]
        )
        terms = terms / motion.scale[:, None]
        rest: Floats = np.abs(terms.sum(axis=0)).max(axis=(1, 2)) / np.abs(terms).max(axis=(0, 2, 3))
        return rest


def find_rates(motion: Measured) -> Floats:
    """Return velocity and acceleration (steps + 1, 2, n) that belong to the states."""
    trial = motion.trial
    mass, damping, stiffness = (np.array(rows) for rows in (trial.mass, trial.damping, trial.stiffness))
    x, v = motion.states[:, 0], motion.states[:, 1]
    load = np.array([trial.load(i * trial.span) for i in range(len(x))])
    return np.stack([v, np.linalg.solve(mass, (load - v @ damping.T - x @ stiffness.T).T).T], axis=1)


def _read(name: str, a: str, b: str) -> Multistep:
    return Multistep(name, *(tuple(map(Fraction, text.split())) for text in (a, b)))


# Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section III.1; coefficients from the oldest on
MULTISTEP = (
    _read("BDF2", "1/3 -4/3 1", "0 0 2/3"),
    _read("BDF3", "-2/11 9/11 -18/11 1", "0 0 0 6/11"),
    _read("BDF4", "3/25 -16/25 36/25 -48/25 1", "0 0 0 0 12/25"),
    _read("Adams-Bashforth 2", "0 -1 1", "-1/2 3/2 0"),
    _read("Adams-Bashforth 3", "0 0 -1 1", "5/12 -4/3 23/12 0"),
    _read("Adams-Bashforth 4", "0 0 0 -1 1", "-3/8 37/24 -59/24 55/24 0"),
    _read("Adams-Moulton 3", "0 -1 1", "-1/12 2/3 5/12"),
    _read("Adams-Moulton 4", "0 0 -1 1", "1/24 -5/24 19/24 3/8"),
)


def find_multistep(motions: Sequence[Measured]) -> Multistep | None:
    """Return the multistep method that all motions obey, None if there is none."""
    for method in MULTISTEP:
        if all(method.differ(motion).max() <= motion.tolerance for motion in motions):
            return method
    return None
