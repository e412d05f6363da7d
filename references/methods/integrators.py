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

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

import mpmath

from veridyn.references.methods import recurrences as rules
from veridyn.references.methods.tableaux import DIGITS, TABLEAUX, Tableau, read_tableau
from veridyn.references.parameters import Exact, ParameterError, exact, unknown

Numbers: TypeAlias = dict[str, Fraction]

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Method:
    """A family of time integrators.

    Attributes
    ----------
    rule
        Makes the step of a member of the family from its numbers and words.
    parameters
        Names of the numbers that may be given, and of those that must be.
    options
        Choices of every parameter that is a word; the first is the default.
    complete
        Fills in and checks the numbers that are given.
    """

    rule: Callable[[Mapping[str, Any]], rules.Rule] = field(repr=False)
    parameters: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    complete: Callable[[Numbers], Numbers] = field(default=dict, repr=False)


@dataclass(frozen=True)
class Discrete:
    """A method with all its parameters: exact numbers, and chosen words or the tableau of a Runge-Kutta method."""

    method: Method
    numbers: Mapping[str, Fraction]
    words: Mapping[str, str | Tableau]

    def rule(self) -> rules.Rule:
        """Return the step of the method."""
        with mpmath.workdps(DIGITS):
            return self.method.rule({**self.words, **{name: Exact(n).mpf() for name, n in self.numbers.items()}})


def _newmark_numbers(given: Numbers) -> Numbers:
    return {"beta": HALF / 2, "gamma": HALF, **given, "alpha_m": Fraction(0), "alpha_f": Fraction(0)}


def _hht_numbers(given: Numbers) -> Numbers:
    alpha = given["alpha"]
    if not -Fraction(1, 3) <= alpha <= 0:
        hint = f"; a program that counts 1 + alpha means {alpha - 1}" if 0 <= alpha - 1 + Fraction(1, 3) <= 1 else ""
        raise ParameterError(f"alpha of hht-alpha must lie in [-1/3, 0], got {alpha}{hint}")
    derived = {"beta": (1 - alpha) ** 2 / 4, "gamma": HALF - alpha}
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
    return {"beta": (1 - m + f) ** 2 / 4, "gamma": HALF - m + f, **numbers}


def _wilson_numbers(given: Numbers) -> Numbers:
    if given["theta"] < 1:
        raise ParameterError(f"theta of wilson-theta must not be below 1, got {given['theta']}")
    return given


_LOAD = ("interpolated", "midpoint")

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        # Newmark, J. Eng. Mech. Div. ASCE 85, 1959
        "newmark": Method(rules.alpha_family, ("beta", "gamma"), complete=_newmark_numbers),
        # Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5, 1977
        "hht-alpha": Method(rules.alpha_family, ("alpha", "beta", "gamma"), ("alpha",), {"load": _LOAD}, _hht_numbers),
        # Chung, Hulbert, J. Appl. Mech. 60, 1993
        "generalised-alpha": Method(
            rules.alpha_family,
            ("rho_inf", "alpha_m", "alpha_f", "beta", "gamma"),
            options={"load": _LOAD},
            complete=_generalised_numbers,
        ),
        # Wilson, Farhoomand, Bathe, Earthq. Eng. Struct. Dyn. 1, 1973
        "wilson-theta": Method(rules.wilson, ("theta",), ("theta",), {"load": _LOAD}, _wilson_numbers),
        # Belytschko, Hughes, Computational Methods for Transient Analysis, 1983
        "central-difference": Method(
            rules.central_difference,
            options={"mass": ("consistent", "lumped"), "velocity": ("central", "extrapolated")},
            complete=lambda _: _newmark_numbers({"beta": Fraction(0)}),
        ),
        # Hairer, Lubich, Wanner, Geometric Numerical Integration, section I.1
        "symplectic-euler": Method(
            rules.symplectic_euler,
            options={"form": ("velocity-first", "position-first"), "damping": ("explicit", "implicit")},
        ),
        # de Vogelaere, J. Res. Nat. Bur. Standards 54, 1955; Fu, J. Appl. Mech. 37, 1970
        "de-vogelaere": Method(rules.de_vogelaere, options={"damping": ("whole", "diagonal")}),
        # Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.1
        "runge-kutta": Method(rules.runge_kutta, ("tableau", "A", "b", "c")),
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
    method = METHODS[_known("method", name, METHODS)]
    for given in parameters:
        _known(f"parameter of {name}", given, [*method.parameters, *method.options])
    for needed in method.needed:
        if needed not in parameters:
            raise ParameterError(f"{name} needs {needed}: give a number or exact text such as 1/4")
    words = {
        option: _known(f"{option} of {name}", parameters.get(option, choices[0]), choices)
        for option, choices in method.options.items()
    }
    if name == "runge-kutta":
        return Discrete(method, {}, {"tableau": _tableau(parameters)})
    numbers = {key: _rational(value, key) for key, value in parameters.items() if key in method.parameters}
    return Discrete(method, method.complete(numbers), words)


def _known(kind: str, given: Any, known: Collection[str]) -> str:
    """Return what is given, if it is known."""
    if given not in known:
        raise ParameterError(unknown(str(given), known, kind))
    return str(given)


def _rational(value: Any, name: str) -> Fraction:
    number = exact(value, name)
    if number.pi:
        raise ParameterError(f"{name} must be a rational number such as 0.3025 or 1/4, got {value!r}")
    return number.rational


def _tableau(given: Mapping[str, Any]) -> Tableau:
    if ("tableau" in given) == ("A" in given or "b" in given or "c" in given):
        raise ParameterError("runge-kutta needs either tableau, a name, or A and b (c: sums of the rows of A)")
    if "tableau" in given:
        return TABLEAUX[_known("tableau", given["tableau"], TABLEAUX)]
    if not ("A" in given and "b" in given):
        raise ParameterError("runge-kutta needs both A and b")
    return read_tableau(given["A"], given["b"], given.get("c"))
