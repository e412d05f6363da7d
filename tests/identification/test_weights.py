"""Elementary weights: trees, groups, orders, and what scales leave of rounding."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

from veridyn.identification.trees import LEAF, count_nodes, find_density, list_trees
from veridyn.identification.weights import Step, Weight, find_order, group_trees, measure_weights
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.references.methods.tableaux import TABLEAUX

ROUNDING = 1e-12


def runge_kutta(name: str, c: list[float] | None = None, kind: type = np.float64) -> Step:
    t = TABLEAUX[name]
    a, b = t.stages.astype(kind), t.step.astype(kind)
    nodes = np.array(c) if c is not None else t.instants.astype(float)

    def step(problem: InitialValueProblem) -> NDArray[np.float64]:
        symbols = sympy.symbols(["t", *problem.states, *problem.parameters])
        rates = sympy.lambdify(symbols, problem.modes[0].rates)
        size = problem.end - problem.start
        slopes = np.zeros((b.size, len(problem.states)), dtype=kind)
        for i, (row, node) in enumerate(zip(a, nodes, strict=True)):
            slopes[i] = rates(problem.start + node * size, *(kind(size) * row @ slopes), *problem.parameter_numbers)
        return (kind(size) * b @ slopes).astype(float)

    return step


def orders(step: Step, highest: int) -> tuple[int, int]:
    tables = [measure_weights(step, orders=range(1, highest + 1), explicit_time=e) for e in (False, True)]
    plain, timed = (find_order(table, rounding=ROUNDING) for table in tables)
    return plain, timed


def test_trees_are_complete_and_distinct() -> None:
    counts = [len(list_trees(n)) for n in range(1, 9)]
    assert counts == [1, 1, 2, 4, 9, 20, 48, 115]
    assert all(len(set(list_trees(n))) == len(list_trees(n)) for n in range(1, 9))
    assert all(count_nodes(tree) == 6 for tree in list_trees(6))
    assert sorted(map(find_density, list_trees(4))) == [4, 8, 12, 24]


@pytest.mark.parametrize("timed", [False, True])
def test_groups_hold_all_trees_after_their_children(timed: bool) -> None:
    groups = group_trees(6, explicit_time=timed)
    everything = {tree for n in range(1, 7) for tree in list_trees(n)} - ({LEAF} if timed else set())
    assert set().union(*groups) == everything
    for group in groups:
        for place, tree in enumerate(group):
            assert set(tree) - ({LEAF} if timed else set()) <= set(group[:place])


@pytest.mark.parametrize(
    ("name", "order"), [("rk4", 4), ("fehlberg-5", 5), ("fehlberg-4", 4), ("heun", 2), ("ralston", 2)]
)
def test_order_of_sound_tableaux(name: str, order: int) -> None:
    assert orders(runge_kutta(name), 6) == (order, order)


def test_wrong_node_shows_only_where_time_is_explicit() -> None:
    assert orders(runge_kutta("fehlberg-5", [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 3]), 5) == (5, 1)


def test_scatter_is_the_precision_of_the_arithmetic() -> None:
    fine, coarse = (
        max(w.scatter for w in measure_weights(runge_kutta("rk4", kind=kind), orders=(4,), explicit_time=False))
        for kind in (np.float64, np.float32)
    )
    assert fine < 1e-14 < 1e-8 < coarse < 1e-5


def test_answer_that_is_no_number_has_no_order() -> None:
    assert find_order((Weight(tree=LEAF, explicit_time=False, value=np.nan),), rounding=1.0) == 0
