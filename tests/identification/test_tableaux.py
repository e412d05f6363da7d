"""Tableaux that solvers are compared with: order conditions in exact numbers, and single entries that are off."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from sympy import QQ, sqrt

from veridyn.identification.tableau_match import (
    Entries,
    compute_weights,
    find_misprints,
    find_tableau,
    print_number,
    read_entries,
)  # fmt: skip
from veridyn.identification.trees import Tree, find_density, list_trees
from veridyn.identification.weights import Weight
from veridyn.references.methods import tableaux
from veridyn.references.methods.tableaux import TABLEAUX

STATED = {
    **dict.fromkeys(("euler", "implicit-euler"), 1),
    **dict.fromkeys(("midpoint", "heun", "ralston", "implicit-midpoint", "trapezoidal"), 2),
    **dict.fromkeys(("lobatto-iiic-2", "sdirk-2", "tr-bdf2", "bogacki-shampine-2"), 2),
    **dict.fromkeys(("kutta-3", "heun-3", "ssp-3", "bogacki-shampine", "radau-iia-2", "norsett-3"), 3),
    **dict.fromkeys(("rk4", "three-eighths", "gill", "merson", "fehlberg-4", "cash-karp-4", "dormand-prince-4"), 4),
    **dict.fromkeys(("gauss-2", "lobatto-iiia-3", "lobatto-iiib-3", "lobatto-iiic-3"), 4),
    **dict.fromkeys(("cash-karp", "dormand-prince", "radau-iia-3", "fehlberg-5", "verner-5"), 5),
    **dict.fromkeys(("gauss-3", "verner-6"), 6),
}
ROUNDING = 1e-12


class ExactTableau:
    """The printed entries of a tableau as elements of the field of the rationals with one square root."""

    def __init__(self, line: str) -> None:
        entries = line.partition(":")[2]
        radicand = re.search(r"sqrt\((\d+)\)", entries)
        self.field = QQ.algebraic_field(sqrt(int(radicand[1]))) if radicand else QQ
        step, *rows = (row.split() for row in entries.split("|"))
        self.b = [self.read(entry) for entry in step]
        self.a = [[self.read(entry) for entry in row] + [self.field.zero] * (len(step) - len(row)) for row in rows]

    def read(self, entry: str) -> Any:
        terms = re.findall(r"[+-]?[^+-]+", entry)
        return sum(map(self.read_term, terms), self.field.zero)

    def read_term(self, term: str) -> Any:
        match = re.fullmatch(r"([+-]?)(?:([^*]+)\*)?sqrt\((\d+)\)(?:/(\d+))?", term)
        if match is None:
            return self.field.convert(QQ.from_sympy(sqrt(Fraction(term) ** 2)) * (-1 if term.startswith("-") else 1))
        sign, factor, radicand, divisor = match.groups()
        size = self.field.from_sympy(sqrt(int(radicand))) * self.field.convert(
            QQ(*Fraction(factor or "1").as_integer_ratio())
        )
        return size / self.field.convert(QQ(int(divisor or "1"))) * (-1 if sign == "-" else 1)

    @cache  # noqa: B019 - it lives as long as the test
    def stages(self, tree: Tree) -> list[Any]:
        result = [self.field.one] * len(self.b)
        for child in tree:
            inner = self.stages(child)
            result = [
                r * sum((x * y for x, y in zip(row, inner, strict=True)), self.field.zero)
                for r, row in zip(result, self.a, strict=True)
            ]
        return result

    def weight(self, tree: Tree) -> Any:
        return sum((x * y for x, y in zip(self.b, self.stages(tree), strict=True)), self.field.zero)


LINES = {line.partition(":")[0]: line for line in tableaux._PRINTED.splitlines() if line and not line.startswith("#")}


@pytest.mark.parametrize("name", TABLEAUX)
def test_order_conditions_hold_exactly(name: str) -> None:
    exact, order = ExactTableau(LINES[name]), STATED[name]
    for nodes in range(1, order + 1):
        for tree in list_trees(nodes):
            assert exact.weight(tree) * find_density(tree) == exact.field.one, tree
    assert any(exact.weight(tree) * find_density(tree) != exact.field.one for tree in list_trees(order + 1))


def weigh(entries: Entries, largest: int = 6) -> list[Weight]:
    """Return weights as a step in doubles would give them."""
    trees = [tree for nodes in range(1, largest + 1) for tree in list_trees(nodes)]
    conditions = [(tree, timed) for timed in (False, True) for tree in trees if tree or not timed]
    values = compute_weights(entries, conditions)
    return [
        Weight(tree=tree, explicit_time=timed, value=float(v))
        for (tree, timed), v in zip(conditions, values, strict=True)
    ]


@pytest.mark.parametrize("name", TABLEAUX)
def test_every_tableau_is_named(name: str) -> None:
    assert find_tableau(weigh(read_entries(TABLEAUX[name]), 7), TABLEAUX, rounding=ROUNDING) == name


def change_entry(name: str, array: str, place: Any, amount: float, *, nodes_follow: bool) -> list[Weight]:
    entries = read_entries(TABLEAUX[name])
    getattr(entries, array)[place] += amount
    return weigh(replace(entries, c=entries.a.sum(axis=1)) if nodes_follow else entries)


FAULTS = [
    ("fehlberg-5", "c", 5, -1 / 6, False, "c[6] is 1/3 where 1/2 belongs: stage 6 is taken at t + 1/3 h, its row sum"),
    ("fehlberg-5", "a", (4, 2), 1e-6, False, "a[5,3] is 7.173490279"),
    ("fehlberg-5", "a", (4, 2), 1e-6, True, "a[5,3] is 7.173490279"),
    ("dormand-prince", "b", 4, 1e-6, False, "b[5] is -0.32237518"),
    ("rk4", "a", (3, 2), -0.5, True, "a[4,3] is 1/2 where 1 belongs"),
    ("rk4", "b", 0, 1 / 6, False, "b[1] is 1/3 where 1/6 belongs"),
    ("cash-karp", "a", (5, 0), 1e-4, False, "a[6,1] is 0.029595804"),
    ("radau-iia-3", "a", (0, 2), 1e-5, False, "a[1,3] is 0.02378097"),
    ("heun", "a", (1, 0), -0.1, False, "a[2,1] is 9/10 where 1 belongs"),
]


@pytest.mark.parametrize(("name", "array", "place", "amount", "nodes_follow", "words"), FAULTS)
def test_one_entry_that_is_off_is_named(
    name: str, array: str, place: Any, amount: float, nodes_follow: bool, words: str
) -> None:
    weights = change_entry(name, array, place, amount, nodes_follow=nodes_follow)
    lines = [each.line for each in find_misprints(weights, TABLEAUX, rounding=ROUNDING)]
    assert any(line.startswith(f"Runge-Kutta, {name}: {words}") for line in lines), lines


def test_other_methods_of_the_order_are_no_misprints() -> None:
    entries = Entries(a=np.array([[0, 0], [3 / 4, 0]]), b=np.array([1 / 3, 2 / 3]), c=np.array([0, 3 / 4]))
    assert find_misprints(weigh(entries), TABLEAUX, rounding=ROUNDING) == ()


def test_numbers_are_printed_to_the_digits_that_they_have() -> None:
    assert print_number(1 / 3, 1e-12) == "1/3"
    assert print_number(0.33331234, 1e-6) == "0.3333123"
    assert print_number(7.17349027876, 1e-9) == "7.1734902788"
