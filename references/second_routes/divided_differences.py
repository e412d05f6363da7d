"""Damped oscillator under a sine force, from rest or let go: divided differences of the exponential.

m (x'' + 2 ξ w0 x' + w0² x) = F sin(Ω t). With the roots s1, s2 of s² + 2 ξ w0 s + w0² the response to F e^{iΩt} from
rest is F/m times the divided difference of z → e^{zt} over iΩ, s1, s2; where nodes coincide (critical damping, undamped
resonance) it is the confluent one. The response to the sine is the imaginary part. Let go at x0, the oscillator adds
x0 (h' + 2 ξ w0 h), where h, its response to a unit impulse, is the divided difference over s1, s2 alone.

Functions take the parameters m, omega0, xi, F, omega, T, x0 as attributes in mpmath.
Source: EDF validation manual V2.01.031 (SDLD31), Code_Aster test SDLD321; Duhamel's integral, any textbook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.second_routes.roots import sign_changes

CELL = 0.25  # radians, of the cells in which the peak is sought
SEARCH_DIGITS = 20


def displacement(o: Any, time: mpf) -> mpf:
    """Return the displacement (m) at an instant (s)."""
    return _motion(o, time, 0)


def velocity(o: Any, time: mpf) -> mpf:
    """Return the velocity (m/s) at an instant (s)."""
    return _motion(o, time, 1)


@per_precision
def find_peak(o: Any) -> tuple[mpf, mpf]:
    """Return the largest magnitude (m) at a turning point up to T, and its instant (s), by branch and bound."""
    result: list[tuple[mpf, mpf]] = []
    for a, b in _cells(o):

        def slope(t: mpf) -> tuple[mpf, mpf]:
            return _motion(o, t, 1), _motion(o, t, 2)

        turns = sign_changes(slope, lambda t, h: _bounds(o, t, h)[1:], a, b, slope(a), "turning point")
        result += [(abs(_motion(o, t, 0)), t) for t in turns]
    return max(result)


def _roots(o: Any) -> tuple[mpc, mpc]:
    """Return s1 and s2; equal where the damping is critical."""
    root = o.omega0 * mpmath.sqrt(mpmath.mpc(o.xi**2 - 1))
    return -o.xi * o.omega0 + root, -o.xi * o.omega0 - root


def _nodes(o: Any) -> tuple[mpc, mpc, mpc]:
    """Return iΩ, s1, s2, those that coincide last."""
    drive, (s1, s2) = mpmath.mpc(0, o.omega), _roots(o)
    return (s2, drive, drive) if not o.xi and o.omega == o.omega0 else (drive, s1, s2)


def _motion(o: Any, t: mpf, order: int) -> mpf:
    """Return a derivative of the displacement: what the force does, and what is left of the start."""
    forced = o.F / o.m * _divide(_nodes(o), t, order).imag
    if not o.x0:
        return forced
    free = _divide(_roots(o), t, order + 1) + 2 * o.xi * o.omega0 * _divide(_roots(o), t, order)
    return forced + o.x0 * free.real


def _divide(nodes: Sequence[mpc], t: mpf, order: int) -> mpc:
    """Return the divided difference of z^order e^{zt} over nodes, of which two may coincide."""
    first, last = nodes[0], nodes[-1]
    if len(nodes) == 1:
        return first**order * mpmath.exp(first * t)
    if first == last:
        return (t * first**order + (order * first ** (order - 1) if order else 0)) * mpmath.exp(first * t)
    return (_divide(nodes[:-1], t, order) - _divide(nodes[1:], t, order)) / (first - last)


def _cells(o: Any) -> Iterator[tuple[mpf, mpf]]:
    """Yield the cells that may hold the peak: one of length h holds at most its ends and max|x''| h²/8."""
    with mpmath.workdps(SEARCH_DIGITS):
        fastest = max(o.omega0 * max(1, 2 * o.xi), o.omega)  # rad/s, that of a strong damper included
        count = int(mpmath.ceil(o.T * fastest / CELL))
        width = o.T / count
        values = [abs(_motion(o, k * width, 0)) for k in range(count + 1)]
        floor = max(values) * (1 - mpmath.mpf(10) ** (5 - SEARCH_DIGITS))
        most = [max(values[k : k + 2]) + width**2 / 8 * _bounds(o, k * width, width)[0] for k in range(count)]
    yield from ((k * width, (k + 1) * width) for k in range(count) if most[k] >= floor)


def _bounds(o: Any, t: mpf, h: mpf) -> tuple[mpf, mpf, mpf]:
    """Bound the second to fourth derivative of x on [t, t + h]; the force adds at most F h/m to |x'| and w |x|."""
    w, W, xi, push = o.omega0, o.omega, o.xi, o.F / o.m
    speed = mpmath.hypot(_motion(o, t, 1), w * _motion(o, t, 0)) + push * h
    second = push + (1 + 2 * xi) * w * speed
    third = push * W + 2 * xi * w * second + w**2 * speed
    return second, third, push * W**2 + 2 * xi * w * third + w**2 * second
