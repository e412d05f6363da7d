"""Chain of eight equal masses between two walls, a rectangular force on one: complex modes of a tridiagonal matrix.

The dashpots at the two ends have constants of their own: unless all are equal the modes are complex. With the leading
and trailing minors L, T of the tridiagonal Z(s) = s² M + s C + K the receptance of mass 4 is H(s) = L(s) T(s)/det Z(s),
and the response to a unit step from rest

    u(t) = H(0) + Σ_λ L(λ) T(λ)/(λ D'(λ)) e^{λt},    D = det Z, D(λ) = 0.

The force ends after a while: the response is u(t) - u(t - duration).

Functions take the parameters m, k, c, c_left, c_right, F, duration as attributes in mpmath.
Source: EDF validation manuals V2.01.022 and V2.01.029 (SDLD22, SDLD29); K. A. Foss, Journal of Applied Mechanics 25,
1958 (complex modes).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision

MASSES, LOADED = 8, 4  # the force acts on mass 4, counted from the left, whose displacement is observed


def displacement(o: Any, time: mpf) -> mpf:
    """Return the displacement (m) of mass 4 at an instant (s)."""
    return o.F * (_step_response(o, time) - _step_response(o, time - o.duration))


def frequency(o: Any, number: int) -> mpf:
    """Return a damped frequency (Hz), counted from 1, ascending."""
    return _upper_pole(o, number).imag * _unit(o) / (2 * mpmath.pi)


def damping_ratio(o: Any, number: int) -> mpf:
    """Return the ratio -Re λ/|λ| of a mode, as `frequency`."""
    pole = _upper_pole(o, number)
    return -pole.real / abs(pole)


def _unit(o: Any) -> mpf:
    """Return sqrt(k/m) (rad/s), the unit of the roots."""
    return mpmath.sqrt(o.k / o.m)


def _scaled(o: Any) -> list[mpf]:
    """Return the nine dashpots, from left to right, of the same chain with unit masses and springs."""
    return [d * _unit(o) / o.k for d in (o.c_left, *[o.c] * (MASSES - 1), o.c_right)]


def _minor(dashpots: Sequence[mpf], s: mpc) -> tuple[mpc, mpc]:
    """Return det(s² + s C + K) of the masses between dashpots, masses and springs being one, and its derivative."""
    u, du, v, dv = map(mpmath.mpc, (0, 0, 1, 0))
    for a, b in pairwise(dashpots):
        pivot, link = s**2 + (a + b) * s + 2, a * s + 1
        slope = (2 * s + a + b) * v + pivot * dv - 2 * a * link * u - link**2 * du
        u, du, v, dv = v, dv, pivot * v - link**2 * u, slope
    return v, dv


def _across(dashpots: Sequence[mpf], s: mpc) -> mpc:
    """Return L T."""
    return _minor(dashpots[:LOADED], s)[0] * _minor(dashpots[LOADED:], s)[0]


@per_precision
def _poles(o: Any) -> list[tuple[mpc, mpc]] | None:
    """Return the roots λ of D, each with its L T/(λ D'), in units of sqrt(k/m) and k; None if some coincide."""
    near = mpmath.sqrt(mpmath.eps)
    with mpmath.workdps(2 * mpmath.mp.dps):
        dashpots, matrix = _scaled(o), mpmath.zeros(2 * MASSES)
        for i in range(MASSES):
            matrix[i, MASSES + i], last = 1, MASSES + i
            matrix[last, i], matrix[last, last] = -2, -dashpots[i] - dashpots[i + 1]
            if i:
                matrix[last, i - 1] = matrix[last - 1, i] = 1
                matrix[last, last - 1] = matrix[last - 1, last] = dashpots[i]
        roots = mpmath.eig(matrix, left=False, right=False)
        if any(abs(y - z) < near * abs(z) for y, z in combinations(roots, 2)):
            return None
        return [(z, _across(dashpots, z) / (z * _minor(dashpots, z)[1])) for z in roots]


def _step_response(o: Any, t: mpf) -> mpf:
    """Displacement of mass 4 (m) under a step of 1 N that began t ago."""
    if t <= 0:
        return mpmath.mpf(0)
    poles, dashpots = _poles(o), _scaled(o)
    if poles is None:
        return _around(o, _unit(o) * t) / o.k
    free = mpmath.re(mpmath.fsum(b * mpmath.exp(z * _unit(o) * t) for z, b in poles))
    return (free + _across(dashpots, mpmath.mpc(0)).real / _minor(dashpots, mpmath.mpc(0))[0].real) / o.k


def _around(o: Any, t: mpf) -> mpf:
    """Return k u by the mean of H(s) e^{st} on a circle around all poles, which may coincide."""
    radius = 2 * (2 + 4 * max(_scaled(o)))  # twice a bound of the poles
    bits = mpmath.mp.prec + int(3 * radius * t)
    with mpmath.workprec(2 * bits):
        circle = [radius * mpmath.expjpi(mpmath.mpf(2 * n) / (3 * bits)) for n in range(3 * bits)]
        dashpots = _scaled(o)
        terms = (_across(dashpots, s) / _minor(dashpots, s)[0] * mpmath.exp(s * t) for s in circle)
        return mpmath.re(mpmath.fsum(terms)) / (3 * bits)


def _upper_pole(o: Any, number: int) -> mpc:
    upper = sorted((z for z, _ in _poles(o) or () if z.imag > 0), key=lambda z: z.imag)
    return upper[-MASSES:][number - 1]
