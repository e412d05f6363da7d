"""The commands under "Run it" on the page of a case name a solver that offers the case; three of them run."""

import shlex

import generated
import pytest

from veridyn.cli.commands import choose_solvers
from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract.loading import load_solver
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case


def list_solvers(command):
    """Return the solvers of a printed run."""
    _, run, name, *options = shlex.split(command)
    assert run == "run"
    return [options[options.index("--solver") + 1]] if "--solver" in options else choose_solvers((name,))


def test_the_printed_solver_offers_every_case():
    absent = []
    for case in all_cases():
        (solver,) = list_solvers(generated.run_it(case)[-1])
        try:
            offered = load_solver(solver).capabilities
        except SolverInputError:
            absent.append(case.name)
            continue
        assert case.problem(case.values(case.default_variant.changes)).needs <= offered, case.name
    assert set(absent) <= {"andrews", "pendulum_constrained"}  # their solver is an extra


@pytest.mark.parametrize("name", ["galperin", "rigid_stop", "sdnd101"])
def test_the_printed_commands_run(veridyn, name):
    for command in generated.run_it(load_case(name)):
        seen = veridyn(*shlex.split(command)[1:])
        assert seen.status == 0
    assert "All " in seen.out
    assert "checks passed" in seen.out
