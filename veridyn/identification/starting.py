"""Whether answers begin with the state that was given: every method has it exactly, whatever comes after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from veridyn.identification.reading import Reading
from veridyn.identification.trials import Bench, Floats, pose_oscillator
from veridyn.validation_cases.judgement.precision import read_precision

STARTS = ((0.8, 0.7, -0.3), (0.2, -0.3, 0.7))  # rad/s, m, m/s: no start is a number of single precision
WRONG = 1e-9  # of a state: more than rounding
ROUNDINGS = 30.0  # of the numbers that are answered
ALIKE = 0.01  # of a relative change: how far those of two motions may lie apart and be one factor


def read_start(bench: Bench) -> Reading:
    """Compare the first states of two free vibrations with those that were given.

    Velocities may belong to the middle of a step, and differ from what was given by a share that depends on the step:
    they are wrong if both motions have the same factor.
    """
    answers = [bench.answer(pose_oscillator(*start)) for start in STARTS]
    states = [answer for answer in answers if not isinstance(answer, str)]
    if len(states) < len(STARTS):
        return Reading()
    least = max(WRONG, ROUNDINGS * read_precision(states).rounding)
    return Reading(deviations=tuple(_list_deviations(states, least)))


def _list_deviations(states: Sequence[Floats], least: float) -> Iterator[str]:
    begun = np.array([state[0, :, 0] for state in states])
    displaced, moving = (begun / np.array([start[1:] for start in STARTS]) - 1).T
    if np.abs(displaced).max() > least:
        yield f"answers begin with a displacement {np.abs(displaced).max():.1e} off the one that is given"
    if np.abs(moving).min() > least and np.ptp(moving) <= ALIKE * np.abs(moving).min():
        yield f"answers begin with a velocity {np.abs(moving).max():.1e} off the one that is given"
