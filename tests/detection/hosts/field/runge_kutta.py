"""Explicit Runge-Kutta methods with a fixed step, for initial value problems without events."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from veridyn.problem.generated import functions

Floats = np.ndarray[Any, np.dtype[np.float64]]
Rate = Callable[[float, Floats], Floats]

STEPS = 2000  # over the span, by default


@dataclass(frozen=True, eq=False)
class Tableau:
    """Nodes (s,), stages (s, s) and weights (s,) of a method."""

    nodes: Floats
    stages: Floats
    weights: Floats


def tableau(nodes: str, stages: str, weights: str) -> Tableau:
    """Return the tableau written as fractions; stages are rows of the lower triangle, one a line."""
    rows = [_numbers(line) for line in stages.strip().splitlines()]
    square = np.zeros((len(rows) + 1, len(rows) + 1))
    for i, row in enumerate(rows, start=1):
        square[i, : row.size] = row
    return Tableau(_numbers(nodes), square, _numbers(weights))


def _numbers(text: str) -> Floats:
    return np.array([float(Fraction(word)) for word in text.split()])


def advance(method: Tableau, rate: Rate, t: float, y: Floats, step: float) -> Floats:
    """Return the state (n,) one step later."""
    slopes = np.empty((method.nodes.size, y.size))
    for i, node in enumerate(method.nodes):
        slopes[i] = rate(t + node * step, y + step * (method.stages[i, :i] @ slopes[:i]))
    return y + step * (method.weights @ slopes)


@dataclass(frozen=True)
class RungeKutta:
    """A method that states its order. An output inside a step is a shorter step of its own from the same start."""

    name: str
    method: Tableau
    order: int
    levels: tuple[int, ...] = (250, 500, 1000, 2000)  # numbers of steps
    version = "1.0"
    capabilities = frozenset({"initial-value"})
    settings = {"step": f"step (s); default 1/{STEPS} of the span"}  # noqa: RUF012 - never written

    @property
    def claims(self) -> Mapping[str, Any]:
        """The order."""
        return {"order": self.order}

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return the step by default."""
        return {"step": (problem.end - problem.start) / STEPS}

    def refinement(self, problem: Any) -> list[Mapping[str, Any]]:
        """Return steps from coarse to fine."""
        return [{"step": (problem.end - problem.start) / count} for count in self.levels]

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the outputs, or at the steps if none are stated."""
        rate = functions(problem).rhs
        count = math.ceil((problem.end - problem.start) / {**self.defaults(problem), **settings}["step"] - 1e-6)
        times = np.linspace(problem.start, problem.end, count + 1)
        outputs = times if problem.output_times is None else problem.output_times
        places = np.searchsorted(times, outputs, side="right") - 1
        y, states, after = problem.initial_state, [], 0
        for i, t in enumerate(times):
            while after < outputs.size and places[after] == i:
                states.append(advance(self.method, rate, t, y, outputs[after] - t) if outputs[after] > t else y)
                after += 1
            if i < count:
                y = advance(self.method, rate, t, y, times[i + 1] - t)
        return {"time": outputs, "states": np.array(states), "counters": {"steps": count}}


# E. Fehlberg, NASA TR R-315 (1969), formula 2: the weights of order 5, and those of order 4
_FEHLBERG = """
    1/4
    3/32 9/32
    1932/2197 -7200/2197 7296/2197
    439/216 -8 3680/513 -845/4104
    -8/27 2 -3544/2565 1859/4104 -11/40
"""
FEHLBERG = tableau("0 1/4 3/8 12/13 1 1/2", _FEHLBERG, "16/135 0 6656/12825 28561/56430 -9/50 2/55")
FEHLBERG_ORDER_4 = tableau("0 1/4 3/8 12/13 1 1/2", _FEHLBERG, "25/216 0 1408/2565 2197/4104 -1/5 0")

# P. J. Prince and J. R. Dormand, Journal of Computational and Applied Mathematics 7 (1981) 67-75: RK8(7)13M
_NODES = "0 1/18 1/12 1/8 5/16 3/8 59/400 93/200 5490023248/9719169821 13/20 1201146811/1299019798 1 1"
_PRINCE = """
    1/18
    1/48 1/16
    1/32 0 3/32
    5/16 0 -75/64 75/64
    3/80 0 0 3/16 3/20
    29443841/614563906 0 0 77736538/692538347 -28693883/1125000000 23124283/1800000000
    16016141/946692911 0 0 61564180/158732637 22789713/633445777 545815736/2771057229 -180193667/1043307555
    39632708/573591083 0 0 -433636366/683701615 -421739975/2616292301 100302831/723423059 790204164/839813087 \
800635310/3783071287
    246121993/1340847787 0 0 -37695042795/15268766246 -309121744/1061227803 -12992083/490766935 \
6005943493/2108947869 393006217/1396673457 123872331/1001029789
    -1028468189/846180014 0 0 8478235783/508512852 1311729495/1432422823 -10304129995/1701304382 \
-48777925059/3047939560 15336726248/1032824649 -45442868181/3398467696 3065993473/597172653
    185892177/718116043 0 0 -3185094517/667107341 -477755414/1098053517 -703635378/230739211 \
5731566787/1027545527 5232866602/850066563 -4093664535/808688257 3962137247/1805957418 65686358/487910083
    403863854/491063109 0 0 -5068492393/434740067 -411421997/543043805 652783627/914296604 \
11173962825/925320556 -13158990841/6184727034 3936647629/1978049680 -160528059/685178525 248638103/1413531060 0
"""
PRINCE = tableau(
    _NODES,
    _PRINCE,
    "14005451/335480064 0 0 0 0 -59238493/1068277825 181606767/758867731 561292985/797845732 "
    "-1041891430/1371343529 760417239/1151165299 118820643/751138087 -528747749/2220607170 1/4",
)
PRINCE_ORDER_7 = tableau(
    _NODES,
    _PRINCE,
    "13451932/455176623 0 0 0 0 -808719846/976000145 1757004468/5645159321 656045339/265891186 "
    "-3867574721/1518517206 465885868/322736535 53011238/667516719 2/45 0",
)
