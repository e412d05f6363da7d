"""How the step of an initial value solver is set, and whether one step follows from the state before it alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from veridyn.identification.examinee import REFUSED, Examinee, Floats
from veridyn.identification.stepping import STEP_NAMES, StepControl, find_control, list_controls
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode

NAMES = tuple(name for name in STEP_NAMES if name != "max_step")  # which bounds steps that a solver chooses
SIZES = (Fraction(1), Fraction(1, 16), Fraction(1, 1024))  # s, of steps that are tried: short ones if long are refused
MANY = 12  # steps: multistep methods of up to so many have begun to keep what lies behind them
SLOW = Fraction(1, 2)  # rates times the step, so that explicit methods remain stable
SAME = 1e-5  # of a state of order 1: less is rounding, even that of six printed digits
EFFECT = 1e-12  # of a state of order 1: two answers that differ by less have the same step

Pose: TypeAlias = Callable[..., InitialValueProblem]
"""What poses a motion, as `build_swing` does."""


def find_step_control(examinee: Examinee, pose: Pose | None = None) -> StepControl | None:
    """Return what sets the step of a solver, found by trial; None if nothing does, or nothing is accepted.

    A setting, or the output grid unless the solver has a tolerance. If long steps are refused, short ones are tried.
    ``pose``: the motion that is tried, the swing by default.
    """
    chosen = pose or build_swing
    controls = list_controls(examinee, chosen(1, SIZES[0]), NAMES)
    if examinee.find_tolerance():
        controls = [control for control in controls if control.refined]
    sized = [replace(control, size=size) for control in controls for size in SIZES]
    control = find_control(sized, lambda control: _refuse(examinee, control, chosen))
    return None if isinstance(control, str) else control


def _refuse(examinee: Examinee, control: StepControl, pose: Pose) -> str:
    """Return why something does not set the step; empty if it does.

    A motion that is slower by two, in a step that is twice as long, ends where it does; half the step ends elsewhere.
    """
    size = control.size
    try:
        coarse, fine, slow = (
            _take_steps(examinee, control, pose(*posed))[-1] for posed in ((1, size), (2, size), (1, 2 * size))
        )
    except REFUSED as refused:
        return str(refused)
    if abs(slow[0] - coarse[0]) > SAME:
        return "it is no length of a step"
    return "" if np.max(np.abs(coarse - fine)) > EFFECT else "it does not change the answer"


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
