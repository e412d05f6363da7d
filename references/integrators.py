"""Known time integrators by name: their parameters, defaults, sources, and how they are read.

Loads. The load of a balance at ``t_n + w h`` is, with ``load = "interpolated"``, ``(1 - w) f(t_n) + w f(t_n + h)``: on
the chord through the ends, beyond them too. With ``load = "midpoint"`` it is that of the instant, ``f(t_n + w h)``.
Here w is ``1 + alpha`` for `hht-alpha`, ``1 - alpha_f`` for `generalised-alpha`, theta for `wilson-theta`. All other
methods evaluate the load at the instants of their formulas. A load that jumps at an instant of evaluation has no exact
discrete solution: the rounding of the instant decides its side.

Start. Methods with an acceleration take it from the balance at the start. `central-difference` starts from
``x_{-1} = x_0 - h v_0 + h²/2 a_0``, `de-vogelaere` from the state half a step before the start by Taylor's formula,
with the load of the start.

Damping. `central-difference` takes the central velocity, or with ``velocity = "extrapolated"`` that of the half-step
led on by the acceleration at its start, which it also reports. `symplectic-euler` takes the velocity before the kick;
with ``damping = "implicit"`` that after it. `de-vogelaere` with ``damping = "diagonal"`` treats the diagonal of the
damping matrix as Fu does, and the rest as a force that sees the mean velocity of the last half-step: so does a program
that integrates modes which damping couples, if the problem is given in modal coordinates.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from veridyn.references import recurrences as rules
from veridyn.references.parameters import ParameterError, exact
from veridyn.references.recurrences import Rule
from veridyn.references.tableaux import TABLEAUX, Surd, Tableau, rational, read_tableau

Convert: TypeAlias = Callable[[Surd], Any]
Numbers: TypeAlias = dict[str, Fraction]


@dataclass(frozen=True)
class Method:
    """A family of time integrators.

    Attributes
    ----------
    parameters
        Default of every number as text, or a formula in others; None where it must be given.
    options
        Choices of every parameter that is a word; the first is the default.
    complete
        Fills in and checks the numbers that are given.
    rule
        Makes the step of a member of the family, in numbers as a function converts them.
    """

    name: str
    parameters: Mapping[str, str | None]
    source: str
    rule: Callable[[Discrete, Convert], Rule] = field(repr=False)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    complete: Callable[[Numbers], Numbers] = field(default=dict, repr=False)


@dataclass(frozen=True)
class Discrete:
    """A method with all its parameters: exact numbers, chosen words, and the tableau of a Runge-Kutta method."""

    method: Method
    numbers: Mapping[str, Fraction]
    words: Mapping[str, str]
    tableau: Tableau | None = None

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.method.name

    def rule(self, convert: Convert) -> Rule:
        """Return the step of the method in the numbers that ``convert`` makes of constants."""
        return self.method.rule(self, convert)

    def says(self, **words: str) -> bool:
        """Tell whether words are chosen."""
        return all(self.words[name] == word for name, word in words.items())


def _constants(d: Discrete, convert: Convert) -> dict[str, Any]:
    return {name: convert(rational(value)) for name, value in d.numbers.items()}


def _alpha_rule(d: Discrete, convert: Convert) -> Rule:
    return rules.alpha_family(_constants(d, convert), d.words.get("load") == "interpolated")


def _newmark_numbers(given: Numbers) -> Numbers:
    return {"beta": Fraction(1, 4), "gamma": Fraction(1, 2), **given, "alpha_m": Fraction(0), "alpha_f": Fraction(0)}


def _hht_numbers(given: Numbers) -> Numbers:
    alpha = given["alpha"]
    if not -Fraction(1, 3) <= alpha <= 0:
        hint = f"; a program that counts 1 + alpha means {alpha - 1}" if 0 <= alpha - 1 + Fraction(1, 3) <= 1 else ""
        raise ParameterError(f"alpha of hht-alpha must lie in [-1/3, 0], got {alpha}{hint}")
    derived = {"beta": (1 - alpha) ** 2 / 4, "gamma": Fraction(1, 2) - alpha}
    return {**derived, **given, "alpha_m": Fraction(0), "alpha_f": -alpha}


def _generalised_numbers(given: Numbers) -> Numbers:
    weights = {"alpha_m", "alpha_f"} & given.keys()
    if len(weights) + ("rho_inf" in given) not in (1, 2) or (len(weights) == 1) or (weights and "rho_inf" in given):
        raise ParameterError("generalised-alpha needs either rho_inf, or alpha_m and alpha_f")
    if "rho_inf" in given and not 0 <= given["rho_inf"] <= 1:
        raise ParameterError(f"rho_inf of generalised-alpha must lie in [0, 1], got {given['rho_inf']}")
    rho = given.get("rho_inf", Fraction(0))
    numbers = {"alpha_m": (2 * rho - 1) / (rho + 1), "alpha_f": rho / (rho + 1), **given}
    m, f = numbers["alpha_m"], numbers["alpha_f"]
    if m >= 1 or f >= 1:
        raise ParameterError(f"alpha_m and alpha_f weigh the start of the step and must be below 1, got {m} and {f}")
    return {"beta": (1 - m + f) ** 2 / 4, "gamma": Fraction(1, 2) - m + f, **numbers}


def _wilson_numbers(given: Numbers) -> Numbers:
    if given["theta"] < 1:
        raise ParameterError(f"theta of wilson-theta must not be below 1, got {given['theta']}")
    return given


def _wilson_rule(d: Discrete, convert: Convert) -> Rule:
    return rules.wilson(_constants(d, convert), d.says(load="interpolated"))


def _difference_rule(d: Discrete, convert: Convert) -> Rule:
    """Central differences; with the central velocity they are Newmark's method with beta = 0, gamma = 1/2."""
    numbers = {name: convert(rational(value)) for name, value in _newmark_numbers({"beta": Fraction(0)}).items()}
    rule = rules.alpha_family(numbers, False) if d.says(velocity="central") else rules.extrapolated_differences()
    return rules.lumped(rule) if d.says(mass="lumped") else rule


