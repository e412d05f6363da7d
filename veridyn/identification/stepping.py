"""Find how the step of a solver is set: by name, by what it does, or by the instants of output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from veridyn.identification.examinee import REFUSED, TOLERANCE_NAMES
from veridyn.identification.trials import Bench, Control, LinearTrial, pose_oscillator
from veridyn.solver.contract.gate import read_levels
from veridyn.solver.contract.statements import Settings, as_float

STEP_NAMES = ("step", "dt", "h", "time_step", "timestep", "step_size", "stepsize", "delta_t", "max_step")
SAME = 1e-5  # of the state: less is rounding, even that of six printed digits
COARSE = 0.25  # step times frequency


def find_control(bench: Bench) -> Control | str:
    """Return how the step is set, or why it cannot be.

    A setting is the step if a motion that is slower by two, with the step twice as long, has the same answer at twice
    the instants, and if the step alone changes the answer. Numbers that are twice as large round alike. A tolerance
    fails the first: it is no time. So does a solver that chooses its steps. With half as many instants of output the
    answers stay as they are: else it is these instants that cut the steps, as where the setting is a share of a period.
    """
    reasons = []
    for control in _list_candidates(bench):
        reason = _try_control(bench.controlled(control))
        if not reason:
            return control
        reasons.append(f"{control.setting or 'instants of output'}: {reason}")
    return "; ".join(dict.fromkeys(reasons))


def _list_candidates(bench: Bench) -> list[Control]:
    """Return ways in which the step may be set: as the solver refines it, by the names of steps, by the output."""
    tolerances = {bench.examinee.claims.tolerance, *TOLERANCE_NAMES}
    names = {name.lower(): name for name in bench.examinee.declared}
    plain = [Control(names[name]) for name in STEP_NAMES if name in names]
    refined = [_read_control(*_refine(bench))]
    return [
        *(
            each
            for each in (*refined, *plain)
            if each.setting and not {each.setting, each.setting.lower()} & tolerances
        ),
        Control(),
    ]


def _refine(bench: Bench) -> tuple[str, Sequence[Settings]]:
    """Return the setting that the solver itself refines, empty if it states none, and its levels."""
    try:
        refinement = read_levels(bench.examinee.gate, _swing(1.0).state(), bench.examinee.scheme)
    except REFUSED:
        return "", ()
    return refinement.key, refinement.levels


def _read_control(key: str, levels: Sequence[Settings]) -> Control:
    """Return what levels say of the other settings: those in proportion to the step, and those that never change."""
    proportional, constant = [], []
    for name in levels[0] if levels else ():
        values = [level.get(name) for level in levels]
        if all(value == values[0] for value in values):
            constant.append((name, values[0]))
        elif name != key and all(isinstance(value, int | float) for value in values):
            factors = [as_float(level[name]) / as_float(level[key]) for level in levels]
            if max(factors) - min(factors) <= SAME * abs(factors[0]):
                proportional.append((name, factors[0]))
    return Control(key, tuple(proportional), tuple(constant))


def _swing(slower: float) -> LinearTrial:
    """Return a free vibration over eight steps that are ``slower`` seconds long."""
    frequency = COARSE / slower
    return replace(pose_oscillator(frequency, 1.0, 0.5 * frequency, steps=8), span=slower)


def _try_control(bench: Bench) -> str:
    """Return why this does not set the step; empty if it does."""
    trials = [_swing(1.0), replace(_swing(1.0), steps=16, span=0.5), _swing(2.0)]
    trials += [replace(_swing(1.0), every=2)] if bench.control.setting else []
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
    return "" if size > SAME else "it does not change the answer"
