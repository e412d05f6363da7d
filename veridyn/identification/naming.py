"""Say in words which member of a family a solver is, and what does not belong to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from veridyn.identification.families import BATHE, BOSSAK, GENERALISED, HHT, NEWMARK, THETA, WILSON, Fit

CHOICES = {
    Fraction(1, 4): "average acceleration, the trapezoidal rule",
    Fraction(1, 6): "linear acceleration",
    Fraction(1, 12): "Fox and Goodwin",
    Fraction(0): "central difference",
}
LARGEST_DENOMINATOR = 12


def say_number(value: float, uncertainty: float) -> str:
    """Return a number as a simple fraction if it is one within its uncertainty, else to four decimals or more."""
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(value - near) <= uncertainty:
        return str(near)
    # as many decimals as tell it from that fraction, but none that are rounding
    needed = 1 - math.floor(math.log10(abs(value - near)))
    return f"{value:.{min(max(4, needed), 12)}f}"


def say_method(fit: Fit) -> tuple[str, tuple[str, ...]]:
    """Return the name of a method with its parameters, and its deviations from the members that are in use."""
    speak = SPEAKERS.get(fit.family.name)
    method, deviations = speak(fit) if speak else (fit.family.name, ())
    flaw = (f"{method}, but {fit.family.flaw}",) if fit.family.flaw else ()
    return method, (*deviations, *flaw)


def _say_newmark(fit: Fit) -> tuple[str, tuple[str, ...]]:
    (beta, gamma), (of_beta, of_gamma) = fit.values, fit.uncertainties
    method = f"Newmark, gamma {say_number(gamma, of_gamma)}, beta {say_number(beta, of_beta)}"
    choice = next((word for number, word in CHOICES.items() if abs(beta - number) <= of_beta), "")
    if abs(gamma - 0.5) > of_gamma:
        # With numerical damping the usual beta is that of the largest damping of high frequencies.
        damped = (gamma + 0.5) ** 2 / 4
        fits = choice or abs(beta - damped) <= of_beta + 0.5 * (gamma + 0.5) * of_gamma
        none = f"{method}: beta none of 1/4, 1/6, 1/12, 0, (gamma + 1/2)²/4 = {damped:.4f}"
        return method, () if fits else (none,)
    if not choice:
        return method, (f"{method}: none of 1/4, 1/6, 1/12, 0",)
    return f"{method} ({choice})", ()


def _say_alpha(name: str, letter: str) -> Callable[[Fit], tuple[str, tuple[str, ...]]]:
    def speak(fit: Fit) -> tuple[str, tuple[str, ...]]:
        alpha, beta, gamma = fit.values
        method = f"{name}, {letter} {say_number(alpha, fit.uncertainties[0])}"
        return _check_alpha(method, (beta, gamma), fit.uncertainties[1:], shift=-alpha, of_shift=fit.uncertainties[0])

    return speak


def _say_generalised(fit: Fit) -> tuple[str, tuple[str, ...]]:
    m, f, beta, gamma = fit.values
    of_m, of_f, of_beta, of_gamma = fit.uncertainties
    if abs(m) <= of_m:
        method = f"HHT-alpha, alpha {say_number(-f, of_f)}"
        return _check_alpha(method, (beta, gamma), (of_beta, of_gamma), shift=f, of_shift=of_f)
    # Chung and Hulbert: alpha_f = rho/(1 + rho), alpha_m = (2 rho - 1)/(1 + rho), so 3 alpha_f = alpha_m + 1
    if abs(3 * f - m - 1) <= 3 * of_f + of_m and f < 1:
        method = f"generalised-alpha, rho_inf {say_number(f / (1 - f), of_f / (1 - f) ** 2)}"
    else:
        method = f"generalised-alpha, alpha_m {say_number(m, of_m)}, alpha_f {say_number(f, of_f)}"
    return _check_alpha(method, (beta, gamma), (of_beta, of_gamma), shift=f - m, of_shift=of_f + of_m)


def _check_alpha(
    method: str, values: tuple[float, float], uncertainties: tuple[float, ...], *, shift: float, of_shift: float
) -> tuple[str, tuple[str, ...]]:
    """Compare beta and gamma with those of order 2: gamma = 1/2 + shift, beta = (1 + shift)²/4."""
    (beta, gamma), (of_beta, of_gamma) = values, uncertainties
    right = {"beta": (1 + shift) ** 2 / 4, "gamma": 0.5 + shift}
    slack = {"beta": of_beta + 0.5 * abs(1 + shift) * of_shift, "gamma": of_gamma + of_shift}
    wrong = {
        name: (value, right[name])
        for name, value in (("beta", beta), ("gamma", gamma))
        if abs(value - right[name]) > slack[name]
    }
    if not wrong:
        return method, ()
    pairs = " and ".join(_say_pair(name, *pair) for name, pair in wrong.items())
    full = ", ".join(f"{name} {value:.4f}" for name, (value, _) in wrong.items())
    return f"{method}, {full}", (f"{method}, but {pairs} to it",)


def _say_pair(name: str, value: float, right: float) -> str:
    digits = max(4, 1 - math.floor(math.log10(abs(value - right))))
    return f"{name} {value:.{digits}f} where {right:.{digits}f} belongs"


def _say_one(fit: Fit) -> tuple[str, tuple[str, ...]]:
    number = say_number(fit.values[0], fit.uncertainties[0])
    return f"{fit.family.name}, {fit.family.parameters[0]} {number}", ()


SPEAKERS: Mapping[str, Callable[[Fit], tuple[str, tuple[str, ...]]]] = {
    NEWMARK.name: _say_newmark,
    HHT.name: _say_alpha("HHT-alpha", "alpha"),
    BOSSAK.name: _say_alpha("WBZ (Bossak)", "alpha"),
    GENERALISED.name: _say_generalised,
    **{family.name: _say_one for family in (WILSON, THETA, BATHE)},
}
