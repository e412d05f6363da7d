"""One mode with friction beside a loop that was written for it alone: ``python -m tests.timing.outsider``.

Both march by symplectic Euler, with the regularised law: a spring and a damper at an anchor, which a sliding mode drags
along. Neither writes histories. CPU time of a step: least of several, of a long run less a short one.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from veridyn.problem.elements import Friction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.integrators.modal import SOLVER

from .storing import store
from .turns import measure_cpu

STEP = 1e-4  # s
SHORT, LONG = 20_000, 2_020_000  # steps
OMEGA, DAMPING, START = 10.0, 0.01, 1.0  # 1/s, share of critical damping, m
STIFFNESS, DAMPER, NORMAL = 1e4, 10.0, 2.0  # N/m, N s/m, N
STATIC, KINETIC = 0.3, 0.2
SLOW = 1e-6  # m/s: slower, or turned, the mode may stick
NEAR = 1e-9  # how far the two last places may lie apart, relatively
ROUNDS = 5


@numba.njit
def march(steps: int) -> float:
    """Return where the mode is after some steps."""
    place, speed, last = START, 0.0, 0.0
    held, anchor, sticks = 0.0, START, False
    rate = -(OMEGA**2) * place
    for _ in range(steps):
        speed += STEP * (rate - 2.0 * DAMPING * OMEGA * speed)
        place += STEP * speed
        slides = not sticks and speed * last >= 0.0 and abs(speed) > SLOW
        last = speed
        force = held - STIFFNESS * (place - anchor) - DAMPER * speed
        sticks = not slides and abs(force) <= STATIC * NORMAL
        if not sticks:
            force = -KINETIC * NORMAL * np.sign(speed)
            held, anchor = force, place
        rate = force - OMEGA**2 * place
    return place


def state_problem(steps: int) -> MechanicalProblem:
    """Return the mode, with friction of constant normal force."""
    one = np.ones(1)
    basis = Modes(omega=OMEGA * one, damping=DAMPING * one, masses=one, shapes=one.reshape(1, 1))
    slider = Friction("slider", (one,), NORMAL, STATIC, KINETIC, law="regularised", stiffness=STIFFNESS, damping=DAMPER)
    return MechanicalProblem(modes=basis, frictions=(slider,), initial_displacement=START * one, end=steps * STEP)


def solve(steps: int) -> float:
    """Return where our integrator finds the mode after some steps."""
    settings = {"scheme": "symplectic_euler", "step": STEP, "archive_at": [steps * STEP], "check_step": False}
    return float(SOLVER.solve(state_problem(steps), settings).displacement[-1, 0])


def time_step(work: Callable[[int], float]) -> float:
    """Return the time of a step (ns)."""
    long, short = (measure_cpu(lambda steps=steps: work(steps), ROUNDS) for steps in (LONG, SHORT))
    return 1e9 * (long - short) / (LONG - SHORT)


def main() -> None:
    """Print and store the times."""
    np.testing.assert_allclose(solve(SHORT), march(SHORT), rtol=NEAR)
    rows = [("loop for this mode alone, by numba", time_step(march)), ("modal integrator", time_step(solve))]
    least = rows[0][1]
    cells = [(name, round(time, 1), round(time / least, 2)) for name, time in rows]
    print(*cells, sep="\n")
    store("outsider", "python -m tests.timing.outsider", ("one mode with friction", "ns a step", "ratio"), cells)


if __name__ == "__main__":
    main()
