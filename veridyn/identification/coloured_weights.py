"""Elementary weights of methods that treat displacements and velocities in different ways, from single steps.

Each tree of two colours is a state, as in `veridyn.identification.weights`. Of a second-order problem each velocity has
the displacement ``u' = v`` beside it, to which the tree with one more node below belongs. With velocities in units of
the step, and rates times s, the state of a tree of n nodes is s^n times its weight.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from veridyn.identification.coloured import (
    DISPLACEMENT,
    SEPARABLE,
    TIME,
    VELOCITY,
    ColouredTree,
    Colouring,
    list_coloured,
)
from veridyn.identification.weights import FEW_SCALES, Step
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode

LARGEST_SYSTEM = 10  # velocities
START = ColouredTree(DISPLACEMENT)  # of a second-order problem: what moves with the velocity at the start


@dataclass(frozen=True, kw_only=True)
class ColouredWeight:
    """A weight as measured, and by how much its residuals at several scales differ."""

    tree: ColouredTree
    value: float
    scatter: float

    @property
    def residual(self) -> float:
        """Relative distance from the weight 1/density of the exact solution."""
        return self.value * self.tree.density - 1.0


def measure_coloured(
    step: Step, colouring: Colouring, order: int, *, size: Fraction, timed: bool = False
) -> tuple[ColouredWeight, ...]:
    """Measure the weights of all trees up to an order; ``timed``: those with the time in them as well."""
    samples: dict[ColouredTree, list[float]] = {}
    for group in group_coloured(colouring, order, timed=timed):
        for scale in FEW_SCALES:
            for tree, value in _take_step(step, colouring, group, scale, size):
                samples.setdefault(tree, []).append(value / float(scale) ** tree.nodes)
    return tuple(
        ColouredWeight(tree=tree, value=float(np.median(values)), scatter=(max(values) - min(values)) * tree.density)
        for tree, values in sorted(samples.items(), key=lambda item: item[0].nodes)
        if tree.nodes <= order
    )


def has_time(tree: ColouredTree) -> bool:
    """Tell whether the time is a leaf of a tree."""
    return tree.colour == TIME or any(map(has_time, tree.children))


@cache
def group_coloured(colouring: Colouring, order: int, *, timed: bool) -> tuple[tuple[ColouredTree, ...], ...]:
    """Return groups of states that hold all trees up to an order, each with the subtrees that it needs.

    The states of a group are of one kind in second-order problems: velocities, each of which has its displacement.
    """
    groups: list[dict[ColouredTree, None]] = []
    for nodes in range(order, 0, -1):
        for root in list_coloured(colouring, nodes):
            if has_time(root) and not timed:
                continue
            needed = [tree for tree in _list_states(root) if colouring == SEPARABLE or tree.colour == VELOCITY]
            if not needed or any(needed[-1] in group for group in groups):
                continue
            if not groups or len({*groups[-1], *needed}) > LARGEST_SYSTEM:
                groups.append({})
            groups[-1].update(dict.fromkeys(needed))
    return tuple(map(tuple, groups))


def _list_states(tree: ColouredTree) -> Iterator[ColouredTree]:
    for child in tree.children:
        yield from _list_states(child)
    if tree.colour != TIME:
        yield tree


def _take_step(
    step: Step, colouring: Colouring, group: Collection[ColouredTree], scale: Fraction, size: Fraction
) -> Iterator[tuple[ColouredTree, float]]:
    """Yield the trees of a group and their states at the end of a step, velocities in units of the step."""
    if colouring == SEPARABLE:
        positions, velocities = _split(group)
        ends = step(build_separable(group, scale, size))
        half = len(ends) // 2
        yield from zip(positions, ends, strict=False)  # idle states may follow
        yield from zip(velocities, ends[half:], strict=False)
        return
    ends = step(build_second_order(group, scale, size))
    half = len(ends) // 2
    yield START, float(ends[0])
    for tree, u, v in zip(group, ends[1:half], ends[half + 1 :], strict=True):
        yield ColouredTree(DISPLACEMENT, (tree,)), float(u)
        yield tree, float(v) * float(size / scale)


def build_second_order(group: Collection[ColouredTree], scale: Fraction, size: Fraction) -> InitialValueProblem:
    """Return the system of velocities with their displacements over one step: first all displacements."""
    names = {tree: f"v{place}" for place, tree in enumerate(group, 1)}
    rates = ["0", *("*".join(("s**2", *(_write(child, names) for child in tree.children))) for tree in group)]
    count = len(rates)
    velocities = [f"v{place}" for place in range(count)]
    return _build(
        [f"u{place}" for place in range(count)] + velocities, [*velocities, *rates], scale, size, moving=count
    )


def _write(child: ColouredTree, names: Mapping[ColouredTree, str]) -> str:
    """Return a child as a factor: a displacement, a velocity in units of the step, the time in steps."""
    if child.colour == TIME:
        return "(s*t)"
    if child == START:
        return "u0"
    if child.colour == VELOCITY:
        return f"({names[child]}/s)"
    return "u" + names[child.children[0]][1:]


def build_separable(group: Collection[ColouredTree], scale: Fraction, size: Fraction) -> InitialValueProblem:
    """Return the system of a group over one step: rates of displacements hold velocities alone, and the other way.

    Displacements come first. There are as many velocities: what is missing of either is at rest.
    """
    halves = _split(group)
    count = max(map(len, halves))
    names = {tree: f"{tree.colour}{place}" for half in halves for place, tree in enumerate(half)}
    rates = {names[tree]: "*".join(("s", *(names[child] for child in tree.children))) for tree in group}
    states = [f"{colour}{place}" for colour in (DISPLACEMENT, VELOCITY) for place in range(count)]
    return _build(states, [rates.get(state, "0") for state in states], scale, size)


def _split(group: Collection[ColouredTree]) -> tuple[list[ColouredTree], list[ColouredTree]]:
    """Return the displacements and the velocities of a group, in order."""
    order = sorted(group)
    return [tree for tree in order if tree.colour == DISPLACEMENT], [t for t in order if t.colour == VELOCITY]


def _build(
    states: list[str], rates: list[str], scale: Fraction, size: Fraction, moving: int | None = None
) -> InitialValueProblem:
    initial = ["s" if place == moving else "0" for place in range(len(states))]
    return InitialValueProblem(
        name="trees of two colours",
        states=tuple(states),
        parameters={"s": str(scale / size)},
        modes=(Mode(name="trees", rates=tuple(rates)),),
        initial=tuple(initial),
        start=0.0,
        end=float(size),
        output_times=np.array([0.0, float(size)]),
    )
