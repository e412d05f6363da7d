"""Five motions whose derivatives are known, for simulators that differentiate; each script beside this one runs them.

bounce   a ball falls from h (m) under g (m/s²) on a floor, coefficient of restitution e: its height (m) at 0.8 s
slide    a block starts with v (m/s) on a floor, coefficient of friction mu, and stops: its way (m) at 1 s
strike   a ball with v (m/s) hits its like, d (m) away, coefficient of restitution e: way (m) of the other at 1 s
stop     a body of 1 kg with v (m/s) meets a spring k (N/m), gap (m) away, and returns: its place (m) at 0.6 s
spring   a body of 1 kg on a spring k (N/m) with a damper c (N s/m), released at 0.1 m: its place (m) at 1 s

A script prints a line of JSON for each number that it differentiates by; docs/gradients_page.py makes the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

NUMBERS: dict[str, dict[str, float]] = {
    "bounce": {"e": 0.8, "g": 9.81, "h": 1.0},
    "slide": {"mu": 0.4, "v": 3.0, "g": 9.81},
    "strike": {"e": 0.8, "v": 2.0, "d": 0.5},
    "stop": {"k": 400.0, "gap": 0.2, "v": 1.0},
    "spring": {"k": 40.0, "c": 1.0},
}
ENDS = {"bounce": 0.8, "slide": 1.0, "strike": 1.0, "stop": 0.6, "spring": 1.0}  # s
STEP = 1e-4  # of the numbers, relative: for differences of what a simulator answers

Solve = Callable[[Mapping[str, float]], float]
Differentiate = Callable[[Mapping[str, float]], Mapping[str, Any]]  # by the names of the numbers


def record(
    simulator: str, versions: Mapping[str, str], way: str, motion: str, solve: Solve, differentiate: Differentiate
) -> None:
    """Print what a simulator says of a motion: its answer, its derivatives, and differences of its answers.

    ``way`` says how it is used. What it raises is what it says of the derivative.
    """
    numbers, derivatives, told = NUMBERS[motion], dict[str, Any](), ""
    try:
        derivatives = {name: float(value) for name, value in differentiate(numbers).items()}
    except Exception as error:  # noqa: BLE001
        told = f"{type(error).__name__}: {str(error).strip().splitlines()[0]:.160}"
    answer = float(solve(numbers))
    for name in derivatives or numbers:
        row = {"simulator": simulator, "versions": dict(versions), "way": way, "motion": motion, "by": name}
        row |= {"answer": answer, "difference": difference(solve, numbers, name)}
        row |= {"derivative": derivatives.get(name), "told": told}
        print(json.dumps(row), flush=True)


def difference(solve: Solve, numbers: Mapping[str, float], name: str) -> float:
    """Return the central difference of answers by a number."""
    step = STEP * numbers[name]
    above, below = (float(solve({**numbers, name: numbers[name] + sign * step})) for sign in (1, -1))
    return (above - below) / (2 * step)
