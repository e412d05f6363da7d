"""Timing of the solver under test, digits beside the times: ``veridyn bench`` or ``pytest --benchmark-only``.

Nothing here asserts a time. First calls (compilation, loading of cached kernels) are measured apart.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from veridyn.solver.arrays import system_arrays
from veridyn.solver.basis import modal_basis, modal_state
from veridyn.solver.integration import Storage
from veridyn.solver.kernels import symplectic_euler
from veridyn.solver.loading import load_solver
from veridyn.solver.modal import regularised
from veridyn.solver.problem import MechanicalProblem
from veridyn.validation_cases.case import Observation, Run, Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.judge import correct_digits
from veridyn.validation_cases.workbench import Workbench

Floats = NDArray[np.float64]

pytestmark = pytest.mark.speed


def _digits(case_name: str, run: Run, observation: Observation) -> dict[str, float]:
    """Return the median and the fewest correct digits over the measured quantities of the run."""
    case = load_case(case_name)
    variant = case.variant(case.benchmark_variant)
    found = [
        correct_digits(q.measure(observation), q.truth(run.values))
        for q in case.asked(variant)
        if q.measure is not None
    ]
    digits = [d for d in found if d is not None]
    return {"digits": float(np.median(digits)), "fewest_digits": min(digits)}


def test_solve(benchmark: Any, solver_under_test: str, case_name: str, scheme: str) -> None:
    """One solution of the benchmark variant; the first call is in ``extra_info``."""
    case, solver = load_case(case_name), load_solver(solver_under_test)
    variant = case.variant(case.benchmark_variant)
    run = case.run(Subject.of(solver), variant, scheme)
    problem = run.problem
    start = time.perf_counter()
    solver.solve(problem, dict(run.settings))
    first = time.perf_counter() - start
    benchmark.extra_info.update(
        solver=solver.name,
        case=case.name,
        variant=variant.name,
        scheme=scheme,
        settings={k: str(v) for k, v in run.settings.items()},
        first_call=first,
        **_digits(case_name, run, Workbench(solver).observe(run)),
    )
    benchmark.pedantic(solver.solve, args=(problem, dict(run.settings)), rounds=7, warmup_rounds=1)


def by_hand_in_python(
    a0: float, steps: int, dt: float, t: Floats, q: Floats, v: Floats, f: Floats, w: Floats, stuck: Floats
) -> None:
    """SDND104 by hand: one mode, one friction contact, symplectic Euler, everything archived."""
    k, c, cone, omega = 9e6, 6000.0, 1.0, 2 * math.pi
    anchor_f, anchor_x, last, still = 0.0, 0.0, 0.0, 0.0
    x, speed, now, a = 0.0, 0.0, 0.0, 0.0
    for i in range(1, steps + 1):
        speed += dt * a
        x += dt * speed
        now += dt
        slides = still == 0.0 and speed * last >= 0.0 and abs(speed) > 1e-6
        last = speed
        force = anchor_f - k * (x - anchor_x) - c * speed
        still = 1.0
        if slides or abs(force) > cone:
            force = -math.copysign(cone, speed)
            still, anchor_f, anchor_x = 0.0, force, x
        a = -a0 * math.sin(omega * now) + force
        t[i], q[i], v[i], f[i], w[i], stuck[i] = now, x, speed, force, speed, still


hand_written = numba.njit()(by_hand_in_python)


def _general(steps: int) -> Callable[[], None]:
    """Return the general kernel on the same problem and step, arrays prepared beforehand."""
    case = load_case("sdnd104")
    problem = regularised(cast(MechanicalProblem, case.problem(case.values({"a0": "15"}))), 9e6)
    modes = modal_basis(problem)
    system = system_arrays(problem, modes)
    storage = Storage(steps + 2, system, *modal_state(problem, modes))

    def integrate() -> None:
        storage.q[:], storage.v[:], storage.state[:] = 0.0, 0.0, 0.0
        symplectic_euler.integrate(system, 0.0, 1e-4, steps, 1, *storage.arguments())

    return integrate


def test_kernel_against_hand_written_loop(benchmark: Any) -> None:
    """Ratio of the general kernel to a minimal scalar loop, measured in turn within one run."""
    steps = 120_000
    arrays = [np.zeros(steps + 1) for _ in range(6)]
    general = _general(steps)

    def by_hand() -> None:
        hand_written(15.0, steps, 1e-4, *arrays)

    for warm in (general, by_hand):
        warm()
    pairs = [(_seconds(general), _seconds(by_hand)) for _ in range(15)]
    benchmark.extra_info.update(
        case="sdnd104",
        scheme="symplectic_euler",
        steps=steps,
        general_ns_per_step=1e9 * float(np.median([g for g, _ in pairs])) / steps,
        hand_written_ns_per_step=1e9 * float(np.median([h for _, h in pairs])) / steps,
        ratio=float(np.median([g / h for g, h in pairs])),
    )
    benchmark.pedantic(general, rounds=7, warmup_rounds=1)


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
