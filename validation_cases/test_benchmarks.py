"""Timing of the solver under test, digits beside the times: ``veridyn bench`` or ``pytest --benchmark-only``.

Nothing here asserts a time. First calls (compilation, loading of cached kernels) are measured apart.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numba
import numpy as np
import pytest

from veridyn.problem.basis import modal_basis, modal_state
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem, as_mechanical
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import forget
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.exact.solver import ExactComputation
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.integration import IntegrationJob, Storage
from veridyn.solver.integrators.kernels import symplectic_euler
from veridyn.solver.integrators.kernels.contact import R_FORCE
from veridyn.solver.integrators.kernels.system import System
from veridyn.solver.integrators.modal import regularised
from veridyn.validation_cases.judgement.case import Floats
from veridyn.validation_cases.judgement.catalogue import case_names, load_case
from veridyn.validation_cases.judgement.judge import correct_digits
from veridyn.validation_cases.judgement.runner import Run, Runner
from veridyn.validation_cases.judgement.statement import Statement

pytestmark = pytest.mark.speed


def _digits(runner: Runner, run: Run) -> dict[str, float]:
    """Return the median and the fewest correct digits over the measured quantities of the run."""
    statement, answers = run.statement, runner.measured(run)
    numbers = [(q, answers[q.name]) for q in statement.quantities if isinstance(answers[q.name], int | float)]
    found = [correct_digits(value, q.truth(statement.values)) for q, value in numbers]  # type: ignore[arg-type]
    digits = [d for d in found if d is not None]
    return {"digits": float(np.median(digits)), "fewest_digits": min(digits)}


def test_solve(benchmark: Any, solver_under_test: str, case_name: str, scheme: str) -> None:
    """One solution of the benchmark variant; the first call is in ``extra_info``."""
    case, solver = load_case(case_name), load_solver(solver_under_test)
    runner, variant = Runner(LocalGate(solver)), case.default_variant
    statement = Statement(case, variant)
    problem = statement.problem
    if missing := problem.needs - frozenset(solver.capabilities):
        pytest.skip(f"{solver.name} does not declare {', '.join(sorted(missing))}")
    run = runner.default_run(statement, scheme)
    first = _seconds(lambda: solver.solve(problem, dict(run.settings)))
    benchmark.extra_info.update(
        solver=solver.name,
        case=case.name,
        variant=variant.name,
        scheme=scheme,
        settings={k: str(v) for k, v in run.settings.items()},
        first_call=first,
        **_digits(runner, run),
    )
    benchmark.pedantic(solver.solve, args=(problem, dict(run.settings)), rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.speed(name)) for name in case_names()])
def test_references(benchmark: Any, name: str) -> None:
    """All references of a default variant to 30 digits, computed anew each time; the second routes are left out."""
    case = load_case(name)
    variant = case.variants[0]
    values = case.values(variant.changes)
    references = [quantity.reference for quantity in case.select_quantities(variant)]

    def compute() -> None:
        for reference in references:
            reference.compute_anew(values)

    info = {"solver": "reference", "case": case.name, "variant": variant.name, "scheme": "30 digits"}
    benchmark.extra_info.update(first_call=_seconds(compute), **info)
    benchmark.pedantic(compute, setup=forget, rounds=3)


@pytest.mark.speed("sdnd104")
@pytest.mark.parametrize("a0", ["15", "1.5", "1.01"])
def test_exact_kernel(benchmark: Any, a0: str) -> None:
    """The exact solver on SDND104 over its whole time, prepared beforehand, without the arrays of a response."""
    case = load_case("sdnd104")
    problem = as_mechanical(case.problem(case.values({"a0": a0})))
    prepared = ExactComputation(problem)
    outputs = np.empty(0)
    first = _seconds(lambda: prepared.run(outputs))
    info = {"solver": "exact", "case": case.name, "variant": f"a0={a0}, prepared", "scheme": "series"}
    benchmark.extra_info.update(first_call=first, **info)
    benchmark.pedantic(prepared.run, args=(outputs,), rounds=51, iterations=20, warmup_rounds=1)


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


@dataclass(frozen=True, eq=False)
class March:
    """The general kernel of symplectic Euler on a problem, everything archived, arrays prepared beforehand."""

    system: System
    storage: Storage
    steps: int

    @classmethod
    def prepare(cls, problem: MechanicalProblem, step: float, steps: int) -> Self:
        """Prepare a number of steps."""
        modes = modal_basis(problem)
        system = system_arrays(problem, modes)
        job = IntegrationJob(system, *modal_state(problem, modes), 0.0, steps * step, step)
        return cls(system, Storage(steps + 2, job, even=True), steps)

    def __call__(self) -> None:
        """Integrate."""
        self.storage.restart()
        symplectic_euler.integrate(self.system, 0.0, self.storage.job.step, self.steps, *self.storage.arguments())


@pytest.mark.speed("sdnd104")
def test_kernel_against_hand_written_loop(benchmark: Any) -> None:
    """Ratio of the general kernel to a minimal scalar loop, measured in turn within one run."""
    steps = 120_000
    arrays = [np.zeros(steps + 1) for _ in range(6)]
    case = load_case("sdnd104")
    problem = regularised(as_mechanical(case.problem(case.values({"a0": "15"}))), 9e6)
    general = March.prepare(problem, 1e-4, steps)

    def by_hand() -> None:
        hand_written(15.0, steps, 1e-4, *arrays)

    compared = _in_turn(general, {"hand-written loop": by_hand}, steps)
    benchmark.extra_info.update(case="sdnd104", scheme="symplectic_euler", steps=steps, **compared)
    benchmark.pedantic(general, rounds=7, warmup_rounds=1)


def bare_in_python(
    steps: int, dt: float, omega2: Floats, damping: Floats, rows: Floats, back: Floats, stiffness: float
) -> Floats:
    """Modes and springs along rows, with nothing else: projection, linear forces, projection back, update."""
    q, v, g = np.zeros(omega2.size), np.full(omega2.size, 1e-3), np.zeros(omega2.size)
    for _ in range(steps):
        for i in range(q.size):
            v[i] += dt * (g[i] - damping[i] * v[i])
            q[i] += dt * v[i]
            g[i] = -omega2[i] * q[i]
        for p in range(rows.shape[0]):
            x, u = 0.0, 0.0
            for i in range(q.size):
                x += rows[p, i] * q[i]
                u += rows[p, i] * v[i]
            force = -stiffness * (x + 1e-3 * u)
            for i in range(q.size):
                g[i] += back[p, i] * force
    return q


def bare_with_blas_in_python(
    steps: int, dt: float, omega2: Floats, damping: Floats, rows: Floats, back: Floats, stiffness: float
) -> Floats:
    """Compute the same with the matrix products of BLAS."""
    q, v, g = np.zeros(omega2.size), np.full(omega2.size, 1e-3), np.zeros(omega2.size)
    x, u, pushed = np.zeros(rows.shape[0]), np.zeros(rows.shape[0]), np.zeros(omega2.size)
    for _ in range(steps):
        for i in range(q.size):
            v[i] += dt * (g[i] - damping[i] * v[i])
            q[i] += dt * v[i]
        np.dot(rows, q, x)
        np.dot(rows, v, u)
        for p in range(x.size):
            x[p] = -stiffness * (x[p] + 1e-3 * u[p])
        np.dot(x, back, pushed)
        for i in range(q.size):
            g[i] = pushed[i] - omega2[i] * q[i]
    return q


bare = numba.njit()(bare_in_python)
bare_with_blas = numba.njit()(bare_with_blas_in_python)


def make_rattling(modes: int, contacts: int, *, end: float) -> MechanicalProblem:
    """Return random shapes with stops, each with friction, that open and close under a load."""
    random = np.random.default_rng(modes)
    shapes = random.normal(size=(2 * contacts, modes)) / math.sqrt(modes)
    eye = np.eye(2 * contacts)
    stops = tuple(Stop(f"stop {c}", eye[c], 1e-4, 1e4, 1.0, geometry="parallel planes") for c in range(contacts))
    frictions = tuple(
        Friction(f"shoe {c}", (eye[contacts + c],), f"stop {c}", 0.3, 0.2, "regularised", 1e4, 1.0)
        for c in range(contacts)
    )
    return MechanicalProblem(
        name="rattling",
        modes=Modes(
            omega=np.linspace(10, 1000, modes), damping=np.full(modes, 0.01), masses=np.ones(modes), shapes=shapes
        ),
        initial_velocity=random.normal(size=2 * contacts),
        end=end,
        loads=(Load(np.ones(2 * contacts), Harmonic(50, 300)),),
        stops=stops,
        frictions=frictions,
    )


@pytest.mark.speed("rattling")
@pytest.mark.parametrize(("modes", "contacts"), [(50, 5), (500, 20)])
def test_kernel_against_bare_loops(benchmark: Any, modes: int, contacts: int) -> None:
    """Ratio of the general kernel to loops that only project; contacts open and close, each with friction."""
    steps = 2_000_000 // (modes * contacts)
    general = March.prepare(make_rattling(modes, contacts, end=1.0), 1e-4, steps)
    s = general.system
    arguments = (steps, 1e-4, s.omega2, s.damping, np.ascontiguousarray(s.rows.T), s.back, 10.0)
    loops = {"bare loop": lambda: bare(*arguments), "bare loop with BLAS": lambda: bare_with_blas(*arguments)}
    compared = _in_turn(general, loops, steps)
    touching = float(np.mean(general.storage.archive.records[: steps + 1, :, R_FORCE] > 0))
    size = f"{modes} modes, {contacts} contacts with friction, closed {100 * touching:.0f} % of the time"
    flops = (6.0 * s.back.shape[0] + 8.0) * modes
    rate = flops / compared["general_ns_per_step"]
    benchmark.extra_info.update(case=size, scheme="symplectic_euler", steps=steps, gigaflops=rate, **compared)
    benchmark.pedantic(general, rounds=7, warmup_rounds=1)


def _in_turn(general: Callable[[], None], others: dict[str, Callable[[], Any]], steps: int) -> dict[str, Any]:
    """Return the shortest times per step (ns) and the ratio to the quickest of the others, measured in turn."""
    works: dict[str, Callable[[], Any]] = {"general": general, **others}
    for work in works.values():
        work()
    rounds = [{name: _seconds(work) for name, work in works.items()} for _ in range(15)]
    shortest = {name: 1e9 * min(times[name] for times in rounds) / steps for name in works}
    against = min(others, key=lambda name: shortest[name])
    return {
        "against": against,
        "ratio": shortest["general"] / shortest[against],
        "general_ns_per_step": shortest["general"],
        "others_ns_per_step": {name: shortest[name] for name in others},
    }


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
