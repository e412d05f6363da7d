"""Elementary weights of a one-step method, read from single steps of small polynomial systems.

Each tree is a state, and its rate is the product of its children; all states start at 0. One step of size 1 of a
Runge-Kutta method then ends with the weight sum b Phi of the tree in the state of its root. For leaves below the root
the state of a leaf can be replaced by the time itself: the weight then holds the nodes c of the method in place of its
row sums.

With rates times s the state of a tree of n nodes is s^n times its weight. So a step of any size will do (s is divided
by it), and several s give the same weights but for what the arithmetic of the solver, the tolerance of its equations
and the digits that it prints leave: their scatter is the uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from veridyn.identification.trees import LEAF, Tree, count_nodes, find_density, list_trees
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode

Step: TypeAlias = Callable[[InitialValueProblem], NDArray[np.float64]]

LARGEST_SYSTEM = 10  # states: what a solver derives and compiles grows with their square
SCALES = tuple(map(Fraction, ("1", "1.3", "1.7", "2.3", "2.9")))  # above 1, so that states of large trees are not small
FEW_SCALES = SCALES[1::3]


@dataclass(frozen=True, kw_only=True)
class Weight:
    """A weight as measured; the residual is ``value * density - 1`` and 0 where the condition of the tree holds.

    ``scatter`` is by how much the residuals of several scales differ.
    """

    tree: Tree
    explicit_time: bool
    value: float
    scatter: float = 0.0

    @property
    def residual(self) -> float:
        """Relative distance from the weight 1/density of the exact solution."""
        return self.value * find_density(self.tree) - 1.0


def build_system(
    trees: Collection[Tree], *, explicit_time: bool, scale: Fraction, start: Fraction, size: Fraction
) -> InitialValueProblem:
    """Return the system of trees, a state each, over one step.

    With ``explicit_time`` leaves are the time since ``start``, else states with the rate ``scale / size``.
    """
    names = {tree: f"y{place}" for place, tree in enumerate(trees)}
    factors = {**names, LEAF: "(s*(t - t_0))"} if explicit_time else names
    rates = tuple("*".join(("s", *(factors[child] for child in tree))) for tree in trees)
    return InitialValueProblem(
        name="trees",
        states=tuple(names.values()),
        parameters={"s": str(scale / size), "t_0": str(start)},
        modes=(Mode(name="trees", rates=rates),),
        initial=("0",) * len(names),
        start=float(start),
        end=float(start + size),
        output_times=np.array([float(start), float(start + size)]),
    )


def measure_weights(
    step: Step,
    *,
    orders: Collection[int],
    explicit_time: bool,
    scales: Collection[Fraction] = SCALES,
    start: Fraction = Fraction(0),
    size: Fraction = Fraction(1),
    backwards: bool = False,
) -> tuple[Weight, ...]:
    """Measure the weight of every tree of some numbers of nodes.

    ``step`` takes one step of ``size`` seconds, the span of its problem, and returns the states (n,) at its end. With
    ``explicit_time`` leaves are the time; of the single node, which has none below its root, nothing is measured then.
    ``backwards``: the last state of every system comes first, which is the same problem.
    """
    samples: dict[Tree, list[float]] = {}
    for listed in group_trees(max(orders), explicit_time=explicit_time):
        group = listed[::-1] if backwards else listed
        for scale in scales:
            system = build_system(group, explicit_time=explicit_time, scale=scale, start=start, size=size)
            for tree, value in zip(group, step(system), strict=True):
                samples.setdefault(tree, []).append(float(value) / float(scale) ** count_nodes(tree))
    trees = [tree for order in sorted(orders) for tree in list_trees(order) if tree in samples]
    return tuple(_join_samples(tree, samples[tree], explicit_time=explicit_time) for tree in trees)


def _join_samples(tree: Tree, values: list[float], *, explicit_time: bool) -> Weight:
    scatter = (max(values) - min(values)) * find_density(tree)
    return Weight(tree=tree, explicit_time=explicit_time, value=float(np.median(values)), scatter=scatter)


@cache
def group_trees(order: int, *, explicit_time: bool) -> tuple[tuple[Tree, ...], ...]:
    """Return groups that hold all trees up to an order, and with every tree its subtrees before it.

    A group has at most `LARGEST_SYSTEM` trees, as long as one tree has no more subtrees than that.
    """
    groups: list[dict[Tree, None]] = []
    for root in (tree for nodes in range(order, 0, -1) for tree in list_trees(nodes)):
        subtrees = [s for s in _list_subtrees(root) if not (explicit_time and s == LEAF)]
        if not subtrees or any(root in group for group in groups):
            continue
        if not groups or len({*groups[-1], *subtrees}) > LARGEST_SYSTEM:
            groups.append({})
        groups[-1].update(dict.fromkeys(subtrees))
    return tuple(map(tuple, groups))


def find_order(weights: Collection[Weight], *, rounding: float) -> int:
    """Return the order up to which all residuals are within ``rounding``: at most that of the largest tree.

    ``rounding`` bounds what the arithmetic of the solver leaves of a residual that is 0.
    """
    failed = [count_nodes(w.tree) for w in weights if not abs(w.residual) <= rounding]  # not a number fails as well
    return min(failed) - 1 if failed else max((count_nodes(w.tree) for w in weights), default=0)


def _list_subtrees(tree: Tree) -> Iterator[Tree]:
    for child in tree:
        yield from _list_subtrees(child)
    yield tree
