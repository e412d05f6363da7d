"""Whether answers begin with the state that was given: every method has it exactly, whatever comes after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from veridyn.identification.examinee import Examinee
from veridyn.identification.reading import Reading
from veridyn.identification.smooth import SPIRAL
from veridyn.identification.trials import Bench, Floats, pose_oscillator
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.precision import Precision, read_precision

STARTS = ((0.8, 0.7, -0.3), (0.2, -0.3, 0.7))  # rad/s, m, m/s: no start is a number of single precision
TURNED = replace(SPIRAL, initial=("7/10", "-3/10"))
WRONG = 1e-8  # of a state: more than rounding, and than a first step of a nanosecond that finds an acceleration
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


def read_first_state(examinee: Examinee, settings: Settings, precision: Precision) -> Reading:
    """Compare the first state of an initial value problem with the one that was given; raises what `solve` raises."""
    problem = TURNED.build(np.array([0.0, 0.7321, 1.6181]))
    begun = examinee.states_at_outputs(problem, settings)[0]
    off = float(np.abs(begun / problem.initial_state - 1).max())
    if off <= max(WRONG, ROUNDINGS * precision.rounding):
        return Reading()
    return Reading(deviations=(f"answers begin with a state {off:.1e} off the one that is given",))
