"""How fine the numbers of an answer are: doubles, single precision, or so many printed digits or decimals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridyn.identify.examinee import Examinee, Floats
from veridyn.identify.smooth import SPIRAL
from veridyn.solver.contract.statements import Settings

TIMES = (0.0, 0.4142, 0.7321, 1.1416, 1.6181, 2.0)  # s: ten numbers that no format holds by chance
MOST_DIGITS = 14
DOUBLE, SINGLE = 2.0**-52, 2.0**-23


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """The format that all numbers of an answer fit, in words, and its spacing for numbers of order 1."""

    words: str
    spacing: float


def find_resolution(values: Floats) -> Resolution:
    """Return the coarsest format that holds all numbers (m,) exactly.

    Ten numbers of a motion fit seven printed digits by chance once in 10^90 times: what fits is the format.
    """
    for digits in range(2, MOST_DIGITS + 1):
        if all(float(f"{value:.{digits}f}") == value for value in values):
            return Resolution(words=f"{digits} printed decimals", spacing=10.0**-digits)
        if all(float(f"{value:.{digits - 1}e}") == value for value in values):
            return Resolution(words=f"{digits} printed digits", spacing=10.0 ** (1 - digits))
    if np.array_equal(values.astype(np.float32).astype(float), values):
        return Resolution(words="single precision", spacing=SINGLE)
    return Resolution(words="double precision", spacing=DOUBLE)


def measure_resolution(examinee: Examinee, settings: Settings) -> Resolution:
    """Return the resolution of the answer to a nonlinear problem; raises what `Examinee.solve` raises."""
    states = examinee.states_at_outputs(SPIRAL.build(np.array(TIMES)), settings)
    return find_resolution(states[1:].ravel())
