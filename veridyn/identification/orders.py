"""The order of convergence in the step, of free, damped and driven motions of one mass and of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np

from veridyn.identification.forced import GYROSCOPIC, TWO_MASSES, find_frequency
from veridyn.identification.marching import make_exact, march_all
from veridyn.identification.trials import MASS, SLOWER, Bench, Floats, LinearTrial, pose_oscillator

COARSEST, HALVINGS = 0.8, 8  # step times frequency, and how often the step is halved
USUAL_STEPS = 10  # of the motions whose rounding is measured
ABOVE_ROUNDING = 3.0  # an error that tells an order, in tolerances
STEADY = 0.3  # how far two successive slopes may lie apart
FEWEST = 3  # errors above rounding: the one slope of two coarse steps may be far from the order
FALLING = 4  # slopes, from which on a fall is no matter of coarse steps

_START = (0.7, -0.6 * COARSEST)
MOTIONS: Mapping[str, LinearTrial] = {
    "order": pose_oscillator(COARSEST, *_START, steps=1),
    "order with a damper": pose_oscillator(COARSEST, *_START, damper=0.4 * COARSEST, steps=1),
    "order with a load": replace(
        pose_oscillator(COARSEST, *_START, rate=1.3 * COARSEST, steps=1), direction=(MASS * COARSEST**2,)
    ),
    "order with two masses": replace(TWO_MASSES.slowed(0.7), steps=1),
    "order with gyroscopic forces": replace(GYROSCOPIC.slowed(0.7), steps=1),
}
"""Motions over one step, the coarsest; a load alone would displace by 1."""


def find_order(bench: Bench, coarsest: LinearTrial, tolerance: float) -> float | str:
    """Return the observed order of convergence, or why there is none; inf where all errors are rounding.

    The step is halved again and again: that is the same motion, slower, over twice as many steps.
    """
    refused = ""
    for factor in (1.0, *map(float, np.cumprod(SLOWER))):
        base = coarsest.slowed(factor)
        first = bench.answer(base)
        if isinstance(first, str):
            refused = refused or first
            continue
        errors = []
        for count in (2**i for i in range(HALVINGS + 1)):
            answer = bench.answer(replace(base.slowed(1 / count), steps=count))
            if not isinstance(answer, str):
                least = ABOVE_ROUNDING * tolerance * max(1.0, count / USUAL_STEPS)
                errors.append((_measure_error(base, answer[-1], count), least))
        return _read_order([error for error, least in errors if error > least])
    return refused


def _measure_error(base: LinearTrial, state: Floats, slower: int) -> float:
    """Return the error of a state at the end, over a unit state; its velocities are ``slower`` times as small."""
    scaled = state * np.array([1.0, slower])[:, None]
    return float(np.abs((scaled - _march_truth(base)) / np.array([1.0, find_frequency(base)])[:, None]).max())


def _read_order(errors: Sequence[float]) -> float | str:
    """Return the slope of the finest pair of errors, all of them more than rounding.

    Slopes that rise still are those of coarse steps. Slopes that fall are so, too, if there are few; a fall that goes
    on is an error of lower order, or one that never vanishes, which begins to show: the order is at most the last one.
    """
    if not errors:
        return math.inf
    if len(errors) < FEWEST:
        return f"the error is rounding but for the {len(errors)} coarsest steps: no order is read from them"
    slopes = [math.log2(coarse / fine) for coarse, fine in pairwise(errors)]
    change = slopes[-1] - slopes[-2]
    if change > STEADY or (change < -STEADY and len(slopes) < FALLING):
        return f"the slope of the error changes: {', '.join(f'{slope:.2f}' for slope in slopes)}"
    return slopes[-1]


@cache
def _march_truth(trial: LinearTrial) -> Floats:
    """Return the true state (2, n) at the end, by exponentials.

    The load cos(rate t) is the displacement of a free oscillator of that frequency. Together that is a free system.
    """
    if not trial.direction:
        whole: Floats = march_all(make_exact(1), [trial])[0][-1]
        return whole
    n = len(trial.displacement)
    zeros = (0.0,) * n
    coupled = zip(trial.stiffness, trial.direction, strict=True)
    driven = replace(
        trial,
        mass=(*((*row, 0.0) for row in trial.mass), (*zeros, 1.0)),
        damping=(*((*row, 0.0) for row in trial.damping), (*zeros, 0.0)),
        stiffness=(*((*row, -push) for row, push in coupled), (*zeros, trial.rate**2)),
        displacement=(*trial.displacement, 1.0),
        velocity=(*trial.velocity, 0.0),
        direction=(),
    )
    state: Floats = march_all(make_exact(1), [driven])[0][-1]
    return state[:, :n]
