"""Trees with nodes of two colours: conditions on methods that treat displacements and velocities in different ways.

A node is a displacement or a velocity. Its rate is the product of its children, and of what is there by itself:

* of second-order problems ``u'' = f(t, u)``, ``u'' = f(t, u, u')`` the rate of a displacement is one velocity, so that
  it has one child, or is a leaf: the velocity that is there at the start;
* of separable problems ``u' = g(v), v' = f(u)`` children of displacements are velocities, and the other way round.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sections II.14 and II.15.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod

DISPLACEMENT, VELOCITY, TIME = "u", "v", "t"


@dataclass(frozen=True, order=True)
class ColouredTree:
    """A node and its children in sorted order; the colour of the time has none."""

    colour: str
    children: tuple[ColouredTree, ...] = ()

    @property
    def nodes(self) -> int:
        """How many nodes it has, which is the order of the condition."""
        return 1 + sum(child.nodes for child in self.children)

    @property
    def density(self) -> int:
        """Nodes times the densities of the children: a method of the order of the tree has the weight 1/density."""
        return self.nodes * prod(child.density for child in self.children)


@dataclass(frozen=True)
class Colouring:
    """Which children a node may have, by its colour; ``chained``: a displacement has one child or none."""

    name: str
    children: tuple[tuple[str, str], ...]
    chained: bool

    def allows(self, tree: ColouredTree) -> bool:
        """Tell whether the root may have its children."""
        allowed = dict(self.children)[tree.colour]
        is_single = not (self.chained and tree.colour == DISPLACEMENT) or len(tree.children) <= 1
        return is_single and all(child.colour in allowed for child in tree.children)


SECOND_ORDER = Colouring("u'' = f(t, u)", ((DISPLACEMENT, VELOCITY), (VELOCITY, DISPLACEMENT + TIME)), chained=True)
WITH_VELOCITY = Colouring(
    "u'' = f(t, u, u')", ((DISPLACEMENT, VELOCITY), (VELOCITY, DISPLACEMENT + VELOCITY + TIME)), chained=True
)
SEPARABLE = Colouring("u' = g(v), v' = f(u)", ((DISPLACEMENT, VELOCITY), (VELOCITY, DISPLACEMENT)), chained=False)


@cache
def list_coloured(colouring: Colouring, nodes: int) -> tuple[ColouredTree, ...]:
    """Return every tree of so many nodes once, those with displacements as root first."""
    trees = (
        ColouredTree(colour, forest)
        for colour in (DISPLACEMENT, VELOCITY)
        for forest in _list_forests(colouring, nodes - 1, nodes - 1)
    )
    return tuple(sorted(tree for tree in trees if colouring.allows(tree)))


@cache
def _list_forests(colouring: Colouring, nodes: int, largest: int) -> tuple[tuple[ColouredTree, ...], ...]:
    """Return every multiset of trees of so many nodes in all, none larger than ``largest``."""
    if nodes == 0:
        return ((),)
    forests = {
        tuple(sorted((tree, *rest)))
        for size in range(1, min(nodes, largest) + 1)
        for tree in (*list_coloured(colouring, size), *([ColouredTree(TIME)] if size == 1 else []))
        for rest in _list_forests(colouring, nodes - size, size)
    }
    return tuple(sorted(forests))
