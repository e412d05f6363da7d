"""Small solvers of second-order problems, which refuse others: compositions of drifts and kicks, Nystrom's methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.identification.initial_value_solvers import Floats, find_counts
from veridyn.problem.generated import functions
from veridyn.references.methods.nystrom import NYSTROM


def read_force(problem: Any) -> Any:
    """Return the second derivatives (n,) as a function of instant and displacements; refuse what has other rates."""
    n = problem.size // 2
    rates = problem.modes[0].rates
    if problem.size % 2 or tuple(map(str, rates[:n])) != problem.states[n:]:
        raise NotImplementedError("rates of displacements that are no velocities")
    if any(str(symbol) in problem.states[n:] for rate in rates[n:] for symbol in rate.free_symbols):
        raise NotImplementedError("forces that hold velocities")
    rhs = functions(problem).rhs
    return lambda t, u: np.array(rhs(t, np.concatenate((u, np.zeros(n)))))[n:]


@dataclass(frozen=True, eq=False)
class OfSecondOrder:
    """A method by name, as drifts and kicks where it is one; ``change`` adds to a number of it."""

    name: str
    method: str
    change: tuple[str, int, float] | tuple[()] = ()
    claims: Mapping[str, Any] = field(default_factory=dict)
    version = "1"
    capabilities = frozenset({"initial-value"})
    settings = {"dt": "step (s)"}  # noqa: RUF012

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the output instants."""
        force, times = read_force(problem), problem.output_times
        u, v = np.split(problem.initial_state, 2)
        rows = [problem.initial_state]
        for begin, end, count in zip(
            times[:-1], times[1:], find_counts(problem, settings.get("dt", 1e-2)), strict=True
        ):
            h = (end - begin) / count
            for i in range(count):
                u, v = self.advance(force, begin + i * h, u, v, h)
            rows.append(np.concatenate((u, v)))
        return {"time": times, "states": np.array(rows)}

    def advance(self, force: Any, t: float, u: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
        """Return displacements and velocities one step later."""
        tableau = NYSTROM[self.method]
        parts = {name: getattr(tableau, name).astype(float) for name in vars(tableau)}
        if self.change:
            name, place, amount = self.change
            parts[name].flat[place] += amount
        if tableau.kicks.size:
            return self._compose(force, t, u, v, h, parts)
        pulls = np.zeros((len(parts["velocity"]), u.size))
        for i, row in enumerate(parts["stages"]):
            c = parts["instants"][i]
            pulls[i] = force(t + c * h, u + c * h * v + h**2 * (row @ pulls))
        return u + h * v + h**2 * (parts["displacement"] @ pulls), v + h * (parts["velocity"] @ pulls)

    def _compose(self, force: Any, t: float, u: Floats, v: Floats, h: float, parts: Any) -> tuple[Floats, Floats]:
        place = 0.0
        for drift, kick in zip(parts["drifts"], [*parts["kicks"], 0.0], strict=True):
            u, place = u + drift * h * v, place + drift
            v = v + kick * h * force(t + place * h, u)
        return u, v


@dataclass(frozen=True, eq=False)
class OfHalves(OfSecondOrder):
    """The same for rates of any form: the first half of the states drifts, the second is kicked."""

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the output instants."""
        rate, half, times = functions(problem).rhs, problem.size // 2, problem.output_times
        tableau = NYSTROM[self.method]
        shares = {"drifts": tableau.drifts.astype(float), "kicks": tableau.kicks.astype(float)}
        if self.change:
            name, place, amount = self.change
            shares[name][place] += amount
        y, rows = problem.initial_state, [problem.initial_state]
        counts = find_counts(problem, settings.get("dt", 1e-2))
        for begin, end, count in zip(times[:-1], times[1:], counts, strict=True):
            h = (end - begin) / count
            for i in range(count):
                place = begin + i * h
                for drift, kick in zip(shares["drifts"], [*shares["kicks"], 0.0], strict=True):
                    y = y + drift * h * np.concatenate((rate(place, y)[:half], np.zeros(y.size - half)))
                    place += drift * h
                    y = y + kick * h * np.concatenate((np.zeros(half), rate(place, y)[half:]))
            rows.append(y)
        return {"time": times, "states": np.array(rows)}