def _symplectic_rule(d: Discrete, _: Convert) -> Rule:
    return rules.symplectic_euler(d.says(form="position-first"), d.says(damping="implicit"))


def _de_vogelaere_rule(d: Discrete, convert: Convert) -> Rule:
    return rules.de_vogelaere(convert(rational(Fraction(1, 2))), d.says(damping="diagonal"))


def _runge_kutta_rule(d: Discrete, convert: Convert) -> Rule:
    t = d.tableau
    assert t is not None
    stages = np.array([[convert(value) for value in row] for row in t.stages], dtype=object)
    step = np.array([convert(value) for value in t.step], dtype=object)
    return rules.runge_kutta(stages, step, tuple(convert(value) for value in t.instants))


_LOAD = ("interpolated", "midpoint")

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "newmark",
                {"beta": "1/4", "gamma": "1/2"},
                "Newmark, J. Eng. Mech. Div. ASCE 85, 1959",
                _alpha_rule,
                complete=_newmark_numbers,
            ),
            Method(
                "hht-alpha",
                {"alpha": None, "beta": "(1 - alpha)^2/4", "gamma": "1/2 - alpha"},
                "Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5, 1977",
                _alpha_rule,
                {"load": _LOAD},
                _hht_numbers,
            ),
            Method(
                "generalised-alpha",
                {
                    "rho_inf": "or alpha_m and alpha_f",
                    "alpha_m": "(2 rho_inf - 1)/(rho_inf + 1)",
                    "alpha_f": "rho_inf/(rho_inf + 1)",
                    "beta": "(1 - alpha_m + alpha_f)^2/4",
                    "gamma": "1/2 - alpha_m + alpha_f",
                },
                "Chung, Hulbert, J. Appl. Mech. 60, 1993",
                _alpha_rule,
                {"load": _LOAD},
                _generalised_numbers,
            ),
            Method(
                "wilson-theta",
                {"theta": None},
                "Wilson, Farhoomand, Bathe, Earthq. Eng. Struct. Dyn. 1, 1973",
                _wilson_rule,
                {"load": _LOAD},
                _wilson_numbers,
            ),
            Method(
                "central-difference",
                {},
                "Belytschko, Hughes, Computational Methods for Transient Analysis, 1983",
                _difference_rule,
                {"mass": ("consistent", "lumped"), "velocity": ("central", "extrapolated")},
            ),
            Method(
                "symplectic-euler",
                {},
                "Hairer, Lubich, Wanner, Geometric Numerical Integration, section I.1",
                _symplectic_rule,
                {"form": ("velocity-first", "position-first"), "damping": ("explicit", "implicit")},
            ),
            Method(
                "de-vogelaere",
                {},
                "de Vogelaere, J. Res. Nat. Bur. Standards 54, 1955; Fu, J. Appl. Mech. 37, 1970",
                _de_vogelaere_rule,
                {"damping": ("whole", "diagonal")},
            ),
            Method(
                "runge-kutta",
                {"tableau": "or A and b", "A": "of the tableau", "b": "of the tableau", "c": "sums of the rows of A"},
                "Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.1",
                _runge_kutta_rule,
            ),
        )
    }
)


