"""Elementary weights of a one-step method, read from single steps of small polynomial systems.

Each distinct subtree of a tree is a state, and its rate is the product of its children; all states start at 0. One
step of size 1 of a Runge-Kutta method then ends with the weight sum b Phi of the tree in the state of its root. For
leaves below the root the state of a leaf can be replaced by the time itself: the weight then holds the nodes c of the
method in place of its row sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from veridyn.identification.trees import LEAF, Tree, count_nodes, find_density, list_trees
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode

Step: TypeAlias = Callable[[InitialValueProblem], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Weight:
    """A weight as measured; the residual is ``value * density - 1`` and 0 where the condition of the tree holds."""

    tree: Tree
    explicit_time: bool
    value: float

    @property
    def residual(self) -> float:
        """Relative distance from the weight 1/density of the exact solution."""
        return self.value * find_density(self.tree) - 1.0


def build_system(tree: Tree, *, explicit_time: bool) -> InitialValueProblem:
    """Return the system of a tree over one step from 0 to 1; its last state is the root.

    With ``explicit_time`` leaves are the time itself, else states with the rate 1.
    """
    subtrees = list(dict.fromkeys(_list_subtrees(tree)))
    if explicit_time:
        subtrees = [s for s in subtrees if s != LEAF or s == tree]
    names = {subtree: f"y{place}" for place, subtree in enumerate(subtrees)}
    factors = {**names, LEAF: "t"} if explicit_time else names
    rates = tuple("*".join(factors[child] for child in subtree) or "1" for subtree in subtrees)
    return InitialValueProblem(
        name="tree",
        states=tuple(names.values()),
        modes=(Mode(name="tree", rates=rates),),
        initial=("0",) * len(names),
        end=1.0,
        output_times=np.array([0.0, 1.0]),
    )


def measure_weights(step: Step, *, order: int) -> tuple[Weight, ...]:
    """Measure the weight of every tree up to an order, with leaves as states, then as the time where there are any.

    ``step`` takes one step of size 1 and returns the states (n,) at its end.
    """
    return tuple(
        Weight(tree=tree, explicit_time=timed, value=float(step(build_system(tree, explicit_time=timed))[-1]))
        for nodes in range(1, order + 1)
        for tree in list_trees(nodes)
        for timed in ((False, True) if tree else (False,))
    )


def find_order(weights: tuple[Weight, ...], *, rounding: float, explicit_time: bool) -> int:
    """Return the order up to which all residuals are within ``rounding``: at most that of the largest tree.

    ``rounding`` bounds what the arithmetic of the solver leaves of a residual that is 0. Without ``explicit_time``
    only autonomous systems are looked at.
    """
    judged = [w for w in weights if explicit_time or not w.explicit_time]
    failed = [count_nodes(w.tree) for w in judged if not abs(w.residual) <= rounding]  # not a number fails as well
    return min(failed) - 1 if failed else max((count_nodes(w.tree) for w in judged), default=0)


def _list_subtrees(tree: Tree) -> Iterator[Tree]:
    for child in tree:
        yield from _list_subtrees(child)
    yield tree
