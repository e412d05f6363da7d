"""Which Nystrom tableau, or composition of drifts and kicks, explains weights, and which entry would have to change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from veridyn.identification.coloured import DISPLACEMENT, ColouredTree
from veridyn.identification.coloured_weights import ColouredWeight
from veridyn.identification.tableau_match import (
    Change,
    Entries,
    Numbers,
    WeightFit,
    bound_shift,
    explain,
    print_exact,
    print_number,
)
from veridyn.references.methods.nystrom import NystromTableau, compose


@dataclass(frozen=True, kw_only=True)
class NystromEntries(Entries):
    """A tableau in numbers: A (s, s), b (s,) of the velocity, c (s,), and what `NystromTableau` calls the others."""

    displacement: Numbers
    total: Numbers


def read_nystrom(tableau: NystromTableau, kind: type = float) -> NystromEntries:
    """Return a tableau in doubles, or in complex numbers."""
    arrays = (tableau.stages, tableau.velocity, tableau.instants, tableau.displacement, tableau.total)
    a, b, c, displacement, total = (array.astype(kind) for array in arrays)
    return NystromEntries(a=a, b=b, c=c, displacement=displacement, total=total)


def compute_nystrom(entries: NystromEntries, conditions: Collection[Any]) -> Numbers:
    """Return the weights (n,) of a tableau for coloured trees of second-order problems."""
    memory: dict[ColouredTree, Numbers] = {}

    def stages(tree: ColouredTree) -> Numbers:
        """Return the product of the children of a velocity at each stage."""
        if tree not in memory:
            result: Numbers = np.ones(entries.b.size, dtype=entries.a.dtype)
            for child in tree.children:
                moves = child.colour == DISPLACEMENT and child.children
                result = result * (entries.a @ stages(child.children[0]) if moves else entries.c)
            memory[tree] = result
        return memory[tree]

    def weigh(tree: ColouredTree) -> Any:
        if tree.colour != DISPLACEMENT:
            return entries.b @ stages(tree)
        return entries.displacement @ stages(tree.children[0]) if tree.children else entries.total[0]

    return np.array([weigh(tree) for tree in conditions])


def make_fit(weights: Collection[ColouredWeight]) -> WeightFit:
    """Return the weights as arrays."""
    densities = np.array([float(w.tree.density) for w in weights])
    return WeightFit(
        conditions=tuple(w.tree for w in weights),
        densities=densities,
        measured=densities * [w.value for w in weights],
        nodes=np.array([w.tree.nodes for w in weights]),
        compute=compute_nystrom,
    )


def find_nystrom(
    weights: Collection[ColouredWeight], tableaux: Mapping[str, NystromTableau], *, rounding: float
) -> str:
    """Return the name of the first tableau that all weights agree with within ``rounding``; empty if none does."""
    fit = make_fit(weights)
    return next((name for name, t in tableaux.items() if fit.measure_gap(read_nystrom(t)) <= rounding), "")


def find_wrong_entries(
    weights: Collection[ColouredWeight], tableaux: Mapping[str, NystromTableau], *, rounding: float
) -> tuple[str, ...]:
    """Return lines on the single entries that explain all weights if they are changed, and take order away."""
    fit = make_fit(weights)
    return tuple(line for name, tableau in tableaux.items() for line in _search(fit, name, tableau, rounding))


def _search(fit: WeightFit, name: str, tableau: NystromTableau, rounding: float) -> Iterator[str]:
    entries = read_nystrom(tableau)
    order = fit.find_order(entries, rounding)
    if order <= fit.find_measured_order(rounding):
        return
    broken = fit.select_broken(entries, rounding)
    for place, right, change in _list_changes(entries, tableau):
        shift = explain(fit, broken, change, rounding)
        if shift is None:
            continue
        uncertainty = bound_shift(fit, change, shift, rounding)
        if abs(shift) > uncertainty and fit.find_order(change(shift), rounding) < order:
            number = print_number(float(right) + shift, uncertainty)
            yield f"{name}: {place} is {number} where {print_exact(right)} belongs"


def _list_changes(entries: NystromEntries, tableau: NystromTableau) -> Iterator[tuple[str, Any, Change]]:
    """Yield every entry, or share of a composition, with the tableau as a function of what is added to it."""
    arrays = {"b": tableau.velocity, "bbar": tableau.displacement, "c": tableau.instants}
    names = {"bbar": "displacement"}
    for name, shares in (("drift", tableau.drifts), ("kick", tableau.kicks)):
        for i, right in enumerate(shares):
            yield f"{name} {i + 1}", right, partial(_change_share, tableau, name, i)
    if tableau.kicks.size:
        return  # a composition has no other numbers
    for array, source in arrays.items():
        for i in range(source.size):
            yield f"{array}[{i + 1}]", source[i], partial(_add, entries, names.get(array, array), (i,))
    for i in range(len(tableau.stages)):
        for j in range(i):
            yield f"a[{i + 1},{j + 1}]", tableau.stages[i, j], partial(_add, entries, "a", (i, j))


def _change_share(tableau: NystromTableau, name: str, place: int, amount: Any) -> NystromEntries:
    kind = np.result_type(float, type(amount)).type
    shares = {"drift": tableau.drifts.astype(kind), "kick": tableau.kicks.astype(kind)}
    shares[name][place] += amount
    return read_nystrom(compose(shares["drift"], shares["kick"]), kind)


def _add(entries: NystromEntries, name: str, place: tuple[int, ...], amount: Any) -> NystromEntries:
    changed = getattr(entries, name).astype(np.result_type(float, type(amount)))
    changed[place] += amount
    return replace(entries, **{name: changed})
