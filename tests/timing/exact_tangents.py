"""What a derivative costs the exact solver, over a solve: ``python -m tests.timing.exact_tangents``.

CPU time, the least of some turns, in one run. A new problem writes the equations of its modes; one that is solved again
has them.
"""

from dataclasses import replace

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.tangent import Tangent
from veridyn.solver.exact.solver import SOLVER
from veridyn.validation_cases.judgement.catalogue import load_case

from .turns import measure_cpu

TURNS = 9
NUMBERS = {
    "rigid_stop": "mass[1,1]",
    "sdnd104": "shoe.normal",
    "pipe_on_stops": "modes.omega[1]",
    "sdld29": "mass[1,1]",
    "block_stack": "mass[1,1]",
    "whirling_rotor": "mass[1,1]",
    "tube_between_stops": "modes.omega[1]",
}


def compare(problem: MechanicalProblem, number: str) -> tuple[float, float]:
    """Return what solve and derivative take over a solve, of a new problem and of one solved again."""
    tangent = Tangent(number, {number: 1.0})

    def solve(given: MechanicalProblem) -> object:
        response = SOLVER.solve(given, {})
        return dict(response.elements), dict(response.events)

    def differentiate(given: MechanicalProblem) -> object:
        pair = SOLVER.solve_tangent(given, tangent, {})
        return dict(pair.response.elements), dict(pair.response.events)

    differentiate(problem)
    new = measure_cpu(lambda: differentiate(replace(problem)), TURNS)
    new_alone = measure_cpu(lambda: solve(replace(problem)), TURNS)
    again = measure_cpu(lambda: differentiate(problem), TURNS)
    again_alone = measure_cpu(lambda: solve(problem), TURNS)
    return new / new_alone, again / again_alone


def main() -> None:
    """Print a line for each case."""
    for name, number in NUMBERS.items():
        case = load_case(name)
        new, again = compare(case.problem(case.values(case.default_variant.changes)), number)
        print(f"{name:20} {number:16} new {new:5.2f}  again {again:5.2f}")


if __name__ == "__main__":
    main()
