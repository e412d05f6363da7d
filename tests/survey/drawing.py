"""Random parameter sets of a case: factors, extremes, zeros, flipped signs, equal values; the same in every run."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

import numpy as np

from veridyn.references.parameters import Exact, exact
from veridyn.validation_cases.judgement.case import Case

REACH = 2.0  # of a factor that is no round number
DIGITS = 4  # of a value that such a factor gives
ALL = 4  # every fourth set changes all parameters by such factors, the others one to three by anything
MOST = 3

Draw = Callable[[Exact, Exact, np.random.Generator], str]
"""Takes the value, that of another parameter and a generator; returns the new value as text."""


def _scale(factor: str) -> Draw:
    return lambda value, _other, _random: str((value if value.rational else exact(1)) * exact(factor))


def _vary(value: Exact, _other: Exact, random: np.random.Generator) -> str:
    return f"{float(value) * REACH ** random.uniform(-1, 1):.{DIGITS}g}"


DRAWS: dict[str, Draw] = {
    "half": _scale("1/2"),
    "twice": _scale("2"),
    "tenth": _scale("1/10"),
    "tenfold": _scale("10"),
    "millionth": _scale("1e-6"),
    "millionfold": _scale("1e6"),
    "flipped": _scale("-1"),
    "zero": lambda _value, _other, _random: "0",
    "equal": lambda _value, other, _random: str(other),
    "varied": _vary,
}


def draw_parameters(case: Case, seed: int, number: int) -> dict[str, str]:
    """Return the parameters of a set that differ from the defaults: those of a variant, some of them changed.

    Nothing is drawn anew: a value that breaks a rule is for the case to refuse.
    """
    random = np.random.default_rng([seed, zlib.crc32(case.name.encode()), number])
    variant = case.variants[number % len(case.variants)]
    values = case.values(variant.changes)
    drawn = {name: str(values[name]) for name in variant.changes}
    if number % ALL == ALL - 1:
        return drawn | {name: _vary(value, value, random) for name, value in values.items()}
    count = min(len(values), int(random.integers(1, MOST + 1)))
    for name in random.choice(list(values), size=count, replace=False).tolist():
        drawn[name] = _change(values, name, random)
    return drawn


def _change(values: Mapping[str, Exact], name: str, random: np.random.Generator) -> str:
    others = [value for other, value in values.items() if other != name] or [values[name]]
    draw = DRAWS[str(random.choice(list(DRAWS)))]
    return draw(values[name], others[int(random.integers(len(others)))], random)
