"""How the step of an initial value solver is set, and whether one step follows from the state before it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from veridyn.identification.examinee import REFUSED, Examinee, Floats
from veridyn.identification.stepping import STEP_NAMES
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.solver.contract.gate import read_levels
from veridyn.solver.contract.statements import Settings

NAMES = tuple(name for name in STEP_NAMES if name != "max_step")  # which bounds steps that a solver chooses
SIZES = (Fraction(1), Fraction(1, 16), Fraction(1, 1024))  # s, of steps that are tried: short ones if long are refused
MANY = 12  # steps: multistep methods of up to so many have begun to keep what lies behind them
SLOW = Fraction(1, 2)  # rates times the step, so that explicit methods remain stable
EFFECT = 1e-12  # of a state of order 1: two answers that differ by less have the same step


@dataclass(frozen=True, kw_only=True)
class StepControl:
    """What sets the step: a setting by name, or the output grid (no name); ``size`` (s) is one that is accepted."""

    setting: str
    size: Fraction

    @property
    def description(self) -> str:
        """What sets the step, in words."""
        return f"setting {self.setting}" if self.setting else "output grid"

    def make_settings(self, size: float) -> Settings:
        """Return the settings for steps of a size (s)."""
        return {self.setting: size} if self.setting else {}


Pose: TypeAlias = Callable[..., InitialValueProblem]
"""What poses a motion, as `build_swing` does."""


def find_step_control(examinee: Examinee, pose: Pose | None = None) -> StepControl | None:
    """Return what sets the step of a solver, found by trial; None if nothing does, or nothing is accepted.

    A setting is tried if it is called like a step; then the output grid, unless the solver has a tolerance. ``pose``:
    the motion that is tried, the swing by default.
    """
    for name in _list_candidates(examinee):
        for size in SIZES:
            control = StepControl(setting=name, size=size)
            try:
                coarse, fine = (
                    _take_steps(examinee, control, (pose or build_swing)(count, size))[-1] for count in (1, 2)
                )
            except REFUSED:
                continue
            if np.max(np.abs(coarse - fine)) > EFFECT:
                return control
            break  # accepted, without effect
    return None


def _list_candidates(examinee: Examinee) -> Iterator[str]:
    names = {name.lower(): name for name in examinee.declared}
    refined = _find_refined(examinee)
    steps = [refined] if refined.lower() in NAMES else []
    yield from dict.fromkeys((*steps, *(names[name] for name in NAMES if name in names)))
    if not examinee.find_tolerance():
        yield ""


def _find_refined(examinee: Examinee) -> str:
    """Return the setting that the refinement levels refine; empty if none are stated, or they cannot be read."""
    try:
        return read_levels(examinee.gate, build_swing(1, Fraction(1)), examinee.scheme).key
    except REFUSED:
        return ""


def _take_steps(examinee: Examinee, control: StepControl, problem: InitialValueProblem) -> Floats:
    assert problem.output_times is not None
    step = float(problem.output_times[1] - problem.output_times[0])
    return examinee.states_at_outputs(problem, control.make_settings(step))


def build_swing(
    count: int,
    span: Fraction,
    *,
    first: int = 0,
    state: tuple[str, str] = ("1", "1/2"),
    scale: Fraction | None = None,
) -> InitialValueProblem:
    """Return a motion to a limit cycle, with ``count`` equal output intervals over a span (s); it stays of order 1.

    It begins at the place ``first`` of that grid with a state, and ends at its end. Its rates are those of a span of
    1 s, or grow with ``scale``, so that a step changes the state by as much however short it is.
    """
    times = [float(span * place / count) for place in range(first, count + 1)]
    return InitialValueProblem(
        name="swing",
        states=("u", "v"),
        parameters={"s": str(scale or 1 / span), "u_0": state[0], "v_0": state[1]},
        modes=(Mode(name="swing", rates=("s*(u*(1 - u**2 - v**2)/4 - v)", "s*(v*(1 - u**2 - v**2)/4 + u)")),),
        initial=("u_0", "v_0"),
        start=times[0],
        end=times[-1],
        output_times=np.array(times),
    )


def build_duffing(
    count: int,
    span: Fraction,
    *,
    first: int = 0,
    state: tuple[str, str] = ("1", "1/2"),
    scale: Fraction | None = None,
) -> InitialValueProblem:
    """Return a motion ``u'' = -u - u³/3`` as `build_swing` returns one; its velocity grows with the scale."""
    swing = build_swing(count, span, first=first, state=state, scale=scale)
    factor = f"({scale or 1 / span})"
    return replace(
        swing,
        name="duffing",
        modes=(Mode(name="swing", rates=("v", "-s**2*(u + u**3/3)")),),
        initial=("u_0", "v_0" if first else f"{factor}*v_0"),
    )


def measure_memory(examinee: Examinee, control: StepControl, pose: Pose = build_swing) -> float:
    """Return by how much a late step differs from a first step that begins where it does.

    For a one-step method it is what rounding, or the tolerance of its equations, leaves of the states of order 1: a
    step is a function of instant, state and size alone. A multistep method keeps more than the state, once it has as
    many steps behind it as it needs. The end of a problem of one step is compared with the first step of many as well.
    Raises what `Examinee.solve` raises.
    """
    size, span = control.size, MANY * control.size
    settings, scale = control.make_settings(float(size)), SLOW / size
    many = examinee.states_at_outputs(pose(MANY, span, scale=scale), settings)
    alone = examinee.end_state(pose(1, size, scale=scale), settings)
    u, v = (repr(float(value)) for value in many[-2])
    again = examinee.end_state(pose(MANY, span, first=MANY - 1, state=(u, v), scale=scale), settings)
    return float(max(np.max(np.abs(alone - many[1])), np.max(np.abs(again - many[-1]))))


def measure_effect(examinee: Examinee, control: StepControl) -> float:
    """Return by how much two steps differ from one over the same span; raises what `Examinee.solve` raises."""
    size, scale = control.size, SLOW / control.size
    coarse, fine = (
        examinee.end_state(build_swing(count, size, scale=scale), control.make_settings(float(size / count)))
        for count in (1, 2)
    )
    return float(np.max(np.abs(coarse - fine)))
