"""What the gate on speed times: small works, each prepared by a function and then called without arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.problem.mechanical import MechanicalProblem, as_mechanical
from veridyn.references.certified import forget
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as MODAL
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.test_benchmarks import make_rattling

Work = Callable[[], object]

LOOP = 20_000  # passes of the reference loop, about 2 ms


def turn() -> float:
    """Return the end of the logistic map: the reference loop, arithmetic of plain Python."""
    x = 0.5
    for _ in range(LOOP):
        x = 3.9 * x * (1.0 - x)
    return x


def rubbing_mass() -> MechanicalProblem:
    """Return SDND104 with many slips; two outputs."""
    case = load_case("sdnd104")
    problem = as_mechanical(case.problem(case.values({"a0": "1.5"})))
    return replace(problem, output_times=np.array([0.0, problem.end]))


def solve_again() -> Work:
    """Solve a problem that was solved before by the exact solver, a hundred times."""
    problem = rubbing_mass()
    return lambda: [EXACT.solve(problem, {}) for _ in range(100)]


def solve_anew() -> Work:
    """Solve a new problem by the exact solver, with all its preparation."""
    problem = rubbing_mass()
    return lambda: [EXACT.solve(replace(problem), {}) for _ in range(5)]


def march(scheme: str) -> Work:
    """Integrate 50 modes with 5 stops and friction by 2000 steps of a scheme."""
    problem = make_rattling(50, 5, end=0.2)
    return lambda: MODAL.solve(problem, {"scheme": scheme, "step": 1e-4, "archive_at": [0.0], "check_step": False})


def solve_sets() -> Work:
    """Solve 2000 parameter sets of SDND104 at once, on one thread."""
    random = np.random.default_rng(1)
    fixed = {"g": 10.0, "m": 1.0, "omega": 6.3, "t_start": 4.0, "t_end": 12.0}
    columns = {name: np.full(2000, value) for name, value in fixed.items()}
    columns |= {"a0": random.uniform(0.5, 20.0, 2000), "mu": random.uniform(0.1, 1.0, 2000)}
    return lambda: EXACT.solve_many("sdnd104", columns, 1)


def certify(name: str) -> Work:
    """Compute the references of a default variant to 30 digits, with nothing remembered."""
    case = load_case(name)
    variant = case.default_variant
    values = case.values(variant.changes)
    references = [quantity.reference for quantity in case.select_quantities(variant)]

    def work() -> None:
        forget()
        for reference in references:
            reference.compute_anew(values)

    return work


def judge_default() -> Work:
    """Judge every check of a default variant, whose truth is known and whose solver costs little."""
    case = load_case("rigid_stop")

    def work() -> None:
        runner = Runner(LocalGate(EXACT))
        for check in checks(case, runner.subject, only=case.default_variant.name):
            judge(check, runner)

    return work


def state_problem() -> Work:
    """State the initial value problems of a case."""
    case = load_case("bouncing_ball")
    return lambda: [Statement(case, variant).problem for variant in case.variants]


KERNELS: dict[str, Callable[[], Work]] = {
    "exact solver, again": solve_again,
    "exact solver, new problem": solve_anew,
    "symplectic Euler, 50 modes on 5 stops": partial(march, "symplectic_euler"),
    "Newmark, 50 modes on 5 stops": partial(march, "newmark"),
    "many sets of SDND104": solve_sets,
    "judging a variant": judge_default,
    "stating a problem": state_problem,
    "truth of a mechanical case": partial(certify, "sdnd101"),
    "truth of a smooth case": partial(certify, "kepler"),
}
"""By the name that the gate prints."""
