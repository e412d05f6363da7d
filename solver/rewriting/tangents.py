"""Derivatives of a problem with terms left out on purpose: of an initial value problem, by solving both together."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from veridyn.problem.errors import ProblemError
from veridyn.problem.extended import Term, extend
from veridyn.problem.generated import functions
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.responses import Trajectory


def solve_extended(
    problem: InitialValueProblem,
    tangent: Tangent,
    solve: Callable[[InitialValueProblem], Trajectory],
    without: Collection[Term] = (),
) -> Differentiated:
    """Return the response and its derivative along a tangent, by a solver that reports events and modes.

    Terms may be left out, see `extend`. Raises NotImplementedError for what `extend` refuses, what the solver raises.
    """
    try:
        extended = extend(problem, tangent, without)
    except ProblemError as error:
        raise NotImplementedError(str(error)) from None
    return split(problem, solve(extended.problem))


def differentiate_exactly(
    problem: MechanicalProblem, tangent: Tangent, without: Collection[Term] = ()
) -> Differentiated:
    """Return the response of a mechanical problem and its derivative along a tangent, in closed form between events.

    Terms may be left out. Raises NotImplementedError for a term that cannot be; what the exact solver raises.
    """
    from veridyn.solver.exact.solver import SOLVER  # late: its kernels take seconds to load

    return SOLVER.differentiate(problem, tangent, {}, without)


def split(problem: InitialValueProblem, both: Trajectory) -> Differentiated:
    """Return what the trajectory of an extended problem says: that of the problem, and its derivative."""
    n = problem.size
    states, slopes, moves = both.states[:, :n], both.states[:, n : 2 * n], both.states[:, 2 * n]
    places = {name: np.searchsorted(both.time, instants) for name, instants in both.events.items()}
    time = np.zeros(both.time.size)
    for place in places.values():
        time[place] = moves[place]
    # the sample of an event lies on its instant, which moves: so does the state there
    slopes = slopes + _rates(problem, both.modes, both.time, states) * time[:, None]
    before, slopes_before = dict[str, Floats](), dict[str, Floats]()
    for name, rows in both.before.items():
        place = places[name]
        modes = tuple(both.modes[i - 1] for i in place)
        rates = _rates(problem, modes, both.time[place], rows[:, :n])
        before[name] = rows[:, :n]
        slopes_before[name] = rows[:, n : 2 * n] + rates * time[place][:, None]
    return Differentiated(
        Trajectory(both.time, states, both.events, before, both.modes, both.counters),
        Trajectory(time, slopes, {name: time[place] for name, place in places.items()}, slopes_before),
    )


def _rates(problem: InitialValueProblem, modes: tuple[str, ...], times: Floats, states: Floats) -> Floats:
    """Return the rates (m, n) at samples (m,) in their modes."""
    rates, named = np.zeros_like(states), np.array(modes, dtype=object)
    for mode in set(modes):
        inside = named == mode
        rates[inside] = functions(problem, mode).rhs_over(times[inside], states[inside])
    return rates
