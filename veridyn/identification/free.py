"""Free vibrations without damping at many ratios of step to period: rounding, roots, order, limit of stability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from veridyn.identification.families import Measured
from veridyn.identification.recurrences import Roots, find_roots
from veridyn.identification.trials import Bench, Floats, LinearTrial, Unmeasured, pose_oscillator

TWENTY = math.pi / 10  # step times frequency at twenty steps a period
RATIOS = (0.1, 0.2, TWENTY, 0.4, 0.8, 1.3, 1.9, 2.7, 5.0, 20.0, 300.0, 1000.0)
SHARES = (0.7, -0.6)  # of the unit states in the third motion
MARGIN = 20.0  # tolerance over rounding: the largest of some hundred roundings was seen, not the largest of all
LEAST_ROUNDING = 2e-15  # over the size of a state: some ten roundings of a double
BISECTIONS = 20
LARGEST_RATIO = RATIOS[-1]


@dataclass(frozen=True)
class Free:
    """Free vibrations that a solver answered.

    Attributes
    ----------
    motions
        By ratio: from a unit displacement, a unit velocity (times the frequency), and a mixture.
    refusals
        By ratio: why there is no answer.
    rounding
        Over the size of a state, the largest of all ratios.
    """

    motions: Mapping[float, tuple[Measured, ...]]
    refusals: Mapping[float, str]
    rounding: float

    @property
    def all_motions(self) -> list[Measured]:
        """The motions from unit states at all ratios."""
        return [motion for group in self.motions.values() for motion in group[:2]]


def pose_free(ratio: float) -> tuple[LinearTrial, LinearTrial, LinearTrial]:
    """Return the vibrations from a unit displacement, from a unit velocity, and from a mixture of both."""
    x, v = SHARES
    starts = ((1.0, 0.0), (0.0, ratio), (x, v * ratio))
    return tuple(pose_oscillator(ratio, *start) for start in starts)  # type: ignore[return-value]


def measure_free(bench: Bench, least: float) -> Free:
    """Measure free vibrations; ``least`` is the rounding of an answer at least, over its size."""
    answers = {ratio: bench.answer_all(pose_free(ratio)) for ratio in RATIOS}
    states = {ratio: answer for ratio, answer in answers.items() if not isinstance(answer, str)}
    refusals = {ratio: answer for ratio, answer in answers.items() if isinstance(answer, str)}
    seen = {ratio: _measure_rounding(ratio, three) for ratio, three in states.items()}
    roundings = _spread(seen)
    floor = max(least, LEAST_ROUNDING, float(np.median(list(seen.values()) or [0.0])))
    motions = {
        ratio: tuple(
            Measured(trial, state, np.array([1.0, ratio]), MARGIN * max(floor, roundings[ratio]))
            for trial, state in zip(pose_free(ratio), three, strict=True)
        )
        for ratio, three in states.items()
    }
    return Free(motions, refusals, max(seen.values(), default=0.0))


def _spread(seen: Mapping[float, float]) -> dict[float, float]:
    """Return for each ratio the largest rounding of it and its neighbours: that of one alone may be small by luck."""
    ratios = sorted(seen)
    return {ratio: max(seen[near] for near in ratios[max(i - 1, 0) : i + 2]) for i, ratio in enumerate(ratios)}


def _measure_rounding(ratio: float, three: Sequence[Floats]) -> float:
    """Return how far the mixture is from the sum of its parts, over the size of the states.

    Any linear method obeys this but for rounding; what is solved to a tolerance shows the tolerance.
    """
    first, second, mixed = three
    scale = np.array([1.0, ratio])[:, None]
    size = np.abs(np.stack(three) / scale).max(axis=(0, 2, 3))
    size = np.maximum(size, np.concatenate([size[:1], size[:-1]]))
    left = np.abs((SHARES[0] * first + SHARES[1] * second - mixed) / scale).max(axis=(1, 2))
    return float(np.nanmax(left / size))


def read_roots(group: Sequence[Measured]) -> Roots | None:
    """Return the roots of the recurrence of the vibrations at one ratio."""
    motions = [(motion.states / motion.scale[:, None]).reshape(len(motion.states), -1) for motion in group]
    return find_roots(motions, group[0].tolerance)


def read_damping(root: complex) -> float:
    """Return the damping ratio of a root: the decay over the angle of a step."""
    angle = abs(np.angle(root))
    return float(-np.log(np.abs(root)) / angle) if angle > 0 else math.nan


def read_period_error(root: complex, ratio: float) -> float:
    """Return how much longer than the true period that of a root is, over the true one."""
    angle = abs(np.angle(root))
    return float(ratio / angle - 1) if angle > 0 else math.nan


# ---- limit of stability


@dataclass(frozen=True)
class StabilityLimit:
    """Where free vibrations begin to grow.

    ``stable`` is the largest ratio of step times frequency without growth, ``growing`` the smallest with it (inf: none
    up to `LARGEST_RATIO`); ``refused``: why nothing more is seen above ``stable``.
    """

    stable: float
    growing: float = math.inf
    refused: str = ""


def find_limit(bench: Bench, free: Free) -> StabilityLimit | None:
    """Return the limit of stability, by bisection between the ratios that were measured; None if nothing was."""
    stable = 0.0
    for ratio in RATIOS:
        grows = _look(bench, ratio, free)
        if isinstance(grows, str):
            return StabilityLimit(stable, refused=grows) if stable else None
        if grows:
            return StabilityLimit(0.0, ratio) if not stable else _bisect(bench, free, stable, ratio)
        stable = ratio
    return StabilityLimit(stable)


def _bisect(bench: Bench, free: Free, stable: float, growing: float) -> StabilityLimit:
    for _ in range(BISECTIONS):
        middle = (stable + growing) / 2
        grows = _look(bench, middle, free)
        if isinstance(grows, Unmeasured):
            return StabilityLimit(stable, refused=grows)
        if grows:  # what is refused between steps that are not, has grown too much
            growing = middle
        else:
            stable = middle
    return StabilityLimit(stable, growing)


def _look(bench: Bench, ratio: float, free: Free) -> bool | str:
    """Return whether a free vibration grows, or why there is no answer."""
    tolerance = max((group[0].tolerance for group in free.motions.values()), default=1e-13)
    group = free.motions.get(ratio)
    if group is None:
        if ratio in free.refusals:
            return free.refusals[ratio]
        trial = pose_free(ratio)[2]
        answer = bench.answer(trial)
        if isinstance(answer, str):
            return answer
        group = (Measured(trial, answer, np.array([1.0, ratio]), tolerance),)
    roots = read_roots(group)
    if roots is None:
        return "free vibrations obey no linear recurrence"
    # At the limit two roots meet: rounding moves them by its square root.
    return roots.radius > 1 + 4 * math.sqrt(group[0].tolerance)
