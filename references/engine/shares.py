"""Logarithmic derivatives that are known exactly: how derivatives that are zero are proved to be.

A parameter p that scales a problem (a mass, where only force over mass enters; a speed, where all is linear) leaves
some quantities as they are. Their derivative is zero, which no ball can prove: it only shrinks around zero. So a number
that depends on p keeps its *share*, the factor r of x' = r x, as an exact number, as long as rules of calculus give it
exactly: shares add in products, are equal in sums, are halved by roots. Who has the share zero has the derivative zero.

Where two parameters vary together, each grows by a share of itself all along the way, so that the shares of all that
is made of them stay what they are: who has the share zero is constant, and its second derivative is zero too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb

from veridyn.references.parameters import Exact


class Share(NamedTuple):
    """The number `rational` × π^`pi`; zero has the power zero."""

    rational: Fraction
    pi: int


NONE = Share(Fraction(0), 0)  # of what does not depend on the parameter


def make_share(number: Exact) -> Share | None:
    """Return the share of an exact number that has a derivative; None for zero, which has none."""
    if number.slope is None or not number.rational:
        return None
    return _reduce(number.slope.rational / number.rational, number.slope.pi - number.pi)


def _reduce(rational: Fraction, pi: int) -> Share:
    return Share(rational, pi) if rational else NONE


def add(a: Share | None, b: Share | None) -> Share | None:
    """Return the share of a product; None where it is not known."""
    if a is None or b is None or (a.rational and b.rational and a.pi != b.pi):
        return None
    return _reduce(a.rational + b.rational, a.pi if a.rational else b.pi)


def scale(a: Share | None, factor: Fraction | int) -> Share | None:
    """Return the share of a power."""
    return None if a is None else _reduce(a.rational * factor, a.pi)


def subtract(a: Share | None, b: Share | None) -> Share | None:
    """Return the share of a quotient."""
    return add(a, scale(b, -1))


# ---- linear motions

# Let y' = A y with ∂y_j/∂p = a_j y_j at the start and ∂A_ij/∂p = (a_i - a_j - τ) A_ij, for some numbers a_i and τ. With
# D = diag(a) that is ∂A/∂p = D A - A D - τ A. Then s = D y - τ t A y begins as ∂y/∂p does and has the same rate,
# s' = D A y - τ A y - τ t A A y = A s + (∂A/∂p) y, so that it is ∂y/∂p. At an instant t(p) with dt/dp = τ t the whole
# derivative of y is s + A y τ t = D y: each state has the share a_i. A row Σ f_i y_i whose terms all have one share has
# it too. Where it is zero at t(p), its derivative along dt/dp = τ t is zero, so that a simple root moves just so.
# Only states that are not zero for ever enter: those with a start, and those that they drive. States and all that drive
# them are a motion of their own: whose share is not known, as that of a work which is summed on the way, leaves that of
# others alone unless it drives them.


class Weight(NamedTuple):
    """The share ``base + times τ`` of a state, τ being that of the time."""

    base: Share
    times: int


Factors = Mapping[int, Any]  # of a row, by place
Edge = tuple[int, int, Share | None]
ShareOf = Callable[[Any], Share | None]


class Weights(NamedTuple):
    """The shares of states by place, what must hold for them, each at a place, and the places that have none."""

    states: dict[int, Weight]
    equations: list[tuple[int, Weight]]
    edges: Sequence[Edge]
    unknown: frozenset[int]

    def at(self, lapse: Share | None, count: int) -> list[Share | None]:
        """Return the shares of states after a while that has a share; None where they do not go together."""
        if lapse is None:
            return [None] * count
        apart = {i for i, equation in self.equations if _shift(equation, lapse) != NONE}
        lost = self.unknown | _spread(apart, _list_drives(self.edges))
        shares = [_shift(self.states[i], lapse) if i in self.states else NONE for i in range(count)]
        return [None if i in lost else share for i, share in enumerate(shares)]


def _list_drives(edges: Iterable[Edge]) -> list[tuple[int, int]]:
    """Return who drives whom."""
    return [(j, i) for i, j, _ in edges]


def _spread(places: Iterable[int], pairs: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return places with all to which pairs lead from them."""
    result = set(places)
    while new := {to for begin, to in pairs if begin in result} - result:
        result |= new
    return frozenset(result)


def _shift(weight: Weight, lapse: Share) -> Share | None:
    return add(weight.base, scale(lapse, weight.times))


def weigh(edges: Sequence[Edge], state: Sequence[Any], share_of: ShareOf) -> Weights:
    """Return the shares of the states of y' = A y, that of the time being open.

    Edges are the factors of A that are not zero, each with its row, its place and its share.
    """
    starts = {i: share_of(x) for i, x in enumerate(state) if not is_zero(x)}
    weights = {i: Weight(share, 0) for i, share in starts.items() if share is not None}
    unknown = set(starts) - set(weights)
    equations: list[tuple[int, Weight]] = []
    waiting = list(weights)
    while waiting:
        j = waiting.pop()
        for i, _, share in (edge for edge in edges if edge[1] == j):
            base = add(weights[j].base, share)
            reached = None if base is None else Weight(base, weights[j].times + 1)
            equation = _equate(reached, weights[i]) if reached is not None and i in weights else None
            if equation is not None:
                equations.append((i, equation))
            elif reached is None or i in weights:
                unknown.add(i)
            else:
                weights[i] = reached
                waiting.append(i)
    return Weights(weights, equations, edges, _spread(unknown, _list_drives(edges)))


def _equate(a: Weight, b: Weight) -> Weight | None:
    base = subtract(a.base, b.base)
    return None if base is None else Weight(base, a.times - b.times)


def share_of_root(weights: Weights, row: Factors, share_of: ShareOf) -> Share | None:
    """Return the share of the time at which a row is zero; None where it is not known."""
    read = {i: share_of(factor) for i, factor in row.items() if not is_zero(factor)}
    if weights.unknown & set(read):
        return None
    terms = [_weight_term(weights.states[i], share) for i, share in read.items() if i in weights.states]
    equal = [None if a is None or b is None else _equate(a, b) for a, b in pairwise(terms)]
    involved = _spread(read, [(i, j) for i, j, _ in weights.edges])
    equations = [
        *(equation for i, equation in weights.equations if i in involved),
        *(equation for equation in equal if equation is not None),
    ]
    return None if None in equal else _solve(equations)


def _weight_term(state: Weight, factor: Share | None) -> Weight | None:
    base = add(state.base, factor)
    return None if base is None else Weight(base, state.times)


def _solve(equations: Iterable[Weight]) -> Share | None:
    """Return the share of the time that solves all equations; None where there is none, or any."""
    result: Share | None = None
    for equation in equations:
        if equation.times == 0:
            if equation.base != NONE:
                return None
            continue
        solution = scale(equation.base, Fraction(-1, equation.times))
        if result is not None and solution != result:
            return None
        result = solution
    return result


def is_zero(x: Any) -> bool:
    """Tell whether a number is zero exactly, and does not depend on the parameter."""
    return isinstance(x, int | arb) and x == 0