def read_method(name: str, parameters: Mapping[str, Any]) -> Discrete:
    """Read a method and its parameters: numbers, exact text like ``"1/4"``, or the words of `Method.options`.

    A float stands for its shortest decimal: 0.3025 is 121/400.

    Raises
    ------
    ParameterError
        If a name is unknown, a parameter is missing, malformed or out of range.
    """
    if name not in METHODS:
        raise ParameterError(_unknown("method", name, METHODS))
    method = METHODS[name]
    known = [*method.parameters, *method.options]
    for given in parameters:
        if given not in known:
            raise ParameterError(_unknown(f"parameter of {name}", given, known))
    for needed, default in method.parameters.items():
        if default is None and needed not in parameters:
            raise ParameterError(f"{name} needs {needed}: give a number or exact text such as 1/4")
    words = {option: _word(name, option, choices, parameters) for option, choices in method.options.items()}
    if name == "runge-kutta":
        return Discrete(method, {}, words, _tableau(parameters))
    numbers = {key: _rational(value, key) for key, value in parameters.items() if key in method.parameters}
    return Discrete(method, method.complete(numbers), words)


def _unknown(kind: str, given: Any, known: Any) -> str:
    near = difflib.get_close_matches(str(given).lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown {kind} {given!r}: {hint}known are {', '.join(known) or 'none'}"


def _word(name: str, option: str, choices: tuple[str, ...], given: Mapping[str, Any]) -> str:
    word = given.get(option, choices[0])
    if word not in choices:
        raise ParameterError(_unknown(f"{option} of {name}", word, choices))
    return str(word)


def _rational(value: Any, name: str) -> Fraction:
    number = exact(value, name)
    if number.pi:
        raise ParameterError(f"{name} must be a rational number such as 0.3025 or 1/4, got {value!r}")
    return number.rational


def _tableau(given: Mapping[str, Any]) -> Tableau:
    if ("tableau" in given) == ("A" in given or "b" in given or "c" in given):
        raise ParameterError("runge-kutta needs either tableau, a name, or A and b (c: sums of the rows of A)")
    if "tableau" in given:
        if given["tableau"] not in TABLEAUX:
            raise ParameterError(_unknown("tableau", given["tableau"], TABLEAUX))
        return TABLEAUX[given["tableau"]]
    if not ("A" in given and "b" in given):
        raise ParameterError("runge-kutta needs both A and b")
    return read_tableau(given["A"], given["b"], given.get("c"))
