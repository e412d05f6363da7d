"""The families of time integrators with which maps are compared: rules with free parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf
from scipy.optimize import OptimizeResult, least_squares

from veridyn.identification.marching import DIGITS, make_exact, march_all
from veridyn.identification.trials import Floats, LinearTrial
from veridyn.references.methods import recurrences as rules
from veridyn.references.methods.integrators import METHODS
from veridyn.references.methods.nystrom import NYSTROM, make_rule
from veridyn.references.methods.recurrences import Blocks, MatrixSystem, Rule
from veridyn.references.methods.tableaux import TABLEAUX, Array, read_tableau

Numbers = tuple[float, ...]
PROMISING = 1e-3  # of a state: a first fit that leaves more is of another family
NEAR = 4  # motions of the basis, those with the smallest steps
Words = Mapping[str, str]


@dataclass(frozen=True)
class Family:
    """A family of time integrators.

    Attributes
    ----------
    name
        As people say it.
    rule
        From the parameters and the words of a variant to the step.
    parameters, guesses
        Names of the free numbers, and where fits begin.
    variants
        Ways to take dampers and loads, which agree on free vibrations without damping; the first is the usual one.
    flaw
        What is wrong with its members, if anything is.
    """

    name: str
    rule: Callable[[Numbers, Words], Rule] = field(repr=False)
    parameters: tuple[str, ...] = ()
    guesses: tuple[Numbers, ...] = ((),)
    variants: tuple[Words, ...] = (MappingProxyType({}),)
    flaw: str = ""


@dataclass(frozen=True)
class Fit:
    """A member of a family.

    Attributes
    ----------
    values, uncertainties
        The parameters, and how far rounding may have moved them, at worst.
    misfit
        Largest difference to what was measured, in tolerances: up to 1 the member agrees.
    difference
        Largest difference to the motions with small steps, over the size of the states: who is nearest.
    """

    family: Family
    values: Numbers
    uncertainties: Numbers
    misfit: float
    difference: float

    def rule(self, words: Words | None = None) -> Rule:
        """Return the step."""
        return self.family.rule(self.values, words if words is not None else self.family.variants[0])


@dataclass(frozen=True)
class Measured:
    """A motion that was measured.

    ``states`` (steps + 1, 2, n); ``scale`` (2,), what a state of size 1 has in m and m/s; ``tolerance`` of a state over
    its size.
    """

    trial: LinearTrial
    states: Floats
    scale: Floats
    tolerance: float

    def differ(self, predicted: Floats) -> Floats:
        """Return the difference (steps, 2, n) to a prediction over the size of the states."""
        return (predicted - self.states)[1:] / self.scale[:, None] / self.sizes()[1:, None, None]

    @property
    def growth(self) -> float:
        """The largest state over the first one."""
        sizes = self.sizes()
        return float(sizes.max() / sizes[0])

    def sizes(self) -> Floats:
        """Return the size (steps + 1,) of the states: the largest of a state and the one before; 1 at rest."""
        size = np.abs(self.states / self.scale[:, None]).max(axis=(1, 2))
        size = np.maximum(size, np.concatenate([size[:1], size[:-1]]))
        return np.where(size > 0, size, 1.0)


def compare(rule: Rule, motions: Sequence[Measured]) -> tuple[float, float]:
    """Return the largest difference between rule and motions, in tolerances and over the size of the states."""
    try:
        return compare_states(march_all(rule, [motion.trial for motion in motions]), motions)
    except (ValueError, ZeroDivisionError, OverflowError):  # a step that is singular
        return np.inf, np.inf


def compare_states(predictions: Sequence[Floats], motions: Sequence[Measured]) -> tuple[float, float]:
    """Return the largest difference between predictions and motions, as `compare`."""
    with np.errstate(over="ignore", invalid="ignore"):
        differences = [
            float(np.nan_to_num(np.abs(m.differ(p)), nan=np.inf).max())
            for m, p in zip(motions, predictions, strict=True)
        ]
    return max(d / m.tolerance for d, m in zip(differences, motions, strict=True)), max(differences)


def fit(family: Family, motions: Sequence[Measured], basis: Sequence[Measured]) -> Fit:
    """Return the member of a family that is nearest to the motions.

    Free numbers are fitted by least squares to the motions of the basis, whose first `NEAR` tell how near a member is.
    Only a member that agrees with those is compared with all motions.
    """
    starts = family.guesses if family.parameters else ((),)
    fits = (_refine(family, guess, basis) if guess else ((), ()) for guess in starts)
    return min((_compare_all(family, *one, motions, basis) for one in fits), key=lambda each: each.misfit)


def _compare_all(
    family: Family, values: Numbers, uncertainties: Numbers, motions: Sequence[Measured], basis: Sequence[Measured]
) -> Fit:
    rule, near = family.rule(values, family.variants[0]), basis[:NEAR]
    if values:
        misfit, difference = compare(rule, near)
    else:
        misfit, difference = compare_states(_march_plain(family.name, tuple(m.trial for m in near)), near)
    if misfit <= 1:
        misfit, _ = compare(rule, motions)
    return Fit(family, values, uncertainties, misfit, difference)


def _refine(family: Family, guess: Numbers, basis: Sequence[Measured]) -> tuple[Numbers, Numbers]:
    """Return the fitted parameters and how far rounding may have moved them, at worst.

    The first fit is to the motions with small steps, which are smooth in the parameters. It ends the search if it does
    not come near. The second, to all, leaves nothing but rounding: slopes by differences are good to 1e-7, and what it
    leaves shrinks by that in every step.
    """
    first = _solve_least_squares(family, guess, basis[:NEAR])
    near = float(np.abs(first.fun).max())
    last = _solve_least_squares(family, first.x, basis) if near < PROMISING else first
    used = basis if near < PROMISING else basis[:NEAR]
    tolerances = np.concatenate([np.full(m.states[1:].size, m.tolerance) for m in used])
    # Rounding of at most its tolerance in every number moves the solution of least squares at most by this.
    uncertainties = np.abs(np.linalg.pinv(last.jac)) @ tolerances
    return tuple(map(float, last.x)), tuple(map(float, uncertainties))


def _solve_least_squares(family: Family, guess: Sequence[float], motions: Sequence[Measured]) -> OptimizeResult:
    trials = [motion.trial for motion in motions]

    def residual(values: Floats) -> Floats:
        try:
            predictions = march_all(family.rule(tuple(values), family.variants[0]), trials)
        except (ValueError, ZeroDivisionError):
            return np.full(sum(m.states[1:].size for m in motions), 1e3)
        rows = [m.differ(p).ravel() for m, p in zip(motions, predictions, strict=True)]
        return np.clip(np.nan_to_num(np.concatenate(rows)), -1e3, 1e3)

    return least_squares(residual, guess, xtol=1e-15, ftol=1e-12, gtol=1e-15, max_nfev=30)


# ---- rules


def _alpha(numbers: Mapping[str, float], words: Words) -> Rule:
    with mpmath.workdps(DIGITS):
        precise = {name: mpf(value) for name, value in numbers.items()}
        rule = rules.alpha_family({**precise, **words})
        return replace(rule, start=_start_at_rest) if words.get("start") == "zero" else rule


def _start_at_rest(_: MatrixSystem, x: Array, v: Array, load: Array) -> Blocks:
    return x, v, load * 0


def _newmark(values: Numbers, words: Words) -> Rule:
    beta, gamma = values
    return _alpha({"alpha_m": 0.0, "alpha_f": 0.0, "beta": beta, "gamma": gamma}, words)


def _hht(values: Numbers, words: Words) -> Rule:
    alpha, beta, gamma = values
    return _alpha({"alpha_m": 0.0, "alpha_f": -alpha, "beta": beta, "gamma": gamma}, words)


def _bossak(values: Numbers, words: Words) -> Rule:
    alpha, beta, gamma = values
    return _alpha({"alpha_m": alpha, "alpha_f": 0.0, "beta": beta, "gamma": gamma}, words)


def _generalised(values: Numbers, words: Words) -> Rule:
    return _alpha(dict(zip(("alpha_m", "alpha_f", "beta", "gamma"), values, strict=True)), words)


def _method(name: str, values: Mapping[str, Any], words: Words) -> Rule:
    with mpmath.workdps(DIGITS):
        return METHODS[name].rule({**values, **words})


def _wilson(values: Numbers, words: Words) -> Rule:
    return _method("wilson-theta", {"theta": mpf(values[0])}, words)


def _theta(values: Numbers, _: Words) -> Rule:
    theta = values[0]
    return _method("runge-kutta", {"tableau": read_tableau([[0], [1 - theta, theta]], [1 - theta, theta])}, {})


def _bathe(values: Numbers, _: Words) -> Rule:
    """Trapezoidal rule to the split, then differences backwards over the whole step.

    Bathe, Baig, Comput. Struct. 83, 2005; a split of 2 - sqrt(2) is TR-BDF2.
    """
    with mpmath.workdps(DIGITS):
        split = mpf(values[0])
        end = (1 - split) / (2 - split)
        weight = 1 / (2 * (2 - split))
        stages = np.array([[mpf(0)] * 3, [split / 2, split / 2, mpf(0)], [weight, weight, end]], dtype=object)
        tableau = replace(TABLEAUX["tr-bdf2"], stages=stages, step=stages[2], instants=stages.sum(axis=1))
        return rules.runge_kutta({"tableau": tableau})


def _half_kicks(_: Numbers, __: Words) -> Rule:
    """Velocity Verlet, explicit in the damping: the second half of the kick sees the velocity of the half-step."""

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v = blocks
        half = v + s.acceleration(loads[0], x, v) * (s.step / 2)
        x_new = x + half * s.step
        return x_new, half + s.acceleration(loads[1], x_new, half) * (s.step / 2)

    return Rule((mpf(0), mpf(1)), lambda _, x, v, __: (x, v), advance)


def _kept_kicks(_: Numbers, __: Words) -> Rule:
    """Velocity Verlet whose acceleration, with the velocity of the half-step in its dampers, is that of the next."""

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v, a = blocks
        half = v + a * (s.step / 2)
        x_new = x + half * s.step
        a_new = s.acceleration(loads[0], x_new, half)
        return x_new, half + a_new * (s.step / 2), a_new

    return Rule((mpf(1),), lambda s, x, v, f: (x, v, s.acceleration(f, x, v)), advance)


VERLET = {"half": _half_kicks, "kept": _kept_kicks}


def _newmark_or_verlet(values: Numbers, words: Words) -> Rule:
    """Return Newmark's step, or one of velocity Verlet, which without damping are Newmark's with beta = 0."""
    kicks = words.get("kicks")
    return VERLET[kicks](values, words) if kicks else _newmark(values, words)


def _exact(_: Numbers, words: Words) -> Rule:
    with mpmath.workdps(DIGITS):
        return make_exact({"quadratic": 3, "chord": 2, "held": 1}[words["load"]])


def _runge_kutta(name: str, _: Numbers, __: Words) -> Rule:
    return _method("runge-kutta", {"tableau": TABLEAUX[name]}, {})


def _nystrom(name: str, _: Numbers, __: Words) -> Rule:
    with mpmath.workdps(DIGITS):
        return make_rule(NYSTROM[name])


UNDER_OTHER_NAMES = ("symplectic Euler, velocity first", "symplectic Euler, position first", "velocity Verlet")


def _vary(**choices: Sequence[str]) -> tuple[Words, ...]:
    """Return all combinations of words, the first of each first."""
    made: list[Words] = [{}]
    for name, words in choices.items():
        made = [{**one, name: word} for one in made for word in words]
    return tuple(made)


LOADS = {"load": ("interpolated", "midpoint")}
ALPHA = ("alpha", "beta", "gamma")
NEWMARK = Family("Newmark", _newmark, ("beta", "gamma"), ((0.25, 0.5),))
HHT = Family("HHT-alpha", _hht, ALPHA, ((-0.1, 0.3, 0.6),), _vary(**LOADS))
BOSSAK = Family("WBZ (Bossak)", _bossak, ALPHA, ((-0.1, 0.3, 0.6),), _vary(**LOADS))
GENERALISED = Family(
    "generalised-alpha", _generalised, ("alpha_m", "alpha_f", *ALPHA[1:]), ((0.3, 0.4, 0.3, 0.6),), _vary(**LOADS)
)
CENTRAL = Family(
    "central difference (Newmark, gamma 1/2, beta 0; velocity Verlet)",
    lambda _, words: _newmark_or_verlet((0.0, 0.5), words),
    variants=({}, {"kicks": "half"}, {"kicks": "kept"}),
)
AVERAGE = Family(
    "Newmark, gamma 1/2, beta 1/4 (average acceleration, the trapezoidal rule)",
    lambda _, words: _newmark((0.25, 0.5), words),
)
EXACT = Family("exact", _exact, variants=_vary(load=("quadratic", "chord", "held")))
WILSON = Family("Wilson", _wilson, ("theta",), ((1.4,),), _vary(**LOADS))
THETA = Family("theta method", _theta, ("theta",), ((0.6,),))
BATHE = Family("Bathe", _bathe, ("split",), ((0.5,),))


@cache
def _march_plain(name: str, trials: tuple[LinearTrial, ...]) -> list[Floats]:
    """Return what a family without free numbers makes of motions: the same for every solver."""
    family = next(family for family in list_plain_families() if family.name == name)
    return march_all(family.rule((), family.variants[0]), trials)


def list_plain_families() -> Iterator[Family]:
    """Yield the families without free numbers."""
    yield EXACT
    yield AVERAGE
    yield CENTRAL
    yield Family(
        "central difference with the velocity led on from half a step",
        partial(_method_of_words, "central-difference", {"velocity": "extrapolated", "mass": "consistent"}),
    )
    for form in ("velocity-first", "position-first"):
        yield Family(
            f"symplectic Euler, {form.replace('-', ' ')}",
            partial(_method_of_words, "symplectic-euler", {"form": form}),
            variants=_vary(damping=("explicit", "implicit")),
        )
    yield Family(
        "de Vogelaere",
        partial(_method_of_words, "de-vogelaere", {}),
        variants=_vary(damping=("whole", "diagonal")),
    )
    tableaux = [name for name in TABLEAUX if name != "trapezoidal"]  # it is Newmark's average acceleration
    yield from (Family(f"Runge-Kutta, {name}", partial(_runge_kutta, name)) for name in tableaux)
    yield from (Family(name, partial(_nystrom, name)) for name in NYSTROM if name not in UNDER_OTHER_NAMES)


def list_fitted_families() -> Iterator[Family]:
    """Yield the families with free numbers, those with few first: the first that agrees is the simplest."""
    yield from (NEWMARK, THETA, WILSON, BATHE, HHT, BOSSAK, GENERALISED)


def list_wrong_families() -> Iterator[Family]:
    """Yield families with a fault that is met in practice."""
    yield from map(_start_wrongly, (NEWMARK, HHT, BOSSAK, GENERALISED))


def _start_wrongly(family: Family) -> Family:
    return replace(
        family,
        variants=tuple({**words, "start": "zero"} for words in family.variants),
        flaw="it starts with the acceleration 0, not with that of the balance",
    )


def _method_of_words(name: str, fixed: Words, _: Numbers, words: Words) -> Rule:
    return _method(name, {}, {**fixed, **words})
