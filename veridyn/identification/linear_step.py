"""Find how the step of a mechanical solver is set, by what it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veridyn.identification.stepping import StepControl, find_control, list_controls
from veridyn.identification.trials import Bench, LinearTrial, pose_oscillator

SAME = 1e-5  # of the state: less is rounding, even that of six printed digits
RATIOS = (
    0.25,
    1.0,
)  # step times frequency: where nothing changes at a short step, methods of high order may at a long one


def find_linear_control(bench: Bench) -> StepControl | str:
    """Return how the step is set, or why it cannot be.

    A setting is the step if a motion that is slower by two, with the step twice as long, has the same answer at twice
    the instants, and if the step alone changes the answer. Numbers that are twice as large round alike. A tolerance
    fails the first: it is no time. So does a solver that chooses its steps. With half as many instants of output the
    answers stay as they are: else it is these instants that cut the steps, as where the setting is a share of a period.
    """
    controls = list_controls(bench.examinee, _swing(RATIOS[0]).state())
    return find_control(controls, lambda control: _refuse(bench.controlled(control)))


def _swing(ratio: float, slower: float = 1.0) -> LinearTrial:
    """Return a free vibration over eight steps that are ``slower`` seconds long."""
    frequency = ratio / slower
    return replace(pose_oscillator(frequency, 1.0, 0.5 * frequency, steps=8), span=slower)


def _refuse(bench: Bench) -> str:
    """Return why this does not set the step; empty if it does."""
    reason = ""
    for ratio in RATIOS:
        reason = _refuse_at(bench, ratio)
        if reason != NO_CHANGE:
            break
    return reason


NO_CHANGE = "it does not change the answer"


def _refuse_at(bench: Bench, ratio: float) -> str:
    swing = _swing(ratio)
    trials = [swing, replace(swing, steps=16, span=0.5), _swing(ratio, 2.0)]
    trials += [replace(swing, every=2)] if bench.control.setting else []
    answers = bench.answer_all(trials)
    if isinstance(answers, str):
        return answers
    normal, fine, slow, *sparse = answers
    if sparse and np.abs(sparse[0] - normal[::2]).max() > SAME:
        return "the instants of output cut the steps"
    scaled = slow * np.array([1.0, 2.0])[:, None]
    if np.abs(scaled - normal).max() > SAME:
        return "it is no length of a step, or the solver takes other steps"
    size = float(np.abs(fine[::2] - normal).max())
    return "" if size > SAME else NO_CHANGE
