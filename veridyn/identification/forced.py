"""Dampers, loads and two masses: how a solver takes them, and whether it takes them as its family does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veridyn.identification.families import Fit, Measured, Words, compare
from veridyn.identification.trials import Bench, Floats, LinearTrial, pose_oscillator

POWERS = ((1.0,), (0.0, 1.0), (0.0, 0.0, 1.0))
INSTANTS = {
    "at its start": (0.0, 0.0),
    "at its end": (1.0, 1.0),
    "in its middle": (1 / 2, 1 / 4),
    "as the mean of both ends": (1 / 2, 1 / 2),
    "as its integral": (1 / 2, 1 / 3),
}
"""Mean of t and t² over a step of 1 s, as they are taken."""

WORDS = {
    "load=interpolated": "loads on the chord of a step",
    "load=midpoint": "loads at the instant of the balance",
    "load=quadratic": "loads exact up to squares",
    "load=chord": "loads on the chord of a step",
    "load=held": "loads held over a step",
    "damping=explicit": "dampers see the velocity before the kick",
    "damping=implicit": "dampers see the velocity after the kick",
    "damping=whole": "the whole damping matrix as damping",
    "damping=diagonal": "the diagonal of the damping matrix as damping",
    "kicks=half": "dampers see the velocity of the half-step, both halves of the kick anew",
    "kicks=kept": "dampers see the velocity of the half-step, the acceleration kept for the next",
}
STIFF = (1e2, 1e4)  # damping over mass times step
GAINS, LAST = 8, 3  # steps under a load, and the one that is read, from 0 on
ENLARGED = 300.0  # rounding of a mean, over that of a state: states are as large as 8³/3
GROWTH = 10.0  # of what is left of a velocity, from the one to the other: explicit ones grow by a hundred or more
MOST_NEAR = 0.04  # how well a mean must be known to tell 1/4, 1/3 and 1/2


def say_words(words: Words) -> str:
    """Return what the words of a variant mean."""
    return "; ".join(WORDS[f"{name}={word}"] for name, word in words.items() if f"{name}={word}" in WORDS)


def intersect_words(variants: Sequence[Words]) -> Words:
    """Return what all of some variants say: where several agree, what tells them apart was not seen."""
    return (
        {name: word for name, word in variants[0].items() if all(v.get(name) == word for v in variants)}
        if variants
        else {}
    )


@dataclass(frozen=True)
class Agreement:
    """How motions of one kind agree with a member of a family.

    ``words``: of the variants that agree, all of them; none: nothing agrees, and ``difference`` is that of the nearest.
    """

    name: str
    words: tuple[Words, ...] = ()
    difference: float = 0.0
    refused: str = ""


TWO_MASSES = LinearTrial(
    mass=((2.0, 0.5), (0.5, 1.0)),
    damping=((0.3, -0.1), (-0.1, 0.2)),
    stiffness=((1.5, -0.4), (-0.4, 0.7)),
    displacement=(1.0, -0.3),
    velocity=(0.2, 0.4),
)
GYROSCOPIC = LinearTrial(
    mass=((2.0, 0.0), (0.0, 1.0)),
    damping=((0.0, 0.6), (-0.6, 0.0)),
    stiffness=((1.5, 0.0), (0.0, 0.7)),
    displacement=(1.0, -0.3),
    velocity=(0.2, 0.4),
)
ONE_DAMPED = LinearTrial(
    mass=((2.0, 0.0), (0.0, 2.0)),
    damping=((0.3, 0.3), (0.3, 0.3)),
    stiffness=((1.5, -0.5), (-0.5, 1.5)),
    displacement=(1.0, -0.3),
    velocity=(0.2, 0.4),
)
"""The mode in which both masses move alike is damped, the other one is not."""
GROUPS: dict[str, tuple[LinearTrial, ...]] = {
    "with a damper": tuple(
        pose_oscillator(ratio, *start, damper=0.4 * ratio)
        for ratio in (0.4, 1.5)
        for start in ((1.0, 0.0), (0.0, ratio))
    ),
    "with loads": tuple(pose_oscillator(0.8, 0.0, 0.0, powers=powers, steps=4) for powers in POWERS),
    "with two masses": (TWO_MASSES,),
    "with gyroscopic forces": (GYROSCOPIC,),
}


def agree_all(bench: Bench, fit: Fit, tolerance: float) -> tuple[Agreement, ...]:
    """Compare each kind of motions with the variants of a member of a family; one variant must hold for all kinds."""
    return tuple(_agree(bench, fit, name, trials, tolerance) for name, trials in GROUPS.items())


def _agree(bench: Bench, fit: Fit, name: str, trials: Sequence[LinearTrial], tolerance: float) -> Agreement:
    solved = bench.answer_slowed(trials)
    if isinstance(solved, str):
        return Agreement(name, refused=solved)
    motions = [
        Measured(trial, states, np.array([1.0, find_frequency(trial)]), tolerance)
        for trial, states in zip(*solved, strict=True)
    ]
    results = [(words, *compare(fit.rule(words), motions)) for words in fit.family.variants]
    agreeing = tuple(words for words, misfit, _ in results if misfit <= 1)
    return Agreement(name, agreeing, min(difference for _, _, difference in results))


def find_frequency(trial: LinearTrial) -> float:
    """Return the largest frequency (rad/s) of a motion without its dampers."""
    squares = np.linalg.eigvals(np.linalg.solve(np.array(trial.mass), np.array(trial.stiffness)))
    return math.sqrt(float(np.abs(squares).max()))


def read_load_instant(bench: Bench, tolerance: float) -> tuple[str, float, float] | str:
    """Return where in a step a load is taken, in words if there are some, and as means; or why it is not seen.

    The means are those of t and of t² over a step. A mass without a spring sums its load alone: the gains of the
    velocity under loads 1, t and t² tell.
    """
    trials = [pose_oscillator(0.0, 0.0, 0.0, powers=powers, steps=GAINS) for powers in POWERS]
    answers = bench.answer_all(trials)
    if isinstance(answers, str):
        return answers
    one, first, second = (_settle(np.diff(states[:, 1, 0]), tolerance) for states in answers)
    near = ENLARGED * tolerance
    if near > MOST_NEAR:
        return "too few digits are answered"
    if not abs(one - 1) <= near:
        return f"a load of 1 for one step changes the velocity by {one:.6g}, not by 1"
    # in step n the mean of t is n + m1, of t² it is n² + 2 n m1 + m2
    m1 = first - LAST
    m2 = second - LAST**2 - 2 * LAST * m1
    word = next((w for w, (a, b) in INSTANTS.items() if abs(m1 - a) <= near and abs(m2 - b) <= near), "")
    return word, m1, m2


def _settle(gains: Floats, tolerance: float) -> float:
    """Return the gain of step `LAST` without what a special start leaves: c r^n in step n.

    The gain itself is at most a square in n. Third differences have none of it, and (r - 1)³ c r^n of the rest, so that
    r is the ratio of two of them.
    """
    thirds = np.diff(gains, 3)
    if abs(thirds[LAST]) <= 1e3 * tolerance:
        return float(gains[LAST])
    ratio = thirds[LAST + 1] / thirds[LAST]
    return float(gains[LAST] - thirds[LAST] / (ratio - 1) ** 3)


def read_dampers(bench: Bench) -> tuple[str, tuple[float, float]] | str:
    """Return whether dampers are taken implicitly, and what of a velocity two stiff dampers leave after one step.

    What an explicit step leaves is a polynomial of the damping: it grows with it. An implicit one has a limit.
    """
    answers = bench.answer_all([pose_oscillator(0.0, 0.0, 1.0, damper=stiff, steps=1) for stiff in STIFF])
    if isinstance(answers, str):
        return answers
    less, more = (float(states[1, 1, 0]) for states in answers)
    return ("explicitly" if abs(more) > GROWTH * max(abs(less), 1.0) else "implicitly or exactly"), (less, more)
