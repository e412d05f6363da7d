"""Rooted trees: each stands for one condition on the weights of a one-step method (Butcher's series)."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TypeAlias

Tree: TypeAlias = tuple["Tree", ...]  # the children of the root in sorted order; a leaf has none

LEAF: Tree = ()


def count_nodes(tree: Tree) -> int:
    """Return the number of nodes, which is the order of the condition."""
    return 1 + sum(map(count_nodes, tree))


def find_density(tree: Tree) -> int:
    """Return the density gamma: nodes of the tree times the densities of its children.

    A method of the order of the tree has the weight 1/gamma (Hairer, Norsett, Wanner: Solving Ordinary Differential
    Equations I, II.2).
    """
    return count_nodes(tree) * prod(map(find_density, tree))


@cache
def list_trees(nodes: int) -> tuple[Tree, ...]:
    """Return every rooted tree of so many nodes once: 1, 1, 2, 4, 9, 20, 48, 115 of them for 1 to 8 nodes."""
    return tuple(sorted(_list_forests(nodes - 1, nodes - 1)))


@cache
def _list_forests(nodes: int, largest: int) -> tuple[Tree, ...]:
    """Return every multiset of trees of so many nodes in all, none of them larger than ``largest``."""
    if nodes == 0:
        return (LEAF,)
    # Every forest is reached from its largest tree, whose size bounds the rest; the set of sorted tuples removes the
    # second ways to a forest that holds several trees of that size.
    forests = {
        tuple(sorted((tree, *rest)))
        for size in range(1, min(nodes, largest) + 1)
        for tree in list_trees(size)
        for rest in _list_forests(nodes - size, size)
    }
    return tuple(sorted(forests))
