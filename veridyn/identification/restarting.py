"""How exactly a solver solves what it solves: a motion that is cut in two and goes on from there is the same motion.

No truth is needed. A method with steps, whether it shows them or not, steps over the cut in one case and onto it in the
other; its answers differ by what a step leaves. Whoever solves to rounding answers the same. The motions have loads,
stops and frictions as far as a solver offers them, and each is asked a second time much faster, where a hidden step of
fixed length is long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.responses import Response

END, CUT = 10.0, 6.1803  # s, of the slow motions; the cut is at no instant of any usual grid
SAMPLES = {"whole": 64, "first": 37, "second": 23}  # output intervals: what steps from output to output shows it
FASTER = (1.0, 1e4)  # factors of the rates
ROUNDING = 1e-13  # of the size of a motion: what exponentials of matrices leave of it after some periods
DIGITS = 8.0  # that are asked: steps of order 4 so small that a restart shows none leave eight after 100 periods


def is_undisturbed(examinee: Examinee) -> bool:
    """Tell whether a restart changes the end of no motion by more than rounding.

    False if the solver refuses a motion that it offers to solve, or offers to solve none; the first change ends it.
    """
    motions = [motion for rate in FASTER for motion in list_motions(rate) if examinee.offers(*motion.needs)]
    try:
        return bool(motions) and all(_measure_restart(examinee, motion) <= ROUNDING for motion in motions)
    except REFUSED:
        return False


def list_motions(rate: float) -> Iterator[MechanicalProblem]:
    """Yield the motions: free, damped with a load, on a stop, with friction; all ``rate`` times as fast as the slow."""
    free = MechanicalProblem(
        name="identification",
        end=END / rate,
        mass=np.array([[2.0, 0.0], [0.0, 1.0]]),
        damping=np.zeros((2, 2)),
        stiffness=np.array([[1.5, -0.5], [-0.5, 0.7]]) * rate**2,
        initial_displacement=np.array([0.9, -0.3]),
        initial_velocity=np.array([0.2, 0.4]) * rate,
    )
    damped = replace(free, damping=np.array([[0.3, -0.1], [-0.1, 0.2]]) * rate)
    load = Load(np.array([1.0, 0.0]), Harmonic(0.6 * rate**2, 1.3 * rate, 0.4))
    stop = Stop("stop", np.array([0.0, 1.0]), gap=0.5, stiffness=30.0 * rate**2)
    friction = Friction("friction", (np.array([0.0, 1.0]),), 1.0, static=0.1 * rate**2, kinetic=0.1 * rate**2)
    yield free
    yield replace(damped, loads=(load,))
    yield replace(free, loads=(load,), stops=(stop,))
    yield replace(free, loads=(load,), frictions=(friction,))


def _measure_restart(examinee: Examinee, motion: MechanicalProblem) -> float:
    """Return the change of a state at the end by a restart, over the size of the motion."""
    cut = motion.end * (CUT / END)
    whole = _solve(examinee, motion, "whole")
    first = _solve(examinee, replace(motion, end=cut), "first")
    second = _solve(
        examinee,
        replace(motion, start=cut, initial_displacement=first.displacement[-1], initial_velocity=first.velocity[-1]),
        "second",
    )
    parts = ((whole.displacement, second.displacement), (whole.velocity, second.velocity))
    return max(float(np.abs(one[-1] - other[-1]).max() / np.abs(one).max()) for one, other in parts)


def _solve(examinee: Examinee, motion: MechanicalProblem, part: str) -> Response:
    times = np.linspace(motion.start, motion.end, SAMPLES[part] + 1)
    return examinee.solve(replace(motion, output_times=times), {})
