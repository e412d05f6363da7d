"""Where the CPU time of a verification goes: ``python -m tests.timing.judging SOLVER [CASE…] [--scheme NAME]``.

All checks of the cases are judged in this process. What the solver takes itself is counted apart, so that the rest is
what a solver would wait for whose answers cost nothing. Loading the cases is counted apart too. CPU seconds. Without
names of cases, or with ``--store``, the table is stored.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager

from veridyn.problem.mechanical import Problem
from veridyn.references.certified import forget
from veridyn.solver.contract.gate import TimedAnswer
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

from .storing import Cell, store


class CountingGate(LocalGate):
    """The gate to a solver in this process; `seconds` is the CPU time that its answers took."""

    seconds = 0.0

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        with self.counting():
            return super().solve(problem, settings)

    def warm_up(self, settings: Settings) -> None:
        with self.counting():
            super().warm_up(settings)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the CPU time of what is done inside, whether it ends well or not."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds += time.process_time() - begin


def measure(name: str, spec: str, scheme: str = "") -> tuple[int, float, float, float]:
    """Return the number of checks of a case, and the CPU times (s) of loading it, judging it and solving it.

    Without a scheme all of the solver are judged.
    """
    forget()
    begin = time.process_time()
    case = load_case(name)
    loaded = time.process_time()
    gate = CountingGate(load_solver(spec))
    runner = Runner(gate, Request(schemes=(scheme,) if scheme else ()))
    count = sum(1 for check in checks(case, runner.subject) if judge(check, runner))
    return count, loaded - begin, time.process_time() - loaded - gate.seconds, gate.seconds


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("solver")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--scheme", default="")
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    offered = load_solver(given.solver).capabilities
    head, rows = ("case", "checks", "load", "judge", given.solver), list[tuple[Cell, ...]]()
    print(*head)
    for name in given.cases or [name for name in case_names() if kind_of(name) in offered]:
        count, *seconds = measure(name, given.solver, given.scheme)
        rows.append((name, count, *(round(each, 2) for each in seconds)))
        print(*rows[-1], flush=True)
    if given.store or not given.cases:
        chosen = ("--scheme", given.scheme) if given.scheme else ()
        command = " ".join(("python -m tests.timing.judging", given.solver, *given.cases, *chosen))
        store(f"judging by {given.solver}", command, head, rows)


if __name__ == "__main__":
    main()
