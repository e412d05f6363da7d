"""Elementary weights: trees, orders and seeded faults of tableaux."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

from veridyn.identification.trees import count_nodes, find_density, list_trees
from veridyn.identification.weights import Step, find_order, measure_weights
from veridyn.problem.initial_value import InitialValueProblem

ROUNDING = 1e-13
CLASSICAL = ([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])
FEHLBERG_A = [
    [0, 0, 0, 0, 0, 0],
    [1 / 4, 0, 0, 0, 0, 0],
    [3 / 32, 9 / 32, 0, 0, 0, 0],
    [1932 / 2197, -7200 / 2197, 7296 / 2197, 0, 0, 0],
    [439 / 216, -8, 3680 / 513, -845 / 4104, 0, 0],
    [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40, 0],
]
FIFTH = [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]
FOURTH = [25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0]


def runge_kutta(a: list[list[float]], b: list[float], c: list[float] | None = None) -> Step:
    rows = np.array(a, dtype=float)
    nodes = rows.sum(axis=1) if c is None else np.array(c)

    def step(problem: InitialValueProblem) -> NDArray[np.float64]:
        symbols = sympy.symbols(["t", *problem.states])
        rates = sympy.lambdify(symbols, problem.modes[0].rates)
        slopes = np.zeros((len(b), len(problem.states)))
        for i, (row, node) in enumerate(zip(rows, nodes, strict=True)):
            slopes[i] = rates(node, *(row @ slopes))
        return np.array(b) @ slopes

    return step


def orders(step: Step, highest: int) -> tuple[int, int]:
    weights = measure_weights(step, order=highest)
    autonomous, timed = (find_order(weights, rounding=ROUNDING, explicit_time=e) for e in (False, True))
    return autonomous, timed


def test_trees_are_complete_and_distinct() -> None:
    counts = [len(list_trees(n)) for n in range(1, 9)]
    assert counts == [1, 1, 2, 4, 9, 20, 48, 115]
    assert all(len(set(list_trees(n))) == len(list_trees(n)) for n in range(1, 9))
    assert all(count_nodes(tree) == 6 for tree in list_trees(6))
    assert sorted(map(find_density, list_trees(4))) == [4, 8, 12, 24]


@pytest.mark.parametrize(("a", "b", "order"), [(*CLASSICAL, 4), (FEHLBERG_A, FIFTH, 5), (FEHLBERG_A, FOURTH, 4)])
def test_order_of_sound_tableaux(a: list[list[float]], b: list[float], order: int) -> None:
    assert orders(runge_kutta(a, b), 6) == (order, order)


def test_entry_off_by_a_millionth_shows() -> None:
    rows = [list(row) for row in FEHLBERG_A]
    rows[4][2] += 1e-6
    assert orders(runge_kutta(rows, FIFTH), 5)[0] == 1


def test_wrong_node_shows_only_where_time_is_explicit() -> None:
    nodes = [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 3]
    assert orders(runge_kutta(FEHLBERG_A, FIFTH, nodes), 5) == (5, 1)


def test_answer_that_is_no_number_has_no_order() -> None:
    assert orders(lambda problem: np.full(len(problem.states), np.nan), 2) == (0, 0)
