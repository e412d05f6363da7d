"""Roots for the second routes, in mpmath: all of a function by bounds of its curvature, or the one in a bracket.

Between two instants h apart a function lies within M₂ h²/8 of the line through its values, M₂ being a bound of its
second derivative. So an interval holds no root, or exactly one, or is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError

Jet = tuple[mpf, ...]  # a function and its first derivatives, at one instant
Jets = Callable[[mpf], Jet]
Bounds = Callable[[mpf, mpf], tuple[mpf, mpf]]  # of |f″| and |f‴| from an instant on, over a duration


def sign_changes(f: Jets, bounds: Bounds, start: mpf, end: mpf, first: Jet, name: str) -> Iterator[mpf]:
    """Yield every root of f in (start, end] in order, each proved to be there once and alone.

    Parameters
    ----------
    f
        Returns the function and its derivatives at an instant.
    bounds
        Returns bounds of the second and third derivative from an instant on, over a duration.
    start, end
        The interval.
    first
        The value and slope at the start; a value of exactly zero there is the event before, and no root.
    name
        What is sought, for the message.

    Raises
    ------
    CertificationError
        If the function comes too close to zero without crossing it to say which, as where a stop is grazed.
    """
    pieces = [(start, first, end, f(end), mpmath.mp.prec)]
    while pieces:
        a, at_a, b, at_b, depth = pieces.pop()
        second, third = (bound * (b - a) ** 2 / 8 for bound in bounds(a, b - a))
        if _clear(at_a[0], at_b[0], second):
            continue
        if _clear(at_a[1], at_b[1], third):
            if at_b[0] == 0:
                yield b
            elif at_a[0] * at_b[0] < 0:
                yield polished_root(lambda t: f(t)[0], lambda t: f(t)[1], (a, b), rising=at_b[0] > 0, name=name)
            continue
        if not depth:
            raise CertificationError(f"{name}: touched without crossing near {mpmath.nstr(a, 8)}")
        middle = (a + b) / 2
        at_middle = f(middle)
        pieces += [(middle, at_middle, b, at_b, depth - 1), (a, at_a, middle, at_middle, depth - 1)]


def _clear(a: mpf, b: mpf, deviation: mpf) -> bool:
    """Tell whether a function with these end values, this close to their line, keeps its sign."""
    return bool(a * b > 0 and min(abs(a), abs(b)) > deviation)


def polished_root(
    f: Callable[[mpf], mpf],
    slope: Callable[[mpf], mpf],
    bracket: tuple[mpf, mpf],
    *,
    rising: bool,
    name: str,
) -> mpf:
    """Find the root in a bracket by Newton's iteration, kept inside by bisection.

    Raises
    ------
    CertificationError
        If rounding noise keeps the iteration from settling.
    """
    low, high = bracket
    x = (low + high) / 2
    last_step = mpmath.inf
    for _ in range(4 * mpmath.mp.prec):
        value = f(x)
        low, high = (x, high) if (value < 0) == rising else (low, x)
        step = value / slope(x)
        previous, x = x, x - step
        if not low <= x <= high:
            x = (low + high) / 2
        step = abs(x - previous)
        # Steps that are tiny and shrink no more are rounding noise.
        if step <= 4 * mpmath.eps * abs(x) or last_step <= min(2 * step, mpmath.sqrt(mpmath.eps) * abs(x)):
            return x
        last_step = step
    raise CertificationError(f"{name}: no convergence")
