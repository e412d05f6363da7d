"""A softening spring driven along a chosen sine: steps in mpmath, by sides of its dead zone and half-periods.

m (x'' + γ) + k0 x = k0 x (|x| - d)/x0 beyond the dead zone d, with the support acceleration γ for which a0 sin(w0 t)
solves it at d = 0. Without a dead zone displacement and drive pass zero together: the sides of the spring then change
with the half-periods of the support, since a search for each of both would find events that coincide.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import mpmath
import sympy
from mpmath import mpf

from veridyn.references.parameters import ParameterSet
from veridyn.references.second_routes.hybrid_steps import WORKING, HybridEvent, HybridMode, HybridProblem, steps

HOW = "extrapolated midpoint steps, with passages looked for at turning points"
LAST = 1000  # s; no later instant is asked for
NAMES = ("a0", "w0", "d", "wave", "square", "stiff", "stiffer", "soft")


def step(o: Any, order: int, time: mpf) -> mpf:
    """Return displacement, velocity or acceleration (orders 0 to 2) at an instant (s), parameters in mpmath."""
    with mpmath.workdps(WORKING):
        w2 = o.k0 / o.m
        factors = {"wave": o.a0 * (w2 - o.w0**2), "square": w2 * o.a0**2 / o.x0, "stiff": w2}
        factors |= {"stiffer": w2 * (1 + o.d / o.x0), "soft": w2 / o.x0}
        here, y = steps(_problem(o.d > 0), ParameterSet(), a0=o.a0, w0=o.w0, d=o.d, **factors).at(time)
        return (*y, here.rates(time, y)[1])[order]


@lru_cache(maxsize=2)
def _problem(dead: bool) -> HybridProblem:
    """Return the equations in modes of a side of the dead zone and a half-period."""
    symbols, (x, v, t) = map(sympy.symbols, (NAMES, ("x", "v", "t")))
    amplitude, rate, d, wave, square, stiff, stiffer, soft = symbols
    sine = sympy.sin(rate * t)

    def mode(side: int, half: int) -> HybridMode:
        turned = HybridEvent("half", (-1) ** half * sine, f"{side if dead else -side}, {1 - half}")
        sides = (0,) if side else (1, -1)
        edges = [HybridEvent("edge", side * x - d if side else d - s * x, f"{s}, {half}") for s in sides]
        spring = side * soft * x**2 - stiffer * x if side else -stiff * x
        rates = v, wave * sine - (-1) ** half * square * sine**2 + spring
        return HybridMode(f"{side}, {half}", rates, [turned, *edges] if dead else [turned])

    modes = tuple(mode(side, half) for side in (0, 1, -1) for half in (0, 1))
    begin, start = "0, 0" if dead else "1, 0", (sympy.Integer(0), amplitude * rate)
    return HybridProblem(("x", "v"), NAMES, modes, begin, start, mpmath.mpf(LAST))
