"""Judge sound solvers of random styles: ``python -m tests.identification.sound [FIRST] END``.

Each deviation is a false alarm.

A solver has a method with random parameters, a precision, and a step that is a setting or the grid of the output.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.identification.solvers import (
    RK4,
    Stepper,
    bathe,
    bdf2,
    generalised,
    printed,
    runge_kutta,
    single,
    symplectic,
    wilson,
)
from veridyn.identification.examinee import Examinee
from veridyn.identification.linear import read_linear
from veridyn.identification.reading import Reading
from veridyn.identification.trials import Bench
from veridyn.solver.contract.local_gate import LocalGate

Style = tuple[str, Any, int]  # name, march, order


def choose_method(rng: np.random.Generator) -> Style:
    """Return a sound method with random parameters, and its order."""
    rho, alpha, gamma = rng.uniform(0, 1), rng.uniform(-0.3, 0), rng.uniform(0.51, 0.7)
    of_m, of_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    shift = of_f - of_m
    share = rng.uniform(0.55, 1.0)  # nodes of a method with two stages
    makers: list[Callable[[], Style]] = [
        lambda: ("Newmark", generalised(rng.choice([1 / 4, 1 / 6, 1 / 12]), 0.5), 2),
        lambda: ("Newmark", generalised((gamma + 0.5) ** 2 / 4, gamma), 1),
        lambda: ("HHT", generalised((1 - alpha) ** 2 / 4, 0.5 - alpha, 0.0, -alpha, instant=rng.random() < 0.5), 2),
        lambda: ("WBZ", generalised((1 - alpha) ** 2 / 4, 0.5 - alpha, alpha, 0.0), 2),
        lambda: ("generalised-alpha", generalised((1 + shift) ** 2 / 4, 0.5 + shift, of_m, of_f), 2),
        lambda: ("Wilson", wilson(rng.uniform(1.37, 2.0)), 2),
        lambda: ("Bathe", bathe, 2),
        lambda: ("BDF2", bdf2, 2),
        lambda: ("symplectic", symplectic, 1),
        lambda: ("", runge_kutta(*RK4), 4),
        lambda: ("", runge_kutta([[], [share]], [1 - 0.5 / share, 0.5 / share]), 2),
    ]
    return makers[rng.integers(len(makers))]()


def make_solver(seed: int) -> tuple[str, Stepper]:
    """Return a solver of a random style, and the beginning of its name on the card."""
    rng = np.random.default_rng(seed)
    name, march, order = choose_method(rng)
    answers: list[Callable[[Any], Any]] = [np.asarray, np.asarray, single, printed]
    claims: dict[str, Any] = {"order": order} if rng.random() < 0.5 else {}
    answer = answers[rng.integers(len(answers))]
    return name, Stepper(march, claims=claims, grid=rng.random() < 0.3, answer=answer)


def read(seed: int) -> tuple[str, Reading]:
    """Return the beginning of the name that belongs to a solver, and what the card says of it."""
    name, solver = make_solver(seed)
    return name, read_linear(Bench(Examinee(LocalGate(solver))))


if __name__ == "__main__":
    wrong = 0
    for number in range(*map(int, sys.argv[1:])):
        expected, reading = read(number)
        if reading.deviations or not reading.method.startswith(expected):
            wrong += 1
            print(number, expected, "|", reading.method, "|", *reading.deviations)
    print(f"{wrong} wrong")
