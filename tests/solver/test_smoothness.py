"""The order that loads and devices leave to a method that steps over their events."""

import math

import numpy as np
import pytest

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.smoothness import jumps, regularity
from veridyn.problem.time_functions import Harmonic, Sum, Windowed, pulse, table

WAVE = Harmonic(1.0, "2*pi")


def spring(*powers, slack=0.0):
    return NonlinearSpring.odd(name="spring", direction=[1.0], coefficients=powers, slack=slack)


def problem(*functions, **elements):
    return MechanicalProblem(
        name="mass",
        mass=np.eye(1),
        initial_displacement=np.zeros(1),
        initial_velocity=np.ones(1),
        end=3.0,
        loads=tuple(Load(np.ones(1), function) for function in functions),
        **elements,
    )


@pytest.mark.parametrize(
    ("function", "order"),
    [
        (WAVE, math.inf),
        (pulse(1.0, 1.0, 2.0), 1),
        (table([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), 2),
        (Windowed(WAVE, "1/4", 4.0), 1),  # cut at its crest: a jump
        (Windowed(WAVE, 1.0, 2.0), 2),  # cut at its zeros: a kink
        (Windowed(WAVE, 0.0, 5.0), math.inf),  # cut beside the motion
        (Windowed(WAVE, 1.0, 2.0, order=-1), 3),  # the integral of one with kinks
        (Windowed(Harmonic(1.0, "2*pi", "pi/2"), 1.0, 2.0, order=1), 2),  # the derivative is what counts
        (Windowed(table([0.0, 4.0], [0.0, 1.0]), 1.0, 2.0), 1),
        (Sum((WAVE, Sum((Windowed(WAVE, 1.0, 2.0, order=-1), Windowed(WAVE, 1.0, 2.0))))), 2),
    ],
)
def test_loads(function, order):
    assert regularity(problem(function)) == order


@pytest.mark.parametrize(
    ("elements", "order"),
    [
        ({"stops": (Stop("wall", np.ones(1), 0.1, 10.0),)}, 2),
        ({"stops": (Stop("wall", np.ones(1), 0.1, 10.0, 1.0),)}, 1),
        ({"frictions": (Friction("shoe", (np.ones(1),), 1.0, 0.1, 0.1),)}, 1),
        ({"devices": (spring(0.0, 0.0, -1.0),)}, 3),  # u |u|
        ({"devices": (spring(0.0, -1.0, -1.0, slack=0.5),)}, 2),
        ({"devices": (spring(0.0, -1.0),)}, math.inf),
    ],
)
def test_elements(elements, order):
    assert regularity(problem(**elements)) == order


def test_the_first_jump_of_a_drive_is_found_between_kinks():
    kink = table([0.0, 1.0, 3.0], [0.0, 2.0, 2.0])
    jump = pulse(3.0, -1.0, 1.5)
    assert list(jumps(problem(kink))) == []
    assert next(jumps(problem(kink, jump))) == 1.5
