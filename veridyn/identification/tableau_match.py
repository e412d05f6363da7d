"""Which tableau explains measured weights, and which single entry of one would have to be another number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self, TypeAlias

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

from veridyn.identification.trees import LEAF, Tree, count_nodes, find_density
from veridyn.identification.weights import Weight
from veridyn.references.methods.tableaux import DIGITS, Tableau

Numbers: TypeAlias = NDArray[Any]  # doubles, or complex numbers where a derivative is taken

ITERATIONS = 10  # Gauss and Newton converge quadratically where a number explains all
FEWEST_STAGES = 2  # one stage is a family of its own parameter: any number in it is a method of somebody
ANYWHERE = 0.37  # added to an entry: a slope that is zero there is zero everywhere, but for roots of polynomials
SAMPLE = 8  # weights that are looked at first
LARGEST_SHIFT = 100.0  # of an entry
MARGIN = 10.0  # over rounding, for a number that was fitted to a few weights only
NUDGE = 1e-30  # of an imaginary part: weights are polynomials, so that its image is the derivative to rounding
LARGEST_DENOMINATOR = 10_000_000  # of a printed fraction


@dataclass(frozen=True, kw_only=True)
class Entries:
    """A tableau in numbers: A (s, s), b (s,), c (s,)."""

    a: Numbers
    b: Numbers
    c: Numbers

    def map(self, function: Callable[[Numbers], Numbers]) -> Self:
        """Return the tableau with a function of each of its arrays."""
        return replace(self, **{each.name: function(getattr(self, each.name)) for each in fields(self)})


@dataclass(frozen=True, kw_only=True)
class Misprint:
    """One entry of a tableau that explains all measured weights if it is changed.

    ``row`` and ``column`` begin at 1; the column is 0 for b and c. ``value`` is what the solver uses, within
    ``uncertainty``; ``right`` is what the tableau of so many ``stages`` says, ``shift`` the difference.
    """

    tableau: str
    array: str
    row: int
    column: int
    value: float
    uncertainty: float
    shift: float
    right: str
    stages: int

    @property
    def line(self) -> str:
        """What is off, in one line."""
        place = f"{self.row}{f',{self.column}' if self.column else ''}"
        number = print_number(self.value, self.uncertainty)
        line = f"Runge-Kutta, {self.tableau}: {self.array}[{place}] is {number} where {self.right} belongs"
        if self.array == "c":
            return f"{line}: stage {self.row} is taken at t + {number} h, its row sum says {self.right} h"
        return line


def read_entries(tableau: Tableau) -> Entries:
    """Return a tableau in doubles."""
    return Entries(a=tableau.stages.astype(float), b=tableau.step.astype(float), c=tableau.instants.astype(float))


def compute_weights(entries: Entries, conditions: Collection[Any]) -> Numbers:
    """Return the weights (n,) of a tableau for pairs of a tree and whether its leaves are the time, not states."""
    memory: dict[tuple[Tree, bool], Numbers] = {}

    def stages(tree: Tree, timed: bool) -> Numbers:
        """Return the product of the children at each stage."""
        if (tree, timed) not in memory:
            result: Numbers = np.ones(entries.b.size, dtype=entries.a.dtype)
            for child in tree:
                result = result * (entries.c if timed and child == LEAF else entries.a @ stages(child, timed))
            memory[tree, timed] = result
        return memory[tree, timed]

    return np.array([entries.b @ stages(tree, timed) for tree, timed in conditions])


def find_tableau(weights: Collection[Weight], tableaux: Mapping[str, Tableau], *, rounding: float) -> str:
    """Return the name of the first tableau that all weights agree with within ``rounding``; empty if none does."""
    fit = WeightFit.from_weights(weights)
    return next((name for name, t in tableaux.items() if fit.measure_gap(read_entries(t)) <= rounding), "")


def measure_gap(weights: Collection[Weight], tableau: Tableau) -> float:
    """Return the largest difference of measured weights to those of a tableau, over the size of their terms."""
    return WeightFit.from_weights(weights).measure_gap(read_entries(tableau))


def find_misprints(
    weights: Collection[Weight], tableaux: Mapping[str, Tableau], *, rounding: float
) -> tuple[Misprint, ...]:
    """Return the single entries of tableaux that explain all weights within ``rounding``, if they are changed.

    Only a change that takes order away is one: another method of the same order is no misprint.
    """
    fit = WeightFit.from_weights(weights)
    return tuple(
        misprint
        for name, tableau in tableaux.items()
        if tableau.step.size >= FEWEST_STAGES
        for misprint in _search(fit, name, tableau, rounding)
    )


@dataclass(frozen=True, kw_only=True)
class WeightFit:
    """Measured weights (n,) times densities (n,), by tree; ``compute`` returns those of a tableau for the trees."""

    conditions: tuple[Any, ...]
    densities: Numbers
    measured: Numbers
    nodes: NDArray[np.int64]
    compute: Callable[[Any, Collection[Any]], Numbers] = compute_weights

    @classmethod
    def from_weights(cls, weights: Collection[Weight]) -> WeightFit:
        """Return the weights as arrays."""
        densities = np.array([float(find_density(w.tree)) for w in weights])
        return cls(
            conditions=tuple((w.tree, w.explicit_time) for w in weights),
            densities=densities,
            measured=densities * [w.value for w in weights],
            nodes=np.array([count_nodes(w.tree) for w in weights]),
        )

    def compute_residuals(self, entries: Entries) -> Numbers:
        """Return by how much the weights of a tableau differ from the measured ones, times densities (n,)."""
        residuals: Numbers = self.compute(entries, self.conditions) * self.densities - self.measured
        return residuals

    def measure_gap(self, entries: Entries) -> float:
        """Return the largest residual relative to the size of the terms that a weight is a sum of."""
        return float(np.max(np.abs(self.compute_residuals(entries)) / self.measure_size(entries)))

    def measure_size(self, entries: Entries) -> Numbers:
        """Return the sums (n,) of the moduli of the terms of each weight, times densities; 1 at least."""
        sizes: Numbers = np.maximum(1.0, self.compute(entries.map(np.abs), self.conditions) * self.densities)
        return sizes

    def select_broken(self, entries: Entries, rounding: float) -> WeightFit:
        """Return the first few of the weights that a tableau does not explain."""
        off = np.abs(self.compute_residuals(entries)) > rounding * self.measure_size(entries)
        places = np.flatnonzero(off)[:SAMPLE]
        return replace(
            self,
            conditions=tuple(self.conditions[place] for place in places),
            densities=self.densities[places],
            measured=self.measured[places],
            nodes=self.nodes[places],
        )

    def find_measured_order(self, rounding: float) -> int:
        """Return the order that the measured weights have."""
        failed = self.nodes[np.abs(self.measured - 1.0) > rounding]
        return int(failed.min()) - 1 if failed.size else int(self.nodes.max())

    def find_order(self, entries: Entries, rounding: float) -> int:
        """Return the order of a tableau, as far as trees were measured."""
        off = np.abs(self.compute(entries, self.conditions) * self.densities - 1.0)
        failed = self.nodes[off > rounding * self.measure_size(entries)]
        return int(failed.min()) - 1 if failed.size else int(self.nodes.max())


Change: TypeAlias = Callable[[Any], Entries]


def _search(fit: WeightFit, name: str, tableau: Tableau, rounding: float) -> Iterator[Misprint]:
    entries = read_entries(tableau)
    order, broken = fit.find_order(entries, rounding), fit.select_broken(entries, rounding)
    if order <= fit.find_measured_order(rounding):
        return
    seen: set[tuple[str, int, int]] = set()
    for array, row, column, change in _list_changes(entries):
        shift = None if (array, row, column) in seen else explain(fit, broken, change, rounding)
        if shift is None:
            continue
        changed, uncertainty = change(shift), bound_shift(fit, change, shift, rounding)
        if abs(shift) <= uncertainty or fit.find_order(changed, rounding) >= order:
            continue
        seen.add((array, row, column))
        source = {"a": tableau.stages, "b": tableau.step, "c": tableau.instants}[array]
        right = source[row, column] if array == "a" else source[row]
        yield Misprint(
            tableau=name,
            array=array,
            row=row + 1,
            column=column + 1 if array == "a" else 0,
            value=float(right) + shift,
            uncertainty=uncertainty,
            shift=shift,
            right=print_exact(right),
            stages=tableau.step.size,
        )


def _list_changes(entries: Entries) -> Iterator[tuple[str, int, int, Change]]:
    """Yield every entry with the tableau as a function of what is added to it.

    A changed entry of A is tried with the nodes as they are, and with nodes that are row sums. Of an explicit tableau
    entries above the diagonal stay zero.
    """
    stages = entries.b.size
    is_explicit = not np.any(np.triu(entries.a))
    for row in range(stages):
        yield "b", row, 0, partial(_shift, entries, "b", (row,))
        yield "c", row, 0, partial(_shift, entries, "c", (row,))
        for column in range(row if is_explicit else stages):
            for follows in (False, True):
                yield "a", row, column, partial(_shift, entries, "a", (row, column), nodes_follow=follows)


def _shift(entries: Entries, array: str, place: tuple[int, ...], amount: Any, *, nodes_follow: bool = False) -> Entries:
    arrays = {"a": entries.a, "b": entries.b, "c": entries.c}
    arrays[array] = _add(arrays[array], place, amount)
    if nodes_follow:
        arrays["c"] = _add(arrays["c"], place[0], amount)
    return Entries(**arrays)


def _add(array: Numbers, place: Any, amount: Any) -> Numbers:
    changed = array.astype(np.result_type(array, type(amount)))
    changed[place] += amount
    return changed


def _may_explain(change: Change, broken: WeightFit) -> bool:
    """Tell whether an entry has a part in every weight that is off: else no value of it mends them all."""
    slope, _ = _differentiate(broken, change, ANYWHERE)
    return bool(np.all(slope != 0.0))


def _solve(fit: WeightFit, change: Change, start: float) -> float | None:
    """Return what must be added to an entry so that weights agree best, by Gauss and Newton; None without an end."""
    shift = start
    for _ in range(ITERATIONS):
        slope, residual = _differentiate(fit, change, shift)
        steepness = float(slope @ slope)
        if not 0.0 < steepness < np.inf or abs(shift) > LARGEST_SHIFT:
            return None
        correction = float(slope @ residual) / steepness
        shift -= correction
        if abs(correction) <= 1e-14 * max(1.0, abs(shift)):
            break
    return shift


def explain(fit: WeightFit, broken: WeightFit, change: Change, rounding: float) -> float | None:
    """Return what must be added to an entry so that all weights agree; None if nothing does.

    The few weights of ``broken`` are looked at first: they rule out nearly all entries.
    """
    if not _may_explain(change, broken):
        return None
    shift = _solve(broken, change, 0.0)
    if shift is None or broken.measure_gap(change(shift)) > MARGIN * rounding:
        return None
    shift = _solve(fit, change, shift)
    return shift if shift is not None and fit.measure_gap(change(shift)) <= rounding else None


def _differentiate(fit: WeightFit, change: Change, shift: float) -> tuple[Numbers, Numbers]:
    """Return derivative (n,) and value (n,) of the residuals with respect to an entry."""
    values = fit.compute_residuals(change(complex(shift, NUDGE)).map(lambda array: array.astype(complex)))
    return values.imag / NUDGE, values.real


def bound_shift(fit: WeightFit, change: Change, shift: float, rounding: float) -> float:
    """Return how far rounding of the weights may have moved what was added to an entry."""
    slope, _ = _differentiate(fit, change, shift)
    return rounding * float(np.abs(slope) @ fit.measure_size(change(shift)) / (slope @ slope))


def print_number(value: float, uncertainty: float) -> str:
    """Return a number as a fraction if a simple one lies within the uncertainty, else to the digits that it has."""
    simple = Fraction(value).limit_denominator(1000)
    if abs(float(simple) - value) <= uncertainty and uncertainty * simple.denominator**2 < 0.01:
        return str(simple)
    digits = int(np.ceil(np.log10(max(abs(value), uncertainty) / max(uncertainty, 1e-16)))) + 1
    return f"{value:.{max(2, min(digits, 12))}g}"


def print_exact(number: mpf) -> str:
    """Return a printed number as a fraction if it is a simple one, else to twelve digits."""
    with mpmath.workdps(DIGITS):
        simple = Fraction(mpmath.nstr(number, DIGITS)).limit_denominator(LARGEST_DENOMINATOR)
        is_simple = abs(mpf(simple.numerator) / simple.denominator - number) < mpf(10) ** (10 - DIGITS)
    return str(simple) if is_simple else f"{float(number):.12g}"
